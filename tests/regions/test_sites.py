# SPDX-License-Identifier: BSD-3-Clause
"""PAPI_HL_BEGIN and PAPI_HL_END: an instruction each until the environment asks for regions, and then regions."""
import os
import platform
import subprocess
import unittest

import regions_harness as harness

SITES = "test_regions_sites"
SITES_CPP = "test_regions_sites_cpp"
PROBE = os.path.join(os.environ["PAPI_TOOLS"], "papi_probe")
ON_X86 = platform.machine() == "x86_64"


class SitesTest(harness.RegionsTest):
    def counts(self, *command, printed=None, **variables):
        """Instances of regions in all threads, by path; None where nothing was written."""
        result = self.run_program(*command, **variables)
        self.assertEqual((result.stderr, result.stdout), ("", printed or ""))
        if not os.path.exists(self.path("papi_hl_output")):
            self.assertEqual(os.listdir(self.directory), [])
            return None
        found = {}
        for thread in self.load("papi_hl_output", "rank_0.json")["threads"].values():
            for path, region in harness.regions_of(thread).items():
                found[path] = found.get(path, 0) + region["region_count"]
                self.assertNotIn("unfinished", region)
        return found

    @unittest.skipUnless(ON_X86, "the macros are calls on this processor")
    def test_nobody_looks(self):
        self.assertIsNone(self.counts(SITES, "regions", printed="0 names\n"))
        self.assertIsNone(self.counts(SITES, "regions", printed="0 names\n", PAPI_EVENTS="", PAPI_HL_SITES=""))
        self.assertIsNone(self.counts(SITES, "regions", printed="0 names\n", PAPI_REPORT="0"))

    @unittest.skipUnless(ON_X86, "the macros are calls on this processor")
    def test_not_wanted(self):
        self.assertIsNone(self.counts(SITES, "regions", printed="0 names\n", PAPI_EVENTS="perf::TASK-CLOCK",
                                      PAPI_HL_SITES="0"))

    def test_looked_at(self):
        expected = {"outer": 2, "outer/100% {inner}": 6, "thread": 40}
        for variables in ({"PAPI_EVENTS": "perf::PAGE-FAULTS"}, {"PAPI_HL_SITES": "1"},
                          {"PAPI_EVENTS": "PAPI_TOT_INS", "PAPI_VPMU": "always"}):
            with self.subTest(**variables):
                self.assertEqual(self.counts(SITES, "regions", printed="12 names\n", **variables), expected)
                os.unlink(self.path("papi_hl_output"))

    def test_a_report_is_asked_for(self):
        result = self.run_program(SITES, "regions", PAPI_REPORT="1")
        self.assertIn("100% {inner}", result.stdout)
        # Somebody else may ask for regions, without it.
        self.assertEqual(self.counts(SITES, "regions", printed="12 names\n", PAPI_REPORT="0", PAPI_HL_SITES="1"),
                         {"outer": 2, "outer/100% {inner}": 6, "thread": 40})

    @unittest.skipUnless(os.path.exists(os.path.join(harness.PROGRAMS, SITES_CPP)), "there is no C++ compiler")
    def test_cpp(self):
        self.assertEqual(self.counts(SITES_CPP, PAPI_HL_SITES="1"), {"scope": 6, "scope/template": 6})
        os.unlink(self.path("papi_hl_output"))

    @unittest.skipUnless(ON_X86, "the macros are calls on this processor")
    def test_cost(self):
        """A site is an instruction: a loop with two of them runs as many as one with two NOPs."""
        turns = 100000
        result = self.run_program(SITES, "cost", str(turns), PAPI_VPMU="always")
        for line in result.stdout.splitlines():
            with_sites, with_nops = map(int, line.split())
            self.assertGreater(with_nops, 4 * turns)
            self.assertLess(abs(with_sites - with_nops), 100)

    def look(self, pid, status=0):
        """papi_probe has a process look at its regions; what it said."""
        result = subprocess.run([PROBE, "--regions", "-p", str(pid)], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=60)
        if result.returncode and "may not be traced" in result.stderr:
            self.skipTest(result.stderr.strip())
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        return result.stderr

    @unittest.skipUnless(ON_X86, "the macros are calls on this processor")
    @unittest.skipUnless(os.path.exists(PROBE), "there is no papi_probe")
    def test_while_it_runs(self):
        """What happened before is in no count, the rest is; again is no harm."""
        with subprocess.Popen([os.path.join(harness.PROGRAMS, SITES), "wait"], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, cwd=self.directory, env=harness.environment()) as process:
            def turn():
                process.stdin.write("x")
                process.stdin.flush()
                return process.stdout.readline()
            try:
                before = [turn() for _ in range(3)]
                said = self.look(process.pid)
                after = [turn() for _ in range(2)]
                again = self.look(process.pid)
                after.append(turn())
            finally:
                process.stdin.close()
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual((before, after), (3 * ["0 names\n"], 3 * ["6 names\n"]))
        self.assertRegex(said, r"looks at [1-9]\d* sites of regions from now on, and did at 0 before")
        self.assertRegex(again, r"looks at 0 sites of regions from now on, and did at [1-9]\d* before")
        (thread,) = self.load("papi_hl_output", "rank_0.json")["threads"].values()
        self.assertEqual({path: region["region_count"] for path, region in harness.regions_of(thread).items()},
                         {"outer": 3, "outer/100% {inner}": 9})

    @unittest.skipUnless(os.path.exists(PROBE), "there is no papi_probe")
    def test_there_are_none(self):
        with subprocess.Popen(["sleep", "60"]) as process:
            try:
                said = self.look(process.pid, status=125)
            finally:
                process.kill()
        self.assertIn("has no regions of PAPI_HL_BEGIN" if ON_X86 else "are calls: programs count them from their "
                      "beginning", said)


if __name__ == "__main__":
    harness.main()
