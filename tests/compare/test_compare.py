# SPDX-License-Identifier: BSD-3-Clause
"""papi_compare: verdicts, noise, limits, what else differs, and the forms of its output."""
import os
import random
import re
import stat
import subprocess
import unittest

from compare_harness import CACHES, CompareTest, event, kernel, main, PAPI_COMPARE, SAVED


class Verdicts(CompareTest):
    def one(self, before, after, *arguments, status=0, **changes):
        old, new = self.saved("a.json", before), self.saved("b.json", after, **changes)
        return self.compare(old, new, *arguments, status=status)["events"][0]

    def test_an_exact_count_has_no_noise(self):
        self.assertEqual(self.one(event("X", 1000000), event("X", 1000001))["verdict"], "more")
        self.assertEqual(self.one(event("X", 1000000), event("X", 999999))["verdict"], "less")
        same = self.one(event("X", 1000000), event("X", 1000000))
        self.assertEqual((same["verdict"], same["percent"], same["noise"]), ("same", 0, 0))

    def test_limits_in_percent(self):
        for after, limit, verdict, status in ((1010000, "1%", "more", 0), (1010001, "1%", "over", 1),
                                              (1000001, "0%", "over", 1), (999999, "0%", "less", 0),
                                              (1000999, "0.1%", "more", 0), (1001001, ".1%", "over", 1),
                                              (3000000, "200%", "more", 0)):
            found = self.one(event("X", 1000000), event("X", after), "--limit", f"X={limit}", status=status)
            self.assertEqual((found["verdict"], found["limit"]), (verdict, limit), after)

    def test_limits_in_numbers(self):
        for after, verdict, status in ((2000, "more", 0), (2001, "over", 1), (0, "less", 0)):
            found = self.one(event("X", 1000), event("X", after), "-l", "X=+1000", status=status)
            self.assertEqual(found["verdict"], verdict)

    def test_all_limits_of_an_event_hold(self):
        found = self.one(event("X", 1000), event("X", 1100), "-l", "X=20%", "-l", "X=+99", "-l", "X=+200", status=1)
        self.assertEqual((found["verdict"], found["limit"]), ("over", "+99"))

    def test_from_nothing(self):
        found = self.one(event("X", 0), event("X", 3), "-l", "X=1000%", status=1)
        self.assertEqual((found["verdict"], found["percent"], found["difference"]), ("over", None, 3))

    def test_names_with_equals_signs(self):
        self.one(kernel("cpu/event=0x3c/", *[10] * 5), kernel("cpu/event=0x3c/", *[12] * 5), "-l",
                 "cpu/event=0x3c/=1%", status=1)

    def test_large_counts(self):
        """Whole, and no difference overflows."""
        huge = 2**63 - 1
        found = self.one(event("X", huge - 1), event("X", huge), "-l", "X=+0", status=1)
        self.assertEqual((found["before"], found["after"], found["difference"]), (huge - 1, huge, 1))
        found = self.one(event("X", -huge, huge), event("X", huge, -huge))
        self.assertEqual((found["verdict"], found["noise"]), ("same", huge))
        found = self.one(event("X", -huge), event("X", huge), "-l", "X=1%", status=1)
        self.assertEqual(found["difference"], huge)

    def test_noise_is_the_range_of_both(self):
        before = kernel("X", 100, 104, 102, 101, 103)
        for after, verdict in (((100, 101, 102, 103, 104), "same"), ((101, 105, 103, 102, 104), "noise"),
                               ((108, 110, 109, 109, 110), "more"), ((108, 109, 107, 108, 106), "noise"),
                               ((90, 91, 92, 93, 94), "less")):
            found = self.one(before, kernel("X", *after))
            self.assertEqual((found["verdict"], found["before"]), (verdict, 102), after)
        self.assertEqual(found["noise"], 8)
        self.one(before, kernel("X", 108, 110, 109, 109, 110), "-l", "X=5%", status=1)
        self.one(before, kernel("X", 108, 109, 107, 108, 106), "-l", "X=5%")

    def test_intervals_of_estimates_are_noise(self):
        models = {"models": {"caches": CACHES, "sampled": True}}
        before = self.saved("a.json", event("X", 1000, kind="estimated", interval=20), **models)
        for after, verdict in ((1035, "noise"), (1036, "more")):
            new = self.saved("b.json", event("X", after, kind="estimated", interval=15), **models)
            self.assertEqual(self.verdicts(before, new), {"X": verdict})

    def test_noise_that_is_not_known(self):
        """Of what the kernel counts, a run says nothing about the next; a limit then needs five."""
        for before, after in ((kernel("X", 10), kernel("X", 20)), (kernel("X", *[10] * 5), kernel("X", *[20] * 4)),
                              (kernel("X", 10), kernel("X", 10))):
            verdict = "same" if before == after else "unknown"
            self.assertEqual(self.one(before, after)["verdict"], verdict)
            found = self.one(before, after, "-l", "X=1000%", status=2)
            self.assertEqual(found["verdict"], "refused")
            self.assertIn("papi_run -r 5", found["reason"])
        self.assertEqual(self.one(kernel("X", *[10] * 5), kernel("X", *[20] * 5))["verdict"], "more")
        found = self.one(event("X", 10), event("X", 20), "-l", "X=1%", status=2, reproducible=False)
        self.assertIn("or one with --reproducible", found["reason"])

    def test_the_order_is_that_of_importance(self):
        before = [event(name, 1000) for name in ("same", "small", "large", "over", "gone", "less")]
        before += [kernel("noise", 1, 2, 3, 4, 5), kernel("unknown", 1)]
        after = [event("same", 1000), event("small", 1001), event("large", 1100), event("over", 1002), event("new", 1),
                 event("less", 950), kernel("noise", 2, 3, 4, 5, 6), kernel("unknown", 3)]
        found = self.compare(self.saved("a.json", *before), self.saved("b.json", *after), "-l", "over=0.1%", status=1)
        self.assertEqual([one["name"] for one in found["events"]],
                         ["over", "large", "less", "small", "unknown", "noise", "same", "gone", "new"])


