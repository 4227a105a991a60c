# SPDX-License-Identifier: BSD-3-Clause
"""papi_command_line, papi_cost and papi_clockres: what is counted and measured must hang together."""
import re

import harness

# papi_command_line touches this many fresh pages.
WORK_PAGES = 100


def counts(output):
    return re.findall(r"^(\S+) : \t(\S+)$", output, re.M)


class CommandLineTest(harness.ToolTest):
    def test_counts_the_pages_touched(self):
        output = self.output_of("papi_command_line", "perf::PAGE-FAULTS")
        self.assertIn("Successfully added: perf::PAGE-FAULTS\n", output)
        (name, value), = counts(output)
        self.assertEqual(name, "perf::PAGE-FAULTS")
        self.assertTrue(WORK_PAGES <= int(value) < WORK_PAGES + 10, value)

    def test_counts_in_the_order_given(self):
        names = ["perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"]
        values = counts(self.output_of("papi_command_line", *names))
        self.assertEqual([name for name, _ in values], names)
        self.assertGreater(int(values[0][1]), 0)

    def test_notations(self):
        for option, pattern in (("-x", r"(0X[0-9A-F]+)"), ("--hex", r"(0X[0-9A-F]+)"),
                                ("-u", r"(\d+)\(u\)"), ("--unsigned", r"(\d+)\(u\)")):
            (_, value), = counts(self.output_of("papi_command_line", option, "perf::PAGE-FAULTS"))
            number = re.fullmatch(pattern, value)
            self.assertIsNotNone(number, value)
            self.assertTrue(WORK_PAGES <= int(number[1], 0) < WORK_PAGES + 10, value)

    def test_an_unknown_event_is_told_with_its_reason(self):
        output = self.output_of("papi_command_line", "--best-effort", "perf::NO-SUCH-EVENT", "perf::PAGE-FAULTS")
        self.assertRegex(output, r"\nFailed adding: perf::NO-SUCH-EVENT\nbecause: \S.+\n")
        self.assertEqual([name for name, _ in counts(output)], ["perf::PAGE-FAULTS"])

    def test_no_event_can_be_added(self):
        for names in (["perf::NO-SUCH-EVENT"], ["", "%s%n"]):
            result = harness.run("papi_command_line", "--best-effort", *names)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stdout.count("\nbecause: "), len(names), result.stdout)
            self.assertIn("No event could be added", result.stdout)

    def test_an_unknown_event_is_no_count(self):
        result = harness.run("papi_command_line", "perf::PAGE-FALTS", "perf::TASK-CLOCK")
        self.assert_refused(result, 2, "papi_command_line: perf::PAGE-FALTS: Event does not exist: ",
                            "; did you mean perf::PAGE-FAULTS?\n", "--best-effort")
        self.assertEqual(result.stdout, "")

    def test_what_counts_are_worth(self):
        names = ["vpmu:::INSTRUCTIONS", "PAPI_L1_DCM", "perf::TASK-CLOCK"]
        result = harness.run("papi_command_line", *names, environment={"PAPI_VPMU": "always"})
        if "Failed adding" in result.stdout or result.returncode:
            self.skipTest("there are no virtual events here")
        self.assertEqual(re.findall(r"^(\S+) : \t\d+( \(\w+\))?$", result.stdout, re.M),
                         list(zip(names, ("", " (modelled)", " (affected)"))))
        for word in ("modelled", "affected"):
            self.assertEqual(result.stdout.count(f"\n{word}: "), 1)
        self.assertNotIn("(", self.output_of("papi_command_line", "perf::PAGE-FAULTS"))

    def test_other_tools_say_what_may_be_meant(self):
        for command in (["papi_event_chooser", "PRESET"], ["papi_native_avail", "-e"], ["papi_avail", "-e"],
                        ["papi_xml_event_info"]):
            result = harness.run(*command, "perf::PAGE-FALTS")
            self.assert_refused(result, 1, "; did you mean perf::PAGE-FAULTS?\n")

    def test_no_event_is_named(self):
        self.assert_refused(harness.run("papi_command_line"), 2, "no event is named")


