# SPDX-License-Identifier: BSD-3-Clause
"""Every process of a program is in its virtual counts, or it is said that it is not, and why."""
import os
import shutil
import subprocess
import sys
import unittest

from harness import TOOLS
from run_harness import events_of, HELPERS, main, PAPI_RUN, RunTest

LOOPER = os.path.join(HELPERS, "looper")
NESTER = os.path.join(HELPERS, "nester")
STATIC = os.path.join(HELPERS, "looper_static")
INSTRUCTIONS = "vpmu:::INSTRUCTIONS"
CYCLES = "vpmu:::CYCLES"
FEW, MANY = 100000, 300000


def setUpModule():
    """Whether this machine can be counted virtually; if not, the reason."""
    result = subprocess.run([PAPI_RUN, "-e", INSTRUCTIONS, "true"], stderr=subprocess.PIPE, check=False)
    if b"component vpmu is disabled" in result.stderr or b"is not here" in result.stderr:
        raise unittest.SkipTest(" ".join(result.stderr.decode().split()))


class ProcessTest(RunTest):
    def counted(self, *command, events=INSTRUCTIONS, status=0, **how):
        """A report in which the events have counts."""
        report = self.report("-e", events, *command, status=status, **how)
        for event in report["events"]:
            self.assertIsNone(event["error"], event)
        return report

    def complete(self, *command, **how):
        report = self.counted(*command, **how)
        self.assertTrue(report["processes"]["complete"], report["processes"])
        self.assertEqual((report["processes"]["missing"], report["processes"]["reasons"]), (0, []))
        return report

    def missing(self, *command, number=1, **how):
        """The reasons, joined, and the report."""
        report = self.counted(*command, **how)
        processes = report["processes"]
        self.assertFalse(processes["complete"])
        self.assertEqual(processes["missing"], number, processes)
        self.assertEqual(sum(reason["processes"] for reason in processes["reasons"]), number)
        for event in report["events"]:
            self.assertEqual((event["kind"], event["partial"]), ("exact", True), event)
        return "; ".join(f"{reason['program']}: {reason['reason']}" for reason in processes["reasons"]), report

    @staticmethod
    def count(report, event=INSTRUCTIONS):
        return events_of(report)[event]["count"]

    def need_static(self):
        if not os.access(STATIC, os.X_OK):
            self.skipTest("no static libc to link a program with")

    def need_root(self):
        if os.geteuid() != 0:
            self.skipTest("only root may do that")


class Sums(ProcessTest):
    """Two runs that differ in nothing but the number of turns differ by exactly their instructions."""

    def assert_exact(self, plan, loops, processes, *, killed=0, delta=0, status=7):
        reports = [self.complete(NESTER, plan, f"{turns:08}", LOOPER, status=status) for turns in (FEW, MANY)]
        self.assertAlmostEqual(self.count(reports[1]) - self.count(reports[0]), 2 * (MANY - FEW) * loops, delta=delta)
        self.assertGreater(self.count(reports[0]), 2 * FEW * loops)
        for report in reports:
            self.assertEqual((report["processes"]["total"], report["processes"]["killed"]), (processes, killed))

    def test_children_of_vfork_that_end(self):
        """The parent goes on counting."""
        self.assert_exact("es", 1, 1)

    def test_children_of_vfork_that_cannot_execute(self):
        self.assert_exact("ns", 1, 1)

    def test_children_of_vfork(self):
        self.assert_exact("evsns", 3, 2)

    def test_spawned_programs(self):
        self.assert_exact("spP", 3, 3)

    def test_commands(self):
        """sh, and what it runs or becomes."""
        for plan in "yo":
            reports = [self.complete(NESTER, plan, f"{turns:08}", LOOPER, status=7) for turns in (FEW, MANY)]
            self.assertEqual(self.count(reports[1]) - self.count(reports[0]), 2 * (MANY - FEW))

    def test_all_descriptors_closed(self):
        self.assert_exact("sE", 2, 2)

    def test_an_empty_environment(self):
        self.assert_exact("sC", 2, 2)

    def test_killed_children(self):
        self.assert_exact("sk", 2, 2, killed=1)
        self.assert_exact("aks", 3, 3, killed=2)

    def test_threads(self):
        # How often joining a thread has to ask is a matter of time.
        self.assert_exact("stt", 3, 1, delta=5000)

    def test_a_thread_that_forks(self):
        self.assert_exact("sx", 3, 2, killed=0, delta=5000)

    def test_a_thread_that_ends_the_process(self):
        self.assert_exact("sq", 1, 1, delta=5000)

    def test_a_thread_that_executes(self):
        self.assert_exact("sX", 2, 1, delta=5000)

    def test_threads_that_are_left_behind(self):
        report = self.complete(NESTER, "sT", f"{MANY:08}", status=7)
        self.assertGreater(self.count(report), 2 * MANY)

    def test_the_parts_come_to_the_sum(self):
        """What programs count one by one, they count together, but for what the shell does."""
        one = self.count(self.complete(LOOPER, "s", f"{MANY:08}", status=7))
        shell = self.count(self.complete("sh", "-c", "exit 7", status=7))
        both = self.count(self.complete("sh", "-c", f"{LOOPER} s {MANY:08}; {LOOPER} s {MANY:08}", status=7))
        self.assertGreater(both, 2 * one)
        self.assertLess(both, 2 * one + 2 * shell + 100000)

    def test_python_starts_programs(self):
        """It closes all descriptors in a child of vfork."""
        script = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
        report = self.complete(sys.executable, "-S", "-c", script, LOOPER, "s", f"{MANY:08}", status=7)
        self.assertEqual(report["processes"]["total"], 2)
        self.assertGreater(self.count(report), 2 * MANY)

    def test_many_children(self):
        """More than there is room for at once."""
        report = self.complete("sh", "-c", 'i=0; while [ $i -lt 60 ]; do (:); /bin/true; i=$((i+1)); done')
        self.assertEqual(report["processes"]["total"], 121)

    def test_another_user(self):
        self.need_root()
        report = self.counted(NESTER, "sU", f"{MANY:08}", LOOPER, status=7)
        if report["processes"]["complete"]:
            self.assertGreater(self.count(report), 4 * MANY)
        else:
            self.assertIn("may not read", report["processes"]["reasons"][0]["reason"])


