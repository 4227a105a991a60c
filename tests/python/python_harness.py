# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python packages share: running programs, and whether anything can be counted here."""
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

from harness import main  # noqa: F401 (main is for the tests)

import papi

SOURCE = os.environ["PAPI_SOURCE_ROOT"]


def need_virtual():
    """Skips where the virtual PMU does not count: only its counts are known exactly."""
    try:
        with papi.count("vpmu:::INSTRUCTIONS"):
            pass
    except papi.Error as error:
        raise unittest.SkipTest(f"the virtual PMU does not count here: {error}") from None


def run(*arguments, **changes):
    """Runs the interpreter; changes are those of the environment, None takes a variable away."""
    environment = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    for name, value in changes.items():
        if value is None:
            environment.pop(name, None)
    directory = environment.pop("DIRECTORY", None)
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL, env=environment, cwd=directory)


class ProgramTest(unittest.TestCase):
    """A directory for each test, and programs that must end well."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="papi-python-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def program(self, text, **changes):
        """What a program prints."""
        result = run("-c", textwrap.dedent(text), DIRECTORY=self.directory, **changes)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout
