# SPDX-License-Identifier: BSD-3-Clause
"""The heap of a program at a fixed address grows as it does alone, while it is counted: code lies near the program.

Where a heap begins differs from run to run, anywhere in the first gibibyte: so there are many. PAPI_TOOLS is where
papi_run is, HEAP the program of heap.c.
"""
import os
import subprocess
import sys

RUNS = 40
MEGABYTES = 160


def main():
    environment = dict(os.environ, PAPI_VPMU="always")
    program = [os.environ["HEAP"], str(MEGABYTES)]
    papi_run = [os.path.join(os.environ["PAPI_TOOLS"], "papi_run"), "-o", os.devnull, "-e", "PAPI_TOT_INS"]
    alone = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    if alone.returncode:
        print(f"skipped: the heap cannot grow here: {alone.stdout.strip()}")
        return 77
    for _ in range(RUNS):
        counted = subprocess.run([*papi_run, *program], env=environment, capture_output=True, text=True, check=False)
        if counted.returncode == 2:
            print(f"skipped: nothing is counted virtually here: {counted.stderr.strip()}")
            return 77
        if counted.returncode:
            print(f"the heap cannot grow while the program is counted: {counted.stdout.strip()}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
