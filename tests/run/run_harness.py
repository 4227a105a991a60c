# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of papi_run share: running it, reading its reports, and the helper programs.

PAPI_TOOLS names the directory of the built utilities, PAPI_RUN_HELPERS that of toucher, reporter and refuse.
"""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import time

from harness import main, ProgramTest, TOOLS  # noqa: F401 (main is for the tests)

PAPI_RUN = os.path.join(TOOLS, "papi_run")
HELPERS = os.environ["PAPI_RUN_HELPERS"]
TOUCHER = os.path.join(HELPERS, "toucher")
REPORTER = os.path.join(HELPERS, "reporter")
REFUSE = os.path.join(HELPERS, "refuse")
PYTHON = sys.executable
PAGE_FAULTS = "perf::PAGE-FAULTS"
TASK_CLOCK = "perf::TASK-CLOCK"

KEYS = ["version", "command", "pid", "repeats", "exit_status", "signal", "elapsed_s", "elapsed_rsd_percent", "user_s",
        "system_s", "slowed_by_counting", "notes", "processes", "tasks", "metrics", "findings", "events"]
EVENT_KEYS = ["name", "count", "unit", "enabled_ns", "running_ns", "share", "rate", "kind", "interval", "domain",
              "rsd_percent", "counts", "error", "partial"]
COLUMNS = ["event", "count", "unit", "share", "rate", "kind", "domain", "enabled_ns", "running_ns", "rsd_percent",
           "error", "partial", "interval"]


def fixed_addresses():
    """A command prefix that switches address space randomization off, so that page faults repeat exactly."""
    if shutil.which("setarch") and subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return ["setarch", "-R"]
    return None


def events_of(report):
    """The events of a JSON report by name."""
    return {event["name"]: event for event in report["events"]}


class RunTest(ProgramTest):
    """Every test has a directory of its own, and papi_run must never leave anything on standard output."""
    PREFIX = "papi-run-test-"

    def script(self, text, mode=0o755):
        """An executable file with this content."""
        path = self.path("script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def run_it(self, *arguments, prefix=(), **how):
        """Runs papi_run to its end; bytes in and out unless asked otherwise."""
        if not {"stdin", "input"} & set(how):
            how["stdin"] = subprocess.DEVNULL
        for stream in ("stdout", "stderr"):
            how.setdefault(stream, subprocess.PIPE)
        return subprocess.run([*prefix, PAPI_RUN, *arguments], timeout=120, check=False, **how)

    def report(self, *arguments, status=0, prefix=(), **how):
        """Runs papi_run with a JSON report in a file of its own and returns the parsed report, keys checked."""
        path = self.path("report.json")
        result = self.run_it("--format", "json", "-o", path, *arguments, prefix=prefix, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        return self.read_json(path)

    def read_json(self, path):
        with open(path, encoding="utf-8") as file:
            report = json.load(file, parse_constant=lambda name: self.fail(f"{name} is no JSON"))
        self.assertEqual(list(report), KEYS)
        for event in report["events"]:
            self.assertEqual(list(event), EVENT_KEYS)
            self.assertEqual(event["error"] is None, event["count"] is not None)
        return report

    def read_csv(self, text):
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual(rows[0], COLUMNS)
        for row in rows:
            self.assertEqual(len(row), len(COLUMNS), row)
        return {row[0]: dict(zip(COLUMNS, row)) for row in rows[1:]}

    def start(self, *arguments, prefix=(), **how):
        """Starts papi_run in a process group of its own; it is ended when the test ends."""
        how.setdefault("stdin", subprocess.DEVNULL)
        for stream in ("stdout", "stderr"):
            how.setdefault(stream, subprocess.PIPE)
        how.setdefault("start_new_session", True)
        process = subprocess.Popen([*prefix, PAPI_RUN, *arguments], **how)
        self.addCleanup(self.end, process)
        return process

    def wait_for_file(self, name):
        """Waits until a program of the test has said something in a file, and returns it."""
        path = self.path(name)
        self.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, name)
        with open(path, encoding="utf-8") as file:
            return file.read()

    @staticmethod
    def children(pid):
        """The processes that this one has started and not waited for."""
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return file.read().split()
        except OSError:
            return []

    def wait_until_watching(self, process):
        """Waits until papi_run -p holds counters and sleeps: attached, started, waiting for the end."""
        def sleeping():
            try:
                with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
                    state = file.read().rsplit(")", 1)[1].split()[0]
                files = [os.readlink(f"/proc/{process.pid}/fd/{number}")
                         for number in os.listdir(f"/proc/{process.pid}/fd")]
            except OSError:
                return False
            return state == "S" and "anon_inode:[perf_event]" in files

        def settled():
            for _ in range(5):
                if not sleeping():
                    return False
                time.sleep(0.02)
            return True

        self.wait_until(lambda: process.poll() is not None or settled(), "papi_run to watch")
        if process.poll() is not None:
            self.fail(f"papi_run has ended: {process.communicate()}")
