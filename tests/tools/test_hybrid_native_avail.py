# SPDX-License-Identifier: BSD-3-Clause
"""papi_hybrid_native_avail on made-up hybrid machines, and on this one."""
import os
import re
import subprocess
import tempfile
import unittest

import harness

TITLE = "Available native events by kind of core and hardware information."
DEVICES = "/sys/bus/event_source/devices"
INTEL = {
    "/sys/devices/system/cpu/online": "0-7",
    DEVICES + "/cpu_core/type": "4", DEVICES + "/cpu_core/cpus": "0-3",
    DEVICES + "/cpu_core/format/event": "config:0-7",
    DEVICES + "/cpu_core/events/instructions": "event=0xc0",
    DEVICES + "/cpu_core/events/topdown-be-bound": "event=0x83",
    DEVICES + "/cpu_atom/type": "10", DEVICES + "/cpu_atom/cpus": "4-7",
    DEVICES + "/cpu_atom/format/event": "config:0-7",
    DEVICES + "/cpu_atom/events/instructions": "event=0xc0", DEVICES + "/cpu_atom/events/mem-stores": "event=0xd0",
}
ARM = {
    "/sys/devices/system/cpu/online": "0-5",
    DEVICES + "/armv8_cortex_a53/type": "8", DEVICES + "/armv8_cortex_a53/cpus": "0-3",
    DEVICES + "/armv8_cortex_a53/events/l1d_cache": "event=0x04",
    DEVICES + "/armv8_cortex_a72/type": "9", DEVICES + "/armv8_cortex_a72/cpus": "4-5",
    DEVICES + "/armv8_cortex_a72/events/l1d_cache": "event=0x04",
    DEVICES + "/dsu/type": "12", DEVICES + "/dsu/cpumask": "0", DEVICES + "/dsu/events/cycles": "event=0x11",
}


