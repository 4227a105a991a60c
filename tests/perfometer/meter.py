# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of perfometer share: running it, asking its server, and reading what it has recorded."""
import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request

from harness import main, ProgramTest, TOOLS  # noqa: F401 (main is for the tests)

PERFOMETER = os.path.join(TOOLS, "perfometer")
LOOPER = os.path.join(os.environ["PAPI_RUN_HELPERS"], "looper")
MARKER = os.environ.get("PAPI_MARKER")
HAS_SERVER = os.environ["PAPI_PERFOMETER_SERVER"] == "yes"
PAGE_FAULTS, TASK_CLOCK, MINOR_FAULTS = "perf::PAGE-FAULTS", "perf::TASK-CLOCK", "perf::MINOR-FAULTS"


def is_virtual():
    """Whether this machine counts presets by translation, so that they are exact."""
    result = subprocess.run([os.path.join(TOOLS, "papi_avail")], capture_output=True, text=True, check=False,
                            env={**os.environ, "PAPI_VPMU": "always"})
    return "Counting                 : virtual" in result.stdout


def read_messages(path):
    """The messages of a recording; each line is one."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line, parse_constant=lambda name: 1 / 0) for line in file]


def samples_of(messages, lane=0):
    """The values of a lane, sample by sample, with the names of the events."""
    names, found = [], []
    for message in messages:
        if message["type"] == "schema":
            names = [event["name"] for event in message["events"]]
        for row in message["threads"] if message["type"] == "sample" else ():
            if row[0] == lane:
                assert len(row[1]) == len(names)
                found.append(dict(zip(names, row[1])))
    return found


class Meter:
    """A perfometer that runs, and the address that it has printed; with a token of a file, that is no part of it."""

    def __init__(self, *arguments, token=None, **how):
        self.process = subprocess.Popen([PERFOMETER, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True, **how)
        line = self.process.stderr.readline()
        shown = "TOKEN with that of '.*'" if token else "[0-9a-f]{32}"
        match = re.fullmatch(rf"perfometer: (http://127\.0\.0\.1:(\d+))/\?token=({shown})\n", line)
        if not match:
            self.close()
            raise AssertionError(f"no address: {line}")
        self.base, self.port, self.token = match[1], int(match[2]), token or match[3]

    def ask(self, path, body=None, method=None, token=None, headers=None, threads=None):
        """The status and the text of an answer."""
        address = f"{self.base}{path}?token={self.token if token is None else token}"
        address += f"&threads={threads}" if threads else ""
        request = urllib.request.Request(address, data=body, method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def choose(self, *names):
        """Other events from now on."""
        return self.ask("/events", json.dumps({"events": names}).encode())

    def data(self):
        """The messages of a page, as they come."""
        with urllib.request.urlopen(f"{self.base}/data?token={self.token}", timeout=60) as answer:
            assert answer.headers["Content-Type"] == "text/event-stream"
            for line in answer:
                if line.strip():
                    assert line.startswith(b"data: "), line
                    yield json.loads(line[6:])

    def wait(self):
        """The exit status, and what was said."""
        # communicate() does not know what has been read ahead with the address.
        said = self.process.stderr.read()
        return self.process.wait(timeout=120), said

    def close(self):
        """Ends it with all that the program has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(timeout=60)
        self.process.stderr.close()


class Marker:
    """A program that does what it is told, a letter at a time."""

    def __init__(self, environment, command=(MARKER,)):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def do(self, letters):
        said = []
        for letter in letters:
            self.process.stdin.write(letter + "\n")
            self.process.stdin.flush()
            while (line := self.process.stdout.readline()) not in ("done\n", ""):
                said.append(line.strip())
        return said

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        return status


class MeterTest(ProgramTest):
    """Every test has a directory of its own."""
    PREFIX = "perfometer-test-"

    def meter(self, *arguments, **how):
        started = Meter(*arguments, **how)
        self.addCleanup(started.close)
        return started

    def run_it(self, *arguments, **how):
        return subprocess.run([PERFOMETER, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False, **how)

    def record(self, *arguments, status=0, **how):
        """The messages of a program that runs without a page."""
        path = self.path("recording")
        result = self.run_it("--no-page", "--record", path, *arguments, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        return read_messages(path)

    def wait_for_text(self, path, text):
        """Waits until a file is there and has this in it."""
        def has():
            if not os.path.exists(path):
                return False
            with open(path, encoding="utf-8") as file:
                return text in file.read()
        self.wait_until(has, text)
