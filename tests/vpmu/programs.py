# SPDX-License-Identifier: BSD-3-Clause
"""Programs of other people run whole under papi_run: output, exit status and files as without it, and a count that is
complete or says what is missing.

programs.py [--jobs N] [--modelled] [NAME...]: only those whose command line has one of the names in it. PAPI_TOOLS is
where papi_run is.
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

from programs_list import COMMANDS, SLOW, write_files
from programs_more import MORE, write_more_files

PAPI_RUN = os.path.join(os.path.abspath(os.environ["PAPI_TOOLS"]), "papi_run")
EVENTS = "vpmu:::INSTRUCTIONS,vpmu:::LOADS,vpmu:::STORES,vpmu:::BRANCHES,vpmu:::FP_OPERATIONS"
MODELLED = "vpmu:::INSTRUCTIONS,vpmu:::CYCLES,vpmu:::L1D_MISSES,vpmu:::BRANCHES_MISPREDICTED"
# What cannot be counted, whatever the program.
KNOWN = ("linked statically", "rights of another user", "may not read", "root directory", "uncounted for", "clone",
         "32-bit", "no executable memory")
LIMIT = 300  # seconds for a command that hangs
# Seconds without papi_run above which a command is not counted with modelled events, which take up to 100 times as
# long.
MOST_FOR_MODELS = 2
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
    """Why the counts are no counts, and what they say is missing; each None if so."""
    with open(report, encoding="utf-8") as file:
        content = json.load(file)
    processes = content["processes"]
    for event in content["events"]:
        if event["error"]:
            return f"{event['name']}: {event['error']}", None
    if content["events"][0]["count"] < 2000 * processes["total"]:
        return f"only {content['events'][0]['count']} instructions in {processes['total']} processes", None
    if processes["complete"]:
        return None, None
    missing = "; ".join(f"{reason['processes']} {reason['program']}: {reason['reason']}"
                        for reason in processes["reasons"])
    expected = all(any(word in reason["reason"] for word in KNOWN) for reason in processes["reasons"])
    return (None, missing) if expected else (missing, None)


def compare(command, events):
    """What is different, a list of lines; why there is no count; what is missing; and the seconds of both."""
    # What a command has left running may still write there when it is removed.
    with tempfile.TemporaryDirectory(prefix="papi-vpmu-", ignore_cleanup_errors=True) as top:
        results, times = [], []
        for side in ("native", "counted"):
            directory, report = os.path.join(top, side), os.path.join(top, "report")
            os.mkdir(directory)
            write_files(directory)
            write_more_files(directory)
            prefix = [] if side == "native" else [PAPI_RUN, "--format", "json", "-o", report, "-e", events]
            start = time.monotonic()
            results.append((*run(command, directory, prefix), contents(directory)))
            times.append(time.monotonic() - start)
            if events == MODELLED and times[0] > MOST_FOR_MODELS:
                return [], None, "nothing counted: it takes too long for models", [times[0], 0]
        wrong = []
        for what, native, counted in zip(("status", "output", "errors"), *results):
            if native != counted:
                wrong.append(f"{what}: {shown(native)} natively, {shown(counted)} counted")
        native, counted = results[0][3], results[1][3]
        for name in sorted({*native, *counted}):
            if native.get(name, "none") != counted.get(name, "none"):
                wrong.append(f"{name}: {shown(native.get(name))} natively, {shown(counted.get(name))} counted")
        return (wrong, *(problem_of(report) if not wrong else (None, None)), times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--modelled", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    result = subprocess.run([PAPI_RUN, "-e", "vpmu:::INSTRUCTIONS", "true"], stderr=subprocess.PIPE, text=True,
                            check=False)
    if "disabled" in result.stderr or "is not here" in result.stderr:
        print(result.stderr.strip().splitlines()[-1].strip())
        return 77
    chosen = [(program.split()[0], command) for program, command in COMMANDS + MORE
              if (not options.names or any(name in command for name in options.names)) and
              not (options.modelled and any(slow in command for slow in SLOW))]
    here = [command for program, command in chosen if shutil.which(program)]
    for program in sorted({program for program, _ in chosen if not shutil.which(program)}):
        print(f"skipped   {program} is not installed")
    events = MODELLED if options.modelled else EVENTS
    failed = partial = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda command: compare(command, events), here)
        for command, (wrong, problem, missing, times) in zip(here, results):
            if problem:
                wrong.append(f"no count: {problem}")
            failed += bool(wrong)
            partial += bool(missing)
            print(f"{'FAILED' if wrong else 'ok':8}  {times[0]:5.2f} {times[1]:6.2f} s  {command[:90]}", flush=True)
            for line in [*wrong, *([f"partial: {missing}"] if missing else [])]:
                print("         ", line)
    print(f"{len(here)} commands, {failed} wrong, {partial} counted in part; {len(chosen) - len(here)} not here")
    return 1 if failed or not here else 0


if __name__ == "__main__":
    sys.exit(main())
