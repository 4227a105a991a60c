# SPDX-License-Identifier: BSD-3-Clause
"""Each modelled event counts the same alone, when only the parts of the models run that it needs, as with all others.

Misses of L1D alone have a way of their own, in which code looks by itself whether it hits: on more programs, of which
one has accesses of all sorts, they are the same as where the TLB is simulated as well. And no program notices.

PAPI_TOOLS is where papi_run and papi_native_avail are, ACCESSES the program of accesses.c.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = os.path.abspath(os.environ["PAPI_TOOLS"])
# Of these no part runs: they are sums of exact counters.
EXACT = {"L1D_READS", "L1D_WRITES", "L1D_ACCESSES", "L1I_READS", "L1_READS", "L1_ACCESSES", "FULL_CYCLES"}


def modelled():
    """Names of events, and why there are none."""
    done = subprocess.run([os.path.join(TOOLS, "papi_native_avail")], env=ENVIRONMENT, capture_output=True, text=True,
                          check=False)
    names = sorted(set(re.findall(r"vpmu:::(?:L[123]|[DI]?TLB|PREFETCH_)\w+|vpmu:::\w+_(?:MIS)?PREDICTED|"
                                  r"vpmu:::(?:\w+_)?CYCLES", done.stdout)))
    return [name for name in names if name.removeprefix("vpmu:::") not in EXACT], done.stdout.strip()[-300:]


def count(events, command, report):
    subprocess.run([os.path.join(TOOLS, "papi_run"), "--reproducible", "--format", "json", "-o", report, "-e",
                    ",".join(events), *command], env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    with open(report, encoding="utf-8") as file:
        return {event["name"]: event["count"] for event in json.load(file)["events"]}


def differences(names, command, report):
    """Of each event alone from all of them together."""
    together = count(names, command, report)
    assert len(together) == len(names) > 30 and together["vpmu:::L1I_MISSES"] > 100, together
    differ = 0
    for name in names:
        alone = count([name], command, report)[name]
        if alone != together[name]:
            print(f"{command[0]}: {name} is {alone} alone, and {together[name]} with all others")
            differ += 1
    return differ


def differences_of_l1d(command, report):
    """Of misses of L1D alone from those where pages are looked up."""
    names = ["vpmu:::L1D_READ_MISSES", "vpmu:::L1D_WRITE_MISSES"]
    alone = count(names, command, report)
    with_pages = count([*names, "vpmu:::DTLB_MISSES"], command, report)
    differ = [name for name in names if alone[name] != with_pages[name]]
    assert alone[names[0]] > 100, alone
    for name in differ:
        print(f"{command[0]}: {name} is {alone[name]} alone, and {with_pages[name]} with the TLB")
    return len(differ)


def changes(command):
    """Whether a program in which signals come at any time writes something else where L1D alone is counted."""
    papi_run = [os.path.join(TOOLS, "papi_run"), "-o", os.devnull, "-e", "vpmu:::L1D_READ_MISSES"]
    outputs = [subprocess.run([*front, *command], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
               for front in ([], papi_run)]
    if outputs[0] == outputs[1]:
        return 0
    print(f"{command[0]} writes {outputs[0]!r}, and {outputs[1]!r} where it is counted")
    return 1


def main():
    names, output = modelled()
    if not names:
        print(f"skipped: there are no modelled events: {output}")
        return 77
    differ = 0
    accesses = os.environ["ACCESSES"]
    with tempfile.TemporaryDirectory() as folder:
        report, text = os.path.join(folder, "report"), os.path.join(folder, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"{i * 7919 % 4093} {i}\n" for i in range(2000))
        sort, sed = (["sort", "--parallel=1", "-n", text],
                     ["sed", "-E", "s/([0-9])([0-9]+) .*(.)/\\2\\1\\3/; /77/d", text])
        for command in (sort, sed):
            differ += differences(names, command, report)
        for command in ([accesses], sort, sed, ["grep", "-c", "7.*7", text], ["xz", "-1", "-c", text],
                        ["perl", "-e", "$x{$_ % 999} .= $_ for 1..20000; print sort keys %x"],
                        ["bash", "-c", "for ((i = 0; i < 2000; i++)); do s+=$((i * 7)); done; echo ${#s}"],
                        [sys.executable, "-S", "-c", "print(sorted(str(i * 7 % 1000) for i in range(3000))[5])"]):
            if shutil.which(command[0]):
                differ += differences_of_l1d(command, report)
        differ += changes([accesses, "signals"])
    return 1 if differ else 0


ENVIRONMENT = dict(os.environ, LC_ALL="C", PAPI_VPMU="always", PYTHONHASHSEED="0", PERL_HASH_SEED="0")
if __name__ == "__main__":
    sys.exit(main())
