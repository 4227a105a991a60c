# SPDX-License-Identifier: BSD-3-Clause
"""papi_run -p with virtual events: an agent comes into a process that runs already, counts it exactly, and leaves."""
import os
import signal
import subprocess
import unittest

from harness import waits_in
from run_harness import events_of, HELPERS, main, PAPI_RUN, PYTHON, REFUSE, RunTest

BUSY = os.path.join(HELPERS, "busy")
LOOPER = os.path.join(HELPERS, "looper")
STATIC = os.path.join(HELPERS, "looper_static")
WORKER = os.path.join(HELPERS, "worker")
EXACT = ("PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_INS")
MODELLED = ("PAPI_L1_DCM", "PAPI_BR_MSP", "PAPI_TOT_INS")


def setUpModule():
    """Whether this machine and this papi_run can do it; if not, the reason."""
    os.environ["PAPI_VPMU"] = "always"
    target = subprocess.Popen(["sleep", "1"])
    result = subprocess.run([PAPI_RUN, "-e", "PAPI_TOT_INS", "-p", str(target.pid)], stderr=subprocess.PIPE,
                            check=False, timeout=60)
    target.wait()
    for reason in (b"component vpmu is disabled", b"is not here", b"without libdw", b"may not be traced",
                   b"cannot be stopped (ptrace)"):
        if reason in result.stderr:
            raise unittest.SkipTest(" ".join(result.stderr.decode().split()))


def name_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


class AttachTest(RunTest):
    def attach(self, pid, *options, events=EXACT):
        """A papi_run that counts the process by now: it waits in poll(), which it calls for nothing else."""
        watcher = self.start("-e", ",".join(events), "--format", "json", "-o", self.path("report"), *options, "-p",
                             str(pid))
        self.wait_until(lambda: watcher.poll() is not None or waits_in(watcher.pid, "poll", "ppoll"),
                        "papi_run to count")
        return watcher

    @staticmethod
    def words_of(pid):
        """What stands in /proc/PID/stat, from the state on."""
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()

    def sleeps(self, pid):
        return self.words_of(pid)[0] == "S"

    def wait_for_threads(self, pid, number):
        """As many as it has by itself: the agent's own ends after the tool that it has worked for."""
        self.wait_until(lambda: len(os.listdir(f"/proc/{pid}/task")) == number, "the agent to go")

    def finish(self, watcher, status=0, interrupt=True):
        if interrupt:
            watcher.send_signal(signal.SIGINT)
        output, errors = watcher.communicate(timeout=60)
        self.assertEqual((watcher.returncode, output), (status, b""), errors)
        return self.read_json(self.path("report"))

    def counts(self, report):
        self.assertEqual([event["error"] for event in report["events"]], [None] * len(report["events"]))
        return [event["count"] for event in report["events"]]

    @staticmethod
    def ask(target, number):
        target.stdin.write(b"%d\n" % number)
        target.stdin.flush()
        return target.stdout.readline().decode().split()


class Exact(AttachTest):
    def from_within(self, numbers):
        target = self.start_target(WORKER, *EXACT)
        return [[int(count) for count in self.ask(target, number)] for number in numbers]

    def from_outside(self, target, numbers):
        for number in numbers:
            watcher = self.attach(target.pid)
            self.assertEqual(self.ask(target, number), ["done"])
            self.wait_until(lambda: self.sleeps(target.pid), "the program to wait again")
            report = self.finish(watcher)
            self.assertTrue(report["processes"]["complete"])
            self.assertTrue(report["slowed_by_counting"])
            self.assertRegex(report["notes"][0], r"^virtual events are counted from \d+\.\d s after the process began$")
            self.assertEqual([event["kind"] for event in report["events"]], ["exact"] * len(EXACT))
            yield self.counts(report)

    def test_work(self):
        """Work counted from outside is that counted from within, to the unit: both begin and end somewhere else, so
        it is the differences that are the same."""
        numbers = (1001, 1002, 2000, 5000)  # of as many digits, for each is read
        within = self.from_within((1, *numbers))[1:]
        target = self.start_target(WORKER)
        # What is called for the first time is bound; and from the first visit on libc takes the program for one with
        # threads, whose read() and write() can be cancelled.
        self.ask(target, 1)
        self.finish(self.attach(target.pid))
        self.ask(target, 1)
        outside = list(self.from_outside(target, numbers))
        for few, many in ((0, 1), (1, 2), (2, 3)):
            self.assertEqual([b - a for a, b in zip(outside[few], outside[many])],
                             [b - a for a, b in zip(within[few], within[many])])
        target.stdin.close()
        self.assertEqual(target.wait(60), 0)

    def test_nothing(self):
        target = self.start_target(WORKER)
        self.wait_until(lambda: self.sleeps(target.pid), "the program to wait")
        self.assertEqual(self.counts(self.finish(self.attach(target.pid))), [0, 0, 0, 0])
        self.assertEqual(self.ask(target, 10), ["done"])

    def test_modelled(self):
        target = self.start_target(WORKER)
        watcher = self.attach(target.pid, events=MODELLED)
        self.ask(target, 1000)
        counts = self.counts(self.finish(watcher))
        self.assertGreater(counts[1], 100)
        self.assertGreater(counts[2], 500000)
        self.assertLess(counts[0], counts[2])


