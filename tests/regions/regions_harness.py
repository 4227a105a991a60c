# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of regions share: running a program in a directory of its own, and reading what it left there.

PAPI_REGIONS names the directory of the built programs.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = os.environ["PAPI_REGIONS"]

# Of launchers that this test may itself be run by, and of the user.
FOREIGN = ("OMPI_", "PMIX_", "PMI_", "MV2_", "PALS_", "FLUX_", "SLURM_", "PAPI_EVENTS", "PAPI_METRICS",
           "PAPI_OUTPUT_DIRECTORY", "PAPI_REPORT", "PAPI_MULTIPLEX", "PAPI_HL_")


def environment(**variables):
    """The environment of the test without what regions look at, and with variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return {**kept, **variables}


class RegionsTest(unittest.TestCase):
    """A test with a directory."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="papi-regions-")
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def run_program(self, program, *arguments, status=0, **variables):
        """Runs a program to its end; what it printed."""
        result = subprocess.run([os.path.join(PROGRAMS, program), *arguments], cwd=self.directory, text=True,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                                env=environment(**variables))
        if result.returncode == 77:
            self.skipTest(result.stdout.strip())
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def load(self, *names):
        with open(self.path(*names), encoding="utf-8") as stream:
            return json.load(stream)

    def runs(self):
        """The directories of runs, in the order of their names."""
        return sorted(name for name in os.listdir(self.directory) if name.startswith("papi_hl_output-"))

    def assert_no_leftovers(self):
        """Nothing but results and what the test has made: no temporary files."""
        for parent, _, files in os.walk(self.directory):
            for name in files:
                self.assertFalse(name.startswith("."), os.path.join(parent, name))


def regions_of(thread):
    """The regions of a thread by their paths: {"a/b": {...}}."""
    paths, found = {}, {}
    for number, region in thread["regions"].items():
        parent = region["parent_region_id"]
        paths[int(number)] = region["name"] if parent < 0 else paths[parent] + "/" + region["name"]
        found[paths[int(number)]] = region
    return found


def main():
    program = unittest.main(verbosity=2, exit=False)
    result = program.result
    if result.testsRun > 0 and len(result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() else 1)
