# SPDX-License-Identifier: BSD-3-Clause
"""papi_hl_output_writer over files that are made here, so that every number is known.

PAPI_WRITER names the program.
"""
import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

WRITER = os.environ["PAPI_WRITER"]
EVENTS = {"PAPI_TOT_INS": "", "PAPI_TOT_CYC": "", "perf::TASK-CLOCK": "ns"}


def region(name, parent=-1, count=1, seconds=1, **facts):
    return {"name": name, "parent_region_id": parent, "region_count": count, "cycles": 2 * 10 ** 9 * seconds,
            "real_time_nsec": 10 ** 9 * seconds, **facts}


def rank_file(rank, *threads, events=None, **facts):
    """What a rank writes: each thread a list of regions."""
    definitions = {name: {"component": 0, "type": "delta", "units": units, "multiplexed": False}
                   for name, units in (EVENTS if events is None else events).items()}
    return {"papi_version": "7.0.0.0", "cpu_info": "a CPU", "program": "./solver", "rank": rank, "forked": False,
            "event_definitions": definitions, "events_refused": {},
            "threads": {str(i): {"thread_id": 100 + i, "regions": {str(j): one for j, one in enumerate(regions)}}
                        for i, regions in enumerate(threads)}, **facts}


def counts(instructions, cycles, nanoseconds):
    return {"PAPI_TOT_INS": instructions, "PAPI_TOT_CYC": cycles, "perf::TASK-CLOCK": nanoseconds}


class WriterTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="papi-writer-")
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(content if isinstance(content, str) else json.dumps(content))

    def write_ranks(self, *files):
        for i, content in enumerate(files):
            self.write(f"papi_hl_output/rank_{i}.json", content)

    def run_writer(self, *arguments, **options):
        return subprocess.run([WRITER, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, text=True,
                              timeout=300, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def output(self, *arguments):
        result = self.run_writer(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, *arguments, status=1):
        result = self.run_writer(*arguments)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        return result.stderr

    def regions(self, *arguments):
        root = json.loads(self.output("-f", "json", *arguments))
        return {"/".join(one["path"]): one for one in root["regions"]}

    def table(self, *arguments):
        """{region: {quantity: [columns]}} of a table with names that have no two blanks."""
        found, current = {}, None
        for line in self.output(*arguments).splitlines()[3:]:
            words = [word.strip() for word in line.strip().split("  ") if word]
            if not words:
                break
            if len(words) == 1:
                current = found.setdefault(words[0], {})
            else:
                current[words[0]] = words[1:]
        return found


class MergingTest(WriterTest):
    def four_threads(self):
        """Two ranks of two threads: instructions 10, 20, 30, 80."""
        self.write_ranks(
            rank_file(0, [region("solve", count=2, **counts(10, 10, 10 ** 9))], [region("solve", **counts(20, 10, 0))]),
            rank_file(1, [region("solve", seconds=2, **counts(30, 20, 10 ** 9))],
                      [region("solve", **counts(80, 40, 5))]))

    def test_summary(self):
        self.four_threads()
        solve = self.regions()["solve"]
        self.assertEqual(solve["threads"], 4)
        self.assertEqual(solve["region_count"], {"threads": 4, "total": 5, "minimum": 1, "median": 1, "maximum": 2})
        self.assertEqual(solve["real_time_s"]["total"], 5)
        self.assertEqual(solve["events"]["PAPI_TOT_INS"],
                         {"threads": 4, "total": 140, "minimum": 10, "median": 25, "maximum": 80})

    def test_rates(self):
        self.four_threads()
        rates = self.regions()["solve"]["rates"]
        # A ratio of events: of the totals.
        self.assertEqual(rates["IPC"], {"threads": 4, "total": 1.75, "minimum": 1, "median": 1.75, "maximum": 2})
        # Something per second of each thread: the sum.
        self.assertEqual(rates["CPU use"]["total"], 1.5 + 5e-9)
        self.assertEqual(rates["CPU use"]["maximum"], 1)
        self.assertIsNone(rates["Clock"]["total"])
        self.assertNotIn("rates", self.regions("--notation", "raw")["solve"])

    def test_rates_of_all_kinds(self):
        values = {"PAPI_FP_OPS": 6e6, "PAPI_SP_OPS": 1e6, "PAPI_DP_OPS": 2e6, "PAPI_FP_INS": 3e6, "PAPI_L1_DCM": 5,
                  "PAPI_L1_DCA": 50, "PAPI_LST_INS": 25, "PAPI_L1_ICM": 1, "PAPI_L1_ICA": 4, "PAPI_L2_TCM": 1,
                  "PAPI_L2_TCA": 2, "PAPI_L2_DCM": 1, "PAPI_L2_DCA": 10, "PAPI_L3_TCM": 2, "PAPI_L3_TCA": 5,
                  "PAPI_L3_DCM": 0, "PAPI_L3_DCA": 0, "PAPI_BR_MSP": 1, "PAPI_BR_CN": 8, "PAPI_BR_INS": 16,
                  "PAPI_TLB_DM": 3, "PAPI_TOT_INS": 1500, "PAPI_TOT_CYC": 1e9}
        values = {name: int(value) for name, value in values.items()}
        self.write_ranks(rank_file(0, [region("r", seconds=2, **values)], events=dict.fromkeys(values, "")))
        self.assertEqual(self.regions("-t", "accumulate")["r"]["rates"], {
            "IPC": 1.5e-6, "Clock": None, "Mflop/s": 3, "Mflop/s, single precision": 0.5,
            "Mflop/s, double precision": 1, "Mflip/s": 1.5, "L1 data misses/access": 0.1,
            "L1 instruction misses/access": 0.25, "L2 misses/access": 0.5, "L2 data misses/access": 0.1,
            "L3 misses/access": 0.4, "L3 data misses/access": None, "Mispredicted/branch": 0.125,
            "TLB misses/1000 instructions": 2})

    def test_the_second_denominator(self):
        values = {"PAPI_L1_DCM": 5, "PAPI_LST_INS": 25, "PAPI_BR_MSP": 1, "PAPI_BR_INS": 16}
        self.write_ranks(rank_file(0, [region("r", **values)], events=dict.fromkeys(values, "")))
        self.assertEqual(self.regions("-t", "accumulate")["r"]["rates"],
                         {"L1 data misses/access": 0.2, "Mispredicted/branch": 0.0625})

    def test_accumulate_and_detail(self):
        self.four_threads()
        self.assertEqual(self.regions("--type", "accumulate")["solve"]["events"]["PAPI_TOT_INS"], 140)
        for word in ("detail", "detailed", "DETAIL"):
            root = json.loads(self.output("-f", "json", "-t", word))
            self.assertEqual([(one["rank"], one["thread"], one["events"]["PAPI_TOT_INS"]) for one in root["regions"]],
                             [("0", "0", 10), ("0", "1", 20), ("1", "0", 30), ("1", "1", 80)])

    def test_nesting(self):
        nested = [region("main"), region("solve", 0), region("norm", 1), region("solve"), region("norm", 3)]
        self.write_ranks(rank_file(0, nested, events={}), rank_file(1, nested[:2], events={}))
        self.assertEqual({path: one["threads"] for path, one in self.regions().items()},
                         {"main": 2, "main/solve": 2, "main/solve/norm": 1, "solve": 1, "solve/norm": 1})
        lines = [line for line in self.output().splitlines() if line.strip() in ("main", "solve", "norm")]
        self.assertEqual(lines, ["main", "  solve", "    norm", "solve", "  norm"])

    def test_reads(self):
        one = region("r", reads=[{"count": 3, "real_time_nsec": 5 * 10 ** 8}, {"count": 1, "real_time_nsec": 10 ** 8}],
                     E={"region_value": 100, "read_1": 40, "read_2": 7})
        self.write_ranks(rank_file(0, [one], events={"E": ""}))
        regions = self.regions("-t", "accumulate")
        self.assertEqual({path: (found["region_count"], found["real_time_s"], found["events"]["E"])
                          for path, found in regions.items()},
                         {"r": (1, 1, 100), "r/read 1": (3, 0.5, 40), "r/read 2": (1, 0.1, 7)})

    def test_large_counts_are_exact(self):
        most = 2 ** 62
        self.write_ranks(rank_file(0, [region("r", E=most - 1)], events={"E": ""}),
                         rank_file(1, [region("r", E=most - 2)], events={"E": ""}))
        self.assertEqual(self.regions()["r"]["events"]["E"]["total"], 2 * most - 3)
        self.assertIn(f",{2 * most - 3},", self.output("-f", "csv"))

    def test_instant_events_have_no_total(self):
        content = rank_file(0, [region("r", E=7)], [region("r", E=9)], events={"E": ""})
        content["event_definitions"]["E"]["type"] = "instant"
        self.write_ranks(content)
        self.assertEqual(self.regions()["r"]["events"]["E"],
                         {"threads": 2, "total": None, "minimum": 7, "median": 8, "maximum": 9})

    def test_missing_counts(self):
        self.write_ranks(rank_file(0, [region("r", uncounted=1, E=None)], [region("r", E=9, unfinished=1)],
                                   events={"E": ""}))
        found = self.regions()["r"]
        self.assertEqual(found["events"]["E"]["threads"], 1)
        self.assertEqual((found["uncounted"]["total"], found["unfinished"]["total"]), (1, 1))

    def test_ranks_that_count_different_events(self):
        self.write_ranks(rank_file(0, [region("r", E=7, F=1)], events={"E": "", "F": ""}),
                         rank_file(1, [region("r", E=9)], events={"E": ""}))
        result = self.run_writer("-f", "json")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr,
                         "papi_hl_output_writer: F was counted in 1 of 2 ranks; what is said about it is "
                                        "said of those\n")
        events = json.loads(result.stdout)["regions"][0]["events"]
        self.assertEqual((events["E"]["total"], events["F"]["total"], events["F"]["threads"]), (16, 1, 1))

    def test_refused_events_are_told(self):
        content = rank_file(0, [region("r", E=7)], events={"E": ""}, events_refused={"PAPI_TOT_INST": "no\x1bevent"})
        self.write_ranks(content, content)
        result = self.run_writer("-f", "json")
        self.assertEqual((result.returncode, result.stderr),
                         (0, "papi_hl_output_writer: PAPI_TOT_INST was not counted: no?event\n"))
        self.assertEqual(json.loads(result.stdout)["events_refused"], {"PAPI_TOT_INST": "no\x1bevent"})

    def test_multiplexed_counts_are_estimates(self):
        content = rank_file(0, [region("r", E=7)], events={"E": ""})
        self.write_ranks(content)
        self.assertNotIn("estimated", self.output())
        content["event_definitions"]["E"]["multiplexed"] = True
        self.write_ranks(content)
        self.assertRegex(self.output(), r"\n  E \[e\] +7 +100\.0%\n(.*\n)*\[e\] estimated: ")
        self.assertEqual(json.loads(self.output("-f", "json"))["events"]["E"]["kind"], "estimated")

    def test_files_of_other_implementations(self):
        """Numbers as strings, a region for each instance, no count of instances, fields that are not known here."""
        one = {"name": "r", "parent_region_id": "-1", "cycles": "10", "real_time_nsec": "500000000", "E": "3"}
        self.write_ranks({"papi_version": "7.0.0.0", "cpu_info": "x", "max_cpu_rate_mhz": "1", "something": [1],
                          "event_definitions": {"E": {"component": "0", "type": "delta"}},
                          "threads": {"4711": {"regions": {"0": one, "1": one}}}})
        found = self.regions("-t", "accumulate")["r"]
        self.assertEqual((found["region_count"], found["real_time_s"], found["cycles"], found["events"]["E"]),
                         (2, 1, 20, 6))

    def test_several_sources_and_single_files(self):
        self.four_threads()
        shutil.copytree(self.path("papi_hl_output"), self.path("again"))
        self.assertEqual(self.regions("-s", "papi_hl_output", "-s", "again/rank_0.json")["solve"]["threads"], 6)

    def test_other_files_of_the_directory_are_left_alone(self):
        self.four_threads()
        self.write("papi_hl_output/notes.json", "no JSON")
        self.write("papi_hl_output/.rank_3.json", "no JSON")
        self.assertEqual(self.regions()["solve"]["threads"], 4)

    def test_table(self):
        self.four_threads()
        text = self.output()
        self.assertTrue(text.startswith("solver: 2 ranks, 4 threads\n\nRegion"), text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        solve = self.table()["solve"]
        self.assertEqual(solve["instances"], ["5", "1", "1", "2"])
        self.assertEqual(solve["PAPI_TOT_INS"], ["140", "100.0%", "10", "25", "80"])
        self.assertEqual(solve["perf::TASK-CLOCK (ms)"], ["2,000.000", "100.0%", "0.000", "500.000", "1,000.000"])
        self.assertEqual(solve["IPC"], ["1.750000", "1.000000", "1.750000", "2.000000"])
        self.assertEqual(solve["Clock (MHz)"][0], "-")
        self.assertEqual(self.table("-t", "accumulate")["solve"]["PAPI_TOT_INS"], ["140", "100.0%"])
        self.assertIn("rank 1, thread 1", self.table("-t", "detail"))

    def test_heading_of_the_table_has_no_directory(self):
        for program, heading in (("/" + "deep/" * 20 + "solver", "solver: "), ("solver", "solver: "), (None, "")):
            file = rank_file(0, [region("r")], program=program)
            if program is None:
                del file["program"]
            self.write_ranks(file)
            self.assertEqual(self.output().splitlines()[0], heading + "1 rank, 1 thread")

    def test_numbers_of_the_table_never_touch(self):
        """Four columns of numbers as wide as they come, and 80 characters."""
        for count in (0, 1, 99_999, 123_456_789_012, 1_234_567_890_123, 2 ** 63 - 2):
            for seconds in (1, 3, 100_003, 10 ** 9):
                one = [region("r", seconds=seconds, E=count), region("r", seconds=seconds + 1, E=count + 1)]
                self.write_ranks(rank_file(0, one[:1], one[1:], events={"E": ""}))
                lines = self.output().splitlines()
                self.assertLessEqual(max(map(len, lines)), 80)
                for line in lines[4:-2]:
                    self.assertEqual([line[i] for i in (24, 39, 47, 58, 69) if i < len(line)], [" "] * 5, line)

    def test_digit_groups(self):
        one = [region("r", seconds=1, E=value) for value in (1234, 12_345_678_901)]
        self.write_ranks(rank_file(0, one[:1], one[1:], events={"E": ""}))
        self.assertEqual(self.table()["r"]["E"], ["12,345,680,135", "100.0%", "1,234", "6.173 G", "12.346 G"])

    def test_one_thread_alone(self):
        """Minimum and maximum of one say nothing; of what is in it, the shares do."""
        regions = [region("a", seconds=3, E=300), region("b", 0, E=75), region("c", E=100)]
        self.write_ranks(rank_file(0, regions, events={"E": ""}))
        self.assertEqual(self.output().splitlines()[2].split(), ["Region", "Total", "Share"])
        table = self.table()
        self.assertEqual([table[name]["E"] for name in "abc"],
                         [["300", "75.0%"], ["75", "18.8%"], ["100", "25.0%"]])
        self.assertEqual([table[name]["real time (s)"] for name in "ac"],
                         [["3.000000", "75.0%"], ["1.000000", "25.0%"]])
        for line in self.output().splitlines():
            self.assertEqual(line, line.rstrip())

    def test_nothing_of_a_name_reaches_the_terminal(self):
        self.write_ranks(rank_file(0, [region("r\x1b[31m\n", **{"E\x07": 1})], events={"E\x07": ""}, program="a\x1bb"))
        text = self.output()
        self.assertTrue(text.startswith("a?b: "))
        self.assertIn("\nr?[31m?\n", text)
        self.assertNotIn("\x1b", text + self.output("-t", "detail"))
        self.assertIn("  E? ", text)

    def test_csv(self):
        name = 'a "b",\nc'
        self.write_ranks(rank_file(0, [region(name, E=7), region("d", 0, E=5)], events={"E": "ns"}))
        rows = list(csv.DictReader(io.StringIO(self.output("-f", "csv"), newline="")))
        self.assertEqual([row for row in rows if row["quantity"] == "E"], [
            {"region": name, "quantity": "E", "unit": "ns", "threads": "1", "total": "7", "minimum": "7",
             "median": "7", "maximum": "7", "kind": "exact"},
            {"region": name + "/d", "quantity": "E", "unit": "ns", "threads": "1", "total": "5", "minimum": "5",
             "median": "5", "maximum": "5", "kind": "exact"}])
        rows = list(csv.DictReader(io.StringIO(self.output("-f", "csv", "-t", "detail"), newline="")))
        self.assertEqual([(row["region"], row["rank"], row["thread"], row["E (ns)"]) for row in rows],
                         [(name, "0", "0", "7"), (name + "/d", "0", "0", "5")])
        rows = list(csv.reader(io.StringIO(self.output("-f", "csv", "-t", "accumulate"), newline="")))
        self.assertEqual(rows[0], ["region", "quantity", "unit", "threads", "total", "kind"])

    def virtual(self):
        """What a rank writes whose presets are counted by translation."""
        content = rank_file(0, [region("r", seconds=2, **counts(100, 50, 10 ** 9), PAPI_FP_OPS=7)],
                            events={**EVENTS, "PAPI_FP_OPS": ""}, slowed_by_counting=True)
        for name, kind in (("PAPI_TOT_INS", "exact"), ("PAPI_TOT_CYC", "modelled"), ("perf::TASK-CLOCK", "affected"),
                           ("PAPI_FP_OPS", "exact")):
            content["event_definitions"][name]["kind"] = kind
        return content

    def test_no_rates_by_a_time_that_counting_made_longer(self):
        self.write_ranks(self.virtual())
        root = json.loads(self.output("-f", "json", "-t", "accumulate"))
        self.assertIs(root["slowed_by_counting"], True)
        self.assertEqual(root["regions"][0]["rates"], {"IPC": 2})
        # Not even for the ranks beside it, whose sum it would be.
        self.write_ranks(self.virtual(), rank_file(1, [region("r", **counts(1, 2, 3))]))
        result = self.run_writer("-f", "json")
        self.assertEqual(list(json.loads(result.stdout)["regions"][0]["rates"]), ["IPC"])

    def test_what_counts_are_worth(self):
        self.write_ranks(self.virtual())
        table = self.table()["r"]
        self.assertEqual(list(table), ["instances", "real time (s) [t]", "cycles [t]", "PAPI_TOT_INS",
                                       "PAPI_TOT_CYC [m]", "perf::TASK-CLOCK (ms) [a]", "PAPI_FP_OPS", "IPC [m]"])
        for mark in "tma":
            self.assertEqual(self.output().count(f"\n[{mark}] "), 1)
        self.assertNotIn("[e]", self.output())
        root = json.loads(self.output("-f", "json"))
        self.assertEqual([event["kind"] for event in root["events"].values()],
                         ["exact", "modelled", "affected", "exact"])
        self.assertEqual(root["rates"], {"IPC": {"units": "", "kind": "modelled"}})
        rows = list(csv.DictReader(io.StringIO(self.output("-f", "csv"), newline="")))
        self.assertEqual({row["quantity"]: row["kind"] for row in rows},
                         {"instances": "exact", "real time": "slowed", "cycles": "slowed", "PAPI_TOT_INS": "exact",
                          "PAPI_TOT_CYC": "modelled", "perf::TASK-CLOCK": "affected", "PAPI_FP_OPS": "exact",
                          "IPC": "modelled"})
        head = self.output("-f", "csv", "-t", "detail").splitlines()[0]
        self.assertIn(",PAPI_TOT_INS,PAPI_TOT_CYC (modelled),perf::TASK-CLOCK (ns; affected),", head)

    def test_ranks_in_order(self):
        for rank in (0, 2, 10, 9):
            self.write(f"papi_hl_output/rank_{rank}.json", rank_file(rank, [region("r")], events={}))
        root = json.loads(self.output("-f", "json", "-t", "detail"))
        self.assertEqual([one["rank"] for one in root["regions"]], ["0", "2", "9", "10"])


class MetricsTest(WriterTest):
    """-g over what was counted, with formulas that are written here."""

    GROUPS = """GROUP,g,"for a test"
METRIC,ratio,%,100 * N0 / N1,perf::PAGE-FAULTS,perf::TASK-CLOCK,SDESC,share
METRIC,rate,fault/s,N0 / N1,perf::PAGE-FAULTS,seconds,SDESC,rate
METRIC,other,1,N0,perf::CONTEXT-SWITCHES,SDESC,other
METRIC,never,%,N0 / (N1 - N1),perf::PAGE-FAULTS,perf::PAGE-FAULTS,SDESC,never
"""

    def setUp(self):
        super().setUp()
        self.write("g.csv", self.GROUPS)
        self.environment = {**os.environ, "PAPI_METRICS_FILE": self.path("g.csv")}
        events = {"perf::PAGE-FAULTS": "", "perf::TASK-CLOCK": "ns"}

        def of(faults, clock, seconds):
            return region("main", seconds=seconds, **{"perf::PAGE-FAULTS": faults, "perf::TASK-CLOCK": clock * 10 ** 9})

        self.files = [rank_file(0, [of(30, 100, 2)], [of(10, 300, 4)], events=events)]
        self.write_ranks(*self.files)

    def metrics(self, *arguments, **facts):
        result = self.run_writer("-g", "g", "--format", "json", *arguments, env=self.environment, **facts)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), result.stderr

    def test_values(self):
        report, errors = self.metrics()
        self.assertEqual(report["metrics"]["g:ratio"], {"units": "%", "kind": "exact"})
        self.assertNotIn("g:other", report["metrics"])
        metrics = report["regions"][0]["metrics"]
        # A ratio of the totals, and a sum of rates.
        self.assertEqual(metrics["g:ratio"]["total"], 10)
        self.assertEqual([metrics["g:ratio"][key] for key in ("minimum", "maximum")], [100 * 10 / 300, 30])
        self.assertEqual([metrics["g:rate"][key] for key in ("total", "maximum")], [17.5, 15])
        self.assertEqual(metrics["g:never"]["total"], None)
        self.assertIn("-g g: 1 of its 4 metrics are left out, for perf::CONTEXT-SWITCHES was not counted", errors)
        self.assertRegex(errors, r"PAPI_EVENTS=\S*perf::CONTEXT-SWITCHES")

    def test_threads(self):
        report, _ = self.metrics("--type", "detail")
        self.assertEqual([one["metrics"]["g:rate"] for one in report["regions"]], [15, 2.5])

    def test_table_and_csv(self):
        table = self.run_writer("-g", "g", env=self.environment).stdout
        self.assertRegex(table, r"\n  g:ratio \(%\) +10\.000000 ")
        self.assertTrue(all(len(line) <= 80 for line in table.splitlines()), table)
        rows = csv.reader(io.StringIO(self.run_writer("-g", "g", "--format", "csv", env=self.environment).stdout))
        self.assertIn(["main", "g:ratio", "%", "2", "10", "3.33333333", "16.6666667", "30", "exact"],
                      [[cell if not cell.startswith("16.66") else "16.6666667" for cell in row] for row in rows])

    def test_slowed(self):
        self.files[0]["slowed_by_counting"] = True
        self.write_ranks(*self.files)
        report, _ = self.metrics()
        self.assertNotIn("g:rate", report["metrics"])
        self.assertIn("g:ratio", report["metrics"])

    def test_not_asked_for(self):
        self.assertNotIn("metrics", json.loads(self.run_writer("--format", "json").stdout))

    def test_nonsense(self):
        for groups in ("nosuchgroup", "", "g,,g", "g\x1b"):
            result = self.run_writer("-g", groups, env=self.environment)
            self.assertEqual((result.returncode, result.stdout), (2, ""), groups)
            self.assertIn("-g", result.stderr)
            self.assertNotIn("\x1b", result.stderr)


class MistakesTest(WriterTest):
    def test_no_files(self):
        self.assertIn("papi_hl_output: No such file or directory; a program with regions writes it", self.refused())
        os.mkdir(self.path("papi_hl_output"))
        self.assertIn("there is no rank_N.json in it", self.refused())
        self.assertIn("nowhere", self.refused("--source", "nowhere"))

    def test_every_cut_of_a_file(self):
        text = json.dumps(rank_file(0, [region("r", **counts(1, 2, 3))]))
        for length in range(0, len(text), 7):
            self.write("papi_hl_output/rank_0.json", text[:length])
            self.assertIn("rank_0.json: not a complete JSON text: line", self.refused())

    def test_all_bad_files_are_named_and_nothing_is_merged(self):
        self.write_ranks(rank_file(0, [region("r")]), "{", "[1, 2]", rank_file(3, [region("r")]))
        message = self.refused()
        self.assertIn("rank_1.json: not a complete JSON text", message)
        self.assertIn("rank_2.json: this is JSON, but not what regions write", message)

    def test_contents_that_make_no_sense(self):
        for content, words in [
                ({}, '"threads" is missing'),
                ({"threads": {"0": 5}}, "thread 0 has no regions"),
                ({"threads": {"0": {"regions": {"0": {}}}}}, "region 0 has no name"),
                ({"threads": {"0": {"regions": {"0": region("r", 4)}}}}, "inside one that does not come before it"),
                ({"threads": {"0": {"regions": {"0": region("r", count="many")}}}}, "no number"),
                ({"threads": {"0": {"regions": {"0": region("r", "x")}}}}, "inside one that does not come before it")]:
            self.write_ranks(content)
            self.assertIn(words, self.refused())

    def test_values_that_are_no_numbers_are_missing(self):
        self.write_ranks(rank_file(0, [region("r", E="many", F=[1], G={})], events={"E": "", "F": "", "G": ""}))
        self.assertEqual(self.regions("-t", "accumulate")["r"]["events"], {"E": None, "F": None, "G": None})

    def test_an_unreadable_file(self):
        os.makedirs(self.path("papi_hl_output/rank_0.json"))
        self.assertIn("Is a directory", self.refused())

    def test_the_command_line(self):
        self.write_ranks(rank_file(0, [region("r")]))
        for arguments in (["-f", "xml"], ["--type", "mean"], ["-n", "none"], ["operand"], ["--nonsense"], ["-s"]):
            self.assertIn("Try 'papi_hl_output_writer --help'.", self.refused(*arguments, status=2))

    def test_output_file(self):
        self.write_ranks(rank_file(0, [region("r")]))
        self.assertEqual(self.output("-o", "out.json", "-f", "json"), "")
        with open(self.path("out.json"), encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["ranks"], 1)
        self.assertEqual(self.refused("-o", "/dev/full"), "papi_hl_output_writer: /dev/full: No space left on device\n")
        self.assertIn("no/where: No such file or directory", self.refused("-o", "no/where"))

    def test_a_full_disk_and_a_reader_that_leaves(self):
        self.write_ranks(*[rank_file(i, [region(f"region {j}", E=1) for j in range(100)], events={"E": ""})
                           for i in range(20)])
        for kind in ("table", "json", "csv"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = self.run_writer("-t", "detail", "-f", kind, stdout=full)
            self.assertEqual(result.returncode, 1)
            self.assertIn("the output is not complete: No space left on device", result.stderr)
            for handler in (signal.SIG_DFL, signal.SIG_IGN):
                result = subprocess.run(["bash", "-o", "pipefail", "-c", '"$0" -t detail -f "$1" | head -n 1',
                                         WRITER, kind],
                                        cwd=self.directory, capture_output=True, text=True, timeout=120,
                                        restore_signals=False,
                                        preexec_fn=lambda handler=handler: signal.signal(signal.SIGPIPE, handler))
                self.assertEqual((result.returncode, result.stderr, len(result.stdout.splitlines())), (0, "", 1))


class SpeedTest(WriterTest):
    RANKS, THREADS, REGIONS = 400, 4, 12

    def write_many(self, name, ranks):
        regions = [region(f"region {i}", i // 3 - 1, **counts(10 ** 9 + i, 10 ** 9, 10 ** 9))
                   for i in range(self.REGIONS)]
        text = json.dumps(rank_file(0, *[regions] * self.THREADS))
        for i in range(ranks):
            self.write(f"{name}/rank_{i}.json", text)

    def cpu_time(self, command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=self.directory, stdout=subprocess.DEVNULL, check=True, timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_hundreds_of_ranks(self):
        """Ten times the ranks cost at most little more than ten times; and less than Python takes to read them."""
        self.write_many("few", self.RANKS // 10)
        self.write_many("many", self.RANKS)
        read = ("import glob, json\nfor name in glob.glob('many/*'):\n"
                "    with open(name) as stream:\n        json.load(stream)")
        commands = [WRITER, "-s", "few"], [WRITER, "-s", "many"], [sys.executable, "-S", "-c", read]
        # In turns, since the machine is not equally fast all the time: one undisturbed round of them will do.
        rounds = [[self.cpu_time(command) for command in commands] for _ in range(7)]
        self.assertLess(min(many / few for few, many, _ in rounds), 15, rounds)
        self.assertLess(min(many / python for _, many, python in rounds), 4, rounds)


class Roofline(WriterTest):
    """Regions under roofs that are known: the file in which they are kept is written here, once its name is known."""
    ROOFS = "m 32768 2e11 0 4e11 0\tk\tL1\nm 0 1e10 0 2e10 0\tk\tmemory\nf 0 4e10 0 8e10 0\tk\tdouble 64\n"
    GROUP = ("GROUP,roofline,x\nMETRIC,operations,flop,N0,perf::PAGE-FAULTS\n"
             "METRIC,bytes_below_l1,B,64 * N0,perf::CPU-MIGRATIONS\n")
    EVENTS = {"perf::PAGE-FAULTS": "", "perf::CPU-MIGRATIONS": ""}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kept = tempfile.mkdtemp(prefix="papi-writer-roofs-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.kept)
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        self.write("g.csv", self.GROUP)
        environment = {**os.environ, "PAPI_METRICS_FILE": self.path("g.csv"), "XDG_CACHE_HOME": self.kept}
        self.how = {"env": environment}
        if os.path.isdir(os.path.join(self.kept, "papi")):
            return
        self.write_ranks(self.counted())
        result = self.run_writer("-r", "first.svg", **self.how)
        if "no kernels" in result.stderr:
            self.skipTest("no roofs can be measured on this processor")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("measures the roofs of this machine, once", result.stderr)
        name = os.path.join(self.kept, "papi", os.listdir(os.path.join(self.kept, "papi"))[0])
        with open(name, encoding="utf-8") as file:
            head = file.read().splitlines()[:3]
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join(head) + "\n" + self.ROOFS)

    def counted(self, *threads, seconds=1, **facts):
        """Without a CPU, so that it may be this one."""
        def work(operations, lines):
            return {"perf::PAGE-FAULTS": operations, "perf::CPU-MIGRATIONS": lines}

        regions = [region("<all>", seconds=seconds, **work(4 * 10 ** 9, 10 ** 9 // 2)),
                   region("inner", 0, 3, seconds=seconds, **work(2 * 10 ** 9, 10 ** 9))]
        content = rank_file(0, *(threads or [regions]), events=self.EVENTS, **facts)
        del content["cpu_info"]
        return content

    def page(self, *arguments):
        result = self.run_writer("-r", "p.html", *arguments, **self.how)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(self.path("p.html"), encoding="utf-8") as file:
            page = file.read()
        rows = re.findall(r"<tr><td>(.*?)</td></tr>", page)
        return page, {cells[0]: cells[1:] for cells in (row.split("</td><td>") for row in rows)}

    def test_points(self):
        """In a second 4 Gflop with 32 GB from memory, for which that allows 1.25; and 2 with 64."""
        self.write_ranks(self.counted())
        page, rows = self.page()
        self.assertEqual(rows["&lt;all&gt;"], ["4", "exact", "1", "4", "0.125", "exact", "320 %", "memory"])
        self.assertEqual(rows["&lt;all&gt;/inner"], ["2", "exact", "1", "2", "0.03125", "exact", "640 %", "memory"])
        self.assertNotIn("<all>", page)
        self.assertIn(": the roofs of one CPU<", page)

    def test_times_of_another_run(self):
        """A region that was there as often has a time; others have none."""
        self.write_ranks(self.counted(slowed_by_counting=True))
        times = self.counted(seconds=4)
        times["threads"]["0"]["regions"]["1"]["region_count"] = 2
        self.write("times/rank_0.json", times)
        page, rows = self.page("--times", "times")
        self.assertEqual(rows["&lt;all&gt;"][2:4], ["4", "1"])
        self.assertEqual(rows["&lt;all&gt;/inner"][2:4], ["n/a", "n/a"])
        self.assertIn("times are of another run", page)
        self.assertIn("its time is not known", page)

    def test_threads(self):
        """What two did together, in the time of the slower one, under the roofs of all."""
        def thread(operations, seconds):
            return [region("r", seconds=seconds, **{"perf::PAGE-FAULTS": operations,
                                                    "perf::CPU-MIGRATIONS": 10 ** 9})]

        self.write_ranks(self.counted(thread(10 ** 9, 1), thread(3 * 10 ** 9, 2)))
        page, rows = self.page()
        self.assertEqual(rows["r"], ["4", "exact", "2", "2", "0.03125", "exact", "320 %", "memory"])
        self.assertIn(": the roofs of all ", page)

    def test_refused(self):
        self.write_ranks(self.counted(slowed_by_counting=True))
        self.write("other.json", rank_file(0, [region("r")], events=self.EVENTS))
        self.write("none.json", rank_file(0, [region("r", **counts(1, 1, 1))]))
        for words, *arguments in (("counting has made it slower: run it once more", "-r", "x.svg"),
                                  ("has to end in .svg", "-r", "x.png"), ("No such file", "-r", "no/x.svg"),
                                  ("this was counted on 'a CPU'", "-r", "x.svg", "-s", "other.json"),
                                  ("all is there after a run with PAPI_METRICS=roofline", "-r", "x.svg", "-s",
                                   "none.json"),
                                  ("nothing.json", "-r", "x.svg", "-T", "nothing.json")):
            result = self.run_writer(*arguments, **self.how)
            self.assertEqual((result.returncode, result.stdout), (1, ""), arguments)
            self.assertIn(words, result.stderr)
            self.assertFalse(os.path.exists(self.path("x.svg")))
        self.assertEqual(self.run_writer("-T", "papi_hl_output").returncode, 2)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    sys.exit(0 if program.result.wasSuccessful() else 1)
