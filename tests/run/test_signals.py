# SPDX-License-Identifier: BSD-3-Clause
"""Signals: the terminal's go to the program, those sent to papi_run are passed on, and the report is always printed."""
import json
import os
import pty
import signal

from run_harness import main, PAGE_FAULTS, PAPI_RUN, PYTHON, RunTest

# Says that it is ready, counts the signals it gets for a while after the first, and ends with their number.
COUNTER = """
import os, signal, sys, time
got = []
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(number, lambda number, frame: got.append(int(number)))
with open(sys.argv[1], 'w') as file:
    file.write(str(os.getpid()))
while not got:
    time.sleep(0.01)
time.sleep(0.3)
with open(sys.argv[2], 'w') as file:
    file.write(' '.join(map(str, got)))
os._exit(40 + len(got))
"""


class Signals(RunTest):
    def start_counter(self, *options, **how):
        process = self.start(*options, "-e", PAGE_FAULTS, PYTHON, "-c", COUNTER, self.path("ready"), self.path("got"),
                             **how)
        self.wait_for_file("ready")
        return process

    def assert_report(self, process, status, head):
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output), (status, b""), errors)
        self.assertIn(b"\nperf::PAGE-FAULTS ", errors)
        self.assertIn(b" s  elapsed\n", errors)
        self.assertIn(head, errors)

    def test_interrupt_of_the_group_still_prints(self):
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
            program = f"ulimit -c 0; echo > {self.path('ready')}; exec sleep 60"
            process = self.start("-e", PAGE_FAULTS, "sh", "-c", program)
            self.wait_for_file("ready")
            os.unlink(self.path("ready"))
            os.killpg(process.pid, number)
            self.assert_report(process, 128 + number, f"\nkilled by signal {int(number)} (".encode())

    def test_signals_to_papi_run_reach_the_program(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1):
            process = self.start_counter()
            os.kill(process.pid, number)
            self.assert_report(process, 41, b"\nexit status 41\n")
            self.assertEqual(self.wait_for_file("got"), str(int(number)))
            os.unlink(self.path("ready"))
            os.unlink(self.path("got"))

    def test_ignored_signals_stay_ignored(self):
        process = self.start("-e", PAGE_FAULTS, "sh", "-c", f"echo > {self.path('ready')}; sleep 0.5; exit 3",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_file("ready")
        os.killpg(process.pid, signal.SIGHUP)
        self.assert_report(process, 3, b"\nexit status 3\n")

    def on_terminal(self, key, *arguments):
        """Runs papi_run as the foreground job of a terminal of its own, presses a key; (wait status, what it said)."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(PAPI_RUN, [PAPI_RUN, *arguments])
        said = b""
        try:
            self.wait_for_file("ready")
            os.write(terminal, key)
            while True:
                try:
                    piece = os.read(terminal, 65536)
                except OSError:
                    piece = b""
                if not piece:
                    break
                said += piece
        finally:
            status = os.waitpid(pid, 0)[1]
            os.close(terminal)
        return status, said.replace(b"\r\n", b"\n")

    def test_ctrl_c_on_a_terminal(self):
        for key, number in ((b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)):
            status, said = self.on_terminal(key, "-e", PAGE_FAULTS, PYTHON, "-c", COUNTER, self.path("ready"),
                                            self.path("got"))
            # Once: the terminal has sent it to the program already, papi_run must not send it again.
            self.assertEqual(self.wait_for_file("got"), str(int(number)))
            self.assertEqual((os.WIFEXITED(status), os.WEXITSTATUS(status)), (True, 41))
            self.assertIn(b"\nperf::PAGE-FAULTS ", said)
            os.unlink(self.path("ready"))
            os.unlink(self.path("got"))

    def test_ctrl_c_kills_a_program_that_does_not_care(self):
        status, said = self.on_terminal(b"\x03", "-e", PAGE_FAULTS, "sh", "-c",
                                        f"echo > {self.path('ready')}; exec sleep 60")
        self.assertEqual((os.WIFEXITED(status), os.WEXITSTATUS(status)), (True, 130))
        self.assertIn(b"\nkilled by signal 2 (Interrupt)\n", said)

    def test_no_further_run_after_an_interrupt(self):
        program = f"echo >> {self.path('ready')}; sleep 0.05"
        report = self.path("report")
        process = self.start("-r", "5000", "--format", "json", "-o", report, "-e", PAGE_FAULTS, "sh", "-c", program)
        self.wait_until(lambda: os.path.exists(self.path("ready")) and os.path.getsize(self.path("ready")) >= 3,
                        "three runs")
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=60)
        with open(report, encoding="utf-8") as file:
            done = json.load(file)["repeats"]
        self.assertGreaterEqual(done, 3)
        self.assertLess(done, 5000)


if __name__ == "__main__":
    main()
