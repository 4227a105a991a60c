# SPDX-License-Identifier: BSD-3-Clause
"""Calls and instructions of functions, counted by translation, are those that callgrind counts, in more than twenty
programs: of all functions that both know, and inclusive, too. Where something differs, there is a reason."""
import json
import os
import re
import shutil
import unittest

from callgrind import Callgrind, whole
from probe_harness import FILTERS, main, SUBJECT, THROWER
from translate_harness import ENVIRONMENT, INSTRUCTIONS, skip_unless_counted, TranslateTest

# The same for both: functions of libc that are chosen by processor, for valgrind's is another one, are the plainest;
# the dynamic linker is done before main, and memory is not filled.
PLAINEST = "AVX AVX2 AVX512F AVX512VL AVX512BW AVX512DQ AVX512CD BMI1 BMI2 LZCNT MOVBE RTM ERMS FSRM SSE4_1 SSE4_2 " \
           "SSSE3 POPCNT FMA FMA4 XSAVE XSAVEC AVX_Fast_Unaligned_Load Fast_Unaligned_Load Fast_Copy_Backward " \
           "Slow_BSF Prefer_ERMS Prefer_FSRM Prefer_PMINUB_for_stringop Fast_Rep_String"
SAME = {**ENVIRONMENT, "LD_BIND_NOW": "1", "LC_ALL": "C",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join("-" + name for name in PLAINEST.split())}
SAME.pop("MALLOC_PERTURB_", None)

# Whose calls or own instructions may differ, and why.
REASONS = {re.compile(names): why for names, why in {
    r"_*(str|mem|wcs|stp|rawmem).*|time_syscall|.*cpu_indicator_init":
        "it is chosen by processor, and some of its kin jump into each other",
    r"getenv": "the environment has other variables",
    r"tcache_init.*|re_(compile|search)_.*": "an instruction that repeats itself is to callgrind as many",
    r"__unregister_atfork|__cxa_finalize": "there is one library more, which is told that the program ends",
    r"coroutine|pass_on": "to callgrind, each switch to a coroutine is a call of what it goes on in",
    r"_obstack_begin": "what it jumps to has no name",
    r"read": "libsigsegv, of which grep is made, reads the list of what is mapped, which is longer with the agent",
}.items()}
LINKER = "ld-linux"
# What it runs before the program: constructors of libraries.
BEFORE = ("dl_main", "_dl_init", "call_init", "_dl_call_libc_early_init", "_dl_relocate_object")
# Program, and which files are compared: threads of libc wait for each other or not.
PROGRAMS = (
    ([SUBJECT, "calls", "300"], ""),
    ([SUBJECT, "threads", "200"], "subject"),
    ([SUBJECT, "longjmp", "300"], ""),
    ([SUBJECT, "coroutines", "300"], ""),
    ([SUBJECT, "backtrace"], ""),
    ([THROWER, "50"], ""),
    (["/usr/bin/sort", __file__], ""),
    (["/usr/bin/sed", "-n", "s/a/b/p", __file__], ""),
    (["/usr/bin/od", "-c", __file__], ""),
    (["/usr/bin/tr", "a-z", "A-Z"], ""),
    *((command, "") for command in FILTERS),
)


def setUpModule():
    skip_unless_counted()
    if not shutil.which("valgrind"):
        raise unittest.SkipTest("valgrind is missing")


