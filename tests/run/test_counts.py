# SPDX-License-Identifier: BSD-3-Clause
"""What papi_run counts is right: exactly, over threads and children, whatever else is asked for."""
import os

from run_harness import (events_of, fixed_addresses, main, PAGE_FAULTS, REFUSE, RunTest, TASK_CLOCK, TOUCHER)

FIXED = fixed_addresses()


class PageFaults(RunTest):
    """Two runs that differ in nothing but the pages they touch differ by exactly these in page faults.

    But a kernel that reclaims memory, or holds a page at the wrong moment, adds a fault now and then: the least of
    several runs is the program's own. And where the program's environment ends near the end of a page, one papi_run has
    a fault more than another, in all its runs: then they are compared with the environment somewhere else.
    """

    room = 0

    def setUp(self):
        super().setUp()
        if FIXED is None:
            self.skipTest("setarch -R cannot switch off address space randomization here")

    def faults(self, pages, plan, *options):
        # The same length of digits: the size of the arguments must not move the stack.
        return self.least(*options, TOUCHER, f"{pages:06}", plan)

    def least(self, *arguments, events=PAGE_FAULTS):
        prefix = [*FIXED, "env", "PAPI_TEST_ROOM=" + self.room * "x"]
        event = events_of(self.report("-e", events, "-r", "4", *arguments, prefix=prefix))[PAGE_FAULTS]
        return {**event, "count": min(event["counts"])}

    def assert_difference(self, measure_one, measure_other, expected):
        """Once, what one counts and what the other does differ so."""
        differences = []
        for self.room in range(0, 4000, 500):
            one, other = measure_one(), measure_other()
            differences.append(other["count"] - one["count"])
            if differences[-1] == expected:
                return one, other
        return self.fail(f"the differences are {differences}, not {expected}")

    def assert_exact(self, plan, touched_by):
        both = self.assert_difference(lambda: self.faults(1000, plan), lambda: self.faults(3000, plan),
                                      2000 * touched_by)
        for event in both:
            self.assertEqual((event["kind"], event["domain"], event["share"]), ("exact", "user+kernel", 1))
            self.assertEqual(event["enabled_ns"], event["running_ns"])

    def test_of_the_program(self):
        self.assert_exact("s", 1)

    def test_of_a_child(self):
        self.assert_exact("c", 1)

    def test_of_a_grandchild(self):
        self.assert_exact("g", 1)

    def test_of_a_thread(self):
        self.assert_exact("t", 1)

    def test_of_all_together(self):
        self.assert_exact("scgtctsg", 8)

    def test_behind_a_shell(self):
        def behind(pages):
            return self.least("sh", "-c", f"{TOUCHER} {pages} s; {TOUCHER} {pages} c; :")

        self.assert_difference(lambda: behind(1000), lambda: behind(3000), 2 * 2000)

    def test_with_other_events_beside_it(self):
        others = f"{TASK_CLOCK},perf::MINOR-FAULTS,perf::CONTEXT-SWITCHES,perf::CPU-CLOCK,perf::CPU-MIGRATIONS"
        command = [TOUCHER, "002000", "sct"]
        self.assert_difference(lambda: self.least(*command),
                               lambda: self.least(*command, events=f"{PAGE_FAULTS},{others}"), 0)
        events = events_of(self.report("-e", f"{PAGE_FAULTS},{others}", *command))
        self.assertEqual(list(events), [PAGE_FAULTS, *others.split(",")])

    def test_every_run_of_several(self):
        report = self.report("-e", PAGE_FAULTS, "-r", "5", TOUCHER, "2000", "st", prefix=FIXED)
        event = report["events"][0]
        self.assertEqual(len(event["counts"]), 5)
        self.assertGreaterEqual(min(event["counts"]), 2 * 2000)
        self.assertLess(max(event["counts"]), 1.02 * min(event["counts"]))
        self.assertAlmostEqual(event["count"], sum(event["counts"]) / 5)
        self.assertEqual(report["repeats"], 5)

    def test_the_same_event_twice(self):
        report = self.report("-e", f"{PAGE_FAULTS},{PAGE_FAULTS}", TOUCHER, "1000", "s", prefix=FIXED)
        first, second = report["events"]
        self.assertEqual(first["count"], second["count"])


