# SPDX-License-Identifier: BSD-3-Clause
"""perfometer replay: a recording is served as the program was, and what is none is refused."""
import json
import unittest

from meter import HAS_SERVER, main, MeterTest, PAGE_FAULTS, PERFOMETER, read_messages


class Replay(MeterTest):
    def write(self, text):
        path = self.path("recording")
        with open(path, "wb") as file:
            file.write(text)
        return path

    def test_refused(self):
        hello = b'{"type":"hello","version":1}\n'
        for text, words in ((b"", "empty"), (b"{}\n", "line 1"), (b"[]\n", "line 1"), (b"x\n", "line 1"),
                            (b'{"type":"bye"}\n', "begins with hello"), (hello + b"x\n", "line 2"),
                            (hello + b'{"t":1}\n', "line 2"), (hello + b"\n", "line 2"),
                            (hello + b"\x1b[31m\xff\n", "line 2"), (b"\0" * 1000 + b"\n", "line 1")):
            with self.subTest(text=text[:40]):
                result = self.run_it("replay", self.write(text))
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn(words, result.stderr)
                self.assertNotIn("\x1b", result.stderr)
        for arguments, status in ((["replay"], 2), (["replay", "a", "b"], 2), (["replay", self.path("nix")], 1),
                                  (["replay", self.directory], 1), (["replay", "--port", "x", "a"], 2)):
            self.assertEqual(self.run_it(*arguments).returncode, status, arguments)

    @unittest.skipUnless(HAS_SERVER, "this build of perfometer serves no pages: libmicrohttpd is missing")
    def test_the_same_messages(self):
        messages = self.record("-e", PAGE_FAULTS, "--rate", "100", "sleep", "0.3")
        server = self.meter("replay", self.path("recording"))
        for _ in range(20):
            self.assertEqual(list(server.data()), messages)
        self.assertEqual(server.choose(PAGE_FAULTS)[0], 409)
        self.assertEqual(server.ask("/available")[0], 409)
        server.process.terminate()
        self.assertEqual(server.wait(), (0, ""))

    @unittest.skipUnless(HAS_SERVER, "this build of perfometer serves no pages: libmicrohttpd is missing")
    def test_cut_off(self):
        """A recording whose perfometer was killed ends with a bye all the same; its last line may be half."""
        messages = self.record("-e", PAGE_FAULTS, "--rate", "100", "sleep", "0.3")
        lines = [json.dumps(message) for message in messages[:-1]]
        server = self.meter("replay", self.write("\n".join(lines + ['{"type":"sam']).encode()))
        shown = list(server.data())
        self.assertEqual(shown[:-1], messages[:-1])
        self.assertEqual((shown[-1]["type"], shown[-1]["t"]), ("bye", messages[-2]["t"]))
        server.process.terminate()
        server.wait()

    @unittest.skipUnless(HAS_SERVER, "this build of perfometer serves no pages: libmicrohttpd is missing")
    def test_lines_of_any_layout(self):
        """Each message is sent in one line, whatever the file has."""
        server = self.meter("replay", self.write(b'{"type":\r"hello", "version" : 1}\r\n'))
        self.assertEqual(next(server.data()), {"type": "hello", "version": 1})
        server.process.terminate()
        server.wait()


if __name__ == "__main__":
    main()