class Comparison:
    """One program, counted by both."""

    def __init__(self, ours, theirs, file):
        self.ours, self.theirs, self.file = ours, theirs, file
        self.before = theirs.reached(*(key for key in theirs.functions
                                       if key[0].startswith(LINKER) and key[1] in BEFORE))
        self.stubs = theirs.through_stubs()
        self.different = {key: self.at_most(key) for key in ours
                          if key in theirs.functions and not self.is_same(key)}
        # Those without a name cannot be compared.
        self.unknown = {key: own for key, (_, _, own) in theirs.functions.items()
                        if key[1].startswith("0x") and key[0] != "???"}

    def at_most(self, key):
        """What differs in a function can be no more than all that it does, with what it calls where calls differ."""
        ours, theirs = self.ours[key], self.theirs.functions[key]
        if ours["calls"] == theirs[0]:
            return max(ours["exclusive"], theirs[2])
        return max(ours["exclusive"], ours["inclusive"] or 0, *theirs[1:])

    def is_same(self, key):
        calls, _, own = self.theirs.functions[key]
        return (self.ours[key]["calls"], self.ours[key]["exclusive"]) == (calls, own)

    def is_compared(self, key):
        return key in self.theirs.functions and key[0].startswith(self.file) and not key[0].startswith(LINKER)

    def reason(self, key):
        for names, why in REASONS.items():
            if names.fullmatch(key[1]):
                return why
        if key in self.before and self.ours[key]["exclusive"] < self.theirs.functions[key][2]:
            return "constructors call it, before anything is counted"
        return None

    def without_reason(self):
        return {key: (self.ours[key], self.theirs.functions[key]) for key in self.different
                if self.is_compared(key) and not self.reason(key)}

    def inclusive(self):
        """Of functions with the same calls and own instructions: how many have the same inclusive ones, how many others
        by what differs in those that they call, and those for which there is no such reason."""
        same, others, odd = [], [], {}
        for key in filter(self.is_compared, self.ours):
            reached = self.theirs.reached(key)
            value = self.ours[key]["inclusive"]
            # One that calls itself has two meanings; and what came by a jump alone is unknown.
            if key in self.different or key in reached or value is None:
                continue
            expected = self.theirs.functions[key][1] + self.stubs.get(key, 0)
            if value == expected:
                same.append(key)
            elif abs(value - expected) <= sum(self.different.get(callee, 0) + self.unknown.get(callee, 0)
                                              for callee in reached):
                others.append(key)
            else:
                odd[key] = value, expected
        return same, others, odd


class AgainstCallgrind(TranslateTest):
    def count(self, command, theirs):
        """All functions of the program and its libraries, those of one name together; what callgrind knows by the
        linker's name has that."""
        self.translate(*command, names=("*", "*!*"), env=SAME)
        found = {}
        with open(self.path("report"), encoding="utf-8") as file:
            functions = json.loads(file.read().splitlines()[-1])["functions"]
        for function in functions:
            if not function["way"]:
                continue
            file = os.path.basename(function["module"])
            key = file, whole(function["name"])
            if (file, function["linkage"]) in theirs.functions:
                key = file, function["linkage"]
            values = {"calls": function["calls"], **(function["events"][INSTRUCTIONS] or {})}
            total = found.setdefault(key, {"calls": 0, "inclusive": 0, "exclusive": 0})
            for name in total:
                total[name] = None if None in (total[name], values[name]) else total[name] + values[name]
        return found

    def test_programs(self):
        same, others, own, programs = 0, 0, 0, set()
        for command, file in PROGRAMS:
            if not shutil.which(command[0]):
                continue
            with self.subTest(command=command):
                theirs = Callgrind(command, self.path("callgrind"), SAME)
                found = Comparison(self.count(command, theirs), theirs, file)
                self.assertEqual(found.without_reason(), {})
                equal, explained, odd = found.inclusive()
                self.assertEqual(odd, {})
                own += sum(found.is_compared(key) and found.is_same(key) for key in found.ours)
                same += len(equal)
                others += len(explained)
                programs.add(command[0])
        print(f"of {len(programs)} programs: calls and own instructions of {own} functions; inclusive ones of {same}, "
              f"and of {others} but for what differs in others that they call")
        self.assertGreater(own, 1000)
        self.assertGreater(same, 1000)
        # So that reasons remain exceptions; of one program few functions may be known, most of which wait for threads.
        self.assertGreater(same, 3 * others)
        self.assertGreaterEqual(len(programs), 20)


if __name__ == "__main__":
    main()
