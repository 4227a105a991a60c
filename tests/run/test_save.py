# SPDX-License-Identifier: BSD-3-Clause
"""papi_run --save: the file for papi_compare, written whole or not at all; and what --reproducible makes the same."""
import json
import os
import re
import shutil
import stat
import subprocess
import unittest

from run_harness import HELPERS, main, PAGE_FAULTS, PAPI_RUN, RunTest, TASK_CLOCK

STACK = os.path.join(HELPERS, "stack")
LOOPER = os.path.join(HELPERS, "looper")
INSTRUCTIONS = "vpmu:::INSTRUCTIONS"
KEYS = ["papi_run_save", "papi_version", "when", "machine", "models", "command", "directory", "reproducible",
        "environment", "modules", "inputs", "repeats", "exit_status", "signal", "elapsed_ns", "user_ns", "system_ns",
        "slowed_by_counting", "processes", "metrics", "findings", "events"]
EVENT_KEYS = ["name", "unit", "kind", "counts", "interval", "domain", "virtual", "rate", "enabled_ns", "running_ns",
              "partial", "error"]


def all_numbers(value):
    """Every number in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in all_numbers(part)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


class Save(RunTest):
    def save(self, *arguments, status=0, **how):
        path = self.path("saved.json")
        result = self.run_it("--save", path, "-o", self.path("report"), *arguments, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual(list(saved), KEYS)
        for event in saved["events"]:
            self.assertEqual(list(event), EVENT_KEYS)
        self.assertEqual([name for name in os.listdir(self.directory) if name.endswith(".tmp")], [])
        return saved

    def test_every_count_of_every_run(self):
        saved = self.save("-r", "3", "-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "true", "a b")
        self.assertEqual((saved["papi_run_save"], saved["repeats"], saved["command"]), (1, 3, ["true", "a b"]))
        self.assertEqual(saved["directory"], os.getcwd())
        self.assertRegex(saved["when"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        for event in saved["events"]:
            self.assertEqual(len(event["counts"]), 3)
            self.assertTrue(all(count > 0 for count in event["counts"]))
        self.assertTrue(all(isinstance(number, int) for number in all_numbers(saved)))
        self.assertEqual((saved["exit_status"], saved["signal"], saved["reproducible"]), (0, None, False))

    def test_an_event_that_is_not_counted_has_its_reason(self):
        saved = self.save("--best-effort", "-e", f"perf::NO-SUCH-EVENT,{PAGE_FAULTS}", "true")
        self.assertEqual((saved["events"][0]["counts"], saved["events"][0]["kind"]), ([], None))
        self.assertIn("NO-SUCH-EVENT", saved["events"][0]["error"])

    def test_a_program_that_fails(self):
        self.assertEqual(self.save("-e", PAGE_FAULTS, "sh", "-c", "exit 3", status=3)["exit_status"], 3)
        saved = self.save("-e", PAGE_FAULTS, "sh", "-c", "kill -9 $$", status=137)
        self.assertEqual((saved["exit_status"], saved["signal"]), (137, 9))

    def test_modules(self):
        """The dynamic linker says which libraries there are; build-ids are those that readelf finds."""
        modules = self.save("-e", PAGE_FAULTS, LOOPER, "s", "10", status=7)["modules"]
        self.assertEqual(modules[0]["path"], LOOPER)
        self.assertTrue(any(re.search(r"/libc\.so|/ld-musl", module["path"]) for module in modules), modules)
        if not shutil.which("readelf"):
            return
        for module in modules:
            notes = subprocess.run(["readelf", "-nW", module["path"]], capture_output=True, text=True).stdout
            found = re.search(r"Build ID: ([0-9a-f]+)", notes)
            self.assertEqual(module["build_id"], found and found[1], module["path"])

    def test_a_script_has_the_modules_of_its_interpreter(self):
        script = self.script("#!/bin/sh\nexit 0\n")
        saved = self.save("-e", PAGE_FAULTS, script)
        self.assertEqual(saved["modules"][0]["path"], "/bin/sh")
        self.assertEqual([one["path"] for one in saved["inputs"]], [script])

    def test_inputs(self):
        """Files of the same content have the same hash, and others another."""
        for name, text in (("a", "one"), ("b", "one"), ("c", "two"), ("d", "")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        words = [self.path(name) for name in "abcd"]
        with open(self.path("c"), "rb") as stdin:
            inputs = self.save("-e", PAGE_FAULTS, "true", *words, "no file", "/", stdin=stdin)["inputs"]
        self.assertEqual([one["path"] for one in inputs], words + [None])
        self.assertEqual([one["bytes"] for one in inputs], [3, 3, 3, 0, 3])
        hashes = [one["hash"] for one in inputs]
        self.assertEqual((hashes[0], hashes[2]), (hashes[1], hashes[4]))
        self.assertNotEqual(hashes[0], hashes[2])
        self.assertIsNone(hashes[3])

    def test_environment(self):
        saved = self.save("-e", PAGE_FAULTS, "true", env=dict(os.environ, LC_TIME="C", SECRET="x", PYTHONHASHSEED="7"))
        self.assertEqual((saved["environment"]["LC_TIME"], saved["environment"]["PYTHONHASHSEED"]), ("C", "7"))
        self.assertNotIn("SECRET", saved["environment"])

    def test_any_bytes(self):
        saved = self.save("-e", PAGE_FAULTS, "true", b"\xff\x1b[31m\"\n", b"\xc3\xa9")
        self.assertEqual(saved["command"], ["true", "\ufffd\x1b[31m\"\n", "\u00e9"])

    def test_a_file_that_is_there_is_replaced(self):
        with open(self.path("saved.json"), "w", encoding="ascii") as file:
            file.write("old")
        os.chmod(self.path("saved.json"), 0o640)
        os.symlink("saved.json", self.path("link"))
        result = self.run_it("--save", self.path("link"), "-e", PAGE_FAULTS, "true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.path.islink(self.path("link")))
        with open(self.path("saved.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["command"], ["true"])
        self.assertEqual(stat.S_IMODE(os.stat(self.path("saved.json")).st_mode), 0o640)

    def test_where_it_cannot_be_written_nothing_is_run(self):
        for path, reason in ((self.directory, b"a directory"), ("/dev/null", b"no regular file"),
                             (self.path("no/such"), b"No such file or directory")):
            result = self.run_it("--save", path, "-e", PAGE_FAULTS, "touch", self.path("ran"))
            self.assertEqual(result.returncode, 125)
            self.assertIn(reason, result.stderr)
            self.assertIn(b"the program was not run", result.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_what_was_there_stays_when_there_is_no_room(self):
        with open(self.path("saved.json"), "w", encoding="ascii") as file:
            file.write("old")
        for program, status in (("true", 125), ("false", 1)):
            result = self.run_it("--save", self.path("saved.json"), "-e", PAGE_FAULTS, program,
                                 prefix=["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"])
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(b"--save: cannot write", result.stderr)
            self.assertEqual(os.listdir(self.directory), ["saved.json"])
            self.assertEqual(os.path.getsize(self.path("saved.json")), 3)

    def test_not_of_a_process_that_runs_already(self):
        result = self.run_it("--save", self.path("saved.json"), "-p", str(os.getpid()))
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"leave out --save", result.stderr)


class Same(RunTest):
    def setUp(self):
        super().setUp()
        result = self.run_it("--reproducible", "-e", PAGE_FAULTS, "true")
        if b"does not let address randomization be switched off" in result.stderr:
            self.skipTest("personality(2) is refused here")


class Reproducible(Same):
    """What --reproducible takes out of the counts: who runs the program, and where."""

    def test_the_stack_has_one_place(self):
        """Whatever the environment, the path and the words are."""
        places = set()
        longer = os.path.join(self.directory, "a", "longer", "path")
        os.makedirs(longer)
        copy = shutil.copy(STACK, longer)
        for program, *words in ([STACK], [STACK, "x"], [STACK, "xy", "z" * 99], [copy], [copy, "w"]):
            for more in ({}, {"A": ""}, {"LC_TIME": "C"}, {"LC_TIME": "C", "LANG": "C" * 7}, {"B": "y" * 100001}):
                result = self.run_it("--reproducible", "-e", PAGE_FAULTS, program, *words,
                                     env={"PATH": os.environ["PATH"], **more})
                places.add(result.stdout)
        self.assertEqual(len(places), 1, places)

    def test_the_stack_of_a_script(self):
        places = set()
        for name in ("s", "script_of_another_length"):
            path = self.path(name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!{STACK}\n")
            os.chmod(path, 0o755)
            for name_of_it in (path, os.path.join(self.directory, ".", name)):
                result = self.run_it("--reproducible", "-e", PAGE_FAULTS, name_of_it)
                self.assertRegex(result.stdout, rb"\A0x")
                places.add(result.stdout)
        self.assertEqual(len(places), 1, places)

    def test_variables(self):
        """Those that decide what programs do stay; of the others, those that are named; and there is no home."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "OMP_NUM_THREADS": "3", "USER": "me", "HOME": "/root",
                       "KEY": "1", "OTHER": "2"}
        result = self.run_it("--reproducible", "-e", PAGE_FAULTS, "env", env=environment)
        got = dict(line.split("=", 1) for line in result.stdout.decode().splitlines())
        self.assertEqual((got["LC_ALL"], got["OMP_NUM_THREADS"], got["HOME"]), ("C", "3", "/nonexistent"))
        self.assertEqual({"USER", "KEY", "OTHER"} & set(got), set())
        self.assertEqual(list(got), sorted(set(got) - {"PAPI_RUN_PADDING"}) + ["PAPI_RUN_PADDING"])
        self.assertIn(b"--reproducible left 4 variables out", result.stderr)
        result = self.run_it("--reproducible", "--keep-env", "KEY,HOME", "--keep-env", "NONE", "-e", PAGE_FAULTS,
                             "printenv", "KEY", "HOME", env=environment)
        self.assertEqual(result.stdout, b"1\n/root\n")
        self.assertIn(b"--reproducible left 2 variables out", result.stderr)

    def test_all_variables_without_it(self):
        result = self.run_it("-e", PAGE_FAULTS, "printenv", "KEY", env=dict(os.environ, KEY="1"))
        self.assertEqual(result.stdout, b"1\n")
        self.assertNotIn(b"left", result.stderr)

    def test_nonsense(self):
        for words, reason in ((("--keep-env", "A"), b"--keep-env goes with --reproducible"),
                              (("--reproducible", "--keep-env", "A=1"), b"not 'A=1'"),
                              (("--reproducible", "--keep-env", "A,,B"), b"not ',B'")):
            result = self.run_it(*words, "true")
            self.assertEqual(result.returncode, 2)
            self.assertIn(reason, result.stderr)


