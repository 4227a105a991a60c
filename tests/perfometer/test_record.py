# SPDX-License-Identifier: BSD-3-Clause
"""What perfometer records: messages in their order, lanes that come and go, totals that are those of papi_run."""
import json
import os
import re
import resource
import signal
import subprocess
import unittest

from meter import (is_virtual, LOOPER, main, MeterTest, PAGE_FAULTS, PERFOMETER, read_messages, samples_of, TASK_CLOCK,
                   TOOLS)

TURNS = "20000000"
LONG = "200000000"  # enough for a sample to see it


class Messages(MeterTest):
    def test_order(self):
        messages = self.record("-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "--rate", "100", "sh", "-c", "sleep 0.3; exit 3",
                               status=3)
        types = [message["type"] for message in messages]
        self.assertEqual(types[:3], ["hello", "schema", "thread"])
        self.assertEqual(types[-3:], ["sample", "end", "bye"])
        hello, schema, thread = messages[:3]
        self.assertEqual((hello["version"], hello["program"], hello["interval_ms"]),
                         (1, "sh -c sleep 0.3; exit 3", 10))
        self.assertRegex(hello["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual([event["name"] for event in schema["events"]], [PAGE_FAULTS, TASK_CLOCK])
        self.assertEqual((schema["serial"], schema["events"][1]["unit"]), (1, "ns"))
        self.assertEqual((thread["id"], thread["whole"], thread["tid"], thread["name"]), (0, True, 0, "sh"))
        self.assertEqual(messages[-1]["reason"], "the program has ended: exited 3")
        self.assertEqual(messages[-2]["reason"], "exited 3")
        times = [message["t"] for message in messages[1:]]
        self.assertEqual(times, sorted(times))

    def test_totals_only_grow(self):
        rows = samples_of(self.record("-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "--rate", "200", "sh", "-c",
                                      "for i in 1 2 3 4 5 6 7 8; do ls / > /dev/null; done"))
        self.assertGreater(rows[-1][PAGE_FAULTS], 0)
        for before, after in zip(rows, rows[1:]):
            for name in before:
                self.assertLessEqual(before[name], after[name])

    def test_names_from_outside(self):
        name = self.path('a"\\\n\x1b[31m<b>\udcff')
        os.symlink("/bin/sh", name)
        messages = self.record("-e", PAGE_FAULTS, name, "-c", ":")
        self.assertIn('a"\\\n\x1b[31m<b>\ufffd', messages[0]["program"])
        self.assertEqual(messages[2]["process"], 'a"\\\n\x1b[31m<b>\ufffd')

    def test_signals(self):
        messages = self.record("-e", PAGE_FAULTS, "sh", "-c", "kill -KILL $$", status=137)
        self.assertEqual(messages[-1]["reason"], "the program has ended: killed by signal 9")

    def test_a_stopped_program(self):
        # The recording has the command, too, which is not to be found.
        messages = self.record("-e", PAGE_FAULTS, "sh", "-c", "(sleep 0.2; kill -CONT $$) & kill -STOP $$; "
                               f"until grep -q 'program g[o]es on' {self.path('recording')}; do sleep 0.05; done")
        texts = [message["text"] for message in messages if message["type"] == "notice"]
        self.assertIn("the program was stopped by a signal", texts)
        self.assertIn("the program goes on", texts)

    def test_a_stopped_perfometer(self):
        path = self.path("recording")
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", path, "-e", PAGE_FAULTS, "sh", "-c",
                                  f"until test -e {self.path('go')}; do sleep 0.05; done"])
        self.addCleanup(meter.wait)
        self.wait_for_text(path, '"sample"')
        meter.send_signal(signal.SIGSTOP)
        subprocess.run(["sleep", "1.5"], check=True)
        meter.send_signal(signal.SIGCONT)
        self.wait_for_text(path, '"gap"')
        with open(self.path("go"), "w", encoding="utf-8"):
            pass
        self.assertEqual(meter.wait(timeout=60), 0)
        gaps = [message for message in read_messages(path) if message["type"] == "gap"]
        self.assertEqual(len(gaps), 1)
        self.assertGreater(gaps[0]["until"], gaps[0]["t"] + 1)
        self.assertIsNone(gaps[0]["ids"])


