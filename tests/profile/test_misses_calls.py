# SPDX-License-Identifier: BSD-3-Clause
"""What simulators count in calls: it is known by hand in some programs, callgrind finds about as much in others, and in
all a function has by its calls what its instructions have."""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile

from capture_harness import PAPI_PROFILE, main, symbols
import stores
import test_exact
import test_misses
from test_misses import BRANCHES, CYCLES, EVENTS, L1, Misses, READS, WRITES
from test_misses import setUpModule  # pylint: disable=unused-import

SUBJECT = os.environ["PAPI_PROFILE_MISSES_CALLS"]
PROGRAMS, EXACT = test_misses.SUBJECT, test_misses.EXACT
INSTRUCTIONS = "PAPI_TOT_INS"
# All that a program touches stays in the first level, and in the TLB.
LARGE = {**test_misses.ENVIRONMENT, "PAPI_VPMU_CACHE": test_misses.CACHES.replace(
    "L1D=32K/8/64", "L1D=4M/16/64").replace("DTLB=64/4", "DTLB=4096/4")}
EXCEPTIONS = """
#include <cstdlib>
alignas(4096) static volatile char fresh[16384 * 64];
static unsigned at;
extern "C" __attribute__((noinline)) void touch(unsigned n) { while (n--) (void)fresh[64 * at++]; }
struct Guard { unsigned n; ~Guard() { touch(n); } };
extern "C" __attribute__((noinline)) void thrower(int depth, unsigned n)
{
	Guard guard{n};

	if (!depth)
		throw 1;
	thrower(depth - 1, n);
}
extern "C" __attribute__((noinline)) void catcher(unsigned n)
{
	try {
		thrower(3, n);
	} catch (int) {
		touch(n);
	}
}
int main(int, char **words)
{
	catcher(std::atoi(words[1]));
	catcher(std::atoi(words[1]));
}
"""
PAIRS = """SELECT site.offset, m.path, callee.offset, n.path, sum(calls), sum(value) FROM call
    JOIN address AS site ON site.id = site JOIN module AS m ON m.id = site.module
    JOIN address AS callee ON callee.id = callee JOIN module AS n ON n.id = callee.module
    JOIN event ON event.id = event WHERE event.name = ? GROUP BY 1, 2, 3, 4"""


class Calls(Misses):
    def ask(self, sql, *values):
        connection = sqlite3.connect(self.path())
        found = connection.execute(sql, values).fetchall()
        connection.close()
        return found

    def by_function(self, subject, sql, *values):
        """Sums by the functions of a program, of rows of an offset, a path and the values."""
        functions, found = symbols(subject), collections.defaultdict(int)
        for offset, path, value in self.ask(sql, *values):
            if path and os.path.realpath(path) == os.path.realpath(subject):
                name = next((name for name, (low, high) in functions.items() if low <= offset < high), None)
                found[name] += value
        return found

    def pairs(self, subject, event):
        """By caller and callee of a program: calls, and what happened in them."""
        functions, found = symbols(subject), {}

        def name(offset, path):
            if os.path.realpath(path) != os.path.realpath(subject):
                return ""
            return next((name for name, (low, high) in functions.items() if low <= offset < high), "")

        for site, of_site, callee, of_callee, calls, value in self.ask(PAIRS, event):
            key = name(site, of_site), name(callee, of_callee)
            found[key] = tuple(map(sum, zip(found.get(key, (0, 0)), (calls, value))))
        return found


