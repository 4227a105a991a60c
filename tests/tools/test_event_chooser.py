# SPDX-License-Identifier: BSD-3-Clause
"""papi_event_chooser: what can be added to an EventSet, and what it refuses."""
import os
import platform
import re
import tempfile
import unittest

import harness

TITLE = "Event Chooser: events that can be counted with those given."
PRESETS = "\n    Name        Code    Deriv Description (Note)\n"
ROW = re.compile(r"(?P<name>\S+) +(?P<code>0x[0-9a-f]{8})  (?P<deriv>Yes|No ) +(?P<description>.*)")
BOX = re.compile(r"^\| (\S+) *\|$", re.M)
MASK = re.compile(r"^\|     (:\S+) *\|$", re.M)

# Whatever the machine has, its CPU is a Skylake to libpfm4 and has four counters to the kernel.
SKYLAKE = {"LIBPFM_FORCE_PMU": "skl",
           "LD_PRELOAD": os.path.join(os.environ["PAPI_TEST_PRELOADS"], "libfour_counters.so")}


class ChooserTest(harness.ToolTest):
    def body(self, *arguments, environment=None):
        _, body = self.split_header(self.output_of("papi_event_chooser", *arguments, environment=environment), TITLE)
        return body

    def presets(self, *given, environment=None):
        """The rows of presets and user events, checked against the last line."""
        _, table = self.body("PRESET", *given, environment=environment).split(PRESETS)
        *lines, rule, last = table.splitlines()
        # Below the rows is the legend of their notes.
        lines = lines[:lines.index("")] if "" in lines else lines
        rows = [ROW.fullmatch(line) for line in lines]
        self.assertNotIn(None, rows, table)
        self.assertEqual((rule, last), (harness.RULE, f"Total events reported: {len(rows)}"))
        return {row["name"]: row for row in rows}

    def natives(self, *given, environment=None):
        """The boxes of natives by name, checked against the last line."""
        body = self.body("NATIVE", *given, environment=environment)
        names = BOX.findall(body)
        self.assertEqual(body.splitlines()[-1], f"Total events reported: {len(names)}")
        self.assertEqual(len(names), body.count("\n" + harness.RULE + "\n"))
        return dict(zip(names, BOX.split(body)[2::2]))

    def table(self, variable, *lines):
        """The environment in which a file of definitions with these lines is used."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False, encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        self.addCleanup(os.unlink, file.name)
        return {variable: file.name}


class PresetTest(ChooserTest):
    def setUp(self):
        self.environment = self.table(
            "PAPI_CSV_EVENT_FILE", "PRESET,PAPI_TOT_INS,DERIVED_ADD,perf::MINOR-FAULTS,perf::MAJOR-FAULTS,NOTE,faults",
            "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK", "PRESET,PAPI_L1_DCM,NOT_DERIVED,no::SUCH-EVENT")

    def test_lists_the_others_that_are_available(self):
        rows = self.presets("PAPI_TOT_CYC", environment=self.environment)
        self.assertEqual(list(rows), ["PAPI_TOT_INS"])
        row = rows["PAPI_TOT_INS"]
        self.assertEqual((row["code"], row["deriv"], row["description"]),
                         ("0x80000032", "Yes", "Instructions completed (1)"))
        self.assertIn(f"\n{row.group(0)}\n", self.output_of("papi_avail", "-a", environment=self.environment))

    def test_any_event_may_be_given(self):
        self.assertEqual(list(self.presets("perf::PAGE-FAULTS", environment=self.environment)),
                         ["PAPI_TOT_INS", "PAPI_TOT_CYC"])
        given = ["PAPI_TOT_CYC", "rusage:::minflt", "PAPI_TOT_INS"]
        self.assertEqual(self.presets(*given, environment=self.environment), {})

    def test_user_events(self):
        environment = {**self.environment,
                       **self.table("PAPI_USER_EVENTS_FILE", "EVENT,MY_EVENT,NOT_DERIVED,perf::CS,LDESC,My own")}
        rows = self.presets("PAPI_TOT_CYC", environment=environment)
        self.assertEqual(list(rows), ["PAPI_TOT_INS", "MY_EVENT"])
        self.assertEqual(rows["MY_EVENT"].group(0), "MY_EVENT     0xc0000000  No   My own")
        self.assertEqual(list(self.presets("MY_EVENT", environment=environment)), ["PAPI_TOT_INS", "PAPI_TOT_CYC"])

    def test_what_is_listed_can_be_added(self):
        for name in self.presets("perf::PAGE-FAULTS"):
            result = harness.run("papi_command_line", "perf::PAGE-FAULTS", name)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class NativeTest(ChooserTest):
    def test_lists_every_component(self):
        body = self.body("NATIVE", "perf::PAGE-FAULTS")
        components = re.findall(rf"^{harness.DOUBLE_RULE}\n Native Events in Component: (\S+)\n{harness.DOUBLE_RULE}$",
                                body, re.M)
        self.assertLessEqual({"perf_event", "rusage"}, set(components))
        for name in ("perf::CONTEXT-SWITCHES", "rusage:::minflt"):
            self.assertIn(f"| {name} ", body)

    def test_the_given_events_are_not_listed(self):
        every = self.natives("perf::PAGE-FAULTS")
        self.assertNotIn("perf::PAGE-FAULTS", every)
        fewer = self.natives("perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "rusage:::minflt")
        self.assertEqual(set(every) - set(fewer), {"perf::CONTEXT-SWITCHES", "rusage:::minflt"})

    def test_boxes_are_those_of_papi_native_avail(self):
        listed = self.output_of("papi_native_avail", "--noqual", "-c", "-i", "perf::")
        chosen = {name: box for name, box in self.natives("perf::PAGE-FAULTS").items() if "perf::" in name}
        self.assertEqual({"perf::PAGE-FAULTS", *chosen}, set(BOX.findall(listed)))
        for name, box in chosen.items():
            self.assertIn(f"| {name:77}|{box.split(harness.RULE)[0]}{harness.RULE}\n", listed)

    def test_the_word_may_be_small(self):
        self.assertEqual(self.body("native", "perf::PAGE-FAULTS"), self.body("NATIVE", "perf::PAGE-FAULTS"))


class RefusalTest(ChooserTest):
    def test_an_unknown_event(self):
        result = harness.run("papi_event_chooser", "PRESET", "perf::PAGE-FAULTS", "NO_SUCH_EVENT")
        self.assert_refused(result, 1, "Event NO_SUCH_EVENT can't be counted with others -7\n",
                            "papi_event_chooser: NO_SUCH_EVENT: ")
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)

    def test_an_event_given_twice(self):
        result = harness.run("papi_event_chooser", "NATIVE", "perf::PAGE-FAULTS", "perf::PAGE-FAULTS")
        self.assert_refused(result, 1, "Event perf::PAGE-FAULTS can't be counted with others -8\n", "already")

    def test_incomplete_command_lines(self):
        for arguments in ([], ["perf::PAGE-FAULTS"], ["NATIVE"], ["PRESET"]):
            with self.subTest(arguments=arguments):
                result = harness.run("papi_event_chooser", *arguments)
                self.assert_refused(result, 2, "papi_event_chooser: ", *arguments, "Try 'papi_event_chooser --help'.")
                self.assertEqual(result.stdout, "")


@unittest.skipUnless(platform.machine() == "x86_64", "libpfm4 encodes events of a Skylake on x86-64 only")
class FourCountersTest(ChooserTest):
    """A CPU with four counters, on any machine."""

    GIVEN = ["skl::INST_RETIRED:ANY_P", "skl::MEM_INST_RETIRED:ALL_LOADS", "skl::L2_RQSTS:MISS", "skl::UOPS_ISSUED:ANY"]

    @classmethod
    def setUpClass(cls):
        if harness.run("papi_avail", "-e", cls.GIVEN[0], environment=SKYLAKE).returncode != 0:
            raise unittest.SkipTest("this libpapi is built without libpfm4, or libpfm4 without Skylake")

    def names_of_cpu(self, natives):
        return [name for name in natives if name.startswith("skl::")]

    def test_room_for_one_more(self):
        self.assertGreater(len(self.names_of_cpu(self.natives(*self.GIVEN[:3], environment=SKYLAKE))), 50)

    def test_no_room(self):
        natives = self.natives(*self.GIVEN, environment=SKYLAKE)
        self.assertEqual(self.names_of_cpu(natives), [])
        self.assertIn("rusage:::minflt", natives)

    def test_one_too_many(self):
        result = harness.run("papi_event_chooser", "NATIVE", *self.GIVEN, "skl::LD_BLOCKS:NO_SR", environment=SKYLAKE)
        self.assert_refused(result, 1, "Event skl::LD_BLOCKS:NO_SR can't be counted with others -8\n",
                            "the counters cannot count it together")

    def test_presets_that_need_more_than_is_left(self):
        environment = {**SKYLAKE, **self.table(
            "PAPI_CSV_EVENT_FILE", "PRESET,PAPI_TOT_INS,NOT_DERIVED,skl::INST_RETIRED:ANY_P",
            "PRESET,PAPI_LST_INS,DERIVED_ADD,skl::MEM_INST_RETIRED:ALL_LOADS,skl::MEM_INST_RETIRED:ALL_STORES",
            "PRESET,PAPI_BR_PRC,DERIVED_SUB,skl::BR_INST_RETIRED:CONDITIONAL,skl::BR_MISP_RETIRED:CONDITIONAL",
            "PRESET,PAPI_SR_INS,NOT_DERIVED,skl::MEM_INST_RETIRED:ALL_STORES")}
        # Two are free, and enough for every preset.
        self.assertEqual(list(self.presets(*self.GIVEN[:2], environment=environment)),
                         ["PAPI_BR_PRC", "PAPI_TOT_INS", "PAPI_SR_INS", "PAPI_LST_INS"])
        # Of PAPI_LST_INS the loads are counted already; PAPI_BR_PRC would need two counters more.
        self.assertEqual(list(self.presets(*self.GIVEN[:3], environment=environment)),
                         ["PAPI_TOT_INS", "PAPI_SR_INS", "PAPI_LST_INS"])
        self.assertEqual(list(self.presets("PAPI_BR_PRC", "PAPI_LST_INS", environment=environment)), ["PAPI_SR_INS"])

    def test_an_event_that_needs_a_mask_is_listed_with_those_that_fit(self):
        needs_mask = "skl::MEM_LOAD_RETIRED"
        self.assertNotEqual(harness.run("papi_command_line", needs_mask, environment=SKYLAKE).returncode, 0)
        natives = self.natives(needs_mask + ":L1_HIT", environment=SKYLAKE)
        masks = MASK.findall(natives[needs_mask])
        self.assertIn(":L1_MISS", masks)
        self.assertNotIn(":L1_HIT", masks)
        # One that does not need any stands alone.
        self.assertEqual(MASK.findall(natives["skl::INST_RETIRED"]), [])
        self.assertNotIn(needs_mask, self.natives(*self.GIVEN, environment=SKYLAKE))


if __name__ == "__main__":
    harness.main()
