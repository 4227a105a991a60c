# SPDX-License-Identifier: BSD-3-Clause
"""What papi_run tells people who wait in front of a terminal, and that it tells nobody else."""
import os
import pty
import re
import select
import signal
import time
import unittest

from run_harness import main, PAPI_RUN, RunTest

VIRTUAL = {**os.environ, "PAPI_VPMU": "always", "TERM": "xterm"}
SAYS = re.compile(rb"times slower")


def setUpModule():
    result = RunTest().run_it("-e", "vpmu:::INSTRUCTIONS", "true", env=VIRTUAL)
    if result.returncode:
        raise unittest.SkipTest(" ".join(result.stderr.decode().split()))


class Terminal(RunTest):
    """papi_run in front of a terminal of its own, which is its standard input and error, and its output if wanted."""

    def begin(self, *arguments, output=False, program=("sh", "-c", "read x; echo done"), **environment):
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            try:
                if not output:
                    os.dup2(os.open(self.path("output"), os.O_WRONLY | os.O_CREAT), 1)
                os.execve(PAPI_RUN, [PAPI_RUN, *arguments, *program], {**VIRTUAL, **environment})
            finally:
                os._exit(99)
        self.text = b""
        self.addCleanup(self.end_program, self.terminal)

    def end_program(self, terminal):
        os.close(terminal)
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0

    def read_some(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self.terminal, 4096)
        except OSError:  # nobody has it any more
            piece = b""
        self.text += piece
        return bool(piece)

    def read_until(self, pattern):
        end = time.monotonic() + 60
        while not re.search(pattern, self.text):
            self.assertLess(time.monotonic(), end, self.text)
            self.read_some(1)

    def finish(self):
        os.write(self.terminal, b"go\n")
        while self.read_some(60):
            pass
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, self.text)
        return self.text

    def test_line_that_changes(self):
        self.begin("-e", "PAPI_TOT_INS,PAPI_L1_DCM")
        self.read_until(rb"papi_run: [2-9] s, 10 to 35 times slower than alone; PAPI_TOT_INS: [\d,]+\r(.|\n)*"
                        rb"papi_run: \d+ s, 10 to 35 times slower than alone; PAPI_TOT_INS: ")
        text = self.finish()
        # Gone before the report begins, and no line is too long.
        progress, report = text.split(b"\npapi_run: sh ")
        self.assertTrue(progress.rstrip(b"\r\n").endswith(b"\r\x1b[K"), progress)
        for line in re.split(rb"[\r\n]", progress):
            self.assertLess(len(line), 80)
        self.assertFalse(SAYS.search(report))

    def test_line_among_others(self):
        self.begin("-e", "PAPI_TOT_INS", output=True)
        self.read_until(rb"papi_run: counting makes programs 1 to 6 times slower; Ctrl-C ends this one and shows "
                        rb"its counts\r?\n")
        text = self.finish()
        self.assertEqual(len(SAYS.findall(text)), 1)
        self.assertIn(b"done", text)

    def test_nobody_waits(self):
        """Events that do not slow it down, intervals that tell of themselves, a terminal that can nothing."""
        for arguments, environment in ((("-e", "perf::PAGE-FAULTS"), {}), (("-e", "PAPI_TOT_INS", "-I", "500"), {}),
                                       (("-e", "PAPI_TOT_INS"), {"TERM": "dumb"})):
            with self.subTest(arguments):
                self.begin(*arguments, program=("sleep", "2.5"), **environment)
                self.assertFalse(SAYS.search(self.finish()))

    def test_taken_terminal(self):
        """A program that reads keys has the terminal for itself."""
        self.begin("-e", "PAPI_TOT_INS", program=("sh", "-c", "stty -icanon; sleep 2.5; stty icanon; read x"))
        self.assertFalse(SAYS.search(self.finish()))

    def test_no_terminal(self):
        result = self.run_it("-e", "PAPI_TOT_INS", "sleep", "2.5", env=VIRTUAL)
        self.assertFalse(SAYS.search(result.stderr))


if __name__ == "__main__":
    main()
