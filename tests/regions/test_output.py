# SPDX-License-Identifier: BSD-3-Clause
"""Where the results of regions go, what is counted, and what happens where that is impossible."""
import os
import subprocess
import time

import regions_harness as harness

PROGRAM = "test_regions_program"


class OutputTest(harness.RegionsTest):
    def program(self, *arguments, **variables):
        return self.run_program(PROGRAM, *arguments, **variables)

    def instances(self, *names):
        """How often the program's region ran, by a file of results."""
        return self.load(*names)["threads"]["0"]["regions"]["0"]["region_count"]

    def test_every_run_has_its_directory_and_the_newest_its_link(self):
        for times in (1, 2, 3):
            self.assertEqual(self.program(str(times)).stderr, "")
            self.assertEqual(self.instances("papi_hl_output", "rank_0.json"), times)
        self.assertEqual(sorted(self.instances(run, "rank_0.json") for run in self.runs()), [1, 2, 3])
        self.assertTrue(os.path.islink(self.path("papi_hl_output")))
        self.assert_no_leftovers()

    def test_a_directory_that_another_implementation_left_is_put_aside(self):
        os.mkdir(self.path("papi_hl_output"))
        with open(self.path("papi_hl_output", "rank_0.json"), "w", encoding="utf-8") as stream:
            stream.write("precious")
        os.utime(self.path("papi_hl_output"), (86400 * 365, 86400 * 365))
        self.program()
        self.assertEqual(self.instances("papi_hl_output", "rank_0.json"), 1)
        (aside,) = [run for run in self.runs() if run.startswith("papi_hl_output-197")]
        with open(self.path(aside, "rank_0.json"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "precious")

    def test_what_is_no_result_stays(self):
        with open(self.path("papi_hl_output"), "w", encoding="utf-8") as stream:
            stream.write("notes")
        result = self.program()
        with open(self.path("papi_hl_output"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "notes")
        (run,) = self.runs()
        self.assertIn(run, result.stderr)
        self.assertEqual(self.instances(run, "rank_0.json"), 1)

    def test_somebody_elses_link_stays(self):
        os.mkdir(self.path("mine"))
        os.symlink("mine", self.path("papi_hl_output"))
        self.assertIn("papi_hl_output is something else", self.program().stderr)
        self.assertEqual(os.readlink(self.path("papi_hl_output")), "mine")
        self.assertEqual(len(self.runs()), 1)

    def test_output_directory(self):
        self.program(PAPI_OUTPUT_DIRECTORY="new", PAPI_HL_VERBOSE="")
        self.assertEqual(self.instances("new", "papi_hl_output", "rank_0.json"), 1)
        result = self.program("2", PAPI_OUTPUT_DIRECTORY=self.path("new"), PAPI_HL_VERBOSE="1")
        self.assertEqual(self.instances("new", "papi_hl_output", "rank_0.json"), 2)
        self.assertRegex(result.stderr, r"\Apapi: regions written to /.*/new/papi_hl_output-.*/rank_0\.json\n\Z")
        self.assertEqual(self.runs(), [])

    def test_a_place_that_cannot_be_written(self):
        for place in ("/dev/null", "/proc/1/none", "no/such/directory"):
            with self.subTest(place=place):
                result = self.program(PAPI_OUTPUT_DIRECTORY=place)
                self.assertRegex(result.stderr, r"\Apapi: the regions of this process are not written: cannot .*; "
                                                r"PAPI_OUTPUT_DIRECTORY names another place\n\Z")
                self.assertEqual(os.listdir(self.directory), [])

    def test_a_directory_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        os.chmod(self.directory, 0o500)
        result = self.program()
        os.chmod(self.directory, 0o700)
        self.assertIn("Permission denied", result.stderr)

    def test_a_full_disk_leaves_nothing(self):
        result = self.program(LD_PRELOAD=os.path.join(harness.PROGRAMS, "libfull_disk.so"))
        self.assertIn("No space left on device", result.stderr)
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_really_full_disk(self):
        script = ('mount -t tmpfs -o size=4k none "$1" 2>/dev/null || exit 77; cd "$1"; '
                  'head -c 4096 /dev/zero >filler 2>/dev/null; "$2"; ls -A')
        result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", self.directory,
                                 os.path.join(harness.PROGRAMS, PROGRAM)], capture_output=True, text=True,
                                timeout=120, env=harness.environment())
        if result.returncode in (1, 77):
            self.skipTest("a file system of four kilobytes cannot be mounted here")
        self.assertIn("No space left on device", result.stderr)
        self.assertEqual(result.stdout, "filler\n")

    def test_nothing_is_written_where_no_region_was(self):
        self.assertEqual(self.program("0").stderr, "")
        self.assertEqual(os.listdir(self.directory), [])


