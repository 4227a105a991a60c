# SPDX-License-Identifier: BSD-3-Clause
"""The page of perfometer in a browser without a screen."""
import os
import re
import shutil
import sys
import tempfile
import time
import unittest

import browser
import harness
import page_server

DATA = re.compile(r'(<script type="text/plain" id="data">).*?(?=</script>)', re.S)
PATIENCE = 60  # seconds; for what is said to arrive, on a machine that does other things


def missing():
    """Why there is no page to be looked at; None if there is one."""
    result = harness.run("perfometer", "page", "/dev/null")
    if "this build has no page" in result.stderr:
        return "this build of perfometer has no page: it needs npm (tools/dev/setup.sh check-all)"
    return browser.missing()


class PageTest(harness.ToolTest):
    """One browser for all tests of a class; what the page complains of is an error."""
    window = None
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.window = browser.Browser(dark=cls.dark)

    @classmethod
    def tearDownClass(cls):
        if cls.window:
            cls.window.close()

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="papi-perfometer-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.window.errors()

    def tearDown(self):
        self.assertEqual(self.window.errors(), [])

    def page_of(self, recording):
        """What perfometer page makes of a recording."""
        path = os.path.join(self.directory, "recording.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in recording.lines()))
        return self.output_of("perfometer", "page", path)

    def write(self, text, name="page.html"):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def show(self, recording):
        """Opens the page of a recording."""
        self.open(self.write(self.page_of(recording)))

    def open(self, path):
        self.window.open(path)
        self.ready()

    def serve(self, recording, available=()):
        """Opens a page that is connected to a server of the test's own."""
        server = page_server.Server(DATA.sub(r"\1", self.page_of(recording)), available)
        self.addCleanup(server.close)
        server.say(*recording.lines())
        self.window.go(server.address)
        self.ready()
        self.wait_for(lambda: self.window.text("#program"), recording.messages[0]["program"])
        return server

    def ready(self):
        self.window.settle()
        self.assertEqual(self.window.run("return document.documentElement.dataset.ready"), "yes")
        self.window.settle()

    def wait_for(self, look, wanted):
        """Until it is what is wanted; there is no time within which a page must have got a message."""
        end = time.monotonic() + PATIENCE
        while (seen := look()) != wanted and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(seen, wanted)

    def choose(self, menu, value):
        """As if somebody took an option of a menu."""
        self.window.run("const menu = document.getElementById(arguments[0]); menu.value = arguments[1];"
                        "menu.dispatchEvent(new Event('change'))", menu, value)
        self.window.settle()

    def lanes(self):
        """Those in sight: {name: its value}, of twins the last."""
        return dict(zip(self.window.texts(".lane-name"), self.window.texts(".lane-value")))

    def cursor(self, part):
        """Puts the mouse where that part of the window is."""
        left, width = self.window.run(
            "const lane = document.querySelector('.u-over').getBoundingClientRect();"
            "return [lane.left - lanes.getBoundingClientRect().left, lane.width]")
        self.window.point("#lanes", left + part * width, 30)

    def window_shown(self):
        """The part of the time that is shown, in seconds."""
        found = re.match(r"(\S+) s to (\S+) s, of", self.window.text("#window"))
        return float(found[1]), float(found[2])


def main():
    why = missing()
    if why:
        print(why)
        sys.exit(77)
    harness.main()


__all__ = ["PageTest", "main", "unittest"]
