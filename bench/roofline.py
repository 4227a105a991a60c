#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The roofs that papi_roofline measures beside those that likwid-bench reaches, which shares nothing with it.

    bench/roofline.py BUILD [--rounds 30] [--cpus one,all] [--peaks memory,"double 512"] [--json FILE]

Both measure in turns, over as much memory, on as many CPUs and with the same vectors. For bandwidth the best counts of
likwid's load, copy, stream and triad with the two widest vectors of the machine, for operations its kernel of
the row's. Each round is one measurement of papi_roofline and three runs of each kernel of likwid-bench; the best of all
rounds counts on both sides, for whatever disturbs a measurement makes it slower. A row is done when the best of neither
side has risen by more than 1 % in three rounds and they are within 10 % of each other; otherwise it goes on, to the
last round. Interrupted, it shows what there is.

Exit status 1 where a ratio is beyond 10 %: in caches only below, for what is measured there can be done, whoever does
it. 77 where likwid-bench (Debian package likwid) is missing.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 0.1
RISE = 1.01
STILL = 3  # rounds
RUNS = 3  # of each kernel of likwid-bench in a round
ASLEEP, APART = 1.2, 0.3  # seconds
SECONDS = 0.002  # of a run of likwid-bench, as of papi_roofline's: so long a CPU is left alone
SMALLEST_MEMORY = 64 << 20
# Not daxpy and update, which write where they have read: a third and half of their bytes are fetched by no one.
BANDWIDTH = ("load", "copy", "stream", "triad")
# Names of vectors in likwid's kernels by what a processor has, and their bits in the flops of papi_roofline.
WIDTHS = (("avx512f", ("_avx512_fma", "_avx512")), ("avx2", ("_avx_fma", "_avx")), ("sse2", ("_sse",)), ("", ("",)))
WIDEST = 2
FUSED = {512: "avx512_fma", 256: "avx_fma"}
SEPARATE = {128: "sse", 64: "", 32: ""}


def likwid_kernels():
    """What likwid-bench has; the end where it is not there, or cannot run."""
    if not shutil.which("likwid-bench"):
        print("skipped: likwid-bench is missing (Debian package likwid)")
        sys.exit(77)
    done = subprocess.run(["likwid-bench", "-a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", check=False)
    found = set(re.findall(r"^(\w+) - ", done.stdout, re.M))
    if not found:
        sys.exit(f"roofline.py: likwid-bench -a lists no kernels: {done.stderr.strip()[-200:]!r}")
    return found


def processor_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(re.search(r"^(?:flags|Features)\s*:(.*)$", file.read(), re.M)[1].split()) | {""}


def bandwidth_kernels(there):
    """Of each kind those of the two widest vectors that the machine has: the wider ones are not always the faster."""
    flags, chosen = processor_flags(), []
    for kind in BANDWIDTH:
        of_widths = [[kind + suffix for suffix in suffixes if kind + suffix in there]
                     for flag, suffixes in WIDTHS if flag in flags]
        chosen += [names[0] for names in of_widths if names][:WIDEST]
    return chosen


def flops_kernels(peak, there):
    """Likwid's for a peak of arithmetic: none where it does something else at that width."""
    precision, bits = peak["name"].split()
    name = (FUSED if peak["kernel"] == "fma" else SEPARATE).get(int(bits))
    parts = ["peakflops", *(["sp"] if precision == "single" else []), *([name] if name else [])]
    return [kernel for kernel in ("_".join(parts),) if name is not None and kernel in there]


def threads_of_core():
    """Of the first CPU that may be used."""
    cpu = min(os.sched_getaffinity(0))
    with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", encoding="utf-8") as file:
        ends = [list(map(int, part.split("-"))) for part in file.read().strip().split(",")]
    return sum(end[-1] - end[0] + 1 for end in ends)


class Row:
    """A peak on one CPU or on all."""

    def __init__(self, peak, which, cpus, size, kernels):
        self.name, self.which, self.unit = peak["name"], which, peak["unit"]
        self.cpus, self.size, self.kernels, self.in_cache = cpus, size, kernels, bool(peak["bytes"])
        self.ours = self.theirs = self.mark_ours = self.mark_theirs = 0.0
        self.kernel, self.still, self.rounds = "", 0, 0

    def ratio(self):
        return self.ours / self.theirs if self.theirs else 0.0

    def near(self):
        """Above likwid's in a cache is no mistake: its loops do not reach all that some processors can do there."""
        return self.ratio() >= 1 - LIMIT and (self.in_cache or self.ratio() <= 1 + LIMIT)

    def done(self):
        return self.still >= STILL and self.near()

    def take(self, kernel, theirs):
        """A run of likwid-bench."""
        if theirs > self.theirs:
            self.theirs, self.kernel = theirs, kernel

    def end_round(self):
        self.rounds += 1
        self.still += 1
        if self.ours > RISE * self.mark_ours or self.theirs > RISE * self.mark_theirs:
            self.mark_ours, self.mark_theirs, self.still = self.ours, self.theirs, 0

    def iterations(self):
        """As many as take a moment, by what papi_roofline says. Of arithmetic likwid does 30 operations on a number."""
        a_number = 4 if self.name.startswith("single") else 8
        once = self.size if self.unit == "B/s" else 30 * self.size / a_number
        return max(1, round(self.ours * SECONDS / once))


def start(row, kernel):
    """A run of likwid-bench, in huge pages as papi_roofline."""
    return subprocess.Popen(["likwid-bench", "-t", kernel, "-W", f"N:{row.size // 1000}kB:{row.cpus}",
                             "-i", str(row.iterations())], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            errors="replace", env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})


