# SPDX-License-Identifier: BSD-3-Clause
"""Completion for bash, fish and zsh: what it offers is what the utilities take."""
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import harness
from test_options import options_of_help

SCRIPTS = os.path.join(os.environ["PAPI_TOOLS_SOURCE"], "completion")
SCRIPT = os.path.join(SCRIPTS, "papi")
ENVIRONMENT = {**os.environ, "PATH": harness.TOOLS + os.pathsep + os.environ["PATH"]}
FUNCTION = """
. "$1"
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
_papi
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


def tools():
    """The utilities there are: those with a page."""
    return sorted(name[:-2] for name in os.listdir(os.environ["PAPI_TOOLS_SOURCE"])
                  if re.fullmatch(r"papi_\w+\.1", name) and os.path.exists(os.path.join(harness.TOOLS, name[:-2])))


class BashTest(harness.ToolTest):
    def complete(self, line, breaks=None):
        """What is offered where the command line ends; nothing may be said beside it."""
        setting = "" if breaks is None else f"COMP_WORDBREAKS='{breaks}'\n"
        result = subprocess.run(["bash", "--norc", "-c", setting + FUNCTION, "bash", SCRIPT, line],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
        self.assertEqual((result.returncode, result.stderr), (0, ""), line)
        return result.stdout.splitlines()

    def setUp(self):
        if subprocess.run(["bash", "-c", "[ ${BASH_VERSINFO[0]} -ge 5 ]"], check=False).returncode != 0:
            self.skipTest("bash 5 is missing")

    def test_every_utility_is_registered(self):
        with open(SCRIPT, encoding="utf-8") as stream:
            registered = stream.read().split("complete -F _papi", 1)[1]
        for tool in tools():
            self.assertRegex(registered, rf"\b{tool}\b")

    def test_options_are_those_of_help(self):
        for tool in tools():
            with self.subTest(tool=tool):
                expected = options_of_help(self.output_of(tool, "--help"))
                self.assertEqual(set(self.complete(tool + " -")), expected)
                self.assertEqual(set(self.complete(tool + " --")), {name for name in expected if name.startswith("--")})
                self.assertEqual(self.complete(tool + " --hel"), ["--help"])

    def test_commands_and_their_options(self):
        if not os.path.exists(os.path.join(harness.TOOLS, "papi_profile")):
            self.skipTest("there is no papi_profile")
        listed = re.search(r"^Commands: (.*)$", self.output_of("papi_profile", "--help"), re.M)[1].split(", ")
        for command in listed:
            expected = options_of_help(self.output_of("papi_profile", command, "--help"))
            self.assertEqual(set(self.complete(f"papi_profile {command} -")), expected, command)
            self.assertIn(command, self.complete(f"papi_profile {command[:3]}"))
            self.assertIn("/usr", self.complete(f"papi_profile {command} /us"))
        self.assertNotIn("annotate", self.complete("papi_profile ls annot"))
        # What is offered is accepted, as far as there is a profile.
        for line, arguments in (("papi_profile report --by ", ["report", "--by"]),
                                ("papi_profile diff --by ", ["diff", "--by"]),
                                ("papi_profile report --order ", ["report", "--order"])):
            for word in self.complete(line):
                result = harness.run("papi_profile", *arguments, word, "/nowhere", *["/none"] * ("diff" in arguments))
                self.assertEqual(result.returncode, 1, result.stderr)

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


# What is typed, and the words that are offered for it.
CASES = [
    ("papi_run --fo", ["--format"]),
    ("papi_run --format ", ["csv", "json", "text"]),
    ("papi_hl_output_writer -n ", ["derived", "raw"]),
    ("papi_command_line rusage:::nv", ["rusage:::nvcsw"]),
    ("papi_avail -e rusage:::minfl", ["rusage:::minflt"]),
    ("papi_event_chooser NATIVE rusage:::nv", ["rusage:::nvcsw"]),
    ("papi_run -e PAPI_TOT_INS /us", ["/usr/"]),
    ("papi_profile -g dw", ["dwarf"]),
    ("papi_profile report --ord", ["--order"]),
    ("papi_profile report --order ", ["inclusive", "self"]),
    ("papi_profile export --folded /us", ["/usr/"]),
]
CASES = [case for case in CASES if os.path.exists(os.path.join(harness.TOOLS, case[0].split()[0]))]


@unittest.skipUnless(shutil.which("fish"), "fish is missing")
class FishTest(harness.ToolTest):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        # As they are installed.
        for tool in tools():
            os.symlink(os.path.join(SCRIPTS, "papi.fish"), os.path.join(self.directory, tool + ".fish"))

    def complete(self, line):
        script = f"set fish_complete_path {self.directory} $fish_complete_path; complete -C '{line}'"
        result = subprocess.run(["fish", "--no-config", "-c", script], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=120, env={**ENVIRONMENT, "HOME": self.directory})
        self.assertEqual((result.returncode, result.stderr), (0, ""), line)
        return [offered.split("\t")[0] for offered in result.stdout.splitlines()]

    def test_words(self):
        for line, expected in [*CASES, ("papi_run -e rusage:::minflt,rusage:::nvc", ["rusage:::minflt,rusage:::nvcsw"]),
                               ("papi_run --format=j", ["--format=json"])]:
            with self.subTest(line=line):
                self.assertEqual(self.complete(line), expected)

    def test_options_are_those_of_help(self):
        for tool in tools():
            with self.subTest(tool=tool):
                self.assertEqual(set(self.complete(tool + " -")), options_of_help(self.output_of(tool, "--help")))


@unittest.skipUnless(shutil.which("zsh"), "zsh is missing")
class ZshTest(harness.ToolTest):
    """An interactive shell of its own for each line: what it writes when the key for a list of choices is typed."""
    START = """PROMPT= RPROMPT=; fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' list-choices
        stty rows 500 cols 200; echo REA''DY\n"""

    def setUp(self):
        process, self.terminal = pty.fork()
        if process == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**ENVIRONMENT, "TERM": "dumb"})
        self.addCleanup(os.waitpid, process, 0)
        self.addCleanup(os.close, self.terminal)

    def read_until(self, texts):
        """Whether all texts have come, in any order, within a minute; and all that came."""
        got, end = "", time.monotonic() + 60
        while not all(text in got for text in texts) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 1)[0]:
                got += os.read(self.terminal, 65536).decode(errors="replace")
        return all(text in got for text in texts), got

    def offers(self, line, words):
        os.write(self.terminal, (self.START % SCRIPTS).encode())
        self.read_until(["READY\r\n"])
        os.write(self.terminal, line.encode() + b"\t")
        # A last word that was typed already must come once more, or be completed.
        found, got = self.read_until(words)
        self.assertTrue(found, got)

    def test_a_value(self):
        self.offers("papi_run --format ", ["csv", "json", "text"])

    def test_a_value_behind_an_equals_sign(self):
        self.offers("papi_run --format=", ["csv", "json", "text"])

    def test_options(self):
        self.offers("papi_avail -", sorted(options_of_help(self.output_of("papi_avail", "--help"))))

    def test_events(self):
        self.offers("papi_run -e rusage:::minflt,rusage:::nv", ["rusage:::nvcsw"])

    def test_operands(self):
        self.offers("papi_event_chooser NATIVE rusage:::nv", ["rusage:::nvcsw"])

    def test_a_program_behind_options(self):
        self.offers("papi_run -e PAPI_TOT_INS ls /us", ["usr/"])

    def test_every_utility_is_named(self):
        with open(os.path.join(SCRIPTS, "_papi"), encoding="utf-8") as stream:
            self.assertEqual(set(tools()) - set(stream.readline().split()), set())


if __name__ == "__main__":
    harness.main()
