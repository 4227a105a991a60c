# SPDX-License-Identifier: BSD-3-Clause
"""A user whom the kernel lets count in user mode only, and only over processes of his own."""
import os
import shutil
import stat
import subprocess

from run_harness import events_of, main, PAGE_FAULTS, PAPI_RUN, RunTest, TASK_CLOCK, TOUCHER

NOBODY = 65534
SWITCHES = "perf::CONTEXT-SWITCHES"


def prefix_of_nobody():
    """How to run something without privileges; None where that cannot be."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv"):
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        if subprocess.run([*prefix, PAPI_RUN, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return prefix
    return None


class Unprivileged(RunTest):
    def setUp(self):
        super().setUp()
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            paranoid = int(file.read())
        if paranoid < 2:
            self.skipTest("everybody may count in the kernel here: kernel.perf_event_paranoid is below 2")
        if paranoid > 2:
            self.skipTest("users may count nothing here: kernel.perf_event_paranoid is above 2")
        self.prefix = prefix_of_nobody()
        if self.prefix is None:
            self.skipTest("no other user can run papi_run here (setpriv, or the permissions of the build directory)")
        os.chmod(self.directory, 0o777)

    def test_counts_in_user_mode_and_says_so(self):
        report = self.report("-e", f"{TASK_CLOCK},{PAGE_FAULTS}", TOUCHER, "1000", "sc", prefix=self.prefix)
        events = events_of(report)
        self.assertGreaterEqual(events[PAGE_FAULTS]["count"], 2000)
        for event in events.values():
            self.assertEqual((event["error"], event["domain"]), (None, "user"))
        self.assertEqual(len(report["notes"]), 1)
        self.assertIn("perf_event_paranoid", report["notes"][0])
        result = self.run_it("-e", PAGE_FAULTS, "true", prefix=self.prefix)
        self.assertRegex(result.stderr,
                         rb"(?m)^note: counted in user mode only: perf::PAGE-FAULTS; perf_event_paranoid is ")

    def test_what_happens_in_the_kernel_is_not_counted_as_zero(self):
        report = self.report("-e", f"{PAGE_FAULTS},{SWITCHES}", "sleep", "0.01", prefix=self.prefix)
        event = events_of(report)[SWITCHES]
        self.assertIsNone(event["count"])
        self.assertIn("forbids counting in the kernel", event["error"])
        self.assertGreater(events_of(report)[PAGE_FAULTS]["count"], 0)

    def test_set_user_id_program(self):
        # In /usr/bin, where no nosuid takes the bit away.
        program = shutil.which("mount") or "mount"
        if not os.path.exists(program) or not os.stat(program).st_mode & stat.S_ISUID:
            self.skipTest("there is no set-user-ID program here")
        events = events_of(self.report("-e", f"{TASK_CLOCK},{PAGE_FAULTS}", program, "--help", prefix=self.prefix,
                                       stdout=subprocess.DEVNULL))
        for event in events.values():
            self.assertIsNone(event["count"])
            self.assertIn("the kernel stops counting when it starts", event["error"])

    def test_process_of_another_user(self):
        result = self.run_it("-e", PAGE_FAULTS, "-p", "1", prefix=self.prefix)
        self.assertEqual((result.returncode, result.stdout), (125, b""))
        self.assertRegex(result.stderr, rb"^papi_run: cannot watch process 1: .*belongs to somebody else")


if __name__ == "__main__":
    main()