class Everywhere(Same):
    """Exact and modelled counts of programs that look through their environment."""

    def setUp(self):
        super().setUp()
        result = self.run_it("-e", INSTRUCTIONS, "true", env=dict(os.environ, PAPI_VPMU="always"))
        if b"component vpmu is disabled" in result.stderr or b"is not here" in result.stderr:
            self.skipTest(" ".join(result.stderr.decode().split()))

    def count(self, *command, prefix=(), **how):
        result = self.run_it("--reproducible", "--format", "csv", "-e", f"{INSTRUCTIONS},vpmu:::L1D_MISSES", *command,
                             prefix=prefix, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **how)
        return [line.split(",")[1] for line in result.stderr.decode().splitlines() if line.startswith("vpmu")]

    def test_the_same_count(self):
        longer = os.path.join(self.directory, "a", "longer", "path")
        os.makedirs(longer)
        environment = {"PATH": os.environ["PATH"], "PAPI_VPMU": "always", "LC_ALL": "C"}
        command = ("sort", "/etc/passwd")
        expected = self.count(*command, env=environment)
        self.assertEqual(len(expected), 2)
        self.assertTrue(all(int(number) > 0 for number in expected), expected)
        for how in ({"cwd": longer}, {"env": {**environment, "PWD": "/", "HOME": "/x", "USER": "somebody"}},
                    {"env": {**environment, **{f"V{i}": "x" * i for i in range(300)}}}):
            self.assertEqual(self.count(*command, **{"env": environment, **how}), expected, how)
        if os.geteuid() == 0 and shutil.which("setpriv"):
            nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            if subprocess.run([*nobody, PAPI_RUN, "--version"], capture_output=True).returncode == 0:
                self.assertEqual(self.count(*command, prefix=nobody, env=environment), expected)

    def test_the_same_count_of_a_copy(self):
        """A program that is called by the same words from another directory."""
        counts = []
        for directory in ("x", os.path.join("y", "longer", "path")):
            path = os.path.join(self.directory, directory)
            os.makedirs(path)
            shutil.copy(LOOPER, path)
            counts.append(self.count("./looper", "s", "1000", cwd=path))
        self.assertEqual(len(counts[0]), 2)
        self.assertEqual(counts[0], counts[1])


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
