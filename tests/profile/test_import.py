# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of PAPI_profil that a program has written become a profile; files that are none are refused."""
import json
import os
import resource
import signal
import sqlite3
import subprocess
import unittest

from capture_harness import CaptureTest, main, PAPI_PROFILE

HISTOGRAM = os.environ["PAPI_PROFILE_HISTOGRAM"]
EVENT, THRESHOLD = "PAPI_TOT_INS", 10007
ENVIRONMENT = {**os.environ, "PAPI_VPMU": "always"}


class ImportTest(CaptureTest):
    NEEDS_PERMISSION = False

    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.directory, "histograms.json")
        self.store = os.path.join(self.directory, "imported.db")

    def write(self, event=EVENT, threshold=THRESHOLD, **how):
        return subprocess.run([HISTOGRAM, event, str(threshold), self.file], capture_output=True, text=True,
                              check=False, env=ENVIRONMENT, **how)

    def written(self):
        result = self.write()
        if result.returncode == 77:
            self.skipTest(result.stderr)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)

    def run_import(self, *arguments):
        return subprocess.run([PAPI_PROFILE, "import", "-o", self.store, *arguments], capture_output=True, text=True,
                              check=False, cwd=self.directory)

    def import_file(self):
        result = self.run_import(self.file)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def query(self, text):
        base = sqlite3.connect(self.store)
        try:
            return base.execute(text).fetchall()
        finally:
            base.close()

    def report(self):
        result = subprocess.run([PAPI_PROFILE, "report", "--json", self.store], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)


class Profiles(ImportTest):
    def test_functions(self):
        written = self.written()
        result = self.import_file()
        histogram = written["histograms"][0]
        counts = [int(count) for region in histogram["regions"] for _, count in region["counts"]]
        self.assertEqual(sum(counts), histogram["delivered"])
        self.assertIn(f"{sum(counts)} samples", result.stderr)
        self.assertEqual(self.query("SELECT name, kind, period FROM event"), [(EVENT, "sampled", THRESHOLD)])
        self.assertEqual(self.query("SELECT sum(samples), sum(value) FROM count"),
                         [(sum(counts), sum(counts) * THRESHOLD)])
        rows = {row["name"]: row["values"][0]["value"] for row in self.report()["rows"]}
        # The virtual PMU takes a sample at each threshold, to the instruction.
        self.assertAlmostEqual(rows["thrice"] / rows["once"], 3, delta=0.02)
        self.assertGreater(rows["once"] + rows["thrice"], 0.98 * sum(counts) * THRESHOLD)

    def test_run(self):
        self.written()
        self.import_file()
        self.assertEqual(self.query("SELECT command, directory, source FROM run"),
                         [(json.dumps([HISTOGRAM, EVENT, str(THRESHOLD), self.file]), os.getcwd(), "sampled")])
        self.assertEqual(self.query("SELECT name FROM process"), [(os.path.basename(HISTOGRAM),)])
        paths = [os.path.realpath(path) for path, in self.query("SELECT path FROM module WHERE kind = 'file'")]
        self.assertIn(os.path.realpath(HISTOGRAM), paths)

    def test_all(self):
        """One bucket for all addresses: samples that are nowhere."""
        written = self.written()
        written["histograms"][0]["regions"] = [{"offset": "0x0", "scale": 2, "counts": [[0, "5"]]}]
        self.rewrite(written)
        self.import_file()
        self.assertEqual(self.query("SELECT kind, samples, value FROM count JOIN address ON address.id = address "
                                    "JOIN module ON module.id = module"), [("unknown", 5, 5 * THRESHOLD)])

    def rewrite(self, content):
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump(content, file)

    def test_full(self):
        written = self.written()
        written["histograms"][0]["regions"][0]["counts"][0][1] = str(2**32 - 1)
        written["histograms"][0]["lost"] = 3
        self.rewrite(written)
        self.assertIn("1 buckets of the histogram were full, and 3 samples were lost", self.import_file().stderr)
        self.assertIn("full", self.query("SELECT note FROM event")[0][0])

    def test_refused(self):
        good = self.written()
        bucket = good["histograms"][0]["regions"][0]["counts"][0]
        self.import_file()
        before = self.query("SELECT * FROM count")

        def changed(change):
            content = json.loads(json.dumps(good))
            change(content)
            return json.dumps(content)

        def histogram(content):
            return content["histograms"][0]

        for text, reason in (
                ("", "line 1"), ("{", "line 1"), ("[]", "not of PAPI_profil_write"),
                ('{"papi_run_save": 1}', "not of PAPI_profil_write"),
                (changed(lambda it: it.update(papi_profil=2)), "in format 2, and this papi_profile reads format 1"),
                (changed(lambda it: it.update(process_id=0)), '"process_id"'),
                (changed(lambda it: it.update(histograms=[])), "no histogram"),
                (changed(lambda it: it.pop("mappings")), '"mappings"'),
                (changed(lambda it: it["mappings"][0].update(end="0x0")), "ends before it begins"),
                (changed(lambda it: it["mappings"][0].update(start="-1")), "no number"),
                (changed(lambda it: histogram(it).update(threshold=0)), '"threshold"'),
                (changed(lambda it: histogram(it).update(bucket_bytes=9)), '"bucket_bytes"'),
                (changed(lambda it: histogram(it).pop("event")), "of no event"),
                (changed(lambda it: histogram(it)["regions"][0].update(scale=1)), '"scale"'),
                (changed(lambda it: histogram(it)["regions"][0].update(counts=[["a", "1"]])), "no position"),
                (changed(lambda it: histogram(it)["regions"][0].update(counts=[[1, 1]])), "no number in a text"),
                (changed(lambda it: histogram(it)["regions"][0].update(counts=[[0, str(2**64)]])), "no number"),
                (changed(lambda it: histogram(it)["regions"][0].update(counts=[bucket, [1, str(2**63)]])),
                 "more counts than")):
            with self.subTest(reason=reason, text=text[:40]):
                with open(self.file, "w", encoding="utf-8") as file:
                    file.write(text)
                result = self.run_import(self.file)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(reason, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
        # What was there stays.
        self.assertEqual(self.query("SELECT * FROM count"), before)

    def test_hostile(self):
        written = self.written()
        written["histograms"][0]["event"] = "a\x1b[31m\nb"
        written["mappings"][0]["path"] = "/x\x1b]0;title\x07"
        self.rewrite(written)
        result = self.import_file()
        report = subprocess.run([PAPI_PROFILE, "report", self.store], capture_output=True, check=False)
        for text in (result.stderr.encode(), report.stdout, report.stderr):
            self.assertNotIn(b"\x1b", text)

    def test_command_line(self):
        for arguments in ((), ("a", "b")):
            self.assertEqual(self.run_import(*arguments).returncode, 2)
        self.assertIn("No such file", self.run_import(self.file).stderr)


class Files(ImportTest):
    def test_nothing_is_lost(self):
        """A file that cannot be written whole leaves the one that is there, and nothing beside it."""
        self.written()
        with open(self.file, "rb") as file:
            before = file.read()

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        result = self.write(preexec_fn=small)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write " + self.file, result.stderr)
        with open(self.file, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(os.listdir(self.directory), [os.path.basename(self.file)])

    def test_nowhere(self):
        self.written()
        self.file = os.path.join(self.directory, "missing/file")
        result = self.write()
        self.assertEqual(result.returncode, 1)
        self.assertIn("No such file or directory", result.stderr)


if __name__ == "__main__":
    main()
