# SPDX-License-Identifier: BSD-3-Clause
"""What papi_profile refuses, each time with the reason and before the program runs; and what nobody may do."""
import os
import shutil
import sqlite3
import stat
import subprocess

from capture_harness import BURNER, CaptureTest, main, PAGE_FAULTS, prefix_of_nobody, refusal, Store

RAN = ["sh", "-c", "echo ran"]


class Refused(CaptureTest):
    NEEDS_PERMISSION = False

    def assert_refused(self, status, words, *arguments, **how):
        result = self.run_it(*arguments, **how)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertTrue(result.stderr.startswith("papi_profile: "), result.stderr)
        self.assertIn(words, result.stderr)

    def test_command_lines(self):
        for words, *arguments in (
                ("there is no PROGRAM to run and no -p PID",),
                ("leave out one", "-F", "10", "-c", "10", *RAN),
                ("leave out sh", "-p", "1", *RAN),
                ("-t is for -p PID", "-t", "1", *RAN),
                ("-t takes a number of seconds", "-p", "1", "-t", "soon"),
                ("-t takes a number of seconds", "-p", "1", "-t", "nan"),
                ("-F", "-F", "0", *RAN),
                ("-c", "-c", "-1", *RAN),
                ("-g takes fp, dwarf, dwarf,SIZE or none, not 'lbr'", "-g", "lbr", *RAN),
                ("an event name is empty", "-e", ",", *RAN),
                ("the second slash of a name is missing", "-e", "cpu/event=1", *RAN)):
            with self.subTest(arguments=arguments):
                self.assert_refused(2, words, *arguments)
        result = self.run_it("--nonsense")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 2))
        self.assertEqual(os.listdir(self.directory), [])

    def test_help(self):
        for option in ("-h", "--help"):
            result = self.run_it(option)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(result.stdout.startswith("Usage: papi_profile [OPTION]..."))
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        self.assertRegex(self.run_it("--version").stdout, r"^papi_profile \(PAPI\) 7\.0\.\d+\.\d+\n$")

    def test_events(self):
        if refusal():
            self.skipTest(refusal())
        for words, name in (("no event is named", "PAPI_NO_SUCH"), ("did you mean", "perf::PAGE-FAULT"),
                            ("only what the kernel's perf events count", "rusage:::majflt")):
            with self.subTest(name=name):
                self.assert_refused(2, words, "-e", name, *RAN)
        self.assert_refused(2, "-c 10000 or more", "-e", "perf::TASK-CLOCK", "-c", "100", *RAN)
        self.assert_refused(2, "the kernel allows", "-e", PAGE_FAULTS, "-F", "2000000000", *RAN)

    def test_events_that_translation_counts(self):
        result = self.run_it("-e", "PAPI_TOT_INS", "true")
        if "translation" not in result.stderr:
            self.skipTest("this machine does not count PAPI_TOT_INS by translation")
        self.assertEqual(result.returncode, 2)
        self.assertIn("perf::TASK-CLOCK", result.stderr)

    def test_programs(self):
        self.assert_refused(127, "it is in none of the directories of PATH", "no-such-program")
        self.assert_refused(127, "No such file", "./no-such-program")
        with open(self.path("plain"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        os.chmod(self.path("plain"), 0o644)
        self.assert_refused(126, "chmod +x", "./plain")
        self.assert_refused(126, "Is a directory", "/")
        self.assertEqual(os.listdir(self.directory), ["plain"])

    def test_files(self):
        self.assert_refused(125, "a directory", "-o", "/", *RAN)
        self.assert_refused(125, "cannot write 'no/such'", "-o", "no/such", *RAN)
        self.assert_refused(125, "no file that a profile can be written to", "-o", "/dev/null", *RAN)
        os.mkfifo(self.path("pipe"))
        self.assert_refused(125, "no file that a profile can be written to", "-o", "pipe", *RAN)

    def test_other_files_are_not_overwritten(self):
        with open(self.path("text"), "w", encoding="ascii") as file:
            file.write("important\n" * 100)
        connection = sqlite3.connect(self.path("other.db"))
        connection.execute("CREATE TABLE important (number)")
        connection.commit()
        connection.close()
        for name in ("text", "other.db"):
            with open(self.path(name), "rb") as file:
                before = file.read()
            self.assert_refused(125, "is no profile: it is not overwritten", "-o", name, *RAN)
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(), before)

    def test_control_characters_stay_away(self):
        result = self.run_it("\x1b[31mno-such-program\n")
        self.assertEqual(result.returncode, 127)
        self.assertNotIn("\x1b", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_processes(self):
        self.assert_refused(125, "there is no such process", "-p", "999999999")
        ended = subprocess.Popen(["true"])
        self.addCleanup(ended.wait)
        self.wait_until(lambda: os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG), "its end")
        self.assert_refused(125, "it has ended already", "-p", str(ended.pid))

    def test_program_whose_loader_is_missing(self):
        reason = refusal()
        if reason:
            self.skipTest(reason)
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("#!/no/such/interpreter\n")
        os.chmod(self.path("script"), 0o755)
        self.assert_refused(127, "its interpreter is missing", "./script")
        self.assertEqual(os.listdir(self.directory), ["script"])


class Nobody(CaptureTest):
    """Whom the kernel lets sample in user mode only, and only processes of its own."""

    NEEDS_PERMISSION = False

    def setUp(self):
        super().setUp()
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            if int(file.read()) < 2:
                self.skipTest("everybody may sample the kernel here")
        self.prefix = prefix_of_nobody()
        reason = "no other user can run papi_profile here" if self.prefix is None else refusal(tuple(self.prefix))
        if reason:
            self.skipTest(reason)

    def test_user_mode_and_says_so(self):
        store, result = self.profile("-e", "perf::TASK-CLOCK", BURNER, "split", prefix=self.prefix)
        self.assertIn("perf::TASK-CLOCK was sampled in user mode only: perf_event_paranoid", result.stderr)
        self.assertEqual((store.events[0]["user"], store.events[0]["kernel"]), (1, 0))
        self.assertIn("in user mode only", store.events[0]["note"])
        self.assertEqual(store.sum(kind="kernel"), 0)
        self.assert_burnt(store)

    def test_what_happens_in_the_kernel(self):
        result = self.run_it("-e", "perf::CONTEXT-SWITCHES", *RAN, prefix=self.prefix)
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertIn("perf_event_paranoid", result.stderr)

    def test_process_of_another_user(self):
        result = self.run_it("-p", "1", prefix=self.prefix)
        self.assertEqual(result.returncode, 125)
        self.assertIn("belongs to somebody else", result.stderr)
        self.assertFalse(os.path.exists(self.path()))

    def test_program_with_other_rights(self):
        program = shutil.which("mount") or "mount"
        if not os.path.exists(program) or not os.stat(program).st_mode & stat.S_ISUID:
            self.skipTest("there is no set-user-ID program here")
        result = self.run_it(program, "--version", prefix=self.prefix)
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertIn("it gets rights that you do not have", result.stderr)

    def test_file_of_another_user(self):
        with open(self.path(), "w", encoding="ascii"):
            pass
        if os.geteuid() != 0:
            os.chmod(self.path(), 0o444)
        result = self.run_it(*RAN, prefix=self.prefix)
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertIn("cannot write 'papi_profile.db': Permission denied", result.stderr)

    def test_as_root_the_kernel_too(self):
        if os.geteuid() != 0 or refusal():
            self.skipTest("only root may sample the kernel, and here not even that")
        self.run_it("-e", "perf::TASK-CLOCK", BURNER, "split")
        if not Store(self.path()).events[0]["kernel"]:
            self.skipTest("the kernel may not be sampled in this container")
        store, _ = self.profile("-e", PAGE_FAULTS, "-c", "1", "cat", "/etc/passwd")
        self.assertGreater(store.sum(kind="kernel") + store.sum(kind="file"), 0)


if __name__ == "__main__":
    main()
