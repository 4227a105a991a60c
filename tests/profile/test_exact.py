# SPDX-License-Identifier: BSD-3-Clause
"""Exact profiles: what each function does is known to the instruction, and the sum is what papi_run counts."""
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

from capture_harness import CaptureTest, main, PAPI_PROFILE, symbols
from harness import TOOLS

PAPI_RUN = os.path.join(TOOLS, "papi_run")
SUBJECT = os.environ["PAPI_PROFILE_SUBJECT"]
WORKERS = os.environ["PAPI_PROFILE_EXACT_WORKERS"].split(":")
# Whatever counters the machine has.
ENVIRONMENT = {**os.environ, "PAPI_VPMU": "always", "PYTHONHASHSEED": "0"}
INSTRUCTIONS, LOADS, STORES = "PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS"
CONDITIONAL, TAKEN = "PAPI_BR_CN", "PAPI_BR_TKN"
EVENTS = (INSTRUCTIONS, LOADS, STORES, CONDITIONAL, TAKEN, "PAPI_BR_INS", "vpmu:::CALLS", "vpmu:::RETURNS")


def setUpModule():
    result = subprocess.run([PAPI_RUN, "-e", INSTRUCTIONS, "--format", "json", "true"], capture_output=True,
                            text=True, check=False, env=ENVIRONMENT)
    output = result.stdout + result.stderr
    if '"exact"' not in output:
        raise unittest.SkipTest("nothing is counted virtually here: " + " ".join(output.split())[:300])


class Exact(CaptureTest):
    NEEDS_PERMISSION = False

    def exact(self, *program, events=EVENTS, status=0, **how):
        how.setdefault("env", ENVIRONMENT)
        store, result = self.profile("-x", "-e", ",".join(events), *program, status=status, **how)
        self.assertEqual(store.run["source"], "exact")
        self.assertEqual({row["kind"] for row in store.events}, {"exact"})
        self.assertEqual(store.sum("samples"), 0)
        self.assertEqual(os.listdir(self.directory), ["papi_profile.db"])
        return store, result

    @staticmethod
    def of(store, function, event=INSTRUCTIONS, path=SUBJECT):
        low, high = symbols(path)[function]
        return sum(row["value"] for row in store.samples if row["event"] == event and
                   os.path.realpath(row["path"]) == os.path.realpath(path) and low <= row["offset"] < high)