class Known(Calls):
    """Lines that are touched for the first time: so many misses more where there are so many lines more."""

    def more(self, *program, options=()):
        """By caller and callee: calls, and how many misses come with a line."""
        found = []
        for lines in (10, 60):
            self.misses(*options, *program, str(lines), events=(READS,), env=LARGE)
            # How often libc waits is another thing each time.
            found.append({key: pair for key, pair in self.pairs(program[0], READS).items() if key[0]})
            os.unlink(self.path())
        few, many = found
        self.assertEqual({key: calls for key, (calls, _) in few.items()},
                         {key: calls for key, (calls, _) in many.items()})
        return {key: (calls, (many[key][1] - value) / 50) for key, (calls, value) in few.items()}

    def assert_more(self, how, expected, program=SUBJECT, digits=2):
        for options in ((), ("--contexts",)):
            found = self.more(program, *how.split(), options=options)
            with self.subTest(how=how, options=options):
                self.assertEqual({key: (found[key][0], round(found[key][1], digits)) for key in expected}, expected)

    def test_calls(self):
        self.assert_more("call", {("main", "call"): (1, 26), ("call", "twice"): (1, 3), ("twice", "touch"): (8, 8),
                                  ("call", "recurse"): (1, 10), ("recurse", "recurse"): (4, 0),
                                  ("recurse", "touch"): (5, 5), ("call", "choose"): (5, 11),
                                  ("choose", "twice"): (3, 9), ("choose", "touch"): (2, 2), ("call", "tail"): (1, 1),
                                  ("tail", "touch"): (1, 1), ("call", "touch"): (1, 1)})

    def test_chain(self):
        """More calls end at once than the simulators are told of at a time."""
        n = 6000
        for option in ((), ("--contexts",)):
            self.misses(*option, SUBJECT, "chain", str(n), events=(READS,), env=LARGE)
            found = self.pairs(SUBJECT, READS)
            os.unlink(self.path())
            self.assertEqual([found[key][0] for key in (("chain", "even"), ("even", "odd"), ("odd", "even"))],
                             [1, n // 2, n // 2 - 1])
            # The return may miss as well.
            self.assertIn(found["chain", "even"][1], (n, n + 1))
            self.assertIn(found["even", "odd"][1], (n - 1, n))
            self.assertEqual(found["odd", "even"][1], 0)

    def test_longjmp(self):
        self.assert_more("jump", {("main", "jump"): (1, 15), ("jump", "leave"): (3, 12), ("leave", "leave"): (9, 0),
                                  ("jump", "touch"): (3, 3)})

    def test_exceptions(self):
        if not stores.compiler("c++"):
            self.skipTest("there is no C++ compiler")
        with tempfile.TemporaryDirectory() as directory:
            program = stores.compile_program(directory, "exceptions", EXCEPTIONS, "-O1", language="c++")
            self.assert_more("", {("main", "catcher"): (2, 10), ("catcher", "thrower"): (2, 8),
                                  ("thrower", "thrower"): (6, 0), ("thrower", "touch"): (8, 8),
                                  ("catcher", "touch"): (2, 2)}, program=program,
                             # What libraries align for themselves may be a line more or less.
                             digits=1)

    def test_signals(self):
        """A handler is in the call that it interrupts."""
        self.assert_more("signal", {("main", "be_interrupted"): (1, 3), ("be_interrupted", "touch"): (1, 1)})

    def test_signals_in_calls(self):
        """Whatever is interrupted of a call or return, nothing of what happens outside gets into it."""
        for option in ((), ("--contexts",)):
            self.misses(*option, SUBJECT, "tick", "1500", events=(WRITES,))
            found = self.pairs(SUBJECT, WRITES)
            os.unlink(self.path())
            calls, value = found["tick", "leaf"]
            self.assertEqual(value, 0)
            # A block that a signal ends leaves nothing behind.
            self.assertGreaterEqual(found["main", "tick"][1], calls - 1600)
            self.assertGreater(calls, 1500)

    def test_coroutines(self):
        """What others do meanwhile is in no call of one that waits."""
        self.assert_more("alternate", {("main", "alternate"): (1, 15), ("alternate", "touch"): (5, 15),
                                       ("cooperate", "step"): (5, 9)})

    def test_threads(self):
        self.assert_more("share", {("work", "twice"): (4, 12), ("twice", "touch"): (8, 8)})


class Sums(Calls):
    """Two ways to the same: what is told of the instructions of a function, and of calls of it less those from it."""

    # And functions that are called, and called only.
    PROGRAMS = (([PROGRAMS, "programs"], "main fill multiply sort sink swap walk"),
                ([PROGRAMS, "threads"], "main share_work go_through_own choose"),
                ([PROGRAMS, "fork"], "main choose go_through"),
                ([SUBJECT, "call", "9"], "main call twice touch choose recurse tail"),
                ([SUBJECT, "jump", "9"], "main jump leave touch"), ([SUBJECT, "share", "9"], "main share twice touch"),
                ([SUBJECT, "alternate", "9"], "main alternate step touch"), ([EXACT, "switch"], "main work"),
                ([EXACT, "threads", "-300"], "main work work_a_while"), ([EXACT, "tails"], "main tail tail_of_tail"),
                ([EXACT, "jump"], "go_down work"), ([EXACT, "below", "7"], "work"),
                # What libc does behind a handler is not the handler's.
                ([SUBJECT, "signal", "9"], "main touch"), ([EXACT, "signals", "100"], ""),
                ([EXACT, "calls", "300"], ""),
                # Coroutines by the thousand.
                ([EXACT, "crowd", "900"], "main"))

    def both(self, subject, event):
        return [self.by_function(subject, f"""SELECT offset, path, value FROM {table}
            JOIN address ON address.id = {column} JOIN module ON module.id = module
            JOIN event ON event.id = event WHERE event.name = ?""", event)
                for table, column in (("count", "address"), ("path", "callee"))]

    def test_functions(self):
        for i, (program, called) in enumerate(self.PROGRAMS):
            events = (INSTRUCTIONS, *EVENTS) if i < 4 else (INSTRUCTIONS, L1, "PAPI_L1_ICM", BRANCHES)
            with self.subTest(program=program):
                store = self.misses("--contexts", *program, events=events)
                wholes = dict(self.ask("SELECT event, sum(value) FROM count GROUP BY 1"))
                for table in ("path", "call"):
                    for event, least, most in self.ask(
                            f"SELECT event, min(value), max(value) FROM {table} GROUP BY 1"):
                        self.assertGreaterEqual(least, 0)
                        self.assertLessEqual(most, wholes[event])
                self.assertEqual(self.ask("SELECT event, sum(value) FROM path GROUP BY 1"),
                                 self.ask("SELECT event, sum(value) FROM count GROUP BY 1"))
                by_address, by_call = self.both(program[0], INSTRUCTIONS)
                functions = called.split()
                self.assertEqual([by_call[name] for name in functions], [by_address[name] for name in functions])
                for event in events:
                    if event == CYCLES: # which are rounded
                        continue
                    by_address, by_call = self.both(program[0], event)
                    self.assertEqual([by_call[name] for name in functions],
                                     [by_address[name] for name in functions], event)
                self.assertGreater(store.sum("value", event=L1), 0)
                os.unlink(self.path())

    def in_calls(self, program, event):
        """By function, what happened in all contexts that it led to."""
        functions, found = symbols(program), collections.defaultdict(int)
        parents = dict(self.ask("SELECT id, parent FROM context"))

        def name(offset, path):
            if os.path.realpath(path or "") != os.path.realpath(program):
                return None
            return next((name for name, (low, high) in functions.items() if low <= offset < high), None)

        names = {number: name(*place) for number, *place in self.ask(
            """SELECT context.id, offset, path FROM context JOIN address ON address.id = address
               JOIN module ON module.id = module""")}
        for context, offset, path, value in self.ask(
                """SELECT context, offset, module.path, value FROM path JOIN address ON address.id = callee
                   JOIN module ON module.id = module JOIN event ON event.id = event WHERE event.name = ?""", event):
            inside = {name(offset, path)}
            while context:
                inside.add(names[context])
                context = parents[context]
            for function in inside:
                found[function] += value
        return found

    def test_inclusive(self):
        """What a call has is what all that it led to has, in recursion as well."""
        events = (L1, BRANCHES, "PAPI_L1_ICM", "PAPI_TLB_DM", "PAPI_LD_INS")
        for program, functions in (([PROGRAMS, "programs"], "main multiply sort sink swap walk"),
                                   ([SUBJECT, "call", "9"], "main call twice recurse touch"),
                                   ([SUBJECT, "jump", "9"], "main jump leave")):
            self.misses("--contexts", *program, events=events)
            for event in events:
                found = collections.Counter()
                for (_, callee), (_, value) in self.pairs(program[0], event).items():
                    found[callee] += value
                by_context = self.in_calls(program[0], event)
                with self.subTest(program=program, event=event):
                    self.assertEqual({name: found[name] for name in functions.split()},
                                     {name: by_context[name] for name in functions.split()})
            os.unlink(self.path())

    def test_regions(self):
        """In and out of a region: the sum of all is the whole, and a call has what happened in it, by region."""
        subject = os.environ.get("PAPI_PROFILE_REGIONS")
        self.profile("-x", "--contexts", "-e", ",".join((INSTRUCTIONS, L1, BRANCHES)), subject,
                     env=test_misses.ENVIRONMENT)
        for table in ("path", "count"):
            self.assertGreater(len(self.ask(f"SELECT DISTINCT region FROM {table}")), 1)
        sums = [self.ask(f"SELECT event, region, sum(value) FROM {table} GROUP BY 1, 2 HAVING sum(value)")
                for table in ("count", "path")]
        self.assertEqual(*sums)


class Exactly(test_exact.Calls):
    """All that is tried of calls alone: signals, coroutines, exceptions, ends and so on, beside a model."""

    def exact(self, *program, events=test_exact.EVENTS, status=0, **how):
        if "none" in program or events == test_exact.EVENTS:
            self.skipTest("without calls")
        store, result = self.profile("-x", "-e", ",".join((*events, "PAPI_BR_MSP")), *program, status=status,
                                     env=test_misses.ENVIRONMENT, **how)
        self.assertNotIn("incomplete", result.stderr)
        return store, result


class Callgrind(Calls):
    """Misses of a function and all that it calls are those that callgrind finds, with the same caches."""

    def test_callgrind(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        self.misses(PROGRAMS, "programs", events=(READS, WRITES))
        ours = {event: collections.Counter() for event in (READS, WRITES)}
        for event, sums in ours.items():
            for (_, callee), (_, value) in self.pairs(PROGRAMS, event).items():
                sums[callee] += value
        theirs = self.callgrind()
        for function in ("main", "sort", "sink", "swap", "multiply", "walk", "fill"):
            for event, name in ((READS, "D1mr"), (WRITES, "D1mw")):
                with self.subTest(function=function, event=event):
                    self.assertAlmostEqual(ours[event][function], theirs[function][name],
                                           delta=max(0.01 * theirs[function][name], 16))
        self.assertGreater(theirs["sort"]["D1mr"], 2 * theirs["swap"]["D1mr"])
        self.assertGreater(theirs["sink"]["D1mr"], 20000)
        self.assertGreater(theirs["walk"]["D1mr"], 60000)

    def callgrind(self):
        """The inclusive values of functions of the program, by the calls of them."""
        output = self.path("callgrind.out")
        result = subprocess.run(["valgrind", "--tool=callgrind", "--cache-sim=yes", "--I1=32768,8,64",
                                 "--D1=32768,8,64", "--LL=262144,64,64", "--compress-strings=no",
                                 f"--callgrind-out-file={output}", PROGRAMS, "programs"], check=False,
                                capture_output=True, text=True, env=test_misses.ENVIRONMENT, timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        found, names, callee = collections.defaultdict(collections.Counter), [], None
        with open(output, encoding="utf-8") as file:
            for line in file:
                if line.startswith("events: "):
                    names = line.split()[1:]
                elif line.startswith("cfn="):
                    callee = line[4:].strip()
                elif line.startswith("calls="):
                    values = next(file).split()[1:]
                    for name, value in zip(names, values):
                        found[callee][name] += int(value)
        return found


class Views(Calls):
    """What shows inclusive values has them of modelled events."""

    def test_views(self):
        self.misses("--contexts", SUBJECT, "call", "60", events=(READS,), env=LARGE)
        report = self.run_it("report", "--order", "inclusive")
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        inclusive = {name: int(value) for value, name in re.findall(
            r"(?m)^ *\d+ +[\d.]+% +(\d+) +[\d.]+%  (\w+)  \(", report.stdout)}
        for name, lines in (("touch", 17), ("recurse", 10), ("call", 26)):
            self.assertIn(inclusive[name] - 60 * lines, range(8))
        self.assertGreaterEqual(inclusive["main"], 26 * 60)
        tree = self.run_it("tree", "--min", "0")
        self.assertRegex(tree.stdout, r"(?m)^ *156\d +[\d.]+% +0.00% +call$")
        callers = self.run_it("callers", "touch")
        self.assertEqual((callers.returncode, callers.stderr), (0, ""))
        self.assertIn("twice", callers.stdout)
        export = self.run_it("export", "--callgrind").stdout
        self.assertRegex(export, r"(?m)^events: .*L1D_READ_MISSES")
        self.assertRegex(export, r"(?m)^calls=4 .*\n.* 0$")
        self.assertRegex(export, r"(?m)^calls=1 .*\n.* 1561$")
        folded = self.run_it("export", "--folded").stdout
        self.assertRegex(folded, r"(?m)call;recurse;touch 300$")
        self.assertIn('"trees":[{', self.run_it("page").stdout)


if __name__ == "__main__":
    main()
