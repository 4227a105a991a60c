# SPDX-License-Identifier: BSD-3-Clause
"""Exact profiles of arm64 against a witness: how often each instruction of a program ran, by the log of an emulator
that does one instruction at a time. What a kernel adds is looked at: the run with it less the run without."""
import collections
import os
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
LIBRARIES = "/usr/aarch64-linux-gnu"
QEMU = ["qemu-aarch64", "-L", LIBRARIES]
KERNELS = ("quicksort", "fibonacci", "matrices", "strings", "memory", "interpreter", "jumps", "system calls",
           "stolen registers", "all registers", "signed pointers", "flags")
SCALABLE = "scalable vectors"
ENVIRONMENT = {**os.environ, "LD_BIND_NOW": "1"}  # the first call of a function is like the others
SIZE = 0x100000  # of the program's code, or more
LOGGED = re.compile(rb"\[[0-9a-f]+/0*([0-9a-f]+)/")


def run(mode, kernel, *options):
    processor = "max" if kernel == SCALABLE else "neoverse-n1"
    result = subprocess.run([*QEMU, "-cpu", processor, *options, PROGRAM, mode, kernel], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False, timeout=200, env=ENVIRONMENT)
    if result.returncode == 77:
        raise unittest.SkipTest(result.stdout.decode().strip())
    if result.returncode:
        raise AssertionError(result.stdout[-2000:] + result.stderr[-2000:])
    lines = result.stdout.decode().splitlines()
    return int(lines[0].split()[1], 16), [line.split() for line in lines[1:]], result.stderr


def profiled(kernel):
    base, lines, _ = run("print", kernel)
    return base, collections.Counter({int(pc, 16): int(times) for pc, times in lines})


def seen(kernel, base):
    """By the emulator, which logs to its standard error."""
    where, _, log = run("native", kernel, "-singlestep", "-d", "exec,nochain", "-dfilter", f"{base:#x}+{SIZE:#x}")
    if where != base:
        raise unittest.SkipTest("the emulator loads programs elsewhere each time")
    return collections.Counter(int(pc, 16) for pc in LOGGED.findall(log))


class Witness(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which(QEMU[0]):
            raise unittest.SkipTest("qemu-aarch64 is not installed")
        cls.base, cls.profile_without = profiled("none")
        cls.seen_without = seen("none", cls.base)

    def test_kernels(self):
        for kernel in (*KERNELS, SCALABLE):
            with self.subTest(kernel=kernel):
                base, profile = profiled(kernel)
                self.assertEqual(base, self.base)
                profile.subtract(self.profile_without)
                witness = seen(kernel, base)
                witness.subtract(self.seen_without)
                got = {hex(pc - base): times for pc, times in profile.items() if times}
                expected = {hex(pc - base): times for pc, times in witness.items() if times}
                self.assertGreater(sum(expected.values()), 30)
                self.assertEqual({pc: times for pc, times in expected.items() if got.get(pc) != times},
                                 {pc: times for pc, times in got.items() if expected.get(pc) != times})


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=1)
    if program.result.wasSuccessful() and program.result.skipped and not program.result.testsRun:
        print(program.result.skipped[0][1])
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