class Relations(RunTest):
    """What must hold between the numbers of one report."""

    def test_default_events(self):
        report = self.report(TOUCHER, "1000", "sct")
        counted = [event for event in report["events"] if event["error"] is None]
        names = [event["name"] for event in counted]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({TASK_CLOCK, PAGE_FAULTS}, set(names))
        # No two that say nearly the same.
        self.assertFalse({"perf::CPU-CLOCK", "perf::MINOR-FAULTS", "msr/tsc/"} & set(names))
        events = events_of(report)
        self.assertGreaterEqual(events[PAGE_FAULTS]["count"], 3000)

    def test_hardware_or_the_reason(self):
        """Presets are counted, by hardware or virtually, or each says why not; where there are none, one note does."""
        report = self.report("true")
        presets = [event for event in report["events"] if event["name"].startswith("PAPI_")]
        reasons = [note for note in report["notes"] if note.startswith("no hardware events: ")]
        self.assertLessEqual(len(reasons), 1)
        if not reasons:
            self.assertTrue(presets, report)
            self.assertFalse(report["slowed_by_counting"])
        for event in presets:
            self.assertEqual(event["count"] is None, bool(event["error"]), event)
        text = " ".join(self.run_it("true").stderr.decode().split())
        self.assertEqual(text.count("note: no hardware events: "), len(reasons))
        for reason in reasons:
            self.assertIn(f"note: {reason}", text)

    def test_clock_has_a_unit_and_a_rate(self):
        report = self.report("-e", f"{TASK_CLOCK},{PAGE_FAULTS}", TOUCHER, "20000", "s")
        clock, faults = report["events"]
        self.assertEqual((clock["unit"], faults["unit"]), ("ns", ""))
        for event in (clock, faults):
            self.assertAlmostEqual(event["rate"] * report["elapsed_s"] / event["count"], 1, places=4)
        # One thread cannot use more than one CPU; the clocks may differ by what starting and stopping takes.
        self.assertLess(clock["count"], 1.05e9 * report["elapsed_s"] + 5e6)

    def test_times_of_the_program(self):
        report = self.report("-e", TASK_CLOCK, "sh", "-c", f"{TOUCHER} 20000 sss; sleep 0.1")
        self.assertGreater(report["elapsed_s"], 0.1)
        self.assertGreater(report["system_s"], 0)
        # The task clock may run on while a hypervisor has the CPU, the books behind wait4 do not; never the reverse.
        used = report["user_s"] + report["system_s"]
        clock = report["events"][0]["count"] / 1e9
        self.assertGreater(clock, 0.9 * used - 0.02)
        self.assertLess(clock, 1.05 * os.cpu_count() * report["elapsed_s"])

    def test_context_switches(self):
        program = "i=0; while [ $i -lt 20 ]; do sleep 0.001; i=$((i+1)); done"
        report = self.report("-e", "perf::CONTEXT-SWITCHES", "sh", "-c", program)
        event = report["events"][0]
        if os.geteuid() == 0:
            self.assertGreaterEqual(event["count"], 40, event)


