# SPDX-License-Identifier: BSD-3-Clause
"""papi_probe --way translate: functions that no jump can be put into are counted, and events of the virtual PMU."""
import os
import shutil
import signal
import subprocess
import unittest

from probe_harness import main, PAPI_PROBE, patterns, SUBJECT, THROWER
from translate_harness import ENVIRONMENT, INSTRUCTIONS, skip_unless_counted, TranslateTest

N = 300
# One that is shorter than a jump, but on arm64; one whose loop begins where it begins; one whose handler is called by
# nobody.
TINY, NAMELESS, LOOP = {
    "x86_64": ("ret", ".byte 0x31, 0xc0, 0xc3", "1: dec %rdi; jnz 1b; ret"),
    "aarch64": ("ret", ".inst 0x52800000, 0xd65f03c0", "1: sub x0, x0, 1; cbnz x0, 1b; ret"),
}[os.uname().machine]
ENTRIES = f""".text
.globl tiny, loop
.type tiny,%function
.type loop,%function
tiny: .cfi_startproc
{TINY}
.cfi_endproc
.size tiny, .-tiny
{NAMELESS}
loop: .cfi_startproc
{LOOP}
.cfi_endproc
.size loop, .-loop
.section .note.GNU-stack,"",%progbits
"""
CALLER = """void tiny(void); void loop(long n); long lasts(long n);
int main(void) { for (int i = 0; i < 100; i++) { tiny(); loop(5); } return 0; }
"""


def setUpModule():
    skip_unless_counted()


