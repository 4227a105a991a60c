# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of papi_compare share: files as papi_run --save writes them, and running it."""
import copy
import json
import os
import subprocess
import tempfile
import unittest

from harness import main, TOOLS  # noqa: F401 (main is for the tests)

PAPI_COMPARE = os.path.join(TOOLS, "papi_compare")
PAPI_RUN = os.path.join(TOOLS, "papi_run")
CACHES = "L1I=32K/8/64,L1D=32K/8/64,L2=1M/8/64,L3=none,ITLB=64/4,DTLB=64/4,ITLB2=none,DTLB2=none"

SAVED = {
    "papi_run_save": 1, "papi_version": "7.0.0.0", "when": "2026-11-23T12:00:00Z",
    "machine": {"cpu": "A processor", "vendor": "A vendor", "architecture": "x86_64", "system": "Linux",
                "kernel": "6.1"},
    "models": {"caches": CACHES, "sampled": False},
    "command": ["./solver", "input"], "directory": "/home/me", "reproducible": True,
    "environment": {"PATH": "/bin", "LANG": "C"},
    "modules": [{"path": "/home/me/solver", "build_id": "aa"}, {"path": "/lib/libc.so.6", "build_id": "bb"}],
    "inputs": [{"path": "input", "bytes": 10, "hash": "0123456789abcdef"}],
    "repeats": 1, "exit_status": 0, "signal": None, "elapsed_ns": [10], "user_ns": [10], "system_ns": [0],
    "slowed_by_counting": True, "processes": None, "events": [],
}


def event(name, *counts, **more):
    """A virtual, exact one, unless told otherwise."""
    return {"name": name, "unit": "", "kind": "exact", "counts": list(counts), "interval": 0, "domain": "user",
            "virtual": True, "rate": False, "enabled_ns": 1, "running_ns": 1, "partial": False, "error": None, **more}


def kernel(name, *counts, **more):
    return event(name, *counts, **{"virtual": False, "domain": "user+kernel", **more})


class CompareTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="papi-compare-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "wb" if isinstance(text, bytes) else "w",
                  **({} if isinstance(text, bytes) else {"encoding": "utf-8"})) as file:
            file.write(text)
        return self.path(name)

    def saved(self, name, *events, **changes):
        content = copy.deepcopy(SAVED)
        content["events"] = list(events)
        content.update(changes)
        return self.write(name, json.dumps(content))

    def run_it(self, *arguments, environment=None, **how):
        return subprocess.run([PAPI_COMPARE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              cwd=self.directory, env={**os.environ, **(environment or {})}, check=False, **how)

    def compare(self, before, after, *arguments, status=0):
        """The comparison as JSON."""
        result = self.run_it("--json", before, after, *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertEqual(result.stderr, b"")
        comparison = json.loads(result.stdout)
        self.assertEqual(comparison["status"], status)
        return comparison

    def verdicts(self, *arguments, status=0):
        return {one["name"]: one["verdict"] for one in self.compare(*arguments, status=status)["events"]}

    def refused(self, *arguments, words=(), environment=None):
        """Status 2, nothing on standard output, and each word on standard error."""
        result = self.run_it(*arguments, environment=environment)
        self.assertEqual((result.returncode, result.stdout), (2, b""), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr.decode())
        return result.stderr.decode()