class NotComparable(CompareTest):
    def check(self, before, after, reason, changes=None, changes_before=None):
        """Shown as such; and with a limit refused."""
        old = self.saved("a.json", event("other", 1), before, **(changes_before or {}))
        new = self.saved("b.json", event("other", 1), after, **(changes or {}))
        self.assertEqual(self.verdicts(old, new)["X"], "incomparable")
        found = self.compare(old, new, "-l", "X=1000%", status=2)
        self.assertEqual((found["events"][0]["name"], found["events"][0]["verdict"]), ("X", "refused"))
        self.assertIn(reason, found["events"][0]["reason"])
        # The others are.
        self.assertEqual(self.verdicts(old, new, "-l", "other=1%")["other"], "same")

    def test_other_worth(self):
        exact = event("X", 1)
        self.check(exact, event("X", 1, kind="modelled"), "one is exact, the other modelled")
        self.check(exact, event("X", 1, unit="ns"), "the units differ")
        self.check(exact, kernel("X", 1), "by translation")
        self.check(kernel("X", 1), kernel("X", 1, domain="user"), "user+kernel mode")
        self.check(kernel("X", 1), kernel("X", 1, kind="affected"), "one is exact, the other affected")

    def test_counters_in_turn_are_comparable(self):
        old = self.saved("a.json", kernel("X", *[100] * 5))
        new = self.saved("b.json", kernel("X", *[200] * 5, kind="estimated"))
        self.assertEqual(self.verdicts(old, new, "-l", "X=1%", status=1), {"X": "over"})

    def test_modelled_for_other_caches(self):
        modelled = event("X", 1, kind="modelled")
        other = {"caches": CACHES.replace("L2=1M/8/64", "L2=2M/8/64"), "sampled": False}
        self.check(modelled, modelled, "PAPI_VPMU_CACHE", {"models": other})
        self.check(modelled, modelled, "PAPI_VPMU_CACHE", {"models": None})
        self.check(modelled, modelled, "PAPI_VPMU_CACHE", {"models": None}, {"models": None})
        # What is exact does not depend on them.
        old = self.saved("a.json", event("X", 1))
        self.assertEqual(self.verdicts(old, self.saved("b.json", event("X", 1), models=other)), {"X": "same"})

    def test_not_counted(self):
        gone = event("X", kind=None, domain=None, error="there is no such counter")
        self.check(event("X", 1), gone, "there is no such counter")
        self.check(gone, event("X", 1), "there is no such counter")
        self.check(event("X", 1), event("X", 1, partial=True), "of some processes are missing")
        self.check(event("X", 1), event("Y", 1), "has not got it")
        self.check(event("Y", 1), event("X", 1), "has not got it")

    def test_a_limit_on_nothing(self):
        old = self.saved("a.json", event("X", 1))
        found = self.compare(old, old, "-l", "x=1%", status=2)
        self.assertEqual(found["troubles"], ["the limit x=1% is on an event that neither file has"])

    def test_a_limit_on_a_metric(self):
        old = self.saved("a.json", event("X", 1))
        for metrics, words in (([{"name": "x"}], "a metric: only events have limits, such as those that it is made of"),
                               ([{"name": "y"}, {}, 7], "an event that neither file has"),
                               ({"name": "x"}, "an event that neither file has")):
            new = self.saved("b.json", event("X", 1), metrics=metrics)
            found = self.compare(old, new, "-l", "x=1%", status=2)
            self.assertEqual(found["troubles"], ["the limit x=1% is on " + words])

    def test_a_program_that_failed(self):
        old, new = self.saved("a.json", event("X", 9)), self.saved("b.json", event("X", 5), exit_status=1)
        found = self.compare(old, new, status=2)
        self.assertIn("exit status 0, then with 1", found["troubles"][0])
        self.compare(new, new)

    def test_nothing_in_common(self):
        found = self.compare(self.saved("a.json", event("X", 1)), self.saved("b.json", event("Y", 1)), status=2)
        self.assertIn("no event that both files can be compared by", found["troubles"][0])
        self.compare(self.saved("a.json"), self.saved("b.json"), status=2)

    def test_not_comparable_wins_over_exceeded(self):
        old = self.saved("a.json", event("X", 1), kernel("K", 1))
        new = self.saved("b.json", event("X", 2), kernel("K", 1))
        self.compare(old, new, "-l", "X=1%", status=1)
        self.compare(old, new, "-l", "X=1%", "-l", "K=1%", status=2)


