# SPDX-License-Identifier: BSD-3-Clause
"""What a program has of being watched with events of the kernel: nothing. No instruction, no system call, nothing in
its environment. (bench/perfometer.py measures what perfometer takes for itself.)"""
import os
import re
import shutil
import subprocess
import unittest

from meter import is_virtual, LOOPER, main, MeterTest, PAGE_FAULTS, TASK_CLOCK, TOOLS

EVENTS = f"{TASK_CLOCK},{PAGE_FAULTS}"


class Nothing(MeterTest):
    def watched(self, *command, **how):
        """Runs a command alone and under a perfometer; what it printed each time."""
        alone = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                               check=False, **how)
        under = self.run_it("--no-page", "--record", self.path("recording"), "-e", EVENTS, "--rate", "10", *command,
                            **how)
        self.assertEqual(alone.returncode, under.returncode, under.stderr)
        return alone, under

    def test_environment_and_descriptors(self):
        alone, under = self.watched("sh", "-c", "env | sort; ls -l /proc/self/fd | wc -l")
        self.assertEqual(alone.stdout, under.stdout)
        self.assertIn("PATH=", under.stdout)

    def calls(self, path):
        """How often each system call was made, of all threads and children."""
        with open(path, encoding="utf-8") as file:
            rows = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", file.read(), re.M)
        return {name: int(number) for number, name in rows if name != "total"}

    def test_system_calls(self):
        """Of threads and children, as strace counts them."""
        strace, path = shutil.which("strace"), self.path("calls")
        if not strace:
            self.skipTest("there is no strace")
        counted = []
        command = (strace, "-f", "-c", "-o", path, LOOPER, "stfqv", "300000000")
        for under in (False, True):
            if under:
                result = self.run_it("--no-page", "--record", self.path("recording"), "-e", EVENTS, "--rate", "100",
                                     *command)
            else:
                result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                                        check=False)
            if re.search("ptrace|not permitted", result.stderr):
                self.skipTest(f"strace cannot trace: {result.stderr}")
            self.assertEqual(result.returncode, 7, result.stderr)
            counted.append(self.calls(path))
        self.assertGreater(counted[0].get("clone3", 0) + counted[0].get("clone", 0), 1)
        self.assertEqual(counted[0], counted[1])

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_instructions(self):
        """Counted by papi_run within the perfometer, and alone."""
        counted = self.watched(os.path.join(TOOLS, "papi_run"), "--reproducible", "--format", "csv", "-e",
                               "PAPI_TOT_INS,PAPI_LD_INS,PAPI_SR_INS", LOOPER, "stf", "300000000",
                               env={**os.environ, "PAPI_VPMU": "always"})
        alone, under = ([int(count) for count in re.findall(r"^PAPI_\w+,(\d+),", result.stderr, re.M)]
                        for result in counted)
        self.assertEqual(len(alone), 3)
        self.assertGreater(alone[0], 3 * 600000000)
        # To the unit, which is less than a thousandth.
        self.assertEqual(alone, under)
        with open(self.path("recording"), encoding="utf-8") as file:
            self.assertGreater(file.read().count('"sample"'), 2)


if __name__ == "__main__":
    main()
