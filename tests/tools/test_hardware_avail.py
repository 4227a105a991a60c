# SPDX-License-Identifier: BSD-3-Clause
"""papi_hardware_avail and the functions of devices behind it, on recorded machines (PAPI_MACHINES)."""
import os
import re
import subprocess
import unittest

import harness
import trees


class HardwareTest(harness.ToolTest):
    def on(self, name):
        """The attributes of the CPUs of a recorded machine, by label."""
        machine = trees.unpack(os.path.join(os.environ["PAPI_MACHINES"], name + ".tree"))
        self.addCleanup(machine.cleanup)
        output = self.output_of("papi_hardware_avail", environment={"PAPI_ROOT": machine.name})
        self.assertEqual(output.count("Id                                    : "), 1, "the CPUs are one device")
        return {label.strip(): value.strip() for label, value in re.findall(r"^([^:\n]+): ?(.*)$", output, re.M)}

    def test_two_sockets(self):
        facts = self.on("intel-two-sockets")
        self.assertEqual((facts["Sockets"], facts["Numa regions"]), ("2", "2"))
        with_threads = int(facts["Sockets"]) * int(facts["Cores per socket"]) * int(facts["SMT threads per core"])
        threads = [facts[f"Numa Node {node} Threads"].split() for node in range(2)]
        self.assertEqual(len(threads[0]) + len(threads[1]), with_threads)
        self.assertEqual(sorted(map(int, threads[0] + threads[1])), list(range(with_threads)))
        for level in ("L1i", "L1d", "L2", "L3"):
            self.assertRegex(facts[level + " Cache"], r"^Size/LineSize/Lines/Assoc \d+KB/64B/\d+/\d+$")

    def test_eight_nodes(self):
        facts = self.on("amd-four-nodes")
        self.assertEqual((facts["Sockets"], facts["Cores per socket"], facts["SMT threads per core"]), ("2", "8", "2"))
        self.assertEqual(facts["Numa regions"], "8")
        self.assertIn("Numa Node 7 Threads", facts)
        self.assertNotIn("Numa Node 8 Threads", facts)

    def test_arm(self):
        facts = self.on("arm64-server")
        self.assertTrue(facts["Name"])
        self.assertGreater(int(facts["Cores per socket"]), 1)

    def test_machines_that_tell_little(self):
        for name in ("mips-router", "garbage", "x86-without-sys", "s390x"):
            self.assertGreaterEqual(int(self.on(name)["Sockets"]), 0)

    def test_the_component_is_there(self):
        output = self.output_of("papi_component_avail")
        self.assertIn("sysdetect", output)
        result = harness.run("papi_command_line", "sysdetect:::anything")
        self.assertIn("component sysdetect has no event", result.stdout + result.stderr)

    def test_command_line(self):
        self.assert_refused(harness.run("papi_hardware_avail", "--nonsense"), 2, "--nonsense", "Try")
        self.assert_refused(harness.run("papi_hardware_avail", "x"), 2, "'x'")
        with open("/dev/full", "wb") as full:
            result = subprocess.run([os.path.join(harness.TOOLS, "papi_hardware_avail")], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left on device", result.stderr)


if __name__ == "__main__":
    harness.main()