class Differences(CompareTest):
    def differences(self, **changes):
        old, new = self.saved("a.json", event("X", 1)), self.saved("b.json", event("X", 1), **changes)
        return self.compare(old, new)["differences"]

    def test_none(self):
        self.assertEqual(self.differences(when="2027-01-01T00:00:00Z", directory="/elsewhere", elapsed_ns=[5]), [])

    def test_each(self):
        machine = {**SAVED["machine"], "cpu": "Another", "kernel": "6.2"}
        program, libc = SAVED["modules"]
        for changes, expected in (
                ({"papi_version": "7.1.0.0"}, ["counted by another version of PAPI: 7.0.0.0, then 7.1.0.0"]),
                ({"machine": machine}, ["another processor, for which libraries may choose other code: A processor, "
                                        "then Another", "another kernel: 6.1, then 6.2"]),
                ({"command": ["./solver", "a b"]}, ["another command: ./solver input, then ./solver a b"]),
                ({"reproducible": False}, ["only one was counted with --reproducible: true, then false"]),
                ({"models": None}, [f"other caches are modelled: {CACHES}, then nothing"]),
                ({"environment": {"PATH": "/bin", "LANG": "de", "TZ": "UTC"}},
                 ["other values in the environment: LANG, TZ"]),
                ({"environment": {str(i): "" for i in range(6)}},
                 ["other values in the environment: PATH, LANG, 0, 1, 2 and 3 others"]),
                ({"modules": [{**program, "build_id": "cc"}, libc]}, ["the program is another build"]),
                ({"modules": [{**program, "path": "/bin/sh"}, libc]}, ["another program: solver, then sh"]),
                ({"modules": [program, {**libc, "build_id": "cc"}, {"path": "/lib/libm.so", "build_id": None}]},
                 ["other libraries: libc.so.6, libm.so"]),
                ({"modules": [program, {**libc, "path": "/usr/lib/libc.so.6"}]}, []),
                ({"inputs": [{"path": "input", "bytes": 10, "hash": "fedcba9876543210"}]},
                 ["other content of input files: input"]),
                ({"inputs": []}, ["other content of input files: input"]),
                ({"inputs": [*SAVED["inputs"], {"path": None, "bytes": 1, "hash": None}]},
                 ["other content of input files: standard input"])):
            self.assertEqual(self.differences(**changes), expected)

    def test_whatever_is_missing(self):
        """A file may have less than is compared."""
        for key in ("machine", "models", "command", "environment", "modules", "inputs", "reproducible"):
            for value in (None, 7, [], {}, [None, 3, {}], "text"):
                self.differences(**{key: value})


