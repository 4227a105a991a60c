# SPDX-License-Identifier: BSD-3-Clause
"""papi_run -p: a process that runs already, with all its threads, from outside."""
import os
import resource
import signal
import subprocess
import threading

from run_harness import events_of, fixed_addresses, main, PAGE_FAULTS, PYTHON, REFUSE, RunTest, TASK_CLOCK, TOUCHER

FIXED = fixed_addresses()


class Watch(RunTest):
    def setUp(self):
        super().setUp()
        self.last = 0

    def watch(self, target, *options, prefix=()):
        self.last += 1
        path = self.path(f"report{self.last}")
        watcher = self.start("--format", "json", "-o", path, *options, "-p", str(target.pid), prefix=prefix)
        watcher.report_path = path
        self.wait_until_watching(watcher)
        return watcher

    def finish(self, watcher):
        output, errors = watcher.communicate(timeout=60)
        self.assertEqual((watcher.returncode, output, errors), (0, b"", b""))
        return self.read_json(watcher.report_path)

    def faults(self, pages, plan, waiters, prefix=()):
        target = self.start_target(*FIXED, TOUCHER, f"{pages:06}", plan, str(waiters))
        watcher = self.watch(target, "-e", PAGE_FAULTS, prefix=prefix)
        target.communicate(b"go\n", timeout=60)
        report = self.finish(watcher)
        self.assertEqual((report["pid"], report["exit_status"], report["user_s"]), (target.pid, None, None))
        self.assertIn(TOUCHER, report["command"])
        self.assertEqual(report["notes"], [])
        return report["events"][0]["count"]

    def assert_exact(self, plan, waiters, touched_by, prefix=()):
        """Two targets that differ in the pages they touch differ so in faults, by the least of a few runs: two threads
        that touch one page at the same moment have a fault each, and a kernel that reclaims memory adds some."""
        if FIXED is None:
            self.skipTest("setarch -R cannot switch off address space randomization here")
        few, many = [], []
        while len(few) < 8:
            few.append(self.faults(1000, plan, waiters, prefix))
            many.append(self.faults(3000, plan, waiters, prefix))
            if min(many) - min(few) == 2000 * touched_by:
                return
        self.fail(f"{many} less {few} is not {2000 * touched_by}")

    def test_one_thread(self):
        self.assert_exact("s", 0, 1)

    def test_threads_that_run_already(self):
        self.assert_exact("", 5, 5)

    def test_threads_and_children_that_come_later(self):
        self.assert_exact("sctg", 3, 7)

    def test_without_pidfd_open(self):
        self.assert_exact("s", 2, 3, prefix=[REFUSE, "pidfd_open"])

    def test_two_watch_the_same_process(self):
        target = self.start_target(TOUCHER, "2000", "st", "2")
        watchers = [self.watch(target, "-e", f"{PAGE_FAULTS},{TASK_CLOCK}") for _ in range(2)]
        target.communicate(b"go\n", timeout=60)
        counts = [events_of(self.finish(watcher))[PAGE_FAULTS]["count"] for watcher in watchers]
        self.assertEqual(counts[0], counts[1])
        self.assertGreaterEqual(counts[0], 8000)

    def test_default_events(self):
        target = self.start_target(TOUCHER, "500", "s", "1")
        watcher = self.watch(target)
        target.communicate(b"go\n", timeout=60)
        events = events_of(self.finish(watcher))
        self.assertGreaterEqual(events[PAGE_FAULTS]["count"], 1000)
        self.assertIsNone(events[TASK_CLOCK]["error"])

    def test_ctrl_c_ends_the_watch_and_not_the_process(self):
        target = self.start_target(TOUCHER, "500", "s", "1")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
            watcher = self.watch(target, "-e", f"{PAGE_FAULTS},{TASK_CLOCK}")
            os.kill(watcher.pid, number)
            report = self.finish(watcher)
            # Nothing has run: that is a count of 0, and exact.
            event = events_of(report)[PAGE_FAULTS]
            self.assertEqual((event["count"], event["share"], event["kind"]), (0, 1, "exact"))
            self.assertIsNone(target.poll())
        self.assertEqual(target.communicate(b"go\n", timeout=60), (b"", None))
        self.assertEqual(target.returncode, 0)

    def test_text(self):
        target = self.start_target(TOUCHER, "500", "s", "1")
        watcher = self.start("-e", PAGE_FAULTS, "-p", str(target.pid))
        self.wait_until_watching(watcher)
        target.communicate(b"go\n", timeout=60)
        errors = watcher.communicate(timeout=60)[1].decode()
        self.assertEqual(watcher.returncode, 0)
        self.assertIn(f"\npapi_run: {TOUCHER} 500 s 1"[:70], errors)
        self.assertIn(f"\nwatched process {target.pid}\n", errors)
        self.assertNotIn("system", errors)

    def test_program_that_starts_threads_all_the_time(self):
        program = ("import sys, threading\n"
                   "stop = threading.Event()\n"
                   "def start():\n"
                   "    while not stop.is_set():\n"
                   "        thread = threading.Thread(target=lambda: None)\n"
                   "        thread.start()\n"
                   "        thread.join()\n"
                   "threads = [threading.Thread(target=start) for _ in range(2)]\n"
                   "[thread.start() for thread in threads]\n"
                   "print('ready', flush=True)\n"
                   "sys.stdin.readline()\n"
                   "stop.set()\n")
        target = self.start_target(PYTHON, "-c", program)
        watcher = self.watch(target, "-e", f"{TASK_CLOCK},{PAGE_FAULTS}")
        target.communicate(b"go\n", timeout=60)
        events = events_of(self.finish(watcher))
        self.assertGreater(events[TASK_CLOCK]["count"], 0)
        self.assertIsNone(events[PAGE_FAULTS]["error"])


class Refused(RunTest):
    def assert_refused(self, pid, *words):
        result = self.run_it("-e", PAGE_FAULTS, "-p", str(pid))
        self.assertEqual((result.returncode, result.stdout), (125, b""))
        for word in words:
            self.assertIn(word, result.stderr.decode())

    def test_no_such_process(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.assert_refused(gone.pid, f"cannot watch process {gone.pid}: there is no such process")

    def test_zombie(self):
        zombie = subprocess.Popen(["true"])
        self.addCleanup(zombie.wait)
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        self.assert_refused(zombie.pid, f"cannot watch process {zombie.pid}: it has ended already")

    def test_thread(self):
        ready, end = threading.Event(), threading.Event()

        def wait():
            ready.set()
            end.wait()

        thread = threading.Thread(target=wait)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(end.set)
        ready.wait()
        self.assert_refused(thread.native_id, f"it is a thread of process {os.getpid()}", f"-p {os.getpid()}")

    def test_too_few_descriptors_for_all_threads(self):
        # A sum over some of the threads would look like a count.
        target = self.start_target(TOUCHER, "10", "s", "40")
        limit = (30, 30)
        result = self.run_it("-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "-p", str(target.pid),
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit))
        self.assertEqual((result.returncode, result.stdout), (125, b""), result.stderr)
        self.assertRegex(result.stderr, rb"^papi_run: cannot watch process \d+: .*30 files open.*ulimit -n")

    def test_no_event_can_be_counted(self):
        result = self.run_it("--best-effort", "-e", "perf::NO-SUCH-EVENT", "-p", str(os.getpid()))
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"cannot watch process ", result.stderr)
        self.assertIn(b"NO-SUCH-EVENT", result.stderr)


if __name__ == "__main__":
    main()
