# SPDX-License-Identifier: BSD-3-Clause
"""A browser without a screen, by the WebDriver protocol of the W3C and chromedriver: seen, clicked, typed into."""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
        "PageDown": "\ue00f", "Home": "\ue011", "End": "\ue010", "Tab": "\ue004", "Shift": "\ue008"}


def missing():
    """Why there is no browser; None if there is one."""
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(program):
            return f"needs {program} (Debian package {package})"
    return None


class Browser:
    """One window. What the page says to the console is kept: errors()."""

    def __init__(self, width=1280, height=800, dark=False):
        self.home = tempfile.mkdtemp(prefix="papi-browser-")
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True, start_new_session=True,
                                       env={**os.environ, "HOME": self.home})
        self.session = None
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            # Without a sandbox, which a container often does not allow; the pages are the tests' own.
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--user-data-dir={self.home}/data", f"--window-size={width},{height}",
                         "--hide-scrollbars=false", "--force-device-scale-factor=1"]
            if dark:
                arguments.append("--blink-settings=preferredColorScheme=0")
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}}})
            self.session = answer["sessionId"]
        except Exception:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"on port (\d+)", line)
            if found and int(found[1]):
                return int(found[1])
        raise RuntimeError("chromedriver did not start")

    def _call(self, method, path, body=None):
        if self.session:
            path = f"/session/{self.session}{path}"
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        """Ends the browser and what belongs to it."""
        try:
            if self.session:
                self._call("DELETE", "")
        finally:
            # All of the session that began with the driver, which may outlive it and would write into the folder.
            os.killpg(self.driver.pid, signal.SIGKILL)
            self.driver.wait(timeout=60)
            self.driver.stdout.close()
            for _ in range(100):
                shutil.rmtree(self.home, ignore_errors=True)
                if not os.path.exists(self.home):
                    break
                time.sleep(0.05)

    def open(self, path):
        """Shows a file."""
        self.go("file://" + os.path.abspath(path))

    def go(self, address):
        """Shows what is there."""
        self._call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What a function with this body gives; a promise is waited for."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector, x=None, y=None, count=1):
        """In the middle of an element, or at a distance from its left upper corner."""
        box = self.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                       "return [box.left, box.top, box.width, box.height]", selector)
        place = {"x": int(box[0] + (box[2] / 2 if x is None else x)),
                 "y": int(box[1] + (box[3] / 2 if y is None else y)), "type": "pointerMove", "duration": 0}
        self._pointer([place] + count * [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])
        self.settle()

    def point(self, selector, x, y):
        """Moves the mouse to a place at a distance from the left upper corner of an element."""
        left, top = self.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                             "return [box.left, box.top]", selector)
        self._pointer([{"type": "pointerMove", "duration": 0, "x": int(left + x), "y": int(top + y)}])
        self.settle()

    def drag(self, selector, begin, end, y):
        """From one distance to the other."""
        left, top = self.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                             "return [box.left, box.top]", selector)
        moves = [{"type": "pointerMove", "duration": 0, "x": int(left + x), "y": int(top + y)}
                 for x in (begin, (begin + end) / 2, end)]
        self._pointer([moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}])
        self.settle()

    def _pointer(self, actions):
        self._call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions,
                                                     "parameters": {"pointerType": "mouse"}}]})

    def press(self, *keys):
        """Keys one after the other, to what has the focus; with + between them at once: Shift+Right."""
        actions = []
        for key in keys:
            parts = [KEYS.get(part, part) for part in (key.split("+") if len(key) > 1 else [key])]
            actions += [{"type": "keyDown", "value": part} for part in parts]
            actions += [{"type": "keyUp", "value": part} for part in reversed(parts)]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})
        self.settle()

    def settle(self):
        """Waits until the page has been drawn again."""
        self.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def text(self, selector):
        """What is to be read there."""
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def texts(self, selector):
        """The same of all such elements."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)", selector)

    def names(self, selector):
        """The name and the role of all such elements, as readers of the screen get them."""
        found = self._call("POST", "/elements", {"using": "css selector", "value": selector})
        return [(self._call("GET", f"/element/{one[ELEMENT]}/computedlabel"),
                 self._call("GET", f"/element/{one[ELEMENT]}/computedrole")) for one in found]

    def errors(self):
        """What the console has got since the last time, and is no mere remark."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path):
        """Writes a PNG of the window."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", "/screenshot")))
