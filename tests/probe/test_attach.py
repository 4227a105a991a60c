# SPDX-License-Identifier: BSD-3-Clause
"""papi_probe -p: probes come into a process that runs already, and go, and it runs on as if nothing had been."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import waits_in
from probe_harness import main, PAPI_PROBE, patterns, ProbeTest, SUBJECT

NAMES = ("leaf", "ten_leaves", "jumps", "calls", "fibonacci")
CYCLES = 12


class Attach(ProbeTest):
    PATIENCE = 120

    def attach(self, target, *options, names=NAMES):
        """A papi_probe whose probes are in by now: it waits in poll()."""
        watcher = subprocess.Popen([PAPI_PROBE, "--json", "-o", self.path("report"), *patterns(names), *options, "-p",
                                    str(target.pid)], stderr=subprocess.PIPE)
        self.addCleanup(self.end, watcher)

        self.wait_until(lambda: watcher.poll() is not None or waits_in(watcher.pid, "poll", "ppoll"),
                        "papi_probe to count")
        if watcher.poll() not in (None, 0):
            text = watcher.stderr.read().decode()
            if re.search("may not be traced|cannot be stopped|pidfd", text):
                self.skipTest(" ".join(text.split()))
            self.fail(text)
        return watcher

    def finish(self, watcher, interrupt=True, unseen=0):
        if interrupt:
            watcher.send_signal(signal.SIGINT)
        errors = watcher.communicate(timeout=120)[1]
        self.assertEqual((watcher.returncode, errors), (0, b""))
        return self.read(self.path("report"), unseen)

    @staticmethod
    def ask(target, number):
        target.stdin.write(b"%d\n" % number)
        target.stdin.flush()
        return target.stdout.readline()

    @staticmethod
    def code(target):
        """The program's own code, as it is in memory."""
        with open(f"/proc/{target.pid}/maps", encoding="utf-8") as maps:
            line = next(line for line in maps if "r-xp" in line and line.rstrip().endswith("/subject"))
        low, high = (int(part, 16) for part in line.split()[0].split("-"))
        with open(f"/proc/{target.pid}/mem", "rb") as memory:
            memory.seek(low)
            return memory.read(high - low)

    def test_work(self):
        """Calls of a piece of work that begins and ends meanwhile; what comes before and after is in nothing."""
        target = self.start_target(SUBJECT, "wait")
        before, code = self.ask(target, 200), self.code(target)
        for _ in range(3):
            watcher = self.attach(target)
            self.assertNotEqual(self.code(target), code)
            self.assertEqual(self.ask(target, 200), before)
            functions = self.finish(watcher)
            self.calls(functions, calls=1, ten_leaves=200, jumps=200, leaf=2200)
            self.assertEqual(functions["leaf"]["timed"], 2200)
            self.assertEqual(self.code(target), code)
            self.assertEqual(self.ask(target, 200), before)
        target.stdin.close()
        self.assertEqual(target.wait(60), 0)

    def test_busy(self):
        """Again and again into threads that are in these functions all the time."""
        target = self.start_target(SUBJECT, "busy")
        code, seen, cycle, end = self.code(target), 0, 0, time.monotonic() + 120
        # Where the machine has much else to do, no thread may run in so short a time.
        while cycle < CYCLES or (not seen and time.monotonic() < end):
            cycle += 1
            options = ["-t", "0.05" if cycle <= CYCLES else "2", *(["--calls"] if cycle % 2 else [])]
            result = self.run_it(*options, "--json", "-o", self.path("report"),
                                 *patterns(("*", "malloc", "free", "libc.so.6!*alloc*", "libc.so.6!*free*")),
                                 "-p", str(target.pid))
            if b"try again" in result.stderr:
                continue
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            functions = self.read(self.path("report"))
            seen += functions["leaf"]["calls"] > 0 and functions["malloc"]["calls"] > 0
        self.assertGreater(seen, 0)
        self.assertEqual(target.communicate(b"end\n", timeout=60)[0], b"good\n")
        self.assertEqual(target.returncode, 0)
        self.assertGreater(len(code), 0)

    def threads_of(self, target, functions):
        for function in functions.values():
            for thread in function["threads"] if function["way"] else ():
                self.assertEqual((thread["pid"], thread["tid"]), (target.pid, target.pid))

    def test_children(self):
        """Children by vfork() and posix_spawn() are the thread that has made them until they execute a program."""
        target = self.start_target(SUBJECT, "wait-children")
        before, code = self.ask(target, 20), self.code(target)
        for cycle in range(3):
            watcher = self.attach(target, *(["--calls"] if cycle == 1 else []),
                                  names=("leaf", "ten_leaves", "*_child", "vfork_*", "libc.so.6!*spawn*"))
            self.assertEqual(self.ask(target, 20), before)
            functions = self.finish(watcher)
            self.calls(functions, vfork_in_a_function=20, ten_leaves=20, end_child=20, leaf=240)
            self.threads_of(target, functions)
            if cycle != 1:
                self.assertEqual(functions["vfork_in_a_function"]["timed"], 20)
                self.assertGreaterEqual(functions["end_child"]["left"], 20)
            self.assertEqual(self.code(target), code)

    def test_children_first(self):
        """A child that is the first to call a function is not taken for its parent's thread."""
        target = self.start_target(SUBJECT, "wait-children")
        before = self.ask(target, 1)
        watcher = self.attach(target, names=("leaf",))
        self.assertEqual(self.ask(target, 1), before)
        self.ask(target, 10)
        functions = self.finish(watcher, unseen=11)
        self.calls(functions, leaf=121)
        self.threads_of(target, functions)

    def test_child_that_stays(self):
        """While a child has the memory no probe is put in or out, for it may be anywhere."""
        target = self.start_target(SUBJECT, "wait-child")
        code = self.code(target)
        for _ in range(2):
            self.assertEqual(self.ask(target, 10), b"stays\n")
            result = self.run_it("-t", "0.1", "-f", "leaf", "-p", str(target.pid))
            self.assertEqual(result.returncode, 125)
            self.assertIn(b"a child of it runs in the same memory", result.stderr)
            self.assertEqual(self.code(target), code)
            self.assertEqual(self.ask(target, 0), b"445\n")
            watcher = self.attach(target, names=("leaf",))
            self.assertNotEqual(self.code(target), code)
            self.finish(watcher)
            self.assertEqual(self.code(target), code)

    def test_handler(self):
        """A signal has interrupted a thread where the jump would be, and its handler will return there."""
        target = self.start_target(SUBJECT, "wait-fault")
        self.assertEqual(self.ask(target, 123), b"inside\n")
        result = self.run_it("-t", "0.1", "-f", "slow_load", "-p", str(target.pid))
        if os.uname().machine == "aarch64":
            # A jump is one instruction, and nobody is inside one.
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(b"1 more was probed, and not called", result.stderr)
        else:
            self.assertEqual(result.returncode, 125)
            self.assertIn(b"at the entry of one of the functions", result.stderr)
        self.assertEqual(self.ask(target, 0), b"123\n")
        watcher = self.attach(target, names=("slow_load",))
        self.assertEqual(self.ask(target, 321), b"inside\n")
        self.assertEqual(self.ask(target, 0), b"321\n")
        self.calls(self.finish(watcher), slow_load=1)

    def test_child_by_vfork_that_stays(self):
        """Its parent waits for it in the kernel, and does not stop."""
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        # Whatever happens, the child does not stay.
        self.addCleanup(lambda: os.close(os.open(pipe, os.O_RDWR)))
        target = self.start_target(sys.executable, "-c",
                                   "import os, sys\nprint('ready', flush=True)\nsys.stdin.readline()\n"
                                   "child = os.posix_spawn('/bin/true', ['true'], {}, file_actions=[\n"
                                   f"    (os.POSIX_SPAWN_OPEN, 0, {pipe!r}, os.O_RDONLY, 0)])\n"
                                   "print(os.waitpid(child, 0)[1], flush=True)\nsys.stdin.readline()\n")
        watcher = self.attach(target, names=("libc.so.6!malloc",))
        target.stdin.write(b"\n")
        target.stdin.flush()
        # It may wait in the kernel for other things, too.
        self.wait_until(lambda: self.children(target) and self.state(target) == "D",
                        "the program to wait for its child")
        watcher.send_signal(signal.SIGINT)
        errors = watcher.communicate(timeout=120)[1]
        self.assertEqual(watcher.returncode, 125)
        self.assertIn(b"the probes are still in process", errors)
        self.assertIn(b"waits in the kernel and does not stop", errors)
        os.close(os.open(pipe, os.O_WRONLY))
        self.assertEqual(target.stdout.readline(), b"0\n")
        self.finish(self.attach(target, names=("libc.so.6!malloc",)))
        self.assertEqual(target.communicate(b"\n", timeout=60)[0], b"")
        self.assertEqual(target.returncode, 0)

    @staticmethod
    def children(target):
        with open(f"/proc/{target.pid}/task/{target.pid}/children", encoding="utf-8") as file:
            return file.read().split()

    @staticmethod
    def state(target):
        with open(f"/proc/{target.pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0]

    def test_libraries(self):
        """There is room for trampolines near all, though only the heap is below the first library."""
        target = self.start_target(SUBJECT, "wait")
        self.ask(target, 1)
        watcher = self.attach(target, names=("libc!fgets", "leaf"))
        self.ask(target, 10)
        functions = self.finish(watcher)
        self.calls(functions, leaf=110)
        gets = [function for name, function in functions.items() if name.endswith("fgets")]
        self.assertEqual([function["way"] for function in gets], ["patch"])

    def test_killed(self):
        """A papi_probe that is killed leaves probes behind; the next one takes them out."""
        target = self.start_target(SUBJECT, "wait")
        before, code = self.ask(target, 50), self.code(target)
        watcher = self.attach(target)
        watcher.kill()
        watcher.wait()
        self.assertEqual(self.ask(target, 50), before)
        watcher = self.attach(target, names=("leaf",))
        self.assertEqual(self.ask(target, 50), before)
        self.calls(self.finish(watcher), leaf=550)
        self.assertEqual(self.code(target), code)

    def test_two(self):
        target = self.start_target(SUBJECT, "wait")
        watcher = self.attach(target)
        result = self.run_it("-t", "0.1", "-f", "leaf", "-p", str(target.pid))
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"one at a time", result.stderr)
        self.ask(target, 10)
        self.calls(self.finish(watcher), leaf=110)

    def test_it_ends(self):
        target = self.start_target(SUBJECT, "wait")
        watcher = self.attach(target)
        self.ask(target, 10)
        target.stdin.close()
        self.assertEqual(target.wait(60), 0)
        self.calls(self.finish(watcher, interrupt=False), leaf=110)

    @staticmethod
    def has(target):
        return set(os.listdir(f"/proc/{target.pid}/fd")), len(os.listdir(f"/proc/{target.pid}/task"))

    def test_nothing_is_left(self):
        """No thread and no descriptor, once what was there has ended."""
        target = self.start_target(SUBJECT, "wait")
        before = self.has(target)
        self.assertEqual(before[1], 1)
        self.finish(self.attach(target))
        self.wait_until(lambda: self.has(target) == before, "everything to be given back")

    def test_events(self):
        """Counters that its threads have opened are closed in the end."""
        target = self.start_target(SUBJECT, "wait")
        before = self.has(target)
        watcher = self.attach(target, "-e", "perf::PAGE-FAULTS", names=("touches",))
        self.ask(target, 10)
        functions = self.finish(watcher)
        self.assertEqual(functions["touches"]["unread"], 0)
        self.wait_until(lambda: self.has(target) == before, "descriptors to be closed")
        self.assertEqual(len(self.ask(target, 10)) > 1, True)

    def test_refused(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        for pid, says in ((gone.pid, b"process"), (os.getpid(), b"")):
            if pid == os.getpid():
                continue
            result = self.run_it("-t", "0.1", "-p", str(pid))
            self.assertEqual(result.returncode, 125)
            self.assertIn(says, result.stderr)
        if shutil.which("sleep"):
            target = subprocess.Popen(["sleep", "60"])
            self.addCleanup(self.end, target)
            target.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, target.pid, os.WSTOPPED | os.WNOWAIT)
            result = self.run_it("-t", "0.1", "-p", str(target.pid))
            self.assertEqual(result.returncode, 125)
            self.assertIn(b"kill -CONT", result.stderr)


if __name__ == "__main__":
    main()
