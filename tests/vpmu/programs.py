# SPDX-License-Identifier: BSD-3-Clause
"""Programs of other people run whole under papi_run: output, exit status and files as without it, and a count.

programs.py [--jobs N] [NAME...]: only those whose command line has one of the names in it. PAPI_TOOLS is where papi_run
is.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from programs_list import COMMANDS, write_files

PAPI_RUN = os.path.join(os.environ["PAPI_TOOLS"], "papi_run")
EVENTS = "vpmu:::INSTRUCTIONS,vpmu:::LOADS,vpmu:::STORES,vpmu:::BRANCHES,vpmu:::FP_OPERATIONS"
LIMIT = 120  # seconds for a command that hangs
DIFFERS = (".git", ".db", ".o", ".tgz", ".xz")  # of files whose content has times or names of temporary files in it


def run(command, directory, prefix):
    # No PAPI_ variable of the tests goes to the program, and nothing that depends on the user.
    environment = dict(os.environ, LC_ALL="C", HOME=directory, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
    with subprocess.Popen([*prefix, "sh", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            return ("did not end", out, err)
        # papi_run ends as a shell would after a program that a signal has killed.
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return (status, out.replace(directory.encode(), b"DIR"), err.replace(directory.encode(), b"DIR"))


def contents(directory):
    """Files and what is in them; of some only the names."""
    found = {}
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        found[name] = None
        if os.path.isfile(path) and not name.endswith(DIFFERS) and not os.access(path, os.X_OK):
            with open(path, "rb") as file:
                found[name] = file.read()
    return found


def shown(value):
    text = repr(value)
    return text if len(text) < 400 else text[:200] + " ... " + text[-200:]


def problem_of(report):
    """Why the counts are no counts, if so."""
    with open(report, encoding="utf-8") as file:
        content = json.load(file)
    for event in content["events"]:
        if event["error"]:
            return f"{event['name']}: {event['error']}"
    if content["events"][0]["count"] < 10000:
        return f"only {content['events'][0]['count']} instructions"
    return None


def compare(command):
    """What is different, a list of lines; why there is no count; and the seconds of both."""
    with tempfile.TemporaryDirectory(prefix="papi-vpmu-") as top:
        results, times = [], []
        for side in ("native", "counted"):
            directory, report = os.path.join(top, side), os.path.join(top, "report")
            os.mkdir(directory)
            write_files(directory)
            prefix = [] if side == "native" else [PAPI_RUN, "--format", "json", "-o", report, "-e", EVENTS]
            start = time.monotonic()
            results.append((*run(command, directory, prefix), contents(directory)))
            times.append(time.monotonic() - start)
        wrong = []
        for what, native, counted in zip(("status", "output", "errors", "files"), *results):
            if native != counted:
                wrong.append(f"{what}: {shown(native)} natively, {shown(counted)} counted")
        return wrong, problem_of(report) if not wrong else None, times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    result = subprocess.run([PAPI_RUN, "-e", "vpmu:::INSTRUCTIONS", "true"], stderr=subprocess.PIPE, text=True,
                            check=False)
    if "disabled" in result.stderr or "is not here" in result.stderr:
        print(result.stderr.strip().splitlines()[-1].strip())
        return 77
    chosen = [(program, command) for program, command in COMMANDS
              if not options.names or any(name in command for name in options.names)]
    here = [command for program, command in chosen if shutil.which(program)]
    for program in sorted({program for program, _ in chosen if not shutil.which(program)}):
        print(f"skipped   {program} is not installed")
    failed = uncounted = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for command, (wrong, problem, times) in zip(here, pool.map(compare, here)):
            # What was killed cannot tell what it counted, and says so; so do threads, where they cannot be counted.
            excused = problem and ("killed" in problem or "thread" in problem)
            if problem and not excused:
                wrong.append(problem)
            failed += bool(wrong)
            uncounted += bool(excused)
            print(f"{'FAILED' if wrong else 'ok':8}  {times[0]:5.2f} {times[1]:6.2f} s  {command[:90]}", flush=True)
            for line in [*wrong, *([f"no count: {problem}"] if excused else [])]:
                print("         ", line)
    print(f"{len(here)} commands, {failed} different, {uncounted} without a count; {len(chosen) - len(here)} not here")
    return 1 if failed or not here else 0


if __name__ == "__main__":
    sys.exit(main())
