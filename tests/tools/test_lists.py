# SPDX-License-Identifier: BSD-3-Clause
"""papi_error_codes, papi_version and papi_hardware_avail."""
import os
import re

import harness


class ErrorCodesTest(harness.ToolTest):
    def test_every_code_once_with_words_of_its_own(self):
        lines = self.output_of("papi_error_codes").splitlines()
        entries = [re.fullmatch(r"Error code +(-?\d+): (\S.*) \((PAPI_\w+)\)", line) for line in lines
                   if line.startswith("Error code")]
        self.assertEqual([int(entry[1]) for entry in entries], list(range(0, -28, -1)))
        self.assertEqual(len({entry[2] for entry in entries}), 28)
        self.assertEqual(len({entry[3] for entry in entries}), 28)
        self.assertIn("There are 28 error codes defined", lines)

    def test_names_stand_at_their_codes(self):
        names = dict(re.findall(r"^Error code +(-?\d+): .* \((PAPI_\w+)\)$", self.output_of("papi_error_codes"), re.M))
        for code, name in {"0": "PAPI_OK", "-1": "PAPI_EINVAL", "-7": "PAPI_ENOEVNT", "-15": "PAPI_EPERM",
                           "-25": "PAPI_ECMP_DISABLED", "-27": "PAPI_EMULPASS"}.items():
            self.assertEqual(names[code], name)


class VersionTest(harness.ToolTest):
    def test_version(self):
        self.assertRegex(self.output_of("papi_version"), r"\APAPI Version: 7\.0\.\d+\.\d+\n\Z")

    def test_all_tools_name_the_same_version(self):
        version = self.output_of("papi_version").split(": ")[1]
        self.assertIn(f"For PAPI Version: {version}", self.output_of("papi_error_codes"))
        self.assertIn(f"\nPAPI version             : {version}", self.output_of("papi_avail"))


class HardwareAvailTest(harness.ToolTest):
    def test_agrees_with_the_header_of_papi_avail(self):
        devices = dict(re.findall(r"^(\S.*?) +: (.*)$", self.output_of("papi_hardware_avail"), re.M))
        values, _ = self.split_header(self.output_of("papi_avail"),
                                      "Available PAPI preset and user defined events plus hardware information.")
        self.assertEqual(devices["Sockets"], values["sockets"])
        self.assertEqual(devices["Cores per socket"], values["per_socket"])
        self.assertEqual(devices["SMT threads per core"], values["threads"])

    def test_every_cpu_belongs_to_a_numa_node(self):
        output = self.output_of("papi_hardware_avail")
        nodes = re.findall(r"^Numa Node \d+ Threads +:((?: \d+)*)$", output, re.M)
        self.assertEqual(len(nodes), int(re.search(r"^Numa regions +: (\d+)$", output, re.M)[1]))
        self.assertEqual(sorted(int(cpu) for node in nodes for cpu in node.split()), list(range(os.cpu_count())))

    def test_summary(self):
        self.assertRegex(self.output_of("papi_hardware_avail"),
                         r"\A\nDevice Summary -{65}\nVendor           DevCount\n\S+ +\(\d+\)\n \\-> Status: \S")


if __name__ == "__main__":
    harness.main()
