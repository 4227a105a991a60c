# SPDX-License-Identifier: BSD-3-Clause
"""Debian's papi-tools, compiled against another libpapi.so.7.0, run unchanged on this one.

PAPI_DEBIAN_TOOLS names the directory of the unpacked programs (or a list of directories to look in, separated by
colons), PAPI_LIBRARY that of the library, PAPI_SDE that of libsde, which papi_native_avail wants, and PAPI_SDE_PLUGIN a
library that registers events.
"""
import os
import re
import subprocess
import tempfile
import unittest

import harness

LIBRARY = os.environ["PAPI_LIBRARY"]
SDE = os.environ["PAPI_SDE"]
# Each test but that of the library itself needs one program, whose name it starts with.
DIRECTORY = next((directory for directory in os.environ.get("PAPI_DEBIAN_TOOLS", "").split(":")
                  if os.access(os.path.join(directory, "papi_avail"), os.X_OK)), None)


@unittest.skipIf(DIRECTORY is None, "Debian's papi-tools are not here: tools/dev/setup.sh check unpacks them")
class DebianToolsTest(harness.ToolTest):
    def run_debian(self, tool, *arguments, cwd=None, **variables):
        path = os.path.join(DIRECTORY, tool)
        if not os.path.exists(path):
            self.skipTest(f"{tool} is not among them")
        environment = {**os.environ, "LD_LIBRARY_PATH": f"{LIBRARY}:{SDE}", "LD_BIND_NOW": "1", **variables}
        result = subprocess.run([path, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                timeout=300, env=environment, cwd=cwd)
        # Negative: killed by a signal. 127: the program loader found no library or symbol.
        self.assertTrue(0 <= result.returncode != 127, f"{result.returncode}\n{result.stdout}{result.stderr}")
        return result

    def succeed(self, tool, *arguments):
        result = self.run_debian(tool, *arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def has_cycles(self):
        """Whether processor cycles can be counted here, which some of the programs cannot do without."""
        return harness.run("papi_command_line", "PAPI_TOT_CYC").returncode == 0

    def test_they_load_this_library(self):
        loaded = self.run_debian("papi_avail", LD_TRACE_LOADED_OBJECTS="1").stdout
        path = re.search(r"libpapi\.so\.7\.0 => (\S+)", loaded)
        self.assertTrue(os.path.samefile(os.path.dirname(path[1]), LIBRARY), loaded)

    def test_papi_avail(self):
        output = self.succeed("papi_avail")
        rows = re.findall(r"^\S+ +0x[0-9a-f]{8}  (Yes|No) +(Yes|No) ", output, re.M)
        self.assertGreaterEqual(len(rows), 108)
        self.assertIn(f"Of {len(rows)} possible events, {sum(row[0] == 'Yes' for row in rows)} are available", output)

    def test_papi_avail_says_what_ours_says(self):
        def rows(text):
            return re.findall(r"^(PAPI_\S+) +(0x[0-9a-f]{8})  (Yes|No) ", text, re.M)
        self.assertEqual(rows(self.succeed("papi_avail")), rows(self.output_of("papi_avail")))

    def test_headers_are_the_same(self):
        def header(text):
            return text[:text.index(harness.RULE, text.index(harness.RULE) + 1)]
        for tool in ("papi_avail", "papi_native_avail", "papi_component_avail"):
            # The line about the virtual PMU is ours alone.
            ours = re.sub(r"(?m)^Counting +: virtual.*\n", "", header(self.output_of(tool)))
            self.assertEqual(header(self.succeed(tool)), ours, tool)

    def test_papi_avail_of_one_event(self):
        output = self.succeed("papi_avail", "-e", "perf::PAGE-FAULTS")
        self.assertRegex(output, r"Event name: +perf::PAGE-FAULTS\nEvent Code: +0x4[0-9a-f]{7}\n")

    def test_papi_native_avail(self):
        output = self.succeed("papi_native_avail")
        self.assertRegex(output, r"\| perf::PAGE-FAULTS +\|")
        self.assertGreater(int(re.search(r"^Total events reported: (\d+)$", output, re.M)[1]), 10)

    def test_papi_native_avail_of_software_defined_events(self):
        """A library that is not running registers its events, through functions in a table of this program's making."""
        output = self.succeed("papi_native_avail", "-sde", os.environ["PAPI_SDE_PLUGIN"])
        names = re.findall(r"^\| (sde:::\S+) +\|", output, re.M)
        self.assertEqual(names, ["sde:::plugin::steps", "sde:::plugin::made", "sde:::plugin::times"])
        self.assertIn("steps that the plugin has made", output)
        self.assertRegex(output, r"(?m)^\| +\S*:MED +\|$")

    def test_papi_command_line(self):
        output = self.succeed("papi_command_line", "perf::PAGE-FAULTS", "perf::TASK-CLOCK")
        self.assertIn("Successfully added: perf::PAGE-FAULTS\n", output)
        values = dict(re.findall(r"^(perf::\S+) : \t(\d+)", output, re.M))
        self.assertGreater(int(values["perf::PAGE-FAULTS"]), 0)
        self.assertGreater(int(values["perf::TASK-CLOCK"]), 0)

    def test_papi_command_line_refused(self):
        output = self.run_debian("papi_command_line", "perf::NO-SUCH-EVENT").stdout
        self.assertIn("Failed adding: perf::NO-SUCH-EVENT\nbecause: ", output)

    def test_papi_component_avail(self):
        active = self.succeed("papi_component_avail").split("Active components:")[1]
        self.assertRegex(active, r"Name:   perf_event +\S.*\n +Native: [1-9]\d*, ")

    def test_papi_clockres(self):
        output = self.succeed("papi_clockres")
        for timer in ("PAPI_get_real_cyc", "PAPI_get_real_usec", "PAPI_get_virt_cyc", "PAPI_get_virt_usec"):
            self.assertRegex(output, rf"(?m)^{timer} ?: +[\d.]+ ")

    def test_papi_cost(self):
        result = self.run_debian("papi_cost", "-t", "1000")
        if self.has_cycles():
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn("Total cost for PAPI_read", result.stdout)
        else:
            self.assertEqual(result.returncode, 256 - 7, "it should have been told that PAPI_TOT_CYC does not exist")

    def test_papi_multiplex_cost(self):
        with tempfile.TemporaryDirectory() as directory:
            result = self.run_debian("papi_multiplex_cost", "-x", "4", "-t", "100", cwd=directory)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            for name in ("read", "read_ts", "accum", "reset", "startstop"):
                with open(os.path.join(directory, f"papi_{name}.dat"), encoding="ascii") as file:
                    rows = [line.split() for line in file if not line.startswith("#")]
                self.assertEqual([row[0] for row in rows], ["1", "2", "3"])
                # By the kernel, and by the library.
                self.assertTrue(all(len(row) == 9 and float(row[1]) > 0 and float(row[5]) > 0 for row in rows), rows)

    def test_papi_mem_info(self):
        self.assertRegex(self.succeed("papi_mem_info"), r"L1 Data Cache:\n *Total size: +[1-9]\d* ?KB")

    def test_papi_error_codes(self):
        output = self.succeed("papi_error_codes")
        self.assertRegex(output, r"Error code +-7: \S")
        self.assertIn("There are 28 error codes defined", output)

    def test_papi_version(self):
        self.assertIn("PAPI Version: 7.0.0", self.succeed("papi_version"))

    def test_papi_decode(self):
        rows = re.findall(r"^(PAPI_\w+),(?:NOT_DERIVED|DERIVED_\w+|),", self.succeed("papi_decode"), re.M)
        self.assertIn("PAPI_L1_TCM", rows)
        self.assertGreaterEqual(len(rows), 108)

    def test_papi_event_chooser(self):
        output = self.succeed("papi_event_chooser", "NATIVE", "perf::PAGE-FAULTS")
        self.assertGreater(int(re.search(r"^Total events reported: (\d+)$", output, re.M)[1]), 0)

    def test_papi_xml_event_info(self):
        output = self.succeed("papi_xml_event_info")
        self.assertIn('name="perf::PAGE-FAULTS"', output)

    def test_papi_hardware_avail(self):
        output = self.succeed("papi_hardware_avail")
        self.assertIn("Device Summary", output)
        # What it says of the CPUs, ours says.
        def facts(text):
            labels = ("Name", "CPUID", "Sockets", "Numa regions", "Cores per socket", "SMT threads per core",
                      "L1d Cache")
            return {label: re.search(rf"(?m)^{label} +: (.*\S)", text)[1] for label in labels}
        self.assertEqual(facts(output), facts(self.output_of("papi_hardware_avail")))


if __name__ == "__main__":
    harness.main()
