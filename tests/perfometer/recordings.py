# SPDX-License-Identifier: BSD-3-Clause
"""Recordings as the perfometer makes them, of programs that never ran: every value is known."""
import json
import math

INS = {"name": "PAPI_TOT_INS", "description": "Instructions completed", "kind": "exact", "unit": "", "metric": False}
DCM = {"name": "PAPI_L1_DCM", "description": "Level 1 data cache misses", "kind": "modelled", "unit": "",
       "metric": False}
CLOCK = {"name": "perf::TASK-CLOCK", "description": "Time on a CPU", "kind": "exact", "unit": "ns", "metric": False}
IPC = {"name": "ipc", "description": "Instructions per cycle", "kind": "estimated", "unit": "", "metric": True}


class Recording:
    """Messages in the order in which they are said. Times are given in tenths of a second."""

    def __init__(self, program="mm 500", events=(INS, DCM), **others):
        self.messages = []
        self.events = []
        self.totals = {}
        self.serial = 0
        self.say("hello", version=1, program=program, machine="Example CPU, 4 threads",
                 started="2026-11-23T15:00:00Z", interval_ms=100, tool="perfometer 7.3", **others)
        self.count(0, events)

    def say(self, what, **members):
        self.messages.append({"type": what, **members})
        return self.messages[-1]

    def count(self, tenths, events):
        """Another schema."""
        self.events = list(events)
        self.serial += 1
        self.say("schema", t=tenths / 10, serial=self.serial, events=self.events)

    def thread(self, tenths, number, process="mm", name=None, rank=None, pid=100):
        self.totals[number] = {}
        self.say("thread", t=tenths / 10, id=number, pid=pid, tid=pid + number, process=process, name=name or process,
                 rank=rank)

    def end(self, tenths, number, reason="exited 0"):
        self.say("end", t=tenths / 10, id=number, reason=reason)

    def sample(self, tenths, more):
        """more: for each thread what is added to its totals, or None for what is not known, by event."""
        rows = []
        for number, added in more.items():
            row = []
            for event, value in zip(self.events, added):
                if event["metric"] or value is None:
                    row.append(value)
                    continue
                totals = self.totals[number]
                total = totals[event["name"]] = totals.get(event["name"], 0) + value
                row.append(total if total < 2 ** 53 else str(total))
            rows.append([number, row])
        return self.say("sample", t=tenths / 10, serial=self.serial, threads=rows)

    def lines(self):
        return [json.dumps(message, separators=(",", ":")) for message in self.messages]

    def in_page(self):
        """As it stands in a page."""
        return "\n" + "\n".join(self.lines()).replace("<", "\\u003c") + "\n"


def simple():
    """Two threads for ten seconds: thread 0 does 1,000 + 10 i in interval i, thread 1 half of that from second 3 on."""
    made = Recording()
    made.thread(0, 0)
    made.sample(0, {0: (0, 0)})
    for i in range(1, 101):
        more = {0: (1000 + 10 * i, 10 + i)}
        if i == 30:
            made.thread(29.5, 1, name="worker")
        if i >= 30:
            more[1] = (500 + 5 * i, None if 50 <= i < 60 else 5)
        made.sample(i, more)
    return made


def picture(with_marks=True):
    """A program with phases, threads of two processes, and a gap: for documents, and to be looked at."""
    made = Recording(program="solver --grid 512 input.dat", events=(INS, DCM, CLOCK))
    made.thread(0, 0, process="solver", pid=4100)
    made.messages[-1]["tid"] = 0
    for number in range(1, 7):
        is_solver = number < 5
        made.thread(0, number, process="solver" if is_solver else "writer", pid=4099 if is_solver else 4200,
                    name=f"solver {number}" if is_solver else "writer", rank=0 if is_solver else 1)
    for i in range(0, 301):
        more = {number: counts_of(i, number) for number in range(1, 7) if number != 6 or i <= 200}
        more[0] = tuple(sum(counts[event] or 0 for counts in more.values()) for event in range(3))
        made.sample(i, dict(sorted(more.items())))
        if with_marks:
            mark(made, i)
        if i == 200:
            made.end(i, 6)
        if i == 215:
            made.say("gap", t=18, until=21.5, ids=[3], reason="stopped by SIGSTOP")
    made.say("notice", t=21.5, level="warning", text="thread 4102 was stopped for 3.5 s by SIGSTOP")
    made.say("bye", t=30, reason="the program has ended: exit 0")
    return made


def counts_of(i, number):
    """What a thread of that picture does in an interval."""
    busy = 0.15 if 0.2 < math.sin(i / 17 + (number >= 5)) < 0.6 else 1
    wave = 1 + 0.4 * math.sin(i / 9 + number) + 0.15 * math.sin(i * 1.7 * number)
    instructions = int(2.1e8 * busy * wave) if i else 0
    if number == 3 and 180 < i <= 215:
        return None, None, None
    return instructions, int(instructions * (0.02 + 0.015 * math.sin(i / 23))), int(9.9e7 * busy) if i else 0


def mark(made, i):
    """Regions in regions, and moments of the whole program."""
    at = {10: ("assemble", True), 20: ("smooth", True), 30: ("smooth", False), 40: ("assemble", False)}
    if i % 60 in at:
        name, begins = at[i % 60]
        made.say("mark", t=i / 10, id=1, color=None, name=name, begin=begins)
    if i in (90, 210):
        made.say("mark", t=i / 10, id=None, color="#d03060", name="checkpoint", begin=None)
