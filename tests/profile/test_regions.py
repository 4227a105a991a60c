# SPDX-License-Identifier: BSD-3-Clause
"""Regions in exact profiles: what each thread does in one is counted as the region's, and nothing twice or nowhere."""
import collections
import json
import os
import re
import signal
import sqlite3
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
                functions = {name for name, value in self.by("function", "--region", "inner").items() if value}
                self.assertEqual(functions - {"work_in", "begin", "end"}, {"work"})

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


class Calls(RegionTest):
    """Calls are those that began in a region; in what was called counts what happened in the region."""
    WAYS = ((), ("--contexts",), ("--contexts=12",))

    def rows(self, sql):
        connection = sqlite3.connect(self.path())
        found = connection.execute(sql).fetchall()
        connection.close()
        return found

    def calls(self):
        """Of functions of the subject, by region, caller and callee: calls, and instructions in them."""
        functions = symbols(SUBJECT)
        found = collections.defaultdict(lambda: (0, 0))
        for region, of_site, site, of_callee, callee, number, value in self.rows(
                """SELECT coalesce(name, ''), m.path, site.offset, n.path, callee.offset, calls, value FROM call
                   LEFT JOIN region ON region.id = region
                   JOIN address AS site ON site.id = site JOIN module AS m ON m.id = site.module
                   JOIN address AS callee ON callee.id = callee JOIN module AS n ON n.id = callee.module
                   WHERE event = 1"""):
            names = [name for path, offset in ((of_site, site), (of_callee, callee))
                     for name, (low, high) in functions.items()
                     if low <= offset < high and os.path.realpath(path) == os.path.realpath(SUBJECT)]
            if len(names) == 2:
                calls, sum_of_all = found[region, *names]
                found[region, *names] = calls + number, sum_of_all + value
        return found

    def found_in_all_ways(self, *program):
        """What is known of calls is the same with contexts, and all that happened in a region is in one of these."""
        found = []
        for way in self.WAYS:
            self.record(*program, options=("-e", f"{INSTRUCTIONS},PAPI_LD_INS", *way))
            found.append({key: values for key, values in self.calls().items() if values != (0, 0)})
            paths, counts = (self.rows(f"SELECT event, region, sum(value) FROM {table} GROUP BY 1, 2 ORDER BY 1, 2")
                             for table in ("path", "count"))
            self.assertEqual(paths, counts if way else [])
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        return found[0]

    def test_nested(self):
        self.record("nested")
        found, regions = self.calls(), self.by("region")
        self.assertEqual(found["", "nested", "work"], (2, of_work(1000, 5000)))
        self.assertEqual(found["", "thread", "work"], (1, of_work(50)))
        self.assertEqual(found["outer", "nested", "work"], (2, of_work(2000, 4000)))
        self.assertEqual(found["inner", "work_in", "work"], (2, of_work(3000, 700)))
        # A region that begins in a call, and ends there.
        pairs = (("outer", "nested"), ("", "thread"), ("inner", "nested"), ("inner", "thread"))
        self.assertEqual([found[region, caller, "work_in"][0] for region, caller in pairs], [1, 1, 0, 0])
        self.assertEqual(found["inner", "nested", "work_in"][1] + found["inner", "thread", "work_in"][1],
                         regions["inner"])
        self.assertLess(found["outer", "nested", "work_in"][1], 40)
        self.assertGreater(found["outer", "nested", "work_in"][1], 2)

    def test_recursion(self):
        found = self.found_in_all_ways("descend", "20")
        self.assertEqual(found["level", "work_in", "work"], (21, 21 * of_work(10)))
        self.assertEqual(found["around", "descend", "descend"], (20, 0))
        self.assertNotIn(("level", "descend", "descend"), found)
        self.record("descend", "20")
        self.assertEqual(self.work("level"), 21 * of_work(10))
        # All that happens there happens in the first call, which begins around it.
        self.assertEqual(self.calls()["level", "main", "descend"], (0, self.by("region")["level"]))
        self.assertEqual(self.calls()["around", "main", "descend"][0], 1)

    def test_coroutines(self):
        self.found_in_all_ways("resume")
        self.record("resume")
        found = self.calls()
        self.assertEqual(found["", "inside", "work"], (1, of_work(100)))
        self.assertEqual(found["resumed", "inside", "work"], (1, of_work(200)))
        for region, calls, work in (("", 1, 100), ("resumed", 0, 200)):
            number, value = found[region, "coroutine", "inside"]
            self.assertEqual(number, calls)
            self.assertGreaterEqual(value, of_work(work))
            self.assertLess(value, of_work(work) + 150)

    def test_many(self):
        self.found_in_all_ways("many", "150")

    def test_signals(self):
        """Handlers may come before a region's first instruction, and behind its last."""
        for way in self.WAYS:
            self.record("often", "1000", options=("-e", INSTRUCTIONS, *way))
            found = self.calls()
            for region, n in (("often", 10), ("also", 5)):
                self.assertEqual(found[region, "work_in", "work"][0], 1000)
                self.assertGreaterEqual(found[region, "work_in", "work"][1], 1000 * of_work(n))
                self.assertIn((region, "often", "work_in"), found)
                self.assertLessEqual(found[region, "often", "work_in"][1], self.by("region")[region])

    def test_views(self):
        self.record("nested", options=("-e", INSTRUCTIONS, "--contexts"))
        callers = self.view("callers", "--region", "inner", "work")
        self.assertRegex(callers, rf"(?m)^ *2 +{of_work(3000, 700)} +100.00%  work$")
        self.assertIn(f"nested;work_in;work {of_work(3000)}\n", self.view("export", "--folded", "--region", "inner"))
        self.assertRegex(self.view("tree", "--region", "outer"), rf"(?m)^ *{of_work(2000, 4000)} .*  work$")
        row = next(row for row in json.loads(self.report("--json", "--region", "inner").stdout)["rows"]
                   if row["name"] == "work_in")
        self.assertEqual(row["values"][0]["inclusive_value"], self.by("region")["inner"])
        self.assertRegex(self.view("export", "--callgrind", "--region", "inner"), r"(?m)^calls=1 ")
        # On the page the event in a region has its callers and its tree, too.
        page = json.loads(re.search(r'(?s)\{"profiles":.*?\n\]\}', self.view("page", "--no-code"))[0])["profiles"][0]
        names = [event["name"] for event in page["events"]]
        inner = names.index(f"{INSTRUCTIONS} in inner")
        self.assertIn(of_work(3000, 700), page["pairs"][inner]["value"])
        self.assertEqual(page["trees"][inner]["value"][0], self.by("region")["inner"])

    def test_of_an_older_profile(self):
        """Of which it is not known in what regions calls were."""
        self.record("nested")
        connection = sqlite3.connect(self.path())
        connection.executescript("""
            CREATE TABLE older AS SELECT thread, event, site, callee, sum(calls) AS calls, sum(value) AS value
                FROM call GROUP BY 1, 2, 3, 4;
            DROP TABLE call; ALTER TABLE older RENAME TO call; PRAGMA user_version = 4;""")
        connection.close()
        self.assertRegex(self.view("callers", "work"), rf"(?m)^ *7 +{of_work(1000, 50, 2000, 3000, 700, 4000, 5000)} ")
        self.assertEqual(self.work("inner"), of_work(3000, 700))
        self.assertIn("leave out --region", self.view("callers", "--region", "inner", "work", status=1))

    def view(self, *arguments, status=0):
        result = self.run_it(*arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout if status == 0 else result.stderr


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

    def test_of_a_process_that_runs_already(self):
        """It does not tell, and whoever asks for a region hears why there are none."""
        program = subprocess.Popen([SUBJECT, "forever"], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, text=True,
                                   env={**ENVIRONMENT, "PAPI_EVENTS": "perf::CONTEXT-SWITCHES", "PAPI_REPORT": "0",
                                        "PAPI_OUTPUT_DIRECTORY": self.path("results")})
        try:
            self.assertEqual(program.stdout.readline(), "ready\n")
            self.profile("-e", "perf::TASK-CLOCK", "-t", "0.5", "-p", str(program.pid))
        finally:
            program.kill()
            program.wait()
            program.stdout.close()
        self.assertEqual(set(self.by("region")), {"(outside of regions)"})
        self.assertIn("ran before it was sampled", self.report("--region", "loop", status=1).stderr)

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