class Comes(AttachTest):
    def test_threads_and_what_they_make(self):
        program = ("import threading, sys\n"
                   "def work(n):\n"
                   "    for i in range(n): pass\n"
                   "def spawn():\n"
                   "    go.wait()\n"
                   "    t = [threading.Thread(target=work, args=(200000,)) for _ in range(3)]\n"
                   "    [x.start() for x in t]; [x.join() for x in t]\n"
                   "go = threading.Event()\n"
                   "t = threading.Thread(target=spawn); t.start()\n"
                   "print('ready', flush=True); sys.stdin.readline(); go.set(); t.join()\n"
                   "print('end', flush=True)\n")
        target = self.start_target(PYTHON, "-c", program)
        watcher = self.attach(target.pid)
        self.assertEqual(target.communicate(b"go\n", timeout=60)[0], b"end\n")
        report = self.finish(watcher, interrupt=False)
        # At least a dozen instructions for each turn of each thread.
        self.assertGreater(self.counts(report)[0], 3 * 200000 * 12)
        self.assertEqual(target.returncode, 0)

    def test_leaves_nothing_behind(self):
        target = self.start_target(WORKER)
        self.finish(self.attach(target.pid))
        before, pieces = self.state_of(target.pid)
        for _ in range(5):
            self.finish(self.attach(target.pid))
        after, pieces_after = self.state_of(target.pid)
        self.assertEqual(after, before)
        # Translated code of the last visit may be there or not.
        self.assertLess(pieces_after, pieces + 5)
        self.assertEqual(len(os.listdir(f"/proc/{target.pid}/task")), 1)

    @staticmethod
    def state_of(pid):
        """What a process has: open files, handlers and masks of signals, how many pieces of memory."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            masks = [line for line in file if line.startswith(("SigBlk", "SigIgn", "SigCgt", "TracerPid", "Threads"))]
        with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
            return (masks, sorted(os.listdir(f"/proc/{pid}/fd"))), len(file.readlines())

    def test_killed_tool(self):
        """The program goes on, natively again once it runs, and can be counted anew, also when it has slept."""
        target = self.start_target(WORKER)
        for asleep, events in ((False, EXACT), (True, EXACT), (False, MODELLED)):
            watcher = self.attach(target.pid, events=events)
            watcher.kill()
            watcher.wait(60)
            if not asleep:
                self.assertEqual(self.ask(target, 100), ["done"])
            self.wait_for_threads(target.pid, 1)
            watcher = self.attach(target.pid)
            self.assertEqual(self.ask(target, 1000), ["done"])
            self.assertGreater(self.counts(self.finish(watcher))[0], 500000)

    def test_process_that_ends(self):
        target = self.start_target(WORKER)
        watcher = self.attach(target.pid)
        target.stdin.close()
        self.assertEqual(target.wait(60), 0)
        self.assertGreater(self.counts(self.finish(watcher, interrupt=False))[0], 0)

    def test_killed_process(self):
        target = self.start_target(WORKER)
        watcher = self.attach(target.pid)
        self.ask(target, 1000)
        target.kill()
        report = self.finish(watcher, interrupt=False)
        self.assertGreater(self.counts(report)[0], 500000)
        self.assertEqual(report["processes"]["killed"], 1)

    def test_children_are_missing(self):
        program = ("import os, sys\nprint('ready', flush=True)\nsys.stdin.readline()\n"
                   "child = os.fork()\nif not child: os._exit(5)\nprint(os.wait()[1] >> 8, flush=True)\n"
                   "os.execvp('cat', ['cat'])\n")
        target = self.start_target(PYTHON, "-c", program)
        watcher = self.attach(target.pid, "--require-complete")
        self.assertEqual(target.communicate(b"go\nx\n", timeout=60)[0], b"5\n")
        report = self.finish(watcher, status=123, interrupt=False)
        self.assertEqual(report["processes"]["missing"], 1)
        self.assertIn("a process that it made meanwhile is not counted", str(report["processes"]["reasons"]))
        self.assertEqual(target.returncode, 0)


    def test_another_program(self):
        target = self.start_target(PYTHON, "-c", "import os, sys\nprint('ready', flush=True)\nsys.stdin.readline()\n"
                                                 "os.execvp('sleep', ['sleep', '100'])")
        watcher = self.attach(target.pid)
        target.stdin.write(b"go\n")
        target.stdin.flush()
        self.wait_until(lambda: name_of(target.pid) == "sleep", "another program")
        report = self.finish(watcher)
        self.assertGreater(self.counts(report)[0], 1000)
        self.assertIn("it has executed another program: counted until then", report["notes"][0])


class Waits(AttachTest):
    """A thread whose child by posix_spawn() has yet to execute its program does not stop: it waits for it in the
    kernel, and the child waits for somebody to open a pipe."""

    def setUp(self):
        super().setUp()
        self.pipe = self.path("pipe")
        os.mkfifo(self.pipe)
        self.addCleanup(self.release)
        program = ("import os, sys, threading, time\n"
                   "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
                   "print('ready', flush=True)\nsys.stdin.readline()\n"
                   "child = os.posix_spawn('/bin/true', ['true'], {}, file_actions=[\n"
                   f"    (os.POSIX_SPAWN_OPEN, 0, {self.pipe!r}, os.O_RDONLY, 0)])\n"
                   "print(os.waitpid(child, 0)[1], flush=True)\n"
                   "sys.stdin.readline()\nprint(sum(range(100000)), flush=True)\nos._exit(0)\n")
        self.target = self.start_target(PYTHON, "-c", program)

    def spawn(self):
        self.target.stdin.write(b"\n")
        self.target.stdin.flush()
        self.wait_until(self.waits_for_child, "the process to wait for its child")

    def waits_for_child(self):
        return self.words_of(self.target.pid)[0] == "D"

    def release(self):
        try:
            os.close(os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            pass

    def is_native(self):
        """Whether the thread waits in a system call that libc itself has made."""
        with open(f"/proc/{self.target.pid}/syscall", encoding="ascii") as file:
            pc = file.read().split()[-1]
        with open(f"/proc/{self.target.pid}/maps", encoding="utf-8") as file:
            for line in file:
                start, end = (int(word, 16) for word in line.split()[0].split("-"))
                if pc.startswith("0x") and start <= int(pc, 16) < end:
                    return "/libc" in line
        return True

    def test_not_counted(self):
        self.spawn()
        report = self.finish(self.attach(self.target.pid))
        self.assertIn(f"thread {self.target.pid} was not counted: it waits in the kernel and does not stop",
                      report["notes"][0])
        self.release()
        self.assertEqual(self.target.communicate(b"\n", timeout=60)[0], b"0\n4999950000\n")

    def test_counted_later(self):
        self.spawn()
        watcher = self.attach(self.target.pid)
        self.release()
        self.assertEqual(self.target.stdout.readline(), b"0\n")
        self.wait_until(lambda: not self.is_native(), "the thread to be counted")
        self.assertEqual(self.target.communicate(b"\n", timeout=60)[0], b"4999950000\n")
        report = self.finish(watcher, interrupt=False)
        self.assertNotIn("was not counted", report["notes"][0])
        self.assertGreater(self.counts(report)[0], 100000 * 10)
        self.assertEqual(self.target.returncode, 0)


    def test_leaves_later(self):
        """A thread that is counted is waited for, the user is told, and the wait ends when it has left."""
        watcher = self.attach(self.target.pid)
        self.spawn()
        watcher.send_signal(signal.SIGINT)
        self.assertEqual(watcher.stderr.readline().decode(),
                         f"papi_run: process {self.target.pid}: waiting until thread {self.target.pid}, which waits in "
                         "the kernel, can go on without being counted\n")
        self.release()
        report = self.finish(watcher, interrupt=False)
        self.assertNotIn("brought back", report["notes"][0])
        self.assertEqual(self.target.communicate(b"\n", timeout=60)[0], b"0\n4999950000\n")

    def test_threads_in_the_engine(self):
        """Where that runs for them most of the time they can hardly be moved, and leave all the same."""
        target = subprocess.Popen([BUSY, "malloc", "2000000000"], stdin=subprocess.DEVNULL)
        self.addCleanup(self.end, target)
        for _ in range(3):
            report = self.finish(self.attach(target.pid, events=MODELLED))
            self.assertNotIn("brought back", report["notes"][0])
        self.assertIsNone(target.poll())


class Refused(AttachTest):
    def assert_refused(self, pid, *words, prefix=()):
        result = self.run_it("-e", "PAPI_TOT_INS", "-p", str(pid), prefix=prefix)
        self.assertEqual((result.returncode, result.stdout), (125, b""), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr.decode())

    def start_sleeper(self, *prefix):
        target = subprocess.Popen([*prefix, "sleep", "100"], stdin=subprocess.DEVNULL)
        self.addCleanup(self.end, target)
        self.wait_until(lambda: name_of(target.pid) == "sleep" and self.sleeps(target.pid), "sleep to begin")
        return target

    def test_static(self):
        if not os.path.exists(STATIC):
            self.skipTest("there is no static libc")
        target = subprocess.Popen([STATIC, "s", "1000000000000"])
        self.addCleanup(self.end, target)
        self.assert_refused(target.pid, "linked statically")

    def test_stopped(self):
        target = self.start_sleeper()
        target.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, target.pid, os.WSTOPPED | os.WNOWAIT)
        self.assert_refused(target.pid, "it is stopped", f"kill -CONT {target.pid}")

    def test_filter_of_system_calls(self):
        target = self.start_sleeper(REFUSE, "perf_event_open")
        self.assert_refused(target.pid, "seccomp", "let papi_run start it")

    def test_two_at_a_time(self):
        target = self.start_sleeper()
        watcher = self.attach(target.pid)
        self.assert_refused(target.pid, "another tool, papi_run or perfometer, counts it")
        self.assertEqual(self.counts(self.finish(watcher)), [0, 0, 0, 0])

    def test_counted_by_papi_run(self):
        runner = self.start("-e", "PAPI_TOT_INS", "sleep", "100")
        self.wait_until(lambda: self.children(runner.pid), "papi_run to start its program")
        child = int(self.children(runner.pid)[0])
        self.wait_until(lambda: name_of(child) == "sleep" and self.has_agent(child), "sleep to begin")
        self.assert_refused(child, "papi_run or perfometer has started it")
        os.kill(child, signal.SIGKILL)

    @staticmethod
    def has_agent(pid):
        with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
            return "libpapi_agent" in file.read() and waits_in(pid, "nanosleep", "clock_nanosleep")

    def test_of_another_user(self):
        if os.getuid() == 0:
            self.skipTest("root may trace everybody")
        self.assert_refused(1, "process 1: it may not be traced", "as root")

    def test_loops_go_on(self):
        """What is refused is not disturbed."""
        target = self.start_target(WORKER)
        watcher = self.attach(target.pid, events=("PAPI_TOT_INS", "perf::PAGE-FAULTS"))
        self.ask(target, 10)
        events = events_of(self.finish(watcher))
        self.assertGreater(events["PAPI_TOT_INS"]["count"], 0)


if __name__ == "__main__":
    main()
