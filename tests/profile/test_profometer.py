# SPDX-License-Identifier: BSD-3-Clause
"""profometer: where its page is, which browser is started, and what is left when something fails."""
import os
import stat
import subprocess

import harness
import test_page


class ProfometerTest(test_page.PageTest):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.directory, "tmp")
        self.log = os.path.join(self.directory, "log")
        os.mkdir(self.folder)

    def browser(self, name, status=0):
        """A program that notes how it was called."""
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$0" "$@" >>"{self.log}"\necho chatter\nexit {status}\n')
        os.chmod(path, 0o755)
        return path

    def calls(self):
        """What the browsers have noted: [[name, words...]...]."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            found = [line.split() for line in file]
        os.unlink(self.log)
        return [[os.path.basename(words[0]), *words[1:]] for words in found]

    def show(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
        return subprocess.run([os.path.join(harness.TOOLS, "profometer"), *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False, cwd=self.directory,
                              env={**environment, "TMPDIR": self.folder, **variables})

    def test_the_page_is_opened(self):
        self.make_calls()
        result = self.show(self.path, BROWSER=self.browser("good") + " -new %s tab")
        self.assertEqual((result.returncode, result.stderr), (0, "chatter\n"))
        page = result.stdout.rstrip("\n")
        self.assertEqual(self.calls(), [["good", "-new", page, "tab"]])
        self.assertEqual(os.path.dirname(page), self.folder)
        self.assertEqual(stat.S_IMODE(os.stat(page).st_mode), 0o600)
        with open(page, "rb") as file:
            content = file.read()
        self.assertEqual(test_page.data_of(content), test_page.data_of(test_page.page_of(self.path)))
        # The usual profile, and another file each time.
        again = self.show(BROWSER=self.browser("good"))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotEqual(again.stdout, result.stdout)
        self.assertEqual(self.calls(), [["good", again.stdout.rstrip("\n")]])

    def test_the_next_browser(self):
        self.make_calls()
        browsers = [self.browser("bad", 3), "/nowhere/browser", self.browser("good"), self.browser("never")]
        self.assertEqual(self.show(BROWSER=":".join(browsers)).returncode, 0)
        self.assertEqual([words[0] for words in self.calls()], ["bad", "good"])
        path = f"{self.directory}:{os.environ['PATH']}"
        self.browser("xdg-open")
        for variables in ({"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "w"}, {"DISPLAY": ":0", "BROWSER": browsers[0]}):
            self.assertEqual(self.show(PATH=path, **variables).returncode, 0)
            self.assertEqual(self.calls()[-1][0], "xdg-open")
        self.show(PATH=path)
        self.assertEqual(self.calls(), [], "without a display")

    def test_no_browser(self):
        self.make_calls()
        for variables in ({}, {"BROWSER": ""}, {"BROWSER": ":: :"}, {"BROWSER": "/nowhere/browser"}):
            result = self.show(**variables)
            self.assertEqual(result.returncode, 0)
            self.assertTrue(os.path.exists(result.stdout.rstrip("\n")), result.stdout)
            self.assertIn("no browser to start", result.stderr)

    def test_a_file_of_ones_own(self):
        self.make_calls()
        other = self.make_calls(os.path.join(self.directory, "other.db"), factor=2)
        good = self.browser("good")
        for name in ("page.html", "-page.html", "a page.html"):
            result = self.show("--output=" + name, "--compare", other, "-e", "INS", "--no-code", self.path,
                               BROWSER=good)
            self.assertEqual(result.returncode, 0, result.stderr)
            path = os.path.join(self.directory, name)
            self.assertEqual(result.stdout, path + "\n")
            with open(path, "rb") as file:
                profiles = test_page.data_of(file.read())
            self.assertEqual([len(profile["events"]) for profile in profiles], [1, 2])
            self.assertNotIn("sources", profiles[0])
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(set(os.listdir(self.directory)), {"tmp", "log", "good", "papi_profile.db", "other.db",
                                                          "page.html", "-page.html", "a page.html"})

    def test_what_is_refused(self):
        self.make_calls()
        with open(self.path, "rb") as file:
            before = file.read()
        good = self.browser("good")
        for arguments, status, words in ((["gone.db"], 1, ["gone.db", "No such file"]), (["a", "b"], 2, ["'b'"]),
                                         (["--nonsense"], 2, ["nonsense"]), (["-e", "NO", self.path], 1, ["'NO'"]),
                                         (["-o", self.path], 1, ["a profile or another database"]),
                                         (["-o", "tmp"], 1, ["no plain file"]),
                                         (["-o", "gone/page.html"], 1, ["gone/page.html", "No such file"])):
            result = self.show(*arguments, BROWSER=good)
            self.assert_refused(result, status, *words)
            self.assertEqual(result.stdout, "")
        self.assert_refused(self.show(TMPDIR="/nowhere", BROWSER=good), 1, "/nowhere", "No such file")
        self.assertEqual(self.calls(), [])
        self.assertEqual(os.listdir(self.folder), [])
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(), before)


if __name__ == "__main__":
    harness.main()
