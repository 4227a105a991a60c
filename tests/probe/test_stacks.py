# SPDX-License-Identifier: BSD-3-Clause
"""papi_probe and programs that do more with their stacks than calling and returning: the output of each is compared
with that of a run without probes."""
import os
import subprocess
import unittest

from probe_harness import main, ProbeTest, SUBJECT, THROWER


class Stacks(ProbeTest):
    def test_longjmp(self):
        functions = self.probe(SUBJECT, "longjmp", "2000")
        self.calls(functions, leaf=2000, jump_out=1)
        deep = functions["deep"]
        self.assertEqual((deep["timed"], deep["left"]), (deep["calls"], deep["calls"]))
        self.assertEqual(functions["leaf"]["left"], 0)

    def test_longjmp_through_libc(self):
        functions = self.probe(SUBJECT, "longjmp", "2000", names=("*", "libc.so.6!*"))
        self.calls(functions, leaf=2000)

    def test_registers(self):
        """All that a function may be given or give back in registers and flags is as without a probe."""
        report = self.path("report")
        for options in ((), ("--calls",), ("-e", "perf::PAGE-FAULTS")):
            result = self.run_it("--json", "-o", report, *options, "-f", "keeps", SUBJECT, "registers", "1000")
            if b"cannot be counted" in result.stderr:
                continue
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"1000\n", b""))
            self.calls(self.read(report), keeps=1000)

    def test_entries(self):
        """First instructions that refer to where they are, or go on in two ways."""
        plain = subprocess.run([SUBJECT, "entries", "1"], capture_output=True, check=False, timeout=60)
        if plain.returncode == 77:
            self.skipTest(plain.stderr.decode().strip())
        for options in ((), ("--calls",)):
            functions = self.probe(SUBJECT, "entries", "1000", names=("entry_*",), options=options)
            self.assertGreater(len(functions), 15)
            # What it is called by besides: adr by jump, landing by signed, that by signed_b.
            more = {"entry_adr": 2000, "entry_landing": 3000, "entry_signed": 2000}
            for name, function in functions.items():
                self.assertEqual((function["way"], function["calls"]), ("patch", more.get(name, 1000)), function)

    def test_tail_calls(self):
        """A function that ends with a jump to another is in it until that returns."""
        functions = self.probe(SUBJECT, "calls", "3000", names=("jumps", "leaf", "calls"))
        self.calls(functions, jumps=3000, leaf=33000)
        self.assertEqual(functions["jumps"]["timed"], 3000)
        self.assertLess(functions["jumps"]["exclusive_s"], functions["jumps"]["inclusive_s"])

    def test_tail_calls_in_turns(self):
        """Two that jump to each other, more often than there are frames: each is entered once, and in all the time.
        Recursion leaves frames that can be had."""
        n = 100000
        functions = self.probe(SUBJECT, "turns", str(n), names=("ping", "pong", "fibonacci"))
        self.calls(functions, ping=n // 2 + 1, pong=n // 2)
        for name in ("ping", "pong"):
            self.assertEqual((functions[name]["timed"], functions[name]["untimed"]),
                             (1, functions[name]["calls"] - 1))

    def test_backtrace(self):
        """A probed function has one frame more, which leads on to its caller: none is missing."""
        result = self.run_it("-f", "frames", SUBJECT, "backtrace")
        plain = subprocess.run([SUBJECT, "backtrace"], stdout=subprocess.PIPE, check=True, timeout=60)
        few, many = map(int, result.stdout.split())
        plain_few, plain_many = map(int, plain.stdout.split())
        self.assertEqual(few, plain_few + 1)
        self.assertGreater(many, plain_many)

    def step(self, *options):
        """Steps through calls: of what they compute, more instructions a call than without probes, and how often a
        step was in a stub, and the stack led on from there."""
        n = 50
        result = self.run_it(*options, "-f", "leaf", SUBJECT, "steps", str(n))
        plain = subprocess.run([SUBJECT, "steps", str(n)], capture_output=True, check=False, timeout=60)
        if plain.returncode == 77:
            self.skipTest(plain.stderr.decode().strip())
        computed, steps, stubs, good = map(int, result.stdout.split())
        plain_computed, plain_steps, *none = map(int, plain.stdout.split())
        self.assertEqual((computed, none), (plain_computed, [0, 0]))
        return (steps - plain_steps) / n, stubs / n, good / n

    def test_steps(self):
        """What probes add to a call is what doc/probes.md says, and one or two where a time is the least or the most.
        A stub has three instructions, and a signal may come at each."""
        more, stubs, good = self.step()
        self.assertLessEqual(more, 150)
        self.assertEqual((stubs, good), (3, 3))
        more, *stubs = self.step("--calls")
        self.assertLessEqual(more, 33)
        self.assertEqual(stubs, [0, 0])

    def test_coroutines(self):
        for names in (("*",), ("pass_on", "leaf"), ("*", "libc.so.6!*")):
            functions = self.probe(SUBJECT, "coroutines", "3000", names=names)
            self.calls(functions, pass_on=3000)

    def test_signals(self):
        functions = self.probe(SUBJECT, "signals", "20000")
        self.assertGreaterEqual(functions["on_tick"]["calls"], 50)
        self.assertEqual(functions["leaf"]["calls"], 10 * functions["ten_leaves"]["calls"])

    @unittest.skipUnless(os.path.exists(THROWER), "there is no C++ compiler")
    def test_exceptions(self):
        n = 1000
        functions = self.probe(THROWER, str(n))
        catcher, thrower = functions["ways::catcher(long)"], functions["ways::thrower(long)"]
        self.assertEqual((catcher["calls"], catcher["timed"], catcher["left"]), (n, n, 0))
        self.assertEqual((thrower["calls"], thrower["left"]), (11 * n // 2, 11 * n // 2))
        rethrower = functions["ways::rethrower(long)"]
        self.assertEqual((rethrower["calls"], rethrower["timed"], rethrower["left"]), (n, n, n))
        self.assertEqual(functions["ways::Guard::~Guard()"]["calls"], 11 * n // 2)
        self.assertEqual(functions["long ways::twice<long>(long)"]["calls"], n)

    @unittest.skipUnless(os.path.exists(THROWER), "there is no C++ compiler")
    def test_exceptions_through_libraries(self):
        functions = self.probe(THROWER, "300", names=("*", "libstdc++!*", "libc!*", "libgcc_s!*"))
        self.assertEqual(functions["ways::catcher(long)"]["calls"], 300)


if __name__ == "__main__":
    main()
