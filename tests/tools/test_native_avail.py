# SPDX-License-Identifier: BSD-3-Clause
"""papi_native_avail and papi_component_avail: the boxes of events, their filters, and the components."""
import os
import re

import harness

TITLE = "Available native events and hardware information."
SECTION = re.compile(rf"^{harness.DOUBLE_RULE}\n Native Events in Component: (\S+)\n{harness.DOUBLE_RULE}$", re.M)


class NativeAvailTest(harness.ToolTest):
    def body(self, *arguments):
        _, body = self.split_header(self.output_of("papi_native_avail", *arguments), TITLE)
        return body

    def names(self, *arguments):
        """The names of the boxes, checked against the last line."""
        body = self.body(*arguments)
        boxes = re.findall(r"^\| (\S+) *\|$", body, re.M)
        self.assertEqual(body.splitlines()[-1], f"Total events reported: {len(boxes)}")
        self.assertEqual(len(boxes), body.count("\n" + harness.RULE + "\n"))
        return boxes

    def test_boxes_are_80_columns_wide(self):
        lines = [line for line in self.body().splitlines() if line.startswith("|")]
        self.assertGreater(len(lines), 10)
        for line in lines:
            # Only a name that cannot be broken may stick out.
            if len(line.split()) > 3:
                self.assertEqual(len(line), 80, line)
            self.assertTrue(line.endswith("|"), line)

    def test_software_events_are_listed(self):
        names = self.names()
        for name in ("perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::TASK-CLOCK"):
            self.assertEqual(names.count(name), 1, name)
        self.assertEqual(len(names), len(set(names)))

    def test_include_and_exclude_divide_the_list(self):
        every = self.names()
        included = self.names("-i", "FAULTS")
        self.assertEqual(included, [name for name in every if "FAULTS" in name])
        self.assertGreater(len(included), 0)
        self.assertEqual(self.names("-x", "FAULTS"), [name for name in every if "FAULTS" not in name])
        self.assertEqual(self.names("-i", "FAULTS", "-x", "PAGE"), [name for name in included if "PAGE" not in name])

    def test_nothing_matches(self):
        self.assertEqual(self.names("-i", "no such text"), [])

    def test_masks(self):
        mask = re.compile(r"^\|     :\S+ *\|$", re.M)
        self.assertRegex(self.body("-i", "perf::PAGE-FAULTS"), mask)
        plain = self.body("--noqual")
        self.assertNotRegex(plain, mask)
        self.assertEqual(re.findall(r"^\| (\S+) *\|$", plain, re.M), self.names())

    def test_check_leaves_what_can_be_counted(self):
        checked = self.names("-c", "-i", "perf::")
        self.assertIn("perf::PAGE-FAULTS", checked)
        self.assertLessEqual(set(checked), set(self.names()))
        for name in checked[:3]:
            self.assertEqual(harness.run("papi_command_line", name).returncode, 0, name)

    def test_one_event(self):
        body = self.body("-e", "perf::PAGE-FAULTS")
        self.assertIn("\nEvent name:                   perf::PAGE-FAULTS\n", body)

    def test_unknown_event(self):
        result = harness.run("papi_native_avail", "-e", "perf::NO-SUCH-EVENT")
        self.assert_refused(result, 1, "papi_native_avail: perf::NO-SUCH-EVENT: ")

    def test_software_defined_events(self):
        plugin = os.environ["PAPI_SDE_PLUGIN"]
        output = self.output_of("papi_native_avail", "--sde", plugin, "-i", "sde:::")
        self.assertEqual(re.findall(r"^\| (\S+) +\|$", output, re.M),
                         ["sde:::plugin::steps", "sde:::plugin::made", "sde:::plugin::times"])
        masks = re.findall(r"^\|     (:\S+) +\|$", output, re.M)
        self.assertEqual(masks, [":CNT", ":MIN", ":Q1", ":MED", ":Q3", ":MAX"])
        self.assertIn("steps that the plugin has made", output)

    def test_software_defined_events_refused(self):
        self.assert_refused(harness.run("papi_native_avail", "--sde", "/nothing/here.so"), 1, "/nothing/here.so")
        library = os.path.join(os.environ["PAPI_LIBRARY"], "libpapi.so.7.0")
        self.assert_refused(harness.run("papi_native_avail", "--sde", library), 1, "papi_sde_hook_list_events")
        self.assert_refused(harness.run("papi_native_avail", "--sde"), 2, "requires an argument")


class ComponentAvailTest(harness.ToolTest):
    def sections(self, *arguments):
        output = self.output_of("papi_component_avail", *arguments)
        _, body = self.split_header(output, "Available components and hardware information.")
        compiled, active = body.split("\nActive components:\n")
        self.assertTrue(compiled.startswith("\nCompiled-in components:\n"), compiled)
        self.assertTrue(active.endswith(harness.RULE + "\n"), active)
        return compiled, active

    def test_a_component_is_active_or_says_why_not(self):
        compiled, active = self.sections()
        entries = re.findall(r"^Name:   (\S+) +\S.*\n(?: {32}.*\n)*((?:   \\-> Disabled: \S.*\n)?)", compiled, re.M)
        self.assertIn("perf_event", [name for name, _ in entries])
        self.assertEqual([name for name, disabled in entries if not disabled],
                         re.findall(r"^Name:   (\S+) +\S", active, re.M))

    def test_counts_agree_with_the_list_of_events(self):
        _, active = self.sections()
        counts = dict(re.findall(r"^Name:   (\S+) .*\n(?: {32}.*\n)*? {32}Native: (\d+), Preset: \d+, Counters: -?\d+$",
                                 active, re.M))
        listed = SECTION.split(self.output_of("papi_native_avail", "--noqual"))
        listed = {name: len(re.findall(r"^\| \S+ *\|$", boxes, re.M))
                  for name, boxes in zip(listed[1::2], listed[2::2])}
        # Components without events have no section.
        self.assertEqual({name: int(count) for name, count in counts.items() if count != "0"}, listed)

    def test_preset_count_agrees_with_papi_avail(self):
        _, active = self.sections()
        presets = [int(count) for count in re.findall(r"Preset: (\d+)", active)]
        rows = re.findall(r"^PAPI_\S+ +0x8", self.output_of("papi_avail", "-a"), re.M)
        # The first component is the CPU's, whose presets another one may count, and then they are that one's, too.
        self.assertEqual(presets[0], len(rows))
        self.assertIn(sum(presets[1:]), [0, len(rows)])

    def test_detail(self):
        compiled, active = self.sections("-d")
        self.assertRegex(compiled, r"\n {32}Version: +\t\S+\n {32}Number of native events: *\t-?\d+\n")
        self.assertRegex(active, r"\n {32}Fast counter read: +\t[01]\n")


if __name__ == "__main__":
    harness.main()
