# SPDX-License-Identifier: BSD-3-Clause
"""Exact profiles of processes that run already: an agent comes, profiles from then on, and leaves, again and again."""
import collections
import json
import os
import signal
import subprocess
import time
import unittest

from capture_harness import CaptureTest, main, PAPI_PROFILE
from test_exact import ENVIRONMENT, PAPI_RUN

SUBJECT = os.environ["PAPI_PROFILE_REGIONS"]
INSTRUCTIONS = "PAPI_TOT_INS"
ENOUGH = 100 * 100001  # for what is cut off at both ends to be little


def setUpModule():
    """Whether this machine lets an agent in; if not, the reason."""
    target = subprocess.Popen(["sleep", "2"])
    result = subprocess.run([PAPI_RUN, "-e", INSTRUCTIONS, "-p", str(target.pid)], capture_output=True, check=False,
                            timeout=60, env=ENVIRONMENT, text=True)
    target.kill()
    target.wait()
    for reason in ("component vpmu is disabled", "is not here", "without libdw", "may not be traced",
                   "cannot be stopped (ptrace)"):
        if reason in result.stderr:
            raise unittest.SkipTest(" ".join(result.stderr.split()))


class Attach(CaptureTest):
    NEEDS_PERMISSION = False

    def begin(self):
        """A process that works outside of regions, and twice as much in one, in two threads, until it is ended."""
        process = subprocess.Popen([SUBJECT, "forever"], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, text=True,
                                   env={**ENVIRONMENT, "PAPI_EVENTS": "perf::CONTEXT-SWITCHES", "PAPI_REPORT": "0",
                                        "PAPI_OUTPUT_DIRECTORY": self.path("results")})
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def try_to_visit(self, process, *options):
        return subprocess.run([PAPI_PROFILE, "-x", "-p", str(process.pid), "-t", "0.3", *options], text=True,
                              cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              check=False, env=ENVIRONMENT)

    def visit(self, process, *options, status=0):
        result = self.try_to_visit(process, *options)
        # A thread that was in the library when the visit before had to end goes by itself, when it next runs.
        for _ in range(20):
            if "left behind" not in result.stderr:
                break
            time.sleep(0.5)
            result = self.try_to_visit(process, *options)
        self.assertEqual(result.returncode, status, result.stderr)
        # Its counters ran beside, and have the same sum.
        self.assertNotIn("incomplete", result.stderr)
        return result.stderr

    def report(self, *arguments):
        report = json.loads(subprocess.run([PAPI_PROFILE, "report", "--json", *arguments], cwd=self.directory,
                                           check=True, capture_output=True, text=True, timeout=120).stdout)
        rows = collections.Counter()
        for row in report["rows"]:
            rows[row["name"]] += row["values"][0]["value"]
        return report, rows

    def visit_until_it_worked(self, process, *options):
        """Where there is much else to do a moment is not enough for the work that is compared."""
        for seconds in ("0.3", "1", "3", "10", "30"):
            told = self.visit(process, "-t", seconds, *options)
            if self.report("--region", "")[1]["work"] > ENOUGH:
                break
        return told

    def check(self, threads=2):
        report, rows = self.report("--by", "region")
        self.assertEqual(report["run"]["source"], "exact")
        self.assertEqual(sum(rows.values()), report["events"][0]["value"])
        self.assertEqual(len(self.report("--by", "thread")[1]), threads)
        _, outside = self.report("--region", "")
        _, inside = self.report("--region", "loop")
        self.assertGreater(outside["work"], ENOUGH)
        self.assertAlmostEqual(inside["work"] / outside["work"], 200001 / 100001, delta=0.1)
        self.assertEqual([name for name in os.listdir(self.directory) if ".raw." in name], [])

    def test_again_and_again(self):
        process = self.begin()
        for options in ((), (), ("-g", "none"), ("-e", f"{INSTRUCTIONS},PAPI_L1_DCM")):
            with self.subTest(options=options):
                told = self.visit_until_it_worked(process, *options)
                self.assertIn("counted from", told)
                self.assertNotIn("brought back", told)
                self.check()
        self.assertIsNone(process.poll())

    def test_after_it_was_counted(self):
        process = self.begin()
        counting = subprocess.Popen([PAPI_RUN, "-e", INSTRUCTIONS, "-o", self.path("counts"), "-p", str(process.pid),
                                     "-I", "50"], env=ENVIRONMENT, stdin=subprocess.DEVNULL)
        self.wait_until(lambda: os.path.exists(self.path("counts")) and os.path.getsize(self.path("counts")) > 200,
                        "counts")
        counting.send_signal(signal.SIGINT)
        self.assertEqual(counting.wait(timeout=60), 0)
        self.visit_until_it_worked(process)
        self.check()

    def test_until_it_ends(self):
        process = self.begin()
        profiler = subprocess.Popen([PAPI_PROFILE, "-x", "-p", str(process.pid)], cwd=self.directory, text=True,
                                    stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
        # Its counters are there when threads have been moved, and a moment later something is in them.
        self.wait_until(lambda: b".counts" in self.maps(process.pid), "counters")
        time.sleep(1)
        process.kill()
        self.assertEqual(profiler.wait(timeout=60), 0, profiler.stderr.read())
        profiler.stderr.close()
        self.assertGreater(self.report()[1]["work"], 0)
        self.assertEqual([name for name in os.listdir(self.directory) if ".raw." in name], [])

    def test_killed(self):
        """The threads leave by themselves, with the simulators and calls that they have."""
        process = self.begin()
        profiler = subprocess.Popen([PAPI_PROFILE, "-x", "-e", f"{INSTRUCTIONS},PAPI_L1_DCM", "-p", str(process.pid)],
                                    cwd=self.directory, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
        self.addCleanup(self.end, profiler)
        self.wait_until(lambda: b".counts" in self.maps(process.pid), "counters")
        time.sleep(0.5)
        profiler.kill()
        profiler.wait(timeout=60)
        self.wait_until(lambda: len(os.listdir(f"/proc/{process.pid}/task")) == 2, "the agent to go")
        self.assertIn("counted from", self.visit(process, "-o", self.path("again")))
        self.assertIsNone(process.poll())

    @staticmethod
    def maps(pid):
        with open(f"/proc/{pid}/maps", "rb") as file:
            return file.read()

    def test_refused(self):
        process = self.begin()
        self.assertIn("can be profiled exactly", self.visit(process, "-e", "perf::PAGE-FAULTS", status=2))
        with open(self.path(), "w", encoding="ascii") as file:
            file.write("precious")
        self.assertIn("is no profile", self.visit(process, status=125))
        self.assertNotIn(b"papi_agent", self.maps(process.pid))


if __name__ == "__main__":
    main()
