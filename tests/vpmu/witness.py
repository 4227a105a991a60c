# SPDX-License-Identifier: BSD-3-Clause
"""Counts of the virtual PMU beside those of three of Valgrind's tools, which share nothing with it.

VPMU_WITNESS is the program. It counts its functions itself, natively; then Valgrind runs the same functions of it.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["VPMU_WITNESS"]
CACHE = {"PAPI_VPMU_CACHE": "L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/64,L3=none"}
GEOMETRY = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"]
SUBJECTS = ["subject_sort", "subject_matrix", "subject_chase", "subject_sieve", "subject_table", "subject_fib"]
# VEX joins and unrolls pieces of code; then what lackey sees is not what ran.
PLAIN = ["--vex-guest-chase=no", "--vex-iropt-unroll-thresh=0"]

ours = {}


def setUpModule():
    if not shutil.which("valgrind"):
        print("there is no valgrind to compare with: install the package valgrind")
        sys.exit(77)
    result = subprocess.run([PROGRAM, "count"], env=dict(os.environ, **CACHE), stdout=subprocess.PIPE, text=True,
                            check=False, timeout=60)
    if result.returncode == 77:
        print(result.stdout.strip())
        sys.exit(77)
    if result.returncode:
        raise AssertionError(result.stdout)
    names = ["instructions", "loads", "stores", "branches", "taken", "read_misses", "write_misses"]
    for line in result.stdout.splitlines():
        subject, *counts = line.split()
        ours[subject] = dict(zip(names, map(int, counts)))


def valgrind(tool, *arguments, subject, times):
    """What the tool says on standard error."""
    command = ["valgrind", f"--tool={tool}", *arguments, PROGRAM, "run", subject, str(times)]
    result = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False,
                            timeout=300)
    if result.returncode:
        raise AssertionError(result.stderr)
    return result.stderr


def at_once(function, items):
    """The results, in order; valgrind uses one processor."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(items, pool.map(function, items)))


class Callgrind(unittest.TestCase):
    def test_instructions(self):
        """Of a function, from its first instruction to its ret: the same number."""
        def count(subject):
            said = valgrind("callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={subject}",
                            subject=subject, times=1)
            return int(re.search(r"Collected : (\d+)", said).group(1))

        for subject, counted in at_once(count, SUBJECTS).items():
            with self.subTest(subject):
                self.assertGreater(counted, 10000)
                self.assertEqual(counted, ours[subject]["instructions"])


class Lackey(unittest.TestCase):
    """It counts the whole process: a process that calls the function once is compared with one that does not."""

    def count(self, subject, times):
        said = valgrind("lackey", "--basic-counts=yes", "--detailed-counts=yes", *PLAIN, subject=subject, times=times)

        def number(pattern):
            return int(re.search(pattern, said).group(1).replace(",", ""))

        types = re.findall(r"== +[IFVD]\d+ +([\d,]+) +([\d,]+) +[\d,]+", said)
        return {"instructions": number(r"guest instrs: +([\d,]+)"), "branches": number(r"total: +([\d,]+)"),
                "taken": number(r"taken: +([\d,]+)"),
                "loads": sum(int(loads.replace(",", "")) for loads, _ in types),
                "stores": sum(int(stores.replace(",", "")) for _, stores in types)}

    def test_loads_stores_branches(self):
        def difference(subject):
            without, once = self.count(subject, 0), self.count(subject, 1)
            return {what: once[what] - without[what] for what in once}

        theirs = at_once(difference, ["subject_nothing", *SUBJECTS])
        # What calling a function takes is the same for all; of the one that does nothing the rest is known.
        call = {what: count - ours["subject_nothing"][what] for what, count in theirs["subject_nothing"].items()}
        self.assertLess(max(call.values()), 20)
        for subject in SUBJECTS:
            with self.subTest(subject):
                self.assertEqual({what: count - call[what] for what, count in theirs[subject].items()},
                                 {what: ours[subject][what] for what in call})


class Cachegrind(unittest.TestCase):
    """
    Misses of the L1 data cache of the same geometry. What differs is what the cache holds when the function begins:
    there it is what the preparation left behind, here nothing, since the counting thread's cache is empty when it first
    counts and keeps what its regions touched. That is 512 lines at most, the whole cache: little for a function whose
    data is much larger, as that of all these is.
    """

    def count(self, subject):
        with tempfile.NamedTemporaryFile() as file:
            valgrind("cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={file.name}", *GEOMETRY, subject=subject,
                     times=1)
            return self.misses(file.name, subject)

    @staticmethod
    def misses(path, subject):
        """Of the function and of those that it alone calls."""
        functions = {subject, subject.replace("subject_", "")}
        total, inside, columns = {"read_misses": 0, "write_misses": 0}, False, []
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("events:"):
                    columns = line.split()[1:]
                elif line.startswith("fn="):
                    inside = line[3:].strip() in functions
                elif inside and line[0].isdigit():
                    counts = dict(zip(columns, map(int, line.split()[1:])))
                    total["read_misses"] += counts["D1mr"]
                    total["write_misses"] += counts["D1mw"]
        return total

    def test_data_misses(self):
        for subject, theirs in at_once(self.count, SUBJECTS[:5]).items():
            with self.subTest(subject):
                expected = sum(theirs.values())
                got = ours[subject]["read_misses"] + ours[subject]["write_misses"]
                self.assertGreater(expected, 10000)
                self.assertLessEqual(abs(got - expected), 0.01 * expected, (theirs, ours[subject]))


if __name__ == "__main__":
    unittest.main()
