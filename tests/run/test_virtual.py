# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs counted virtually, by the agent: exactly, wherever they go, and with a reason where it cannot."""
import os
import subprocess
import unittest

from run_harness import events_of, HELPERS, main, PAPI_RUN, RunTest

LOOPER = os.path.join(HELPERS, "looper")
STATIC = os.path.join(HELPERS, "looper_static")
INSTRUCTIONS = "vpmu:::INSTRUCTIONS"


def setUpModule():
    """Whether this machine can be counted virtually; if not, the reason."""
    result = subprocess.run([PAPI_RUN, "-e", INSTRUCTIONS, "true"], stderr=subprocess.PIPE, check=False)
    if b"component vpmu is disabled" in result.stderr or b"is not here" in result.stderr:
        raise unittest.SkipTest(" ".join(result.stderr.decode().split()))


class Loops(RunTest):
    """Two runs that differ in nothing but the number of turns differ by exactly their instructions."""

    def count(self, plan, number, *options, status=7):
        report = self.report("-e", INSTRUCTIONS, *options, LOOPER, plan, f"{number:08}", status=status)
        event = events_of(report)[INSTRUCTIONS]
        self.assertIsNone(event["error"], event)
        return event

    def assert_exact(self, plan, loops, status=7):
        few, many = self.count(plan, 100000, status=status), self.count(plan, 300000, status=status)
        self.assertEqual(many["count"] - few["count"], 2 * 200000 * loops)
        self.assertEqual((few["kind"], few["domain"], few["share"]), ("exact", "user", 1))

    def test_of_the_program(self):
        self.assert_exact("s", 1)

    def test_of_children(self):
        self.assert_exact("sffq", 4)

    def test_of_programs(self):
        self.assert_exact("svv", 3)

    def test_of_what_takes_its_place(self):
        self.assert_exact("sx", 2)

    def test_of_threads(self):
        """All are counted, or the reason why not is given."""
        event = events_of(self.report("-e", INSTRUCTIONS, LOOPER, "st", "00100000", status=7))[INSTRUCTIONS]
        if event["error"]:
            self.assertIn("threads", event["error"])
        else:
            # How often joining a thread has to ask is a matter of time.
            few, many = self.count("st", 100000), self.count("st", 300000)
            self.assertAlmostEqual(many["count"] - few["count"], 2 * 200000 * 2, delta=5000)

    def test_threads_of_modelled_events(self):
        report = self.report("-e", "vpmu:::CYCLES", LOOPER, "st", "00100000", status=7)
        self.assertIn("threads", events_of(report)["vpmu:::CYCLES"]["error"])

    def test_repeats(self):
        report = self.report("-e", INSTRUCTIONS, "-r", "3", LOOPER, "s", "00100000", status=7)
        event = events_of(report)[INSTRUCTIONS]
        self.assertEqual(len(event["counts"]), 3)
        for count in event["counts"]:
            self.assertGreater(count, 200000)

    def test_killed_child(self):
        report = self.report("-e", INSTRUCTIONS, LOOPER, "k", "00100000", status=7)
        self.assertIn("1 of 2 processes were killed", events_of(report)[INSTRUCTIONS]["error"])

    def test_shell(self):
        """dash ends with _exit and executes what is last; its children are found by PATH."""
        few, many = (events_of(self.report("-e", INSTRUCTIONS, "sh", "-c", f"{LOOPER} s {number}; {LOOPER} s {number}",
                                           status=7))[INSTRUCTIONS]["count"] for number in ("00100000", "00300000"))
        self.assertEqual(many - few, 2 * 200000 * 2)


class Kinds(RunTest):
    def test_modelled(self):
        report = self.report("-e", f"{INSTRUCTIONS},vpmu:::CYCLES,vpmu:::L1D_MISSES", LOOPER, "s", "00100000", status=7)
        events = events_of(report)
        self.assertEqual([events[name]["kind"] for name in events], ["exact", "modelled", "modelled"])
        self.assertEqual(events["vpmu:::CYCLES"]["unit"], "cycles")
        self.assertGreaterEqual(events["vpmu:::CYCLES"]["count"], events[INSTRUCTIONS]["count"] // 4)

    def test_beside_what_the_kernel_counts(self):
        report = self.report("-e", f"perf::PAGE-FAULTS,{INSTRUCTIONS}", LOOPER, "s", "00100000", status=7)
        for event in report["events"]:
            self.assertGreater(event["count"] or 0, 0, event)

    def test_not_by_default(self):
        for event in self.report("true")["events"]:
            self.assertFalse(event["name"].startswith("vpmu"), event)

    def test_output_is_the_programs(self):
        command = ["sh", "-c", "echo out; echo err >&2; exit 3"]
        result = self.run_it("-e", INSTRUCTIONS, "-o", self.path("report"), *command)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (3, b"out\n", b"err\n"))
        self.assertEqual(os.listdir(self.directory), ["report"])

    def test_leaves_nothing_behind(self):
        self.run_it("-e", INSTRUCTIONS, "true", env=dict(os.environ, TMPDIR=self.directory))
        self.assertEqual(os.listdir(self.directory), [])


class Refusals(RunTest):
    def refusal(self, *command, status=0, **how):
        event = events_of(self.report("-e", INSTRUCTIONS, *command, status=status, **how))[INSTRUCTIONS]
        self.assertIsNone(event["count"], event)
        return event["error"]

    def test_static_program(self):
        if not os.access(STATIC, os.X_OK):
            self.skipTest("no static libc to link a program with")
        self.assertIn("linked statically", self.refusal(STATIC, "s", "1000", status=7))

    def test_static_interpreter(self):
        if not os.access(STATIC, os.X_OK):
            self.skipTest("no static libc to link a program with")
        script = self.script(f"#! {STATIC} s\n")
        self.assertIn("linked statically", self.refusal(script, status=1))

    def test_running_process(self):
        target = subprocess.Popen(["sleep", "10"])
        self.addCleanup(self.end, target)
        result = self.run_it("-e", INSTRUCTIONS, "-p", str(target.pid))
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertIn(b"let papi_run start the program", result.stderr)

    def test_no_temporary_directory(self):
        self.assertIn("TMPDIR", self.refusal("true", env=dict(os.environ, TMPDIR="/nowhere")))

    def test_switched_off(self):
        self.assertIn("PAPI_VPMU=off", self.refusal("true", env=dict(os.environ, PAPI_VPMU="off")))


if __name__ == "__main__":
    main()
