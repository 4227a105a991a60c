#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs with the plain model beside the simulators, which count the same to the unit.

    bench/corpus_reference.py BUILD [--programs gawk,fib] [--json FILE] [--check]

Each program of corpus.py runs once with the library of tests/vpmu/checked.c, which compares all modelled counters each
time that a trace has run through the models, and ends the program at the first difference. It takes minutes.
"""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import corpus


def check(papi_run, command, environment, number):
    """What is wrong, and how many records have been compared."""
    number.write_bytes(bytes(8))
    done = subprocess.run([papi_run, "-o", os.devnull, "-e", ",".join(corpus.MODELLED), *command], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False)
    said = [line for line in done.stderr.splitlines() if line.startswith("checked:")]
    return said[0] if said else "", struct.unpack("=Q", number.read_bytes())[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser)
    options = parser.parse_args()
    papi_run = corpus.papi_run_of(options.build)
    library = options.build.resolve() / "tests/vpmu/libpapi_checked.so"
    if not library.exists():
        sys.exit(f"corpus_reference.py: no {library}: build with the tests (make)")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        number = pathlib.Path(folder) / "records"
        (pathlib.Path(folder) / "libpapi.so.7.0").symlink_to(library)
        environment = {**corpus.environment_of_programs(), "LD_LIBRARY_PATH": folder, "CHECKED_RECORDS": str(number),
                       "PAPI_VPMU_MODEL": "recorded"}
        print(f"{'':12}{'records compared':>18}", flush=True)
        for name, command in corpus.each_program(options, folder, environment):
            wrong, n = check(papi_run, command, environment, number)
            results[name] = {"records": n, "wrong": wrong}
            print(f"{name:12}{n:>18}  {wrong}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    corpus.end([f"{name}: {result['wrong'] or 'nothing has been compared'}" for name, result in results.items()
                if result["wrong"] or not result["records"]], options.check)


if __name__ == "__main__":
    main()
