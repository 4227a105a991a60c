# SPDX-License-Identifier: BSD-3-Clause
"""papi_probe runs a program: calls are those that its source has, and nothing else changes."""
import os
import re
import subprocess

from probe_harness import main, PAPI_PROBE, patterns, ProbeTest, SUBJECT


def calls_of_fibonacci(n):
    return 1 if n < 2 else 1 + calls_of_fibonacci(n - 1) + calls_of_fibonacci(n - 2)


class Program(ProbeTest):
    def test_calls(self):
        functions = self.probe(SUBJECT, "calls", "1000")
        self.calls(functions, main=1, calls=1, ten_leaves=1000, leaf=11000, jumps=1000, eight=1000, halve=1000,
                   coroutine=0)
        self.assertLessEqual(functions["fibonacci"]["calls"], calls_of_fibonacci(15))
        self.assertGreater(functions["fibonacci"]["calls"], 100)
        for name in ("main", "ten_leaves", "leaf", "jumps", "fibonacci"):
            self.assertEqual(functions[name]["timed"], functions[name]["calls"], name)
            self.assertEqual(functions[name]["left"], 0)
        self.assertIsNone(functions["coroutine"]["mean_s"])

    def test_times(self):
        """What a function takes is in those that have called it, and only there."""
        functions = self.probe(SUBJECT, "calls", "20000", names=("main", "calls", "ten_leaves", "leaf"))
        time = {name: functions[name]["inclusive_s"] for name in functions}
        self.assertGreater(time["main"], time["calls"])
        self.assertGreater(time["calls"], time["ten_leaves"])
        self.assertGreater(functions["ten_leaves"]["exclusive_s"], 0)
        own = sum(function["exclusive_s"] for function in functions.values())
        self.assertAlmostEqual(own / time["main"], 1, places=3)
        # A function that calls itself has its time once.
        functions = self.probe(SUBJECT, "calls", "1", names=("fibonacci",))
        fibonacci = functions["fibonacci"]
        self.assertAlmostEqual(fibonacci["inclusive_s"] / fibonacci["exclusive_s"], 1, places=3)
        self.assertAlmostEqual(fibonacci["inclusive_s"] / fibonacci["most_s"], 1, places=3)

    def test_all_of_libc(self):
        functions = self.probe(SUBJECT, "calls", "50", names=("*", "libc.so.6!*"))
        self.calls(functions, ten_leaves=50, leaf=550)
        probed = [name for name, function in functions.items() if function["way"]]
        self.assertGreater(len(probed), 0.9 * len(functions))
        self.assertIn("more than once", functions["_setjmp"]["reason"])

    def test_exit(self):
        """The functions that exit() is called from have their times, too."""
        functions = self.probe(SUBJECT, "exit", status=1)
        self.calls(functions, main=1, ten_leaves=1, leaf=10)
        self.assertEqual(functions["main"]["timed"], 1)

    def test_children(self):
        functions = self.probe(SUBJECT, "children", "30")
        self.calls(functions, children=1, vfork_in_a_function=30, ten_leaves=30, end_child=30, leaf=360)
        self.assertEqual(functions["vfork_in_a_function"]["timed"], 30)

    def test_threads(self):
        functions = self.probe(SUBJECT, "threads", "1000")
        self.calls(functions, thread=4, ten_leaves=4000, leaf=40000)
        self.assertEqual(len(functions["leaf"]["threads"]), 4)
        self.assertEqual({thread["calls"] for thread in functions["leaf"]["threads"]}, {10000})

    def test_many_threads(self):
        """More, one after the other, than there are rows."""
        functions = self.probe(SUBJECT, "short-threads", "700")
        self.calls(functions, thread=700, leaf=7000)
        self.assertEqual(functions["leaf"]["timed"], 7000)
        self.assertGreater(sum(thread["shared"] for thread in functions["leaf"]["threads"]), 100)

    def test_children(self):
        functions = self.probe(SUBJECT, "fork", "20")
        self.calls(functions, fork_in_a_function=20, ten_leaves=20, leaf=200)
        self.assertEqual(len({thread["pid"] for thread in functions["ten_leaves"]["threads"]}), 20)
        self.assertEqual(functions["fork_in_a_function"]["timed"], 20)

    def test_calls_alone(self):
        """The same calls without times: in threads, in more than there are rows, in children, and in functions that
        others jump to."""
        for command, expected in (
                (("calls", "1000"), {"main": 1, "ten_leaves": 1000, "leaf": 11000, "jumps": 1000, "halve": 1000}),
                (("threads", "1000"), {"thread": 4, "ten_leaves": 4000, "leaf": 40000}),
                (("short-threads", "700"), {"thread": 700, "leaf": 7000}),
                (("fork", "20"), {"fork_in_a_function": 20, "ten_leaves": 20, "leaf": 200})):
            functions = self.probe(SUBJECT, *command, options=["--calls"])
            self.calls(functions, **expected)
            for name in expected:
                self.assertEqual((functions[name]["timed"], functions[name]["untimed"]), (0, 0), name)
        self.assertEqual(len({thread["pid"] for thread in functions["ten_leaves"]["threads"]}), 20)
        result = self.run_it("--calls", "-f", "leaf", SUBJECT, "calls", "1000")
        self.assertEqual(result.stderr.decode().splitlines()[:2],
                         ["      Calls  Way    Function", "      11000  patch  leaf"])
        result = self.run_it("--calls", "-e", "perf::PAGE-FAULTS", SUBJECT, "calls", "1")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--calls counts nothing else", result.stderr)

    def test_another_program(self):
        """What is executed runs without probes, and without what has brought them."""
        functions = self.probe(SUBJECT, "exec")
        self.calls(functions, execute=1, leaf=0)
        result = self.run_it("-f", "nothing_but_main*", "-f", "getenv", "--", "env")
        self.assertNotIn(b"PAPI_PROBE_TOOL", result.stdout)
        self.assertNotIn(b"libpapi_probes", result.stdout)

    def test_input_and_status(self):
        result = subprocess.run([PAPI_PROBE, "-f", "leaf", SUBJECT, "wait"], input=b"3\n4\n", stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, timeout=120)
        self.assertEqual(result.stdout.count(b"\n"), 3, result.stderr)
        self.assertEqual(self.run_it("-f", "leaf", SUBJECT, "nonsense").returncode, 2)