class UnknownNames(RunTest):
    """A name that means nothing never passes for a count: the program is not run, unless that is asked for."""

    def refused(self, *names):
        result = self.run_it("-e", ",".join(names), "-o", self.path("report"), "sh", "-c", "echo ran")
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertFalse(os.path.exists(self.path("report")))
        *lines, last = result.stderr.decode().splitlines()
        self.assertIn("--best-effort", last)
        return lines

    def can_count(self, *names):
        return all(event["error"] is None for event in self.report("-e", ",".join(names), "true")["events"])

    def test_each_has_a_message(self):
        lines = self.refused("perf::NO-SUCH-EVENT", TASK_CLOCK, "PAPI_NO_SUCH", "no_pmu/event=1,umask=2/")
        self.assertEqual(len(lines), 3)
        for line, name in zip(lines, ("perf::NO-SUCH-EVENT", "PAPI_NO_SUCH", "no_pmu/event=1,umask=2/")):
            self.assertTrue(line.startswith(f"papi_run: '{name}' cannot be counted: "), line)

    def test_what_is_behind_the_colons(self):
        for name in ("perf::PAGE-FAULTS:nonsense", "perf::PAGE-FAULTS:", "mem:nowhere/8:w"):
            self.assertTrue(self.refused(name)[0].startswith(f"papi_run: '{name}' cannot be counted: "))

    def test_what_may_be_meant(self):
        for name, meant in (("perf::PAGE-FALTS", PAGE_FAULTS), ("perf::PAEG-FAULTS", PAGE_FAULTS),
                            ("perf::task_clock", TASK_CLOCK), ("rusage:::minfl", "rusage:::minflt")):
            self.assertTrue(self.refused(name)[0].endswith(f"; did you mean {meant}?"), name)
        self.assertNotIn("did you mean", self.refused("zzzzqqqqyyyyvvvv")[0])

    def test_presets_that_may_be_meant(self):
        if not self.can_count("PAPI_TOT_INS", "PAPI_L1_DCM"):
            self.skipTest("presets cannot be counted here")
        for name, meant in (("PAPI_TOT_INST", "PAPI_TOT_INS"), ("papi_to_tins", "PAPI_TOT_INS"),
                            ("L1_DCM", "PAPI_L1_DCM")):
            self.assertTrue(self.refused(name)[0].endswith(f"; did you mean {meant}?"), name)

    def test_a_word_of_other_tools(self):
        """Where there is no counter for it, it names itself and the preset."""
        result = self.run_it("-e", "instructions", "true")
        if result.returncode == 0:
            self.skipTest("this machine has hardware counters")
        line = result.stderr.decode().splitlines()[0]
        self.assertTrue(line.startswith("papi_run: 'instructions' cannot be counted: "), line)
        if self.can_count("PAPI_TOT_INS"):
            self.assertTrue(line.endswith("; did you mean PAPI_TOT_INS?"), line)

    def test_of_a_watch(self):
        target = self.start_target("sh", "-c", "echo ready; read line")
        result = self.run_it("-e", "perf::NONE", "-p", str(target.pid))
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"'perf::NONE' cannot be counted: ", result.stderr)

    def test_value_of_papi_vpmu(self):
        for value in ("onn", "0", "aut\x1bo"):
            result = self.run_it("-e", PAGE_FAULTS, "sh", "-c", "echo ran", env=dict(os.environ, PAPI_VPMU=value))
            self.assertEqual((result.returncode, result.stdout), (2, b""))
            self.assertEqual(result.stderr.decode(), "papi_run: PAPI_VPMU is \"" + value.replace("\x1b", "?") +
                             "\", and should be off, auto or always\n")
        for value in ("", "off", "AUTO"):
            result = self.run_it("-e", PAGE_FAULTS, "true", env=dict(os.environ, PAPI_VPMU=value))
            self.assertEqual(result.returncode, 0)


