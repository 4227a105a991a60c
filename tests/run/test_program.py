# SPDX-License-Identifier: BSD-3-Clause
"""papi_run is transparent: a program under it sees and does what it would without it."""
import os
import resource
import signal
import subprocess

from run_harness import main, PAGE_FAULTS, PAPI_RUN, PYTHON, REPORTER, RunTest, TASK_CLOCK


class ExitStatus(RunTest):
    def status_of(self, *arguments):
        return self.run_it("-e", TASK_CLOCK, *arguments).returncode

    def test_passes_the_status_on(self):
        for status in (0, 1, 3, 125, 255):
            self.assertEqual(self.status_of("sh", "-c", f"exit {status}"), status)

    def test_killed_by_a_signal(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT):
            result = self.run_it("-e", TASK_CLOCK, "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$")
            self.assertEqual(result.returncode, 128 + number)
            self.assertIn(f"killed by signal {int(number)} ".encode(), result.stderr)

    def test_not_found(self):
        for program, reason in (("papi-no-such-program", "it is in none of the directories of PATH"),
                                ("/papi/no/such/program", "No such file or directory"),
                                ("./papi-no-such-program", "No such file or directory"), ("", "")):
            result = self.run_it("-e", TASK_CLOCK, program)
            self.assertEqual(result.returncode, 127)
            self.assertIn(f"papi_run: cannot run '{program}': {reason}".encode(), result.stderr)

    def test_a_file_in_the_place_of_a_directory(self):
        result = self.run_it("/dev/null/program")
        self.assertEqual(result.returncode, 127)
        self.assertIn(b"Not a directory", result.stderr)

    def test_not_executable(self):
        result = self.run_it(self.script("exit 0\n", mode=0o644))
        self.assertEqual(result.returncode, 126)
        self.assertIn(b"Permission denied", result.stderr)
        self.assertIn(b"chmod +x", result.stderr)

    def test_a_directory(self):
        result = self.run_it(self.directory)
        self.assertEqual(result.returncode, 126)
        self.assertIn(b"Is a directory", result.stderr)

    def test_missing_interpreter(self):
        result = self.run_it(self.script("#!/papi/no/such/interpreter\n"))
        self.assertEqual(result.returncode, 127)
        self.assertIn(b"interpreter", result.stderr)

    def test_nothing_found_means_nothing_written(self):
        report = self.path("report")
        self.assertEqual(self.run_it("-o", report, "papi-no-such-program").returncode, 127)
        self.assertFalse(os.path.exists(report))

    def test_script_without_interpreter_line(self):
        result = self.run_it("-e", TASK_CLOCK, self.script('echo "$1-$#"; exit 7\n'), "one", "two words")
        self.assertEqual((result.returncode, result.stdout), (7, b"one-2\n"))

    def test_search_of_path(self):
        self.script("#!/bin/sh\nexit 9\n")
        os.mkdir(self.path("first"))
        with open(self.path("first/script"), "w", encoding="utf-8") as file:
            file.write("not executable")
        for path in (f"{self.directory}", f"/papi/none:{self.path('first')}:{self.directory}:"):
            result = self.run_it("script", env={**os.environ, "PATH": path})
            self.assertEqual(result.returncode, 9, result.stderr)
        result = self.run_it("script", env={**os.environ, "PATH": self.path("first")})
        self.assertEqual(result.returncode, 126)
        result = self.run_it("script", env={**os.environ, "PATH": "/papi/none:"}, cwd=self.directory)
        self.assertEqual(result.returncode, 9)

    def test_usage(self):
        for arguments in ((), ("-x",), ("--format", "xml", "true"), ("-r", "0", "true"), ("-r", "two", "true"),
                          ("-r", "99999999999999999999", "true"), ("-p", "x"), ("-p", "-1"), ("-e",),
                          ("-p", "1", "true"), ("-r", "3", "-p", "1"), ("-e", "", "true"),
                          ("-e", "a,,b", "true"), ("-e", "a,", "true"), ("-e", "cpu/event=1", "true")):
            result = self.run_it(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, b""), arguments)
            self.assertIn(b"papi_run: ", result.stderr)
            self.assertIn(b"--help", result.stderr)

    def test_an_option_that_took_the_program(self):
        for option in ("--roofline", "-o", "--save"):
            result = self.run_it(option, PYTHON)
            self.assertEqual((result.returncode, result.stdout), (2, b""))
            self.assertIn(f"the option in front of {PYTHON} takes that for its value\n".encode(), result.stderr)
        for arguments in ((), ("-o", "no/such/program")):
            self.assertIn(b"there is no PROGRAM to run and no -p PID to watch\n", self.run_it(*arguments).stderr)

    def test_help_and_version(self):
        result = self.run_it("--help")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertTrue(result.stdout.startswith(b"Usage: papi_run [OPTION]... "))
        result = self.run_it("--version")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertRegex(result.stdout, rb"^papi_run \(PAPI\) 7\.0\.\d+\.\d+\n$")

    def test_options_after_the_program_are_its_own(self):
        for arguments in (("echo", "-e", "--help", "-p"), ("--", "echo", "-e", "--help", "-p")):
            result = self.run_it(*arguments)
            self.assertEqual((result.returncode, result.stdout.split()[-2:]), (0, [b"--help", b"-p"]))


