# SPDX-License-Identifier: BSD-3-Clause
"""papi_run --profile of events that are counted by translation: one run, whose counts are the sums of its profile."""
import json
import os
import re
import resource
import signal
import subprocess

from capture_harness import CaptureTest, main, PAPI_PROFILE, Store, symbols
from test_exact import ENVIRONMENT, EVENTS, PAPI_RUN, setUpModule, SUBJECT  # noqa: F401 (setUpModule is for unittest)

INSTRUCTIONS = EVENTS[0]


class RunExactly(CaptureTest):
    NEEDS_PERMISSION = False

    def papi_run(self, *arguments, status=0, environment=None, **how):
        result = subprocess.run([PAPI_RUN, "--profile", *arguments], cwd=self.directory, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=120, check=False,
                                env={**ENVIRONMENT, **(environment or {})}, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        return result


class Counts(RunExactly):
    def assert_counts(self, result, kind="exact"):
        """What the report has of virtual events is what the store has, and the raw files are gone."""
        store = Store(self.path())
        counts = {name: int(number.replace(",", ""))
                  for name, number in re.findall(rf"(?m)^([\w:]+) +([\d,]+)  {kind}$", result.stderr)}
        self.assertEqual(counts, {event["name"]: sum(row["value"] for row in store.samples
                                                     if row["event"] == event["name"]) for event in store.events})
        self.assertNotIn("incomplete", result.stderr)
        self.assertEqual(os.listdir(self.directory), ["papi_profile.db"])
        return store, counts

    def hottest(self):
        """How many lines are told: of files without line numbers, each has one."""
        report = subprocess.run([PAPI_PROFILE, "report", "--by", "line", "--json"], cwd=self.directory, check=True,
                                capture_output=True, text=True, timeout=60)
        return min(5, len(json.loads(report.stdout)["rows"]))

    def test_counts_are_those_of_the_profile(self):
        # Of few events, calls are recorded as well, and counters run beside.
        for events in (EVENTS, EVENTS[:2]):
            with self.subTest(events=events):
                result = self.papi_run("-e", ",".join(events), SUBJECT, "threads", "4")
                store, counts = self.assert_counts(result)
                self.assertEqual(set(counts), set(events))
                low, high = symbols(SUBJECT)["work"]
                self.assertEqual(sum(row["value"] for row in store.samples if row["event"] == INSTRUCTIONS and
                                     row["path"] == SUBJECT and low <= row["offset"] < high), 4 * 200001)
                self.assertEqual(store.run["source"], "exact")
                self.assertEqual(json.loads(store.run["command"]), [SUBJECT, "threads", "4"])
                self.assertEqual(store.run["status"], 0)
                self.assertEqual(len(re.findall(r"(?m)^ *\d+ .*%  \S.*$", result.stderr)), self.hottest())

    def test_modelled(self):
        store, counts = self.assert_counts(self.papi_run("-e", "PAPI_L1_DCM", SUBJECT), "modelled")
        self.assertGreater(counts["PAPI_L1_DCM"], 0)
        self.assertEqual(store.events[0]["kind"], "modelled")

    def test_few_descriptors(self):
        """As most systems allow at first, and allow to have more."""
        def limit():
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))

        self.assert_counts(self.papi_run("-e", INSTRUCTIONS, SUBJECT, "copy", preexec_fn=limit))

    def test_kernel_events_stay_the_kernels(self):
        result = self.papi_run("-e", f"perf::PAGE-FAULTS,{INSTRUCTIONS}", SUBJECT)
        self.assertEqual([event["name"] for event in Store(self.path()).events], [INSTRUCTIONS])
        self.assertRegex(result.stderr, r"(?m)^perf::PAGE-FAULTS +[\d,]+ ")
        self.assert_counts(result)

    def test_ends(self):
        self.papi_run("-e", INSTRUCTIONS, "sh", "-c", f"{SUBJECT}; exit 3", status=3)
        self.assertEqual(Store(self.path()).run["status"], 3 << 8)
        self.assert_counts(self.papi_run("-e", INSTRUCTIONS, SUBJECT, "kill", status=128 + signal.SIGKILL))

    def test_json(self):
        result = self.papi_run("-e", INSTRUCTIONS, "--format", "json", SUBJECT, "threads", "2")
        report = json.loads(result.stderr)
        self.assertEqual(report["profile"]["file"], "papi_profile.db")
        hottest = report["profile"]["hottest"]
        self.assertEqual(hottest["events"][0]["value"], report["events"][0]["count"])
        self.assertEqual(len(hottest["rows"]), self.hottest())
        self.assertGreaterEqual(hottest["rows"][0]["values"][0]["value"], 2 * 200001)

    def test_in_a_file(self):
        result = self.papi_run("-e", INSTRUCTIONS, "-o", "report", SUBJECT)
        self.assertEqual(result.stderr, "")
        with open(self.path("report"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?s)PAPI_TOT_INS +[\d,]+  exact.*profile in papi_profile.db.*Share")

    def test_nothing_is_left_of_a_program_that_cannot_run(self):
        with open(self.path("none"), "w", encoding="ascii"):
            pass
        self.assertIn("chmod +x", self.papi_run("-e", INSTRUCTIONS, "./none", status=126).stderr)
        self.assertEqual(os.listdir(self.directory), ["none"])


class Refused(RunExactly):
    def refused(self, status, words, *arguments, environment=None):
        result = self.papi_run("-e", "PAPI_L1_DCM", *arguments, "touch", self.path("ran"), status=status,
                               environment=environment)
        self.assertIn(words, result.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_what_does_not_go_together(self):
        self.refused(2, "leave out -I", "-I", "10")
        self.refused(2, "leave out --per-thread", "--per-thread")
        self.refused(2, "PAPI_VPMU_MODEL=full", environment={"PAPI_VPMU_MODEL": "sampled"})

    def test_a_file_of_somebody_else(self):
        with open(self.path(), "w", encoding="ascii") as file:
            file.write("precious")
        self.refused(125, "is no profile")
        with open(self.path(), encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")

    def test_no_table(self):
        for words, status, arguments in (("--table goes with", 2, ["--table", "0", "true"]),
                                         ("--table goes with", 2, ["-x", "--table", "0", "true"]),
                                         ("--table goes with", 2, ["-x", "--table", "0", "-o", "x", "true"]),
                                         ("no table of papi_run", 125, ["-x", "--table", "0", "--ready", "1", "true"])):
            result = subprocess.run([PAPI_PROFILE, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, text=True,
                                    capture_output=True, timeout=60, check=False, env=ENVIRONMENT)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    main()
