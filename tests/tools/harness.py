# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the utilities share: running one, and reading the shapes that scripts depend on.

PAPI_TOOLS names the directory of the built utilities. main() ends with 77 and the reason when no test of the
file could run.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOLS = os.environ["PAPI_TOOLS"]
RULE = "-" * 80
DOUBLE_RULE = "=" * 80

HEADER = [
    RULE,
    r"PAPI version             : 7\.0\.\d+\.\d+",
    r"Operating system         : (?P<system>.+)",
    r"Vendor string and code   : .+ \(-?\d+, 0x[0-9a-f]+\)",
    r"Model string and code    : .+ \(-?\d+, 0x[0-9a-f]+\)",
    r"CPU revision             : \d+\.\d{6}",
    r"(CPUID                    : Family/Model/Stepping \d+/\d+/\d+, 0x[0-9a-f]{2,}/0x[0-9a-f]{2,}/0x[0-9a-f]{2,})?",
    r"CPU Max MHz              : \d+",
    r"CPU Min MHz              : \d+",
    r"Total cores              : (?P<cores>\d+)",
    r"SMT threads per core     : (?P<threads>\d+)",
    r"Cores per socket         : (?P<per_socket>\d+)",
    r"Sockets                  : (?P<sockets>\d+)",
    r"Cores per NUMA region    : \d+",
    r"NUMA regions             : \d+",
    r"Running in a VM          : (yes\nVM Vendor                : .+|no)",
    r"Number Hardware Counters : (?P<counters>\d+)",
    r"Max Multiplex Counters   : \d+",
    r"Fast counter read \(rdpmc\): (yes|no)",
    r"(Counting                 : virtual, .+)?",
    RULE,
]
HEADER_PATTERN = "\n".join(HEADER).replace(")?\n", "\n)?")

# What a shell sends to the background, or nohup starts, may ignore these signals, and so would all programs run here.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def run(tool, *arguments, environment=None):
    """Runs a utility to its end; the result has returncode, stdout and stderr."""
    return subprocess.run([os.path.join(TOOLS, tool), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, env={**os.environ, **(environment or {})})


def waits_in(pid, *calls):
    """Whether the process waits in one of these system calls."""
    numbers = {"x86_64": {"poll": 7, "ppoll": 271, "nanosleep": 35, "clock_nanosleep": 230},
               "aarch64": {"ppoll": 73, "nanosleep": 101, "clock_nanosleep": 115}}[os.uname().machine]
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            number = file.read().partition(" ")[0]
    except OSError:
        return False
    return number in [str(numbers[call]) for call in calls if call in numbers]


class ToolTest(unittest.TestCase):
    """Assertions about utilities."""

    def output_of(self, tool, *arguments, environment=None):
        """What a utility prints when all is well: status 0 and nothing on standard error."""
        result = run(tool, *arguments, environment=environment)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def split_header(self, output, title):
        """Checks the hardware header; returns its values and what follows it."""
        match = re.match(re.escape(title) + "\n" + HEADER_PATTERN + "\n", output)
        self.assertIsNotNone(match, output[:1500])
        return match.groupdict(), output[match.end():]

    def assert_refused(self, result, status, *words):
        """A failure: this status, and each word on standard error."""
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class ProgramTest(unittest.TestCase):
    """A test with a directory of its own, and programs that it starts."""
    PREFIX = "papi-test-"
    PATIENCE = 60  # seconds: for ever

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix=self.PREFIX)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def start_target(self, *command):
        """A process that says "ready" and then waits for a line."""
        target = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end, target)
        self.assertEqual(target.stdout.readline(), b"ready\n")
        return target

    @staticmethod
    def end(process):
        """Ends what is left of a process that the test has started."""
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def wait_until(self, condition, what):
        """Waits for something that must come."""
        end = time.monotonic() + self.PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited in vain for {what}")
            time.sleep(0.01)


def main():
    program = unittest.main(verbosity=2, exit=False)
    result = program.result
    # A class that is skipped as a whole is no test that ran.
    if result.skipped and sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() else 1)