def finish(process, row, kernel):
    """Takes the bytes or operations in a second."""
    output, errors = process.communicate()
    rate = re.search(rf"^{'MByte/s' if row.unit == 'B/s' else 'MFlops/s'}:\s+([\d.]+)$", output, re.M)
    if not rate:
        sys.exit(f"roofline.py: likwid-bench -t {kernel} measures nothing: {(errors or output).strip()[-200:]!r}")
    row.take(kernel, 1e6 * float(rate[1]))


def likwid(rows):
    """Runs one after the other. Each sleeps for a second first, to find out the clock: meanwhile others measure."""
    jobs = [(row, kernel) for _ in range(RUNS) for row in rows for kernel in row.kernels]
    begun = []
    for row, kernel in jobs:
        begun.append((start(row, kernel), row, kernel))
        time.sleep(APART)
        if len(begun) * APART > ASLEEP:
            finish(*begun.pop(0))
    for job in begun:
        finish(*job)


def papi(tool):
    """All peaks; nothing is kept."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tool, "--measure", "--format", "json"], stdout=subprocess.PIPE, check=True,
                              env={**os.environ, "XDG_CACHE_HOME": folder})
    report = json.loads(done.stdout)
    return report, {peak["name"]: peak for peak in report["peaks"]}


def size_of(peak, last, one, cpus):
    """Over so many bytes papi_roofline measures, in all threads together; for arithmetic what fits into any L1."""
    if peak["unit"] != "B/s":
        return 16000 * (1 if one else cpus)
    if not peak["bytes"]:
        return max(4 * last, SMALLEST_MEMORY)
    threads = threads_of_core()
    if one:
        return int(peak["bytes"] / 2 / threads)
    shared = peak["bytes"] == last and peak["name"] != "L1"
    return int(cpus * peak["bytes"] / 2 / (cpus if shared else threads))


def rows_of(report, options):
    """What can be compared; the rest is named."""
    there, rows, without = likwid_kernels(), [], []
    last = int(max(peak["bytes"] or 0 for peak in report["peaks"]))
    for peak in report["peaks"]:
        kernels = bandwidth_kernels(there) if peak["unit"] == "B/s" else flops_kernels(peak, there)
        if options.peaks and peak["name"] not in options.peaks.split(","):
            continue
        if not kernels:
            without.append(peak["name"])
            continue
        for which in options.cpus.split(","):
            cpus = report["cpus"] if which == "all" else 1
            rows.append(Row(peak, which, cpus, size_of(peak, last, which == "one", report["cpus"]), kernels))
    if without:
        print(f"left out, for likwid-bench has nothing alike: {', '.join(without)}")
    if not rows:
        sys.exit("roofline.py: there is nothing to compare")
    return rows


def show(rows, cpu):
    """The table."""
    print(f"{cpu}\n\n{'peak':12}{'CPUs':>5}{'papi_roofline':>15}{'likwid':>8}{'ratio':>7}{'rounds':>8}"
          "  kernel of likwid")
    for row in rows:
        print(f"{row.name:12}{row.cpus:>5}{row.ours / 1e9:>8.1f} {'G' + row.unit:6}{row.theirs / 1e9:>8.1f}"
              f"{row.ratio():>7.3f}{row.rounds:>8}  {row.kernel}")


def compare(tool, rows, peaks, rounds):
    """Rounds, the first of which has its peaks, until all rows are done."""
    for turn in range(1, rounds + 1):
        going = [row for row in rows if not row.done()]
        for row in going:
            row.ours = max(row.ours, peaks[row.name][row.which])
        likwid(going)
        for row in going:
            row.end_round()
        print(f"round {turn}: {sum(row.done() for row in rows)} of {len(rows)} rows are done", file=sys.stderr)
        if turn == rounds or all(row.done() for row in rows):
            break
        _, peaks = papi(tool)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="where the project has been built")
    parser.add_argument("--rounds", type=int, default=30, help="at most")
    parser.add_argument("--cpus", default="one,all", choices=("one", "all", "one,all"), help="on which to measure")
    parser.add_argument("--peaks", help="by name, between commas; all unless told")
    parser.add_argument("--json", type=pathlib.Path, help="write the numbers there, too")
    options = parser.parse_args()
    tool = options.build.resolve() / "tools/papi_roofline"
    if not tool.exists():
        sys.exit(f"roofline.py: no papi_roofline in {options.build}: build first (make)")
    likwid_kernels()
    report, peaks = papi(tool)
    rows = rows_of(report, options)
    try:
        compare(tool, rows, peaks, max(options.rounds, 1))
    except KeyboardInterrupt:
        print("interrupted: this is what there was until then", file=sys.stderr)
    show(rows, report["cpu"])
    if options.json:
        options.json.write_text(json.dumps([{key: vars(row)[key] for key in (
            "name", "cpus", "unit", "ours", "theirs", "kernel", "rounds")} for row in rows], indent=1) + "\n")
    beyond = [row for row in rows if not row.near()]
    for row in beyond:
        print(f"{row.name} on {row.which}: {row.ratio():.3f} of what likwid-bench reaches, beyond {100 * LIMIT:.0f} %")
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