class HybridTest(harness.ToolTest):
    def on(self, files, *arguments, **variables):
        """The sections of the listing on a machine of these files, each title with the names below it."""
        with tempfile.TemporaryDirectory() as root:
            for path, content in files.items():
                os.makedirs(os.path.dirname(root + path), exist_ok=True)
                with open(root + path, "w", encoding="ascii") as file:
                    file.write(content + "\n")
            output = self.output_of("papi_hybrid_native_avail", *arguments,
                                    environment={"PAPI_ROOT": root, **variables})
        return self.sections(output)

    def sections(self, output):
        title = rf"^{harness.DOUBLE_RULE}\n Native Events (.*)\n{harness.DOUBLE_RULE}\n"
        before, *rest = re.split(title, output, flags=re.M)
        names = {title: re.findall(r"^\| (\S.*?) *\|$", text, re.M) for title, text in zip(rest[::2], rest[1::2])}
        total = int(re.search(r"^Total events reported: (\d+)\n\Z", output, re.M)[1])
        self.assertEqual(total, sum(map(len, names.values())))
        return before, names

    def test_intel(self):
        before, sections = self.on(INTEL)
        self.assertIn("The cores of this CPU are of 2 kinds:\n  cpu_core               CPUs 0-3\n"
                      "  cpu_atom               CPUs 4-7\n", before)
        self.assertEqual(list(sections)[:2], ["of Cores: cpu_core, on CPUs 0-3", "of Cores: cpu_atom, on CPUs 4-7"])
        self.assertEqual(sorted(sections["of Cores: cpu_core, on CPUs 0-3"]),
                         ["cpu_core/instructions/", "cpu_core/topdown-be-bound/"])
        self.assertEqual(sorted(sections["of Cores: cpu_atom, on CPUs 4-7"]),
                         ["cpu_atom/instructions/", "cpu_atom/mem-stores/"])
        self.assertIn("perf::PAGE-FAULTS", sections["in Component: perf_event"])
        self.assertIn("rusage:::minflt", sections["in Component: rusage"])
        # Nothing is listed twice.
        everything = [name for names in sections.values() for name in names]
        self.assertEqual(len(everything), len(set(everything)))

    def test_arm(self):
        before, sections = self.on(ARM)
        self.assertIn("armv8_cortex_a72       CPUs 4-5\n  armv8_cortex_a53       CPUs 0-3\n", before)
        self.assertEqual(sections["of Cores: armv8_cortex_a72, on CPUs 4-5"], ["armv8_cortex_a72/l1d_cache/"])
        self.assertEqual(sections["of Cores: armv8_cortex_a53, on CPUs 0-3"], ["armv8_cortex_a53/l1d_cache/"])
        # A PMU that is not of cores is not a kind of them.
        self.assertIn("dsu/cycles/", sections["in Component: perf_event"])

    def test_names_of_libpfm4(self):
        """Its PMUs for the two kinds of cores go with the kernel's. It can be told one of them at a time."""
        preload = {"LD_PRELOAD": os.path.join(os.environ["PAPI_TEST_PRELOADS"], "libfour_counters.so")}
        tried = 0
        for pmu, kind in (("adl_glc", "of Cores: cpu_core, on CPUs 0-3"),
                          ("adl_grt", "of Cores: cpu_atom, on CPUs 4-7")):
            sections = self.on(INTEL, "--noqual", LIBPFM_FORCE_PMU=pmu, **preload)[1]
            names = [name for names in sections.values() for name in names if name.startswith(pmu + "::")]
            if names:
                tried += 1
                self.assertEqual(names, [name for name in sections[kind] if "::" in name])
        if not tried:
            self.skipTest("this libpfm4 does not know the hybrid PMUs")

    def test_options_are_those_of_papi_native_avail(self):
        sections = self.on(INTEL, "-i", "cpu_")[1]
        self.assertEqual([len(names) for names in sections.values()], [2, 2])
        sections = self.on(INTEL, "-i", "cpu_", "-x", "instr")[1]
        self.assertEqual([len(names) for names in sections.values()], [1, 1])
        sections = self.on(INTEL, "-i", "no such event")[1]
        self.assertEqual(sections, {})

    def test_checked_against_a_kernel(self):
        """With a kernel that has both PMUs all of their events are there; without, none."""
        preload = {"LD_PRELOAD": os.path.join(os.environ["PAPI_TEST_PRELOADS"], "libfour_counters.so")}
        sections = self.on(INTEL, "-c", "-i", "cpu_", **preload)[1]
        self.assertEqual([len(names) for names in sections.values()], [2, 2])

    def test_one_event(self):
        self.assertIn("can be counted here", self.output_of("papi_hybrid_native_avail", "-e", "rusage:::minflt"))
        self.assert_refused(harness.run("papi_hybrid_native_avail", "-e", "nothing"), 1, "nothing")

    def test_this_machine(self):
        """On a CPU of one kind of cores, the list of papi_native_avail."""
        before, sections = self.sections(self.output_of("papi_hybrid_native_avail"))
        self.split_header(before, TITLE)
        if "of one kind" not in before:
            self.skipTest("this CPU is hybrid")
        listed = re.findall(r"^\| (\S.*?) *\|$", self.output_of("papi_native_avail"), re.M)
        self.assertEqual([name for names in sections.values() for name in names], listed)

    def test_one_pmu_for_all_cores(self):
        files = {path: content for path, content in ARM.items() if "a72" not in path}
        before, sections = self.on(files)
        self.assertIn("of one kind", before)
        self.assertIn("armv8_cortex_a53/l1d_cache/", sections["in Component: perf_event"])

    def test_command_line(self):
        for arguments, words in ((["--nonsense"], ["--nonsense", "Try"]), (["x"], ["'x'"]), (["-e"], ["argument"])):
            self.assert_refused(harness.run("papi_hybrid_native_avail", *arguments), 2, *words)
        with open("/dev/full", "wb") as full:
            result = subprocess.run([os.path.join(harness.TOOLS, "papi_hybrid_native_avail")], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left on device", result.stderr)


if __name__ == "__main__":
    harness.main()
