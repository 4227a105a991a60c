# SPDX-License-Identifier: BSD-3-Clause
"""What is sampled: functions by their work, threads and children apart, libraries by time, callers, totals."""
import json
import os
import re
import shutil
import subprocess

from capture_harness import BURNER, CaptureTest, main, PAGE_FAULTS, symbols, WORKERS


class Truth(CaptureTest):
    def test_functions_by_their_work(self):
        store, result = self.profile(BURNER, "split")
        total = store.sum()
        self.assert_burnt(store)
        self.assertRegex(result.stderr, rf"^papi_profile: {total:,} samples of perf::TASK-CLOCK|PAPI_TOT_CYC "
                                        r"\(0 lost\) in \d+\.\d{3} s of ")
        self.assertIn("papi_profile report, or profometer\n", result.stderr)

    def test_totals(self):
        store, result = self.profile("-e", "perf::TASK-CLOCK", BURNER, "split")
        used = sum(map(int, result.stdout.split()))
        # A timer that comes late, because another machine has the processor, is skipped.
        self.assertGreater(store.sum("value"), 0.75 * used)
        self.assertLess(store.sum("value"), 1.05 * used + 20e6)
        self.assertEqual([store.events[0][name] for name in ("unit", "kind", "frequency", "period", "user")],
                         ["ns", "sampled", 999, None, 1])

    def test_run(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "split")
        self.assertEqual(json.loads(store.run["command"]), [BURNER, "split"])
        self.assertEqual(store.run["directory"], self.directory)
        self.assertRegex(store.run["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual((store.run["kernel"], store.run["source"], store.run["status"], store.run["lost"]),
                         (os.uname().release, "sampled", 0, 0))
        self.assertGreater(store.run["seconds"], 0.25)
        self.assertEqual(json.loads(store.processes[0]["command"]), [BURNER, "split"])

    def test_the_programs_own_file(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "split")
        module = [module for module in store.modules if module["path"] == os.path.realpath(BURNER)]
        self.assertEqual([module["kind"] for module in module], ["file"])
        notes = subprocess.run(["readelf", "-n", BURNER], capture_output=True, text=True, check=True).stdout
        found = re.search(r"Build ID: ([0-9a-f]+)", notes)
        self.assertEqual(module[0]["build_id"], found[1] if found else None)

    def test_page_faults_one_by_one(self):
        store, _ = self.profile("-e", PAGE_FAULTS, "-c", "1", BURNER, "pages", "1000")
        self.assertEqual(store.of_function("touch"), 1000)
        self.assertEqual(store.sum(), store.sum("value"))
        self.assertEqual([store.events[0][name] for name in ("unit", "frequency", "period")], ["", None, 1])

    def test_several_events(self):
        store, _ = self.profile("-e", f"perf::TASK-CLOCK,{PAGE_FAULTS}", "-c", "50000", BURNER, "split")
        self.assertEqual([event["name"] for event in store.events], ["perf::TASK-CLOCK", PAGE_FAULTS])
        self.assertGreater(store.sum(event="perf::TASK-CLOCK"), 500)
        # There are not so many.
        self.assertEqual(store.sum(event=PAGE_FAULTS), 0)

    def test_perf_record_sees_the_same(self):
        perf = shutil.which("perf")
        record = [perf, "record", "-q", "-e", "task-clock", "-F", "999", "-o", self.path("perf.data"), "--", BURNER,
                  "split"]
        if not perf or subprocess.run(record, capture_output=True, check=False).returncode != 0:
            self.skipTest("there is no perf that may record here")
        script = subprocess.run([perf, "script", "-i", self.path("perf.data"), "-F", "ip,sym"], capture_output=True,
                                text=True, check=True).stdout
        theirs = [line.split()[1] for line in script.splitlines() if len(line.split()) > 1]
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "split")
        long, short = (theirs.count(name) for name in ("burn_long", "burn_short"))
        found = store.of_function("burn_long")
        self.assert_share(found, found + store.of_function("burn_short"), long / (long + short))


class Parts(CaptureTest):
    def test_threads(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "threads")
        self.assertEqual(sorted(thread["name"] for thread in store.threads), ["burner", "long"])
        self.assert_burnt(store, thread="long")
        self.assertEqual(store.of_function("burn_long", thread="burner"), 0)
        self.assertEqual(store.of_function("burn_short", thread="long"), 0)

    def test_children(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "fork")
        parent, child = store.processes
        self.assertEqual((child["parent"], child["name"]), (parent["id"], "burner"))
        self.assert_burnt(store, pid=child["pid"])
        self.assertEqual(store.of_function("burn_long", pid=parent["pid"]), 0)
        self.assertEqual(store.of_function("burn_short", pid=child["pid"]), 0)

    def test_program_that_executes_another(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "exec")
        self.assertEqual(len(store.processes), 1)
        self.assertEqual(json.loads(store.processes[0]["command"]), ["short long", "long"])
        self.assert_burnt(store)

    def test_libraries_that_are_unloaded(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "library", *WORKERS)
        for path in WORKERS:
            self.assert_share(store.of_function("work", path), sum(store.of_function("work", one) for one in WORKERS),
                              0.5)

    def test_code_of_no_file(self):
        for words, kind in ((["anonymous"], "anonymous"), (["anonymous", "map"], "jit")):
            store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, *words)
            pid = store.processes[0]["pid"]
            self.addCleanup(lambda path: os.path.exists(path) and os.remove(path), f"/tmp/perf-{pid}.map")
            module = [module for module in store.modules if module["kind"] == kind]
            self.assertEqual([module["process"] for module in module], [store.processes[0]["id"]], store.modules)
            self.assertGreater(store.sum(kind=kind), 0.7 * store.sum())


class Callers(CaptureTest):
    def functions(self, store, row):
        """The callers of a sample in this program, outermost first."""
        names = []
        for path, offset in store.path_of(row["context"]):
            if path == os.path.realpath(BURNER):
                names += [name for name in ("outer", "middle", "inner")
                          if self.symbols[name][0] <= offset < self.symbols[name][1]]
        return names

    def setUp(self):
        super().setUp()
        self.symbols = symbols(BURNER)

    def test_frame_pointers(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", BURNER, "path")
        low, high = self.symbols["burn_short"]
        rows = [row for row in store.samples if low <= row["offset"] < high and row["path"].endswith("burner")]
        right = sum(row["samples"] for row in rows if self.functions(store, row) == ["outer", "middle", "inner"])
        # In its first and last instructions a function has no frame of its own.
        self.assert_share(right, sum(row["samples"] for row in rows), 0.98)

    def test_none(self):
        store, _ = self.profile("-e", "perf::TASK-CLOCK", "-g", "none", BURNER, "path")
        self.assertEqual((store.contexts, {row["context"] for row in store.samples}), ({}, {0}))


if __name__ == "__main__":
    if not shutil.which("nm") or not shutil.which("readelf"):
        print("nm and readelf are not here (Debian package binutils)")
        raise SystemExit(77)
    main()
