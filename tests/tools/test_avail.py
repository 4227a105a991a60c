# SPDX-License-Identifier: BSD-3-Clause
"""papi_avail: the header, the table of events, its filters, and the account of one event."""
import os
import re

import harness

TITLE = "Available PAPI preset and user defined events plus hardware information."
ROW = re.compile(r"(?P<name>\S+) +(?P<code>0x[0-9a-f]{8})  (?P<avail>Yes|No ) +(?P<deriv>Yes|No ) +\S.*")
AVAILABLE_ROW = re.compile(r"(?P<name>\S+) +(?P<code>0x[0-9a-f]{8})  (?P<deriv>Yes|No ) +\S.*")
CLASSES = ["--br", "--cache", "--cnd", "--fp", "--ins", "--idl", "--l1", "--l2", "--l3", "--mem", "--msc", "--tlb"]


class AvailTest(harness.ToolTest):
    def rows(self, *arguments, pattern=ROW, environment=None):
        """The rows of the table, and its last line."""
        _, body = self.split_header(self.output_of("papi_avail", *arguments, environment=environment), TITLE)
        lines = body.splitlines()
        matches = [match for match in map(pattern.fullmatch, lines) if match]
        # A row that has lost its shape would otherwise just not be counted.
        self.assertEqual(len(matches), sum(" 0x" in line for line in lines), body)
        return matches, lines[-1]

    def test_header_tells_the_truth_about_the_machine(self):
        values, _ = self.split_header(self.output_of("papi_avail"), TITLE)
        system = os.uname()
        self.assertEqual(values["system"], f"{system.sysname} {system.release}")
        self.assertEqual(int(values["cores"]), os.cpu_count())
        for part in ("threads", "per_socket", "sockets"):
            self.assertTrue(1 <= int(values[part]) <= os.cpu_count(), part)

    def test_table_agrees_with_its_last_line(self):
        rows, last = self.rows()
        available = [row for row in rows if row["avail"] == "Yes"]
        derived = [row for row in rows if row["deriv"] == "Yes"]
        self.assertEqual(last, f"Of {len(rows)} possible events, {len(available)} are available, "
                               f"of which {len(derived)} are derived.")
        self.assertGreaterEqual(len(rows), 108)

    def test_names_stand_at_their_codes(self):
        rows, _ = self.rows()
        codes = {row["name"]: int(row["code"], 16) for row in rows}
        self.assertEqual(codes["PAPI_L1_DCM"], 0x80000000)
        self.assertEqual(codes["PAPI_TOT_INS"], 0x80000032)
        self.assertEqual(codes["PAPI_REF_CYC"], 0x8000006b)
        self.assertEqual(len(set(codes.values())), len(rows))

    def test_available_only(self):
        every, _ = self.rows()
        rows, last = self.rows("-a", pattern=AVAILABLE_ROW)
        derived = [row for row in rows if row["deriv"] == "Yes"]
        self.assertEqual([row["name"] for row in rows], [row["name"] for row in every if row["avail"] == "Yes"])
        self.assertEqual(last, f"Of {len(rows)} available events, {len(derived)} are derived.")

    def test_checked_events_are_among_the_available(self):
        available, _ = self.rows("-a", pattern=AVAILABLE_ROW)
        checked, last = self.rows("-c", pattern=AVAILABLE_ROW)
        self.assertLessEqual({row["name"] for row in checked}, {row["name"] for row in available})
        self.assertTrue(last.startswith(f"Of {len(checked)} available events, "))

    def test_classes_divide_the_presets(self):
        every = {row["name"] for row in self.rows()[0]}
        united = set()
        for option in CLASSES:
            with self.subTest(option=option):
                rows, last = self.rows(option)
                self.assertTrue(last.startswith(f"Of {len(rows)} possible events, "))
                self.assertTrue(0 < len(rows) < len(every))
                united |= {row["name"] for row in rows}
        self.assertEqual(united, {name for name in every if name.startswith("PAPI_")})

    def test_classes_hold_what_they_say(self):
        members = {"--l1": "PAPI_L1_DCM", "--l2": "PAPI_L2_TCM", "--l3": "PAPI_L3_TCM", "--br": "PAPI_BR_MSP",
                   "--fp": "PAPI_FP_OPS", "--tlb": "PAPI_TLB_DM", "--ins": "PAPI_TOT_INS", "--cache": "PAPI_L1_DCM"}
        for option, member in members.items():
            self.assertIn(member, {row["name"] for row in self.rows(option)[0]}, option)
        self.assertNotIn("PAPI_L2_TCM", {row["name"] for row in self.rows("--l1")[0]})

    def test_classes_combine(self):
        names = [{row["name"] for row in self.rows(*options)[0]} for options in (["--l1"], ["--tlb"],
                                                                               ["--l1", "--tlb"])]
        self.assertEqual(names[0] | names[1], names[2])

    def test_a_machine_without_counters_is_explained(self):
        values, body = self.split_header(self.output_of("papi_avail"), TITLE)
        if "PAPI_TOT_CYC 0x8000003b  Yes" in body:
            self.assertNotIn("Hardware events cannot be counted", body)
        elif int(values["counters"]) == 0:
            self.assertRegex(body, r"\AHardware events cannot be counted: \S.*\S")

    def test_detail(self):
        output = self.output_of("papi_avail", "-d")
        for name in (row["name"] for row in self.rows()[0]):
            self.assertRegex(output, rf"(?m)^{name}\t0x[0-9a-f]{{8}}\t\d+\t\|.*\|\n \|.+\|\n \|.*\|\n \|.*\|\n \|.*\|$")

    def test_last_of_table_and_detail_wins(self):
        self.assertEqual(self.output_of("papi_avail", "-d", "-t"), self.output_of("papi_avail"))


class OneEventTest(harness.ToolTest):
    def show(self, name):
        _, body = self.split_header(self.output_of("papi_avail", "-e", name), TITLE)
        self.assertIn(f"\nEvent name:                   {name}\n", body)
        return body

    def test_preset(self):
        body = self.show("PAPI_TOT_INS")
        for line in ("Event Code:                   0x80000032", "Number of Native Events: ",
                     "Short Description:           |", "Long Description:            |",
                     "Developer's Notes:           |", "Derived Type:                |",
                     "Postfix Processing String:   |"):
            self.assertIn("\n" + line, body)
        self.assertRegex(body, r"\nPAPI_TOT_INS can(not)? be counted here")

    def test_verdict_agrees_with_adding(self):
        added = harness.run("papi_command_line", "PAPI_TOT_INS").returncode == 0
        self.assertEqual("PAPI_TOT_INS can be counted here." in self.show("PAPI_TOT_INS"), added)

    def test_native(self):
        body = self.show("perf::PAGE-FAULTS")
        self.assertRegex(body, r"\nEvent Code:                   0x4[0-9a-f]{7}\n")
        self.assertRegex(body, r"\nDescription:                 \|.+\|\n")
        self.assertIn("perf::PAGE-FAULTS can be counted here.", body)

    def test_masks_of_a_native_event(self):
        body = self.show("perf::PAGE-FAULTS")
        self.assertRegex(body, r"\nUnit Masks:\n( Mask Info:                  \|:\S+\|.*\|\n)+")

    def test_unknown_event(self):
        self.assert_refused(harness.run("papi_avail", "-e", "PAPI_NO_SUCH_EVENT"), 1,
                            "papi_avail: PAPI_NO_SUCH_EVENT: ")

    def test_empty_name(self):
        self.assert_refused(harness.run("papi_avail", "-e", ""), 1, "papi_avail: ")


if __name__ == "__main__":
    harness.main()
