# SPDX-License-Identifier: BSD-3-Clause
"""Calls and instructions of functions, counted by translation, are those that callgrind counts."""
import shutil
import subprocess
import unittest

from probe_harness import main, SUBJECT, THROWER
from translate_harness import INSTRUCTIONS, skip_unless_counted, TranslateTest

# Program, and functions that call nothing of libraries: these go other ways on callgrind's processor.
PROGRAMS = (
    ([SUBJECT, "calls", "300"], {"leaf", "ten_leaves", "fibonacci", "halve", "jumps", "eight"}),
    ([SUBJECT, "threads", "200"], {"leaf", "ten_leaves", "thread"}),
    ([SUBJECT, "longjmp", "300"], {"leaf"}),
    ([SUBJECT, "coroutines", "300"], {"leaf", "ten_leaves"}),
    ([SUBJECT, "backtrace"], set()),
    ([THROWER, "50"], {"ways::Guard::~Guard()", "long ways::twice<long>(long)"}),
)


def setUpModule():
    skip_unless_counted()
    if not shutil.which("valgrind"):
        raise unittest.SkipTest("valgrind is missing")


class Callgrind(TranslateTest):
    @staticmethod
    def whole(name):
        """Of a function within itself, and of what compilers have moved away."""
        return name.split("'")[0].replace(" [clone .cold]", "").replace(".cold", "")

    def callgrind(self, command):
        """Of each function of the program: calls by others and by itself, inclusive where others call it, own."""
        out = self.path("callgrind")
        # Stubs of the linker are no part of their caller.
        subprocess.run(["valgrind", "--tool=callgrind", "--skip-plt=no", "--compress-strings=no",
                        "--compress-pos=no", f"--callgrind-out-file={out}", *command], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=300)
        found, name, callee, thing = {}, "", None, None
        of = command[0].rsplit("/", 1)[-1]
        with open(out, encoding="utf-8") as file:
            for line in file:
                key, mark, value = line.rstrip().partition("=")
                if key == "ob":
                    own = thing = value
                elif key == "cob":
                    thing = value
                elif key == "fn":
                    name = self.whole(value) if own.endswith("/" + of) else None
                elif key == "cfn":
                    callee = value if thing.endswith("/" + of) else None
                elif key == "calls":
                    words = next(file).split()
                    # A part is jumped to.
                    if callee and "cold" not in callee:
                        counts = found.setdefault(self.whole(callee), [0, 0, 0])
                        counts[0] += int(value.split()[0])
                        counts[1] += int(words[-1]) if self.whole(callee) != name else 0
                    thing = own
                elif not mark and line[:1].isdigit() and name:
                    found.setdefault(name, [0, 0, 0])[2] += int(line.split()[-1])
        return found

    def test_programs(self):
        compared = 0
        for command, closed in PROGRAMS:
            if not shutil.which(command[0]):
                continue
            with self.subTest(command=command):
                expected = self.callgrind(command)
                for name, function in self.translate(*command).items():
                    wanted = expected.get(name, expected.get(function["linkage"]))
                    # To callgrind, each switch to a coroutine is a call.
                    if not function["way"] or not wanted or not function["calls"] or name == "coroutine":
                        continue
                    values = function["events"][INSTRUCTIONS]
                    self.assertEqual((function["calls"], values["exclusive"]), (wanted[0], wanted[2]), name)
                    compared += 1
                    if name in closed:
                        self.assertEqual(values["inclusive"], wanted[1], name)
                        closed = closed - {name}
                self.assertEqual(closed, set())
        self.assertGreaterEqual(compared, 24)


if __name__ == "__main__":
    main()
