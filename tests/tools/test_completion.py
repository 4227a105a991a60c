# SPDX-License-Identifier: BSD-3-Clause
"""Completion for bash: what it offers is what the utilities take."""
import os
import re
import subprocess

import harness
from test_options import options_of_help

SCRIPT = os.path.join(os.environ["PAPI_TOOLS_SOURCE"], "completion", "papi")
FUNCTION = """
. "$1"
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
_papi
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


class CompletionTest(harness.ToolTest):
    def complete(self, line, breaks=None):
        """What is offered where the command line ends; nothing may be said beside it."""
        environment = {**os.environ, "PATH": harness.TOOLS + os.pathsep + os.environ["PATH"]}
        setting = "" if breaks is None else f"COMP_WORDBREAKS='{breaks}'\n"
        result = subprocess.run(["bash", "--norc", "-c", setting + FUNCTION, "bash", SCRIPT, line],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, env=environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""), line)
        return result.stdout.splitlines()

    def setUp(self):
        if subprocess.run(["bash", "-c", "[ ${BASH_VERSINFO[0]} -ge 5 ]"], check=False).returncode != 0:
            self.skipTest("bash 5 is missing")

    def tools(self):
        """The utilities there are: those with a page."""
        return sorted(name[:-2] for name in os.listdir(os.environ["PAPI_TOOLS_SOURCE"])
                      if re.fullmatch(r"papi_\w+\.1", name) and os.path.exists(os.path.join(harness.TOOLS, name[:-2])))

    def test_every_utility_is_registered(self):
        with open(SCRIPT, encoding="utf-8") as stream:
            registered = stream.read().split("complete -F _papi", 1)[1]
        for tool in self.tools():
            self.assertRegex(registered, rf"\b{tool}\b")

    def test_options_are_those_of_help(self):
        for tool in self.tools():
            with self.subTest(tool=tool):
                expected = options_of_help(self.output_of(tool, "--help"))
                self.assertEqual(set(self.complete(tool + " -")), expected)
                self.assertEqual(set(self.complete(tool + " --")), {name for name in expected if name.startswith("--")})
                self.assertEqual(self.complete(tool + " --hel"), ["--help"])

    def test_words_that_options_take_are_accepted(self):
        for line, tool, arguments in [
                ("papi_run --format ", "papi_run", ["-e", "rusage:::nvcsw", "--format={}", "true"]),
                ("papi_hl_output_writer -f ", "papi_hl_output_writer", ["-f", "{}"]),
                ("papi_hl_output_writer --type ", "papi_hl_output_writer", ["--type", "{}"]),
                ("papi_hl_output_writer -n ", "papi_hl_output_writer", ["-n", "{}"])]:
            if not os.path.exists(os.path.join(harness.TOOLS, tool)):
                continue
            offered = self.complete(line)
            self.assertGreaterEqual(len(offered), 2, line)
            for word in offered:
                # Not a mistake on the command line; whether there is anything to show is another matter.
                result = harness.run(tool, *[argument.format(word) for argument in arguments])
                self.assertNotEqual(result.returncode, 2, result.stderr)

    def test_events(self):
        words = " \t\n:="
        self.assertIn("rusage:::nvcsw", self.complete("papi_command_line rusage:::", " "))
        self.assertIn("nvcsw", self.complete("papi_command_line rusage:::", words))
        self.assertEqual(self.complete("papi_run -e rusage:::minflt,rusage:::nvc", " "),
                         ["rusage:::minflt,rusage:::nvcsw"])
        self.assertEqual(self.complete("papi_run -e rusage:::minflt,rusage:::nvc", words), ["nvcsw"])
        self.assertEqual(self.complete("papi_event_chooser "), ["NATIVE", "PRESET"])
        self.assertEqual(self.complete("papi_event_chooser NATIVE rusage:::minfl", " "), ["rusage:::minflt"])
        self.assertEqual(self.complete("papi_avail --event=rusage:::minfl", " "), ["--event=rusage:::minflt"])
        self.assertEqual(self.complete("papi_avail --event=rusage:::minfl", words), ["minflt"])
        self.assertEqual(self.complete("papi_run --format=j", words), ["json"])

    def test_files_and_processes(self):
        self.assertIn("/usr", self.complete("papi_hl_output_writer --source /us"))
        self.assertIn("/usr", self.complete("papi_run -o /us"))
        self.assertIn(str(os.getpid()), self.complete(f"papi_run --pid {os.getpid()}"))

    def test_what_takes_nothing(self):
        self.assertEqual(self.complete("papi_cost --bins "), [])
        self.assertEqual(self.complete("papi_clockres x"), [])
        self.assertEqual(self.complete("papi_avail --nonsense"), [])


if __name__ == "__main__":
    harness.main()