class Killed(ProcessTest):
    """What was counted until the signal is kept, and marked."""

    def test_the_program_itself(self):
        report = self.complete("sh", "-c", "kill -KILL $$", status=137)
        self.assertGreater(self.count(report), 1000)
        self.assertEqual(report["processes"]["killed"], 1)

    def test_a_closed_pipe(self):
        report = self.complete("sh", "-c", "yes | head -n 1", stdout=subprocess.DEVNULL)
        self.assertEqual(report["processes"]["killed"], 1)

    def test_timeout(self):
        report = self.complete("timeout", "0.5", NESTER, "T", f"{MANY:08}", status=7)
        self.assertEqual(report["processes"]["killed"], 0)
        report = self.complete("timeout", "-s", "KILL", "0.5", "sh", "-c", "while :; do :; done", status=137)
        self.assertGreater(self.count(report), 100000)
        # timeout ends itself the same way.
        self.assertGreaterEqual(report["processes"]["killed"], 1)

    def test_text(self):
        result = self.run_it("-e", INSTRUCTIONS, "sh", "-c", "sh -c 'kill -KILL $$'; true")
        self.assertIn(b"1 of 2 processes ended by a signal and counted until then", b" ".join(result.stderr.split()))

    def test_left_in_the_background(self):
        report = self.complete(NESTER, "sb", f"{MANY:08}", status=7)
        self.assertEqual((report["processes"]["running"], report["processes"]["killed"]), (1, 0))


