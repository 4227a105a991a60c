# SPDX-License-Identifier: BSD-3-Clause
"""Exact profiles: what each function does is known to the instruction, and the sum is what papi_run counts."""
import json
import os
import platform
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import unittest

from capture_harness import CaptureTest, main, PAPI_PROFILE, symbols
from harness import TOOLS

PAPI_RUN = os.path.join(TOOLS, "papi_run")
SUBJECT = os.environ.get("PAPI_PROFILE_SUBJECT")
WORKERS = os.environ.get("PAPI_PROFILE_EXACT_WORKERS", "").split(":")
# Whatever counters the machine has.
ENVIRONMENT = {**os.environ, "PAPI_VPMU": "always", "PYTHONHASHSEED": "0"}
INSTRUCTIONS, LOADS, STORES = "PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS"
CONDITIONAL, TAKEN = "PAPI_BR_CN", "PAPI_BR_TKN"
# What processors do differently: of copy(4096) all instructions, loads, stores and conditional branches; and the
# instructions of on_signal(), like_stub() and stem().
COPY, HANDLER, LIKE_STUB, STEM = {"x86_64": ([3, 4097, 4096, 0], 2, 1, 3),
                                  "aarch64": ([4 * 4096 + 1, 4096, 4096, 4096], 5, 5, 4)}[platform.machine()]
EVENTS = (INSTRUCTIONS, LOADS, STORES, CONDITIONAL, TAKEN, "PAPI_BR_INS", "vpmu:::CALLS", "vpmu:::RETURNS")


def setUpModule():
    result = subprocess.run([PAPI_RUN, "-e", INSTRUCTIONS, "--format", "json", "true"], capture_output=True,
                            text=True, check=False, env=ENVIRONMENT)
    output = result.stdout + result.stderr
    if '"exact"' not in output:
        raise unittest.SkipTest("nothing is counted virtually here: " + " ".join(output.split())[:300])


class Exact(CaptureTest):
    NEEDS_PERMISSION = False

    def exact(self, *program, events=EVENTS, status=0, **how):
        how.setdefault("env", ENVIRONMENT)
        store, result = self.profile("-x", "-e", ",".join(events), *program, status=status, **how)
        self.assertEqual(store.run["source"], "exact")
        self.assertEqual({row["kind"] for row in store.events}, {"exact"})
        self.assertEqual(store.sum("samples"), 0)
        # It compares its sums with the counters themselves, which run beside where calls are recorded.
        self.assertNotIn("incomplete", result.stderr)
        self.assertEqual(os.listdir(self.directory), ["papi_profile.db"])
        return store, result

    @staticmethod
    def of(store, function, event=INSTRUCTIONS, path=SUBJECT):
        low, high = symbols(path)[function]
        # Files are asked for last: there may be a million rows, and it takes several system calls.
        return sum(row["value"] for row in store.samples if low <= row["offset"] < high and row["event"] == event and
                   os.path.realpath(row["path"]) == os.path.realpath(path))


class Sums(Exact):
    """Over all addresses: what papi_run counts of the same program, which does the same each time."""

    def test_sums(self):
        if not shutil.which("setarch") or subprocess.run(["setarch", "-R", "true"], check=False,
                                                         stderr=subprocess.DEVNULL).returncode:
            self.skipTest("addresses cannot be kept the same here (setarch -R)")
        for program in ([SUBJECT], [SUBJECT, "copy"], [SUBJECT, "jump"], [SUBJECT, "rewrite"],
                        [SUBJECT, "load", *WORKERS]):
            # Of few of them, calls are recorded as well.
            for events in (EVENTS, EVENTS[:3]):
                with self.subTest(program=program, events=events):
                    self.assertEqual(self.sums_of(PAPI_PROFILE, "-x", "-e", ",".join(events), *program),
                                     self.sums_of(PAPI_RUN, "-e", ",".join(events), *program))

    def sums_of(self, *command):
        """What a tool says of each event. The dynamic linker sorts by addresses, so these have to stay."""
        result = subprocess.run(["setarch", "-R", *command], cwd=self.directory, env=ENVIRONMENT, check=True,
                                timeout=120, capture_output=True, text=True)
        output = result.stdout + result.stderr
        found = {name: int(number.replace(",", "")) for number, name in re.findall(r"([\d,]+) ([\w:]+),", output)}
        found |= {name: int(number.replace(",", "")) for name, number in
                  re.findall(r"(?m)^([\w:]+) +([\d,]+)  exact$", output)}
        found = {name: number for name, number in found.items() if name in EVENTS}
        self.assertGreaterEqual(len(found), 3, output)
        return found


