# SPDX-License-Identifier: BSD-3-Clause
"""What regions count, in programs that nest, recurse, jump, fork and end in every way: subject.c."""
import os
import re
import subprocess

import regions_harness as harness

AVAIL = os.path.join(os.environ["PAPI_TOOLS"], "papi_avail")


class RegionsTest(harness.RegionsTest):
    def result_of(self, name, status=0, **variables):
        """Runs one program; the results by thread, each by path."""
        result = self.run_program("test_regions_subject", name, status=status, **variables)
        self.assertEqual(result.stderr, "")
        self.root = self.load("papi_hl_output", "rank_0.json")
        self.assert_no_leftovers()
        return [harness.regions_of(self.root["threads"][str(i)]) for i in range(len(self.root["threads"]))]

    def stores(self, region):
        """The one event, whose name has an address in it."""
        (event,) = self.root["event_definitions"]
        self.assertTrue(event.startswith("mem:0x"), event)
        return region[event]

    def counts(self, regions):
        """{path: (instances, writes)}"""
        return {path: (region["region_count"], self.stores(region)) for path, region in regions.items()}

    def test_nested(self):
        (main,) = self.result_of("nested")
        self.assertEqual(self.counts(main), {"a": (1, 75), "a/b": (3, 60), "b": (1, 1)})
        self.assertEqual(main["a"]["parent_region_id"], -1)
        for region in main.values():
            self.assertGreater(region["real_time_nsec"], 0)
            self.assertGreater(region["cycles"], 0)
            self.assertNotIn("unfinished", region)
            self.assertNotIn("uncounted", region)
        self.assertGreaterEqual(main["a"]["real_time_nsec"], main["a/b"]["real_time_nsec"])

    def test_recursive(self):
        (main,) = self.result_of("recursive")
        self.assertEqual(self.counts(main), {"f": (2, 5), "f/f": (2, 3), "f/f/f": (1, 1)})

    def test_regions_end_with_the_one_they_are_in(self):
        (main,) = self.result_of("left_open")
        self.assertEqual(self.counts(main), {"a": (1, 5), "a/b": (1, 5), "a/b/c": (1, 3), "b": (1, 7)})
        self.assertEqual({path: region.get("unfinished") for path, region in main.items()},
                         {"a": None, "a/b": None, "a/b/c": None, "b": 1})

    def test_reads(self):
        (main,) = self.result_of("reads")
        self.assertEqual(self.stores(main["r"]), {"region_value": 20, "read_1": 8, "read_2": 10})
        self.assertEqual([read["count"] for read in main["r"]["reads"]], [2, 1])
        self.assertLessEqual(main["r"]["reads"][0]["real_time_nsec"], main["r"]["real_time_nsec"])
        self.assertEqual(len(main["often"]["reads"]), 1000)

    def test_threads_that_have_ended(self):
        main, *threads = self.result_of("threads")
        self.assertEqual(self.counts(main), {"main": (1, 1)})
        self.assertEqual([self.counts(thread) for thread in threads],
                         [{"work": (1, 100 * i)} for i in range(1, 6)])
        ids = {thread["thread_id"] for thread in self.root["threads"].values()}
        self.assertEqual(len(ids), 6)

    def test_exit_from_a_thread_while_others_are_inside(self):
        threads = self.result_of("exit_in_thread", status=3)
        self.assertEqual([self.counts(thread) for thread in threads],
                         [{"main": (1, 7)}, {"other": (1, 12), "other/within": (1, 3)}])
        for thread in threads:
            for region in thread.values():
                self.assertEqual(region["unfinished"], 1)

    def test_exit_while_all_threads_begin_and_end(self):
        threads = self.result_of("exit_while_busy")
        self.assertEqual(len(threads), 5)
        for thread in threads:
            self.assertGreaterEqual(thread["loop"]["region_count"], 100)
            self.assertLessEqual(abs(thread["loop"]["region_count"] - thread["loop/inner"]["region_count"]), 1)

    def test_abort_survived(self):
        (main,) = self.result_of("abort_survived")
        self.assertEqual(self.counts(main), {"outer": (4, 20), "outer/fatal": (4, 12), "outer/fatal/deeper": (4, 0),
                                             "after": (1, 1)})

    def test_children_of_fork(self):
        (main,) = self.result_of("forks")
        self.assertEqual(self.counts(main), {"parent": (1, 7)})
        self.assertEqual(sorted(os.listdir(self.path("papi_hl_output"))),
                         ["rank_0.json", "rank_1000000.json", "rank_1000001.json"])
        for name in ("rank_1000000.json", "rank_1000001.json"):
            child = self.load("papi_hl_output", name)
            self.assertTrue(child["forked"])
            self.assertNotEqual(child["process_id"], self.root["process_id"])
            self.assertEqual(self.counts(harness.regions_of(child["threads"]["0"])), {"child": (1, 3)})
        self.assertFalse(self.root["forked"])
        self.assertEqual(len(self.runs()), 1)

    def test_stop(self):
        (main,) = self.result_of("stop")
        self.assertEqual(self.counts(main), {"a": (2, 12), "a/open": (1, 0)})
        self.assertEqual(main["a"]["unfinished"], 1)
        self.assertEqual(os.listdir(self.path("papi_hl_output")), ["rank_0.json"])

    def test_shutdown(self):
        (main,) = self.result_of("shut_down")
        self.assertEqual({path: self.counts(main)[path] for path in ("a", "lost", "across", "across/a")},
                         {"a": (2, 7), "lost": (1, None), "across": (1, None), "across/a": (1, 0)})
        self.assertEqual([main[path].get("uncounted") for path in ("a", "lost", "across")], [None, 1, 1])

    def test_measurements_with_other_events_inside(self):
        (main,) = self.result_of("other_events")
        self.assertEqual(self.counts(main), {"a": (1, 10), "a/b": (1, 6)})

    def test_many(self):
        (main,) = self.result_of("many")
        flat = {path: counts for path, counts in self.counts(main).items() if path.startswith("region")}
        self.assertEqual(flat, {f"region {i}": (2, 2 * (i % 3)) for i in range(2000)})
        self.assertEqual(sum(path.startswith("deep") for path in main), 300)

    def test_names(self):
        self.result_of("names")
        names = [region["name"] for region in self.root["threads"]["0"]["regions"].values()]
        self.assertEqual(names, ["a \"quoted\" \\ name\n\t\x01", "caf\u00e9 \u20ac", "latin \u00e9", "cut \u00e2\u0082",
                                 "overlong \u00c0\u0080 surrogate \u00ed\u00a0\u0080"])

    def test_exit_handlers_and_another_directory(self):
        (main,) = self.result_of("handlers")
        self.assertEqual(self.counts(main), {"early": (1, 0), "late": (2, 16)})

    def test_too_deep(self):
        (main,) = self.result_of("deep")
        self.assertEqual(len(main), 10000)

    def test_what_is_said_about_the_process(self):
        self.result_of("nested")
        self.assertRegex(self.root["papi_version"], r"\A7\.0\.\d+\.\d+\Z")
        self.assertRegex(self.root["start"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertIsNone(self.root["rank"])
        self.assertTrue(self.root["program"].endswith("test_regions_subject"))
        self.assertEqual(self.root["events_refused"], {})

    def test_presets(self):
        """By hardware or by translation: nearly what the source says, and the same again in another process."""
        by_translation = "Counting                 : virtual" in subprocess.run(
            [AVAIL], stdout=subprocess.PIPE, text=True, check=True).stdout
        seen = []
        for _ in range(2):
            result = self.run_program("test_regions_subject", "nested", PAPI_EVENTS="PAPI_TOT_INS")
            if result.stderr:
                self.skipTest(result.stderr.strip())
            regions = harness.regions_of(self.load("papi_hl_output", "rank_0.json")["threads"]["0"])
            seen.append([regions[path]["PAPI_TOT_INS"] for path in ("a", "a/b", "b")])
        for whole, inner, single in seen:
            # 75 writes in "a", 60 of them in "b", and one in the other "b"; each is an instruction at least.
            self.assertGreaterEqual(whole, inner + 15)
            self.assertGreaterEqual(inner, 60)
            # Three times as often; what hardware counts beside that, of the library, is the same each time.
            self.assertGreaterEqual(inner, (10 if by_translation else 3) * single)

    def test_report(self):
        result = self.run_program("test_regions_subject", "nested", PAPI_REPORT="1")
        self.assertEqual(result.stderr, "")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        self.assertRegex(result.stdout, re.compile(
            r"^PAPI regions of test_regions_subject, 1 thread\na\n  instances +1\n  cycles of the clock +[\d,]+\n"
            r"  real time +\d+\.\d{6} s +\d+\.\d%\n  mem:0x[0-9a-f]+/8:w +75 +98\.7%\n  b\n    instances +3\n"
            r"(.*\n)+    mem:0x[0-9a-f]+/8:w +60 +78\.9%\n(.*\n)+%: of all regions that are in no other\n\Z",
            re.MULTILINE))
        self.assertEqual(self.run_program("test_regions_subject", "nested", PAPI_REPORT="0").stdout, "")

    def kinds(self, **variables):
        result = self.run_program("test_regions_subject", "nested", PAPI_REPORT="1", **variables)
        root = self.load("papi_hl_output", "rank_0.json")
        return root, {name: event["kind"] for name, event in root["event_definitions"].items()}, result

    def test_what_counts_are_worth(self):
        root, kinds, result = self.kinds(PAPI_EVENTS="perf::TASK-CLOCK,rusage:::utime")
        if result.stderr:
            self.skipTest(result.stderr.strip())
        self.assertEqual(kinds, {"perf::TASK-CLOCK": "exact", "rusage:::utime": "sampled"})
        self.assertIs(root["slowed_by_counting"], False)
        self.assertRegex(result.stdout, r"\n  perf::TASK-CLOCK +[\d,]+\.\d{3} ms +[\d.]+%\n")
        self.assertRegex(result.stdout, r"\n  rusage:::utime +[\d,]+\.\d{3} ms .*\[s\]\n")
        self.assertEqual(result.stdout.count("\n[s] sampled: "), 1)

    def test_what_virtual_counts_are_worth(self):
        root, kinds, result = self.kinds(
            PAPI_EVENTS="vpmu:::INSTRUCTIONS,PAPI_L1_DCM,perf::TASK-CLOCK", PAPI_VPMU="always")
        if result.stderr:
            self.skipTest(result.stderr.strip())
        self.assertEqual(kinds, {"vpmu:::INSTRUCTIONS": "exact", "PAPI_L1_DCM": "modelled",
                                 "perf::TASK-CLOCK": "affected"})
        self.assertIs(root["slowed_by_counting"], True)
        self.assertRegex(result.stdout, r"\n  PAPI_L1_DCM +\d+ .*\[m\]\n")
        self.assertIn("  real time, slowed by counting ", result.stdout)
        self.assertIn("\n[m] modelled: ", result.stdout)
        self.assertIn("\n[a] affected: ", result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)

    def test_what_multiplexed_counts_are_worth(self):
        kinds = self.kinds(PAPI_EVENTS="perf::PAGE-FAULTS", PAPI_MULTIPLEX="1")[1]
        self.assertEqual(set(kinds.values()), {"estimated"})

    def test_a_rate_is_no_count(self):
        root, kinds, result = self.kinds(PAPI_EVENTS="PAPI_FLOPS,perf::PAGE-FAULTS")
        self.assertEqual(list(kinds), ["perf::PAGE-FAULTS"])
        if "it is a rate" not in result.stderr:
            self.skipTest(result.stderr.strip())
        self.assertIn("it is a rate", root["events_refused"]["PAPI_FLOPS"])


if __name__ == "__main__":
    harness.main()
