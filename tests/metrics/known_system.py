# SPDX-License-Identifier: BSD-3-Clause
"""The metrics of group system, on a program that has the kernel do a known number of things.

    known_system.py KNOWN_SYSTEM FILE...

KNOWN_SYSTEM is the program (known_system.c), the files are those of data/metrics. What getrusage(2) says, inside of
what is counted and outside of it, has the counts between it. Rates are for a second of the processor's time as the same
event set has counted it; that is no known number, and is held against the clock of the thread and that of the wall: not
closely, since the kernel's clocks differ in what they make of interrupts, of the scheduler's work and of time that a
hypervisor takes. clock_rate needs cycles that a processor counts: its formula is tried with given counts, in
test_values.py.
"""
import os
import subprocess
import sys
import tempfile
import unittest

from test_values import other_names, read

PROGRAM, *FILES = sys.argv[1:]
GROUP = [group for group in read(FILES) if group.name == "system"][0]
TRIED = {"cpus_busy", "page_faults_per_second", "major_faults", "switches_per_second", "migrations_per_second"}


class System(unittest.TestCase):
    def metric(self, name, *arguments):
        """The metric, as "value", and what was looked at inside and outside."""
        lines = [line for line in other_names([GROUP], {}).splitlines() if line.startswith(f"METRIC,system_{name}_0,")]
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "groups")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(["GROUP,one,x"] + lines) + "\n")
            result = subprocess.run([PROGRAM, path, "one", *arguments], capture_output=True, text=True, check=False,
                                    timeout=120, env={**os.environ, "PAPI_VPMU": "off"})
        if result.returncode == 77 or "forbids counting in the kernel" in result.stderr:
            self.skipTest((result.stdout + result.stderr).strip())
        self.assertEqual(result.returncode, 0, result.stderr)
        found = {name: value for name, value, *_ in map(str.split, result.stdout.splitlines())}
        self.assertNotEqual(found[f"system_{name}_0"], "-", result.stdout)
        found = {name: float(value) for name, value in found.items()}
        found["value"] = found[f"system_{name}_0"]
        found["seconds"] = found.get("perf::TASK-CLOCK", 0) / 1e9
        return found

    def between(self, least, value, most):
        self.assertGreaterEqual(value, least * (1 - 1e-6))
        self.assertLessEqual(value, most * (1 + 1e-6))

    def test_none_is_left_out(self):
        self.assertEqual(set(GROUP.metrics) - {"clock_rate"}, TRIED)
        self.assertEqual({len(ways) for ways in GROUP.metrics.values()}, {1})

    def test_faults(self):
        """A page each."""
        found = self.metric("page_faults_per_second", "faults", "20000")
        self.assertGreaterEqual(found["inside.faults"], 20000)
        self.assertLess(found["outside.faults"], 22000)
        self.between(20000 / found["seconds"], found["value"], found["outside.faults"] / found["seconds"])

    def test_busy(self):
        found = self.metric("cpus_busy", "faults", "20000")
        self.between(found["inside.processor"] / 2, found["seconds"], 1.01 * found["outside.elapsed"])
        self.assertAlmostEqual(found["value"], found["seconds"] / found["outside.elapsed"], places=9)

    def test_disk(self):
        """Pages of a file that are no longer in memory."""
        found = self.metric("major_faults", "disk", "300")
        if found["inside.from_disk"] == 0:
            self.skipTest("files stay in memory here: this file system keeps what posix_fadvise throws out")
        self.between(found["inside.from_disk"], found["value"], found["outside.from_disk"])

    def test_switches(self):
        found = self.metric("switches_per_second", "switches", "500")
        # One that was late to sleep has not slept.
        self.assertGreater(found["inside.switches"], 250)
        self.between(found["inside.switches"] / found["seconds"], found["value"],
                     found["outside.switches"] / found["seconds"])

    def test_moves(self):
        """Each time to the other one of two CPUs, and to no third."""
        found = self.metric("migrations_per_second", "moves", "500")
        self.between(500 / found["seconds"], found["value"], 501 / found["seconds"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
