# SPDX-License-Identifier: BSD-3-Clause
"""The three formats of the report, and where it goes."""
import json
import os
import pty
import re
import subprocess

from run_harness import events_of, main, PAGE_FAULTS, PAPI_RUN, RunTest, TASK_CLOCK, TOUCHER

COUNT = r"\d{1,3}(,\d{3})*"


class Text(RunTest):
    def text(self, *arguments, status=0):
        result = self.run_it(*arguments)
        self.assertEqual((result.returncode, result.stdout), (status, b""), result.stderr)
        return result.stderr.decode()

    def test_table(self):
        lines = self.text("-e", f"{TASK_CLOCK},{PAGE_FAULTS}", TOUCHER, "2000", "s").splitlines()
        head = f"papi_run: {TOUCHER} 2000 s"
        self.assertEqual(lines[:2], ["", head if len(head) <= 79 else head[:76] + "..."])
        self.assertEqual(lines[3].split(), ["Event", "Count", "Unit", "Worth", "Per", "second"])
        self.assertRegex(lines[4], rf"^perf::TASK-CLOCK +{COUNT}\.\d{{3}}  ms +exact +\d\.\d{{3}} s/s$")
        self.assertRegex(lines[5], rf"^perf::PAGE-FAULTS +{COUNT} +exact +\d+\.\d{{3}} [ kMG]/s$")
        self.assertEqual([re.sub(r"\d+\.\d{6}", "N", line).split() for line in lines[7:10]],
                         [["N", "s", "elapsed"], ["N", "s", "user"], ["N", "s", "system"]])
        self.assertEqual(len(lines), 10)

    def test_columns_stand_below_each_other(self):
        text = self.text("-e", f"{TASK_CLOCK},{PAGE_FAULTS},perf::CPU-CLOCK", TOUCHER, "5000", "s")
        head, *rows = text.splitlines()[3:7]
        for title, last in (("Count ", r"\d "), ("Per second", r"s")):
            end = head.index(title) + len(title.strip())
            for row in rows:
                self.assertRegex(row[end - 1:end + 1], f"^{last}$", (title, row))
        for row in rows:
            self.assertEqual(row[head.index("Worth"):].split()[0], "exact", row)

    def test_fits_80_columns(self):
        name = "no_such_pmu_with_a_long_name/event=0x12,umask=0x34,something=0x5678/"
        for options in ((), ("-r", "2"), ("--best-effort", "-e", f"{name},{TASK_CLOCK}"),
                        ("-r", "2", "-e", f"{TASK_CLOCK},PAPI_TOT_INS,PAPI_L1_DCM")):
            text = self.text(*options, "sh", "-c", f"true {'and more ' * 40}")
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_thousands(self):
        text = self.text("-e", PAGE_FAULTS, TOUCHER, "3000", "sssss")
        self.assertRegex(text, r"\nperf::PAGE-FAULTS +15,\d{3} ")

    def test_nothing_of_the_command_reaches_the_terminal(self):
        text = self.text("-e", PAGE_FAULTS, "true", "a\x1b[31mb\n\r\x7f", "two words", "")
        self.assertEqual(text.splitlines()[1], "papi_run: true 'a?[31mb???' 'two words' ''")

    def test_status_in_the_head(self):
        self.assertIn("\nexit status 3\n", self.text("-e", PAGE_FAULTS, "sh", "-c", "exit 3", status=3))
        self.assertIn("\nkilled by signal 9 (Killed)\n",
                      self.text("-e", PAGE_FAULTS, "sh", "-c", "kill -9 $$", status=137))

    def test_repeats(self):
        text = self.text("-r", "4", "-e", f"{TASK_CLOCK},{PAGE_FAULTS}", TOUCHER, "2000", "s")
        self.assertIn("\nmeans of 4 runs, with their relative standard deviation\n", text)
        self.assertRegex(text, rf"\nperf::TASK-CLOCK +{COUNT}\.\d{{3}}  ms .*/s +\+- \d+\.\d\d%\n")
        self.assertRegex(text, r"\d s  elapsed  \+- \d+\.\d\d%\n")


    def test_nothing_of_a_name_reaches_the_terminal(self):
        name = b"no\x1b[31msuch\n\x7f\xff\xc2\x9b"
        result = self.run_it(b"--best-effort", b"-e", name + b"," + PAGE_FAULTS.encode(), b"true")
        self.assertIn(b"\nno?[31msuch???? ", result.stderr)
        result = self.run_it(b"-e", name, b"true")
        self.assertIn(b"'no?[31msuch????' cannot be counted: ", result.stderr)
        self.assertNotIn(b"\x1b", result.stderr)


