# SPDX-License-Identifier: BSD-3-Clause
"""Each modelled event counts the same alone, when only the parts of the models run that it needs, as with all others.

There is a way without records, in which code looks by itself whether it hits: on more programs, of which one has
accesses of all sorts, it counts the same as of records, for some parts of the simulators and for all. And no program
notices.

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
# Most misses, and of no cache do the numbers of pages pick the sets.
SMALL = "L1I=2K/1/64,L1D=1K/2/64,L2=4K/2/64,L3=none,ITLB=4/4,DTLB=6/6,ITLB2=none,DTLB2=none"


def modelled():
    """Names of events, and why there are none."""
    done = subprocess.run([os.path.join(TOOLS, "papi_native_avail")], env=ENVIRONMENT, capture_output=True, text=True,
                          check=False)
    names = sorted(set(re.findall(r"vpmu:::(?:L[123]|[DI]?TLB|PREFETCH_)\w+|vpmu:::\w+_(?:MIS)?PREDICTED|"
                                  r"vpmu:::(?:\w+_)?CYCLES", done.stdout)))
    return [name for name in names if name.removeprefix("vpmu:::") not in EXACT], done.stdout.strip()[-300:]


def count(events, command, report, recorded=False, caches=""):
    # For the program the environment is as long, and where it is.
    environment = dict(ENVIRONMENT, PAPI_VPMU_CACHE=caches,
                       PAPI_VPMU_MODEL="recorded" if recorded else "checking")
    subprocess.run([os.path.join(TOOLS, "papi_run"), "--reproducible", "--format", "json", "-o", report, "-e",
                    ",".join(events), *command], env=environment, stdout=subprocess.DEVNULL, check=True)
    with open(report, encoding="utf-8") as file:
        return {event["name"]: event["count"] for event in json.load(file)["events"]}


def differences(names, command, report):
    """Of each event alone from all of them together, of records."""
    together = count(names, command, report, recorded=True)
    assert len(together) == len(names) > 30 and together["vpmu:::L1I_MISSES"] > 100, together
    differ = 0
    for name in names:
        alone = count([name], command, report, recorded=True)[name]
        if alone != together[name]:
            print(f"{command[0]}: {name} is {alone} alone, and {together[name]} with all others")
            differ += 1
    return differ


def differences_of_checks(command, report, caches):
    """Of what is counted where code looks by itself from what records tell; and how often the program did the same.

    It may not where it depends on addresses: memory of the library's own moves what comes behind it. Branches are
    found by numbers of pages of code, which come up in another order where blocks end elsewhere: one in a thousand may
    differ; and of what these caches find by such numbers, but for those of SMALL.
    """
    lines, pages = ["vpmu:::L1D_READ_MISSES", "vpmu:::L1D_WRITE_MISSES"], ["vpmu:::DTLB_MISSES"]
    branches = ["vpmu:::BRANCHES_MISPREDICTED", "vpmu:::TARGETS_MISPREDICTED"]
    code = ["vpmu:::L1I_MISSES", "vpmu:::ITLB_MISSES"]
    behind = ["vpmu:::L2_MISSES", "vpmu:::L2I_MISSES", "vpmu:::TLB_WALKS"]
    recorded = count(["PAPI_TOT_INS", *lines, *pages, *branches, *code, *behind], command, report, True, caches)
    assert min(recorded[name] for name in (lines[0], branches[0], code[0], *behind)) > 100, recorded
    assert recorded[pages[0]] > 10, recorded
    inexact = branches if caches else branches + code + behind
    differ = same = 0
    for names in (lines, lines + pages, lines + branches, lines + pages + branches, lines + code,
                  lines + pages + code + behind, lines + pages + branches + code + behind):
        checked = count(["PAPI_TOT_INS", *names], command, report, False, caches)
        if checked["PAPI_TOT_INS"] != recorded["PAPI_TOT_INS"]:
            continue
        same += 1
        for name in names:
            allowed = recorded[name] / 1000 if name in inexact else 0
            if abs(checked[name] - recorded[name]) > allowed:
                print(f"{command[0]}: {name} is {checked[name]} with {names}, and {recorded[name]} of records {caches}")
                differ += 1
    return differ, same


def changes(command):
    """How often a program in which signals come at any time writes something else where L1D is counted."""
    papi_run = [os.path.join(TOOLS, "papi_run"), "-o", os.devnull, "-e"]
    alone, *counted = [
        subprocess.run([*front, *command], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
        for front in ([], [*papi_run, "vpmu:::L1D_READ_MISSES"],
                      [*papi_run, "vpmu:::L1D_READ_MISSES,vpmu:::DTLB_MISSES,PAPI_BR_MSP"])]
    for output in counted:
        if output != alone:
            print(f"{command[0]} writes {alone!r}, and {output!r} where it is counted")
    return sum(output != alone for output in counted)


def main():
    names, output = modelled()
    if not names:
        print(f"skipped: there are no modelled events: {output}")
        return 77
    differ = same = 0
    accesses = os.environ["ACCESSES"]
    with tempfile.TemporaryDirectory() as folder:
        report, text = os.path.join(folder, "report"), os.path.join(folder, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"{i * 7919 % 4093} {i}\n" for i in range(2000))
        sort, sed = (["sort", "--parallel=1", "-n", text],
                     ["sed", "-E", "s/([0-9])([0-9]+) .*(.)/\\2\\1\\3/; /77/d", text])
        for command in (sort, sed):
            differ += differences(names, command, report)
        xz = ["xz", "-1", "-c", text]
        # Of these the last ones keep variables of the environment in tables, by their names.
        for command in ([accesses], sort, sed, xz, ["grep", "-c", "7.*7", text],
                        ["perl", "-e", "$x{$_ % 999} .= $_ for 1..20000; print sort keys %x"],
                        ["bash", "-c", "for ((i = 0; i < 2000; i++)); do s+=$((i * 7)); done; echo ${#s}"],
                        [sys.executable, "-S", "-c", "print(sorted(str(i * 7 % 1000) for i in range(3000))[5])"]):
            for caches in ("", SMALL) if command in ([accesses], sort, sed, xz) else ("",):
                if shutil.which(command[0]):
                    differences_here, same_here = differences_of_checks(command, report, caches)
                    differ += differences_here
                    same += same_here
        assert same >= 40, f"only {same} runs did the same"
        differ += changes([accesses, "signals"])
    return 1 if differ else 0


ENVIRONMENT = dict(os.environ, LC_ALL="C", PAPI_VPMU="always", PYTHONHASHSEED="0", PERL_HASH_SEED="0")
if __name__ == "__main__":
    sys.exit(main())
