# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of papi_probe --way translate share."""
import os
import subprocess
import unittest

from probe_harness import HELPERS, PAPI_PROBE, patterns, ProbeTest

# Whatever counters the machine has.
ENVIRONMENT = {**os.environ, "PAPI_VPMU": "always"}
INSTRUCTIONS = "vpmu:::INSTRUCTIONS"


def skip_unless_counted():
    """Where nothing is counted by translation, there is nothing to try."""
    result = subprocess.run([PAPI_PROBE, "--way", "translate", "-f", "leaf", os.path.join(HELPERS, "subject"), "calls",
                             "1"], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if result.returncode:
        raise unittest.SkipTest("nothing is counted by translation here: " + " ".join(result.stderr.split())[:300])


class TranslateTest(ProbeTest):
    def run_it(self, *arguments, **how):
        how.setdefault("env", ENVIRONMENT)
        return super().run_it(*arguments, **how)

    def translate(self, *command, names=("*",), status=0, options=("--way", "translate"), **how):
        """Runs a program and compares its output with that of a run without; the functions of the report by name."""
        plain = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, timeout=120,
                               env=how.get("env"))
        report = self.path("report")
        result = self.run_it("--json", "-o", report, *options, *patterns(names), "--", *command, **how)
        self.assertEqual((result.returncode, result.stderr), (status, b""))
        self.assertEqual((plain.returncode, result.stdout), (status, plain.stdout))
        return self.functions(report)

    def functions(self, report):
        functions = self.read(report)
        for function in functions.values():
            self.assertIn(function["way"], ("translate", None))
            for one in (function, *function["threads"]) if function["way"] else ():
                self.fits(one)
        return functions

    def fits(self, one):
        self.assertEqual((one["timed"], one["left"], one["untimed"], one["mean_s"]), (0, 0, 0, None))
        for values in filter(None, one["events"].values()):
            if values["inclusive"] is not None:
                self.assertGreaterEqual(values["inclusive"], values["exclusive"])
            self.assertEqual((values["least"], values["mean"], values["most"]), (None, None, None))

    def values(self, functions, event=INSTRUCTIONS, which="inclusive", **expected):
        self.assertEqual({name: functions[name]["events"][event][which] for name in expected}, expected)
