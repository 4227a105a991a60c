# SPDX-License-Identifier: BSD-3-Clause
"""The manners all utilities share: their options, their manual pages, and what becomes of their output."""
import os
import re
import signal
import subprocess
import tempfile

import harness

SOURCE = os.environ["PAPI_TOOLS_SOURCE"]

# A command line of each utility that succeeds quickly.
COMMANDS = {
    "papi_avail": [],
    "papi_clockres": [],
    "papi_command_line": ["perf::PAGE-FAULTS"],
    "papi_component_avail": [],
    "papi_cost": ["-t", "10"],
    "papi_decode": [],
    "papi_error_codes": [],
    "papi_event_chooser": ["NATIVE", "perf::PAGE-FAULTS"],
    "papi_hardware_avail": [],
    "papi_hl_output_writer": ["-s", os.path.join(os.path.dirname(os.path.abspath(__file__)), "rank_0.json")],
    "papi_mem_info": [],
    "papi_multiplex_cost": ["-t", "1", "-x", "1", "-d", tempfile.gettempdir()],
    "papi_native_avail": [],
    "papi_version": [],
}

# Not built without jansson.
if not os.path.exists(os.path.join(harness.TOOLS, "papi_hl_output_writer")):
    del COMMANDS["papi_hl_output_writer"]


def path(tool):
    return os.path.join(harness.TOOLS, tool)


def options_of_help(text):
    """The options that --help lists: {'-a', '--avail', ...}."""
    found = set()
    for line in text.splitlines():
        match = re.match(r"  (?:(-\w), |    )?(--[a-z0-9-]+)?", line)
        if match and line.lstrip().startswith("-"):
            found.update(option for option in match.groups() if option)
    return found


def options_of_page(tool):
    """The options that a manual page explains: its list items `.It Fl a , Fl -avail`."""
    found = set()
    with open(os.path.join(SOURCE, tool + ".1"), encoding="utf-8") as page:
        for line in page:
            if line.startswith(".It Fl"):
                found.update("-" + word for word in re.findall(r"Fl (\S+)", line))
    return found


class EnvironmentTest(harness.ToolTest):
    def test_a_value_of_papi_vpmu_without_a_meaning(self):
        for tool, arguments in COMMANDS.items():
            for value in ("onn", "1"):
                result = harness.run(tool, *arguments, environment={"PAPI_VPMU": value})
                self.assert_refused(result, 2, f'PAPI_VPMU is "{value}", and should be off, auto or always')

    def test_help_all_the_same(self):
        for tool in COMMANDS:
            self.assertEqual(harness.run(tool, "--help", environment={"PAPI_VPMU": "onn"}).returncode, 0)


class OptionsTest(harness.ToolTest):
    def each_tool(self):
        for tool in COMMANDS:
            with self.subTest(tool=tool):
                yield tool

    def test_help_goes_to_standard_output(self):
        for tool in self.each_tool():
            for option in ("-h", "--help"):
                text = self.output_of(tool, option)
                self.assertTrue(text.startswith(f"Usage: {tool} [OPTION]..."), text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_version(self):
        for tool in self.each_tool():
            self.assertRegex(self.output_of(tool, "--version"), rf"\A{tool} \(PAPI\) 7\.0\.\d+\.\d+\n\Z")

    def test_unknown_options_are_mistakes(self):
        for tool in self.each_tool():
            for option in ("--nonsense", "-Z"):
                result = harness.run(tool, option)
                self.assert_refused(result, 2, option.lstrip("-"), f"Try '{tool} --help'.")
                self.assertEqual(result.stdout, "")
                self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)

    def test_unexpected_operands_are_mistakes(self):
        for tool in self.each_tool():
            if tool != "papi_command_line":
                self.assert_refused(harness.run(tool, "surplus"), 2, "surplus", f"Try '{tool} --help'.")

    def test_what_is_quoted_is_no_command_to_the_terminal(self):
        for tool in self.each_tool():
            result = harness.run(tool, "a\x1b[31mb")
            if result.returncode == 2:
                self.assertNotIn("\x1b", result.stderr)
                self.assertIn("a?[31mb", result.stderr)

    def test_manual_page_explains_the_options_there_are(self):
        for tool in self.each_tool():
            self.assertEqual(options_of_page(tool), options_of_help(self.output_of(tool, "--help")))


class OutputTest(harness.ToolTest):
    def run_with_reader_that_leaves(self, tool, sigpipe):
        """Runs a utility into a pipe that nobody reads from any more; returns its status and messages."""
        read_end, write_end = os.pipe()
        os.close(read_end)
        try:
            return subprocess.run([path(tool), *COMMANDS[tool]], stdin=subprocess.DEVNULL, stdout=write_end,
                                  stderr=subprocess.PIPE, text=True, timeout=120, restore_signals=False,
                                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, sigpipe))
        finally:
            os.close(write_end)

    def test_a_reader_that_leaves_is_no_failure(self):
        for tool in COMMANDS:
            for sigpipe in (signal.SIG_DFL, signal.SIG_IGN):
                with self.subTest(tool=tool, sigpipe=sigpipe):
                    result = self.run_with_reader_that_leaves(tool, sigpipe)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_head_shows_the_first_line(self):
        result = subprocess.run(["bash", "-o", "pipefail", "-c", '"$0" | head -n 1', path("papi_native_avail")],
                                capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "Available native events and hardware information.\n")

    def test_a_full_disk_is_reported(self):
        for tool, arguments in COMMANDS.items():
            with self.subTest(tool=tool), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([path(tool), *arguments], stdin=subprocess.DEVNULL, stdout=full,
                                        stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(result.stderr, f"{tool}: the output is not complete: No space left on device\n")

    def test_a_closed_standard_output_is_reported(self):
        for tool, arguments in COMMANDS.items():
            with self.subTest(tool=tool):
                result = subprocess.run(["sh", "-c", '"$0" "$@" >&-', path(tool), *arguments],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(result.returncode, 1)
                self.assertIn("the output is not complete", result.stderr)


if __name__ == "__main__":
    harness.main()
