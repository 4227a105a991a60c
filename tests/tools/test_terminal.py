# SPDX-License-Identifier: BSD-3-Clause
"""What people get in front of a terminal of 80 columns, and scripts behind a pipe."""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios

import harness

# Command lines that succeed quickly; papi_decode and papi_xml_event_info write for programs in any case.
COMMANDS = [
    ["papi_avail"],
    ["papi_avail", "-v"],
    ["papi_avail", "-e", "PAPI_TOT_CYC"],
    ["papi_avail", "-e", "perf::PAGE-FAULTS"],
    ["papi_clockres"],
    ["papi_command_line", "--best-effort", "perf::PAGE-FAULTS", "perf::NO-SUCH-EVENT"],
    ["papi_component_avail", "-d"],
    ["papi_cost", "-t", "100", "-p"],
    ["papi_doctor"],
    ["papi_error_codes"],
    ["papi_event_chooser", "PRESET", "perf::PAGE-FAULTS"],
    ["papi_event_chooser", "NATIVE", "perf::PAGE-FAULTS"],
    ["papi_hardware_avail"],
    ["papi_hybrid_native_avail", "--noqual"],
    ["papi_mem_info"],
    ["papi_multiplex_cost", "-t", "10", "-x", "2", "-d", tempfile.gettempdir()],
    ["papi_native_avail", "-c"],
    ["papi_version"],
]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(command, **variables):
    """What a utility writes to a terminal of 80 columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **variables}
    with subprocess.Popen([os.path.join(harness.TOOLS, command[0]), *command[1:]], stdin=subprocess.DEVNULL,
                          stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        parts = []
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(master)
    return b"".join(parts).decode().replace("\r\n", "\n")


class TerminalTest(harness.ToolTest):
    def test_no_line_is_longer_than_80_columns(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                lines = COLOUR.sub("", on_terminal(command)).expandtabs().splitlines()
                self.assertGreater(len(lines), 0)
                self.assertEqual([line for line in lines if len(line) > 80], [])

    def test_no_blanks_end_a_wrapped_line(self):
        for command in (["papi_avail"], ["papi_error_codes"]):
            lines = COLOUR.sub("", on_terminal(command)).splitlines()
            self.assertEqual([line for line in lines if line != line.rstrip()], [])

    def test_the_machine_is_described_when_asked_for(self):
        for command in (["papi_avail"], ["papi_component_avail"], ["papi_native_avail"],
                        ["papi_hybrid_native_avail"], ["papi_event_chooser", "PRESET", "perf::PAGE-FAULTS"]):
            with self.subTest(command=command):
                plain = on_terminal(command, NO_COLOR="1")
                self.assertNotIn("Operating system", plain)
                self.assertRegex(" ".join(plain.splitlines()[1:3]), r"CPUs?\b.*; -v says more\b")
                self.assertIn("Operating system         : Linux", on_terminal([*command, "-v"], NO_COLOR="1"))
                # Scripts look for it without an option.
                self.assertIn("Operating system         : Linux", self.output_of(*command))

    def test_colours_are_for_terminals(self):
        coloured = on_terminal(["papi_doctor"])
        self.assertRegex(coloured, COLOUR)
        self.assertNotRegex(on_terminal(["papi_doctor"], NO_COLOR="1"), COLOUR)
        self.assertNotRegex(on_terminal(["papi_doctor"], TERM="dumb"), COLOUR)
        for command in COMMANDS:
            self.assertNotRegex(harness.run(*command).stdout, COLOUR)

    def test_colours_change_nothing_else(self):
        for command in (["papi_avail"], ["papi_doctor"]):
            self.assertEqual(COLOUR.sub("", on_terminal(command)), on_terminal(command, NO_COLOR="1"))

    def test_times_are_milliseconds_and_digits_are_grouped(self):
        output = on_terminal(["papi_command_line", "perf::TASK-CLOCK"])
        self.assertRegex(output, r"(?m)^perf::TASK-CLOCK : \t[\d,]+\.\d{3} ms$")
        self.assertRegex(harness.run("papi_command_line", "perf::TASK-CLOCK").stdout,
                         r"(?m)^perf::TASK-CLOCK : \t\d{5,}$")
        self.assertRegex(on_terminal(["papi_cost", "-t", "100"]), r"(?m)^m[a-z]+ cycles *: \d{1,3},\d{3}")

    def test_the_median_comes_first(self):
        output = self.output_of("papi_cost", "-t", "100")
        self.assertRegex(output, r"iterations\nmedian cycles: \d+\nmin cycles   : \d+\n")

    def test_a_wrapped_row_is_one_line_in_a_pipe(self):
        if shutil.which("grep") is None:
            self.skipTest("grep is missing")
        piped = self.output_of("papi_avail")
        for row in re.findall(r"(?m)^PAPI_.*", piped):
            self.assertRegex(row, r"^\S+ +0x[0-9a-f]{8}  (Yes|No) +(Yes|No) +\S")


class LegendTest(harness.ToolTest):
    """Notes stand below the table, once each, with the numbers that the rows have."""
    def check(self, output):
        legend = dict(re.findall(r"(?m)^\((\d+)\) +(\S.*)$", output))
        self.assertEqual(list(legend), [str(number + 1) for number in range(len(legend))])
        self.assertEqual(len(set(legend.values())), len(legend))
        used = set(re.findall(r"(?m)^\S+ +0x[0-9a-f]{8}  .* \((\d+)\)$", output))
        self.assertEqual(used, set(legend))
        return legend

    def test_presets(self):
        output = self.output_of("papi_avail")
        legend = self.check(output)
        if "Counting                 : virtual" in output:
            self.assertTrue(any(note.startswith("modelled") for note in legend.values()), legend)
            self.assertTrue(any(note.startswith("exact") for note in legend.values()), legend)
            number = next(number for number, note in legend.items() if note.startswith("exact"))
            self.assertRegex(output, rf"(?m)^PAPI_TOT_INS .* \({number}\)$")

    def test_one_note_for_two_events(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
            file.write("PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::CS,NOTE,shared\n"
                       "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CS,NOTE,shared\n"
                       "PRESET,PAPI_L1_DCM,NOT_DERIVED,no::EVENT,NOTE,of what is not here\n")
            file.flush()
            output = self.output_of("papi_avail", environment={"PAPI_CSV_EVENT_FILE": file.name})
        self.assertEqual(self.check(output), {"1": "shared"})
        self.assertRegex(output, r"PAPI_TOT_INS .* \(1\)\n")
        self.assertRegex(output, r"PAPI_TOT_CYC .* \(1\)\n")

    def test_the_chooser(self):
        self.check(self.output_of("papi_event_chooser", "PRESET", "perf::PAGE-FAULTS"))


if __name__ == "__main__":
    harness.main()
