# SPDX-License-Identifier: BSD-3-Clause
"""Modelled events in exact profiles: each miss is where it happens, and the sum is what papi_run counts."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from capture_harness import CaptureTest, main, PAPI_PROFILE
from harness import TOOLS

PAPI_RUN = os.path.join(TOOLS, "papi_run")
SUBJECT = os.environ["PAPI_PROFILE_MISSES"]
SOURCE = os.environ["PAPI_PROFILE_MISSES_SOURCE"]
EXACT = os.environ.get("PAPI_PROFILE_SUBJECT")
# Whatever counters and caches the machine has.
# The sets of the first level and the second are picked by bits within a page: they are the same wherever pages lie.
CACHES = "L1I=32K/8/64,L1D=32K/8/64,L2=256K/64/64,L3=none,DTLB=64/4,DTLB2=1536/12,ITLB=64/8,ITLB2=none"
ENVIRONMENT = {**os.environ, "PAPI_VPMU": "always", "PAPI_VPMU_CACHE": CACHES, "PAPI_VPMU_MODEL": "full"}
CYCLES, L1, L2, BRANCHES = "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_TCM", "PAPI_BR_MSP"
READS, WRITES, LAST = "vpmu:::L1D_READ_MISSES", "vpmu:::L1D_WRITE_MISSES", "vpmu:::L2D_MISSES"
EVENTS = (CYCLES, L1, "PAPI_L1_ICM", L2, BRANCHES, "PAPI_TLB_DM", "PAPI_TLB_IM", "PAPI_LD_INS")


def setUpModule():
    result = subprocess.run([PAPI_RUN, "-e", L1, "--format", "json", "true"], capture_output=True, text=True,
                            check=False, env=ENVIRONMENT)
    output = result.stdout + result.stderr
    if '"modelled"' not in output:
        raise unittest.SkipTest("nothing is modelled here: " + " ".join(output.split())[:300])


def line_of(name):
    """Where |name| is in the source of the subject."""
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if f"|{name}|" in line)


class Misses(CaptureTest):
    NEEDS_PERMISSION = False

    def misses(self, *program, events=EVENTS, status=0, **how):
        how.setdefault("env", ENVIRONMENT)
        store, result = self.profile("-x", "-e", ",".join(events), *program, status=status, **how)
        # It compares its sums with the counters themselves.
        self.assertNotIn("incomplete", result.stderr)
        self.assertNotIn("below 0", result.stderr)
        self.assertEqual(os.listdir(self.directory), ["papi_profile.db"])
        return store

    def by_line(self, *program, events):
        """The values of all lines of the subject, by event."""
        self.misses(*program, events=events)
        result = self.run_it("report", "--by", "line", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        os.unlink(self.path())
        rows = [row for row in json.loads(result.stdout)["rows"]
                if os.path.basename(row.get("file", "")) == "misses_subject.c"]
        return {event: {row["line"]: row["values"][i]["value"] for row in rows} for i, event in enumerate(events)}


class Sums(Misses):
    """Over all addresses: what papi_run counts of the same program."""

    def sums_of(self, *command):
        result = subprocess.run(["setarch", "-R", *command], cwd=self.directory, env=ENVIRONMENT, check=False,
                                timeout=240, capture_output=True, text=True)
        output = result.stdout + result.stderr
        self.assertNotIn("incomplete", output)
        found = {name: int(number.replace(",", ""))
                 for number, name in re.findall(r"(\d[\d,]*) ([\w:]+)(?:,| \((?:exact|modelled)\))", output)}
        found |= {name: int(number.replace(",", "")) for name, number in
                  re.findall(r"(?m)^([\w:]+) +([\d,]+)  (?:exact|modelled)", output)}
        self.assertEqual(sorted(name for name in found if name in EVENTS), sorted(EVENTS), output)
        return {name: found[name] for name in EVENTS}

    def test_sums(self):
        if not shutil.which("setarch") or subprocess.run(["setarch", "-R", "true"], check=False,
                                                         stderr=subprocess.DEVNULL).returncode:
            self.skipTest("addresses cannot be kept the same here (setarch -R)")
        for program in ([SUBJECT, "programs"], [SUBJECT, "lines"], [SUBJECT, "branches"], [SUBJECT, "fork"],
                        [EXACT, "copy"], [EXACT, "jump"], [EXACT, "rewrite"], [EXACT, "switch"],
                        # Not a shell, which writes the numbers of processes down: that takes as long as these are.
                        [EXACT, "fork", EXACT, "copy"]):
            with self.subTest(program=program):
                self.assertEqual(self.sums_of(PAPI_PROFILE, "-x", "-e", ",".join(EVENTS), *program),
                                 self.sums_of(PAPI_RUN, "-e", ",".join(EVENTS), *program))

    def test_killed_as_ever(self):
        """What simulators have not seen then is not in it: where calls are recorded, that is less."""
        if not shutil.which("setarch") or subprocess.run(["setarch", "-R", "true"], check=False,
                                                         stderr=subprocess.DEVNULL).returncode:
            self.skipTest("addresses cannot be kept the same here (setarch -R)")
        counted = self.sums_of(PAPI_RUN, "-e", ",".join(EVENTS), SUBJECT, "kill")
        self.assertEqual(self.sums_of(PAPI_PROFILE, "-x", "-g", "none", "-e", ",".join(EVENTS), SUBJECT, "kill"),
                         counted)
        profiled = self.sums_of(PAPI_PROFILE, "-x", "-e", ",".join(EVENTS), SUBJECT, "kill")
        for event in EVENTS:
            self.assertGreaterEqual(profiled[event], counted[event])

    def test_within_a_run(self):
        """Where no run is as the other, the profile and the counters of one run are the same."""
        for program in ([SUBJECT, "threads"], [EXACT, "threads", "-300"], [EXACT, "signals", "200"],
                        [EXACT, "calls", "200"], [EXACT, "below", "7"], ["sh", "-c", "ls / | sort | wc -l"]):
            with self.subTest(program=program):
                self.misses(*program)
                os.unlink(self.path())

    def test_each_alone(self):
        """What other parts of the simulators would do changes nothing."""
        for event in EVENTS:
            with self.subTest(event=event):
                store = self.misses(SUBJECT, "branches", events=(event,))
                self.assertEqual([row["kind"] for row in store.events],
                                 ["exact" if event == "PAPI_LD_INS" else "modelled"])
                self.assertGreater(store.sum("value"), 0)
                os.unlink(self.path())

    def test_killed(self):
        store = self.misses(SUBJECT, "kill", events=(WRITES,), status=128 + signal.SIGKILL)
        self.assertGreaterEqual(store.sum("value"), 16384)


class Places(Misses):
    """Lines and branches of which it is known."""

    def test_lines(self):
        found = self.by_line(SUBJECT, "lines", events=(READS, WRITES, "vpmu:::DTLB_MISSES"))
        write, read, two, same = map(line_of, ("write", "read", "two lines", "same"))
        self.assertEqual([found[WRITES].get(line, 0) for line in (write, read, two, same)], [16384, 0, 0, 0])
        self.assertEqual([found[READS].get(line, 0) for line in (write, read)], [0, 16384])
        # Each has the second line of the last one.
        self.assertIn(found[READS][two], (16383, 16384))
        self.assertLessEqual(found[READS][same], 17)
        self.assertEqual([found["vpmu:::DTLB_MISSES"][line] for line in (write, read)], [256, 256])
        self.assertEqual(set(found[READS]) & set(range(write + 1, read)), set())

    def test_branches(self):
        found = self.by_line(SUBJECT, "branches", events=(BRANCHES,))[BRANCHES]
        self.assertGreater(found[line_of("random")], 20000 * 0.3)
        self.assertLess(found[line_of("random")], 20000 * 0.7)
        self.assertLess(found.get(line_of("known"), 0), 100)

    def test_cycles(self):
        """A quarter for each instruction, and 16 for a wrong prediction."""
        events = (CYCLES, "PAPI_TOT_INS", BRANCHES)
        found = self.by_line(SUBJECT, "branches", events=events)
        line = line_of("random")
        # The first fetch of its code may miss.
        self.assertAlmostEqual(found[CYCLES][line], found["PAPI_TOT_INS"][line] / 4 + 16 * found[BRANCHES][line],
                               delta=1000)
        self.assertGreater(found[CYCLES][line], 16 * found[BRANCHES][line])


class Cachegrind(Misses):
    """Misses of each line are those of cachegrind, with the same caches."""

    def test_cachegrind(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        found = self.by_line(SUBJECT, "programs", events=(READS, WRITES, LAST))
        output = self.path("cachegrind.out")
        result = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64",
                                 "--D1=32768,8,64", "--LL=262144,64,64", f"--cachegrind-out-file={output}", SUBJECT,
                                 "programs"], check=False, capture_output=True, text=True, env=ENVIRONMENT,
                                timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = read_cachegrind(output)
        for event, names in ((READS, ("D1mr",)), (WRITES, ("D1mw",)), (LAST, ("DLmr", "DLmw"))):
            lines = {line: sum(values[name] for name in names) for line, values in expected.items()}
            for line in sorted(set(lines) | set(found[event])):
                there, here = lines.get(line, 0), found[event].get(line, 0)
                with self.subTest(event=event, line=line):
                    self.assertAlmostEqual(here, there, delta=max(0.01 * there, 8))
        self.assertGreater(expected[line_of("product")]["D1mr"], 200000)
        self.assertGreater(expected[line_of("next")]["DLmr"], 70000)


def read_cachegrind(path):
    """The values of each line of the subject, by name."""
    lines, names, inside = {}, [], False
    with open(path, encoding="utf-8") as file:
        for text in file:
            if text.startswith("events: "):
                names = text.split()[1:]
            elif text.startswith(("fl=", "fi=", "fe=")):
                inside = os.path.basename(text.split("=", 1)[1].strip()) == "misses_subject.c"
            elif inside and text[0].isdigit():
                line, *values = map(int, text.split())
                sums = lines.setdefault(line, dict.fromkeys(names, 0))
                for name, value in zip(names, values):
                    sums[name] += value
    return lines


class Views(Misses):
    def test_views(self):
        self.misses(SUBJECT, "lines", events=(L1, "PAPI_LD_INS"))
        report = self.run_it("report")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertRegex(report.stdout, r"PAPI_L1_DCM: [\d,]+, modelled\nPAPI_LD_INS: [\d,]+, exact\n")
        self.assertRegex(report.stdout, r"(?m)^ *491\d\d +\d\d\.\d\d% .* go_through ")
        for command in (["report", "--json"], ["annotate", "go_through"], ["annotate", "go_through", "--asm"],
                        ["export", "--folded"], ["export", "--callgrind"], ["export", "--speedscope"], ["page"]):
            with self.subTest(command=command):
                result = self.run_it(*command)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("\u00b1", result.stdout)

    def test_no_calls(self):
        """Who does not want calls has no inclusive values, and is told."""
        self.misses("-g", "none", SUBJECT, "lines", events=("PAPI_LD_INS", L1))
        self.assertNotIn("Incl", self.run_it("report").stdout)
        result = self.run_it("callers", "go_through")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("without -g none", result.stderr)

    def test_sampled_models(self):
        result = self.run_it("-x", "-e", L1, "echo", "ran", env={**ENVIRONMENT, "PAPI_VPMU_MODEL": "sampled"})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("PAPI_VPMU_MODEL=full", " ".join(result.stderr.split()))
        # What that simulates in full all the same.
        self.misses(SUBJECT, "branches", events=(BRANCHES,), env={**ENVIRONMENT, "PAPI_VPMU_MODEL": "sampled"})

    def test_nonsense(self):
        result = self.run_it("-x", "-e", L1, "echo", "ran", env={**ENVIRONMENT, "PAPI_VPMU_CACHE": "L1D=nonsense"})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("PAPI_VPMU_CACHE", result.stderr)


if __name__ == "__main__":
    main()
