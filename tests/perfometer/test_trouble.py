# SPDX-License-Identifier: BSD-3-Clause
"""Programs that stop, fork, close everything or become somebody else, full disks, clocks that jump, and a perfometer
that was killed: each is told as it is, and nothing of the program is harmed."""
import os
import signal
import subprocess
import sys
import unittest

from meter import (HAS_SERVER, is_virtual, LOOPER, main, MeterTest, PAGE_FAULTS, PERFOMETER, read_messages, samples_of,
                   TASK_CLOCK)

CROWD = os.path.join(os.path.dirname(LOOPER), "crowd")
SINCE_ITS_BEGINNING = "virtual events are counted since the program began, by the agent that came with it"
STOPPED, GOES_ON = "the program was stopped by a signal", "the program goes on"


def notices(messages):
    return [message["text"] for message in messages if message["type"] == "notice"]


def bands(messages):
    """Of the time in which the program was stopped: whether it is a beginning."""
    found = [message for message in messages if message["type"] == "mark" and message["name"] == "stopped"]
    assert all(message["stopped"] is True and message["id"] is None for message in found)
    return [message["begin"] for message in found]


class Trouble(MeterTest):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PAPI_VPMU": "always"}

    def watch(self, pid, events, name="watched"):
        """A perfometer for a process, which has taken a sample."""
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", self.path(name), "-e", events, "-p", str(pid)],
                                 stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(self.end, meter)
        self.wait_until(lambda: meter.poll() is not None or self.has_text(name, '"sample"'), "a sample")
        return meter

    def has_text(self, name, text):
        if not os.path.exists(self.path(name)):
            return False
        with open(self.path(name), encoding="utf-8") as file:
            return text in file.read()

    def test_a_watched_process_that_is_stopped(self):
        target = self.start_target(CROWD, "2")
        meter = self.watch(target.pid, PAGE_FAULTS)
        for number, text in ((signal.SIGSTOP, STOPPED), (signal.SIGCONT, GOES_ON)):
            self.assertFalse(self.has_text("watched", text))
            target.send_signal(number)
            self.wait_until(lambda text=text: self.has_text("watched", text), text)
        meter.send_signal(signal.SIGINT)
        self.assertEqual((meter.communicate(timeout=60)[1], meter.returncode), ("", 0))
        messages = read_messages(self.path("watched"))
        self.assertEqual(notices(messages), [STOPPED, GOES_ON])
        self.assertEqual(bands(messages), [True, False])

    def test_a_program_that_is_stopped_and_killed(self):
        """Its band ends with it."""
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", self.path("watched"), "-e", PAGE_FAULTS, CROWD,
                                  "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True)
        self.addCleanup(self.end, meter)
        self.assertEqual(meter.stdout.readline(), "ready\n")
        pid = self.children_of(meter.pid)[0]
        for number, text in ((signal.SIGSTOP, STOPPED), (signal.SIGCONT, GOES_ON), (signal.SIGSTOP, None)):
            os.kill(pid, number)
            wanted = 2 if text is None else 1
            self.wait_until(lambda text=text, wanted=wanted: notices(self.whole_messages("watched")).count(
                text or STOPPED) == wanted, "a notice")
        os.kill(pid, signal.SIGKILL)
        meter.communicate(timeout=60)
        self.assertEqual(meter.returncode, 128 + 9)
        messages = read_messages(self.path("watched"))
        self.assertEqual(bands(messages), [True, False, True, False])
        self.assertEqual(messages[-1]["reason"], "the program has ended: killed by signal 9")

    def test_forks_of_thousands(self):
        """They end as soon as they begin; all are counted, by the kernel."""
        script = ("import os\nfor i in range(3000):\n pid = os.fork()\n"
                  " if not pid: os._exit(0)\n os.waitpid(pid, 0)")
        messages = self.record("-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "--rate", "1000", sys.executable, "-S", "-c",
                               script)
        self.assertGreater(samples_of(messages)[-1][PAGE_FAULTS], 3 * 3000)
        self.assertEqual(notices(messages), [])

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_forks_of_thousands_counted_virtually(self):
        """More than there is room for at once: none is missing, and each lane ends."""
        messages = self.record("-e", "PAPI_TOT_INS,PAPI_BR_INS", "--rate", "100", LOOPER, "f" * 2000, "100000",
                               status=7, env=self.environment)
        last = samples_of(messages)[-1]
        self.assertGreater(last["PAPI_TOT_INS"], 2000 * 200000)
        self.assertLess(last["PAPI_TOT_INS"], 2000 * 210000)
        self.assertEqual(notices(messages), [])
        lanes = [message["id"] for message in messages if message["type"] == "thread"]
        self.assertEqual(len(set(lanes)), len(lanes))
        self.assertEqual(sorted(message["id"] for message in messages if message["type"] == "end"), sorted(lanes))

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_all_descriptors_closed(self):
        """Also in the program that comes in its place."""
        messages = self.record("-e", "PAPI_TOT_INS", "--rate", "50", sys.executable, "-S", "-c",
                               "import os, sys\nos.closerange(0, 70000)\nos.execv(sys.argv[1], sys.argv[1:])",
                               LOOPER, "s", "100000000", status=7, env=self.environment)
        self.assertGreater(samples_of(messages)[-1]["PAPI_TOT_INS"], 200000000)
        self.assertEqual(notices(messages), [])

    @unittest.skipUnless(os.geteuid() == 0, "only root may become another user")
    def test_another_user(self):
        """The kernel goes on counting, and agents, or it is said that they do not."""
        script = "import os, sys\nos.setgid(65534)\nos.setuid(65534)\nos.execv(sys.argv[1], sys.argv[1:])"
        messages = self.record("-e", TASK_CLOCK, "--rate", "100", sys.executable, "-S", "-c", script, "/bin/sh", "-c",
                               "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 7", status=7)
        clocks = [row[TASK_CLOCK] for row in samples_of(messages)]
        self.assertEqual(clocks, sorted(clocks))
        self.assertGreater(clocks[-1], 10000000)
        if not is_virtual():
            return
        script = "import os\nos.setgid(65534)\nos.setuid(65534)\ni = 0\nwhile i < 1000000: i += 1"
        messages = self.record("-e", "PAPI_TOT_INS", sys.executable, "-S", "-c", script, env=self.environment)
        self.assertGreater(samples_of(messages)[-1]["PAPI_TOT_INS"], 10000000)
        self.assertEqual(notices(messages), [])

    @unittest.skipUnless(HAS_SERVER, "this build of perfometer serves no pages: libmicrohttpd is missing")
    def test_a_full_disk(self):
        """A page is told, and goes on."""
        server = self.meter("-e", PAGE_FAULTS, "--record", "/dev/full", "sleep", "600")
        texts, samples = [], 0
        for message in server.data():
            texts += [message["text"]] if message["type"] == "notice" else []
            samples += message["type"] == "sample"
            if texts and samples > 2:
                break
        self.assertEqual(texts, ["the recording /dev/full ends here: No space left on device"])
        server.process.terminate()
        self.assertEqual(server.wait(), (143, "perfometer: " + texts[0] + "\n"))

    def test_clocks_that_jump(self):
        """Times are of a clock that nobody sets."""
        clock = os.environ["PAPI_JUMPING_CLOCK"]
        dates = {subprocess.run([sys.executable, "-c", "import time; print(int(time.time() / 3600))"], text=True,
                                capture_output=True, check=True, env={**os.environ, "LD_PRELOAD": clock}).stdout
                 for _ in range(2)}
        now = subprocess.run([sys.executable, "-c", "import time; print(int(time.time() / 3600))"], text=True,
                             capture_output=True, check=True).stdout
        self.assertNotIn(now, dates)
        messages = self.record("-e", PAGE_FAULTS, "--rate", "100", "sleep", "0.5",
                               env={**os.environ, "LD_PRELOAD": clock})
        times = [message["t"] for message in messages[1:]]
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(times[-1], 0.4)
        self.assertLess(times[-1], 3600)
        self.assertGreater(len(samples_of(messages)), 3)
        self.assertEqual([message for message in messages if message["type"] == "gap" and message["until"] > 3600], [])

    def test_a_killed_perfometer(self):
        """The program goes on, and another may watch it, and read what its agent counts."""
        virtual = is_virtual()
        path = self.path("first")
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", path, "-e",
                                  "PAPI_TOT_INS" if virtual else PAGE_FAULTS, CROWD, "3"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(self.end, meter)
        self.assertEqual(meter.stdout.readline(), "ready\n")
        self.wait_for_text(path, '"sample"')
        pid = self.children_of(meter.pid)[0]
        meter.kill()
        meter.wait()
        os.kill(pid, 0)
        second = self.watch(pid, TASK_CLOCK)
        self.assertIsNone(second.poll(), second.poll() and second.stderr.read())

        def works():
            rows = [row[TASK_CLOCK] for row in samples_of(self.whole_messages("watched"))]
            return len(rows) > 1 and rows[-1] > rows[0]
        self.wait_until(works, "the program to go on")
        second.send_signal(signal.SIGINT)
        self.assertEqual((second.communicate(timeout=60)[1], second.returncode), ("", 0))
        if virtual:
            before = samples_of(self.whole_messages("first"))[-1]["PAPI_TOT_INS"]
            third = self.watch(pid, "PAPI_TOT_INS,PAPI_BR_INS", "third")
            third.send_signal(signal.SIGINT)
            self.assertEqual((third.communicate(timeout=60)[1], third.returncode), ("", 0))
            messages = read_messages(self.path("third"))
            self.assertGreaterEqual(samples_of(messages)[0]["PAPI_TOT_INS"], before)
            self.assertEqual(notices(messages), [SINCE_ITS_BEGINNING])
            # It has three threads more, of which each has a lane.
            self.assertEqual(len([1 for message in messages if message["type"] == "thread"]), 5)
            self.refused(pid, "PAPI_L1_DCM", "no simulator for it runs in this program")
        # Its standard input ends, and so does it.
        meter.stdin.close()
        self.wait_until(lambda: not os.path.exists(f"/proc/{pid}") or self.is_zombie(pid), "the program's end")

    def refused(self, pid, events, reason):
        result = self.run_it("--no-page", "--record", self.path("refused"), "-e", events, "-p", str(pid),
                             env=self.environment)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertIn(reason, result.stderr)

    @staticmethod
    def children_of(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(number) for number in file.read().split()]

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_the_totals_of_a_killed_perfometer(self):
        """Who comes later has them to the unit; also those that papi_run counts."""
        plan = (LOOPER, "tft", "50000000")
        expected = samples_of(self.record("-e", "PAPI_TOT_INS", *plan, status=7, env=self.environment))[-1]
        for tool in ((PERFOMETER, "--no-page", "--record", self.path("first")),
                     (os.path.join(os.path.dirname(PERFOMETER), "papi_run"),)):
            first = subprocess.Popen([*tool, "-e", "PAPI_TOT_INS", *plan], env=self.environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(self.end, first)

            def runs(first=first):
                # Its second thread is there, so the agent is.
                found = self.children_of(first.pid)
                return found and len(os.listdir(f"/proc/{found[0]}/task")) > 1
            self.wait_until(runs, "the program to run")
            pid = self.children_of(first.pid)[0]
            os.kill(pid, signal.SIGSTOP)
            first.kill()
            first.wait()
            second = self.watch(pid, "PAPI_TOT_INS", "second")
            self.refused(pid, "PAPI_TOT_INS,PAPI_L1_DCM", "what -e asks for cannot be counted")
            os.kill(pid, signal.SIGCONT)
            self.assertEqual((second.communicate(timeout=120)[1], second.returncode), ("", 0))
            messages = read_messages(self.path("second"))
            self.assertEqual(samples_of(messages)[-1], expected)
            self.assertIn(SINCE_ITS_BEGINNING, notices(messages))

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_a_part_of_what_another_counts(self):
        """Its counts alone are not known: that is said."""
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", self.path("first"), "-e", "PAPI_TOT_INS",
                                  "/bin/sh", "-c", '"$0" 2; true', CROWD], env=self.environment, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, meter)
        self.assertEqual(meter.stdout.readline(), "ready\n")
        shell = self.children_of(meter.pid)[0]
        part = self.children_of(shell)[0]
        self.refused(part, "PAPI_TOT_INS", "it is part of a program that another tool has started")
        second = self.watch(shell, "PAPI_TOT_INS", "second")
        meter.communicate(timeout=60)
        self.assertEqual((second.communicate(timeout=60)[1], second.returncode), ("", 0))
        self.assertEqual(samples_of(read_messages(self.path("second")))[-1],
                         samples_of(read_messages(self.path("first")))[-1])

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_a_perfometer_that_is_killed_while_it_watches(self):
        """Its agent leaves by itself, and another comes at once."""
        target = self.start_target(CROWD, "2")
        for name in ("first", "second", "third"):
            meter = self.watch(target.pid, "PAPI_TOT_INS", name)
            self.assertIsNone(meter.poll(), meter.poll() and meter.stderr.read())
            if name != "third":
                meter.kill()
                meter.wait()
        meter.send_signal(signal.SIGINT)
        self.assertEqual((meter.communicate(timeout=60)[1], meter.returncode), ("", 0))
        self.assertIsNone(target.poll())

    def test_two_at_one_program(self):
        """Both have the kernel's events; agents come one at a time, and who is refused harms nobody."""
        target = self.start_target(CROWD, "2")
        names = ("first", "second")
        meters = [self.watch(target.pid, PAGE_FAULTS + (",PAPI_TOT_INS" if is_virtual() and name == "first" else ""),
                             name) for name in names]
        if is_virtual():
            self.refused(target.pid, "PAPI_TOT_INS", "one at a time can")
        before = {name: len(samples_of(self.whole_messages(name))) for name in names}
        for name in names:
            self.wait_until(lambda name=name: len(samples_of(self.whole_messages(name))) > before[name] + 2, "samples")
        for meter in meters:
            self.assertIsNone(meter.poll())
            meter.send_signal(signal.SIGINT)
            self.assertEqual((meter.communicate(timeout=60)[1], meter.returncode), ("", 0))
        self.assertIsNone(target.poll())
        if is_virtual():
            counts = [row["PAPI_TOT_INS"] for row in samples_of(read_messages(self.path("first")))
                      if row["PAPI_TOT_INS"] is not None]
            self.assertEqual(counts[:-1], sorted(counts[:-1]))
            # In the end it is without the system calls in which its threads waited: they are done again.
            self.assertGreaterEqual(counts[-1], counts[-2] - 3)
            self.assertGreater(counts[-1], counts[0])

    def whole_messages(self, name):
        """Those whose lines are whole by now."""
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        with open(self.path(name + "-whole"), "w", encoding="utf-8") as file:
            file.write(text[:text.rfind("\n") + 1])
        return read_messages(self.path(name + "-whole"))

    @staticmethod
    def is_zombie(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return True


if __name__ == "__main__":
    main()
