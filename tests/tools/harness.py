# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the utilities share: running one, and reading the shapes that scripts depend on.

PAPI_TOOLS names the directory of the built utilities. main() ends with 77 and the reason when no test of the
file could run.
"""
import os
import re
import subprocess
import sys
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


def run(tool, *arguments, environment=None):
    """Runs a utility to its end; the result has returncode, stdout and stderr."""
    return subprocess.run([os.path.join(TOOLS, tool), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, env={**os.environ, **(environment or {})})


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


def main():
    program = unittest.main(verbosity=2, exit=False)
    result = program.result
    if result.testsRun > 0 and len(result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() else 1)