class Streams(RunTest):
    def test_input_and_output_are_the_same_bytes(self):
        data = os.urandom(3_000_000)
        result = self.run_it("-e", PAGE_FAULTS, "cat", input=data)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, data)

    def test_its_standard_error_comes_first(self):
        result = self.run_it("-e", PAGE_FAULTS, "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(result.stdout, b"out\n")
        self.assertTrue(result.stderr.startswith(b"err\n\npapi_run: sh -c "), result.stderr)

    def test_program_that_closes_everything(self):
        program = "import os; os.closerange(0, 256); os._exit(4)"
        report = self.report("-e", PAGE_FAULTS, PYTHON, "-c", program, status=4)
        self.assertGreater(report["events"][0]["count"], 0)

    def test_closed_streams_stay_closed(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            seen = []
            for prefix in ((), (PAPI_RUN, "-e", PAGE_FAULTS)):
                shell = " ".join([*prefix, REPORTER, self.path("seen"), *(f"{number}>&-" for number in closed)])
                result = subprocess.run(["sh", "-c", shell], stdin=subprocess.DEVNULL, capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stdout), (0, b""), closed)
                seen.append([line for line in self.wait_for_file("seen").splitlines() if "environment _=" not in line])
            self.assertEqual(seen[0], seen[1])

    def test_report_with_standard_error_closed(self):
        command = f"{PAPI_RUN} -e {PAGE_FAULTS} sh -c 'exit 6' 2>&-"
        result = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (6, b""))
        command = f"{PAPI_RUN} -e {PAGE_FAULTS} -o {self.path('report')} sh -c 'echo out' 2>&-"
        result = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, b"out\n"))
        self.assertIn(PAGE_FAULTS, self.wait_for_file("report"))


class Inheritance(RunTest):
    def inherited(self, prefix, **how):
        result = subprocess.run([*prefix, REPORTER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, **how)
        return result.stdout.decode(errors="surrogateescape").splitlines()

    def assert_same(self, **how):
        alone = self.inherited([], **how)
        self.assertIn("descriptor 0", alone)
        self.assertEqual(alone, self.inherited([PAPI_RUN, "-e", f"{TASK_CLOCK},{PAGE_FAULTS}"], **how))
        self.assertEqual(alone, self.inherited([PAPI_RUN, "-o", self.path("report"), "-e", PAGE_FAULTS], **how))

    def test_plain(self):
        self.assert_same(stdin=subprocess.DEVNULL)

    def test_more_descriptors(self):
        with open("/dev/null", "rb") as one, open("/dev/zero", "rb") as two:
            self.assert_same(stdin=subprocess.DEVNULL, pass_fds=(one.fileno(), two.fileno()))

    def test_signals_ignored_and_blocked(self):
        def prepare():
            for number in (signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM})

        self.assert_same(stdin=subprocess.DEVNULL, preexec_fn=prepare, restore_signals=False)

    def test_signals_by_default(self):
        def prepare():
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_DFL)

        self.assert_same(stdin=subprocess.DEVNULL, preexec_fn=prepare, restore_signals=False)

    def test_limits(self):
        def prepare():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        self.assert_same(stdin=subprocess.DEVNULL, preexec_fn=prepare)

    def test_environment(self):
        environment = {"PATH": os.environ["PATH"], "A": "1", "NAME": "\udcff", "EMPTY": ""}
        if "LD_LIBRARY_PATH" in os.environ:
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.assert_same(stdin=subprocess.DEVNULL, env=environment)

    def test_exit_status_survives_an_ignored_sigchld(self):
        result = self.run_it("-e", PAGE_FAULTS, "sh", "-c", "exit 5",
                             preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(result.returncode, 5, result.stderr)


class NothingLeftBehind(RunTest):
    # Prints how many zombies and how many descriptors its parent, papi_run, has.
    SPY = """
import os
parent, zombies = os.getppid(), 0
for name in filter(str.isdigit, os.listdir('/proc')):
    try:
        fields = open(f'/proc/{name}/stat').read().rsplit(')', 1)[1].split()
    except OSError:
        continue
    zombies += fields[0] == 'Z' and int(fields[1]) == parent
print(zombies, len(os.listdir(f'/proc/{parent}/fd')))
"""

    def test_no_zombie_and_no_descriptor_from_run_to_run(self):
        result = self.run_it("-r", "12", PYTHON, "-c", self.SPY)
        lines = result.stdout.decode().splitlines()
        self.assertEqual(len(lines), 12, result.stderr)
        self.assertEqual({line.split()[0] for line in lines}, {"0"})
        self.assertEqual(len(set(lines[1:])), 1, lines)

    def test_a_killed_papi_run_does_not_leave_a_child_at_the_gate(self):
        process = self.start("-r", "10000", "true")
        self.wait_until(lambda: self.children(process.pid), "a child")
        process.kill()
        process.wait()
        self.wait_until(lambda: not self.group(process.pid), "the last child to end")

    @staticmethod
    def group(pid):
        """Processes of a process group that still run."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except (OSError, UnicodeDecodeError):
                continue
            if int(fields[2]) == pid and fields[0] != "Z":
                found.append(name)
        return found


if __name__ == "__main__":
    main()
