# SPDX-License-Identifier: BSD-3-Clause
"""papi_run --per-thread and --per-process: the parts are all there, add up to the total, and have names."""
import csv
import json
import os
import re
import resource
import signal
import subprocess
import unittest

from run_harness import COLUMNS, events_of, HELPERS, main, PAGE_FAULTS, PYTHON, REFUSE, RunTest, TASK_CLOCK, TOUCHER

LOOPER = os.path.join(HELPERS, "looper")
VIRTUAL = {**os.environ, "PAPI_VPMU": "always"}
NATIVE = {**os.environ, "PAPI_VPMU": "off"}
EVENTS = "PAPI_TOT_INS,PAPI_BR_INS,PAPI_L1_DCM,PAPI_TOT_CYC"
# Names itself and a thread, says so, and waits for a line.
NAMED = """import ctypes, sys, threading
libc = ctypes.CDLL(None)
go = threading.Event()
def name_and_wait():
    libc.prctl(15, b"na\\x1bmed", 0, 0, 0)
    ready.set()
    go.wait()
ready = threading.Event()
thread = threading.Thread(target=name_and_wait)
thread.start()
ready.wait()
open(sys.argv[1], "w").write("ready")
sys.stdin.readline()
go.set()
thread.join()
"""


def setUpModule():
    result = RunTest().run_it("-e", "vpmu:::INSTRUCTIONS", "true", env=VIRTUAL)
    if result.returncode:
        raise unittest.SkipTest(" ".join(result.stderr.decode().split()))


