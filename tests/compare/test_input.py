# SPDX-License-Identifier: BSD-3-Clause
"""Nonsense as input of papi_compare: one clear sentence, status 2, and never a verdict."""
import json
import os
import random
import re
import subprocess
import unittest

from compare_harness import CompareTest, event, main, PAPI_RUN, SAVED

SOURCE = os.environ["PAPI_TOOLS_SOURCE"]


class Files(CompareTest):
    def setUp(self):
        super().setUp()
        self.good = self.saved("good.json", event("X", 1))

    def refuse(self, name, *words):
        for arguments in ((name, self.good), (self.good, name)):
            message = self.refused(*arguments, words=words)
            self.assertEqual(len(message.splitlines()), 1, message)

    def test_no_files(self):
        self.refuse(self.path("missing"), "No such file or directory")
        self.refuse(self.directory, "Is a directory")
        self.refuse("/dev/null", "this is no JSON")

    def test_no_json(self):
        for text in ("", "hello", "{", '{"a": 1,}', "\x00", '{"a": 1} x', '{"papi_run_save": 1, "papi_run_save": 1}'):
            self.refuse(self.write("bad", text), "this is no JSON")
        self.refuse(self.write("bad", b"\xff\xfe{}"), "this is no JSON")
        message = self.refused(self.good, self.write("bad", '{\n "events": [1,\n ?]}'))
        self.assertRegex(message, r"bad:3:\d+: ")

    def test_json_of_others(self):
        for text, word in (("[]", "this is JSON, but not of papi_run --save"), ("{}", "but not of papi_run --save"),
                           ('{"version": "6.9.0.0", "events": []}', "report of papi_run --format json, PAPI 6.9.0.0"),
                           ('{"papi_compare": 1}', "the result of papi_compare --json"),
                           ('{"papi_version": "7.0.0.0", "regions": []}', "PAPI 7.0.0.0 has written this, but not"),
                           ('{"papi_run_save": "1"}', "but not of papi_run --save")):
            self.refuse(self.write("other", text), word)

    def test_the_report_of_papi_run(self):
        report = self.path("report.json")
        subprocess.run([PAPI_RUN, "-e", "perf::PAGE-FAULTS", "--best-effort", "--format", "json", "-o", report, "true"],
                       check=True, stderr=subprocess.DEVNULL)
        self.refuse(report, "write a file with papi_run --save")

    def test_another_format(self):
        for number in (0, 2, 2**62):
            self.refuse(self.saved("new.json", event("X", 1), papi_run_save=number, papi_version="9.9.9.9"),
                        f"PAPI 9.9.9.9 has written this, in format {number}, and this papi_compare reads format 1")

    def test_places(self):
        for changes, word in (({"events": None}, '"events" should be an array'),
                              ({"exit_status": "0"}, '"exit_status" should be an integer'),
                              ({"events": [7]}, '"events[0].name" should be a string'),
                              ({"events": [event("X", 1), event("X", 2)]}, '"events[1].name" should be another one')):
            self.refuse(self.saved("bad.json", **changes), word, "PAPI 7.0.0.0 has written the file")
        for key, value in (("name", 1), ("unit", None), ("kind", 1), ("domain", None), ("interval", -1),
                           ("interval", 1.5), ("counts", None), ("counts", 3), ("counts", [1.5]), ("counts", ["1"]),
                           ("counts", [1, None]), ("counts", [[1]])):
            bad = {**event("Y", 1), key: value}
            self.refuse(self.saved("bad.json", event("X", 1), bad), f'"events[1].{key}" should be')
        self.refuse(self.write("bad.json", json.dumps({**SAVED, "events": [event("X", 1)]}).replace("[1]", "[1e400]")),
                    "this is no JSON")
        self.refuse(self.write("bad.json", json.dumps({**SAVED, "events": [event("X", 2**64)]})), "this is no JSON")

    def test_hostile_names_of_files(self):
        self.assertNotRegex(self.refused(self.good, "x\x1b[31m\ny"), "[\x00-\x09\x0b-\x1f]")

    def test_any_change_of_a_byte(self):
        """Is read, or refused with a sentence; never a crash."""
        numbers, text = random.Random(7), json.dumps({**SAVED, "events": [event("X", 1), event("Y", 2, 3)]}).encode()
        for _ in range(150):
            bad = bytearray(text)
            for _ in range(numbers.randint(1, 3)):
                bad[numbers.randrange(len(bad))] = numbers.choice(b'\0"[]{},:-9ae\x80 ')
            result = self.run_it(self.good, self.write("bad", bytes(bad)))
            self.assertIn(result.returncode, (0, 2), bytes(bad))
            self.assertEqual(result.returncode == 2 and not result.stdout, bool(result.stderr), bytes(bad))


