# SPDX-License-Identifier: BSD-3-Clause
"""What an exact profile says of ways of calls in real programs, beside callgrind, which tells a function apart by those
that led to it (--separate-callers).

test_context_truth.py [NAME...]: these programs of test_truth.py only. Of the ten ways with the most instructions,
including those of what was called from there, each has as many as callgrind finds, within TOLERANCE; and nearly all
instructions are in the way where callgrind has them. What callgrind does otherwise is undone first: it counts each
iteration of a string instruction, it gives what stubs do to the function that calls by them, and it leads recursion on
where we lead it back. A function to which others jump only, and that has no name in its file, is no function there.
"""
import collections
import functools
import re
import sqlite3
import sys

from harness import main
from test_truth import PAPI_PROFILE, Truth
import truth

TOLERANCE = 0.01  # of each of the
LARGEST = 10      # ways with the most instructions
# Of all instructions, at least, in the same way here and there. sqlite's locks are pointers to functions, which others
# jump to as their last act: that is known there, and not here.
SHARED = {"xz": 0.995, "bzip2": 0.995, "perl": 0.98, "sqlite": 0.9}
DEEP = 100  # calls, which is more than there are but for recursion


def led_back(way):
    """A function that is on its way already is that one again."""
    found = []
    for function in way:
        if function in found:
            del found[found.index(function) + 1:]
        else:
            found.append(function)
    return tuple(found)


@functools.lru_cache(maxsize=None)
def iterates(place):
    elf = truth.elf_of(place[0])
    return bool(elf and re.match(rb"[\xf2\xf3]\x48?[\xa4-\xa7\xaa-\xaf]", elf.bytes_at(place[1]) or b""))


class Callgrind:
    """Functions and their callers have one name there, with the innermost first: f'g'main'(below main)'..."""

    def __init__(self, path):
        self.own = collections.defaultdict(collections.Counter)  # by name and place
        self.entries = {}                                        # by name, the function that was called
        self.places = {}                                         # likewise, where the first of its instructions is
        self.read(path)
        self.alone = {name.split("'", 1)[0]: function for name, function in [*self.places.items(),
                                                                            *self.entries.items()]}

    def read(self, path):
        module = called = truth.UNKNOWN
        name = callee = ""
        of_call = False
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("0x"):
                    address, _, number = line.split()
                    place = module, int(address, 16)
                    if not of_call:
                        self.own[name][place] += int(number)
                        self.places.setdefault(name, truth.function_of(place))
                    of_call = False
                elif line.startswith("ob="):
                    module = called = truth.real(line[3:].strip())
                elif line.startswith("cob="):
                    called = truth.real(line[4:].strip())
                elif line.startswith("fn="):
                    name = line[3:].strip()
                elif line.startswith("cfn="):
                    callee = line[4:].strip()
                elif line.startswith("calls="):
                    self.entries.setdefault(callee, truth.function_of((called, int(line.split()[1], 16))))
                    called, of_call = module, True

    def way(self, name):
        """From main on, the outermost first; what is in no file's text is part of what leads there."""
        names = name.split("'")
        start = next((i for i, one in enumerate(names) if one.startswith("__libc_start_main")), 0)
        found = []
        for i in range(start - 2, -1, -1):
            if not names[i].isdigit():  # the depth of recursion
                rest = "'".join(names[i:])
                found.append(self.entries.get(rest) or self.places.get(rest) or self.alone[names[i]])
        return led_back([function for function in found if function[0] != truth.UNKNOWN])

    def ways(self, ran):
        """Instructions by way; ran: how often each instruction ran."""
        iterations = collections.Counter()
        for places in self.own.values():
            iterations.update({place: number for place, number in places.items() if iterates(place)})
        found = collections.Counter()
        for name, places in self.own.items():
            found[self.way(name)] += sum(round(number * ran[place] / iterations[place]) if iterations[place] else number
                                         for place, number in places.items())
        del found[()]
        return found


def from_main(way):
    start = next((i for i, (module, name) in enumerate(way)
                  if module.startswith("libc.so") and name.startswith("__libc_start_main")), len(way))
    return way[start + 2:]


def read_ways(path, known):
    """Likewise, of a profile; known: the functions that may be in a way."""
    connection = sqlite3.connect(path)
    places = {i: (truth.real(module), offset) for i, module, offset in connection.execute(
        "SELECT a.id, m.path, a.offset FROM address AS a JOIN module AS m ON m.id = a.module")}
    contexts = {i: (parent, places[address])
                for i, parent, address in connection.execute("SELECT id, parent, address FROM context")}
    found = collections.Counter()
    for context, callee, value, calls in connection.execute(
            "SELECT context, callee, sum(value), sum(calls) FROM path WHERE event = 1 GROUP BY 1, 2"):
        stubs = calls * truth.length_of_stub(contexts[context][1]) if context else 0
        way = [truth.function_of(places[callee])]
        while context:
            context, site = contexts[context]
            way.append(truth.function_of(site))
        way = from_main(way[::-1])
        for part, number in ((way, value - stubs), (way[:-1], stubs)):
            found[led_back([function for function in part if function in known])] += number
    connection.close()
    del found[()]
    return found


def inclusive(own):
    found = collections.Counter()
    for way, number in own.items():
        for length in range(1, len(way) + 1):
            found[way[:length]] += number
    return found


class ContextTruth(Truth):
    def look(self, name):
        command = self.command(name)
        result = self.run_it([PAPI_PROFILE, "-x", "--contexts", "-e", "PAPI_TOT_INS", "-o", "x.db", *command])
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = self.run_it(["valgrind", "--tool=callgrind", f"--separate-callers={DEEP}", "--dump-instr=yes",
                                "--compress-pos=no", "--compress-strings=no", "--zero-before=__libc_start_main*",
                                "--callgrind-out-file=callgrind.out", *command])
        self.assertEqual((expected.returncode, expected.stdout), (0, result.stdout), expected.stderr)
        theirs = Callgrind(self.path("callgrind.out")).ways(truth.read_store(self.path("x.db")).own)
        ours = read_ways(self.path("x.db"), {function for way in theirs for function in way})
        self.check_ways(name, ours, theirs)

    def check_ways(self, name, ours, theirs):
        total = sum(ours.values())
        shared = sum((ours & theirs).values()) / total
        own, expected = inclusive(ours), inclusive(theirs)
        largest = sorted(own.keys() | expected.keys(), key=lambda way: -max(own[way], expected[way]))[:LARGEST]
        self.assertEqual(len(largest), LARGEST)
        wrong = {" ".join(function for _, function in way): (own[way], expected[way]) for way in largest
                 if abs(own[way] - expected[way]) > TOLERANCE * max(own[way], expected[way])}
        worst = max(abs(own[way] / expected[way] - 1) if expected[way] else 1 for way in largest)
        print(f"{name}: {total} instructions in {len(ours)} ways, callgrind's {sum(theirs.values())} in "
              f"{len(theirs)}; of the largest {LARGEST} the worst differs by {worst:.3%}; in the same way {shared:.2%}")
        self.assertEqual(wrong, {})
        self.assertGreaterEqual(shared, SHARED[name])


def add(name):
    setattr(ContextTruth, f"test_{name}", lambda self: self.look(name))


if __name__ == "__main__":
    for program in sys.argv[1:] or SHARED:
        add(program)
    del sys.argv[1:]
    main()