class Missing(ProcessTest):
    def test_static_program(self):
        self.need_static()
        reasons, report = self.missing("sh", "-c", f"{STATIC} s {MANY}; {LOOPER} s {MANY}", status=7)
        self.assertIn("looper_static: it is linked statically", reasons)
        self.assertEqual(report["processes"]["total"], 3)
        self.assertGreater(self.count(report), 2 * MANY)

    def test_static_program_in_the_place_of_another(self):
        """What was counted before stays."""
        self.need_static()
        reasons, report = self.missing(NESTER, "sX", f"{MANY:08}", STATIC, status=7)
        self.assertIn("looper_static: it is linked statically", reasons)
        self.assertGreater(self.count(report), 2 * MANY)

    def test_spawned_static_programs(self):
        self.need_static()
        reasons, report = self.missing(NESTER, "pvP", f"{MANY:08}", STATIC, number=3, status=7)
        self.assertEqual(report["processes"]["reasons"][0]["processes"], 3, reasons)

    def test_another_root(self):
        """With all that the program needs, but not the agent."""
        self.need_root()
        listed = subprocess.run(["ldd", LOOPER], stdout=subprocess.PIPE, text=True, check=True).stdout
        libraries = [word for word in listed.split() if word.startswith("/")]
        for path in libraries:
            os.makedirs(self.path("root") + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, self.path("root") + path)
        shutil.copy(LOOPER, self.path("root"))
        environment = dict(os.environ, NESTER_ROOT=self.path("root"))
        environment.pop("LD_LIBRARY_PATH", None)
        reasons, _ = self.missing(NESTER, "sR", f"{MANY:08}", LOOPER, status=7, env=environment)
        self.assertIn("root directory", reasons)
        # The dynamic linker has nothing to complain about.
        result = self.run_it("-e", INSTRUCTIONS, "-o", self.path("report"), NESTER, "sR", f"{MANY:08}", LOOPER,
                             env=environment)
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_rights_of_another(self):
        self.need_root()
        if os.statvfs(self.directory).f_flag & os.ST_NOSUID:
            self.skipTest("set-user-ID means nothing on this file system")
        os.chmod(self.directory, 0o755)
        program = shutil.copy(LOOPER, self.path("privileged"))
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        reasons, _ = self.missing(NESTER, "sv", f"{MANY:08}", program, status=7)
        self.assertIn("privileged: it gets the rights of another user", reasons)

    def test_child_that_runs_natively(self):
        reasons, _ = self.missing(NESTER, "sN", "200000000", status=7)
        self.assertIn("ran uncounted for", reasons)

    def test_child_that_runs_natively_and_executes(self):
        """Whichever function it calls for that; the program is counted."""
        for plan in ("sV", "sF"):
            reasons, report = self.missing(NESTER, plan, "200000000", LOOPER, status=7)
            self.assertIn("ran uncounted for", reasons)
            self.assertEqual(report["processes"]["total"], 2)
            self.assertGreater(self.count(report), 800000000)

    def test_child_of_the_system_call(self):
        reasons, report = self.missing(NESTER, "sf", f"{MANY:08}", status=7)
        self.assertIn("a system call of the program's own", reasons)
        self.assertEqual(report["processes"]["total"], 2)

    def test_text_and_csv(self):
        self.need_static()
        command = ["sh", "-c", f"{STATIC} s 1000; {STATIC} s 1000; {LOOPER} s 1000"]
        result = self.run_it("-e", INSTRUCTIONS, *command)
        text = " ".join(result.stderr.decode().split())
        self.assertIn("incomplete: 2 of 4 processes: looper_static (2 times): it is linked statically", text)
        result = self.run_it("-e", INSTRUCTIONS, "--format", "csv", *command)
        rows = self.read_csv(result.stderr.decode())
        self.assertEqual([rows["processes" + what]["count"] for what in ("", " killed", " running", " missing")],
                         ["4", "0", "0", "2"])
        self.assertIn("linked statically", rows["processes missing"]["error"])
        self.assertEqual((rows[INSTRUCTIONS]["kind"], rows[INSTRUCTIONS]["partial"]), ("exact", "partial"))


class Scripts(ProcessTest):
    """--require-complete: a script never takes a part for the whole."""

    def status(self, *command, **how):
        return self.run_it("--require-complete", "-e", INSTRUCTIONS, *command, **how).returncode

    def test_complete(self):
        self.assertEqual(self.status("true"), 0)
        self.assertEqual(self.status("sh", "-c", "exit 5"), 5)
        self.assertEqual(self.status("sh", "-c", "sh -c 'kill -KILL $$'; true"), 0)

    def test_incomplete(self):
        self.need_static()
        self.assertEqual(self.status("sh", "-c", f"{STATIC} s 1000; true"), 123)
        self.assertEqual(self.status("sh", "-c", f"{STATIC} s 1000; exit 5"), 5)
        result = self.run_it("-e", INSTRUCTIONS, "sh", "-c", f"{STATIC} s 1000; true")
        self.assertEqual(result.returncode, 0)

    def test_event_that_is_not_counted(self):
        self.need_static()
        self.assertEqual(self.status(STATIC, "s", "1000"), 7)
        script = self.script(f"#! {STATIC} s\n")
        self.assertEqual(self.status("-r", "1", script), 1)