class RanksTest(harness.RegionsTest):
    def start(self, count, **variables):
        """Starts processes at once, each with {rank} in variables replaced; waits for all."""
        crew = [subprocess.Popen([os.path.join(harness.PROGRAMS, PROGRAM), str(rank + 1)], cwd=self.directory,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 env=harness.environment(**{name: value.format(rank=rank)
                                                            for name, value in variables.items()}))
                for rank in range(count)]
        for one in crew:
            self.assertEqual(one.communicate(timeout=300)[1], "")
            self.assertEqual(one.returncode, 0)

    def assert_complete(self, run, count):
        self.assertEqual(sorted(os.listdir(self.path(run))), sorted(f"rank_{i}.json" for i in range(count)))
        for i in range(count):
            root = self.load(run, f"rank_{i}.json")
            self.assertEqual((root["rank"], root["threads"]["0"]["regions"]["0"]["region_count"]), (i, i + 1))

    def test_ranks_of_a_job_come_together(self):
        for job, variables in enumerate([
                {"OMPI_COMM_WORLD_RANK": "{rank}", "OMPI_MCA_orte_precondition_transports": "0123-4567"},
                {"PMIX_RANK": "{rank}", "PMIX_NAMESPACE": "prterun-host-1@1"},
                {"PMI_RANK": "{rank}"},
                {"SLURM_PROCID": "{rank}", "SLURM_JOB_ID": "12", "SLURM_STEP_ID": "3"}]):
            with self.subTest(variables=variables):
                self.start(24, **variables)
                self.assert_complete("papi_hl_output", 24)
                self.assertEqual(len(self.runs()), job + 1)
        self.assert_no_leftovers()

    def test_ranks_of_different_parents_agree_by_what_names_their_job(self):
        """As on several nodes, where a launcher's helper starts the ranks of each."""
        program = os.path.join(harness.PROGRAMS, PROGRAM)
        for runs, variables in enumerate([
                {"OMPI_MCA_orte_precondition_transports": "0123-4567"}, {"PMIX_NAMESPACE": "prterun-host-1@1"},
                {"PALS_APID": "5"}, {"FLUX_JOB_ID": "f6"}, {"PMI_JOBID": "7"},
                {"SLURM_JOB_ID": "8", "SLURM_STEP_ID": "0"}]):
            for rank in range(3):
                subprocess.run(["sh", "-c", '"$0" "$1"; exit $?', program, str(rank + 1)],
                               cwd=self.directory, check=True,
                               timeout=300, env=harness.environment(SLURM_PROCID=str(rank), **variables))
            self.assert_complete("papi_hl_output", 3)
            self.assertEqual(len(self.runs()), runs + 1, variables)

    def test_another_job_has_another_directory(self):
        for step in ("1", "2", "3"):
            self.start(2, SLURM_PROCID="{rank}", SLURM_JOB_ID="12", SLURM_STEP_ID=step)
        self.assertEqual(len(self.runs()), 3)
        for run in self.runs():
            self.assert_complete(run, 2)

    def test_a_second_program_of_the_same_job(self):
        for _ in range(3):
            self.start(6, PMI_RANK="{rank}", PMI_JOBID="7")
        self.assertEqual(len(self.runs()), 3)
        for run in self.runs():
            self.assert_complete(run, 6)
        self.assertTrue(os.readlink(self.path("papi_hl_output")).endswith("-3"))

    def test_processes_without_ranks_at_once(self):
        self.start(16)
        self.assertEqual(len(self.runs()), 16)
        self.assertEqual(sorted(self.load(run, "rank_0.json")["threads"]["0"]["regions"]["0"]["region_count"]
                                for run in self.runs()), list(range(1, 17)))

    def test_which_variable_and_what_is_no_rank(self):
        self.run_program(PROGRAM, OMPI_COMM_WORLD_RANK="3", PMI_RANK="4", SLURM_PROCID="5")
        self.assertEqual(self.load("papi_hl_output", "rank_3.json")["rank"], 3)
        for nonsense in ("", "x", "-1", "3x", "99999999999999999999"):
            self.run_program(PROGRAM, PMI_RANK=nonsense)
            self.assertIsNone(self.load("papi_hl_output", "rank_0.json")["rank"])

    def test_old_directories_of_all_kinds_at_once(self):
        """Processes that put the same directory aside at the same time lose nothing."""
        for attempt in range(5):
            if os.path.islink(self.path("papi_hl_output")):
                os.unlink(self.path("papi_hl_output"))
            os.mkdir(self.path("papi_hl_output"))
            with open(self.path("papi_hl_output", f"precious_{attempt}"), "w", encoding="utf-8") as stream:
                stream.write("x")
            self.start(12, PMI_RANK="{rank}", PMI_JOBID=str(attempt))
            self.assert_complete("papi_hl_output", 12)
        kept = [name for run in self.runs() for name in os.listdir(self.path(run)) if name.startswith("precious")]
        self.assertEqual(sorted(kept), [f"precious_{i}" for i in range(5)])
        for run in self.runs():
            self.assertFalse(os.path.islink(self.path(run)))


