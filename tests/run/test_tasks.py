# SPDX-License-Identifier: BSD-3-Clause
"""papi_run --per-thread and --per-process: the parts are all there, add up to the total, and have names."""
import csv
import os
import re
import subprocess
import unittest

from run_harness import COLUMNS, events_of, HELPERS, main, PAGE_FAULTS, PYTHON, RunTest, TOUCHER

LOOPER = os.path.join(HELPERS, "looper")
VIRTUAL = {**os.environ, "PAPI_VPMU": "always"}
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

    def test_kernel_events_are_not_told_apart(self):
        report, tasks = self.tasks("--per-thread", "-e", f"PAPI_TOT_INS,{PAGE_FAULTS}", TOUCHER, "100", "s")
        self.assertEqual(list(tasks[0]["counts"]), ["PAPI_TOT_INS"])
        self.assertGreaterEqual(events_of(report)[PAGE_FAULTS]["count"], 100)

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
        self.assertEqual(len({task["tid"] for task in report["tasks"]}), len(report["tasks"]))
        self.assertGreaterEqual(len(report["tasks"]), 2)


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
        self.refused("--per-thread keeps virtual events apart, and none is counted", "--per-thread", "-e", PAGE_FAULTS)
        self.refused("--per-process keeps", "--per-process", env={**os.environ, "PAPI_VPMU": "off"})

    def test_columns(self):
        self.refused("have each their own columns", "--per-process", "-I", "10", "--format", "csv", env=VIRTUAL)


if __name__ == "__main__":
    main()