class Threads(ProcessTest):
    """Each event for itself: a modelled one takes no exact one with it, and threads are modelled each for itself."""

    def test_modelled_beside_exact(self):
        for plan in ("stt", "sxt"):
            exact = self.complete(NESTER, plan, f"{MANY:08}", status=7)
            both = self.complete(NESTER, plan, f"{MANY:08}", status=7, events=f"{INSTRUCTIONS},{CYCLES}")
            self.assertAlmostEqual(self.count(both), self.count(exact), delta=5000)
            self.assertGreaterEqual(self.count(both, CYCLES), self.count(both) // 4)

    def test_models_are_the_same_without_an_environment(self):
        """A direct-mapped L1D of 16 lines misses all the time; this machine's does not."""
        loop = ["sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done"]
        small = {"PAPI_VPMU_CACHE": "L1I=1K/1/64,L1D=1K/1/64"}
        usual, few, same = (self.count(self.complete(*command, events="vpmu:::L1D_MISSES",
                                                     env={**os.environ, **environment}),
                                       "vpmu:::L1D_MISSES")
                            for command, environment in ((["env", "-i", *loop], {}), (["env", *loop], small),
                                                         (["env", "-i", *loop], small)))
        self.assertGreater(few, 5 * usual)
        self.assertAlmostEqual(same, few, delta=0.2 * few)

    def test_modelled_counts_of_threads(self):
        """A loop of two instructions is predicted, so that its cycles are half its turns, in each thread."""
        few, many = (self.count(self.complete(NESTER, "tt", f"{turns:08}", status=7, events=CYCLES), CYCLES)
                     for turns in (FEW, 10 * MANY))
        self.assertAlmostEqual(many - few, 2 * (10 * MANY - FEW) / 2, delta=0.1 * many)


class ProgramsThatCount(ProcessTest):
    """A program that uses the library itself gets its own counts, and is counted."""

    def test_inherited_by_threads(self):
        counter = os.path.join(HELPERS, "counter")
        alone = subprocess.run([counter, "1000000"], stdout=subprocess.PIPE, check=False)
        if alone.returncode == 77:
            self.skipTest("no EventSet can be counted virtually")
        path = self.path("printed")
        with open(path, "wb") as out:
            report = self.complete(counter, "1000000", stdout=out)
        with open(path, encoding="ascii") as file:
            self.assertAlmostEqual(int(file.read()), int(alone.stdout), delta=5000)
        # Once, not once for each who wants to know.
        self.assertGreater(self.count(report), 2000000)
        self.assertLess(self.count(report), 3900000)


class Surroundings(ProcessTest):
    def test_repeats_change_nothing(self):
        """Each run finds the environment of the first."""
        result = self.run_it("-r", "3", "-e", INSTRUCTIONS, "-o", self.path("report"), "sh", "-c",
                             "echo $LD_PRELOAD; echo ${PAPI_AGENT_TABLE%%,*}")
        lines = result.stdout.decode().splitlines()
        self.assertEqual(len(lines), 6)
        self.assertEqual(len(set(lines)), 2, lines)

    def test_what_is_preloaded_stays(self):
        library = os.path.join(TOOLS, "libpapi_agent.so")
        shutil.copy(library, self.path("other.so"))
        environment = dict(os.environ, LD_PRELOAD=self.path("other.so"))
        for command in (["sh", "-c", "echo $LD_PRELOAD"], ["env", "sh", "-c", "echo $LD_PRELOAD"]):
            result = self.run_it("-e", INSTRUCTIONS, "-o", self.path("report"), *command, env=environment)
            self.assertEqual(result.stdout.decode().split(":")[1:], [self.path("other.so") + "\n"])

    def test_name_that_cannot_be_preloaded(self):
        """LD_PRELOAD takes spaces and colons for the ends of names."""
        prefix = self.path("a b:c")
        os.makedirs(os.path.join(prefix, "tools"))
        os.makedirs(os.path.join(prefix, "src"))
        for name in ("papi_run", "libpapi_agent.so"):
            shutil.copy(os.path.join(TOOLS, name), os.path.join(prefix, "tools"))
        shutil.copy(os.path.realpath(os.path.join(TOOLS, "../src/libpapi.so")),
                    os.path.join(prefix, "src/libpapi.so.7.0"))
        os.mkdir(self.path("temporary"))
        environment = dict(os.environ, TMPDIR=self.path("temporary"))
        environment.pop("LD_LIBRARY_PATH", None)
        result = subprocess.run([os.path.join(prefix, "tools/papi_run"), "--require-complete", "-e", INSTRUCTIONS, "-o",
                                 self.path("report"), "sh", "-c", f"{LOOPER} s 1000; exit 3"], env=environment,
                                stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stderr), (3, b""))
        self.assertEqual(os.listdir(self.path("temporary")), [])

    def test_no_temporary_directory(self):
        self.complete("true", env=dict(os.environ, TMPDIR="/nowhere"))

    def test_small_files(self):
        """The table would be larger than files may be: the program runs, and the reason is told."""
        result = self.run_it("-e", INSTRUCTIONS, "sh", "-c", "exit 4",
                             prefix=["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"])
        self.assertEqual(result.returncode, 4)
        self.assertIn("ulimit -f", " ".join(result.stderr.decode().split()))

    def test_few_descriptors(self):
        for limit in (20, 256):
            report = self.complete("sh", "-c", f"ulimit -n; {LOOPER} s 1000; exit 0", stdout=subprocess.PIPE,
                                   prefix=["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"])
            self.assertEqual(report["processes"]["total"], 2)

    def test_nested(self):
        """One papi_run in another: the inner one counts the program, and the outer one says that it did not."""
        inner = self.path("inner")
        _, report = self.missing(PAPI_RUN, "-e", INSTRUCTIONS, "-o", inner, LOOPER, "s", f"{MANY:08}", status=7)
        self.assertEqual(report["processes"]["total"], 2)
        with open(inner, encoding="utf-8") as file:
            self.assertIn(INSTRUCTIONS, file.read())


if __name__ == "__main__":
    main()
