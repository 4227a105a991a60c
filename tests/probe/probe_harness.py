# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of papi_probe share. PAPI_PROBE_HELPERS names the directory of subject and thrower."""
import json
import os
import subprocess

from harness import main, ProgramTest, TOOLS  # noqa: F401 (main is for the tests)

PAPI_PROBE = os.path.join(TOOLS, "papi_probe")
HELPERS = os.environ["PAPI_PROBE_HELPERS"]
SUBJECT = os.path.join(HELPERS, "subject")
THROWER = os.path.join(HELPERS, "thrower")
COUNTS = ["calls", "timed", "left", "untimed", "unread", "inclusive_s", "exclusive_s", "least_s", "mean_s", "most_s",
          "events"]
CANNOT = (b"may not be traced", b"is not here", b"pidfd_getfd", b"cannot be stopped (ptrace)",
          b"has a filter of system")
# Programs of others that do the same in every run and on every processor, and functions of libc in them.
STREAMS = ("libc!_IO_*", "libc!malloc", "libc!free", "libc!*printf*", "libc!*getc*", "libc!*putc*", "libc!fread*")
FILTERS = tuple([os.path.join("/usr/bin", program), *words] for program, *words in (
    ("cut", "-c1-10", __file__), ("wc", __file__), ("uniq", "-c", __file__), ("grep", "-c", "th[aei]", __file__),
    ("nl", __file__), ("paste", __file__, __file__), ("fold", "-s", __file__), ("expand", __file__),
    ("fmt", __file__), ("tac", __file__), ("pr", __file__), ("cksum", __file__), ("base64", __file__),
    ("numfmt", "--to=iec", "1000", "20000000", "123456"), ("gzip", "-c", __file__),
    ("mawk", "{ n += NF } END { print n }", __file__)))


def patterns(names):
    return [word for name in names for word in ("-f", name)]


class ProbeTest(ProgramTest):
    """Every test has a directory of its own."""
    PREFIX = "papi-probe-test-"

    def run_it(self, *arguments, **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        result = subprocess.run([PAPI_PROBE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                timeout=300, **how)
        for reason in CANNOT:
            if reason in result.stderr:
                self.skipTest(" ".join(result.stderr.decode(errors="replace").split()))
        return result

    def read(self, path, unseen=0):
        """The functions of a JSON report by name; those that were not probed have a reason."""
        with open(path, encoding="utf-8") as file:
            report = json.loads(file.read().splitlines()[-1])
        self.assertEqual(list(report), ["version", "pid", "command", "seconds", "calls_only", "unseen",
                                        "functions", "inlined"])
        functions = {}
        for function in report["functions"]:
            if function["way"]:
                self.assertEqual([key for key in function if key in COUNTS], COUNTS)
                self.assertIsNone(function["reason"])
                self.check(function)
            else:
                self.assertTrue(function["reason"])
            functions[function["name"]] = function
        self.assertEqual(report["unseen"], unseen)
        return functions

    def check(self, function):
        """Numbers that fit together, in sum and by thread."""
        for one in (function, *function["threads"]):
            self.assertGreaterEqual(one["calls"], one["timed"] + one["untimed"], function)
            self.assertGreaterEqual(one["timed"], one["left"])
            self.assertEqual(one["mean_s"] is None, one["timed"] == 0)
            if one["timed"]:
                self.assertLessEqual(one["least_s"], one["mean_s"] + 1e-9)
                self.assertLessEqual(one["mean_s"], one["most_s"] + 1e-9)
                self.assertLessEqual(one["exclusive_s"], one["mean_s"] * one["timed"] * 1.001 + 1e-6)
                self.assertLessEqual(one["inclusive_s"], one["mean_s"] * one["timed"] * 1.001 + 1e-6)
        for key in ("calls", "timed", "left", "untimed"):
            self.assertEqual(function[key], sum(thread[key] for thread in function["threads"]), function)

    def probe(self, *command, names=("*",), status=0, options=()):
        """Runs a program and compares its output with that of a run without probes."""
        plain = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, timeout=120)
        report = self.path("report")
        result = self.run_it("--json", "-o", report, *options, *patterns(names), "--", *command)
        self.assertEqual((result.returncode, result.stderr), (status, b""))
        self.assertEqual((plain.returncode, result.stdout), (status, plain.stdout))
        return self.read(report)

    def calls(self, functions, **expected):
        self.assertEqual({name: functions[name]["calls"] for name in expected}, expected)
