# SPDX-License-Identifier: BSD-3-Clause
"""The plugin of pytest: verdicts, the baseline, the table, and what it refuses."""
import json
import os
import shutil

from python_harness import ProgramTest, main, need_virtual, run

TESTS = """
import os, pytest

WHOLE, PART = int(os.environ.get("WHOLE", "1000")), int(os.environ.get("PART", "20"))

def add(number):
    total = 0.0
    for _ in range(number):
        total += 1.5
    return total

@pytest.mark.papi_limit(PAPI_FP_OPS="1%")
def test_whole():
    add(WHOLE)

@pytest.mark.papi_limit({"PAPI_FP_OPS": "+5"})
def test_part(papi_count):
    add(77)
    with papi_count:
        add(10)
    with papi_count:
        add(PART)
    assert papi_count["PAPI_FP_OPS"] >= 20

def test_free(papi_count):
    with papi_count("PAPI_FP_OPS") as c:
        add(3)
    assert c["PAPI_FP_OPS"] == 3

@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.papi_limit(PAPI_FP_OPS="0%")
def test_parameters(number):
    add(number)
"""


class Plugin(ProgramTest):
    def setUp(self):
        super().setUp()
        try:
            import pytest  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        except ImportError:
            self.skipTest("there is no pytest here (python3-pytest)")
        need_virtual()
        self.write("test_it.py", TESTS)
        self.write("pytest.ini", "[pytest]\n")
        self.baseline = os.path.join(self.directory, "papi-baseline.json")

    def pytest(self, *arguments, status=0, prefix=(), **environment):
        result = run(*prefix, "-m", "pytest", "-p", "papi.pytest_plugin", "-p", "no:cacheprovider", *arguments,
                     DIRECTORY=self.directory, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", COLUMNS="80", NO_COLOR="1",
                     **environment)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        return result.stdout + result.stderr

    def sentences(self, *arguments, **options):
        """The output without its line ends."""
        return " ".join(self.pytest(*arguments, **options).split())

    def rows(self, output):
        """The table: what is before, now, the change, the limit and the verdict, by test."""
        found = {}
        for line in output.splitlines():
            cells = line.split()
            if line.startswith("PAPI_") and cells and cells[-1].startswith("test_"):
                found[cells[-1]] = cells[1:-1]
        return found

    def content(self):
        with open(self.baseline, encoding="utf-8") as file:
            return json.load(file)

    def test_verdicts(self):
        output = self.sentences(status=1)
        self.assertIn("PAPI_FP_OPS: 1,000, and the baseline has none for this test: accept it with --papi-update",
                      output)
        self.assertFalse(os.path.exists(self.baseline))
        self.assertIn("papi-baseline.json: commit it", self.pytest("--papi-update"))
        self.assertEqual(self.rows(self.pytest()), {
            "test_whole": ["1,000", "1,000", "+0", "%", "1%", "same"],
            "test_part": ["30", "30", "+0", "%", "+5", "same"],
            "test_parameters[1]": ["1", "1", "+0", "%", "0%", "same"],
            "test_parameters[2]": ["2", "2", "+0", "%", "0%", "same"]})
        for whole, part, verdicts, status in ((1010, 25, ("more", "more"), 0), (1011, 20, ("over", "same"), 1),
                                              (1000, 26, ("same", "over"), 1), (5, 19, ("less", "less"), 0)):
            rows = self.rows(self.pytest(WHOLE=str(whole), PART=str(part), status=status))
            self.assertEqual((rows["test_whole"][-1], rows["test_part"][-1]), verdicts)
        self.assertIn("is over the limit of 1%; if that is meant", self.sentences(WHOLE="2000", status=1))

    def test_an_update_keeps_what_did_not_run(self):
        self.pytest("--papi-update")
        self.pytest("--papi-update", "-k", "whole", WHOLE="5000")
        counts = {name.partition("::")[2]: test["events"]["PAPI_FP_OPS"]["count"]
                  for name, test in self.content()["tests"].items()}
        self.assertEqual(counts, {"test_whole": 5000, "test_part": 30, "test_parameters[1]": 1,
                                  "test_parameters[2]": 2})
        self.assertEqual(os.stat(self.baseline).st_mode & 0o777, 0o666 & ~self.umask())

    @staticmethod
    def umask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_another_interpreter_component_or_processor(self):
        self.pytest("--papi-update")
        good = self.content()
        for change, words in ((lambda test: test.update(python="2.7"), "the baseline is of Python 2.7"),
                              (lambda test: test["events"]["PAPI_FP_OPS"].update(component="perf_event"),
                               "the component perf_event counted the baseline"),
                              (lambda test: test["events"]["PAPI_FP_OPS"].update(worth="estimated"),
                               "the baseline is estimated, and what is counted here is exact")):
            changed = json.loads(json.dumps(good))
            for test in changed["tests"].values():
                change(test)
            self.write("papi-baseline.json", json.dumps(changed))
            self.assertIn(words, self.sentences("-k", "whole", status=1))
        changed = json.loads(json.dumps(good))
        for test in changed["tests"].values():
            test["cpu"] = "Another"
        self.write("papi-baseline.json", json.dumps(changed))
        self.pytest()  # exact counts do not depend on it

    def test_modelled_counts_need_the_same_processor_and_caches(self):
        self.write("test_it.py", "import pytest\n@pytest.mark.papi_limit(PAPI_L1_DCM='1000%')\n"
                                 "def test_a():\n    sum(range(1000))\n")
        self.pytest("--papi-update")
        self.pytest()
        self.assertIn("of PAPI_VPMU_CACHE", self.sentences(status=1, PAPI_VPMU_CACHE="L1D=16K/4/64"))
        changed = self.content()
        for test in changed["tests"].values():
            test["cpu"] = "Another"
        self.write("papi-baseline.json", json.dumps(changed))
        self.assertIn("of the processor 'Another'", self.sentences(status=1))

    def test_a_test_that_fails_is_no_matter_of_counts(self):
        self.write("test_it.py", TESTS + "\n@pytest.mark.papi_limit(PAPI_FP_OPS='1%')\n"
                                         "def test_fails():\n    assert add(1) == 0\n")
        output = self.pytest("--papi-update", "-k", "fails", status=1)
        self.assertIn("assert 1.5 == 0", output)
        self.assertFalse(os.path.exists(self.baseline))

    def test_files_of_others(self):
        for text, words in (("", "cannot read the baseline"), ("[]", "no baseline of papi"), ("{", "cannot read"),
                            ('{"papi_run_save": 1}', "a file of papi_run --save"),
                            ('{"papi_pytest": 2, "papi_version": "9.9"}', "PAPI 9.9 has written this, in format 2"),
                            ('{"papi_pytest": 1, "tests": []}', '"tests" should be an object'),
                            ('{"papi_pytest": 1, "tests": {"a": {"events": {"X": {"count": "1"}}}}}', "of 'a'"),
                            ("[" * 100000, "cannot read the baseline")):
            self.write("papi-baseline.json", text)
            output = self.pytest(status=4)
            self.assertIn(words, output)
            self.assertEqual(len(output.strip().splitlines()), 1, output)

    def test_markers_that_make_no_sense(self):
        for marker, words in (("PAPI_FP_OPS='1'", "'1' is no limit"), ("PAPI_FP_OPS=1", "1 is no limit"),
                              ("'PAPI_FP_OPS'", "papi_limit takes EVENT"), ("PAPI_FP_OPS='-1%'", "is no limit")):
            self.write("test_it.py", f"import pytest\n@pytest.mark.papi_limit({marker})\ndef test_a():\n    pass\n")
            self.assertIn(words, self.pytest(status=4))

    def test_what_cannot_be_counted_fails(self):
        self.write("test_it.py", "import pytest\n@pytest.mark.papi_limit(PAPI_NOTHING='1%')\ndef test_a():\n    pass\n"
                                 "@pytest.mark.papi_limit(PAPI_FP_OPS='1%')\ndef test_b(papi_count):\n    pass\n")
        output = self.sentences(status=1)
        self.assertIn('no event is named "PAPI_NOTHING"', output)
        self.assertIn("has limits, and counted nothing", output)

    def test_without_the_library(self):
        self.write("test_it.py", "def test_a():\n    pass\n")
        self.pytest(PAPI_LIBRARY="/nonexistent")
        self.write("test_it.py", TESTS)
        self.assertIn("papi cannot count without its library", self.pytest(status=1, PAPI_LIBRARY="/nonexistent"))

    def test_a_baseline_elsewhere(self):
        self.write("pytest.ini", "[pytest]\npapi_baseline = counts.json\n")
        self.pytest("--papi-update")
        self.assertTrue(os.path.exists(os.path.join(self.directory, "counts.json")))
        self.pytest("--papi-baseline", "other.json", status=1)
        self.assertIn("cannot write the baseline", self.pytest("--papi-baseline", "no/such.json", "--papi-update",
                                                               status=4))

    def test_strict_markers_and_reports_of_junit(self):
        self.pytest("--papi-update", "--strict-markers", "--junitxml", "report.xml")
        with open(os.path.join(self.directory, "report.xml"), encoding="utf-8") as file:
            self.assertIn("PAPI_FP_OPS", file.read())

    def test_hardly_any_noise(self):
        """Where nothing is random, a limit of 0.1 % holds in every run, and a little more work exceeds it."""
        if not shutil.which("setarch"):
            self.skipTest("there is no setarch here")
        self.write("test_it.py", "import os, pytest\nNUMBER = int(os.environ.get('WHOLE', 1000))\n"
                                 "@pytest.mark.papi_limit(PAPI_TOT_INS='0.1%')\ndef test_a():\n"
                                 "    names = {str(i): i for i in range(NUMBER)}\n    assert sorted(names)\n")
        self.pytest("--papi-update", PYTHONHASHSEED="random")
        self.assertIn("setarch -R", self.pytest("--papi-update", PYTHONHASHSEED="random"))
        self.write("fixed.py", "import os, subprocess, sys\n"
                               "sys.exit(subprocess.call(['setarch', '-R', sys.executable, *sys.argv[1:]]))\n")
        fixed = {"prefix": ("fixed.py",), "PYTHONHASHSEED": "0"}
        output = self.pytest("--papi-update", **fixed)
        if "setarch -R" in output or "setarch:" in output:
            self.skipTest("this machine does not let address randomization be switched off")
        for _ in range(5):
            self.pytest(**fixed)
        self.assertEqual(self.rows(self.pytest(WHOLE="1003", status=1, **fixed))["test_a"][-1], "over")


if __name__ == "__main__":
    main()
