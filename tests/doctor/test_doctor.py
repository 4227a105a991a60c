# SPDX-License-Identifier: BSD-3-Clause
"""papi_doctor: the report and the JSON, on this machine and on recorded ones (PAPI_DOCTOR_TREES)."""
import json
import os
import re
import subprocess
import unittest

import harness
import trees

TREES = os.environ["PAPI_DOCTOR_TREES"]

TYPES = {
    "kernel": str, "hypervisor": str, "pmus": str, "libpfm4": str, "perf_event_paranoid": int, "capabilities": bool,
    "seccomp": bool, "container": str, "lockdown": str, "perf_event_open": bool, "nmi_watchdog": bool,
    "user_reads": bool, "perf_event_mlock_kb": int, "open_files": int, "virtual_pmu": bool, "presets": int,
}


class DoctorTest(harness.ToolTest):
    def examine(self, tree=None, change=None, **variables):
        """The JSON, checked for its form, with the checks by name; and the exit status and the text beside it."""
        machine = trees.unpack(os.path.join(TREES, tree + ".tree"), change) if tree else None
        if machine:
            self.addCleanup(machine.cleanup)
            variables["PAPI_ROOT"] = machine.name
        result = harness.run("papi_doctor", "--json", environment=variables)
        text = harness.run("papi_doctor", environment=variables)
        self.assertEqual(result.stderr + text.stderr, "")
        self.assertEqual(result.returncode, text.returncode)
        report = json.loads(result.stdout)
        self.assert_form(report)
        self.assertEqual(result.returncode, 0 if report["can_count"]["hardware"] else 1)
        self.assertIn(report["verdict"], re.sub(r"\s+", " ", text.stdout))
        checks = {check["name"]: check for check in report["checks"]}
        for line in text.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
        for check in report["checks"]:
            # In the text, what is as it should be is not to be changed.
            if check["remedy"]:
                self.assertEqual(check["status"] != "ok", check["remedy"] in re.sub(r"\s+", " ", text.stdout))
        return report, checks

    def assert_form(self, report):
        self.assertEqual(list(report), ["version", "recorded", "tried", "verdict", "can_count", "presets", "checks"])
        self.assertEqual(list(report["can_count"]), ["hardware", "software", "kernel_mode", "whole_cpus"])
        self.assertTrue(all(type(truth) is bool for truth in report["can_count"].values()))
        self.assertEqual(list(report["presets"]), ["available", "known"])
        self.assertEqual(sorted(check["name"] for check in report["checks"]), sorted(TYPES))
        for check in report["checks"]:
            self.assertEqual(list(check), ["name", "status", "value", "finding", "remedy"])
            self.assertIn(check["status"], ("ok", "note", "problem"))
            self.assertTrue(check["value"] is None or type(check["value"]) is TYPES[check["name"]], check)
            self.assertTrue(check["finding"])
            self.assertNotEqual(check["remedy"], "")

    def assert_can_count(self, report, *what):
        self.assertEqual({key for key, truth in report["can_count"].items() if truth}, set(what))

    def problems(self, report):
        return [check["name"] for check in report["checks"] if check["status"] == "problem"]

    def test_this_machine(self):
        report, checks = self.examine()
        self.assertEqual((report["recorded"], report["tried"]), (False, True))
        self.assertEqual(checks["kernel"]["value"], os.uname().release)
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            self.assertEqual(checks["perf_event_paranoid"]["value"], int(file.read()))
        # What it says that can be counted, can be.
        counted = harness.run("papi_command_line", "perf::TASK-CLOCK").returncode == 0
        self.assertEqual(report["can_count"]["software"], counted)
        counted = harness.run("papi_command_line", "perf::INSTRUCTIONS:u").returncode == 0
        self.assertEqual(report["can_count"]["hardware"], counted)
        available = self.output_of("papi_avail", "-a")
        self.assertIn(f"Of {report['presets']['available']} available events", available)
        self.assertEqual(checks["presets"]["value"], report["presets"]["available"])

    def test_refused_for_certain(self):
        """A seccomp filter that refuses perf_event_open: what the files say does not matter, only what comes of it."""
        result = subprocess.run([os.path.join(os.environ["PAPI_RUN_HELPERS"], "refuse"), "perf_event_open",
                                 os.path.join(harness.TOOLS, "papi_doctor"), "--json"], capture_output=True, text=True,
                                timeout=60)
        if result.returncode == 77:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, 1, result.stderr)
        report = json.loads(result.stdout)
        self.assert_can_count(report)
        check = {check["name"]: check for check in report["checks"]}["perf_event_open"]
        self.assertEqual(check["status"], "problem")
        self.assertIn("seccomp", check["finding"])
        self.assertIn("--cap-add PERFMON", check["remedy"])

    def test_paranoid(self):
        report, checks = self.examine("paranoid")
        self.assert_can_count(report)
        self.assertEqual((report["recorded"], report["tried"]), (True, False))
        self.assertEqual(self.problems(report), ["perf_event_paranoid", "perf_event_open"])
        self.assertEqual(checks["perf_event_paranoid"]["value"], 3)
        self.assertEqual(checks["perf_event_paranoid"]["remedy"], "sudo sysctl kernel.perf_event_paranoid=2")
        self.assertIs(checks["capabilities"]["value"], False)
        self.assertEqual(checks["container"]["value"], "none")
        self.assertEqual(checks["pmus"]["value"], "cpu")
        self.assertEqual(checks["lockdown"]["value"], "integrity")
        self.assertIn("neither hardware nor software", report["verdict"])
        self.assertIn("i5-7500", checks["libpfm4"]["finding"])

    def test_levels_of_paranoia(self):
        levels = {"2": ("hardware", "software"), "1": ("hardware", "software", "kernel_mode"),
                  "0": ("hardware", "software", "kernel_mode", "whole_cpus"),
                  "-1": ("hardware", "software", "kernel_mode", "whole_cpus")}
        for level, what in levels.items():
            report, checks = self.examine("paranoid", {"/proc/sys/kernel/perf_event_paranoid": level + "\n"})
            self.assert_can_count(report, *what)
            self.assertEqual(self.problems(report), [])
            self.assertEqual(checks["perf_event_paranoid"]["value"], int(level))

    def test_container(self):
        report, checks = self.examine("container")
        self.assert_can_count(report, "hardware", "software")
        self.assertEqual(checks["container"]["value"], "podman")
        self.assertIs(checks["seccomp"]["value"], True)
        self.assertIs(checks["capabilities"]["value"], False)
        self.assertEqual(checks["capabilities"]["status"], "note")
        self.assertIn("rootless", checks["capabilities"]["finding"])
        self.assertEqual(checks["open_files"]["value"], 128)
        self.assertEqual(checks["open_files"]["remedy"], "ulimit -n 4096")
        self.assertEqual(checks["perf_event_mlock_kb"]["remedy"], "sudo sysctl kernel.perf_event_mlock_kb=516")
        self.assertIs(checks["user_reads"]["value"], False)
        self.assertEqual(checks["user_reads"]["remedy"], "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc")

    def test_container_without_capabilities(self):
        status = "Name:\tpapi_doctor\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n"
        report, checks = self.examine("container", {"/proc/self/status": status, "/run/.containerenv": None,
                                                    "/.dockerenv": ""})
        self.assert_can_count(report)
        self.assertEqual(checks["container"]["value"], "docker")
        self.assertEqual(self.problems(report), ["perf_event_open"])
        self.assertIn("--cap-add PERFMON", checks["perf_event_open"]["remedy"])

    def test_containers_by_their_groups(self):
        for group, name in (("0::/kubepods/pod1/x", "kubepods"), ("0::/lxc/x", "lxc"),
                            ("0::/user.slice", "user namespace")):
            checks = self.examine("container", {"/run/.containerenv": None, "/proc/self/cgroup": group + "\n"})[1]
            self.assertEqual(checks["container"]["value"], name)

    def test_watchdog(self):
        report, checks = self.examine("watchdog")
        self.assert_can_count(report, "hardware", "software", "kernel_mode", "whole_cpus")
        self.assertIs(checks["nmi_watchdog"]["value"], True)
        self.assertEqual(checks["nmi_watchdog"]["status"], "note")
        self.assertEqual(checks["nmi_watchdog"]["remedy"], "sudo sysctl kernel.nmi_watchdog=0")
        # Paranoia does not bind the privileged.
        self.assertEqual(checks["perf_event_paranoid"]["status"], "ok")
        self.assertEqual(checks["pmus"]["value"], "cpu_atom, cpu_core")
        self.assertIn("several kinds", checks["pmus"]["finding"])
        self.assertEqual(checks["lockdown"]["value"], "confidentiality")
        self.assertEqual(checks["lockdown"]["status"], "note")
        self.assertIsNone(checks["open_files"]["value"])

    def test_guest(self):
        report, checks = self.examine("guest")
        self.assert_can_count(report, "software", "kernel_mode")
        self.assertEqual(checks["hypervisor"]["value"], "xen")
        self.assertEqual(self.problems(report), ["pmus"])
        self.assertIn("hypervisor", checks["pmus"]["finding"])
        # A watchdog without a counter holds none.
        self.assertIs(checks["nmi_watchdog"]["value"], False)
        self.assertIsNone(checks["user_reads"]["value"])
        self.assertIsNone(report["presets"]["available"])

    def test_bare(self):
        report, checks = self.examine("bare")
        self.assert_can_count(report)
        self.assertEqual(self.problems(report), ["kernel", "pmus", "perf_event_open"])
        self.assertIn("CONFIG_PERF_EVENTS", checks["kernel"]["remedy"])
        self.assertIsNone(checks["perf_event_paranoid"]["value"])

    def test_nonsense_in_files(self):
        """Bytes that are no text come out as valid JSON all the same."""
        name = "/sys/bus/event_source/devices/odd\"\\name"
        report, checks = self.examine("paranoid", {
            "/proc/sys/kernel/osrelease": "6.1 \"x\\\t\x01\n", name + "/cpus": "0\n", "/proc/self/status": "x" * 9000,
            "/proc/self/limits": "\nMax open files   many", "/sys/kernel/security/lockdown": "[[]",
            "/proc/sys/kernel/perf_event_mlock_kb": "lots\n"})
        self.assertEqual(checks["kernel"]["value"], "6.1 \"x\\\t\x01")
        self.assertIn("odd\"\\name", checks["pmus"]["value"])
        self.assertIsNone(checks["perf_event_mlock_kb"]["value"])
        self.assertIsNone(checks["open_files"]["value"])

    def test_virtual_pmu_off(self):
        report, checks = self.examine(PAPI_VPMU="off")
        self.assertIs(checks["virtual_pmu"]["value"], False)

    def test_command_line(self):
        self.assert_refused(harness.run("papi_doctor", "--xml"), 2, "--xml", "Try 'papi_doctor --help'")
        self.assert_refused(harness.run("papi_doctor", "me"), 2, "'me' is not an option")
        self.assert_refused(harness.run("papi_doctor", "--json=x"), 2, "--json")
        self.assertIn("--json", self.output_of("papi_doctor", "--help"))

    def test_full_disk(self):
        for arguments in ([], ["--json"]):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([os.path.join(harness.TOOLS, "papi_doctor"), *arguments], stdout=full,
                                        stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertIn("not complete: No space left on device", result.stderr)


if __name__ == "__main__":
    harness.main()