class Events(ProbeTest):
    def test_page_faults(self):
        """Of a function that touches so many pages; a first look at tables of the probes' own may add some."""
        report = self.path("report")
        result = self.run_it("--json", "-o", report, "-e", "perf::PAGE-FAULTS,perf::TASK-CLOCK",
                             *patterns(["touches", "leaf", "calls"]), SUBJECT, "calls", "100")
        if b"cannot be counted" in result.stderr:
            self.skipTest(" ".join(result.stderr.decode().split()))
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        functions = self.read(report)
        faults = {name: function["events"]["perf::PAGE-FAULTS"] for name, function in functions.items()}
        self.assertEqual(functions["touches"]["unread"], 0)
        for got, least in ((faults["touches"]["least"], 100), (faults["touches"]["most"], 300),
                           (faults["touches"]["inclusive"], 400), (faults["calls"]["inclusive"], 400)):
            self.assertGreaterEqual(got, least)
            self.assertLess(got, least + 60)
        self.assertLess(faults["calls"]["exclusive"], 60)
        self.assertLess(faults["leaf"]["inclusive"], 60)
        clock = functions["calls"]["events"]["perf::TASK-CLOCK"]
        self.assertGreater(clock["inclusive"], clock["exclusive"])

    def test_refused(self):
        for events, says in (("perf::PAGE-FALTS", b"perf::PAGE-FAULTS"), ("rusage:::minflt", b"perf_event"),
                             (",", b"-e"), (",".join(["perf::PAGE-FAULTS"] * 5), b"more than four")):
            result = self.run_it("-e", events, SUBJECT, "calls", "1")
            self.assertEqual((result.returncode, result.stdout), (2, b""), events)
            self.assertIn(says, result.stderr)


