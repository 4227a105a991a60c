# SPDX-License-Identifier: BSD-3-Clause
"""What tools/dev/summary.py says of tests that passed, were skipped, and failed: test_summary.py SUMMARY"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SUMMARY = os.path.abspath(sys.argv.pop(1))
PYTHON = """test_sum (__main__.Sums.test_sum) ... FAIL

======================================================================
FAIL: test_sum (__main__.Sums.test_sum)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "sums.py", line 7, in test_sum
    self.assertEqual(one + one, 3)
AssertionError: 2 != 3
%s
----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (failures=1)
"""


class SummaryTest(unittest.TestCase):
    def summary(self, *results, words=(), files=None):
        """Its exit status and lines for these results, each (name, result, stdout, stderr)."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "build"))
            for name, text in (files or {}).items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            with open(os.path.join(folder, "build/log.json"), "w", encoding="utf-8") as log:
                for name, result, *texts in results:
                    streams = {key: text for key, text in zip(("stdout", "stderr"), texts) if text is not None}
                    log.write(json.dumps({"name": name, "result": result, **streams}) + "\n")
            done = subprocess.run([sys.executable, SUMMARY, *words, "build/log.json"], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertTrue(done.stdout.endswith("\n"))
        return done.returncode, done.stdout.splitlines()

    def test_nothing_failed(self):
        status, lines = self.summary(("a", "OK", "x"), ("b", "SKIP", "first\nno counters\n\n"), ("c", "EXPECTEDFAIL"),
                                     words=("--passed", "2", "--skipped", "1"))
        self.assertEqual(lines, ["skipped: build: b: no counters", "4 passed, 0 failed, 2 skipped"])
        self.assertEqual(status, 0)

    def test_nothing_passed(self):
        self.assertEqual(self.summary(("b", "SKIP", "why")), (1, ["skipped: build: b: why",
                                                                   "0 passed, 0 failed, 1 skipped"]))

    def test_no_log(self):
        status, lines = self.summary(words=("--passed", "1"))
        self.assertEqual(lines[:3], ["failed:  build: no test ran", "---- build: no test ran",
                                     "  build/log.json is empty"])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_failed_ones_come_last(self):
        status, lines = self.summary(("a", "FAIL", "wrong"), ("b", "SKIP", "why"), ("c", "TIMEOUT", "", "slow"))
        self.assertEqual(lines, ["skipped: build: b: why", "failed:  build: a (FAIL)", "failed:  build: c (TIMEOUT)",
                                 "---- build: a (FAIL)", "  wrong", "---- build: c (TIMEOUT)", "  slow",
                                 "0 passed, 2 failed, 1 skipped"])
        self.assertEqual(status, 1)

    def test_assertion_of_python(self):
        _, lines = self.summary(("a", "FAIL", "of stdout\n", PYTHON % "+ 2\n- 3"))
        self.assertEqual(lines[-4:], ["  AssertionError: 2 != 3", "  + 2", "  - 3", "0 passed, 1 failed, 0 skipped"])
        self.assertIn("    File \"sums.py\", line 7, in test_sum", lines)
        self.assertNotIn("  FAILED (failures=1)", lines)

    def test_assertion_before_a_long_difference(self):
        _, lines = self.summary(("a", "FAIL", None, PYTHON % "\n".join(f"+ {n}" for n in range(100))))
        self.assertIn("  AssertionError: 2 != 3", lines)
        self.assertIn("  + 99", lines)
        self.assertLessEqual(len(lines), 18)

    def test_what_failed_among_what_did_not(self):
        """A corpus goes on after a program that was wrong."""
        said = [f"ok       {n}" for n in range(300)]
        said[40:41] = ["FAILED   tar", "           status: 0 natively, 1 counted"]
        _, lines = self.summary(("a", "FAIL", "\n".join(said)))
        place = lines.index("  FAILED   tar")
        self.assertEqual(lines[place + 1], "             status: 0 natively, 1 counted")
        self.assertEqual(lines[-2], "  ok       299")

    def test_many_share_the_room(self):
        long = "\n".join(f"line {n}" for n in range(100))
        for number in (1, 2, 4):
            _, lines = self.summary(*((f"t{n}", "FAIL", long) for n in range(number)))
            shown = lines[lines.index("---- build: t0 (FAIL)"):]
            self.assertLessEqual(len(shown), 30)
            self.assertEqual(shown.count("  line 99"), number)
            self.assertEqual(shown.count("  line 95"), number)
        _, lines = self.summary(*((f"t{n}", "FAIL", long) for n in range(20)))
        self.assertEqual(lines.count("  line 95"), 20)
        self.assertEqual(lines[-1], "0 passed, 20 failed, 0 skipped")

    def test_lines_are_lines(self):
        """What would move the cursor, or is no text at all, is shown as numbers; what is long is cut."""
        text = "\x1b[31mred\a\x9b\r50%\n" + "x" * 1000 + "\n\ttab \ud800 \u2028 \u00fc\n"
        _, lines = self.summary(("a", "FAIL", text))
        self.assertEqual(lines[-4], r"  \x1b[31mred\x07\x9b\x0d50%")
        self.assertEqual(lines[-3], "  " + "x" * 196 + " ...")
        self.assertEqual(lines[-2], "      tab \\ud800 \\u2028 \u00fc")

    def test_what_has_no_log(self):
        status, lines = self.summary(("a", "OK"), words=("--failed", "build-clang", "--failed", "cppcheck"),
                                     files={"build-clang.output": "a.c:1: error: no\n"})
        self.assertEqual(lines[:4], ["failed:  build-clang", "failed:  cppcheck", "---- build-clang",
                                     "  a.c:1: error: no"])
        self.assertIn("No such file", lines[-2])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 2 failed, 0 skipped"))

    def test_silent(self):
        _, lines = self.summary(("a", "FAIL"))
        self.assertEqual(lines[-2], "  it says nothing")


if __name__ == "__main__":
    unittest.main(verbosity=2)
