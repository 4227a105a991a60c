# SPDX-License-Identifier: BSD-3-Clause
"""Runs papi_bench for a moment and asserts what no load of the machine can change: that every promise is measured,
that no call makes more system calls than its baseline, and how many system calls and bytes it takes. Times and ratios
are for people: papi_bench --check.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROMISES = {
    "read-4": 1.05, "start-stop-4": 1.1, "alternate": 1.05, "add-8": 1.2, "add-cleanup-8": 1.2, "real-nsec": 1.3,
    "init-time": 300000, "init-calls": 40, "heap-4": 4096, "name-to-code": 100,
    "regions-16": 200, "overflow": 1.3,
}
ONE_CALL_AT_MOST = ["read-4", "accum-4", "reset-4", "read-ts-4"]
# Rows of a difference of two times, which noise can turn around.
DIFFERENCES = ["regions-16"]
NO_CALL = ["reset-stopped-4", "read-stopped-4", "name-to-code", "code-to-name", "create-destroy"]


def bench(*arguments):
    return subprocess.run([BENCH, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500)


class Result(unittest.TestCase):
    """What a short run of everything says."""

    @classmethod
    def setUpClass(cls):
        cls.run_of_all = bench("--json", "--rounds", "3")
        cls.rows = {row["name"]: row for row in json.loads(cls.run_of_all.stdout)["rows"]}

    def row(self, name):
        """A row that has been measured; one that could not be says why, which is for this machine to answer for."""
        row = self.rows[name]
        if row["missing"]:
            self.skipTest(f"{name}: {row['missing']}")
        return row

    def calls(self, name):
        row = self.row(name)
        if row["calls"] is None:
            self.skipTest("system calls cannot be traced here")
        return row["calls"], row["baseline_calls"]

    def test_ends_well(self):
        self.assertEqual(self.run_of_all.returncode, 0, self.run_of_all.stderr)

    def test_every_promise_has_its_row_and_limit(self):
        for name, limit in PROMISES.items():
            self.assertEqual(self.rows[name]["limit"] if not self.rows[name]["missing"] else limit, limit, name)

    def test_every_row_is_a_result_or_a_reason(self):
        for name, row in self.rows.items():
            if not row["missing"]:
                if name not in DIFFERENCES:
                    self.assertGreaterEqual(row["ratio"] if row["ours"] is None else row["ours"], 0, name)
                if row["ratio"] is not None and row["ratio_low"] is not None:
                    self.assertLessEqual(row["ratio_low"], row["ratio"], name)
                    self.assertLessEqual(row["ratio"], row["ratio_high"], name)

    def test_verdicts_follow_from_the_numbers(self):
        for name, row in self.rows.items():
            if row["missing"] or row["limit"] is None:
                continue
            kept = row["ours"] < row["limit"] if row["limit_of"] == "ours" else row["ratio"] <= row["limit"]
            self.assertEqual(row["verdict"], "ok" if kept else "OVER", name)

    def test_initialization_makes_few_system_calls(self):
        self.assertLess(self.row("init-calls")["ours"], 40)

    def test_heap_of_an_event_set(self):
        self.assertLess(self.row("heap-4")["ours"], 4096)
        self.assertLess(self.row("heap-0")["ours"], self.row("heap-4")["ours"])

    def test_the_baseline_opens_the_same_events(self):
        self.assertEqual(self.row("same-events")["ours"], 0)

    def test_no_more_system_calls_than_without_the_library(self):
        for name, row in self.rows.items():
            if row["calls"] is not None:
                self.assertLessEqual(row["calls"], row["baseline_calls"], name)

    def test_one_system_call_at_most(self):
        for name in ONE_CALL_AT_MOST:
            self.assertLessEqual(self.calls(name)[0], 1, name)

    def test_start_and_stop_are_three_system_calls(self):
        self.assertEqual(self.calls("start-stop-4"), (3, 3))

    def test_no_system_call(self):
        for name in NO_CALL:
            self.assertEqual(self.calls(name)[0], 0, name)


class CommandLine(unittest.TestCase):
    """The options."""

    def test_filter_and_table(self):
        result = bench("--filter", "real-nsec", "--rounds", "5")
        head, *rows = result.stdout.splitlines()
        self.assertEqual(head.split(), ["name", "ours", "baseline", "unit", "ratio", "quartiles", "limit", "calls",
                                        "verdict"])
        self.assertEqual([row.split()[0] for row in rows], ["real-nsec"])

    def test_rows_that_are_measured_together(self):
        result = bench("--json", "--filter", "threads-8", "--rounds", "1")
        names = [row["name"] for row in json.loads(result.stdout)["rows"]]
        self.assertEqual(names, [f"threads-{2 ** i}" for i in range(7)] + ["threads-growth"])

    def test_filter_that_fits_nothing(self):
        result = bench("--filter", "no such row")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("no such row", result.stderr)

    def test_check_is_told_by_the_status(self):
        result = bench("--check", "--json", "--filter", "heap-4", "--rounds", "1")
        over = sum(row["verdict"] == "OVER" for row in json.loads(result.stdout)["rows"])
        self.assertEqual(result.returncode, 1 if over else 0)

    def test_mistakes(self):
        for arguments in (["--rounds", "0"], ["--rounds", "3x"], ["operand"], ["--unknown"]):
            result = bench(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertTrue(result.stderr.startswith("papi_bench: ") or "unrecognized" in result.stderr, result.stderr)

    def test_peer_that_is_not_there(self):
        result = bench("--json", "--peer", "/nonexistent", "--filter", "heap-0", "--rounds", "1")
        rows = {row["name"]: row for row in json.loads(result.stdout)["rows"]}
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("/nonexistent", rows["peer-heap-0"]["missing"])
        self.assertEqual(rows["heap-0"]["missing"], "")

    def test_peer(self):
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(LIBRARY, os.path.join(directory, "libpapi.so.7.0"))
            rows = self.rows_with_peer(directory)
        for name in ("read-4", "add-8", "real-nsec", "init-time", "heap-0"):
            reason = rows[name]["missing"]
            self.assertEqual(bool(rows["peer-" + name]["missing"]), bool(reason), rows["peer-" + name])
            if not reason:
                self.assertGreater(rows["peer-" + name]["ratio"], 0, name)
        self.assertNotIn("peer-alternate-kernel", rows)

    def test_peer_that_is_the_library_itself(self):
        row = self.rows_with_peer(os.path.dirname(LIBRARY), "--filter", "real-nsec")["peer-library"]
        self.assertIn("is the library under test itself", row["missing"])

    def rows_with_peer(self, directory, *arguments):
        result = bench("--json", "--rounds", "1", "--peer", directory, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {row["name"]: row for row in json.loads(result.stdout)["rows"]}


if __name__ == "__main__":
    BENCH, LIBRARY = sys.argv.pop(1), sys.argv.pop(1)
    program = unittest.main(exit=False)
    if program.result.wasSuccessful() and len(program.result.skipped) == program.result.testsRun:
        print("skipped:", program.result.skipped[0][1])
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
