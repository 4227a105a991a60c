# SPDX-License-Identifier: BSD-3-Clause
"""perfometer --listen and --join: programs that call perfometer(), and ranks, in one recording."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys

import meter
from meter import Marker, MARKER
from prometheus import series_of

MPIRUN = os.environ["MPIRUN"]
LINE, TICK = 6, 7


def frame(kind, payload=b"", version=1):
    return b"PM" + bytes([version, kind]) + struct.pack("<I", len(payload)) + payload


class ListenTest(meter.MeterTest):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PAPI_PERFOMETER": os.path.basename(self.directory),
                            "PAPI_OUTPUT_DIRECTORY": self.directory, "PAPI_VPMU": "off"}
        for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"):
            self.environment.pop(name, None)
        self.record_path = self.path("recording")

    def listen(self, *arguments):
        return self.meter("--listen", "--record", self.record_path, *arguments, env=self.environment)

    def marker(self, *command, **environment):
        started = Marker({**self.environment, **environment}, command or (MARKER,))
        self.addCleanup(self.end, started.process)
        return started

    def messages(self, kind=None):
        """Those of the recording, which may be written just now."""
        with open(self.record_path, encoding="utf-8") as file:
            found = [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]
        return [message for message in found if kind in (None, message["type"])]

    def wait_for(self, condition, what):
        self.wait_until(lambda: condition(self.messages()), what)

    def wait_for_samples(self, lane, number):
        self.wait_for(lambda messages: len(meter.samples_of(messages, lane)) >= number, f"samples of lane {lane}")

    def finish(self, listener):
        listener.process.send_signal(signal.SIGINT)
        self.assertEqual(listener.wait()[0], 0)
        messages = self.messages()
        self.assertEqual(messages[-1]["type"], "bye")
        return messages

    def lanes(self):
        """The ids of whole programs, by name as it is known last."""
        return {message["name"]: message["id"] for message in self.messages("thread") if message["tid"] == 0}

    # ---- programs that call ----

    def test_a_program_comes_marks_and_goes(self):
        listener = self.listen("-e", meter.PAGE_FAULTS)
        program = self.marker()
        self.assertEqual(program.do("p"), ["perfometer 1"])
        self.wait_for_samples(1, 2)
        before = meter.samples_of(self.messages(), 1)[-1][meter.PAGE_FAULTS]
        self.assertEqual(program.do("prfbf0x"), ["perfometer 1", "mark -1"])
        self.assertEqual(program.end(), 0)
        self.wait_for(lambda messages: any(one["type"] == "end" for one in messages), "the end")
        messages = self.finish(listener)
        self.assertEqual(self.lanes(), {f"marker {program.process.pid}": 1})
        self.assertGreaterEqual(meter.samples_of(messages, 1)[-1][meter.PAGE_FAULTS], before + 200)
        marks = [(mark["id"], mark["name"], mark["color"], mark["begin"]) for mark in messages
                 if mark["type"] == "mark"]
        self.assertEqual(marks, [(1, "red", "#d8403b", True), (1, "red", "#d8403b", False),
                                 (1, "#0000ff", "#0000ff", True), (1, "#0000ff", "#0000ff", False)])
        self.assertEqual([message["reason"] for message in messages if message["type"] == "end"], ["ended"])

    def test_regions_are_shown_where_they_are_wanted(self):
        for wanted in ((), ("--regions",)):
            listener = self.listen(*wanted)
            program = self.marker()
            program.do("p[r]")
            self.wait_for(lambda messages: any(one["type"] == "mark" and one["name"] == "red" for one in messages),
                          "a mark")
            program.end()
            self.wait_for(lambda messages: any(one["type"] == "end" for one in messages) and
                          any(one["type"] == "mark" and one["begin"] is False and one["name"] == "red"
                              for one in messages), "the end")
            marks = [(mark["name"], mark["begin"]) for mark in self.finish(listener) if mark["type"] == "mark"]
            regions = [("solve", True), ("red", True), ("solve", False), ("red", False)]
            self.assertEqual(marks, regions if wanted else [regions[1], regions[3]])

    def test_several_at_once_and_one_after_another(self):
        listener = self.listen("-e", meter.PAGE_FAULTS)
        first, second = self.marker(), self.marker()
        first.do("p")
        second.do("p")
        self.wait_for_samples(1, 2)
        self.wait_for_samples(2, 2)
        first.do("r")
        second.do("g")
        first.end()
        self.wait_for(lambda messages: any(one["type"] == "end" and one["id"] == 1 for one in messages), "the end")
        third = self.marker()
        third.do("p")
        self.wait_for_samples(3, 2)
        messages = self.finish(listener)
        marks = {mark["id"]: mark["name"] for mark in messages if mark["type"] == "mark" and mark["begin"]}
        self.assertEqual(marks, {1: "red", 2: "green"})
        # All lanes have the same times.
        self.assertTrue(any({1, 2} == {row[0] for row in message["threads"]} for message in messages
                            if message["type"] == "sample"))
        times = [message["t"] for message in messages if message["type"] == "sample"]
        self.assertEqual(times, sorted(set(times)))
        for program in (second, third):
            self.assertEqual(program.end(), 0)

    def test_programs_do_not_need_it(self):
        program = self.marker()
        self.assertEqual(program.do("pr0"), ["perfometer 0"])
        listener = self.listen()
        # It is found by the next call, and one that was killed is noticed.
        self.assertEqual(program.do("p"), ["perfometer 1"])
        listener.process.kill()
        listener.process.wait()
        # A process that it was about to start has the connection until it executes its program.
        self.wait_until(lambda: program.do("p") == ["perfometer 0"], "nobody")
        self.assertEqual(program.do("rgpr0"), ["perfometer 0"])
        self.assertEqual(program.end(), 0)

    def test_what_a_program_marks_is_in_its_own_recording(self):
        result = subprocess.run([meter.PERFOMETER, "--no-page", "--record", self.record_path, "--regions",
                                 "-e", meter.PAGE_FAULTS, MARKER], input="p\nr\n[\n]\n", capture_output=True,
                                text=True, check=False, env=self.environment, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("perfometer 1", result.stdout)
        marks = [(mark["id"], mark["name"], mark["begin"]) for mark in self.messages("mark")]
        self.assertEqual(marks, [(0, "red", True), (0, "solve", True), (0, "solve", False), (0, "red", False)])

    def test_two_do_not_listen_at_one_place(self):
        self.listen()
        result = self.run_it("--listen", "--no-page", "--record", self.path("other"), env=self.environment)
        self.assertEqual(result.returncode, 125)
        self.assertIn("another perfometer of yours does so already", result.stderr)
        result = self.run_it("--listen", "--no-page", "--record", self.path("other"),
                             env={**self.environment, "PAPI_PERFOMETER": "off"})
        self.assertEqual(result.returncode, 125)
        self.assertIn("PAPI_PERFOMETER=off", result.stderr)

    # ---- ranks ----

    def join(self, listener, *command, **environment):
        joined = subprocess.Popen([meter.PERFOMETER, "--join", f"{listener.base}/?token={listener.token}", *command],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**self.environment, **environment}, start_new_session=True)
        self.addCleanup(self.end_all, joined)
        return joined

    def end_all(self, joined):
        """Also the program, which would outlive what has joined."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(joined.pid, signal.SIGKILL)
        self.end(joined)

    def join_marker(self, listener, rank, *options):
        joined = self.join(listener, *options, "--", MARKER, OMPI_COMM_WORLD_RANK=str(rank))
        self.assertEqual(joined.stdout.readline(), "ready\n")
        return joined

    def test_ranks_are_on_one_page(self):
        listener = self.listen("-e", meter.PAGE_FAULTS)
        ranks = [self.join_marker(listener, rank) for rank in range(4)]
        for joined in ranks:
            joined.stdin.write("p\nr\nf\n")
            joined.stdin.flush()
        names = {f"rank {rank}: marker" for rank in range(4)}
        self.wait_until(lambda: set(self.lanes()) == names, "all ranks")
        for lane in self.lanes().values():
            self.wait_for_samples(lane, 2)
        for joined in ranks:
            _, said = joined.communicate(timeout=60)
            self.assertEqual((joined.returncode, said), (0, ""))
        self.wait_for(lambda messages: len([one for one in messages if one["type"] == "end"]) == 4, "their ends")
        messages = self.finish(listener)
        for name, lane in self.lanes().items():
            self.assertGreaterEqual(meter.samples_of(messages, lane)[-1][meter.PAGE_FAULTS], 100, name)
        self.assertEqual({one["rank"] for one in messages if one["type"] == "thread"}, {0, 1, 2, 3})
        # What they mark is theirs.
        self.assertEqual({one["id"] for one in messages if one["type"] == "mark"}, set(self.lanes().values()))
        self.assertEqual({one["reason"] for one in messages if one["type"] == "end"}, {"exited 0"})

    def test_ranks_of_mpirun(self):
        if not MPIRUN:
            self.skipTest("needs mpirun (Debian package openmpi-bin)")
        listener = self.listen("-e", meter.PAGE_FAULTS)
        environment = {**self.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        result = subprocess.run([MPIRUN, "--oversubscribe", "-np", "4", meter.PERFOMETER, "--join",
                                 f"{listener.base}/?token={listener.token}", "--", "sleep", "0.3"],
                                capture_output=True, text=True, check=False, env=environment, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.wait_for(lambda messages: len([one for one in messages if one["type"] == "end"]) == 4, "their ends")
        self.finish(listener)
        self.assertEqual(set(self.lanes()), {f"rank {rank}: sleep" for rank in range(4)})

    def test_a_switch_is_for_all(self):
        listener = self.listen("-e", meter.PAGE_FAULTS)
        ranks = [self.join_marker(listener, rank) for rank in range(2)]
        self.wait_for_samples(1, 1)
        self.wait_for_samples(2, 1)
        self.assertEqual(listener.choose(meter.TASK_CLOCK, meter.PAGE_FAULTS)[0], 202)
        self.assertEqual(listener.choose("NO_SUCH_EVENT")[0], 400)
        for joined in ranks:
            joined.stdin.write("f\n" * 20)
            joined.stdin.flush()
        for lane in (1, 2):
            self.wait_until(lambda lane=lane: (meter.samples_of(self.messages(), lane)[-1].get(meter.TASK_CLOCK) or 0)
                            > 0, "the clock")
        # One that comes later counts what is asked for by then.
        self.join_marker(listener, 2)
        self.wait_for_samples(3, 2)
        self.wait_until(lambda: meter.samples_of(self.messages(), 3)[-1].get(meter.TASK_CLOCK) is not None, "the clock")
        faults = [sample[meter.PAGE_FAULTS] for sample in meter.samples_of(self.messages(), 1)
                  if sample[meter.PAGE_FAULTS] is not None]
        self.assertEqual(faults, sorted(faults))
        for joined in ranks:
            joined.communicate(timeout=60)
        self.finish(listener)

    def test_threads_of_ranks_are_lanes(self):
        if not meter.is_virtual():
            self.skipTest("needs the virtual PMU, whose events are known for threads")
        self.environment["PAPI_VPMU"] = "always"
        listener = self.listen("-e", "PAPI_TOT_INS")
        joined = [self.join(listener, "-e", "PAPI_TOT_INS", "--", meter.LOOPER, "ss", "100000", PMI_RANK=str(rank))
                  for rank in range(2)]
        for one in joined:
            one.communicate(timeout=60)
            self.assertEqual(one.returncode, 7)
        self.wait_for(lambda messages: len([one for one in messages if one["type"] == "end"
                                            and one["reason"] == "exited 7"]) >= 2, "their ends")
        messages = self.finish(listener)
        lanes = self.lanes()
        totals = {meter.samples_of(messages, lane)[-1]["PAPI_TOT_INS"] for lane in lanes.values()}
        self.assertEqual(set(lanes), {"rank 0: looper", "rank 1: looper"})
        self.assertEqual(len(totals), 1, totals)
        alone = self.record("-e", "PAPI_TOT_INS", meter.LOOPER, "ss", "100000", status=7, env=self.environment)
        self.assertEqual(totals, {meter.samples_of(alone)[-1]["PAPI_TOT_INS"]})

    def test_metrics_of_ranks(self):
        """While they run; of threads only those that are there."""
        if not meter.is_virtual():
            self.skipTest("needs the virtual PMU, whose events are known for threads")
        self.environment["PAPI_VPMU"] = "always"
        listener = self.listen("-e", f"PAPI_TOT_INS,{meter.PAGE_FAULTS},branch_share")
        self.assertEqual(series_of(listener.ask("/metrics")[1]), {})
        joined = [self.join(listener, "-e", "PAPI_TOT_INS", "--", meter.LOOPER, "tt", "100000000000",
                            PMI_RANK=str(rank)) for rank in range(2)]

        def series(threads):
            return [(dict(labels), value)
                    for labels, value in series_of(listener.ask("/metrics", threads=threads)[1]).items()]
        self.wait_until(lambda: len([1 for labels, _ in series("1") if "tid" in labels]) == 8, "threads")
        for labels, value in series("1"):
            rank = int(labels["rank"])
            self.assertEqual(labels["program"], "looper")
            if "tid" in labels:
                self.assertEqual((labels["__name__"], labels["thread"]), ("papi_thread_event_total", "looper"))
                self.assertIn(labels["event"], ("PAPI_TOT_INS", "PAPI_BR_INS"))
                self.assertEqual(labels["process"], labels["pid"])
            elif labels["__name__"] == "papi_program_running":
                self.assertEqual(value, 1)
                with open(f"/proc/{labels['pid']}/stat", encoding="ascii") as file:
                    self.assertEqual(int(file.read().split()[3]), joined[rank].pid)
            else:
                # Not the metric, but what it is made of.
                self.assertIn(labels["event"], ("PAPI_TOT_INS", "PAPI_BR_INS", meter.PAGE_FAULTS))
        self.assertEqual(len(series(None)), 8)
        for one in joined:
            os.killpg(one.pid, signal.SIGKILL)
        self.wait_until(lambda: [value for labels, value in series("1") if "event" not in labels] == [0, 0], "ends")
        # What they had counted by then is known, and nothing of threads.
        self.assertEqual(len(series("1")), 8)

    def test_the_first_that_joins_says_what_is_counted(self):
        listener = self.listen()
        self.join_marker(listener, 0, "-e", meter.MINOR_FAULTS)
        self.wait_for_samples(1, 2)
        self.assertEqual([[event["name"] for event in schema["events"]] for schema in self.messages("schema")][-1],
                         [meter.MINOR_FAULTS])

    def test_the_first_that_joins_asks_for_a_metric(self):
        """What that is made of is for Prometheus, and not on the page."""
        if not meter.is_virtual():
            self.skipTest("needs the virtual PMU")
        self.environment["PAPI_VPMU"] = "always"
        listener = self.listen()
        self.join(listener, "-e", "branch_share", "--", meter.LOOPER, "ss", "100000000000")
        self.wait_for(lambda _: any(sample.get("branch_share") for sample in meter.samples_of(self.messages(), 1)),
                      "a share")
        self.assertEqual([[event["name"] for event in schema["events"]] for schema in self.messages("schema")][-1],
                         ["branch_share"])
        totals = {dict(labels).get("event"): value for labels, value in series_of(listener.ask("/metrics")[1]).items()}
        self.assertEqual(set(totals), {None, "PAPI_BR_INS", "PAPI_TOT_INS"})
        self.assertLess(0, totals["PAPI_BR_INS"])
        self.assertLess(totals["PAPI_BR_INS"], totals["PAPI_TOT_INS"])

    def test_one_that_dies_or_stops_leaves_the_others(self):
        listener = self.listen("-e", meter.PAGE_FAULTS)
        ranks = [self.join_marker(listener, rank) for rank in range(3)]
        for lane in (1, 2, 3):
            self.wait_for_samples(lane, 1)
        lanes = self.lanes()
        os.killpg(ranks[0].pid, signal.SIGKILL)
        ranks[1].send_signal(signal.SIGSTOP)
        gone, stopped, lives = (lanes[f"rank {rank}: marker"] for rank in range(3))
        self.wait_for(lambda messages: any(one["type"] == "end" and one["id"] == gone for one in messages), "its end")
        self.wait_for_samples(lives, len(meter.samples_of(self.messages(), lives)) + 5)
        had = len(meter.samples_of(self.messages(), stopped))
        self.wait_for_samples(lives, len(meter.samples_of(self.messages(), lives)) + 3)
        self.assertEqual(len(meter.samples_of(self.messages(), stopped)), had)
        ranks[1].send_signal(signal.SIGCONT)
        self.wait_for_samples(stopped, had + 2)
        messages = self.finish(listener)
        ends = {one["id"]: one["reason"] for one in messages if one["type"] == "end"}
        self.assertEqual(ends, {gone: "its perfometer has gone", stopped: "no longer watched",
                                lives: "no longer watched"})
        self.assertIn("its lanes end here", "".join(one["text"] for one in messages if one["type"] == "notice"))

    def test_programs_go_on_without_it(self):
        listener = self.listen()
        joined = self.join_marker(listener, 0)
        self.wait_for_samples(1, 1)
        listener.close()
        out, said = joined.communicate("r\nf\n", timeout=60)
        self.assertEqual((joined.returncode, out), (0, "done\ndone\n"))
        self.assertIn("the program goes on without", said)

    # ---- what is refused ----

    def raw(self, listener, token=None, upgrade="papi-perfometer"):
        """A connection that has asked to join, and the status of the answer."""
        connection = socket.create_connection(("127.0.0.1", listener.port), timeout=60)
        self.addCleanup(connection.close)
        connection.sendall(f"GET /join HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: {upgrade}\r\n"
                           f"Authorization: Bearer {token or listener.token}\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(1)
        return connection, int(answer.split()[1])

    def assert_closed(self, connection):
        """There is an end, whatever was said before."""
        connection.settimeout(60)
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass

    def test_malformed_frames_end_their_connection_alone(self):
        listener = self.listen("-e", meter.PAGE_FAULTS)
        hello = frame(LINE, b'{"type":"hello","version":1,"program":"odd"}')
        schema = frame(LINE, b'{"type":"schema","serial":1,"events":[{"name":"perf::PAGE-FAULTS"}]}')
        thread = frame(LINE, b'{"type":"thread","id":0,"pid":1,"tid":0,"process":"odd","name":"odd"}')
        self.join_marker(listener, 5)
        self.wait_for_samples(1, 1)
        for sent in (b"GET / HTTP/1.1\r\n\r\n", frame(LINE, b"{}", version=9), b"PM\x01\x06\xff\xff\xff\xff",
                     b"PM\x01\x07\xff\xff\xff\x00", frame(LINE, b"no message"), frame(LINE, b"{}"), frame(LINE, b"[]"),
                     frame(LINE, b'{"type":"hello","version":2}'), hello + frame(LINE, b'{"type":"schema"}'),
                     hello + schema + frame(LINE, b'{"type":"sample","serial":1}'),
                     hello + frame(LINE, b'{"type":"thread","id":"x"}'), hello + frame(LINE, b"\xff\xfe")):
            connection, status = self.raw(listener)
            self.assertEqual(status, 101)
            connection.sendall(sent)
            self.assert_closed(connection)
        # What is odd, and does no harm: an unknown kind, values of all sorts, an end of nothing.
        connection, _ = self.raw(listener)
        values = b'[[0,["12;",{}]],[0,["9007199254740993"]],[7,[1]],[],5,[0]]'
        connection.sendall(hello + frame(99, b"?") + schema + thread + frame(LINE, b'{"type":"end","id":77}') +
                           frame(LINE, b'{"type":"what"}') + frame(LINE, b'{"type":"mark","id":{},"name":5}') +
                           frame(LINE, b'{"type":"sample","serial":1,"threads":' + values + b"}"))
        lane = 2
        self.wait_for_samples(lane, 1)
        connection.close()
        self.wait_for(lambda messages: any(one["type"] == "end" and one["id"] == lane for one in messages), "its end")
        before = len(meter.samples_of(self.messages(), 1))
        self.wait_for_samples(1, before + 2)
        self.finish(listener)

    # ---- what comes and goes ----

    def connect_as_program(self, sent):
        """To where programs meet a perfometer; gone again at once."""
        name = f"\0papi-perfometer/{os.geteuid()}/{self.environment['PAPI_PERFOMETER']}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            # Waits while the queue is full; a timeout of Python's would make that an error.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 60, 0))
            connection.connect(name)
            for packet in sent:
                # One that was malformed has ended the connection.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    connection.send(packet)

    def test_a_thousand_that_come_and_go_leave_nothing(self):
        """Programs and ranks, most of which go as none should: no descriptor, no process, no file, no memory."""
        # An allocator that overwrites what is freed makes memory of buffers that were none yet, here and there.
        self.environment = {**self.environment, "MALLOC_PERTURB_": "0"}
        listener = self.listen("-e", meter.PAGE_FAULTS, "--regions")
        proc = f"/proc/{listener.process.pid}"
        self.join_marker(listener, 5)
        self.wait_for_samples(1, 1)
        words = lambda first, second, name=b"": struct.pack("<ii", first, second) + name
        hello, mark = frame(1, words(-1, 0, b"odd")), frame(2, words(1, 2))
        region = frame(3, words(1, 0, b"solve"))
        programs = [(), (b"",), (b"PM",), (b"x" * 5000,), (frame(1, b"short"),), (frame(2, words(1, 2)),),
                    (hello, mark, region), (hello, hello), (hello, b"PM\x01\x02\xff\xff\xff\xff"),
                    (hello, frame(99, b"?"), region, frame(4, words(1, 0, b"other")))]
        lines = [b'{"type":"hello","version":1,"program":"odd"}',
                 b'{"type":"schema","serial":1,"events":[{"name":"perf::PAGE-FAULTS"}]}',
                 b'{"type":"thread","id":0,"pid":1,"tid":0,"process":"odd","name":"odd"}',
                 b'{"type":"mark","id":0,"name":"m","begin":true}',
                 b'{"type":"sample","serial":1,"threads":[[0,[5]]]}']
        whole = b"".join(frame(LINE, line) for line in lines)

        def cycles(number):
            for i in range(number):
                self.connect_as_program(programs[i % len(programs)])
                if i % 4 == 0:
                    connection, status = self.raw(listener)
                    self.assertEqual(status, 101)
                    connection.sendall(whole[:len(whole) * (i % 5) // 4])
                    connection.close()

        def state():
            with open(f"{proc}/statm", encoding="ascii") as file:
                memory = int(file.read().split()[1]) * 4096
            with open(f"{proc}/task/{listener.process.pid}/children", encoding="ascii") as file:
                children = len(file.read().split())
            return len(os.listdir(f"{proc}/fd")), children, memory

        def settled(files, children):
            """Nothing is there for those that have gone; the one watcher is that of this test, which is there."""
            now = state()
            return now[0] <= files and now[1] <= children
        cycles(60)
        # The joined one, the watcher of this process, and what they take: it is this much before and after.
        self.wait_until(lambda: state()[0] < 40 and state()[1] <= 1, "descriptors to be closed")
        files, children, memory = state()
        cycles(1000)
        self.wait_until(lambda: settled(files, children), "descriptors to be closed")
        # What is kept for pages that come later are some hundred bytes of each lane.
        self.assertLess(state()[2] - memory, 6 << 20)
        # Nothing was written but the recording.
        self.assertEqual([name for name in os.listdir(self.directory) if not name.startswith("recording")], [])
        before = len(meter.samples_of(self.messages(), 1))
        self.wait_for_samples(1, before + 2)
        self.finish(listener)

    def test_metrics_of_a_joiner_that_lies(self):
        """Whatever it says, what Prometheus reads is well-formed, without what is no total."""
        listener = self.listen("-e", f"{meter.PAGE_FAULTS},{meter.TASK_CLOCK}")
        connection, _ = self.raw(listener)
        program = '} 1\n# EOF\n\u001b[2J\\"' + "\u00e4" * 300
        connection.sendall(
            frame(LINE, b'{"type":"hello","version":1,"program":"odd"}') +
            frame(LINE, json.dumps({"type": "thread", "id": 0, "pid": -1, "process": program, "rank": 1e9}).encode()) +
            frame(LINE, json.dumps({"type": "thread", "id": 1, "tid": 3, "name": program}).encode()) +
            frame(LINE, b'{"type":"thread","id":2,"pid":5,"tid":0,"process":"odd","rank":3}') +
            frame(LINE, json.dumps({"type": "schema", "serial": 1, "events": [
                {"name": meter.PAGE_FAULTS}, {"name": meter.TASK_CLOCK}]}).encode()) +
            frame(LINE, b'{"type":"sample","serial":1,'
                        b'"threads":[[0,[-5,1e300]],[1,["9007199254740993","-3"]],[2,[1.5,0]]]}'))
        self.wait_until(lambda: "9007199254740993" in listener.ask("/metrics", threads="1")[1], "its values")
        found = [(dict(labels), value)
                 for labels, value in series_of(listener.ask("/metrics", threads="1")[1]).items()]
        # Another rank, or none, is said by the newest.
        self.assertEqual({labels["rank"] for labels, _ in found}, {"3"})
        self.assertEqual([value for labels, value in found if "event" in labels], [0, float(9007199254740993)])
        self.assertEqual({labels["lane"] for labels, _ in found}, {"1", "2", "3"})
        names = {labels["program"] for labels, _ in found}
        self.assertEqual(len(names), 1)
        name = names.pop()
        self.assertTrue(name.startswith('} 1?# EOF??[2J\\"\u00e4'), name)
        self.assertLess(len(name), 256)

    def test_who_may_join(self):
        listener = self.listen()
        self.assertEqual(self.raw(listener, token="0" * 32)[1], 403)
        self.assertEqual(self.raw(listener, upgrade="websocket")[1], 400)
        alone = self.meter("--stay", "true", env=self.environment)
        self.assertEqual(self.raw(alone)[1], 409)
        result = self.run_it("--join", f"{listener.base}/?token={'0' * 32}", "true", env=self.environment)
        self.assertEqual(result.returncode, 125)
        self.assertIn("the token is wrong", result.stderr)
        self.assertNotIn("0" * 32, result.stderr)

    def test_addresses_that_are_none(self):
        for address in ("", "x", "http://", "127.0.0.1:80", "http://127.0.0.1/?token=a", "http://h:1/?token=",
                        "http://h:123456/?token=a", "http://[::1:80/?token=a", "http://h:1/?token=a\r\nX: y"):
            result = self.run_it("--join", address, "true", env=self.environment)
            self.assertEqual(result.returncode, 125, address)
            self.assertIn("an address is what", result.stderr)
        result = self.run_it("--join", "http://127.0.0.1:1/?token=0123", "true", env=self.environment)
        self.assertIn("cannot join http://127.0.0.1:1/: ", result.stderr)

    def test_mistakes_of_the_command_line(self):
        for arguments, words in ((("--listen", "true"), "leave out PROGRAM"), (("--listen", "-p", "1"), "leave out -p"),
                                 (("--join", "a", "--text", "true"), "leave out --text"),
                                 (("--listen", "--join", "a"), "leave out --join"),
                                 (("--no-page", "--open", "true"), "no page for --open"),
                                 (("--listen", "--no-page"), "--record"), (("--join", "a"), "no PROGRAM")):
            result = self.run_it(*arguments, env=self.environment)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr)

    # ---- where the page is ----

    def test_bind(self):
        started = subprocess.Popen([meter.PERFOMETER, "--bind", "0.0.0.0", "--stay", "true"], text=True,
                                   stderr=subprocess.PIPE, env=self.environment, start_new_session=True)
        self.addCleanup(self.end, started)
        address = started.stderr.readline()
        self.assertRegex(address, rf"^perfometer: http://{re.escape(socket.gethostname())}:\d+/\?token=[0-9a-f]+\n$")
        self.assertIn("everybody on the network", started.stderr.readline())
        for place in ("127.0.0.1:99999", "x y", "[::1", "127.0.0.1:", "1.2.3.4.5"):
            result = self.run_it("--bind", place, "true", env=self.environment)
            self.assertEqual(result.returncode, 125, place)
            self.assertIn("--bind", result.stderr)

    def test_open(self):
        told = self.path("told")
        opener = self.path("xdg-open")
        result = self.run_it("--open", "true", env={**self.environment, "PATH": self.directory, "HOME": "/"})
        self.assertIn("there is no xdg-open here", result.stderr)
        with open(opener, "w", encoding="ascii") as file:
            file.write(f"#!{shutil.which('sh')}\necho \"$1\" >{told}.new\nmv {told}.new {told}\n")
        os.chmod(opener, 0o755)
        started = self.meter("--open", "--stay", "true",
                             env={**self.environment, "PATH": f"{self.directory}:{os.environ['PATH']}"})
        self.wait_for_text(told, f"{started.base}/?token={started.token}")


if __name__ == "__main__":
    if not meter.HAS_SERVER:
        print("this build of perfometer serves no pages: libmicrohttpd is missing")
        sys.exit(77)
    meter.main()
