# SPDX-License-Identifier: BSD-3-Clause
"""The server of perfometer: for those who know the token, other events without a loss, and nonsense refused."""
import contextlib
import itertools
import json
import os
import re
import socket
import subprocess
import threading
import unittest
import urllib.parse

from meter import (HAS_SERVER, is_virtual, LOOPER, main, MeterTest, MINOR_FAULTS, PAGE_FAULTS, read_messages,
                   samples_of, TASK_CLOCK, TOOLS)


def setUpModule():
    if not HAS_SERVER:
        raise unittest.SkipTest("this build of perfometer serves no pages: libmicrohttpd is missing")


class Requests(MeterTest):
    def setUp(self):
        super().setUp()
        self.server = self.meter("-e", PAGE_FAULTS, "--rate", "50", "sleep", "600")

    def tearDown(self):
        self.server.process.terminate()
        self.assertEqual(self.server.wait(), (128 + 15, ""))

    def assert_refused(self, answer, status, *words):
        self.assertEqual(answer[0], status, answer)
        error = json.loads(answer[1])
        self.assertEqual(list(error), ["error"])
        for word in words:
            self.assertIn(word, error["error"])

    def test_the_token_is_asked_for_every_request(self):
        wrong = ("", "0" * 32, self.server.token[:-1], self.server.token + "0", self.server.token.upper() + "x")
        for path in ("/", "/data", "/available", "/metrics", "/nix", "/../../etc/passwd"):
            for token in wrong:
                self.assert_refused(self.server.ask(path, token=token), 403, "token")
        self.assert_refused(self.server.ask("/events", b'{"events": ["nix"]}', token="0"), 403, "token")
        self.assert_refused(self.server.ask("/metrics", token="", headers={"Authorization": "Bearer x"}), 403)
        self.assertEqual(
            self.server.ask("/metrics", token="", headers={"Authorization": f"Bearer {self.server.token}"})[0], 200)

    def test_what_there_is(self):
        for path in ("/nix", "/etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/data/", "//", "/page"):
            self.assert_refused(self.server.ask(path), 404, "no such page")
        for method in ("HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"):
            self.assertEqual(self.server.ask("/", method=method)[0], 405, method)
        self.assertEqual(self.server.ask("/metrics", b"", method="POST")[0], 405)
        self.assert_refused(self.server.ask("/events"), 405, "POST")

    def test_headers(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            connection.sendall(f"GET /available?token={self.server.token} HTTP/1.0\r\n\r\n".encode())
            head = connection.makefile("rb").read().split(b"\r\n\r\n")[0].decode()
        for line in ("Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff"):
            self.assertIn(line, head)
        self.assertIn("Content-Security-Policy: default-src 'none'", head)
        self.assertNotIn("Access-Control", head)

    def test_nonsense(self):
        for body, words in ((b"", "not JSON"), (b"{", "not JSON"), (b"\xff\xfe", "not JSON"), (b"[]", "no list"),
                            (b"{}", "no list"), (b'{"events": "x"}', "no list"), (b'{"events": []}', "empty"),
                            (b'{"events": [1]}', "no name"), (b'{"events": [""]}', "no name"),
                            (b'{"events": ["a\\u0000b"]}', "not JSON"),
                            (json.dumps({"events": ["x" * 257]}).encode(), "no name"),
                            (json.dumps({"events": [str(i) for i in range(65)]}).encode(), "64 at most"),
                            (b'{"events": ["nix"]}', "'nix' cannot be counted"),
                            (b'{"events": ["perf::PAGE-FAULTS", "perf::PAGE-FAULTS"]}', "named twice"),
                            (b"[" * 10000, "not JSON")):
            with self.subTest(body=body[:60]):
                self.assert_refused(self.server.ask("/events", body), 400, words)
        self.assert_refused(self.server.ask("/events", b"x" * 100000), 413, "too long")

    def raw(self, data):
        """What comes back at once from a connection that sends this and then nothing."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            try:
                connection.sendall(data)
                connection.settimeout(0.5)
                return connection.recv(1000)
            except (BrokenPipeError, ConnectionResetError, TimeoutError):
                return b""

    def test_malformed_requests(self):
        for data in (b"", b"\0" * 1000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 200000,
                     b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                     b"POST /events HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     f"POST /events?token={self.server.token} HTTP/1.1\r\nContent-Length: 99\r\n\r\n{{".encode(),
                     b"POST /events HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                     b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10000 + b"\r\n"):
            answer = self.raw(data)
            self.assertNotRegex(answer.split(b"\r\n")[0], rb"HTTP/1\.[01] 2\d\d")
            self.assertEqual(self.server.ask("/metrics")[0], 200)

    def test_available(self):
        status, text = self.server.ask("/available")
        self.assertEqual(status, 200)
        entries = {entry["name"]: entry for entry in json.loads(text)}
        for entry in entries.values():
            self.assertEqual(list(entry), ["name", "description", "kind", "unit", "group", "available", "why"])
            self.assertIn(entry["kind"], ("exact", "modelled", "estimated", "sampled"))
            self.assertIn(entry["group"], ("preset", "native", "metric"))
            self.assertEqual(entry["available"], entry["why"] is None, entry)
        self.assertTrue(entries[PAGE_FAULTS]["available"])
        self.assertEqual(entries["branch_miss_rate"]["group"], "metric")
        self.assertEqual(entries["PAPI_TOT_INS"]["group"], "preset")

    def test_openmetrics(self):
        self.assertEqual(self.server.choose(PAGE_FAULTS, TASK_CLOCK)[0], 202)
        status, text = self.server.ask("/metrics")
        self.assertEqual(status, 200)
        lines = text.splitlines()
        self.assertEqual(lines[1], "# TYPE papi_program_running gauge")
        self.assertRegex(lines[2], r'^papi_program_running\{program="sleep",pid="\d+"\} 1$')
        self.assertEqual(lines[4], "# TYPE papi_event counter")
        self.assertEqual(lines[-1], "# EOF")
        found = [re.fullmatch(r'papi_event_total\{event="(.*?)",worth="exact",unit="(.*?)",program="sleep",pid="\d+"\} '
                              r'\d+', line) for line in lines[5:-1]]
        self.assertEqual([match.groups() for match in found], [(PAGE_FAULTS, ""), (TASK_CLOCK, "ns")])
        # Threads are there for those who ask, and none is known of the kernel's events.
        with_threads = self.server.ask("/metrics", threads="1")[1].splitlines()
        self.assertEqual(with_threads[-2:], ["# TYPE papi_thread_event counter", "# EOF"])
        self.assertEqual(self.server.ask("/metrics", threads="2")[1].splitlines()[:5], lines[:5])

    def test_pages(self):
        """Several at once, each with all that there was; too many are refused."""
        pages = [self.server.data() for _ in range(16)]
        for page in pages:
            types = [next(page)["type"] for _ in range(6)]
            self.assertEqual(types[:3], ["hello", "schema", "thread"])
            self.assertIn("sample", types)
        self.assert_refused(self.server.ask("/data"), 503, "close one")
        for page in pages:
            page.close()
        self.wait_until(self.takes_a_page, "pages to be closed")

    def test_slow_strangers_keep_nobody_out(self):
        """More connections than there may be, which say a request byte after byte, and never all of it."""
        page = self.server.data()
        self.assertEqual(next(page)["type"], "hello")
        strangers = [socket.create_connection(("127.0.0.1", self.server.port), timeout=60) for _ in range(150)]
        over = threading.Event()

        def say():
            for byte in itertools.chain(b"GET /data HTTP/1.1\r\nX: ", itertools.repeat(ord("y"))):
                for stranger in strangers:
                    with contextlib.suppress(OSError):
                        stranger.send(bytes([byte]))
                if over.wait(0.05):
                    return
        saying = threading.Thread(target=say)
        saying.start()
        try:
            for _ in range(50):
                self.assertEqual(self.server.ask("/metrics")[0], 200)
            for _ in range(20):
                self.assertIn("type", next(page))
        finally:
            over.set()
            saying.join()
            for stranger in strangers:
                stranger.close()
            page.close()

    def takes_a_page(self):
        """That a page is gone is noticed with the next sample."""
        page = self.server.data()
        try:
            return next(page)["type"] == "hello"
        except OSError:
            return False
        finally:
            page.close()

    def test_many_connections_leave_nothing(self):
        """Descriptors and memory are what they were."""
        proc = f"/proc/{self.server.process.pid}"

        def memory():
            with open(f"{proc}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096

        def connect(times):
            for i in range(times):
                if i % 4:
                    self.server.ask("/metrics" if i % 2 else "/nix")
                else:
                    self.wait_until(self.takes_a_page, "a page to be taken")

        connect(100)
        self.wait_until(lambda: len(os.listdir(f"{proc}/fd")) < 30, "descriptors to be closed")
        before, files = memory(), len(os.listdir(f"{proc}/fd"))
        connect(1000)
        self.wait_until(lambda: len(os.listdir(f"{proc}/fd")) <= files, "descriptors to be closed")
        # The journal grows meanwhile by some dozen bytes for each sample.
        self.assertLess(memory() - before, 4 << 20)


class Pages(MeterTest):
    """What a page is told while the program runs, and in the end."""

    def test_end(self):
        server = self.meter("-e", PAGE_FAULTS, "--stay", "sh", "-c", "sleep 0.3; exit 3")
        messages = list(server.data())
        self.assertEqual(messages[-1]["type"], "bye")
        again = list(server.data())
        self.assertEqual([message["type"] for message in again], [message["type"] for message in messages])
        self.assertEqual(server.choose(TASK_CLOCK)[0], 409)
        self.assertIn("papi_event_total", server.ask("/metrics")[1])
        server.process.terminate()
        self.assertEqual(server.wait(), (3, ""))

    def test_perfometer_ends_with_its_last_page(self):
        server = self.meter("-e", PAGE_FAULTS, "sleep", "4")
        page = server.data()
        self.assertEqual(next(page)["type"], "hello")
        self.assertEqual([message["type"] for message in page][-1], "bye")
        self.assertEqual(server.wait(), (0, ""))

    def test_a_page_and_the_recording_have_the_same(self):
        path = self.path("recording")
        server = self.meter("-e", PAGE_FAULTS, "--record", path, "--stay", "sleep", "0.3")
        messages = list(server.data())
        server.process.terminate()
        server.wait()
        self.assertEqual(messages, read_messages(path))

    def test_switching(self):
        """An event that stays goes on; the kernel's own go on, too, when nobody looks."""
        server = self.meter("-e", PAGE_FAULTS, "--rate", "100", "sh", "-c", "while :; do ls / > /dev/null; done")
        page = server.data()
        self.assertEqual(server.choose(TASK_CLOCK, PAGE_FAULTS)[0], 202)
        self.assertEqual(server.choose(MINOR_FAULTS)[0], 202)
        self.assertEqual(server.choose(PAGE_FAULTS)[0], 202)
        messages, serials = [], []
        while serials[-1:] != [4] or messages[-1]["type"] != "sample":
            messages.append(next(page))
            if messages[-1]["type"] == "schema":
                serials.append(messages[-1]["serial"])
        page.close()
        self.assertEqual(serials, [1, 2, 3, 4])
        faults = [row[PAGE_FAULTS] for row in samples_of(messages) if PAGE_FAULTS in row]
        self.assertEqual(faults, sorted(faults))
        for message in messages:
            if message["type"] == "sample":
                self.assertEqual(len(message["threads"][0][1]), 2 if message["serial"] == 2 else 1)
        server.process.terminate()
        server.wait()

    def test_a_switch_that_fails_changes_nothing(self):
        server = self.meter("-e", PAGE_FAULTS, "--stay", "sleep", "4")
        self.assertEqual(server.choose(TASK_CLOCK, "nix")[0], 400)
        messages = list(server.data())
        self.assertEqual([message["serial"] for message in messages if message["type"] == "schema"], [1])
        server.process.terminate()
        server.wait()

    def test_events_of_all_threads_that_there_are(self):
        """An event that is asked for later is that of the children, too."""
        server = self.meter("-e", TASK_CLOCK, "sh", "-c", "sh -c 'while :; do ls / > /dev/null; done' & wait")
        self.assertEqual(server.choose(PAGE_FAULTS)[0], 202)
        counted = 0
        for message in server.data():
            if message["type"] == "sample" and message["serial"] == 2:
                counted = message["threads"][0][1][0]
            if counted > 1000:
                break
        server.close()

    def test_a_token_of_a_file(self):
        """Which is not shown, and is what requests have to have."""
        path, token = self.path("token"), "A-long.enough_token~1"
        for end in ("", "\n"):
            with open(path, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o640)) as file:
                file.write(token + end)
            os.chmod(path, 0o640)
            server = self.meter("-e", PAGE_FAULTS, "--token-file", path, "sleep", "600", token=token)
            self.assertEqual(server.ask("/metrics")[0], 200)
            for wrong in (token[:-1], token + "1", token + "\n", ""):
                self.assertEqual(server.ask("/metrics", token=urllib.parse.quote(wrong))[0], 403)
            self.assertEqual(
                server.ask("/metrics", token="", headers={"Authorization": f"Bearer {token}"})[0], 200)
            server.process.terminate()
            self.assertEqual(server.wait(), (143, ""))

    def test_files_that_are_no_token(self):
        path, never = self.path("token"), self.path("never")
        for text, mode, words in (("x" * 15, 0o600, "16 to 128"), ("x" * 129, 0o600, "16 to 128"),
                                  ("x" * 100000, 0o600, "16 to 128"), ("", 0o600, "16 to 128"),
                                  ("x" * 16 + " ", 0o600, "16 to 128"), ("x" * 16 + "\n\n", 0o600, "16 to 128"),
                                  ("x" * 16 + "\n" + "y" * 16, 0o600, "16 to 128"),
                                  ("x" * 16 + "&a=b", 0o600, "16 to 128"),
                                  ("x" * 128 + "\nmore", 0o600, "16 to 128"), ("x" * 20 + "\0", 0o600, "16 to 128"),
                                  ("\u00e4" * 16, 0o600, "16 to 128"),
                                  ("x" * 16, 0o644, "others may read"), ("x" * 16, 0o620, "others may read"),
                                  ("x" * 16, 0o602, "others may read")):
            with self.subTest(text=text[:40], mode=oct(mode)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                os.chmod(path, mode)
                self.assert_no_token(path, never, words)
        os.unlink(path)
        self.assert_no_token(path, never, "No such file")
        os.mkfifo(path, 0o600)
        self.assert_no_token(path, never, "no regular file")
        self.assert_no_token(self.directory, never, "no regular file")
        self.assertFalse(os.path.exists(never))
        result = self.run_it("--no-page", "--record", self.path("r"), "--token-file", path, "true")
        self.assertEqual((result.returncode, "leave out --token-file" in result.stderr), (2, True), result.stderr)

    def assert_no_token(self, path, never, words):
        result = self.run_it("-e", PAGE_FAULTS, "--token-file", path, "touch", never)
        self.assertEqual((result.returncode, result.stdout), (125, ""), result.stderr)
        self.assertIn(words, result.stderr)
        self.assertNotIn("xxxx", result.stderr)

    def test_two_at_once(self):
        servers = [self.meter("-e", PAGE_FAULTS, "sleep", "600") for _ in range(2)]
        self.assertNotEqual(servers[0].token, servers[1].token)
        self.assertEqual(servers[0].ask("/metrics", token=servers[1].token)[0], 403)
        result = self.run_it("--port", str(servers[0].port), "true")
        self.assertEqual(result.returncode, 125)
        self.assertIn("Address already in use", result.stderr)
        for server in servers:
            server.process.terminate()
            self.assertEqual(server.wait(), (143, ""))


@unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
class Switching(MeterTest):
    """Without a loss, to the unit."""

    SETS = (("PAPI_TOT_INS", "PAPI_LD_INS"), ("PAPI_TOT_INS",), ("PAPI_BR_INS", "PAPI_TOT_INS", PAGE_FAULTS),
            ("PAPI_BR_TKN", "PAPI_BR_INS"), ("branch_share", "PAPI_TOT_INS", "PAPI_SR_INS"))

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PAPI_VPMU": "always"}

    def switched(self, turns):
        """The last values of a program during which events were switched 20 times; None: it was too short."""
        path = self.path("recording")
        server = self.meter("-e", "PAPI_TOT_INS", "--record", path, "--stay", LOOPER, "st", turns,
                            env=self.environment)
        answers = [server.choose(*self.SETS[i % len(self.SETS)])[0] for i in range(20)]
        last = server.choose("PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_BR_INS", "PAPI_BR_TKN")[0]
        if last != 202:
            server.process.terminate()
            server.wait()
            return None
        self.assertEqual(answers, [202] * 20)
        list(server.data())
        server.process.terminate()
        self.assertEqual(server.wait(), (7, ""))
        return samples_of(read_messages(path))

    def test_threads_for_prometheus(self):
        """Each once, parts of the whole; what a metric is made of is there, too."""
        server = self.meter("-e", "branch_share", LOOPER, "tt", "100000000000", env=self.environment)
        shape = re.compile(r'papi_thread_event_total\{event="(\w+)",worth="exact",unit="",program="looper",'
                           r'pid="(\d+)",process="(\d+)",tid="(\d+)",thread="looper"\} (\d+)')
        found = []

        def has_both():
            found[:] = shape.findall(server.ask("/metrics", threads="1")[1])
            return len(found) == 4
        self.wait_until(has_both, "both threads")
        self.assertEqual({row[0] for row in found}, {"PAPI_BR_INS", "PAPI_TOT_INS"})
        self.assertEqual(len({row[3] for row in found}), 2)
        self.assertEqual({row[1] for row in found}, {row[2] for row in found})
        text = server.ask("/metrics")[1]
        self.assertNotIn("papi_thread_event", text)
        for event in ("PAPI_BR_INS", "PAPI_TOT_INS"):
            whole = int(re.search(rf'papi_event_total\{{event="{event}".*\}} (\d+)', text)[1])
            self.assertLessEqual(sum(int(row[4]) for row in found if row[0] == event), whole)
        server.close()

    def test_twenty_switches(self):
        turns = 200000000
        rows = self.switched(str(turns))
        while rows is None and turns < 10000000000:
            turns *= 4
            rows = self.switched(str(turns))
        self.assertIsNotNone(rows, "no program is long enough")
        result = subprocess.run([os.path.join(TOOLS, "papi_run"), "--format", "csv", "-e", ",".join(rows[-1]), LOOPER,
                                 "st", str(turns)], capture_output=True, text=True, check=False, env=self.environment)
        for name, value in rows[-1].items():
            self.assertEqual(value, int(re.search(rf"^{name},(\d+),", result.stderr, re.M)[1]), name)
        counts = [row["PAPI_TOT_INS"] for row in rows if row.get("PAPI_TOT_INS") is not None]
        self.assertEqual(counts, sorted(counts))

    def test_modelled_events_have_to_be_asked_for(self):
        server = self.meter("-e", "PAPI_TOT_INS", "sleep", "60", env=self.environment)
        status, text = server.choose("PAPI_L1_DCM")
        self.assertEqual(status, 400)
        self.assertIn("--models", json.loads(text)["error"])
        entries = {entry["name"]: entry for entry in json.loads(server.ask("/available")[1])}
        self.assertFalse(entries["PAPI_L1_DCM"]["available"])
        self.assertTrue(entries["PAPI_LD_INS"]["available"])
        server.process.terminate()
        server.wait()
        server = self.meter("-e", "PAPI_TOT_INS", "--models", "sleep", "60", env=self.environment)
        self.assertEqual(server.choose("PAPI_L1_DCM", "PAPI_BR_MSP")[0], 202)
        server.process.terminate()
        server.wait()

    def test_without_an_agent(self):
        server = self.meter("-e", PAGE_FAULTS, "sleep", "60", env=self.environment)
        status, text = server.choose("PAPI_TOT_INS")
        self.assertEqual(status, 400)
        self.assertIn("translation", json.loads(text)["error"])
        server.process.terminate()
        server.wait()


if __name__ == "__main__":
    main()
