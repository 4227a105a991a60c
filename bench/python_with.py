#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an empty `with papi.count(...)` costs in instructions, with the interpreter that runs this.

    PAPI_LIBRARY=build/src/libpapi.so PYTHONPATH=python/src python3 bench/python_with.py

What is inside of the count is counted by translation, with the interpreter's code adapted and no garbage collected; all
of it, with what is before and behind the counted part, by callgrind, for an event of the kernel: the difference of a
program that does it 40,000 times and one that does so half as often.
"""
import gc
import os
import re
import shutil
import subprocess
import sys

import papi

ONE = ("PAPI_TOT_INS",)
FOUR = ("PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_L1_DCM", "PAPI_BR_MSP")
TIMES = 20000
LOOP = """import gc, sys, papi
gc.disable()
c = papi.count("perf::PAGE-FAULTS")
for _ in range(int(sys.argv[1])):
    with c:
        pass
"""


def nothing():
    pass


def empty(c):
    with c:
        pass


def a_hundred_passes(c):
    with c:
        for _ in range(100):
            pass


def a_hundred_calls(c):
    with c:
        for _ in range(100):
            nothing()


def instructions(work, events=ONE):
    """Of the last of forty times."""
    c = papi.count(*events)
    for _ in range(40):
        work(c)
    return c["PAPI_TOT_INS"]


def callgrind(times):
    result = subprocess.run(["setarch", "-R", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                             sys.executable, "-c", LOOP, str(times)], capture_output=True, text=True, check=True,
                            env={**os.environ, "PYTHONHASHSEED": "0", "PAPI_VPMU": "off"})
    return int(re.search(r"Collected : (\d+)", result.stderr)[1])


def main():
    if os.environ.get("PAPI_VPMU") != "always":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PAPI_VPMU": "always"})
    gc.disable()
    print(sys.implementation.name, sys.version.split()[0])
    print(f"{instructions(empty):8,}  in an empty with, of one event")
    print(f"{instructions(empty, FOUR):8,}  of four events")
    print(f"{(instructions(a_hundred_calls) - instructions(a_hundred_passes)) / 100:8,.0f}  "
          "for a call of an empty function in it")
    if shutil.which("valgrind"):
        print(f"{(callgrind(2 * TIMES) - callgrind(TIMES)) / TIMES:8,.0f}  in all, with the pass of a loop (callgrind)")
    else:
        print("          in all: not measured, valgrind is not installed")


main()