class BestEffort(RunTest):
    def test_one_bad_name_among_good_ones(self):
        for name, words in (("perf::NO-SUCH-EVENT", "NO-SUCH-EVENT"), ("PAPI_NO_SUCH", "PAPI_NO_SUCH"),
                            ("no_pmu/event=1,umask=2/", "no_pmu")):
            report = self.report("--best-effort", "-e", f"{PAGE_FAULTS},{name},{TASK_CLOCK}", "sh", "-c", "exit 3",
                                 status=3)
            events = events_of(report)
            self.assertEqual(list(events), [PAGE_FAULTS, name, TASK_CLOCK])
            self.assertIsNone(events[name]["count"])
            self.assertIn(words, events[name]["error"])
            self.assertGreater(events[PAGE_FAULTS]["count"], 0)
            self.assertGreater(events[TASK_CLOCK]["count"], 0)

    def test_bad_name_in_the_table(self):
        result = self.run_it("--best-effort", "-e", f"{PAGE_FAULTS},perf::NO-SUCH-EVENT", "true")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, rb"\nperf::NO-SUCH-EVENT +not counted\n")
        self.assertRegex(result.stderr, rb"\nnot counted:\n  perf::NO-SUCH-EVENT\n    [^\n]+\n")

    def test_nothing_can_be_counted(self):
        result = self.run_it("--best-effort", "-e", "perf::NO-SUCH-EVENT,perf::NONE-EITHER", "sh", "-c",
                             "echo out; exit 3")
        self.assertEqual((result.returncode, result.stdout), (3, b"out\n"))
        self.assertIn(b"papi_run: no event could be counted; the program ran all the same\n", result.stderr)
        self.assertRegex(result.stderr, rb"\n  (\S+, )?perf::NONE-EITHER\n    ")
        self.assertRegex(result.stderr, rb"\d+\.\d{6} s  elapsed\n")


class NotCounted(RunTest):
    def test_event_that_cannot_be_attached(self):
        report = self.report("-e", f"rusage:::minflt,{PAGE_FAULTS}", "true")
        event = report["events"][0]
        self.assertIsNone(event["count"])
        self.assertTrue(event["error"])
        self.assertGreater(report["events"][1]["count"], 0)

    def test_perf_event_open_refused_altogether(self):
        result = self.run_it("sh", "-c", "echo out; exit 3", prefix=[REFUSE, "perf_event_open"])
        if result.returncode == 77:
            self.skipTest("no seccomp filters here")
        self.assertEqual((result.returncode, result.stdout), (3, b"out\n"))
        self.assertRegex(result.stderr, rb"(?m)^note: no hardware events: .")
        # By translation at most.
        for event in self.report("sh", "-c", "exit 3", status=3, prefix=[REFUSE, "perf_event_open"])["events"]:
            self.assertEqual(event["domain"], "user", event)
        result = self.run_it("sh", "-c", "echo out; exit 3", prefix=[REFUSE, "perf_event_open"],
                             env=dict(os.environ, PAPI_VPMU="off"))
        self.assertEqual((result.returncode, result.stdout), (3, b"out\n"))
        self.assertIn(b"no event could be counted", result.stderr)
        result = self.run_it("-e", PAGE_FAULTS, "sh", "-c", "exit 4", prefix=[REFUSE, "perf_event_open"])
        self.assertEqual(result.returncode, 4)
        self.assertRegex(result.stderr, rb"not counted:\n  perf::PAGE-FAULTS\n    .")


class Names(RunTest):
    """Lists of events are split at commas, but not inside the slashes of a PMU's terms."""

    def names(self, *lists):
        options = [word for text in lists for word in ("-e", text)]
        return [event["name"] for event in self.report("--best-effort", *options, "true")["events"]]

    def test_splitting(self):
        for text, names in (
                ("a,b", ["a", "b"]),
                ("cpu/event=0x3c,umask=0x00/", ["cpu/event=0x3c,umask=0x00/"]),
                ("a,cpu/x=1,y=2/u,b", ["a", "cpu/x=1,y=2/u", "b"]),
                ("cpu/a,b/,cpu/c,d/", ["cpu/a,b/", "cpu/c,d/"]),
                ("mem:0x1000/8:w,perf::CPU-CLOCK", ["mem:0x1000/8:w", "perf::CPU-CLOCK"]),
                ("mem:0x1000/8:w,mem:0x2000/4:rw,b", ["mem:0x1000/8:w", "mem:0x2000/4:rw", "b"]),
                (" a , b ", ["a", "b"])):
            self.assertEqual(self.names(text), names)

    def test_several_options_add_up(self):
        self.assertEqual(self.names(PAGE_FAULTS, "a,b", TASK_CLOCK), [PAGE_FAULTS, "a", "b", TASK_CLOCK])


if __name__ == "__main__":
    main()
