# SPDX-License-Identifier: BSD-3-Clause
"""The page of perfometer with a program that runs, and with a recording of one: from the first look to a snapshot."""
import os
import re
import signal
import subprocess
import sys

import meter
import pages

# New pages until a file is there.
TOUCHER = """
import mmap, os, sys, time
while not os.path.exists(sys.argv[1]):
    with mmap.mmap(-1, 1 << 20) as memory:
        for at in range(0, 1 << 20, 4096):
            memory[at] = 1
    time.sleep(0.001)
"""


class ProgramTest(pages.PageTest):
    def test_from_the_first_look_to_the_end(self):
        stop, record = os.path.join(self.directory, "stop"), os.path.join(self.directory, "record.jsonl")
        running = meter.Meter("-e", meter.PAGE_FAULTS, "--rate", "20", "--record", record, "--stay",
                              sys.executable, "-c", TOUCHER, stop)
        self.addCleanup(running.close)
        self.window.go(f"{running.base}/?token={running.token}")
        self.ready()
        # Lanes move.
        self.wait_for(lambda: self.window.text("#state"), "live")
        self.wait_for(lambda: bool(re.match(r"[\d.]+ k?/s", self.value())), True)
        total = self.total()
        self.wait_for(lambda: self.total() > total, True)
        # Paused: what is seen stays.
        self.window.press("p")
        self.wait_for(lambda: "paused" in self.window.text("#state"), True)
        shown = self.window.text("#window").split(",")[0]
        total = self.total()
        self.wait_for(lambda: self.total() > total, True)
        self.assertEqual(self.window.text("#window").split(",")[0], shown)
        # The cursor reads a value of the past, while it is paused.
        self.window.press("1")
        read = re.compile(rf"at [\d.]+ s: {meter.PAGE_FAULTS} per second [\d.]+( ?[kMG])?/s +\u00b7 +[\d,]+ in "
                          r"\S+( k)? ms")
        # Where perfometer did not run there is none.
        self.wait_for(lambda: self.window.press("Left") or bool(read.search(self.window.text("#status"))), True)
        self.window.press("Escape", "p")
        # A snapshot is a file of what has come until then.
        total = self.total()
        snapshot = self.window.run("const make = URL.createObjectURL; let kept = null;"
                                   "URL.createObjectURL = blob => { kept = blob; return make.call(URL, blob); };"
                                   "HTMLAnchorElement.prototype.click = () => {};"
                                   "document.getElementById('snapshot').click(); return kept.text()")
        # A click switches the event; the list has what this machine counts.
        self.window.press("/", *"task-clock")
        self.window.run("[...document.querySelectorAll('#event-list .row')].find(row => row.querySelector('.name')"
                        ".textContent === 'perf::TASK-CLOCK').id = 'wanted'")
        self.window.click("#wanted .name")
        self.wait_for(lambda: "perf::TASK-CLOCK per second" in self.window.text("#worth"), True)
        self.wait_for(lambda: bool(re.match(r"[\d.]+ [um]?s/s", self.value())), True)
        self.window.press("Escape", "2", "Home", " ")
        # The end: the totals are those of the recording.
        with open(stop, "w", encoding="ascii"):
            pass
        self.wait_for(lambda: self.window.text("#state"), "the program has ended: exited 0")
        running.process.terminate()
        self.assertEqual(running.wait(), (0, ""))
        last = meter.samples_of(meter.read_messages(record))[-1]
        self.assertEqual(self.total(), last[meter.TASK_CLOCK])
        # And the recording shows the same again.
        page = self.write(self.output_of("perfometer", "page", record))
        self.open(page)
        self.assertIn("a recording; the program has ended: exited 0", self.window.text("#state"))
        self.choose("event", meter.TASK_CLOCK)
        self.assertEqual(self.total(), last[meter.TASK_CLOCK])
        # So does the snapshot.
        self.open(self.write(snapshot, "snapshot.html"))
        self.assertEqual(self.window.text("#state"), "a recording")
        self.assertGreaterEqual(self.total(), total)

    def value(self):
        return (self.window.texts(".lane-value") or [""])[0]

    def total(self):
        """That of the whole program."""
        found = re.match(r"total ([\d,]+)", (self.window.texts(".lane-total") or [""])[0])
        return int(found[1].replace(",", "")) if found else 0

    def red(self):
        """How much of the first lane is of that colour."""
        return self.window.run(
            "const { width, height } = document.querySelector('.u-wrap canvas');"
            "const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });"
            "pen.drawImage(document.querySelector('.u-wrap canvas'), 0, 0);"
            "const all = pen.getImageData(0, 0, width, height).data; let n = 0;"
            "for (let i = 0; i < all.length; i += 4)"
            " n += all[i + 3] > 0 && all[i] > all[i + 1] + 60 && all[i] > all[i + 2] + 60; return n")

    def test_bands_of_a_program_that_comes(self):
        """While perfometer listens: what a program marks, also for a page that comes later."""
        environment = {**os.environ, "PAPI_PERFOMETER": os.path.basename(self.directory), "PAPI_VPMU": "off"}
        running = meter.Meter("--listen", "-e", meter.PAGE_FAULTS, "--rate", "20", env=environment)
        self.addCleanup(running.close)
        address = f"{running.base}/?token={running.token}"
        self.window.go(address)
        self.ready()
        program = meter.Marker(environment)
        self.addCleanup(program.process.wait)
        self.addCleanup(program.process.kill)
        self.assertEqual(program.do("pf"), ["perfometer 1"])
        self.wait_for(lambda: self.window.texts(".lane-name"), [f"marker {program.process.pid}"])
        self.wait_for(lambda: bool(re.match(r"[\d.]+ ?k?/s", self.value())), True)
        self.assertEqual(self.red(), 0)
        program.do("rf")
        self.wait_for(lambda: self.red() > 50, True)
        # Another page, while it goes on.
        self.window.go(address)
        self.ready()
        self.wait_for(lambda: self.red() > 50, True)
        program.do("0f")
        self.window.press("p", "1", "Home", "[")
        self.assertIn("marker", self.window.text("#status"))
        self.window.press("Right")
        self.assertRegex(self.window.text("#status"), "red$")
        self.assertEqual(program.end(), 0)
        self.wait_for(lambda: "ended" in (self.window.texts(".lane-facts") or [""])[0], True)

    def test_a_perfometer_that_is_killed(self):
        """The page says so, keeps what it has, and tries again."""
        running = meter.Meter("-e", meter.PAGE_FAULTS, "--rate", "20", "sleep", "600")
        self.addCleanup(running.close)
        self.window.go(f"{running.base}/?token={running.token}")
        self.ready()
        self.wait_for(lambda: self.window.text("#state"), "live")
        self.wait_for(lambda: self.total() > 0, True)
        running.process.kill()
        self.wait_for(lambda: self.window.text("#state"), "the connection is lost: trying again")
        self.assertEqual(self.window.text("#program"), "sleep 600")
        self.assertGreater(self.total(), 0)
        # The browser tells of the connection, each time that the page tries.
        self.window.go("about:blank")
        self.window.errors()

    def test_a_program_that_is_stopped(self):
        """That is the page's state, also of one that comes meanwhile, until it goes on."""
        running = meter.Meter("-e", meter.PAGE_FAULTS, "--rate", "20", "sh", "-c", "while :; do sleep 0.05; done")
        self.addCleanup(running.close)
        self.window.go(f"{running.base}/?token={running.token}")
        self.ready()
        self.wait_for(lambda: self.window.text("#state"), "live")
        with open(f"/proc/{running.process.pid}/task/{running.process.pid}/children", encoding="ascii") as file:
            program = int(file.read().split()[0])
        os.kill(program, signal.SIGSTOP)
        self.wait_for(lambda: self.window.text("#state"), "live; the program is stopped")
        self.window.go(f"{running.base}/?token={running.token}")
        self.ready()
        self.wait_for(lambda: self.window.text("#state"), "live; the program is stopped")
        os.kill(program, signal.SIGCONT)
        self.wait_for(lambda: self.window.text("#state"), "live")

    def test_totals_are_those_of_papi_run(self):
        if not meter.is_virtual():
            self.skipTest("needs the virtual PMU, whose counts are the same in every run")
        program = [meter.LOOPER, "ss", "100000"]
        always = {**os.environ, "PAPI_VPMU": "always"}
        counted = subprocess.run(
            [os.path.join(meter.TOOLS, "papi_run"), "--format", "csv", "-e", "PAPI_TOT_INS", *program],
            capture_output=True, text=True, check=False, env=always)
        wanted = re.search(r"^PAPI_TOT_INS,(\d+),", counted.stderr, re.M)[1]
        running = meter.Meter("-e", "PAPI_TOT_INS", "--stay", *program, env=always)
        self.addCleanup(running.close)
        self.window.go(f"{running.base}/?token={running.token}")
        self.ready()
        self.wait_for(lambda: self.window.text("#state"), "the program has ended: exited 7")
        self.assertEqual(self.total(), int(wanted))

    def test_a_replay_is_the_recording(self):
        record = os.path.join(self.directory, "record.jsonl")
        subprocess.run([meter.PERFOMETER, "--no-page", "--record", record, "-e", meter.PAGE_FAULTS, "sleep", "0.4"],
                       check=True, capture_output=True)
        replay = meter.Meter("replay", record)
        self.addCleanup(replay.close)
        self.window.go(f"{replay.base}/?token={replay.token}")
        self.ready()
        self.wait_for(lambda: self.window.text("#state"), "the program has ended: exited 0")
        self.assertEqual(self.window.text("#program"), "sleep 0.4")
        self.assertEqual(self.total(), meter.samples_of(meter.read_messages(record))[-1][meter.PAGE_FAULTS])
        # Nothing can be counted in a recording: the browser tells of that answer.
        self.assertEqual([error for error in self.window.errors() if "/available" not in error], [])


if __name__ == "__main__":
    if not meter.HAS_SERVER:
        print("this build of perfometer serves no pages: libmicrohttpd is missing")
        sys.exit(77)
    pages.main()
