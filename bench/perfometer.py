# SPDX-License-Identifier: BSD-3-Clause
"""What perfometer itself costs while it shows 200 threads a thousand times a second, as its CPU time divided by the
time that has passed: perfometer.py [--check] [--seconds N] PERFOMETER CROWD. With --check, status 1 from half a
processor on.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

THREADS, RATE, LIMIT = 200, 1000, 0.5
VIRTUAL = "PAPI_TOT_INS,PAPI_LD_INS,PAPI_SR_INS,PAPI_BR_INS"
KERNEL = "perf::TASK-CLOCK,perf::PAGE-FAULTS"


def cpu_seconds(pid):
    """User and system time of a process."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_page(address, counts):
    """What a page does, as far as perfometer is concerned; how many samples it gets, and of how many lanes."""
    with urllib.request.urlopen(address.replace("/?", "/data?"), timeout=60) as answer:
        for line in answer:
            if b'"type":"sample"' in line:
                counts["samples"] += 1
                counts["lanes"] = len(json.loads(line[6:])["threads"])


def measure(arguments, events):
    """The share of a processor, and what a page was told meanwhile."""
    meter = subprocess.Popen([arguments.perfometer, "--rate", str(RATE), "-e", events, arguments.crowd, str(THREADS)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "PAPI_VPMU": "always"})
    line = meter.stderr.readline()
    match = re.fullmatch(r"perfometer: (http://\S+)\n", line)
    if not match or meter.stdout.readline() != "ready\n":
        meter.stdin.close()
        raise SystemExit(f"{events} cannot be shown: {line or 'perfometer has ended'}")
    counts = {"samples": 0, "lanes": 0}
    page = threading.Thread(target=read_page, args=(match[1], counts))
    page.start()
    time.sleep(1)
    cpu, begun, samples = cpu_seconds(meter.pid), time.monotonic(), counts["samples"]
    time.sleep(arguments.seconds)
    cpu, passed = cpu_seconds(meter.pid) - cpu, time.monotonic() - begun
    samples = counts["samples"] - samples
    meter.stdin.close()
    page.join()
    meter.wait(timeout=60)
    return cpu / passed, samples / passed, counts["lanes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("perfometer")
    parser.add_argument("crowd")
    arguments = parser.parse_args()
    worst = 0
    print(f"{THREADS} threads, {RATE} samples per second asked for, one page")
    for events in (KERNEL, VIRTUAL):
        share, samples, lanes = measure(arguments, events)
        print(f"{share:5.2f} of a processor, {samples:4.0f} samples per second of {lanes:3} lanes: {events}")
        worst = max(worst, share)
    return 1 if arguments.check and worst >= LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
