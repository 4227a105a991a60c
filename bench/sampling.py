#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What sampling costs the program that is sampled: its processor time as a multiple of that alone.

    bench/sampling.py BUILD [--rounds 25] [--frequency 1000] [--check]

The program (a quicksort of bench/virtual) runs alone, under papi_profile, and alone again, in turns; a ratio is that of
the middle one to the mean of the others. The time is what the kernel has counted for the program, of which samples are
a part; what papi_profile takes beside it, to read them and write the profile, is said apart. --check exits with 1 where
the median of the ratios is above 1.02.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

LIMIT = 1.02
PROGRAM = ["--run", "quicksort", "150"]


def seconds(usage):
    return usage.ru_utime + usage.ru_stime


def tell_own(path, command):
    """In place of the program: runs it, and writes what it took."""
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    pathlib.Path(path).write_text(repr(seconds(resource.getrusage(resource.RUSAGE_CHILDREN))), encoding="ascii")
    sys.exit(status)


def run(front, program, folder):
    """Processor time of the program, and of all together."""
    own = os.path.join(folder, "own")
    done = subprocess.Popen([*front, sys.executable, __file__, "--own", own, *program], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)
    said = done.stderr.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode:
        sys.exit(f"sampling.py: {front or program}: exit status {done.returncode}: {said.decode(errors='replace')}")
    return float(pathlib.Path(own).read_text(encoding="ascii")), seconds(usage)


def main():
    if sys.argv[1:2] == ["--own"]:
        tell_own(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description="the cost of sampling")
    parser.add_argument("build", type=pathlib.Path, help="where the project has been built")
    parser.add_argument("--rounds", type=int, default=25, help="25 unless told")
    parser.add_argument("--frequency", type=int, default=1000, help="samples in a second; 1000 unless told")
    parser.add_argument("--check", action="store_true", help="exit with 1 where the limit is exceeded")
    options = parser.parse_args()
    build = options.build.resolve()
    papi_profile, program = str(build / "tools/papi_profile"), [str(build / "bench/virtual"), *PROGRAM]
    if not os.path.exists(papi_profile) or not os.path.exists(program[0]):
        sys.exit(f"sampling.py: no papi_profile and bench in {options.build}: build first (make)")
    with tempfile.TemporaryDirectory() as folder:
        front = [papi_profile, "-F", str(options.frequency), "-o", os.path.join(folder, "profile")]
        alone, ratios, besides = run([], program, folder)[0], [], []
        for _ in range(max(2, options.rounds)):
            sampled, everything = run(front, program, folder)
            again = run([], program, folder)[0]
            ratios.append(2 * sampled / (alone + again))
            besides.append(everything - sampled)
            alone = again
    first, middle, last = statistics.quantiles(ratios, n=4)
    print(f"the program: {middle:.3f} times its own processor time, quartiles {first:.3f} and {last:.3f}")
    print(f"papi_profile and Python beside it: {statistics.median(besides) / alone:.3f} of that")
    sys.exit(1 if options.check and middle > LIMIT else 0)


if __name__ == "__main__":
    main()