class Sums(Exact):
    """Over all addresses: what papi_run counts of the same program, which does the same each time."""

    def test_sums(self):
        if not shutil.which("setarch") or subprocess.run(["setarch", "-R", "true"], check=False,
                                                         stderr=subprocess.DEVNULL).returncode:
            self.skipTest("addresses cannot be kept the same here (setarch -R)")
        for program in ([SUBJECT], [SUBJECT, "copy"], [SUBJECT, "jump"], [SUBJECT, "rewrite"],
                        [SUBJECT, "load", *WORKERS]):
            with self.subTest(program=program):
                # The dynamic linker sorts by addresses.
                command = ["setarch", "-R", PAPI_PROFILE, "-x", "-e", ",".join(EVENTS), *program]
                result = subprocess.run(command, cwd=self.directory, env=ENVIRONMENT, check=False, timeout=120,
                                        capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.maxDiff = None
                counted = subprocess.run(["setarch", "-R", PAPI_RUN, "-e", ",".join(EVENTS), *program],
                                         cwd=self.directory, env=ENVIRONMENT, check=True, timeout=120,
                                         capture_output=True, text=True)
                shown = {name: int(number.replace(",", "")) for number, name in
                         re.findall(r"([\d,]+) (\S+?),", result.stderr.replace(", exact", ", exact,"))}
                expected = {row[0]: int(row[1].replace(",", "")) for row in
                            (line.split() for line in (counted.stdout + counted.stderr).splitlines())
                            if row and row[0] in EVENTS}
                self.assertEqual(len(expected), len(EVENTS))
                self.assertEqual(shown, expected)


class Functions(Exact):
    """What is in each, whatever else happens."""

    def test_copy(self):
        store, _ = self.exact(SUBJECT, "copy")
        self.assertEqual([self.of(store, "copy", event) for event in (INSTRUCTIONS, LOADS, STORES, CONDITIONAL)],
                         [3, 4097, 4096, 0])
        self.assertEqual([self.of(store, "branch", event) for event in (INSTRUCTIONS, CONDITIONAL, TAKEN)],
                         [4507, 2002, 1500])

    def test_signals(self):
        store, result = self.exact(SUBJECT, "signals", "300")
        rounds, seen = map(int, result.stdout.split())
        self.assertEqual(self.of(store, "work"), 2001 * rounds)
        self.assertEqual(self.of(store, "work", CONDITIONAL), 1000 * rounds)
        self.assertEqual(self.of(store, "work", TAKEN), 999 * rounds)
        self.assertGreaterEqual(seen, 300)
        # One more may have come since they were printed.
        handled = self.of(store, "on_signal")
        self.assertIn(handled, (2 * seen, 2 * seen + 2))
        self.assertEqual(self.of(store, "on_signal", STORES), handled // 2)

    def test_threads(self):
        store, _ = self.exact(SUBJECT, "threads", "24")
        self.assertEqual(self.of(store, "work"), 24 * 200001)
        by_thread = {}
        low, high = symbols(SUBJECT)["work"]
        for row in store.samples:
            if row["event"] == INSTRUCTIONS and row["path"].endswith("exact_subject") and low <= row["offset"] < high:
                by_thread[row["tid"]] = by_thread.get(row["tid"], 0) + row["value"]
        self.assertEqual(list(by_thread.values()), [200001] * 24)
        # One after the other, they share memory in the end.
        store, _ = self.exact(SUBJECT, "threads", "-300")
        self.assertEqual(self.of(store, "work"), 300 * 200001)

    def test_processes(self):
        store, _ = self.exact(SUBJECT, "fork", SUBJECT, "copy")
        self.assertEqual(self.of(store, "work"), 2 * 2001)
        self.assertEqual(self.of(store, "copy"), 3)
        self.assertEqual([row["name"] for row in store.processes], ["exact_subject"] * 2)
        self.assertEqual([row["parent"] for row in store.processes], [None, 1])
        store, _ = self.exact("sh", "-c", f"{SUBJECT} jump; exec {SUBJECT} copy")
        self.assertEqual([self.of(store, name) for name in ("work", "copy")], [210, 3])

    def test_killed(self):
        store, _ = self.exact(SUBJECT, "kill", status=128 + signal.SIGKILL)
        self.assertEqual(self.of(store, "work"), 1000001)

    def test_libraries_at_one_address(self):
        store, _ = self.exact(SUBJECT, "load", *WORKERS)
        self.assertEqual([self.of(store, "worker", path=path) for path in WORKERS], [3 * 2001, 3 * 3001])

    def test_rewritten_code(self):
        store, _ = self.exact(SUBJECT, "rewrite")
        made = [row for row in store.samples if row["event"] == INSTRUCTIONS and row["kind"] == "anonymous"]
        self.assertEqual(sum(row["value"] for row in made), 6004)
        self.assertEqual(len(made), 4)


class Views(Exact):
    def test_views(self):
        self.exact(SUBJECT, "copy", events=(INSTRUCTIONS, LOADS))
        report = self.run_it("report")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertRegex(report.stdout, r"PAPI_TOT_INS: [\d,]+, exact\n")
        self.assertNotIn("±", report.stdout)
        self.assertRegex(report.stdout, r"(?m)^ *4,?507 .* branch ")
        for command in (["tree"], ["callers", "branch"]):
            result = self.run_it(*command)
            self.assertEqual(result.returncode, 1)
            self.assertIn("sample it, without -x", result.stderr)
        for command in (["report", "--json"], ["annotate", "branch", "--asm"], ["export", "--folded"],
                        ["export", "--callgrind"]):
            with self.subTest(command=command):
                result = self.run_it(*command)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("±", result.stdout)


class Refused(Exact):
    def assert_refused(self, status, words, *arguments, **how):
        how.setdefault("env", ENVIRONMENT)
        result = self.run_it(*arguments, **how)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertIn(words, " ".join(result.stderr.split()))

    def test_refused(self):
        self.assert_refused(2, "it is modelled", "-x", "-e", "PAPI_L1_DCM", "echo", "ran")
        self.assert_refused(2, "only what the virtual PMU counts", "-x", "-e", "perf::PAGE-FAULTS", "echo", "ran")
        self.assert_refused(2, "every instruction is counted", "-x", "-F", "100", "echo", "ran")
        self.assert_refused(2, "for a program that papi_profile starts", "-x", "-p", str(os.getpid()))
        self.assertEqual(os.listdir(self.directory), [])

    def test_usual_where_nothing_else_counts(self):
        """PAPI_TOT_INS is the virtual PMU's here."""
        result = self.run_it("-e", INSTRUCTIONS, SUBJECT, env=ENVIRONMENT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"papi_profile: [\d,]+ PAPI_TOT_INS, exact, in ")

    def test_small_files(self):
        """The program goes on, and what could not be written is told; what was, is there."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        result = self.run_it("-x", "sh", "-c", f"ulimit -f 200; {SUBJECT} copy; echo $?", env=ENVIRONMENT)
        self.assertEqual((result.returncode, result.stdout), (0, "0\n"), result.stderr)
        self.assertIn("ulimit -f", result.stderr)
        self.assertIn("incomplete: ", result.stderr)
        self.assert_refused(125, "ulimit -f", "-x", "echo", "ran", preexec_fn=limit)


if __name__ == "__main__":
    main()
