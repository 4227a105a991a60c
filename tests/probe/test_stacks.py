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

    def test_tail_calls(self):
        """A function that ends with a jump to another is in it until that returns."""
        functions = self.probe(SUBJECT, "calls", "3000", names=("jumps", "leaf", "calls"))
        self.calls(functions, jumps=3000, leaf=33000)
        self.assertEqual(functions["jumps"]["timed"], 3000)
        self.assertLess(functions["jumps"]["exclusive_s"], functions["jumps"]["inclusive_s"])

    def test_backtrace(self):
        """A probed function has one frame more, which leads on to its caller: none is missing."""
        result = self.run_it("-f", "frames", SUBJECT, "backtrace")
        plain = subprocess.run([SUBJECT, "backtrace"], stdout=subprocess.PIPE, check=True, timeout=60)
        few, many = map(int, result.stdout.split())
        plain_few, plain_many = map(int, plain.stdout.split())
        self.assertEqual(few, plain_few + 1)
        self.assertGreater(many, plain_many)

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
        self.assertEqual(functions["ways::Guard::~Guard()"]["calls"], 11 * n // 2)
        self.assertEqual(functions["long ways::twice<long>(long)"]["calls"], n)

    @unittest.skipUnless(os.path.exists(THROWER), "there is no C++ compiler")
    def test_exceptions_through_libraries(self):
        functions = self.probe(THROWER, "300", names=("*", "libstdc++!*", "libc!*", "libgcc_s!*"))
        self.assertEqual(functions["ways::catcher(long)"]["calls"], 300)


if __name__ == "__main__":
    main()
