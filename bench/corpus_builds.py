#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a change does to the cost of counting whole programs: a build against one from before it.

    bench/corpus_builds.py BUILD BEFORE [--programs gawk,fib] [--ways exact,BR_MSP] [--rounds 5] [--json FILE] [--check]

The programs of corpus.py run under papi_run of both builds in turns, one first and then the other. A cell is the median
over the rounds of the processor time with BUILD over that with BEFORE, and behind it how far half of the rounds are
from one another: a change is seen where that is less than the distance to 1. --check exits with 1 where a median is
above 1.05 and three quarters of the rounds are above 1. Unless told, the ways are exact events, BR_MSP, L1_DCM and all
modelled events: code that has not changed may become slower, too, by lying at other addresses.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import corpus

WAYS = "exact,BR_MSP,L1_DCM,all"
LIMIT = 1.05


def compare(command, way, others, rounds, environment):
    """The quartiles of the ratios; None where it fails."""
    ratios = []
    for i in range(rounds):
        times = {}
        for which in (0, 1) if i % 2 else (1, 0):
            extra, front = (way, others)[which]
            times[which] = corpus.processor_time(front + command, {**environment, **extra})
        if None in times.values() or not times[1]:
            return None
        ratios.append(times[0] / times[1])
    return statistics.quantiles(ratios, n=4, method="inclusive")


def cell(quartiles):
    return f"{'fails':>16}" if quartiles is None else f"{quartiles[1]:>9.2f} ({quartiles[2] - quartiles[0]:.2f})"


def exceeded(results):
    """What has become slower, as sentences."""
    found = [(f"{way} of {name}", quartiles) for name, row in results.items() for way, quartiles in row.items()]
    failed = [f"{what} fails" for what, quartiles in found if quartiles is None]
    return failed + [f"{what}: {quartiles[1]:.2f} of the time before, at most {LIMIT}" for what, quartiles in found
                     if quartiles is not None and quartiles[1] > LIMIT and quartiles[0] > 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser)
    parser.add_argument("before", type=pathlib.Path, help="where it has been built as it was")
    parser.add_argument("--ways", default=WAYS, help=f"of counting, by name, between commas; {WAYS} unless told")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.rounds < 3:
        sys.exit("corpus_builds.py: fewer than three rounds tell nothing")
    environment = corpus.environment_of_programs()
    ways, before = (corpus.ways_of(corpus.papi_run_of(build)) for build in (options.build, options.before))
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        chosen = corpus.choose("way", options.ways, [way for way in ways if ways[way] != before[way]])
        print(f"{'':10}" + "".join(f"{way:>16}" for way in chosen), flush=True)
        for name, command in corpus.each_program(options, folder, environment):
            results[name] = {}
            print(f"{name:10}", end="", flush=True)
            for way in chosen:
                results[name][way] = compare(command, ways[way], before[way], options.rounds, environment)
                print(cell(results[name][way]), end="", flush=True)
            print()
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    corpus.end(exceeded(results), options.check)


if __name__ == "__main__":
    main()
