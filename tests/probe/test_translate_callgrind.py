# SPDX-License-Identifier: BSD-3-Clause
"""Calls and instructions of functions, counted by translation, are those that callgrind counts, in more than twenty
programs."""
import os
import re
import shutil
import subprocess
import unittest

from probe_harness import FILTERS, main, STREAMS, SUBJECT, THROWER
from translate_harness import INSTRUCTIONS, skip_unless_counted, TranslateTest

# Which of several functions of one name is chosen depends on the processor, and valgrind has another one; and an
# instruction that repeats itself is to callgrind as many.
OTHERS = re.compile(r"str|mem|wcs|stp|avx|evex|sse|erms|_dl_|intel_|cpu_features|getenv|re_search_internal|re_compile_")
# Of libc, those that call nothing which is chosen by processor, in the programs of FILTERS; malloc and free do with
# MALLOC_PERTURB_.
CLOSED = {"_IO_file_close", "_IO_file_stat", "_IO_un_link", "_IO_link_in", "_IO_old_init", "_IO_no_init",
          "_IO_unsave_markers"}
SWITCHED = ("coroutine", "pass_on")
# Of which file, program, which functions, and those that call nothing that goes another way on callgrind's processor:
# of these, inclusive counts are compared, too.
PROGRAMS = (
    ("subject", [SUBJECT, "calls", "300"], ("*",),
     {"leaf", "ten_leaves", "fibonacci", "halve", "jumps", "eight"}),
    ("subject", [SUBJECT, "threads", "200"], ("*",), {"leaf", "ten_leaves", "thread"}),
    ("subject", [SUBJECT, "longjmp", "300"], ("*",), {"leaf"}),
    ("subject", [SUBJECT, "coroutines", "300"], ("*",), {"leaf", "ten_leaves"}),
    ("subject", [SUBJECT, "backtrace"], ("*",), set()),
    ("thrower", [THROWER, "50"], ("*",), {"ways::Guard::~Guard()", "long ways::twice<long>(long)"}),
    ("libc", ["/usr/bin/sort", __file__], ("libc!qsort*", "libc!malloc", "libc!free", "libc!fclose"), set()),
    ("libc", ["/usr/bin/sed", "-n", "s/a/b/p", __file__], ("libc!re_*", "libc!regexec", "libc!calloc"), set()),
    ("libc", ["/usr/bin/od", "-c", __file__], ("libc!*printf*", "libc!putchar*", "libc!fread*"), set()),
    ("libc", ["/usr/bin/tr", "a-z", "A-Z"], ("libc!_IO_*", "libc!read", "libc!write"), set()),
    # gzip writes without streams.
    *(("libc", command, STREAMS, CLOSED if "gzip" not in command[0] else set()) for command in FILTERS),
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

    def callgrind(self, command, of):
        """Of each function of the file: calls by others and by itself, inclusive where others call it, own."""
        out = self.path("callgrind")
        # Stubs of the linker are no part of their caller.
        subprocess.run(["valgrind", "--tool=callgrind", "--skip-plt=no", "--compress-strings=no",
                        "--compress-pos=no", f"--callgrind-out-file={out}", *command], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=300)
        found, name, callee, thing = {}, "", None, None
        with open(out, encoding="utf-8") as file:
            for line in file:
                key, mark, value = line.rstrip().partition("=")
                if key == "ob":
                    own = thing = value
                elif key == "cob":
                    thing = value
                elif key == "fn":
                    name = self.whole(value) if of in own.rsplit("/", 1)[-1] else None
                elif key == "cfn":
                    callee = value if of in thing.rsplit("/", 1)[-1] else None
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
        compared, programs = 0, set()
        for of, command, names, closed in PROGRAMS:
            if not shutil.which(command[0]):
                continue
            with self.subTest(command=command):
                expected = self.callgrind(command, of)
                for name, function in self.translate(*command, names=names).items():
                    wanted = expected.get(name, expected.get(function["linkage"]))
                    # To callgrind, each switch to a coroutine is a call of what it goes on in.
                    if not function["way"] or not wanted or not function["calls"] or name in SWITCHED or \
                            OTHERS.search(name):
                        continue
                    values = function["events"][INSTRUCTIONS]
                    self.assertEqual((function["calls"], values["exclusive"]), (wanted[0], wanted[2]), name)
                    compared += 1
                    programs.add(command[0])
                    if name in closed:
                        self.assertEqual(values["inclusive"], wanted[1], name)
                        closed = closed - {name}
                self.assertEqual(closed, set())
        print(f"{compared} functions of {len(programs)} programs: {' '.join(sorted(map(os.path.basename, programs)))}")
        self.assertGreater(compared, 300)
        self.assertGreaterEqual(len(programs), 20)


if __name__ == "__main__":
    main()
