# SPDX-License-Identifier: BSD-3-Clause
"""Each modelled event counts the same alone, when only the parts of the models run that it needs, as with all others.

PAPI_TOOLS is where papi_run and papi_native_avail are.
"""
import json
import os
import re
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


def main():
    names, output = modelled()
    if not names:
        print(f"skipped: there are no modelled events: {output}")
        return 77
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        report, text = os.path.join(folder, "report"), os.path.join(folder, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"{i * 7919 % 4093} {i}\n" for i in range(2000))
        for command in (["sort", "--parallel=1", "-n", text],
                        ["sed", "-E", "s/([0-9])([0-9]+) .*(.)/\\2\\1\\3/; /77/d", text]):
            together = count(names, command, report)
            assert len(together) == len(names) > 30 and together["vpmu:::L1I_MISSES"] > 100, together
            for name in names:
                alone = count([name], command, report)[name]
                if alone != together[name]:
                    print(f"{command[0]}: {name} is {alone} alone, and {together[name]} with all others")
                    differ += 1
    return 1 if differ else 0


ENVIRONMENT = dict(os.environ, LC_ALL="C", PAPI_VPMU="always", PYTHONHASHSEED="0")
if __name__ == "__main__":
    sys.exit(main())