class Programs(TranslateTest):
    def test_calls(self):
        functions = self.translate(SUBJECT, "calls", str(N))
        self.calls(functions, calls=1, ten_leaves=N, jumps=N, eight=N, halve=N, leaf=11 * N, main=1, touches=2)
        ten, leaf = (functions[name]["events"][INSTRUCTIONS] for name in ("ten_leaves", "leaf"))
        # Each leaf does as much; a function that jumps to one has called it.
        one = leaf["exclusive"] // (11 * N)
        self.assertEqual(leaf["exclusive"], one * 11 * N)
        self.assertEqual(leaf["inclusive"], leaf["exclusive"])
        self.assertEqual(ten["inclusive"], ten["exclusive"] + 10 * N * one)
        jumps = functions["jumps"]["events"][INSTRUCTIONS]
        self.assertEqual(jumps["inclusive"], jumps["exclusive"] + N * one)
        # Recursion counts once.
        self.values(functions, fibonacci=functions["fibonacci"]["events"][INSTRUCTIONS]["exclusive"])
        self.assertIsNone(functions["_start"]["way"])

    def test_models(self):
        """What simulators count is known by call."""
        misses, wrong = "PAPI_L1_DCM", "PAPI_BR_MSP"
        options = "--way", "translate", "-e", f"{INSTRUCTIONS},{misses},{wrong},PAPI_TOT_CYC"
        functions = self.translate(SUBJECT, "calls", str(N), options=options)
        self.calls(functions, calls=1, ten_leaves=N, leaf=11 * N)
        main, ten, leaf = (functions[name]["events"] for name in ("main", "ten_leaves", "leaf"))
        for event in (misses, wrong):
            self.assertEqual(leaf[event]["inclusive"], leaf[event]["exclusive"])
            self.assertLessEqual(ten[event]["inclusive"], ten[event]["exclusive"] + leaf[event]["inclusive"])
            self.assertGreater(main[event]["inclusive"], 0)
        # A quarter for each instruction, and what is lost otherwise.
        for name in ("main", "ten_leaves", "leaf"):
            counts = functions[name]["events"]
            least = counts[INSTRUCTIONS]["inclusive"] / 4 + 16 * counts[wrong]["inclusive"]
            self.assertGreaterEqual(counts["PAPI_TOT_CYC"]["inclusive"], int(least) - 16)

    def test_without_jumps(self):
        """What patches refuse."""
        files = self.path("entries.s"), self.path("caller.c"), self.path("caller")
        for path, text in zip(files, (ENTRIES, CALLER)):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run([shutil.which("cc") or "cc", "-O1", "-o", files[2], files[0], files[1]], check=True)
        functions = self.translate(files[2], names=("tiny", "loop"), options=("--way", "translate", "-e",
                                                                           f"{INSTRUCTIONS},vpmu:::BRANCHES_TAKEN"))
        self.calls(functions, tiny=100, loop=100)
        self.values(functions, tiny=100, loop=100 * 11)
        self.values(functions, event="vpmu:::BRANCHES_TAKEN", loop=100 * 4)
        result = self.run_it(*patterns(["tiny", "loop", "main"]), files[2])
        self.assertIn(b"not probed: loop, for it jumps back to its own beginning", result.stderr)
        refused = ["loop"] if os.uname().machine == "aarch64" else ["tiny", "loop"]
        self.assertIn(b"--way translate counts %d of these" % len(refused), result.stderr)
        result = self.run_it(*patterns(refused), files[2])
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"--way translate counts them", result.stderr)

    def test_events(self):
        """An event that only translation counts makes a program be translated."""
        functions = self.translate(SUBJECT, "calls", "100", names=("leaf", "ten_leaves"),
                                   options=("-e", "PAPI_TOT_INS,vpmu:::CALLS"))
        self.calls(functions, leaf=1100, ten_leaves=100)
        self.values(functions, event="vpmu:::CALLS", ten_leaves=1000, leaf=0)
        self.values(functions, event="vpmu:::CALLS", which="exclusive", ten_leaves=1000)
        self.assertEqual(list(functions["leaf"]["events"]), ["PAPI_TOT_INS", "vpmu:::CALLS"])
        functions = self.translate(SUBJECT, "calls", "100", names=("leaf",), options=("-e", "vpmu:::STORES"))
        self.calls(functions, leaf=1100)
        self.assertEqual(list(functions["leaf"]["events"]), ["vpmu:::STORES"])

    def test_longjmp(self):
        functions = self.translate(SUBJECT, "longjmp", "2000", names=("*", "libc!_setjmp"))
        self.calls(functions, leaf=2000, jump_out=1)
        # libc calls it before main.
        self.assertIn(functions["_setjmp"]["calls"], (2000, 2001))
        self.assertGreaterEqual(functions["deep"]["calls"], 2000)

    def test_threads(self):
        functions = self.translate(SUBJECT, "threads", "100", names=("leaf", "ten_leaves", "thread"))
        self.calls(functions, leaf=4000, ten_leaves=400, thread=4)
        threads = functions["ten_leaves"]["threads"]
        self.assertEqual([thread["calls"] for thread in threads], [100] * 4)
        self.assertEqual(len({thread["tid"] for thread in threads}), 4)
        self.assertEqual(len({thread["events"][INSTRUCTIONS]["inclusive"] for thread in threads}), 1)
        self.assertEqual(sum(thread["events"][INSTRUCTIONS]["inclusive"] for thread in threads),
                         functions["ten_leaves"]["events"][INSTRUCTIONS]["inclusive"])

    def test_more_threads_than_rows(self):
        functions = self.translate(SUBJECT, "short-threads", "600", names=("leaf", "ten_leaves"))
        self.calls(functions, leaf=6000, ten_leaves=600)

    def test_stacks(self):
        functions = self.translate(SUBJECT, "coroutines", "3000", names=("pass_on", "leaf", "ten_leaves"))
        self.calls(functions, pass_on=3000, ten_leaves=3000, leaf=33000)
        # Each goes to another stack, where the same function waits, and comes back.
        passed, leaf = (functions[name]["events"][INSTRUCTIONS] for name in ("pass_on", "leaf"))
        self.assertGreater(passed["inclusive"], passed["exclusive"] + leaf["exclusive"] // 11 + 2990 * 20)
        functions = self.translate(SUBJECT, "signals", "20000")
        self.assertGreaterEqual(functions["on_tick"]["calls"], 50)
        self.assertEqual(functions["leaf"]["calls"], 10 * functions["ten_leaves"]["calls"])
        # It interrupts the function that it calls: what happens there is not known to be its own.
        self.assertIsNone(functions["on_tick"]["events"][INSTRUCTIONS]["inclusive"])
        self.assertEqual(functions["on_tick"]["unread"], functions["on_tick"]["calls"])
        self.assertGreater(functions["on_tick"]["events"][INSTRUCTIONS]["exclusive"], 0)

    def test_processes(self):
        functions = self.translate(SUBJECT, "fork", "20", names=("ten_leaves", "fork_in_a_function"))
        self.calls(functions, ten_leaves=20, fork_in_a_function=20)
        self.assertEqual(len({thread["pid"] for thread in functions["ten_leaves"]["threads"]}), 20)
        functions = self.translate(SUBJECT, "exec", names=("leaf", "execute"))
        self.calls(functions, execute=1, leaf=1)

    def test_loaded_later(self):
        """Libraries that the program loads by itself."""
        result = self.run_it("--way", "translate", "--calls", "-f", "_json*!PyInit*", "--", "/usr/bin/python3", "-c",
                             "import _json; print(_json.__file__)")
        if result.returncode and b"__file__" in result.stderr or not shutil.which("/usr/bin/python3"):
            self.skipTest("json is built into this python")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"          1  translate  PyInit__json", result.stderr)

    @unittest.skipUnless(os.path.exists(THROWER), "there is no C++ compiler")
    def test_exceptions(self):
        n = 1000
        functions = self.translate(THROWER, str(n))
        self.assertEqual([functions[name]["calls"] for name in ("ways::catcher(long)", "ways::thrower(long)",
                                                              "ways::Guard::~Guard()",
                                                              "long ways::twice<long>(long)")],
                         [n, 11 * n // 2, 11 * n // 2, n])

    def test_status(self):
        result = self.run_it("--way", "translate", "-f", "leaf", SUBJECT, "exit")
        self.assertEqual(result.returncode, subprocess.run([SUBJECT, "exit"], check=False).returncode)
        result = subprocess.run([PAPI_PROBE, "--way", "translate", "-f", "leaf", SUBJECT, "wait"], input=b"3\n4\n",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120,
                                env=ENVIRONMENT)
        self.assertEqual(result.stdout.count(b"\n"), 3, result.stderr)

    def test_nothing_is_left(self):
        os.mkdir(self.path("tmp"))
        environment = {**ENVIRONMENT, "TMPDIR": self.path("tmp")}
        self.translate(SUBJECT, "calls", "1", names=("leaf",), env=environment)
        self.run_it("--way", "translate", "-f", "none", SUBJECT, "calls", "1", env=environment)
        self.assertEqual(os.listdir(self.path("tmp")), [])


class Tables(TranslateTest):
    def test_table(self):
        result = self.run_it("--way", "translate", "--threads", *patterns(["leaf", "ten_leaves", "halve", "_start"]),
                             SUBJECT, "threads", "100")
        lines = result.stderr.decode().splitlines()
        self.assertEqual(lines[0], INSTRUCTIONS)
        self.assertEqual(lines[1].split(), ["Calls", "Inclusive", "Exclusive", "Way", "Function"])
        self.assertRegex(lines[2], r"^ +400 +\S+ +\S+ +translate  ten_leaves$")
        self.assertEqual(sum("  thread " in line for line in lines), 8)
        self.assertIn("1 more was probed, and not called", lines)
        self.assertIn("not probed: _start, for it runs before anything can be counted", lines)
        self.assertIn("there are no times", lines[-1])

    def test_calls_alone(self):
        result = self.run_it("--way", "translate", "--calls", "-f", "leaf", SUBJECT, "calls", "1000")
        self.assertEqual(result.stderr.decode().splitlines()[:2],
                         ["      Calls  Way        Function", "      11000  translate  leaf"])


class Attach(TranslateTest):
    @staticmethod
    def ask(target, number):
        target.stdin.write(b"%d\n" % number)
        target.stdin.flush()
        return target.stdout.readline()

    @staticmethod
    def is_counted(target):
        """Its counters are there when its thread has been moved."""
        with open(f"/proc/{target.pid}/maps", encoding="utf-8") as maps:
            return ".counts" in maps.read()

    def test_work(self):
        """A piece of work that begins and ends while somebody counts, again and again."""
        target = self.start_target(SUBJECT, "wait")
        before = self.ask(target, 200)
        for options in (("--way", "translate"), ("-e", "vpmu:::LOADS,vpmu:::INSTRUCTIONS")):
            watcher = subprocess.Popen([PAPI_PROBE, *options, "--json", "-o", self.path("report"), "-p",
                                        str(target.pid)], stderr=subprocess.PIPE, env=ENVIRONMENT)
            self.addCleanup(self.end, watcher)
            self.wait_until(lambda: watcher.poll() is not None or self.is_counted(target), "the agent")
            if watcher.poll() is not None:
                self.skipTest(" ".join(watcher.stderr.read().decode().split()))
            self.assertEqual(self.ask(target, 200), before)
            watcher.send_signal(signal.SIGINT)
            errors = watcher.communicate(timeout=120)[1]
            self.assertEqual(watcher.returncode, 0, errors)
            self.assertRegex(errors, rb"^papi_probe: virtual events are counted from [0-9.]+ s after .* began\n$")
            functions = self.functions(self.path("report"))
            self.calls(functions, calls=1, ten_leaves=200, jumps=200, leaf=2200)
            leaf, ten = (functions[name]["events"][INSTRUCTIONS] for name in ("leaf", "ten_leaves"))
            self.assertEqual(ten["inclusive"], ten["exclusive"] + 10 * leaf["inclusive"] // 11)
            self.assertEqual(self.ask(target, 200), before)
        target.stdin.close()
        self.assertEqual(target.wait(60), 0)

    def test_killed(self):
        """When papi_probe is killed, papi_profile leaves the process."""
        target = self.start_target(SUBJECT, "wait")
        before = self.ask(target, 200)
        watcher = subprocess.Popen([PAPI_PROBE, "--way", "translate", "-p", str(target.pid)],
                                   stderr=subprocess.DEVNULL, env={**ENVIRONMENT, "TMPDIR": self.directory})
        self.addCleanup(self.end, watcher)
        self.wait_until(lambda: watcher.poll() is not None or self.is_counted(target), "the agent")
        if watcher.poll() is not None:
            self.skipTest("no agent comes into it here")
        watcher.kill()
        watcher.wait()
        self.wait_until(lambda: not self.is_counted(target), "the agent to leave")
        self.assertEqual(self.ask(target, 200), before)


class Refused(TranslateTest):
    def test_combinations(self):
        for arguments, says in ((("--way", "fast"), b"auto, patch or translate"),
                                (("--way", "translate", "--interval", "10"), b"--interval is for"),
                                (("-e", INSTRUCTIONS, "--interval", "10"), b"--interval is for"),
                                (("--way", "patch", "-e", INSTRUCTIONS), b"leave --way patch out"),
                                (("--way", "translate", "-e", "perf::PAGE-FAULTS"), b"what the virtual PMU counts"),
                                (("-e", f"perf::PAGE-FAULTS,{INSTRUCTIONS}"), b"in two runs"),
                                (("--way", "translate", "-e", "vpmu:::INSTRUCTIONZ"), b"INSTRUCTIONS"),
                                (("--way", "translate", "--calls", "-e", INSTRUCTIONS), b"--calls counts nothing"),
                                (("--way", "translate", "-t", "1"), b"-t goes with -p")):
            result = self.run_it(*arguments, "-f", "leaf", SUBJECT, "calls", "1")
            self.assertEqual((result.returncode, result.stdout), (2, b""), arguments)
            self.assertIn(says, result.stderr)

    def test_names(self):
        result = self.run_it("--way", "translate", "-f", "no_such_function", SUBJECT, "calls", "1")
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"no function is called 'no_such_function'", result.stderr)
        self.assertEqual(self.run_it("--way", "translate", "./not-here").returncode, 127)
        result = self.run_it("--way", "translate", "-p", "2147483646")
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"2147483646", result.stderr)


if __name__ == "__main__":
    main()