class Functions(Exact):
    """What is in each, whatever else happens."""

    def test_copy(self):
        store, _ = self.exact(SUBJECT, "copy")
        self.assertEqual([self.of(store, "copy", event) for event in (INSTRUCTIONS, LOADS, STORES, CONDITIONAL)],
                         COPY)
        self.assertEqual([self.of(store, "branch", event) for event in (INSTRUCTIONS, CONDITIONAL, TAKEN)],
                         [4507, 2002, 1500])

    def test_signals(self):
        store, result = self.exact(SUBJECT, "signals", "300")
        rounds, seen = map(int, result.stdout.split())
        self.assertEqual(self.of(store, "work"), 2001 * rounds)
        self.assertEqual(self.of(store, "work", CONDITIONAL), 1000 * rounds)
        self.assertEqual(self.of(store, "work", TAKEN), 999 * rounds)
        self.assertGreaterEqual(seen, 300)
        # One more may have come since they were printed.
        handled = self.of(store, "on_signal")
        self.assertIn(handled, (HANDLER * seen, HANDLER * (seen + 1)))
        self.assertEqual(self.of(store, "on_signal", STORES), handled // HANDLER)

    def test_threads(self):
        store, _ = self.exact(SUBJECT, "threads", "24")
        self.assertEqual(self.of(store, "work"), 24 * 200001)
        by_thread = {}
        low, high = symbols(SUBJECT)["work"]
        for row in store.samples:
            if row["event"] == INSTRUCTIONS and row["path"].endswith("exact_subject") and low <= row["offset"] < high:
                by_thread[row["tid"]] = by_thread.get(row["tid"], 0) + row["value"]
        self.assertEqual(list(by_thread.values()), [200001] * 24)
        # One after the other, they share memory in the end.
        store, _ = self.exact(SUBJECT, "threads", "-300")
        self.assertEqual(self.of(store, "work"), 300 * 200001)

    def test_processes(self):
        store, _ = self.exact(SUBJECT, "fork", SUBJECT, "copy")
        self.assertEqual(self.of(store, "work"), 2 * 2001)
        self.assertEqual(self.of(store, "copy"), COPY[0])
        self.assertEqual([row["name"] for row in store.processes], ["exact_subject"] * 2)
        self.assertEqual([row["parent"] for row in store.processes], [None, 1])
        store, _ = self.exact("sh", "-c", f"{SUBJECT} jump; exec {SUBJECT} copy")
        self.assertEqual([self.of(store, name) for name in ("work", "copy")], [210, COPY[0]])

    def test_killed(self):
        store, _ = self.exact(SUBJECT, "kill", status=128 + signal.SIGKILL)
        self.assertEqual(self.of(store, "work"), 1000001)

    def test_libraries_at_one_address(self):
        store, _ = self.exact(SUBJECT, "load", *WORKERS)
        self.assertEqual([self.of(store, "worker", path=path) for path in WORKERS], [3 * 2001, 3 * 3001])

    def test_rewritten_code(self):
        store, _ = self.exact(SUBJECT, "rewrite")
        made = [row for row in store.samples if row["event"] == INSTRUCTIONS and row["kind"] == "anonymous"]
        self.assertEqual(sum(row["value"] for row in made), 6004)
        self.assertEqual(len(made), 4)


class Calls(Exact):
    """Who calls what, how often, and what happens there; beside it everything else is as without calls."""

    FEW = (INSTRUCTIONS, LOADS, TAKEN)

    def calls(self, *program, **how):
        """The store, and by caller and callee of the subject: calls, and instructions in them."""
        how.setdefault("events", self.FEW)
        store, result = self.exact(*program, **how)
        connection = sqlite3.connect(self.path())
        rows = connection.execute(
            """SELECT site.offset, callee.offset, m.path, n.path, sum(calls), sum(value) FROM call
               JOIN address AS site ON site.id = site JOIN module AS m ON m.id = site.module
               JOIN address AS callee ON callee.id = callee JOIN module AS n ON n.id = callee.module
               WHERE event = 1 GROUP BY 1, 2, 3, 4""").fetchall()
        connection.close()
        functions = symbols(SUBJECT)
        subject = os.path.realpath(SUBJECT)

        def name(offset, path):
            if os.path.realpath(path) != subject:
                return ""
            return next((name for name, (low, high) in functions.items() if low <= offset < high), "")

        found = {}
        for site, callee, of_site, of_callee, number, value in rows:
            key = name(site, of_site), name(callee, of_callee)
            found[key] = tuple(map(sum, zip(found.get(key, (0, 0)), (number, value))))
        return store, found, result

    def test_counts(self):
        store, found, _ = self.calls(SUBJECT, "copy")
        self.assertEqual(found["main", "copy"], (1, COPY[0]))
        self.assertEqual(found["main", "branch"], (1, 4507))
        self.assertEqual([self.of(store, "branch", event) for event in (INSTRUCTIONS, TAKEN)], [4507, 1500])

    def test_recursion_and_longjmp(self):
        store, found, _ = self.calls(SUBJECT, "jump")
        self.assertEqual(found["go_down", "work"], (10, 210))
        self.assertEqual(found["go_down", "go_down"], (9, 0))
        calls, value = found["main", "go_down"]
        self.assertEqual(calls, 1)
        self.assertGreaterEqual(value, self.of(store, "go_down") + 210)
        # All that it does is in it once, longjmp in libc as well.
        self.assertLess(value, self.of(store, "go_down") + 210 + 10000)

    def test_signals(self):
        store, found, result = self.calls(SUBJECT, "signals", "300")
        rounds, seen = map(int, result.stdout.split())
        calls, value = next(pair for key, pair in found.items() if key[1] == "work")
        self.assertEqual(self.of(store, "work"), 2001 * rounds)
        self.assertEqual(calls, rounds)
        # With handlers that came within it, and libc's return from them.
        self.assertGreaterEqual(value, 2001 * rounds)
        self.assertLessEqual(value, 2001 * rounds + 10 * (seen + 1))

    def test_signals_in_calls(self):
        """Whatever is interrupted of a call or return, its counts are exact."""
        store, found, result = self.calls(SUBJECT, "calls", "1500")
        rounds, seen = map(int, result.stdout.split())
        self.assertEqual(found["stem", "leaf"][0], rounds)
        self.assertEqual(self.of(store, "leaf"), rounds + rounds // 2)
        self.assertEqual(found["interrupt_calls", "stem"][0], rounds)
        self.assertEqual(found["interrupt_calls", "leaf"][0], rounds // 2)
        self.assertEqual(found["interrupt_calls", "other_leaf"][0], rounds // 2)
        # With handlers that came within it, and libc's return from them.
        for pair, least in ((("stem", "leaf"), rounds), (("interrupt_calls", "stem"), (STEM + 1) * rounds)):
            self.assertGreaterEqual(found[pair][1], least)
            self.assertLessEqual(found[pair][1], least + 10 * (seen + 1))

    def test_coroutines(self):
        """On stacks that lie beside each other: each has what it does itself."""
        store, found, _ = self.calls(SUBJECT, "switch")
        self.assertEqual(found["cooperate", "work"], (100, 50 * (2001 + 201)))
        self.assertEqual(found["switch_stacks", "work"], (1, 21))
        self.assertEqual(self.of(store, "work"), 50 * (2001 + 201) + 21)
        switches = sum(value for key, (_, value) in found.items() if key[0] == "cooperate" and key[1] != "work")
        self.assertLess(switches, 100 * 200)
        # Though the other waits in the middle of that.
        self.assertGreater(switches, 100 * 20)

    def test_tails(self):
        """A function that is jumped to has a call of its own, within the call of the one that jumps."""
        _, found, _ = self.calls(SUBJECT, "tails")
        self.assertEqual(found["main", "tail_of_tail"], (100, 100 * 24))
        self.assertEqual(found["tail_of_tail", "tail"], (100, 100 * 23))
        self.assertEqual(found["tail", "work"], (100, 100 * 21))
        # Where it jumps to indirectly, or by a condition, is not known to be another function.
        self.assertEqual(found["main", "like_stub"], (100, 100 * (LIKE_STUB + 21)))
        self.assertEqual(found["main", "tail_if"], (100, 100 * 23))
        self.assertNotIn(("like_stub", "work"), found)
        self.assertNotIn(("tail_if", "work"), found)

    def test_parts(self):
        """A jump to a part of the same function, which its unwind table tells from another function, is no call."""
        store, found, _ = self.calls(SUBJECT, "parts")
        self.assertEqual([self.of(store, name) for name in ("parted", "parted_cold", "work")], [500, 200, 2100])
        self.assertEqual(found["main", "parted"], (100, 100 * 28))
        self.assertEqual(found["parted", "work"], (100, 100 * 21))
        self.assertNotIn(("parted", "parted_cold"), found)

    def test_many_coroutines(self):
        for number in (3, 64, 300):
            with self.subTest(number=number):
                store, found, _ = self.calls(SUBJECT, "crowd", str(number))
                worked = sum(3 * (2 * (10 + i) + 1) for i in range(number))
                self.assertEqual(found["take_turns", "work"], (3 * number, worked))
                self.assertEqual(self.of(store, "work"), worked)
                calls, value = found["main", "switch_crowd"]
                # What waits is no part of the call.
                self.assertEqual(calls, 1)
                self.assertLess(value, 6000 * number)
                os.unlink(self.path())

    def test_deep(self):
        """Further in than there is room for frames, calls are counted."""
        _, found, _ = self.calls(SUBJECT, "deep", "1100000")
        self.assertEqual(found["nest", "nest"], (1100000, 0))
        self.assertEqual(found["nest_in_thread", "nest"][0], 1)
        self.assertGreaterEqual(found["nest_in_thread", "nest"][1], 5 * 1100000)
        self.assertEqual(found["nest", "work"][0], 1)

    def test_threads(self):
        store, found, _ = self.calls(SUBJECT, "threads", "24")
        self.assertEqual(found["work_a_while", "work"], (24, 24 * 200001))
        self.assertEqual(found["", "work_a_while"], (24, 24 * 200001 + self.of(store, "work_a_while")))
        self.assertEqual(self.of(store, "work"), 24 * 200001)

    def test_processes(self):
        _, found, _ = self.calls(SUBJECT, "fork", SUBJECT, "copy")
        self.assertEqual(next(pair for key, pair in found.items() if key[1] == "work"), (2, 4002))
        self.assertEqual(found["main", "copy"], (1, COPY[0]))
        # Of what had not come back when another program was executed, it has what happened until then.
        _, found, _ = self.calls("sh", "-c", f"{SUBJECT} jump; exec {SUBJECT} copy")
        self.assertEqual(found["main", "copy"], (1, COPY[0]))

    def test_returns_of_another_process(self):
        """A child returns from calls that its parent has made: none is lost, and none counted twice."""
        store, found, _ = self.calls(SUBJECT, "below", "7")
        self.assertEqual(found["fork_below", "fork_below"][0], 7)
        self.assertEqual(found["fork_below", "work"], (16, 16 * 21))
        self.assertEqual([pair[0] for key, pair in found.items() if key[1] == "fork_below" != key[0]], [1])
        self.assertEqual([pair for key, pair in found.items() if key[1] == "work" and key[0] != "fork_below"],
                         [(2, 2 * 201)])
        self.assertEqual(self.of(store, "work"), 16 * 21 + 2 * 201)

    def test_none(self):
        _, found, _ = self.calls("-g", "none", SUBJECT, "copy")
        self.assertEqual(found, {})
        _, found, result = self.calls(SUBJECT, "copy", events=EVENTS)
        self.assertEqual(found, {})
        self.assertIn("calls are not recorded", result.stderr)

    def test_callgrind(self):
        """What callgrind counts in each function of the subject, and its calls there."""
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        for what in ("copy", "jump"):
            with self.subTest(what=what):
                store, found, _ = self.calls(SUBJECT, what)
                os.unlink(self.path())
                output = self.path("callgrind.out")
                result = subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no",
                                         "--compress-strings=no", f"--callgrind-out-file={output}", SUBJECT, what],
                                        check=False, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
                self.assertEqual(result.returncode, 0, result.stderr)
                own, calls = read_callgrind(output)
                os.unlink(output)
                checked = 0
                # Others have the stubs of what they call in libc there.
                for function in ("work", "branch", "copy"):
                    # Each iteration of a string instruction is one there, and so is the look at 0.
                    extra = 4096 if function == "copy" and what == "copy" else 0
                    self.assertEqual(self.of(store, function), own.get(function, 0) - extra, function)
                    checked += own.get(function, 0) > 0
                self.assertEqual(checked, 2 if what == "copy" else 1)
                for pair, number in calls.items():
                    # A loop that is a whole function calls itself there.
                    if set(pair) <= {"main", "work", "branch", "go_down", "copy"} and pair != ("work", "work"):
                        self.assertEqual(found[pair][0], number, pair)


def read_callgrind(path):
    """Instructions of each function, and how often which calls which."""
    own, calls, function, callee, skip = {}, {}, None, None, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().partition("=")
            if key == "fn":
                function = value.split("'")[0]
            elif key == "cfn":
                callee = value.split("'")[0]
            elif key == "calls":
                pair = function, callee
                calls[pair] = calls.get(pair, 0) + int(value.split()[0])
                skip = True
            elif line.startswith("0x"):
                if not skip and function:
                    own[function] = own.get(function, 0) + int(line.split()[2])
                skip = False
    return own, calls


class Views(Exact):
    def test_views(self):
        self.exact(SUBJECT, "copy", events=(INSTRUCTIONS, LOADS))
        report = self.run_it("report")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertRegex(report.stdout, r"PAPI_TOT_INS: [\d,]+, exact\n")
        self.assertNotIn("±", report.stdout)
        self.assertRegex(report.stdout, r"(?m)^ *4,?507 .* branch ")
        self.assertRegex(report.stdout, r"(?m)^ *4,?507 .* 4,?507 .* branch ")
        result = self.run_it("tree")
        self.assertEqual(result.returncode, 1)
        self.assertIn("papi_profile callers", result.stderr)
        result = self.run_it("callers", "branch")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^ +1 +4507 +100.00%  branch\n +1 +4507 +100.00%    main\n")
        for command in (["report", "--json"], ["annotate", "branch", "--asm"], ["export", "--folded"],
                        ["export", "--callgrind"]):
            with self.subTest(command=command):
                result = self.run_it(*command)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("±", result.stdout)


    def test_callgrind_annotate(self):
        """It reads the inclusive counts that report shows."""
        if not shutil.which("callgrind_annotate"):
            self.skipTest("callgrind_annotate is missing")
        self.exact(SUBJECT, "copy", events=(INSTRUCTIONS,))
        report = {}
        for row in json.loads(self.run_it("report", "--json").stdout)["rows"]:
            report.setdefault(row["name"], []).append(row["values"][0]["inclusive_value"])
        self.assertEqual(self.run_it("export", "--callgrind", "-o", "calls").returncode, 0)
        result = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show-percs=no",
                                 "--auto=no", self.path("calls")], capture_output=True, text=True, cwd="/", check=True)
        os.unlink(self.path("calls"))
        found = {}
        for number, name in re.findall(r"(?m)^ *([\d,]+)  \S*?:(\w+)(?: \[.*\])?$", result.stdout):
            found.setdefault(name, []).append(int(number.replace(",", "")))
        # Of several with one name there, and those with lines of several files, it makes one or more.
        compared = [name for name in report if len(report[name]) == 1 and len(found.get(name, [])) == 1]
        # Each library has this one, also the agent's, whose instructions do not count.
        compared = [name for name in compared if name != "__do_global_dtors_aux"]
        self.assertLessEqual({"main", "work", "branch", "copy", "_dl_start"} & set(report), set(compared))
        self.assertGreater(len(compared), 20)
        self.assertEqual({name: found[name] for name in compared}, {name: report[name] for name in compared})


class Refused(Exact):
    def assert_refused(self, status, words, *arguments, **how):
        how.setdefault("env", ENVIRONMENT)
        result = self.run_it(*arguments, **how)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertIn(words, " ".join(result.stderr.split()))

    def test_refused(self):
        self.assert_refused(2, "only what the virtual PMU counts", "-x", "-e", "perf::PAGE-FAULTS", "echo", "ran")
        self.assert_refused(2, "every instruction is counted", "-x", "-F", "100", "echo", "ran")
        self.assertEqual(os.listdir(self.directory), [])

    def test_usual_where_nothing_else_counts(self):
        """PAPI_TOT_INS is the virtual PMU's here."""
        result = self.run_it("-e", INSTRUCTIONS, SUBJECT, env=ENVIRONMENT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"papi_profile: [\d,]+ PAPI_TOT_INS, exact, in ")

    def test_usual_where_something_else_counts(self):
        """Its own event is taken where the preset is a processor's; who asks for that hears how to have it."""
        environment = {name: value for name, value in os.environ.items() if name != "PAPI_VPMU"}
        result = self.run_it("-x", SUBJECT, "copy", env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        name = re.search(r"papi_profile: [\d,]+ (PAPI_TOT_INS|vpmu:::INSTRUCTIONS), exact, in ", result.stderr)[1]
        result = self.run_it("-x", "-e", INSTRUCTIONS, SUBJECT, "copy", env=environment)
        self.assertEqual(result.returncode, 0 if name == INSTRUCTIONS else 2, result.stderr)
        self.assertEqual("with PAPI_VPMU=always" in result.stderr, name != INSTRUCTIONS)

    def test_small_files(self):
        """The program goes on, and what could not be written is told; what was, is there."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        result = self.run_it("-x", "sh", "-c", f"ulimit -f 200; {SUBJECT} copy; echo $?", env=ENVIRONMENT)
        self.assertEqual((result.returncode, result.stdout), (0, "0\n"), result.stderr)
        self.assertIn("ulimit -f", result.stderr)
        self.assertIn("incomplete: ", result.stderr)
        self.assert_refused(125, "ulimit -f", "-x", "echo", "ran", preexec_fn=limit)

    def test_many_that_are_missing(self):
        """Some are told one by one, and the others counted; the note tells of the first."""
        result = self.run_it("-x", "sh", "-c", f"ulimit -f 200; for i in $(seq 12); do {SUBJECT} copy; done",
                             env=ENVIRONMENT)
        self.assertEqual(result.returncode, 0, result.stderr)
        told = re.findall(r"(?m)^papi_profile: incomplete: (.*)$", result.stderr)
        self.assertEqual(len(told), 9, result.stderr)
        self.assertRegex(told[8], r"^\d+ more processes$")
        more = int(told[8].split()[0]) + 7
        self.assertGreaterEqual(more, 11)
        self.assertIn(f"note: incomplete: {told[0]}; and {more} more\n", self.run_it("report").stdout)


if __name__ == "__main__":
    main()