class Output(CompareTest):
    def setUp(self):
        super().setUp()
        self.before = self.saved("a.json", event("PAPI_TOT_INS", 12345678), kernel("perf::TASK-CLOCK", 1500000,
                                                                                 unit="ns"))
        self.after = self.saved("b.json", event("PAPI_TOT_INS", 12358024), kernel("perf::TASK-CLOCK", 1500000,
                                                                                unit="ns"))

    def test_the_table(self):
        result = self.run_it("a.json", "b.json", "-l", "PAPI_TOT_INS=0.05%")
        self.assertEqual((result.returncode, result.stderr), (1, b""))
        self.assertEqual(result.stdout.decode().splitlines(), [
            "papi_compare: a.json, then b.json", "",
            "Event                     Before       After  Difference  Change  Verdict",
            "PAPI_TOT_INS          12,345,678  12,358,024     +12,346  +0.10%  over 0.05%",
            "perf::TASK-CLOCK, ms       1.500       1.500                      same", "",
            "1 limit is exceeded"])

    def test_conclusions(self):
        for arguments, text in (([], "no limit was given"), (["-l", "PAPI_TOT_INS=1%"], "no limit is exceeded"),
                                (["-l", "perf::TASK-CLOCK=1%"], "not all could be compared; no limit is exceeded")):
            self.assertEqual(self.run_it("a.json", "b.json", *arguments).stdout.decode().splitlines()[-1], text)

    def test_hostile_text(self):
        """From files: nothing of it controls a terminal, a log of GitHub or a page."""
        bad = "::error::x\n::warning title=a::\x1b[31m|<b>`*_%0A\u009b\u202e"
        self.saved("a.json", event(bad, 1), event("Y", 1), papi_version=bad, command=[bad])
        self.saved("b.json", event(bad, 5), event("Y", 1))
        summary = self.path("summary.md")
        result = self.run_it("--github", "a.json", "b.json", "-l", bad + "=1%", "-l", "\n::x=1%",
                             environment={"GITHUB_STEP_SUMMARY": summary})
        self.assertEqual(result.returncode, 2, result.stderr)
        text = result.stdout.decode()
        self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        lines = text.splitlines()
        token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", lines[0])[1]
        end = lines.index(f"::{token}::")
        self.assertEqual(len(lines) - end - 1, 2)
        for line in lines[end + 1:]:
            self.assertRegex(line, r"\A::error title=[^:,]*::")
            self.assertNotIn("%0A", line.replace("%250A", ""))
        with open(summary, encoding="utf-8") as file:
            page = file.read()
        self.assertNotRegex(page, "[\x00-\x09\x0b-\x1f\x7f-\x9f]|<b>|(?<!\\\\)`")
        table = [line for line in page.splitlines() if line.startswith("|")]
        self.assertEqual({len(re.findall(r"(?<!\\)\|", line)) for line in table}, {6})

    def test_github(self):
        summary = self.write("summary.md", "before\n")
        result = self.run_it("--github", "a.json", "b.json", "-l", "PAPI_TOT_INS=0.05%", "-l", "perf::TASK-CLOCK=1%",
                             environment={"GITHUB_STEP_SUMMARY": summary})
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.decode().splitlines()[-2:], [
            "::error title=PAPI_TOT_INS::12,358,024 instead of 12,345,678 (+0.10%25), and the limit is 0.05%25",
            "::error title=perf%3A%3ATASK-CLOCK::how far its runs differ is not known: save 5 runs or more, with "
            "papi_run -r 5"])
        with open(summary, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[:2], ["before", "### Counts: not all could be compared; 1 limit is exceeded"])
        self.assertIn(r"| PAPI\_TOT\_INS | 12,345,678 | 12,358,024 | \+0\.10% | over 0\.05% |", lines)
        # Without a summary, and where it cannot be written.
        result = self.run_it("--github", "a.json", "b.json", environment={"GITHUB_STEP_SUMMARY": ""})
        self.assertEqual(result.returncode, 0)
        result = self.run_it("--github", "a.json", "b.json", environment={"GITHUB_STEP_SUMMARY": self.directory})
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"Is a directory", result.stderr)

    def test_lines_of_80_columns(self):
        self.saved("a.json", event("PAPI_TOT_INS", 10**15), event("vpmu:::A_RATHER_LONG_NAME_OF_AN_EVENT", 1))
        self.saved("b.json", event("PAPI_TOT_INS", 2 * 10**15), event("vpmu:::A_RATHER_LONG_NAME_OF_AN_EVENT", 1))
        for line in self.run_it("a.json", "b.json", "-l", "PAPI_TOT_INS=0.01%").stdout.decode().splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_output_that_cannot_be_written(self):
        """Is no comparison, and must not look like a limit."""
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PAPI_COMPARE, self.before, self.after], stdout=full, stderr=subprocess.PIPE,
                                    check=False)
        self.assertEqual(result.returncode, 2)


