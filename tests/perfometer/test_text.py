# SPDX-License-Identifier: BSD-3-Clause
"""The view of perfometer in a terminal of 80x24, which tmux is."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import meter
import recordings

PATIENCE = 60  # seconds; for what must come
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|4[0-7])m")
BRAILLE = re.compile("[\u2801-\u28ff]")


def missing():
    """Why nothing can be looked at; None if it can."""
    if not shutil.which("tmux"):
        return "needs tmux (Debian package tmux)"
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write('{"type":"hello"}\n')
        file.flush()
        result = subprocess.run([meter.PERFOMETER, "replay", "--text", file.name], capture_output=True, text=True,
                                check=False, start_new_session=True)
    return "needs ncurses (Debian package libncurses-dev)" if "needs ncurses" in result.stderr else None


class TextTest(meter.MeterTest):
    def setUp(self):
        super().setUp()
        self.socket = self.path("tmux")

    def tmux(self, *arguments, check=True):
        return subprocess.run(["tmux", "-S", self.socket, "-f", os.devnull, *arguments], check=check,
                              capture_output=True, text=True).stdout

    def begin(self, *arguments, columns=80, lines=24, **environment):
        """perfometer in a terminal; what it says when it ends is in the file "said", its status in "status"."""
        given = {"LC_ALL": "C.UTF-8", "NO_COLOR": "", **environment}
        words = [f"{name}='{value}'" for name, value in given.items()] + [meter.PERFOMETER, *arguments]
        script = self.path("script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"env {' '.join(words)} 2>{self.path('said')}\necho $? >{self.path('status.new')}\n"
                       f"mv {self.path('status.new')} {self.path('status')}\nsleep 600\n")
        self.addCleanup(self.tmux, "kill-server", check=False)
        self.tmux("-u", "new-session", "-d", "-x", str(columns), "-y", str(lines), f"sh {script}")

    def screen(self, *arguments):
        return self.tmux("capture-pane", "-p", *arguments)

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def wait_for(self, what):
        """A screen that has this."""
        end = time.monotonic() + PATIENCE
        has = what if callable(what) else re.compile(what, re.M).search
        while not has(screen := self.screen()):
            self.assertLess(time.monotonic(), end, f"waited in vain for {what}:\n{screen}")
            time.sleep(0.05)
        return screen

    def status(self):
        self.wait_until(lambda: os.path.exists(self.path("status")), "the end")
        with open(self.path("status"), encoding="ascii") as file:
            return int(file.read())

    def said(self):
        with open(self.path("said"), encoding="utf-8") as file:
            return file.read()

    def recording(self, made):
        path = self.path("recording.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in made.lines()))
        return path


class ReplayTest(TextTest):
    def replay(self, made=None, **how):
        self.begin("replay", "--text", self.recording(made or recordings.simple()), **how)

    def test_lanes_at_80x24(self):
        self.replay()
        lines = self.wait_for("^worker").split("\n")
        self.assertRegex(lines[0], "^mm 500 +the recording was cut off here")
        self.assertEqual(lines[1], "PAPI_TOT_INS per second, exact")
        self.assertTrue(lines[2].startswith("mm "), lines[2])
        self.assertTrue(lines[3].startswith("20 k/s "), lines[3])
        self.assertTrue(lines[4].startswith("0 to 20 k "), lines[4])
        self.assertTrue(lines[5].startswith("total 150500 "), lines[5])
        self.assertRegex(lines[22], r"^1 of 2 lanes +0 s +10 s$|^1 of 2 lanes +0\.0 s +10\.0 s$")
        self.assertTrue(all(len(line) <= 80 for line in lines))
        # A line goes up to the right; that of the second begins later.
        self.assertTrue(BRAILLE.search(lines[2][70:]))
        self.assertFalse(BRAILLE.search(lines[2][26:50]))
        worker = next(i for i, line in enumerate(lines) if line.startswith("worker"))
        self.assertFalse(any(BRAILLE.search(line[26:40]) for line in lines[worker:worker + 8]))
        self.keys("q")
        self.assertEqual(self.status(), 0)
        self.assertEqual(self.said(), "")
        self.assertEqual(self.screen().strip(), "")  # the terminal is as it was

    def test_keys(self):
        self.replay()
        self.wait_for("^worker")
        self.keys("e")
        self.wait_for("^PAPI_L1_DCM per second, modelled$")
        self.keys("e", "v")
        self.wait_for("^PAPI_TOT_INS per PAPI_L1_DCM, exact$")
        self.keys("v", "?")
        self.wait_for("leave this view")
        self.keys("?", "+", "+", "Home")
        self.wait_for(r"0\.0 s +2\.5 s$")
        self.keys(">")
        self.wait_for(r"0\.6 s +3\.1 s$")
        self.keys("0", "Down", "Z", "F5")
        self.wait_for(r"0(\.0)? s +10(\.0)? s$")
        self.keys("q")
        self.assertEqual(self.status(), 0)

    def test_the_cursor_reads_what_was_counted(self):
        """Sample by sample, as on the page: recordings.simple() has 1,000 + 10 i in interval i."""
        self.replay()
        self.wait_for("^20 k/s ")
        self.keys("Left")
        self.wait_for(r"^at 10\.000 s, in 100 ms")
        self.keys("Left")
        self.wait_for(r"^at 9\.900 s, in 100 ms")
        self.wait_for("^19.9 k/s ")
        self.wait_for(r"^9\.95 k/s")  # the second thread does half of that
        self.assertRegex(self.screen("-e"), r"\x1b\[(?:\d+;)*7")
        self.keys("Right", "Right", "Right")
        self.wait_for(r"^at 10\.000 s, in 100 ms")
        # To where there is no second thread; it comes into sight by itself.
        self.keys("+", "+", "Home", *["Left"] * 72)
        self.wait_for(r"^at 2\.800 s, in 100 ms")
        self.wait_for("^12.8 k/s ")
        screen = self.wait_for(r"^-$")
        self.assertRegex(screen, r"worker *\n- *\n")
        self.keys("Escape")
        self.wait_for("^q quit ")
        self.keys("0")
        self.wait_for("^20 k/s ")
        self.keys("q")
        self.assertEqual(self.status(), 0)

    def test_a_recording_counts_nothing(self):
        self.replay()
        self.wait_for("^worker")
        self.keys("/", "x", "Enter", "Tab")
        self.wait_for("^this is a recording: its events are what they are$")
        self.keys("Escape")
        self.wait_for("^worker")
        self.keys("q")
        self.assertEqual(self.status(), 0)

    def test_a_gap_is_nothing(self):
        self.replay()
        self.wait_for("^worker")
        self.keys("e")
        lines = self.wait_for("^PAPI_L1_DCM").split("\n")
        worker = next(i for i, line in enumerate(lines) if line.startswith("worker"))
        drawn = [set() for _ in range(54)]
        for line in lines[worker:worker + 7]:
            for x, character in enumerate(line[26:]):
                drawn[x] |= {character} if BRAILLE.match(character) else set()
        # From second 5 to 6 of ten, in 54 columns.
        self.assertFalse(any(drawn[x] for x in range(28, 32)), drawn)
        self.assertTrue(drawn[24] and drawn[36], drawn)

    def test_marks_are_a_line_of_each_lane(self):
        self.replay(recordings.picture())
        self.wait_for("^solver 1")
        self.keys("+", "+", "Home")
        # A region that lies in another is on top of it.
        screen = self.wait_for(r"\|assem\w*\|smooth")
        self.keys("0")
        screen = self.wait_for(r"0 s +30 s$")
        # The moments of the whole program are in all lanes: a column of each.
        self.assertGreaterEqual(len(re.findall(r"^.{26}.*\|", screen, re.M)), 2)
        self.assertRegex(self.screen("-e"), r"\x1b\[(?:\d+;)*7")  # reverse video
        self.keys("q")
        self.assertEqual(self.status(), 0)

    def test_sizes(self):
        self.replay(recordings.picture())
        self.wait_for("^solver 1")
        self.tmux("resize-window", "-x", "120", "-y", "50")
        self.wait_for(lambda screen: len(screen.split("\n")[0]) > 100)
        for columns, lines in ((40, 10), (80, 5), (3, 2)):
            self.tmux("resize-window", "-x", str(columns), "-y", str(lines))
            self.wait_for("^per|is too small")
        self.tmux("resize-window", "-x", "80", "-y", "24")
        self.wait_for("^solver 1")
        self.keys("NPage", "NPage")
        self.wait_for("^writer")
        self.keys("q")
        self.assertEqual(self.status(), 0)

    def test_colours(self):
        self.replay()
        self.wait_for("^worker")
        self.assertRegex(self.screen("-e"), COLOUR)

    def test_no_colour(self):
        self.replay(NO_COLOR="1")
        self.wait_for("^worker")
        self.assertNotRegex(self.screen("-e"), COLOUR)

    def test_without_utf_8(self):
        self.replay(LC_ALL="C")
        lines = self.wait_for("^worker").split("\n")
        self.assertIsNone(BRAILLE.search("\n".join(lines)))
        self.assertRegex(lines[2], r"[.':]+$")

    def test_hostile_names(self):
        evil = "\x1b]0;title\x07\x1b[31m\u202e\r\n\t" + "wide \u4f60\u597d " * 40
        made = recordings.Recording(program=evil, events=[{**recordings.INS, "name": evil, "kind": evil, "unit": evil}])
        made.thread(0, 0, name=evil, process=evil)
        for i in range(4):
            made.sample(i, {0: (5,)})
        made.say("notice", t=0.3, level="error", text=evil)
        made.say("bye", t=0.3, reason=evil)
        self.replay(made, NO_COLOR="1")
        self.wait_for(r"^\?\]0;title")
        self.assertNotRegex(self.screen("-e"), COLOUR)
        self.assertNotIn("title", self.tmux("display-message", "-p", "#{pane_title}"))

    def test_a_recording_without_sense(self):
        made = recordings.Recording(events=[])
        made.messages[1:] = [{"type": "schema", "t": 0, "serial": 1, "events": [{}]}, {"type": "sample", "t": 0}]
        self.replay(made)
        self.wait_for("^mm 500")
        self.keys("e", "v", "b", "+", "-", "0", "Home", "End", "Up", "PPage", "q")
        self.assertEqual(self.status(), 0)


class ProgramTest(TextTest):
    def test_a_program(self):
        stop = self.path("stop")
        self.begin("--text", "-e", meter.PAGE_FAULTS, "sh", "-c",
                   f"'printf wr%s itten; while [ ! -e {stop} ]; do sleep 0.05; done; exit 3'")
        self.wait_for(rf"^{meter.PAGE_FAULTS} per second, exact")
        self.wait_for(r"^total [1-9]\d*")
        self.assertNotIn("written", self.screen())
        with open(stop, "w", encoding="ascii"):
            pass
        self.wait_for("the program has ended: exited 3$")
        self.keys("q")
        self.assertEqual(self.status(), 3)
        self.wait_for("^written")
        self.assertEqual(self.said(), "")

    def test_the_program_goes_on_without_the_view(self):
        stop = self.path("stop")
        self.begin("--text", "-e", meter.PAGE_FAULTS, "sh", "-c", f"'while [ ! -e {stop} ]; do sleep 0.05; done'")
        self.wait_for("per second")
        self.keys("q")
        self.wait_for(lambda screen: "per second" not in screen)
        self.assertFalse(os.path.exists(self.path("status")))
        with open(stop, "w", encoding="ascii"):
            pass
        self.assertEqual(self.status(), 0)

    def test_other_events_are_chosen(self):
        """In a list of all; what is counted is that from then on, and the view shows it."""
        self.begin("--text", "--record", self.path("recorded"), "-e", meter.PAGE_FAULTS, "sh", "-c",
                   "'while :; do sleep 0.01; done'")
        self.wait_for(rf"^{meter.PAGE_FAULTS} per second, exact")
        self.keys("/")
        self.wait_for(r"^Events and metrics: (\d+) of \1$")
        self.keys(*"perf:: clock")
        self.wait_for("^search: perf:: clock_")
        screen = self.wait_for(rf"^  {meter.TASK_CLOCK} +exact ")
        self.assertNotIn(meter.PAGE_FAULTS, screen)
        while not re.search(rf"^{meter.TASK_CLOCK}: ", self.screen(), re.M):
            self.keys("Down")
            time.sleep(0.1)
        self.keys("Tab")
        self.wait_for(rf"^\* {meter.TASK_CLOCK} +exact ")
        self.keys("Escape")
        self.wait_for(rf"^{meter.TASK_CLOCK} per second, exact$")
        self.keys("e")
        self.wait_for(rf"^{meter.PAGE_FAULTS} per second, exact$")
        # One alone, and this is no longer counted; then it is the last, which has to stay.
        self.keys("/", *"TASK-CLOCK", "Enter")
        self.wait_for(rf"^{meter.TASK_CLOCK} per second, exact$")
        self.keys("e", "/", *"TASK-CLOCK", "Tab")
        self.wait_for("^it is the only one")
        self.keys(*["BSpace"] * 10, *"no such event", "Enter", "Tab", "Up", "PPage", "BTab", "F5")
        self.wait_for(r"^Events and metrics: 0 of \d+$")
        self.keys("Escape")
        self.wait_for(rf"^{meter.TASK_CLOCK} per second, exact$")
        schemas = [[event["name"] for event in message["events"]]
                   for message in self.recorded() if message["type"] == "schema"]
        self.assertEqual(schemas, [[meter.PAGE_FAULTS], [meter.PAGE_FAULTS, meter.TASK_CLOCK], [meter.TASK_CLOCK]])

    def recorded(self):
        with open(self.path("recorded"), encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]

    @unittest.skipUnless(meter.is_virtual(), "virtual events cannot be counted on this machine")
    def test_what_cannot_be_counted_is_not_chosen(self):
        stop = self.path("stop")
        self.begin("--text", "-e", meter.PAGE_FAULTS, "sh", "-c", f"'while [ ! -e {stop} ]; do sleep 0.05; done'",
                   PAPI_VPMU="always")
        self.wait_for("per second")
        self.keys("/", *"L1_DCM", "Enter")
        screen = self.wait_for(r"^- PAPI_L1_DCM +")
        self.wait_for("^'PAPI_L1_DCM' cannot be counted: ")
        self.assertIn("PAPI_L1_DCM: it cannot be counted: ", screen)
        with open(stop, "w", encoding="ascii"):
            pass
        self.keys("Escape")
        self.wait_for("the program has ended")
        self.keys("/", *"page", "Enter")
        self.wait_for("^nothing is counted any more")
        self.keys("Escape", "q")
        self.assertEqual(self.status(), 0)

    def test_a_process(self):
        process = subprocess.Popen(["sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.begin("--text", "-e", meter.TASK_CLOCK, "-p", str(process.pid))
        self.wait_for("^sleep 600 +live$")
        process.send_signal(signal.SIGSTOP)
        self.wait_for("^sleep 600 +live; the program is stopped$")
        self.wait_for(r"\|$|\|stop")
        process.send_signal(signal.SIGCONT)
        self.wait_for("^sleep 600 +live$")
        self.keys("q")
        self.assertEqual(self.status(), 0)
        self.assertIsNone(process.poll())


class RefusedTest(meter.MeterTest):
    def test_without_a_terminal(self):
        for arguments in (("--text", "true"), ("--text", "-p", str(os.getpid()))):
            result = self.run_it(*arguments, start_new_session=True)
            self.assertEqual((result.returncode, result.stdout), (125, ""))
            self.assertRegex(result.stderr, "^perfometer: --text needs a terminal, and there is none: .+\n$")

    def test_options_that_do_not_go_together(self):
        result = self.run_it("--text", "--stay", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--text without --port serves nothing: leave out --stay", result.stderr)
        result = self.run_it("replay", "--text", "--port", "0", "x")
        self.assertEqual(result.returncode, 2)
        self.assertIn("leave out --port", result.stderr)


if __name__ == "__main__":
    why = missing()
    if why:
        print(why)
        sys.exit(77)
    unittest.main(verbosity=2)
