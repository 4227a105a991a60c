# SPDX-License-Identifier: BSD-3-Clause
"""papi_run -I: intervals add up to the totals, are told while the program runs, and come in three forms."""
import csv
import json
import os
import re
import signal
import subprocess

from run_harness import COLUMNS, events_of, HELPERS, KEYS, main, PAGE_FAULTS, RunTest, TASK_CLOCK, TOUCHER

LOOPER = os.path.join(HELPERS, "looper")
EVENT_KEYS = ["begin_s", "end_s", "event", "count", "unit", "share", "rate", "kind"]
METRIC_KEYS = ["begin_s", "end_s", "group", "metric", "value", "unit"]
VIRTUAL = {**os.environ, "PAPI_VPMU": "always"}


def is_virtual():
    """Whether programs can be counted by translation here."""
    return RunTest().run_it("-e", "vpmu:::INSTRUCTIONS", "true", env=VIRTUAL).returncode == 0


class Intervals(RunTest):
    def setUp(self):
        super().setUp()
        self.path_of_report = self.path("lines")

    def lines(self):
        """What has been told by now: intervals, and then the report; whole lines only."""
        if not os.path.exists(self.path_of_report):
            return []
        with open(self.path_of_report, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def check(self, lines):
        """The intervals of each event follow each other without a gap, and add up; the report is the last line."""
        report = lines.pop()
        self.assertEqual(list(report), KEYS)
        slices = [line for line in lines if "event" in line]
        for line in lines:
            self.assertEqual(list(line), EVENT_KEYS if "event" in line else METRIC_KEYS)
        times = sorted({(line["begin_s"], line["end_s"]) for line in lines})
        self.assertEqual(times[0][0], 0)
        self.assertEqual([end for _, end in times[:-1]], [begin for begin, _ in times[1:]])
        self.assertAlmostEqual(times[-1][1], report["elapsed_s"], delta=report["elapsed_s"] * 1e-6)
        for event in report["events"]:
            counts = [line["count"] for line in slices if line["event"] == event["name"]]
            self.assertEqual(len(counts), len(times))
            self.assertEqual(sum(counts), event["count"], event["name"])
            if event["kind"] == "exact":
                self.assertGreaterEqual(min(counts), 0, event["name"])
        return report, slices

    def await_lines(self, number):
        self.wait_until(lambda: len(self.lines()) >= number, f"{number} lines")

    def begin(self, *arguments, **how):
        return self.start("-I", "10", "--format", "json", "-o", self.path_of_report, *arguments, **how)

    def finish(self, process, status=0):
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (status, b""), output)
        return self.check(self.lines())

    def test_while_it_runs(self):
        process = self.begin("-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "sh", "-c",
                             f"read x; {TOUCHER} 500 s; read x; exit 0", stdin=subprocess.PIPE)
        self.await_lines(6)
        self.assertEqual([line["event"] for line in self.lines()][:4], 2 * [PAGE_FAULTS, TASK_CLOCK])
        process.stdin.write(b"go\n")
        process.stdin.flush()
        self.wait_until(lambda: sum(line["count"] for line in self.lines() if line.get("event") == PAGE_FAULTS) >= 500,
                        "page faults in an interval")
        seen = len(self.lines())
        self.await_lines(seen + 6)
        report, slices = self.finish(process)
        self.assertGreaterEqual(events_of(report)[PAGE_FAULTS]["count"], 500)
        # While it waits nothing happens, and the report does not hide that.
        self.assertIn(0, [line["count"] for line in slices if line["event"] == PAGE_FAULTS])

    def test_virtual(self):
        """Threads, forks, and programs one after the other: counts move between tables, and none is told twice."""
        if not is_virtual():
            self.skipTest("nothing is counted by translation here")
        process = self.begin("-e", "PAPI_TOT_INS,PAPI_BR_INS,PAPI_L1_DCM", "sh", "-c",
                             f"read x; {LOOPER} stfqvx 300000; {LOOPER} tttt 300000; read x; exit 3", env=VIRTUAL,
                             stdin=subprocess.PIPE)
        self.await_lines(3)
        process.stdin.write(b"go\n")
        process.stdin.flush()
        self.wait_until(lambda: sum(line["count"] for line in self.lines() if line.get("event") == "PAPI_TOT_INS") >=
                        5000000, "instructions in intervals")
        process.stdin.write(b"go\n")
        report, slices = self.finish(process, status=3)
        self.assertGreaterEqual(events_of(report)["PAPI_TOT_INS"]["count"], 10 * 600000)
        self.assertEqual({line["rate"] for line in slices}, {None})
        self.assertEqual({line["kind"] for line in slices if line["event"] == "PAPI_L1_DCM"}, {"modelled"})

    def test_metrics(self):
        with open(self.path("groups.csv"), "w", encoding="utf-8") as file:
            file.write("GROUP,g,x\nMETRIC,twice,fault,2 * N0,perf::PAGE-FAULTS\n"
                       "METRIC,rate,fault/s,N0 / N1,perf::PAGE-FAULTS,seconds\nMETRIC,gone,1,N0,no_such_event\n"
                       "METRIC,nothing,%,N0 / (N0 - N1),perf::PAGE-FAULTS,perf::PAGE-FAULTS\n")
        process = self.begin("-g", self.path("groups.csv"), TOUCHER, "500", "s")
        process.communicate(timeout=60)
        lines = self.lines()
        self.check(list(lines))
        counts = [line["count"] for line in lines if line.get("event") == PAGE_FAULTS]
        rates = [line["rate"] for line in lines if line.get("event") == PAGE_FAULTS]
        of = {name: [line["value"] for line in lines[:-1] if line.get("metric") == name]
              for name in ("twice", "rate", "nothing", "gone")}
        self.assertEqual(of["twice"], [2 * count for count in counts])
        self.assertEqual(of["nothing"], [None] * len(counts))
        self.assertEqual(of["gone"], [])
        for rate, expected in zip(of["rate"], rates):
            self.assertAlmostEqual(rate, expected, delta=expected * 1e-6)

    def test_process_that_runs(self):
        target = self.start_target(TOUCHER, "500", "", "2")
        process = self.begin("-e", PAGE_FAULTS, "-p", str(target.pid))
        self.await_lines(2)
        target.communicate(b"go\n", timeout=60)
        report, _ = self.finish(process)
        self.assertGreaterEqual(events_of(report)[PAGE_FAULTS]["count"], 1000)

    def test_watch_that_is_ended(self):
        target = self.start_target(TOUCHER, "500", "", "2")
        process = self.begin("-e", TASK_CLOCK, "-p", str(target.pid))
        self.await_lines(3)
        process.send_signal(signal.SIGINT)
        self.finish(process)
        target.communicate(b"go\n", timeout=60)

    def test_longer_than_the_program(self):
        result = self.run_it("-I", "3600000", "--format", "json", "-e", PAGE_FAULTS, TOUCHER, "100", "s")
        lines = [json.loads(line) for line in result.stderr.decode().splitlines()]
        self.assertEqual(len(lines), 2)
        self.check(lines)

    def test_csv(self):
        result = self.run_it("-I", "1", "--format", "csv", "-g", "system", "-e", PAGE_FAULTS, "sh", "-c",
                             f"{TOUCHER} 100 s; sleep 0.05")
        rows = list(csv.reader(result.stderr.decode().splitlines(), strict=True))
        self.assertEqual(rows[0], ["begin_s", "end_s"] + COLUMNS)
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        total = [row for row in rows[1:] if row[2] == PAGE_FAULTS and not row[0]]
        parts = [row for row in rows[1:] if row[2] == PAGE_FAULTS and row[0]]
        self.assertEqual(len(total), 1)
        self.assertEqual(sum(int(row[3]) for row in parts), int(total[0][3]))
        self.assertGreater(len([row for row in rows if row[2].startswith("system:") and row[0]]), 0)
        self.assertEqual([row[:3] for row in rows if row[2] == "elapsed"], [["", "", "elapsed"]])

    def test_text(self):
        result = self.run_it("-I", "5", "-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "sh", "-c", f"{TOUCHER} 100 s; sleep 0.05")
        text = result.stderr.decode()
        intervals, report = text.split("\npapi_run: ")
        self.assertRegex(intervals, r"^ +Time +Event +In the interval\n +0\.\d{3} s  perf::PAGE-FAULTS +[\d,]+\n")
        self.assertRegex(intervals, r"\n +0\.\d{3} s  perf::TASK-CLOCK +[\d.]+ ms\n")
        told = [int(number.replace(",", "")) for number in re.findall(r"PAGE-FAULTS +([\d,]+)", intervals)]
        total = int(re.search(r"PAGE-FAULTS +([\d,]+)", report)[1].replace(",", ""))
        self.assertEqual(sum(told), total)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)

    def test_event_that_is_not_counted(self):
        result = self.run_it("-I", "5", "--format", "json", "--best-effort", "-e", f"no_such_event,{PAGE_FAULTS}",
                             TOUCHER, "1", "s")
        first = json.loads(result.stderr.decode().splitlines()[0])
        self.assertEqual((first["event"], first["count"], first["kind"]), ("no_such_event", None, None))


class Refused(RunTest):
    def refused(self, words, *arguments):
        result = self.run_it(*arguments, "touch", self.path("ran"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(words, result.stderr.decode())
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_numbers(self):
        for wrong in ("0", "-1", "3600001", "99999999999999999999", "1.5", "10ms", "", "x"):
            self.refused("-I", "-I", wrong, "-e", PAGE_FAULTS)

    def test_several_runs(self):
        self.refused("-I tells of one run: leave out -r", "-I", "10", "-r", "2", "-e", PAGE_FAULTS)
        self.refused("-I tells of one run: leave out --passes", "-I", "10", "--passes", "-g", "system")

    def test_full_disk(self):
        result = self.run_it("-I", "5", "-o", "/dev/full", "-e", PAGE_FAULTS, "sh", "-c", "sleep 0.05; echo out")
        self.assertEqual((result.returncode, result.stdout), (125, b"out\n"))
        self.assertIn(b"cannot write the report to /dev/full: No space left on device", result.stderr)


if __name__ == "__main__":
    main()