class Update(CompareTest):
    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_the_new_one_becomes_the_old(self):
        self.saved("a.json", event("X", 1))
        self.saved("b.json", event("X", 2))
        os.chmod(self.path("a.json"), 0o644)
        result = self.run_it("--update", "a.json", "b.json", "-l", "X=1%")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertIn(b"over 1%", result.stdout)
        self.assertEqual(self.content("a.json"), self.content("b.json"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.json")).st_mode), 0o644)
        self.compare(self.path("a.json"), self.path("b.json"))

    def test_the_first_one(self):
        self.saved("b.json", event("X", 2))
        result = self.run_it("--update", "a.json", "b.json")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))
        self.assertEqual(self.content("a.json"), self.content("b.json"))

    def test_of_another_version(self):
        self.saved("a.json", event("X", 1), papi_run_save=9)
        self.saved("b.json", event("X", 2))
        self.assertEqual(self.run_it("--update", "a.json", "b.json").returncode, 0)
        self.assertEqual(self.content("a.json"), self.content("b.json"))

    def test_what_stays(self):
        self.saved("good.json", event("X", 1))
        self.saved("empty.json", {**event("X"), "error": "no"})
        self.write("letter", "dear reader")
        self.write("other.json", "{}")
        for before, after, word in (("letter", "good.json", "papi_run --save has not written it"),
                                    ("other.json", "good.json", "papi_run --save has not written it"),
                                    ("good.json", "empty.json", "nothing was counted"),
                                    ("good.json", "letter", "no JSON"), ("no/such", "good.json", "cannot write"),
                                    ("good.json", "missing", "No such file")):
            old = self.content(before) if os.path.exists(self.path(before)) else None
            result = self.run_it("--update", before, after)
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertIn(word, result.stderr.decode())
            self.assertEqual(self.content(before) if old is not None else None, old)


class FalseAlarms(CompareTest):
    """What five runs of equal noise look like, a hundred times; and a difference that is there."""

    def test_equal_noise(self):
        numbers, alarms = random.Random(15), 0
        for _ in range(100):
            before, after = ([int(numbers.gauss(1e6, 1e4)) for _ in range(5)] for _ in range(2))
            old, new = self.saved("a.json", kernel("X", *before)), self.saved("b.json", kernel("X", *after))
            alarms += self.verdicts(old, new)["X"] in ("more", "less")
        self.assertEqual(alarms, 0)

    def test_ten_percent(self):
        numbers = random.Random(16)
        for _ in range(20):
            before, after = ([int(numbers.gauss(mean, 5e3)) for _ in range(5)] for mean in (1e6, 1.1e6))
            old, new = self.saved("a.json", kernel("X", *before)), self.saved("b.json", kernel("X", *after))
            self.compare(old, new, "-l", "X=5%", status=1)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
