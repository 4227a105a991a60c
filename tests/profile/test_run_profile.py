# SPDX-License-Identifier: BSD-3-Clause
"""papi_run --profile: counts as ever, the five hottest lines, and a profile of the program alone."""
import json
import os
import re
import shutil
import signal
import subprocess

from capture_harness import BURNER, CaptureTest, main, PAPI_PROFILE, Store, TOOLS

PAPI_RUN = os.path.join(TOOLS, "papi_run")


class RunProfile(CaptureTest):
    def papi_run(self, *arguments, tool=PAPI_RUN, **how):
        return subprocess.run([tool, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, check=False, **how)

    def test_counts_and_lines(self):
        result = self.papi_run("--profile", BURNER, "split")
        self.assertEqual(result.returncode, 0, result.stderr)
        counts, lines = result.stderr.split(" elapsed\n")
        self.assertRegex(counts, r"(?m)^perf::TASK-CLOCK +[\d.]+ +ms +exact")
        rows = re.findall(r"(?m)^ *\d+ +±?\d* .*%  (\S.*)$", lines)
        self.assertGreater(len(rows), 0)
        self.assertLessEqual(len(rows), 5)
        self.assertIn("burner", rows[0])
        store = Store(self.path())
        self.assert_whole(store)
        self.assertEqual(json.loads(store.run["command"]), [BURNER, "split"])
        self.assert_burnt(store)
        # Nothing of what papi_run was before it became the program.
        self.assertEqual([process["name"] for process in store.processes], ["burner"])
        self.assertNotIn("papi_run", [os.path.basename(module["path"]) for module in store.modules])

    def test_children_and_exit_status(self):
        result = self.papi_run("--profile", "-e", "perf::PAGE-FAULTS", "sh", "-c", f"{BURNER} split; exit 3")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("exit status 3", result.stderr)
        self.assertIn("burner", {process["name"] for process in Store(self.path()).processes})

    def test_output_in_a_file(self):
        result = self.papi_run("--profile", "-o", "report", BURNER, "split")
        with open(self.path("report"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(" elapsed\n", text)
        self.assertIn("Self", text)
        self.assertNotIn("Self", result.stderr)

    def test_a_program_that_a_signal_ends(self):
        process = subprocess.Popen([PAPI_RUN, "--profile", BURNER, "forever"], cwd=self.directory,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.wait_until(lambda: self.written() > 0, "samples")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGTERM)
        store = Store(self.path())
        self.assert_whole(store)
        self.assertGreater(store.of_function("burn_long"), 0)


class Refused(CaptureTest):
    NEEDS_PERMISSION = False

    def refused(self, status, words, *arguments, tool=PAPI_RUN, **how):
        result = subprocess.run([tool, *arguments, "touch", self.path("ran")], cwd=self.directory, text=True,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_what_does_not_go_together(self):
        self.refused(2, "leave out -r", "--profile", "-r", "2")
        self.refused(2, "leave out --format csv", "--profile", "--format", "csv")

    def test_without_papi_profile(self):
        shutil.copy(PAPI_RUN, self.path("papi_run"))
        self.refused(125, "--profile needs ", "--profile", tool=self.path("papi_run"),
                     env={**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(TOOLS), "src")})

    def test_ready_is_for_a_process_and_a_program(self):
        for arguments in (["--ready", "1", "true"], ["--ready", "1", "-p", "1"], ["--ready", "x", "-p", "1", "true"]):
            result = subprocess.run([PAPI_PROFILE, *arguments], cwd=self.directory, capture_output=True, text=True,
                                    timeout=60, check=False)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("--ready", result.stderr)


if __name__ == "__main__":
    main()
