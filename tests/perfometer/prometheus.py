# SPDX-License-Identifier: BSD-3-Clause
"""A Prometheus of the test's own: on a port of this machine that is free, with its data in the test's directory."""
import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.parse
import urllib.request


SERIES = re.compile(r'(\w+)\{(.*)\} (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def series_of(text):
    """Of OpenMetrics: labels with the name, as a sorted tuple, and a value."""
    found = {}
    for line in text.splitlines():
        match = SERIES.fullmatch(line)
        if match:
            # To Prometheus a label that is empty is none.
            labels = {name: re.sub(r"\\(.)", r"\1", value) for name, value in LABEL.findall(match[2]) if value}
            key = tuple(sorted({"__name__": match[1], **labels}.items()))
            assert key not in found, line
            found[key] = float(match[3])
        else:
            assert line.startswith("# "), line
    return found


def find(name):
    """A program of Debian's package prometheus: installed, or unpacked by tools/dev/setup.sh; skips without it."""
    path = os.pathsep.join((os.environ["PATH"], os.environ["PAPI_DEBIAN_TOOLS"]))
    found = shutil.which(name, path=path)
    if not found:
        raise unittest.SkipTest(f"there is no {name} (Debian package prometheus; tools/dev/setup.sh check-all)")
    return found


class Prometheus:
    """Runs with the configuration at a path until close()."""

    def __init__(self, configuration, directory):
        self.log = os.path.join(directory, "log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [find("prometheus"), f"--config.file={configuration}", f"--storage.tsdb.path={directory}/data",
                 "--web.listen-address=127.0.0.1:0"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=directory)
        self.base = None

    def is_there(self):
        """Whether it answers; it says its port in its log."""
        if self.process.poll() is not None:
            raise AssertionError(f"prometheus has ended: {self.said()}")
        if not self.base:
            match = re.search(r'"Listening on" address=(127\.0\.0\.1:\d+)', self.said())
            self.base = match and f"http://{match[1]}"
        return self.base and "Server is ready" in self.said()

    def said(self):
        """Its log."""
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def ask(self, path, **arguments):
        """The data of an answer of its HTTP API."""
        address = f"{self.base}/api/v1/{path}?{urllib.parse.urlencode(arguments, doseq=True)}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            found = json.load(answer)
        assert found["status"] == "success", found
        return found["data"]

    def query(self, expression):
        """The series that an expression has now: labels, and a value."""
        return [(series["metric"], float(series["value"][1]))
                for series in self.ask("query", query=expression)["result"]]

    def close(self):
        """Ends it, and what it may not do by itself."""
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        finally:
            self.process.kill()
            self.process.wait()