class Colours(RunTest):
    """On a terminal, unless somebody does not want them."""

    def on_terminal(self, *arguments, **environment):
        main_end, other_end = pty.openpty()
        with os.fdopen(main_end, "rb", buffering=0) as reader:
            result = self.run_it("-e", f"{TASK_CLOCK},rusage:::utime", *arguments, "true", stderr=other_end,
                                 env={**{key: os.environ[key] for key in os.environ if key != "NO_COLOR"},
                                      "TERM": "xterm", **environment})
            os.close(other_end)
            text = b""
            try:
                while piece := reader.read(4096):
                    text += piece
            except OSError:  # the end of what a terminal has
                pass
        self.assertEqual(result.returncode, 0, text)
        return text

    def test_on_a_terminal(self):
        text = self.on_terminal()
        self.assertIn(b"\x1b[1mEvent\x1b[0m ", text)
        self.assertIn(b" \x1b[31mnot counted\x1b[0m", text)
        plain = re.sub(rb"\x1b\[\d+m", b"", text).decode().replace("\r", "")
        for line in plain.splitlines():
            self.assertLessEqual(len(line), 80)
        # Where the columns are does not depend on colours.
        head, clock = plain.splitlines()[3:5]
        self.assertEqual(clock[head.index("Worth"):].split()[0], "exact")

    def test_not_wanted(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn(b"\x1b", self.on_terminal(**environment))
        self.assertIn(b"\x1b", self.on_terminal(NO_COLOR=""))
        self.assertNotIn(b"\x1b", self.on_terminal("--format", "csv"))

    def test_in_a_pipe(self):
        self.assertNotIn(b"\x1b", self.run_it("-e", TASK_CLOCK, "true", env=dict(os.environ, TERM="xterm")).stderr)


class Repeats(RunTest):
    def test_mean_and_deviation(self):
        counter = self.path("counter")
        program = f"n=$(cat {counter}); echo $((n * 3)) > {counter}; exec {TOUCHER} $n s"
        with open(counter, "w", encoding="utf-8") as file:
            file.write("1000\n")
        report = self.report("-r", "3", "-e", PAGE_FAULTS, "sh", "-c", program)
        event = report["events"][0]
        counts = event["counts"]
        self.assertEqual(len(counts), 3)
        self.assertGreaterEqual(counts[1] - counts[0], 1900)
        self.assertGreaterEqual(counts[2] - counts[1], 5900)
        mean = sum(counts) / 3
        deviation = (sum((count - mean) ** 2 for count in counts) / 2) ** 0.5
        self.assertAlmostEqual(event["count"], mean, places=2)
        self.assertAlmostEqual(event["rsd_percent"], 100 * deviation / mean, places=3)
        self.assertGreater(report["elapsed_rsd_percent"], 0)

    def test_the_first_failure_is_the_status(self):
        counter = self.path("counter")
        program = f"n=$(cat {counter}); echo $((n + 1)) > {counter}; [ $n -ne 2 ] || exit 5; [ $n -ne 3 ] || exit 6"
        with open(counter, "w", encoding="utf-8") as file:
            file.write("1\n")
        report = self.report("-r", "4", "-e", PAGE_FAULTS, "sh", "-c", program, status=5)
        self.assertEqual((report["repeats"], report["exit_status"], report["signal"]), (4, 5, None))


class Json(RunTest):
    def test_keys_and_types(self):
        report = self.report("--best-effort", "-e", f"{TASK_CLOCK},{PAGE_FAULTS},perf::NONE", "sh", "-c", "exit 3",
                             status=3)
        self.assertRegex(report["version"], r"^7\.0\.\d+\.\d+$")
        self.assertEqual(report["command"], ["sh", "-c", "exit 3"])
        self.assertEqual([report[key] for key in ("pid", "repeats", "exit_status", "signal", "elapsed_rsd_percent")],
                         [None, 1, 3, None, None])
        for key in ("elapsed_s", "user_s", "system_s"):
            self.assertGreaterEqual(report[key], 0)
        clock, faults, none = report["events"]
        for event in (clock, faults):
            for key in ("count", "enabled_ns", "running_ns"):
                self.assertIsInstance(event[key], int)
            self.assertEqual(event["counts"], [event["count"]])
            self.assertIsNone(event["rsd_percent"])
        self.assertEqual([none[key] for key in ("count", "enabled_ns", "share", "rate", "kind", "domain")], [None] * 6)

    def test_signal(self):
        report = self.report("-e", PAGE_FAULTS, "sh", "-c", "kill -9 $$", status=137)
        self.assertEqual((report["exit_status"], report["signal"]), (137, 9))

    def test_any_bytes_in_the_command(self):
        words = [b"plain", b'quote " backslash \\', b"line\nend\t\x01\x7f", "gr\u00fc\u00df \u20ac \U0001f600".encode(),
                 b"\xff\xfe", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b""]
        report = self.report(b"-e", b"perf::PAGE-FAULTS", b"true", *words)
        self.assertEqual(report["command"][1:4], [word.decode() for word in words[:3]])
        self.assertEqual(report["command"][4], words[3].decode())
        for seen, word in zip(report["command"][5:], words[4:]):
            self.assertEqual(seen, "\ufffd" * len(word))

    def test_any_bytes_in_a_name(self):
        report = self.report(b"--best-effort", b"-e", b'no"such\\\xff', b"true")
        self.assertEqual(report["events"][0]["name"], 'no"such\\\ufffd')
        self.assertTrue(report["events"][0]["error"])

    def test_on_standard_error(self):
        result = self.run_it("--format", "json", "-e", PAGE_FAULTS, "true")
        self.assertEqual(json.loads(result.stderr)["events"][0]["name"], PAGE_FAULTS)


class Csv(RunTest):
    def rows(self, *arguments, status=0):
        path = self.path("report.csv")
        result = self.run_it("--format", "csv", "-o", path, *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        with open(path, encoding="utf-8", newline="") as file:
            return self.read_csv(file.read())

    def test_rows(self):
        rows = self.rows("-e", f"{TASK_CLOCK},{PAGE_FAULTS}", TOUCHER, "1000", "s")
        self.assertEqual(list(rows), [TASK_CLOCK, PAGE_FAULTS, "elapsed", "user", "system"])
        faults = rows[PAGE_FAULTS]
        self.assertGreater(int(faults["count"]), 1000)
        self.assertEqual((faults["kind"], float(faults["share"]), faults["error"]), ("exact", 1, ""))
        self.assertEqual((rows[TASK_CLOCK]["unit"], rows["elapsed"]["unit"]), ("ns", "s"))
        self.assertAlmostEqual(float(faults["rate"]) * float(rows["elapsed"]["count"]) / int(faults["count"]), 1,
                               places=4)

    def test_quotes_and_commas(self):
        name = 'cpu/event="1",umask=2/'
        rows = self.rows("--best-effort", "-e", f"{name},{PAGE_FAULTS}", "sh", "-c", "exit 3", status=3)
        self.assertEqual(rows[name]["count"], "")
        self.assertTrue(rows[name]["error"])

    def test_repeats(self):
        rows = self.rows("-r", "3", "-e", PAGE_FAULTS, TOUCHER, "1000", "s")
        self.assertGreaterEqual(float(rows["elapsed"]["rsd_percent"]), 0)
        self.assertGreaterEqual(float(rows[PAGE_FAULTS]["rsd_percent"]), 0)

    def test_agrees_with_the_other_formats(self):
        columns = {(key, row[key]) for row in [self.rows("-e", PAGE_FAULTS, "true")[PAGE_FAULTS]]
                   for key in ("unit", "kind", "domain")}
        event = events_of(self.report("-e", PAGE_FAULTS, "true"))[PAGE_FAULTS]
        self.assertEqual(columns, {(key, event[key]) for key in ("unit", "kind", "domain")})


class Output(RunTest):
    def test_file(self):
        path = self.path("report")
        with open(path, "w", encoding="utf-8") as file:
            file.write("x" * 100000)
        result = self.run_it("-o", path, "-e", PAGE_FAULTS, "echo", "out")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"out\n", b""))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("\npapi_run: echo out\n"))
        self.assertNotIn("xxx", text)

    def test_file_that_cannot_be_made(self):
        for path in ("/papi/no/such/directory/report", self.directory, ""):
            result = self.run_it("-o", path, "sh", "-c", "echo ran")
            self.assertEqual((result.returncode, result.stdout), (125, b""))
            self.assertIn(f"cannot write the report to '{path}': ".encode(), result.stderr)
            self.assertIn(b"the program was not run", result.stderr)

    def test_full_disk(self):
        for status, expected in ((0, 125), (3, 3)):
            result = self.run_it("-o", "/dev/full", "-e", PAGE_FAULTS, "sh", "-c", f"echo out; exit {status}")
            self.assertEqual((result.returncode, result.stdout), (expected, b"out\n"))
            self.assertIn(b"cannot write the report to /dev/full: No space left on device; the program itself was not "
                          b"affected", result.stderr)

    def test_full_standard_error(self):
        with open("/dev/full", "wb") as full:
            self.assertEqual(self.run_it("-e", PAGE_FAULTS, "true", stderr=full).returncode, 125)
            self.assertEqual(self.run_it("-e", PAGE_FAULTS, "sh", "-c", "exit 3", stderr=full).returncode, 3)

    def test_reader_of_standard_error_has_gone(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            self.assertEqual(self.run_it("-e", PAGE_FAULTS, "sh", "-c", "exit 3", stderr=pipe).returncode, 3)
            self.assertEqual(self.run_it("-e", PAGE_FAULTS, "true", stderr=pipe).returncode, 125)

    def test_slow_reader_of_a_nonblocking_pipe(self):
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        # The program fills the pipe, so that the report does not fit before the reader has come.
        program = f"head -c 1000000 /dev/zero >&2; echo full >{self.path('full')}"
        with os.fdopen(reading, "rb") as pipe:
            process = self.start("-e", PAGE_FAULTS, "sh", "-c", program, stderr=writing)
            os.close(writing)
            self.wait_for_file("full")
            self.wait_until(lambda: not self.children(process.pid), "the program to end")
            data = pipe.read()
        self.assertEqual(process.wait(), 0)
        self.assertTrue(data.endswith(b" s  system\n"), data[-200:])

    def test_two_reports_at_once_stay_apart(self):
        command = f"for i in 1 2 3 4; do {PAPI_RUN} -e {PAGE_FAULTS} {TOUCHER} 100 s & done; wait"
        result = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
        reports = result.stderr.decode().split("\npapi_run: ")
        self.assertEqual((reports[0], len(reports)), ("", 5))
        for report in reports[1:]:
            self.assertTrue(report.endswith(" s  system\n"), report)


if __name__ == "__main__":
    main()
