# SPDX-License-Identifier: BSD-3-Clause
"""The examples with regions: one thread, an OpenMP team, and four ranks of MPI, merged by papi_hl_output_writer.

PAPI_EXAMPLES names the directory of the built examples, PAPI_WRITER the writer, MPIRUN the launcher of Open MPI.
"""
import json
import os
import subprocess

import regions_harness as harness

EXAMPLES = os.environ["PAPI_EXAMPLES"]
WRITER = os.environ["PAPI_WRITER"]
MPIRUN = os.environ["MPIRUN"]
RANKS = 4


class ParallelTest(harness.RegionsTest):
    def example(self, *names, launcher=(), **variables):
        """Runs an example that has been built; what it printed."""
        program = os.path.join(EXAMPLES, *names)
        if not os.path.exists(program):
            self.skipTest(f"{names[-1]} could not be built here")
        result = subprocess.run([*launcher, program], cwd=self.directory, stdin=subprocess.DEVNULL, text=True,
                                capture_output=True, timeout=300, env=harness.environment(**variables))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def merged(self, *options):
        """What the writer says about the run."""
        if not os.path.exists(WRITER):
            self.skipTest("papi_hl_output_writer is not built: jansson is missing")
        result = subprocess.run([WRITER, *options], cwd=self.directory, stdin=subprocess.DEVNULL, text=True,
                                capture_output=True, timeout=300)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def regions(self):
        root = json.loads(self.merged("--format", "json"))
        return root, {"/".join(region["path"]): region for region in root["regions"]}

    def test_one_thread(self):
        self.assertEqual(self.example("example_regions"), "10485760\n")
        root, regions = self.regions()
        self.assertEqual((root["ranks"], root["threads"]), (1, 1))
        self.assertEqual({path: region["region_count"]["total"] for path, region in regions.items()},
                         {"program": 1, "program/fill": 1, "program/sum": 10})
        inside = regions["program/fill"]["real_time_s"]["total"] + regions["program/sum"]["real_time_s"]["total"]
        self.assertLessEqual(inside, regions["program"]["real_time_s"]["total"])

    def test_openmp(self):
        self.example("example_regions_openmp", OMP_NUM_THREADS="4", OMP_DYNAMIC="false")
        root, regions = self.regions()
        self.assertEqual((root["ranks"], root["threads"]), (1, 4))
        # The thread that began "program" has its part of the team inside it.
        self.assertEqual({path: (region["threads"], region["region_count"]["total"])
                          for path, region in regions.items()},
                         {"program": (1, 1), "program/team": (1, 1), "program/team/step": (1, 3), "team": (3, 3),
                          "team/step": (3, 9)})
        self.assertLessEqual(regions["team/step"]["real_time_s"]["maximum"], regions["team"]["real_time_s"]["maximum"])

    def test_mpi(self):
        if not MPIRUN:
            self.skipTest("mpirun is missing (openmpi-bin)")
        launcher = [MPIRUN, "--oversubscribe", "--allow-run-as-root", "-np", str(RANKS)]
        for run in (1, 2):
            self.assertEqual(self.example("mpi", "example_regions_mpi", launcher=launcher,
                                          PAPI_EVENTS="perf::TASK-CLOCK,perf::PAGE-FAULTS"), "3.142\n")
            self.assertEqual(len(self.runs()), run)
        self.assertEqual(sorted(os.listdir(self.path("papi_hl_output"))), [f"rank_{i}.json" for i in range(RANKS)])
        self.check_mpi_merged()
        self.check_mpi_table()

    def check_mpi_merged(self):
        root, regions = self.regions()
        self.assertEqual((root["ranks"], root["threads"]), (RANKS, RANKS))
        self.assertEqual(set(regions), {"program", "program/compute", "program/exchange"})
        single = [self.load("papi_hl_output", f"rank_{i}.json")["threads"]["0"]["regions"] for i in range(RANKS)]
        for position, (path, times) in enumerate([("program", 1), ("program/compute", 10), ("program/exchange", 10)]):
            region = regions[path]
            self.assertEqual(region["region_count"], {"threads": RANKS, "total": RANKS * times, "minimum": times,
                                                      "median": times, "maximum": times})
            for event in root["events"]:
                values = sorted(one[str(position)][event] for one in single)
                statistics = region["events"][event]
                self.assertEqual([statistics[name] for name in ("total", "minimum", "median", "maximum")],
                                 [sum(values), values[0], (values[1] + values[2]) / 2, values[-1]])

    def check_mpi_table(self):
        lines = self.merged().splitlines()
        self.assertRegex(lines[0], rf"example_regions_mpi: {RANKS} ranks, {RANKS} threads")
        self.assertEqual(lines[2].split(), ["Region", "Total", "Share", "Minimum", "Median", "Maximum"])
        self.assertEqual([line.strip() for line in lines if line.strip() in ("program", "compute", "exchange")],
                         ["program", "compute", "exchange"])
        self.assertLessEqual(max(map(len, lines)), 80)


if __name__ == "__main__":
    harness.main()