class EventsTest(harness.RegionsTest):
    def counted(self, **variables):
        """Runs the program; the names that were counted, and standard error."""
        result = self.run_program(PROGRAM, **variables)
        root = self.load("papi_hl_output", "rank_0.json")
        events = list(root["event_definitions"])
        for region in root["threads"]["0"]["regions"].values():
            for event in events:
                self.assertIsInstance(region[event], int)
        return events, result.stderr, root

    def test_defaults_are_what_this_machine_can_count(self):
        for variables in ({}, {"PAPI_EVENTS": ""}, {"PAPI_EVENTS": " , "}):
            events, errors, root = self.counted(**variables)
            self.assertEqual(errors, "")
            self.assertGreaterEqual(len(events), 2)
            self.assertEqual(root["events_refused"], {})

    def test_names_with_commas_and_blanks(self):
        events, errors, _ = self.counted(PAPI_EVENTS=" rusage:::minflt , rusage:::nvcsw,,rusage:::utime=delta,")
        self.assertEqual((events, errors), (["rusage:::minflt", "rusage:::nvcsw", "rusage:::utime"], ""))
        _, errors, root = self.counted(PAPI_EVENTS="nonsense/event=1,umask=2/,rusage:::nvcsw")
        self.assertEqual(list(root["events_refused"]), ["nonsense/event=1,umask=2/"])

    def test_metrics(self):
        """Of groups that are written here, over what every kernel counts."""
        with open(self.path("g.csv"), "w", encoding="utf-8") as file:
            file.write("GROUP,g,x\nMETRIC,double,fault,2 * N0,perf::PAGE-FAULTS\n"
                       "METRIC,rate,fault/s,N0 / N1,perf::PAGE-FAULTS,seconds\n"
                       "METRIC,never,1,N0 / (N0 - N0),perf::PAGE-FAULTS\nMETRIC,absent,1,N0,nonsense\n"
                       "GROUP,h,x\nMETRIC,busy,s,N0,perf::TASK-CLOCK\nGROUP,none,x\nMETRIC,absent,1,N0,nonsense\n")
        variables = {"PAPI_METRICS_FILE": self.path("g.csv"), "PAPI_METRICS": " g ,h,,nosuch,none"}
        for events in ("rusage:::minflt", "perf::PAGE-FAULTS", ""):
            counted, errors, root = self.counted(PAPI_EVENTS=events, **variables)
            if "perf::PAGE-FAULTS of PAPI_METRICS is not counted" in errors:
                self.skipTest(errors)
            self.assertEqual(counted, ["rusage:::minflt"] * ("minflt" in events) + ["perf::PAGE-FAULTS",
                                                                                    "perf::TASK-CLOCK"])
            self.assertIn('papi: PAPI_METRICS has no effect for nosuch: no group of metrics is named "nosuch"', errors)
            self.assertIn("papi: PAPI_METRICS: nothing of group none can be counted here: ", errors)
            self.assertEqual(len(errors.splitlines()), 2, errors)
            definitions = root["metric_definitions"]
            self.assertEqual(list(definitions), ["g:double", "g:rate", "g:never", "h:busy"])
            self.assertEqual(definitions["g:rate"], {"units": "fault/s", "kind": "exact"})
            for region in root["threads"]["0"]["regions"].values():
                metrics = region["metrics"]
                self.assertEqual(metrics["g:double"], 2 * region["perf::PAGE-FAULTS"])
                self.assertAlmostEqual(metrics["g:rate"] * region["real_time_nsec"] / 1e9, region["perf::PAGE-FAULTS"],
                                       delta=1e-6 * region["perf::PAGE-FAULTS"] + 1e-9)
                self.assertIsNone(metrics["g:never"])
                self.assertAlmostEqual(metrics["h:busy"], region["perf::TASK-CLOCK"] / 1e9, places=6)

    def test_no_metrics(self):
        """Who asks for none has the file as it was."""
        _, _, root = self.counted()
        self.assertNotIn("metric_definitions", root)
        for region in root["threads"]["0"]["regions"].values():
            self.assertNotIn("metrics", region)

    def test_metrics_of_counts_by_translation(self):
        """The time that counting made longer is in none."""
        events, errors, root = self.counted(PAPI_METRICS="flops", PAPI_VPMU="always")
        if not root["slowed_by_counting"]:
            self.skipTest(errors or str(events))
        self.assertEqual(root["metric_definitions"]["flops:flops"], {"units": "flop", "kind": "exact"})
        self.assertNotIn("flops:flops_per_second", root["metric_definitions"])
        for region in root["threads"]["0"]["regions"].values():
            self.assertEqual(region["metrics"]["flops:flops"], region["PAPI_FP_OPS"])

    def test_components_mix(self):
        events, errors, root = self.counted(PAPI_EVENTS="perf::PAGE-FAULTS,rusage:::minflt,perf::TASK-CLOCK")
        if errors:
            self.skipTest(errors)
        self.assertEqual(len(events), 3)
        definitions = root["event_definitions"]
        self.assertNotEqual(definitions["perf::PAGE-FAULTS"]["component"], definitions["rusage:::minflt"]["component"])
        self.assertEqual(definitions["perf::TASK-CLOCK"]["units"], "ns")

    def test_what_cannot_be_counted_is_told_and_the_rest_counted(self):
        events, errors, root = self.counted(PAPI_EVENTS="rusage:::minflt,nonsense,rusage:::minflt,rusage:::nvcsw")
        self.assertEqual(events, ["rusage:::minflt", "rusage:::nvcsw"])
        self.assertEqual(len(errors.splitlines()), 2)
        self.assertIn("papi: nonsense of PAPI_EVENTS is not counted in regions: no event is named", errors)
        self.assertIn("no event is named", root["events_refused"]["nonsense"])
        self.assertIn("rusage:::minflt", root["events_refused"])

    def test_times_remain_where_no_event_can_be_counted(self):
        events, errors, root = self.counted(PAPI_EVENTS="nonsense")
        self.assertEqual(events, [])
        self.assertIn("no event of PAPI_EVENTS can be counted: regions have times only", errors)
        region = root["threads"]["0"]["regions"]["0"]
        self.assertGreater(region["real_time_nsec"], 0)
        self.assertNotIn("uncounted", region)

    def test_instant(self):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        _, _, root = self.counted(PAPI_EVENTS="rusage:::realtime=instant,rusage:::nvcsw")
        span = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - before
        definitions, regions = root["event_definitions"], root["threads"]["0"]["regions"]
        self.assertEqual([event["type"] for event in definitions.values()], ["instant", "delta"])
        # Since the counters were started: the region that ends last has the larger value, and it is no difference.
        self.assertGreater(regions["0"]["rusage:::realtime"], regions["1"]["rusage:::realtime"])
        self.assertLess(regions["0"]["rusage:::realtime"], span)

    def test_multiplex(self):
        result = self.run_program(PROGRAM, "100", PAPI_EVENTS="perf::PAGE-FAULTS,perf::TASK-CLOCK", PAPI_MULTIPLEX="1")
        if result.stderr:
            self.skipTest(result.stderr)
        root = self.load("papi_hl_output", "rank_0.json")
        self.assertTrue(all(event["multiplexed"] for event in root["event_definitions"].values()))
        self.assertGreater(root["threads"]["0"]["regions"]["0"]["perf::TASK-CLOCK"], 0)

    def test_debug_level_of_the_program_does_not_see_the_search(self):
        """PAPI_VERBOSE reports failed calls of the program: trying what can be counted is none."""
        self.assertEqual(self.counted(PAPI_VERBOSE="1")[1], "")


if __name__ == "__main__":
    harness.main()
