# SPDX-License-Identifier: BSD-3-Clause
"""Raw data of an exact profile that papi_profile has left, since it was killed or could not write, becomes one."""
import glob
import os
import shutil
import signal
import sqlite3
import subprocess

import test_exact
from capture_harness import main, PAPI_PROFILE
from test_exact import ENVIRONMENT, Exact, INSTRUCTIONS, LOADS, SUBJECT

setUpModule = test_exact.setUpModule
# Works, and does so again when it hears of it.
PROGRAM = ["sh", "-c", f"{SUBJECT} copy; echo ready; read line; {SUBJECT} copy; echo done"]
ROWS = """SELECT m.path, a.offset, event.name, sum(value) FROM count JOIN address AS a ON a.id = address
    JOIN module AS m ON m.id = a.module JOIN event ON event.id = event WHERE m.path = ? GROUP BY 1, 2, 3"""


def rows(path, sql, *values):
    connection = sqlite3.connect(path)
    found = connection.execute(sql, values).fetchall()
    connection.close()
    return found


class Left(Exact):
    def killed(self, *options):
        """The directory that is left, and what was to be the profile. Each look at the time of day finds another."""
        jumping = {**ENVIRONMENT, "LD_PRELOAD": os.environ["PAPI_JUMPING_CLOCK"]}
        with subprocess.Popen([PAPI_PROFILE, "-x", "-e", f"{INSTRUCTIONS},{LOADS}", *options, "-o", "lost.db",
                               *PROGRAM], cwd=self.directory, env=jumping, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as profile:
            self.assertEqual(profile.stdout.readline(), "ready\n")
            profile.kill()
            self.assertEqual(profile.wait(), -signal.SIGKILL)
            profile.stdin.write("\n")
            profile.stdin.flush()
            self.assertEqual(profile.stdout.read(), "done\n")
        found = glob.glob(self.path("papi_profile.raw.*"))
        self.assertEqual(len(found), 1)
        self.addCleanup(shutil.rmtree, found[0], ignore_errors=True)
        return os.path.basename(found[0]), self.path("lost.db")

    def imported(self, directory, status=0):
        """Also where presets are counted by something else now."""
        result = self.run_it("import", "-o", "found.db", directory, env={**os.environ, "PAPI_VPMU": "off"})
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        return result.stderr

    def test_killed(self):
        """The program goes on to its end, and is counted to it."""
        directory, lost = self.killed()
        self.assertIn(f"the raw data is still in {directory}", self.imported(directory))
        self.run_it("-x", "-e", f"{INSTRUCTIONS},{LOADS}", "-o", "whole.db", *PROGRAM, env=ENVIRONMENT)
        subject = os.path.realpath(SUBJECT)
        expected = rows(self.path("whole.db"), ROWS, subject)
        self.assertGreater(sum(value for *_, value in expected), 2 * 4507)
        self.assertEqual(rows(self.path("found.db"), ROWS, subject), expected)
        self.assertEqual(rows(self.path("found.db"), "SELECT command, directory, started, status FROM run"),
                         [*((command, where, started, None) for command, where, started in
                            rows(lost, "SELECT command, directory, started FROM run"))])
        result = self.run_it("callers", "branch", "found.db")
        self.assertRegex(result.stdout, r"(?m)^ +2 +9014 +100.00%  branch\n +2 +9014 +100.00%    main\n")
        # Who looks at what was to be it hears of that.
        result = self.run_it("report", "lost.db")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("papi_profile import", result.stderr)

    def test_contexts(self):
        directory, _ = self.killed("--contexts")
        self.imported(directory)
        result = self.run_it("export", "--folded", "found.db")
        self.assertRegex(result.stdout, r"(?m);main;branch 9014$")

    def test_store_that_cannot_be_written(self):
        """Somebody reads it until papi_profile has no more patience."""
        with subprocess.Popen([PAPI_PROFILE, "-x", "-e", INSTRUCTIONS, "-o", "lost.db", *PROGRAM],
                              cwd=self.directory, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as profile:
            self.assertEqual(profile.stdout.readline(), "ready\n")
            reader = sqlite3.connect(self.path("lost.db"), isolation_level=None)
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM run").fetchall()
            _, told = profile.communicate("\n")
            reader.close()
        self.assertEqual(profile.returncode, 125, told)
        self.assertIn("the raw data stays in ", told)
        self.assertNotIn("to look at them", told)
        directory = glob.glob(self.path("papi_profile.raw.*"))[0]
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        self.imported(directory)
        self.assertRegex(self.run_it("report", "found.db").stdout, r"(?m)^ *9014 .* branch ")

    def test_refused(self):
        """Directories of something else, and labels that are cut off or make no sense."""
        directory, _ = self.killed()
        label = os.path.join(self.path(directory), "label")
        with open(label, "rb") as file:
            whole = file.read()
        texts = whole.split(b"\0")
        self.assertEqual(texts[6:9], [b"2", INSTRUCTIONS.encode(), LOADS.encode()])
        for text in (b"", whole[:-1], whole[:40], b"papi_profile raw data 2" + whole[len(texts[0]):],
                     b"\0".join(texts[:9]) + b"\0", b"\0".join([*texts[:6], b"99", *texts[7:]]),
                     b"\0".join([*texts[:6], b"0", *texts[7:]]), b"\0".join([*texts[:6], b"-1", *texts[7:]])):
            with self.subTest(text=text):
                with open(label, "wb") as file:
                    file.write(text)
                self.assertIn("holds no raw data", self.imported(directory, 125))
        os.unlink(label)
        self.assertIn("holds no raw data", self.imported(directory, 125))
        self.assertIn("holds no raw data", self.imported(".", 125))
        # Events that no virtual PMU counts.
        with open(label, "wb") as file:
            file.write(whole.replace(LOADS.encode(), b"PAPI_NOTHING"))
        self.assertIn("PAPI_NOTHING", self.imported(directory, 2))
        with open(label, "wb") as file:
            file.write(whole)
        with open(self.path("found.db"), "w", encoding="ascii") as file:
            file.write("something else")
        self.assertIn("is no profile", self.imported(directory, 125))


del Exact  # whose tests are its own file's

if __name__ == "__main__":
    main()