class Report(ProbeTest):
    def test_table(self):
        result = self.run_it("--threads", *patterns(["leaf", "ten_leaves", "halve"]), SUBJECT, "threads", "100")
        lines = result.stderr.decode().splitlines()
        self.assertEqual(lines[0].split(), ["Calls", "Inclusive", "Exclusive", "Least", "Mean", "Most", "Way",
                                            "Function"])
        self.assertRegex(lines[1], r"^ +400 +\S+ [num ]s +\S+ [num ]s .*  patch  ten_leaves$")
        self.assertEqual(sum("  thread " in line for line in lines), 8)
        self.assertIn("1 more was probed, and not called", lines)

    def test_intervals(self):
        report = self.path("report")
        self.run_it("--interval", "20", "--json", "-f", "leaf", "-o", report, SUBJECT, "signals", "300000")
        with open(report, encoding="utf-8") as file:
            seen = [int(re.search(r'"calls": (\d+)', line)[1]) for line in file]
        self.assertGreater(len(seen), 1)
        self.assertEqual(seen, sorted(seen))


class Refused(ProbeTest):
    def refuse(self, *arguments, status, says, **how):
        result = self.run_it(*arguments, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(says, result.stderr)
        return result

    def test_command_lines(self):
        for arguments, says in (((), b"no PROGRAM"), (("-p", "1", "ls"), b"choose one"),
                                (("-t", "1", "ls"), b"-t goes"),
                                (("-t", "x", "-p", "1"), b"wants a number"), (("-f", "", "ls"), b"wants a name"),
                                (("-f", "!x", "ls"), b"wants a name"), (("-f", "x!", "ls"), b"wants a name"),
                                (("-p", "none"), b"-p"), (("--interval", "0", "ls"), b"--interval"),
                                (("--nonsense",), b"nonsense")):
            self.refuse(*arguments, status=2, says=says)

    def test_programs(self):
        self.refuse("./not-here", status=127, says=b"not-here")
        self.refuse("/etc/passwd", status=126, says=b"/etc/passwd")
        self.refuse("-o", "/not/here", SUBJECT, status=125, says=b"/not/here")

    def test_names(self):
        """The program runs all the same; there is no report of nothing."""
        result = self.refuse("-f", "no_such_function", SUBJECT, "calls", "1", status=125,
                             says=b"no function is called 'no_such_function'")
        self.assertEqual(result.stdout.count(b"\n"), 1)
        self.refuse("-f", "sqr*", SUBJECT, "calls", "1", status=125, says=b"LIBRARY!NAME")
        self.refuse("-f", "\x1b[31mred", SUBJECT, "calls", "1", status=125, says=b"'?[31mred'")
        self.refuse("-f", "_start", SUBJECT, "calls", "1", status=125, says=b"--list says why")
        self.refuse("-x", "*", SUBJECT, "calls", "1", status=125, says=b"there is no function left to probe")

    def test_static(self):
        source = self.path("static.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("int main(void) { return 0; }\n")
        made = subprocess.run(["cc", "-static", "-o", self.path("static"), source], stderr=subprocess.DEVNULL,
                              check=False)
        if made.returncode:
            self.skipTest("static programs cannot be made here")
        self.refuse(self.path("static"), status=125, says=b"static")

    def test_preloaded(self):
        """What is preloaded already stays."""
        preloaded = self.run_it("--version", env={**os.environ, "LD_PRELOAD": "libc.so.6"})
        if b"ASan" in preloaded.stderr:
            self.skipTest("a sanitizer wants to be loaded first")
        self.refuse("-f", "leaf", SUBJECT, "nonsense", status=2, says=b"1 more was probed",
                    env={**os.environ, "LD_PRELOAD": "libc.so.6"})


if __name__ == "__main__":
    main()
