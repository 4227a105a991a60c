#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Modelled misses of whole programs beside those of cachegrind, which shares nothing with the models but the geometry.

    bench/corpus_cachegrind.py BUILD [--programs gawk,fib] [--json FILE] [--check]

Each program of corpus.py runs under papi_run and under cachegrind, both with caches of one geometry, and with the same
variants of the C library's functions: those that need no more than Valgrind's processor has. The heap is not quite the
same in both, since each brings libraries of its own, and where it begins in its page decides which lines meet in a set:
so each counts several times, with the heap shifted. For each kind of miss there are our median, how far that is from
cachegrind's in percent, and how far cachegrind is from itself (the range of its counts). --check exits with 1 where the
ranges of the two are more than 1 % apart, of counts of a hundred thousand misses or more: of fewer, much happens before
the program begins.

cachegrind takes addresses as they are, where the models number pages. So that the same lines meet all the same, no way
of a cache is larger than a page.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import corpus

OURS = {"PAPI_VPMU_CACHE": "L1I=32K/8/64,L1D=32K/8/64,L2=256K/64/64,L3=none"}
THEIRS = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=262144,64,64")
# Valgrind's processor has no AVX-512, and strings from another size on are moved by rep.
VARIANTS = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-ERMS,-FSRM,-RTM," \
           "-Prefer_No_VZEROUPPER"
# Name: our event, cachegrind's.
MISSES = {"L1I": ("PAPI_L1_ICM", ("I1mr",)), "L1D": ("PAPI_L1_DCM", ("D1mr", "D1mw")),
          "L2": ("PAPI_L2_TCM", ("ILmr", "DLmr", "DLmw"))}
LIMIT = 1  # percent
FEW = 100000  # misses
SHIFTS = (16, 1000, 2600)  # bytes: of the heap


def run(front, command, environment):
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(front + command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise OSError(f"{front[0]} cannot run it: {done.stderr.strip()[-200:]}")


def count(papi_run, command, environment, folder):
    report = folder / "report.json"
    events = ",".join(event for event, _ in MISSES.values())
    # Both count the program with the same environment.
    run([papi_run, "--reproducible", "--keep-env", ",".join(environment), "--format", "json", "-o", report,
         "-e", events], command, {**environment, **OURS})
    counts = {event["name"]: event["count"] for event in json.loads(report.read_text())["events"]}
    return {name: counts[event] for name, (event, _) in MISSES.items()}


def summary(path):
    """Name of an event: its sum in a file of cachegrind's."""
    lines = dict(line.split(":", 1) for line in path.read_text(errors="replace").splitlines()
                 if line.startswith(("events:", "summary:")))
    return dict(zip(lines["events"].split(), map(int, lines["summary"].split())))


def witness(command, environment, folder):
    """Of all its processes."""
    run(["valgrind", "--tool=cachegrind", "--trace-children=yes", "--cache-sim=yes", *THEIRS, "-q",
         f"--cachegrind-out-file={folder}/cachegrind.%p"], command, environment)
    sums = [summary(path) for path in folder.glob("cachegrind.*")]
    return {name: sum(one[event] for one in sums for event in events) for name, (_, events) in MISSES.items()}


def count_shifted(papi_run, command, environment, preload):
    """Of each shift of the heap: what both count."""
    ours, theirs = [], []
    for shift in SHIFTS:
        shifted = {**environment, "LD_PRELOAD": str(preload), "SHIFT_HEAP": str(shift)}
        with tempfile.TemporaryDirectory() as folder:
            ours.append(count(papi_run, command, shifted, pathlib.Path(folder)))
            theirs.append(witness(command, shifted, pathlib.Path(folder)))
    return ours, theirs


def compare(ours, theirs):
    """Of each kind of miss, in the order of the shifts: what both have counted."""
    found = {}
    for name in MISSES:
        mine, others = ([counts[name] for counts in both] for both in (ours, theirs))
        middle = statistics.median(others)
        found[name] = {"ours": mine, "cachegrind": others,
                       "percent": 100 * (statistics.median(mine) - middle) / middle if middle else 0.0,
                       "range": 100 * (max(others) - min(others)) / middle if middle else 0.0,
                       "apart": 100 * max(min(mine) - max(others), min(others) - max(mine), 0) / middle
                       if middle else 0.0}
    return found


def exceeded(results):
    """What is above the limit, as sentences."""
    return [f"{name} of {program}: {cell['apart']:.2f} % from cachegrind's, at most {LIMIT}"
            for program, cells in results.items() for name, cell in cells.items()
            if cell["apart"] > LIMIT and max(cell["cachegrind"]) >= FEW]


def line(title, cells):
    print(f"{title:12}" + "".join(f"{cell:>27}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser)
    options = parser.parse_args()
    papi_run = corpus.papi_run_of(options.build)
    preload = options.build.resolve() / "bench/libshift.so"
    environment = {**corpus.environment_of_programs(), "GLIBC_TUNABLES": VARIANTS}
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        line("misses, %", MISSES)
        for name, command in corpus.each_program(options, folder, environment):
            try:
                results[name] = compare(*count_shifted(papi_run, command, environment, preload))
            except OSError as error:  # AVX-512 is unknown to Valgrind
                print(f"left out: {name}: {error}")
                continue
            line(name, [f"{statistics.median(cell['ours']):>11} {cell['percent']:+7.2f} {cell['range']:>6.2f}"
                        for cell in results[name].values()])
    if not results:
        sys.exit("corpus_cachegrind.py: there is no program to compare")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    corpus.end(exceeded(results), options.check)


if __name__ == "__main__":
    main()