class Refused(MeterTest):
    def assert_refused(self, arguments, status, *words):
        result = self.run_it(*arguments)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertLessEqual(len(result.stderr.splitlines()), 2)

    def test_command_line(self):
        for arguments, words in (
                ((), "there is no PROGRAM"), (("-p", "1", "true"), "leave out PROGRAM"), (("-p", "x"), "'x'"),
                (("--rate", "0", "true"), "--rate"), (("--rate", "1001", "true"), "--rate"),
                (("--port", "70000", "true"), "--port"), (("--no-page", "true"), "--record"),
                (("--no-page", "--stay", "--record", "x", "true"), "--stay"), (("-e", "", "true"), "-e"),
                (("-e", "a,,b", "true"), "-e"), (("--nix", "true"), "--nix")):
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments, 2, words)
                self.assertFalse(os.path.exists("x"))

    def test_events(self):
        never = self.path("never")
        for name, words in (("PAPI_TOT_INX", "did you mean"), ("nix", "'nix' cannot be counted"),
                            (f"{PAGE_FAULTS},{PAGE_FAULTS}", "named twice"),
                            ("\x1b[31mPAPI", "'?[31mPAPI' cannot be counted")):
            with self.subTest(name=name):
                self.assert_refused(("--no-page", "--record", self.path("r"), "-e", name, "touch", never), 2, words)
        self.assertFalse(os.path.exists(never))

    def test_programs(self):
        options = ("--no-page", "--record", self.path("r"), "-e", PAGE_FAULTS)
        self.assert_refused((*options, self.path("no-such-program")), 127, "no-such-program")
        self.assert_refused((*options, self.directory), 126, "directory")
        self.assert_refused(("--no-page", "--record", "/no/such/place", "true"), 125, "/no/such/place", "was not run")
        self.assert_refused((*options, "-p", "999999999"), 125, "999999999")

    def test_a_full_disk(self):
        """The program goes on, and that the recording is not whole decides when nothing else has gone wrong."""
        result = self.run_it("--no-page", "--record", "/dev/full", "-e", PAGE_FAULTS, "sh", "-c", "echo here >&2")
        self.assertEqual(result.returncode, 125)
        self.assertIn("the recording /dev/full ends here: No space left on device", result.stderr)
        self.assertIn("here", result.stderr)
        limited = self.run_it("--no-page", "--record", self.path("r"), "-e", PAGE_FAULTS, "--rate", "1000", "sleep",
                              "0.5", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(limited.returncode, 125)
        self.assertIn("File too large", limited.stderr)


class Running(MeterTest):
    """A process that runs already."""

    def test_until_it_ends(self):
        target = subprocess.Popen(["sh", "-c", "read line; ls / >/dev/null; ls / > /dev/null"], stdin=subprocess.PIPE)
        path = self.path("recording")
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", path, "-e", PAGE_FAULTS, "-p", str(target.pid)])
        self.wait_for_text(path, '"sample"')
        target.communicate(b"\n")
        self.assertEqual(meter.wait(timeout=60), 0)
        messages = read_messages(path)
        self.assertEqual(messages[-1]["reason"], "the process has ended")
        rows = samples_of(messages)
        self.assertGreater(rows[-1][PAGE_FAULTS], rows[0][PAGE_FAULTS])

    def test_until_a_signal_comes(self):
        target = subprocess.Popen(["sleep", "60"])
        self.addCleanup(target.wait)
        self.addCleanup(target.kill)
        path = self.path("recording")
        for number in (signal.SIGINT, signal.SIGTERM):
            meter = subprocess.Popen(
                [PERFOMETER, "--no-page", "--record", path, "-e", PAGE_FAULTS, "-p", str(target.pid)])
            self.wait_for_text(path, '"sample"')
            meter.send_signal(number)
            self.assertEqual(meter.wait(timeout=60), 0)
            self.assertEqual(read_messages(path)[-1]["reason"], "the watch was ended")
            os.unlink(path)
        self.assertIsNone(target.poll())


@unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
class Virtual(MeterTest):
    EVENTS = ["PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_INS", "PAPI_BR_TKN"]

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PAPI_VPMU": "always"}

    def papi_run(self, *command):
        result = subprocess.run([os.path.join(TOOLS, "papi_run"), "--format", "csv", "-e", ",".join(self.EVENTS),
                                 *command], capture_output=True, text=True, check=False, env=self.environment)
        return {name: int(re.search(rf"^{name},(\d+),", result.stderr, re.M)[1]) for name in self.EVENTS}

    def test_totals_are_those_of_papi_run(self):
        """Threads, children, children that are killed, programs in their place."""
        for plan in ("s", "st", "ttt", "sfqk", "tvs", "sx"):
            with self.subTest(plan=plan):
                command = (LOOPER, plan, TURNS)
                messages = self.record("-e", ",".join(self.EVENTS), "--rate", "100", *command, status=7,
                                       env=self.environment)
                self.assertEqual(samples_of(messages)[-1], self.papi_run(*command))
                self.assertEqual([message for message in messages if message["type"] == "notice"], [])

    def test_lanes(self):
        """Each thread has its own; all together are never more than the whole."""
        messages = self.record("-e", "PAPI_TOT_INS", "--rate", "200", LOOPER, "stf", LONG, status=7,
                               env=self.environment)
        threads = {message["id"]: message for message in messages if message["type"] == "thread"}
        ends = {message["id"] for message in messages if message["type"] == "end"}
        self.assertEqual(set(threads), ends)
        self.assertEqual([thread["whole"] for thread in threads.values()], [True] + [False] * 3)
        self.assertEqual([thread["process"] for thread in threads.values()], ["looper"] * 4)
        self.assertEqual(len({thread["pid"] for thread in threads.values()}), 2)
        # What each has counted in the end is told before its end, and is all that there was.
        last = {lane: samples_of(messages, lane)[-1]["PAPI_TOT_INS"] for lane in threads}
        self.assertLessEqual(sum(last.values()) - last[0], last[0])
        # A thread's very last instructions may be counted after it has been added up.
        self.assertGreater(sum(last.values()) - last[0], last[0] - 1000)
        for message in messages:
            if message["type"] == "sample" and message["threads"][0][1][0] is not None:
                values = dict((row[0], row[1][0]) for row in message["threads"])
                self.assertLessEqual(sum(values.values()) - values[0], values[0])

    def test_nothing_is_known_of_a_static_program(self):
        static = os.path.join(os.path.dirname(LOOPER), "looper_static")
        if not os.path.exists(static):
            self.skipTest("this libc makes no static programs")
        result = self.run_it("--no-page", "--record", self.path("r"), "-e", "PAPI_TOT_INS", static, "s", "1",
                             env=self.environment)
        self.assertEqual(result.returncode, 125)
        self.assertIn("static", result.stderr)

    def test_a_child_that_is_not_counted_is_told(self):
        static = os.path.join(os.path.dirname(LOOPER), "looper_static")
        if not os.path.exists(static):
            self.skipTest("this libc makes no static programs")
        messages = self.record("-e", "PAPI_TOT_INS", "sh", "-c", f"{static} s 1000; true", env=self.environment)
        texts = [message["text"] for message in messages if message["type"] == "notice"]
        self.assertEqual(len(texts), 1)
        self.assertIn("looper_static is not counted", texts[0])

    def test_metrics(self):
        messages = self.record("-e", "branch_share,PAPI_TOT_INS", "--rate", "100", LOOPER, "s", "300000000", status=7,
                               env=self.environment)
        events = next(message for message in messages if message["type"] == "schema")["events"]
        self.assertEqual([(event["metric"], event["unit"]) for event in events], [(True, "%"), (False, "")])
        shares = [row["branch_share"] for row in samples_of(messages) if row["branch_share"] is not None]
        # Half of the loop's instructions branch, and a sample in its middle sees nothing else.
        self.assertTrue(any(abs(share - 50) < 1e-6 for share in shares), shares)

    def test_killed_perfometer(self):
        """The program goes on."""
        path = self.path("recording")
        command = f"{LOOPER} s {TURNS}; echo $? > {self.path('status')}"
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", path, "-e", "PAPI_TOT_INS", "sh", "-c", command],
                                 env=self.environment)
        self.wait_for_text(path, '"sample"')
        meter.kill()
        meter.wait()
        self.wait_for_text(self.path("status"), "7\n")


@unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
class Entered(MeterTest):
    """Virtual events of a process that runs already."""

    EVENTS = ["PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_INS"]
    WORKER = os.path.join(os.path.dirname(LOOPER), "worker")

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PAPI_VPMU": "always"}
        self.target = subprocess.Popen([self.WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.target.stdout.readline(), "ready\n")

    def end(self):
        self.target.kill()
        self.target.communicate()

    def ask(self, number):
        self.target.stdin.write(f"{number}\n")
        self.target.stdin.flush()
        self.assertEqual(self.target.stdout.readline(), "done\n")

    def sleeps(self):
        with open(f"/proc/{self.target.pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "S"

    def watch(self, number):
        """What perfometer records of that much work."""
        path = self.path("recording")
        if os.path.exists(path):
            os.unlink(path)
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", path, "--rate", "50", "-e",
                                  ",".join(self.EVENTS), "-p", str(self.target.pid)], stderr=subprocess.PIPE, text=True,
                                 env=self.environment)
        self.wait_until(lambda: meter.poll() is not None or
                        (os.path.exists(path) and any(row["PAPI_TOT_INS"] for row in self.rows(path))), "counts")
        if meter.poll() is not None:
            reason = meter.communicate()[1]
            if re.search("without libdw|may not be traced|cannot be stopped", reason):
                self.skipTest(reason)
        self.ask(number)
        self.wait_until(self.sleeps, "the program to wait again")
        meter.send_signal(signal.SIGINT)
        self.assertEqual((meter.communicate(timeout=60)[1], meter.returncode), ("", 0))
        return read_messages(path)

    @staticmethod
    def rows(path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
        return samples_of([json.loads(line) for line in lines])

    def test_work(self):
        """Differences are those of papi_run -p, which are those counted from within (test_attach.py)."""
        self.ask(1)
        self.watch(1)
        self.ask(1)
        few, many = (samples_of(self.watch(number))[-1] for number in (1001, 2000))
        again = samples_of(self.watch(1001))[-1]
        self.assertEqual(few, again)
        for name, least in zip(self.EVENTS, (999, 0, 0, 999)):
            self.assertGreaterEqual(many[name] - few[name], least)
            self.assertEqual((many[name] - few[name]) % 999, 0, name)

    def test_messages(self):
        messages = self.watch(1000)
        self.assertEqual([message["reason"] for message in messages if message["type"] == "end"],
                         ["no longer watched"] * 2)
        notices = [message["text"] for message in messages if message["type"] == "notice"]
        self.assertRegex(notices[0], r"^virtual events are counted from \d+\.\d s after the process began$")
        self.assertIsNone(self.target.poll())
        self.ask(7)

    def test_killed_perfometer(self):
        """The program goes on, and can be watched again."""
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", self.path("killed"), "-e", "PAPI_TOT_INS", "-p",
                                  str(self.target.pid)], env=self.environment, stderr=subprocess.DEVNULL)
        self.wait_for_text(self.path("killed"), '"sample"')
        meter.kill()
        meter.wait()
        self.ask(1000)
        self.assertGreater(samples_of(self.watch(1000))[-1]["PAPI_TOT_INS"], 1000)

    def test_not_two_at_once(self):
        meter = subprocess.Popen([PERFOMETER, "--no-page", "--record", self.path("first"), "-e", "PAPI_TOT_INS", "-p",
                                  str(self.target.pid)], env=self.environment)
        self.addCleanup(meter.wait)
        self.addCleanup(meter.terminate)
        self.wait_for_text(self.path("first"), '"sample"')
        result = self.run_it("--no-page", "--record", self.path("second"), "-e", "PAPI_TOT_INS", "-p",
                             str(self.target.pid), env=self.environment)
        self.assertEqual(result.returncode, 125)
        self.assertIn("perfometer", result.stderr)


if __name__ == "__main__":
    main()