class CostTest(harness.ToolTest):
    ITERATIONS = 500
    SUMMARY = re.compile(r"Total cost for (?P<what>.+) over (?P<iterations>\d+) iterations\n"
                         r"median cycles: (?P<median>\d+)\nmin cycles   : (?P<min>\d+)\nmax cycles   : (?P<max>\d+)\n"
                         r"mean cycles  : (?P<mean>[\d.]+)\nstd deviation: (?P<std>[\d.]+)\n"
                         r"(?P<rest>(?:(?!Total).*\n)*)")

    def summaries(self, *arguments):
        output = self.output_of("papi_cost", "-t", str(self.ITERATIONS), *arguments)
        found = [match.groupdict() for match in self.SUMMARY.finditer(output)]
        self.assertEqual(len(found), output.count("Total cost for"), output)
        self.assertGreaterEqual(len(found), 6)
        return found

    def test_every_function_is_measured(self):
        found = [summary["what"] for summary in self.summaries()]
        self.assertEqual(found[:6], ["loop latency", "PAPI_start/stop (2 counters)", "PAPI_read (2 counters)",
                                     "PAPI_read_ts (2 counters)", "PAPI_accum (2 counters)",
                                     "PAPI_reset (2 counters)"])

    def test_summaries_hang_together(self):
        for summary in self.summaries():
            low, high, mean = int(summary["min"]), int(summary["max"]), float(summary["mean"])
            self.assertEqual(int(summary["iterations"]), self.ITERATIONS)
            self.assertTrue(low <= mean <= high, summary)
            # No series spreads wider around its mean than one that has only the two extremes.
            self.assertLessEqual(float(summary["std"]), (high - low) / 2 + 1e-3, summary)

    def test_a_call_costs_more_than_none(self):
        minimum = {summary["what"]: int(summary["min"]) for summary in self.summaries()}
        self.assertLess(minimum["loop latency"], minimum["PAPI_read (2 counters)"])
        self.assertLess(minimum["PAPI_read (2 counters)"], minimum["PAPI_start/stop (2 counters)"])

    def test_percentiles_ascend(self):
        for summary in self.summaries("-p"):
            shares = re.findall(r"^(\d+)% cycles   : ([\d.]+)$", summary["rest"], re.M)
            self.assertEqual([share for share, _ in shares], ["25", "50", "75", "99"])
            values = [float(summary["min"]), *(float(value) for _, value in shares), float(summary["max"])]
            self.assertEqual(values, sorted(values))

    def test_distribution_holds_every_iteration(self):
        for summary in self.summaries("-d", "-b", "7"):
            bins = re.findall(r"^ *\d+ - *\d+ +(\d+) (\**)$", summary["rest"], re.M)
            above, = re.findall(r"^ +above +(\d+)$", summary["rest"], re.M)
            self.assertEqual(len(bins), 7)
            self.assertEqual(sum(int(count) for count, _ in bins) + int(above), self.ITERATIONS)
            self.assertEqual([bool(bar) for _, bar in bins], [int(count) > 0 for count, _ in bins])

    def test_deviations_descend(self):
        for summary in self.summaries("-s"):
            rows = re.findall(r"^ *\d+ std deviations? +\(.*\): (\d+)$", summary["rest"], re.M)
            above = [int(count) for count in rows]
            self.assertEqual(len(above), 10)
            self.assertEqual(above, sorted(above, reverse=True))
            # Chebyshev's inequality: at most 1/k^2 of any series lies k deviations from its mean.
            for number, count in enumerate(above, start=1):
                self.assertLessEqual(count, self.ITERATIONS / number ** 2)

    def test_numbers_that_are_none(self):
        for arguments in (["-t", "0"], ["-t", "many"], ["-t", "5x"], ["-t", ""], ["-t", "-3"], ["-b", "0"],
                          ["-t", "99999999999999999999"]):
            result = harness.run("papi_cost", *arguments)
            self.assert_refused(result, 2, arguments[0], f"'{arguments[1]}'")
            self.assertEqual(result.stdout, "")

    def test_says_which_events_stand_in_for_hardware(self):
        output = self.output_of("papi_cost", "-t", "10")
        self.assertRegex(output, r"(?m)^Counters: (PAPI_TOT_CYC and PAPI_TOT_INS\.|perf::TASK-CLOCK and "
                                 r"perf::PAGE-FAULTS \(counted by the kernel\)\.)$")


class ClockresTest(harness.ToolTest):
    TIMER = re.compile(r"^(PAPI_\w+): min ([\d.]+)  max ([\d.]+)\n {19}average ([\d.]+) std ([\d.]+)\n"
                       r"\1 : +([\d.]+)   (<? *)([\d.]+)$", re.M)

    def test_six_timers(self):
        output = self.output_of("papi_clockres")
        found = self.TIMER.findall(output)
        self.assertEqual([timer[0] for timer in found],
                         [f"PAPI_get_{clock}_{unit}" for clock in ("real", "virt") for unit in ("cyc", "usec", "nsec")])
        for name, *numbers, sign, resolution in found:
            low, high, average, deviation, latency = map(float, numbers)
            self.assertTrue(low <= average <= high, name)
            self.assertLessEqual(deviation, (high - low) / 2 + 1e-3, name)
            self.assertGreater(latency, 0, name)
            if "<" in sign:
                self.assertEqual(float(resolution), latency, name)
            else:
                self.assertTrue(0 < float(resolution) <= high, name)

    def test_units_agree(self):
        latency = {timer[0]: float(timer[5]) for timer in self.TIMER.findall(self.output_of("papi_clockres"))}
        # The same clock in other units, measured a moment later on a machine that may be busy.
        for clock in ("real", "virt"):
            microseconds, nanoseconds = latency[f"PAPI_get_{clock}_usec"], latency[f"PAPI_get_{clock}_nsec"]
            self.assertTrue(10 < nanoseconds / microseconds < 100000, latency)


if __name__ == "__main__":
    harness.main()
