# SPDX-License-Identifier: BSD-3-Clause
"""Regions in exact profiles: what each thread does in one is counted as the region's, and nothing twice or nowhere."""
import collections
import json
import os
import re
import signal
import subprocess

from capture_harness import CaptureTest, main, PAPI_PROFILE, symbols
from test_exact import ENVIRONMENT, setUpModule  # noqa: F401 (setUpModule is for unittest)

SUBJECT = os.environ["PAPI_PROFILE_REGIONS"]
INSTRUCTIONS = "PAPI_TOT_INS"


def of_work(*times):
    """The instructions of work() of these numbers."""
    return sum(2 * n + 1 for n in times)


class RegionTest(CaptureTest):
    NEEDS_PERMISSION = False

    def record(self, *program, options=("-e", INSTRUCTIONS), status=0):
        environment = {**ENVIRONMENT, "PAPI_OUTPUT_DIRECTORY": self.path("results"), "PAPI_REPORT": "0"}
        _, result = self.profile("-x", *options, SUBJECT, *program, status=status, env=environment)
        self.assertNotIn("incomplete", result.stderr)
        return result

    def report(self, *arguments, status=0):
        result = subprocess.run([PAPI_PROFILE, "report", *arguments], cwd=self.directory, capture_output=True,
                                text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def by(self, what, *arguments):
        """The first event's value of each name; of functions, several may have one."""
        report = json.loads(self.report("--json", "--by", what, *arguments).stdout)
        values = collections.Counter()
        for row in report["rows"]:
            values[row["name"]] += row["values"][0]["value"]
        self.assertEqual(sum(values.values()), report["events"][0]["value"])
        return values

    def work(self, region):
        """What was done of work() in a region, "" outside of all."""
        return self.by("function", "--region", region)["work"]


class Truth(RegionTest):
    def test_nested(self):
        for options in (("-e", INSTRUCTIONS), ("-e", INSTRUCTIONS, "-g", "none"),
                        ("-e", f"{INSTRUCTIONS},PAPI_L1_DCM")):
            with self.subTest(options=options):
                result = self.record("nested", options=options)
                self.assertEqual(self.work(""), of_work(1000, 50, 5000))
                self.assertEqual(self.work("outer"), of_work(2000, 4000))
                self.assertEqual(self.work("inner"), of_work(3000, 700))
                regions = self.by("region")
                self.assertEqual(set(regions), {"(outside of regions)", "outer", "inner"})
                # All of it, to the unit: what was counted, and what the regions have.
                total = int(re.search(rf"([\d,]+) {INSTRUCTIONS}", result.stderr)[1].replace(",", ""))
                self.assertEqual(sum(regions.values()), total)
                # Of a region that was only work(), a call of it and what is around: no function of the library.
                self.assertLess(regions["inner"] - of_work(3000, 700), 40)
                self.assertEqual(set(self.by("function", "--region", "inner")) - {"work_in", "begin", "end"}, {"work"})

    def test_as_often_as_signals_come(self):
        result = self.record("often", "3000")
        low, high = symbols(SUBJECT)["on_signal"]
        self.assertLess(low, high)
        # Handlers work as well, wherever they come: what is left are whole calls of work(20).
        rest = {region: self.work(region) - 3000 * of_work(n) for region, n in (("often", 10), ("also", 5))}
        rest["outside"] = self.work("")
        for region, number in rest.items():
            self.assertGreaterEqual(number, 0, region)
            self.assertEqual(number % of_work(20), 0, (region, number, result.stderr))

    def test_many(self):
        self.record("many", "150")
        regions = self.by("region")
        self.assertEqual(len(regions), 129)
        self.assertEqual(self.work("region 0"), 2 * of_work(100))
        self.assertEqual(self.work("region 126"), 2 * of_work(100))
        self.assertEqual(self.work("[other regions]"), 2 * 23 * of_work(100))

    def test_child(self):
        self.record("fork")
        self.assertEqual(self.work("parent"), of_work(500))
        self.assertEqual(self.work("child"), of_work(400))
        self.assertEqual(self.work(""), of_work(300))

    def test_killed(self):
        self.record("kill", status=128 + signal.SIGKILL)
        self.assertEqual(self.work("last"), of_work(100000))

    def test_ended_by_something_else(self):
        self.record("stop")
        self.assertEqual(self.work("within"), of_work(100))
        self.assertEqual(self.work("second"), of_work(300))
        self.assertEqual(self.work("first"), of_work(500))
        self.assertEqual(self.work(""), of_work(200, 400))


class Sampled(RegionTest):
    """Of each fault of a page one sample is taken, so numbers are known; some more faults are the library's."""
    NEEDS_PERMISSION = True
    FAULTS = "perf::PAGE-FAULTS"

    def sample(self, *program):
        environment = {**ENVIRONMENT, "PAPI_OUTPUT_DIRECTORY": self.path("results"), "PAPI_REPORT": "0",
                       "PAPI_EVENTS": "perf::CONTEXT-SWITCHES"}
        _, result = self.profile("-e", self.FAULTS, "-c", "1", SUBJECT, *program, env=environment)
        self.assertIn("(0 lost)", result.stderr)
        # Nothing stays of what the program has told.
        self.assertEqual([name for name in os.listdir(self.directory) if name.startswith("papi_profile")],
                         ["papi_profile.db"])

    def touched(self, region):
        return self.by("function", "--region", region)["touch"]

    def test_faults(self):
        self.sample("pages", "100")
        self.assertEqual(self.touched("around"), 2 * 100)
        self.assertEqual(self.touched("within"), 2 * 200)
        self.assertEqual(self.touched(""), 2 * 300)
        self.assertEqual(set(self.by("region")) - {"of the first thread"},
                         {"(outside of regions)", "around", "within"})

    def test_as_often_as_can_be(self):
        self.sample("switch", "20000")
        # The reader is not late for all of them, whatever else runs here: the last one is known.
        self.assertEqual(self.touched("three"), 20000)

    def test_another_program(self):
        self.sample("exec", SUBJECT, "pages", "50")
        self.assertEqual(self.touched("before"), 100)
        self.assertEqual(self.touched(""), 2 * 150)
        self.assertEqual(self.touched("within"), 2 * 100)


class Views(RegionTest):
    def setUp(self):
        super().setUp()
        self.record("nested")

    def run_view(self, *arguments, status=0):
        result = subprocess.run([PAPI_PROFILE, *arguments], cwd=self.directory, capture_output=True, text=True,
                                timeout=120, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def test_report(self):
        self.assertRegex(self.report("--by", "region").stdout, r"(?m)^ *\d+ +[\d.]+%  \(outside of regions\)$")
        self.assertIn("in the region inner\n", self.report("--region", "inner").stdout)
        self.assertIn("outside of regions\n", self.report("--region", "").stdout)

    def test_what_is_not_there(self):
        for region in ("innermost", "\x1b[31m"):
            error = self.report("--region", region, status=1).stderr
            self.assertIn("the profile has outer, inner", error)
            self.assertNotIn("\x1b", error)
        self.assertIn("leave out --region", self.run_view("callers", "--region", "inner", "work", status=1).stderr)

    def test_annotate_and_export(self):
        self.assertIn(f"{INSTRUCTIONS}: {of_work(3000, 700)}"[:16],
                      self.run_view("annotate", "--asm", "--region", "inner", "work").stdout)
        folded = self.run_view("export", "--folded", "--region", "outer").stdout
        self.assertIn(f"work {of_work(2000, 4000)}\n", folded)

    def test_page(self):
        page = self.run_view("page").stdout
        for name in ("", " in outer", " in inner", " outside of regions"):
            self.assertIn(f'"{INSTRUCTIONS}{name}"', page)
        self.assertNotIn(" in outer", self.run_view("page", "--region", "inner").stdout)

    def test_diff(self):
        self.assertIn("work", self.run_view("diff", "--region", "inner", "papi_profile.db", "papi_profile.db").stdout)


if __name__ == "__main__":
    main()
