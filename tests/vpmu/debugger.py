# SPDX-License-Identifier: BSD-3-Clause
"""gdb and a program that is counted virtually: breakpoints, backtraces and the program's end are as natively.

VPMU_SUBJECT is test_vpmu_tracer, which calls work() once, and twice in a region.
"""
import os
import re
import shutil
import subprocess
import sys

SUBJECT = [os.environ["VPMU_SUBJECT"], "subject"]


def debug(*commands):
    arguments = [word for command in commands for word in ("-ex", command)]
    result = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", *arguments,
                             "--args", *SUBJECT],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    return result.stdout + result.stderr


def main():
    if not shutil.which("gdb"):
        print("gdb is not installed")
        return 77
    alone = subprocess.run(SUBJECT, capture_output=True, text=True, check=False)
    if alone.returncode == 77:
        print(alone.stdout.strip())
        return 77
    failures = []
    text = debug("run")
    if "ptrace" in text:
        print("gdb may not trace: " + next(line for line in text.splitlines() if "ptrace" in line))
        return 77
    if "1 1\ncounted\n" not in text or "exited normally" not in text:
        failures.append(("without a breakpoint", text))
    text = debug("break work", "run", *(["backtrace", "continue"] * 3))
    if (len(re.findall(r"^Breakpoint 1, .*\bwork \(", text, re.M)) != 3 or text.count("in main (") != 3 or
            "1 1\n" not in text or "breakpoint, of a debugger" not in text or "exited normally" not in text):
        failures.append(("with a breakpoint", text))
    for what, shown in failures:
        print(f"FAILED {what}:\n{shown}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