class Limits(CompareTest):
    def setUp(self):
        super().setUp()
        self.good = self.saved("good.json", event("X", 1))

    def test_on_the_command_line(self):
        for limit in ("", "X", "X=", "X=1", "X=%", "X=-1%", "X=+", "X=+1.5", "X=1e3%", "X=inf%", "X=nan%", "X=0x1%",
                      "=1%", "X=1%%", "X=+1%", "X=1,5%", "X=1..5%", "X= 1%", "X=.%", "X=+9999999999999999999"):
            message = self.refused(self.good, self.good, "--limit", limit, words=["--limit takes EVENT=1%"])
            self.assertIn("Try 'papi_compare --help'.", message)

    def test_in_a_file(self):
        limits = self.write("limits", "# how much\n\n  X = 1%\nX=+5\n")
        message = self.refused(self.good, self.good, "--limit-file", limits)
        self.assertIn(f"{limits}:3:6: a line should be EVENT=1% or EVENT=+1000, not 'X = 1%'", message)
        message = self.refused(self.good, self.good, "--limit-file", self.write("limits", "X=1%\n\tY 2%\nX\n"))
        self.assertEqual(re.findall(r"limits:(\d+:\d+):", message), ["2:2", "3:1"])
        limits = self.write("limits", "# how much\r\n  X=1% # of it\r\n\r\nX=+5")
        self.assertEqual(self.run_it(self.good, self.good, "--limit-file", limits).returncode, 0)
        more = self.saved("more.json", event("X", 2))
        self.assertEqual(self.run_it(self.good, more, "--limit-file", limits).returncode, 1)
        self.refused(self.good, self.good, "--limit-file", self.path("none"), words=["No such file"])
        self.refused(self.good, self.good, "--limit-file", self.write("limits", b"X=1%\n\0\n"), words=["limits:2:1"])


class CommandLine(CompareTest):
    def test_mistakes(self):
        good = self.saved("good.json", event("X", 1))
        for arguments, word in (((), "BEFORE and AFTER"), ((good,), "BEFORE and AFTER"), ((good,) * 3, "no further"),
                                ((good, good, "--json", "--github"), "leave out one"),
                                ((good, good, "--before-profile", good), "go together"),
                                ((good, good, "--after-profile", good), "go together"),
                                ((good, good, "--nonsense"), "nonsense"), ((good, good, "--limit"), "limit")):
            self.assertIn("Try 'papi_compare --help'.", self.refused(*arguments, words=[word]))

    def test_help_and_version(self):
        text = self.run_it("--help").stdout.decode()
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
        self.assertRegex(self.run_it("--version").stdout.decode(), r"\Apapi_compare \(PAPI\) 7\.0\.\d+\.\d+\n\Z")

    def test_the_manual_page_has_the_options(self):
        text = self.run_it("--help").stdout.decode()
        with open(os.path.join(SOURCE, "papi_compare.1"), encoding="utf-8") as file:
            page = {word for line in file if line.startswith(".It Fl") for word in re.findall(r"Fl -(\S+)", line)}
        self.assertEqual(page, {word for word in re.findall(r"^ .*?--([a-z-]+)", text, re.M)})


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