class Tasks(RunTest):
    def tasks(self, *arguments, **how):
        """The report and its tasks, whose sums have been compared; which are no tasks, and what they have."""
        report = self.report(*arguments, env=VIRTUAL, **how)
        for name, event in events_of(report).items():
            if name.startswith("PAPI_"):
                self.assertEqual(sum(task["counts"][name] for task in report["tasks"]), event["count"], name)
        return report, [task for task in report["tasks"] if task["pid"]]

    def test_threads(self):
        report, tasks = self.tasks("--per-thread", "-e", EVENTS, LOOPER, "stfqvx", "300000", status=7)
        self.assertEqual(len(tasks), len(report["tasks"]), report["tasks"])
        self.assertEqual(len(tasks), 5)
        self.assertEqual(sorted(task["counts"]["PAPI_TOT_INS"] // 600000 for task in tasks), [1, 1, 1, 1, 2])
        self.assertEqual(len({task["tid"] for task in tasks}), 5)
        self.assertEqual(len({task["pid"] for task in tasks}), 4)
        self.assertEqual({task["name"] for task in tasks}, {"looper"})
        # The largest first.
        counts = [task["counts"]["PAPI_TOT_INS"] for task in tasks]
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_processes(self):
        report, tasks = self.tasks("--per-process", "-e", EVENTS, LOOPER, "stfqvkx", "300000", status=7)
        self.assertEqual(len(tasks), len(report["tasks"]))
        self.assertEqual(len({task["pid"] for task in tasks}), 5)
        self.assertEqual({task["tid"] for task in tasks}, {None})
        self.assertEqual(sorted(task["counts"]["PAPI_TOT_INS"] // 600000 for task in tasks), [1, 1, 1, 1, 3])

    def test_name_is_that_of_the_last_program(self):
        _, tasks = self.tasks("--per-process", "-e", "PAPI_TOT_INS", "sh", "-c", f"exec {LOOPER} s 300000", status=7)
        self.assertEqual([task["name"] for task in tasks], ["looper"])

    def test_killed(self):
        """What a signal ends is there."""
        report, tasks = self.tasks("--per-process", "-e", "PAPI_TOT_INS", LOOPER, "kkk", "300000", status=7)
        self.assertEqual(len(tasks), 4)
        self.assertEqual(report["processes"]["killed"], 3)
        self.assertEqual([task["counts"]["PAPI_TOT_INS"] // 600000 for task in tasks], [1, 1, 1, 0])

    def test_many(self):
        """Threads use the pages of those that have ended, which are told apart all the same."""
        _, tasks = self.tasks("--per-thread", "-e", "PAPI_TOT_INS", LOOPER, "t" * 600, "10000", status=7)
        self.assertEqual(len(tasks), 601)
        self.assertEqual({task["counts"]["PAPI_TOT_INS"] // 20000 for task in tasks[1:]}, {1})

    def test_names_of_threads(self):
        path = self.path("lines")
        process = self.start("-I", "10", "--per-thread", "-o", path, "-e", "PAPI_TOT_INS", PYTHON, "-S", "-c", NAMED,
                             self.path("ready"), env=VIRTUAL, stdin=subprocess.PIPE)
        self.wait_for_file("ready")
        before = os.path.getsize(path)
        # More than a tenth of a second by the clock of papi_run, which looks at names each time.
        self.wait_until(lambda: os.path.getsize(path) > before + 40 * 50, "intervals")
        process.communicate(b"go\n", timeout=60)
        self.assertEqual(process.returncode, 0)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # A name comes from outside: nothing of it reaches a terminal as it is.
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, r"\n +\d+ +\d+  na\S+med +[\d,]+\n")

    def test_text(self):
        result = self.run_it("--per-process", "-e", EVENTS, LOOPER, "f" * 30, "1000", env=VIRTUAL)
        text = result.stderr.decode()
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        self.assertRegex(text, r"\n     PID  Program +PAPI_TOT_INS +PAPI_BR_INS +PAPI_L1_DCM\n")
        self.assertRegex(text, r"\n     PID  Program +PAPI_TOT_CYC\n")
        table = text.split("PAPI_L1_DCM\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual(len(table), 21)
        self.assertIn(" 11 others ", table[-1])
        numbers = [int(re.findall(r"[\d,]+", line.split("looper")[-1].split("others")[-1])[0].replace(",", ""))
                   for line in table]
        total = int(re.search(r"PAPI_TOT_INS +([\d,]+)", text)[1].replace(",", ""))
        self.assertEqual(sum(numbers), total)

    def test_csv(self):
        result = self.run_it("--per-thread", "--format", "csv", "-e", EVENTS, LOOPER, "tt", "1000", env=VIRTUAL)
        rows = list(csv.reader(result.stderr.decode().splitlines(), strict=True))
        self.assertEqual(rows[0], ["pid", "tid", "name"] + COLUMNS)
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        for event in EVENTS.split(","):
            parts = [int(row[4]) for row in rows if row[3] == event and row[1]]
            total = [int(row[4]) for row in rows if row[3] == event and not row[0]]
            self.assertEqual((len(parts), [sum(parts)]), (3, total))

    def test_process_that_runs(self):
        target = self.start_target(TOUCHER, "500", "", "2")
        path = self.path("report.json")
        watcher = self.start("--per-thread", "--format", "json", "-o", path, "-e", f"PAPI_TOT_INS,{PAGE_FAULTS}", "-p",
                             str(target.pid), env=VIRTUAL)
        self.wait_until_watching(watcher)
        target.communicate(b"go\n", timeout=60)
        _, errors = watcher.communicate(timeout=60)
        if b"cannot" in errors:
            self.skipTest(errors.decode())
        report = self.read_json(path)
        total = events_of(report)["PAPI_TOT_INS"]
        if total["error"]:
            self.skipTest(total["error"])
        self.assertEqual(sum(task["counts"]["PAPI_TOT_INS"] for task in report["tasks"]), total["count"])
        self.assertEqual({task["pid"] for task in report["tasks"]}, {target.pid})
        # What the kernel counts is one sum here.
        self.assertEqual({name for task in report["tasks"] for name in task["counts"]}, {"PAPI_TOT_INS"})
        self.assertEqual(len({task["tid"] for task in report["tasks"]}), len(report["tasks"]))
        self.assertGreaterEqual(len(report["tasks"]), 2)


class Kernel(RunTest):
    """Events that the kernel counts in software: what each thread has is known when it has ended."""

    def setUp(self):
        super().setUp()
        result = self.run_it("--per-thread", "-e", PAGE_FAULTS, "true", env=NATIVE)
        if b"what the kernel counts cannot be told apart" in result.stderr:
            self.skipTest(" ".join(result.stderr.decode().split()))

    def tasks(self, *arguments, env=None, **how):
        """The report and its tasks, whose sums have been compared, with what is nobody's."""
        report = self.report(*arguments, env=env or NATIVE, **how)
        for name, event in events_of(report).items():
            self.assertEqual(sum(task["counts"][name] for task in report["tasks"]), event["count"], name)
        return report, [task for task in report["tasks"] if task["pid"]]

    def check_touchers(self, tasks, pages, touchers):
        """So many tasks have touched so many pages each, and the others few."""
        faults = sorted(task["counts"][PAGE_FAULTS] for task in tasks)
        self.assertTrue(all(pages <= one < pages + 250 for one in faults[-touchers:]), faults)
        self.assertTrue(all(one < 250 for one in faults[:-touchers]), faults)

    def test_threads(self):
        """Again and again: a kernel that exchanges the events of two threads would mix up their counts now and then.
        Beside events of several kinds that come in another order to those who inherit them."""
        for _ in range(5):
            report, tasks = self.tasks("--per-thread", "-e", f"{PAGE_FAULTS},{TASK_CLOCK},perf::CONTEXT-SWITCHES",
                                       TOUCHER, "1000", "stctgt")
            self.assertEqual(len(tasks), len(report["tasks"]), report["tasks"])
            self.assertEqual(len(tasks), 7)
            self.assertEqual(len({task["tid"] for task in tasks}), 7)
            self.assertEqual(len({task["pid"] for task in tasks}), 4)
            self.assertEqual({task["name"] for task in tasks}, {"toucher"})
            self.check_touchers(tasks, 1000, 6)
            # The program's own threads, and the children that touch.
            of_program = [task for task in tasks if task["pid"] == min(task["pid"] for task in tasks)]
            self.assertEqual(len(of_program), 4)
            self.check_touchers(of_program, 1000, 4)
            self.assertTrue(all(task["counts"][TASK_CLOCK] > 0 for task in tasks))
            counts = [task["counts"][PAGE_FAULTS] for task in tasks]
            self.assertEqual(counts, sorted(counts, reverse=True))

    def test_processes(self):
        report, tasks = self.tasks("--per-process", "-e", PAGE_FAULTS, TOUCHER, "1000", "stctgt")
        self.assertEqual((len(tasks), len(report["tasks"])), (4, 4))
        self.assertEqual({task["tid"] for task in tasks}, {None})
        self.assertEqual([task["counts"][PAGE_FAULTS] // 1000 for task in tasks], [4, 1, 1, 0])
        self.assertEqual(tasks[0]["pid"], min(task["pid"] for task in tasks))

    def test_many(self):
        """Half as many again as a ring holds, were it not emptied meanwhile. On a busy machine papi_run may come too
        late for some; and numbers of threads may come again, when the kernel has given all others."""
        number = 24000
        _, tasks = self.tasks("--per-thread", "-e", PAGE_FAULTS, LOOPER, "t" * number, "10", status=7)
        self.assertGreater(len(tasks), 0.8 * number)
        self.assertTrue(all(task["counts"][PAGE_FAULTS] < 50 for task in tasks[1:]), tasks[1])

    def test_names(self):
        """Each thread's own, also of one that nobody had the time to look at; a process has its program's."""
        program = ("import ctypes, threading; libc = ctypes.CDLL(None); "
                   "t = threading.Thread(target=lambda: libc.prctl(15, b'na\\x1bmed', 0, 0, 0)); t.start(); t.join()")
        _, tasks = self.tasks("--per-thread", "-e", PAGE_FAULTS, PYTHON, "-S", "-c", program)
        self.assertEqual(sorted("na" in task["name"] for task in tasks), [False, True], tasks)
        _, tasks = self.tasks("--per-process", "-e", PAGE_FAULTS, "sh", "-c", f"{TOUCHER} 10 s; exec {LOOPER} s 10",
                              status=7)
        self.assertEqual(sorted(task["name"] for task in tasks), ["looper", "toucher"])

    def test_still_running(self):
        """What runs when the program ends has told nothing yet: its count and the first thread's are nobody's."""
        report, tasks = self.tasks("--per-process", "-e", PAGE_FAULTS, "sh", "-c",
                                   f"{TOUCHER} 1000 s; sleep 20 >/dev/null 2>&1 & echo $! >{self.path('pid')}")
        with open(self.path("pid"), encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        self.assertEqual(report["tasks"][-1]["pid"], None)
        self.assertGreater(report["tasks"][-1]["counts"][PAGE_FAULTS], 0)
        self.assertNotIn("sleep", [task["name"] for task in tasks])
        self.assertTrue(all(task["counts"][PAGE_FAULTS] < 1250 for task in tasks), tasks)

    def test_killed(self):
        _, tasks = self.tasks("--per-process", "-e", PAGE_FAULTS, LOOPER, "kkk", "1000", status=7)
        self.assertEqual(len(tasks), 4)

    def test_intervals(self):
        result = self.run_it("-I", "20", "--per-thread", "--format", "json", "-e", PAGE_FAULTS, TOUCHER, "3000", "stct",
                             env=NATIVE)
        *lines, last = (json.loads(line) for line in result.stderr.decode().splitlines())
        total = events_of(last)[PAGE_FAULTS]["count"]
        self.assertEqual(sum(line["count"] for line in lines if line["event"] == PAGE_FAULTS), total)
        self.assertEqual(sum(task["counts"][PAGE_FAULTS] for task in last["tasks"]), total)
        self.assertEqual(len(last["tasks"]), 4)

    def test_beside_virtual_events(self):
        """One line for each thread, with both; also for a program that is out of the agent's reach."""
        _, tasks = self.tasks("--per-thread", "-e", f"PAPI_TOT_INS,{PAGE_FAULTS}", TOUCHER, "1000", "stctgt",
                              env=VIRTUAL)
        self.assertEqual(len(tasks), 7)
        self.assertEqual(len({task["tid"] for task in tasks}), 7)
        self.assertTrue(all(task["counts"]["PAPI_TOT_INS"] > 100 for task in tasks), tasks)
        for task in tasks:
            # Those that touch pages have executed more than twice as many instructions as there are pages.
            self.assertGreater(task["counts"]["PAPI_TOT_INS"], 2 * (task["counts"][PAGE_FAULTS] // 1000) * 1000)
        if not os.path.exists(LOOPER + "_static"):
            self.skipTest("no program can be linked statically here")
        _, tasks = self.tasks("--per-process", "-e", f"PAPI_TOT_INS,{PAGE_FAULTS}", "sh", "-c",
                              f"{LOOPER}_static s 100000; exit 0", env=VIRTUAL)
        self.assertEqual(len(tasks), 2)
        alone = next(task for task in tasks if task["name"] == "looper_static")
        self.assertEqual(alone["counts"]["PAPI_TOT_INS"], 0)
        self.assertGreater(alone["counts"][PAGE_FAULTS], 5)

    def test_events_of_one_sum_beside_them(self):
        """A breakpoint stays a sum, and is not in the table."""
        report = self.report("--per-thread", "--best-effort", "-e", f"{PAGE_FAULTS},mem:0x601040/8:w", "true",
                             env=NATIVE)
        self.assertEqual(list(report["tasks"][0]["counts"]), [PAGE_FAULTS])

    def test_csv(self):
        result = self.run_it("--per-thread", "--format", "csv", "-e", PAGE_FAULTS, TOUCHER, "100", "stt", env=NATIVE)
        rows = list(csv.reader(result.stderr.decode().splitlines(), strict=True))
        parts = [int(row[4]) for row in rows[1:] if row[3] == PAGE_FAULTS and row[1]]
        self.assertEqual((len(parts), [sum(parts)]),
                         (3, [int(row[4]) for row in rows if row[3] == PAGE_FAULTS and not row[0]]))

    def test_too_few_files(self):
        """Where there are none for an event on each CPU it is one sum, and a note says why."""
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
        report = self.report("--per-thread", "-e", f"{PAGE_FAULTS},{TASK_CLOCK},perf::CONTEXT-SWITCHES", "true",
                             env=NATIVE, preexec_fn=few)
        self.assertIn("is not told apart: each event takes a file for each of", " ".join(report["notes"]))
        self.assertGreater(events_of(report)[PAGE_FAULTS]["count"], 10)


class Refused(RunTest):
    def refused(self, words, *arguments, **how):
        result = self.run_it(*arguments, "touch", self.path("ran"), **how)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(words, result.stderr.decode())
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_several_runs(self):
        self.refused("tell of one run: leave out -r", "--per-thread", "-r", "2", env=VIRTUAL)
        self.refused("tell of one run: leave out --passes", "--per-process", "--passes", "-g", "branch", env=VIRTUAL)

    def test_nothing_to_tell_apart(self):
        """A breakpoint; and events of a process that runs."""
        self.refused("--per-thread keeps virtual events apart, and none is counted", "--per-thread", "-e",
                     "mem:0x601040/8:w", "--best-effort", env={**os.environ, "PAPI_VPMU": "off"})
        target = self.start_target(TOUCHER, "500", "", "2")
        result = self.run_it("--per-process", "-e", PAGE_FAULTS, "-p", str(target.pid))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"of a process that runs already, what the kernel counts is one sum", result.stderr)
        target.communicate(b"go\n", timeout=60)

    def test_a_kernel_that_does_not_tell(self):
        """Alone its events are refused, beside virtual ones they are sums, and a note says why."""
        words = "what the kernel counts cannot be told apart: it takes Linux 6.12"
        old = {"prefix": [REFUSE, "perf_event_open_on_cpus"]}
        self.refused(words, "--per-thread", "-e", PAGE_FAULTS, env=NATIVE, **old)
        report = self.report("--per-thread", "-e", f"PAPI_TOT_INS,{PAGE_FAULTS}", TOUCHER, "100", "st", env=VIRTUAL,
                             **old)
        self.assertIn(words, " ".join(report["notes"]))
        self.assertEqual({name for task in report["tasks"] for name in task["counts"]}, {"PAPI_TOT_INS"})
        self.assertGreaterEqual(events_of(report)[PAGE_FAULTS]["count"], 200)

    def test_a_kernel_that_forbids(self):
        forbidden = {"prefix": [REFUSE, "perf_event_open"]}
        self.refused("a seccomp filter refuses perf_event_open", "--per-thread", "-e", PAGE_FAULTS, env=NATIVE,
                     **forbidden)
        report = self.report("--per-thread", "-e", f"PAPI_TOT_INS,{PAGE_FAULTS}", TOUCHER, "100", "st", env=VIRTUAL,
                             **forbidden)
        self.assertEqual([note for note in report["notes"] if "told apart" in note], [])
        self.assertEqual(len(report["tasks"]), 2)

    def test_columns(self):
        self.refused("have each their own columns", "--per-process", "-I", "10", "--format", "csv", env=VIRTUAL)


if __name__ == "__main__":
    main()
