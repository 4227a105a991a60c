# SPDX-License-Identifier: BSD-3-Clause
"""Every metric that the virtual PMU can count, on programs whose counts follow from what they do and from the caches.

    known_counts.py KNOWN FILE...

KNOWN is the program (known.c), the files are those of data/metrics. Subjects walk through memory or code with given
strides: which of their accesses miss where is reckoned here, from the sizes of the caches that the library reports, and
of others that PAPI_VPMU_CACHE describes: in a set with more lines than ways each access misses, in any other each line
once. Instructions and what they do are known exactly; of lines and pages there are a few more, of the subject's
code, arguments and stack, and of predictions those at the end of loops. That gives each value an interval; it must be
met, and each way of each metric must have met one that is no wider than 2 % somewhere: so a factor that changes is
noticed.

Not here: group system, which the kernel counts (known_system.py); energy, with a PMU made for it (tests/run,
test_metrics.py); events of certain processors (machines.c); and what goes by seconds, which does not exist beside
counts by translation: that it says so is looked at. cachegrind is a witness of the walks, where it is installed.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from known_meanings import Counts, MEANINGS
from test_values import other_names, read

PROGRAM, *FILES = sys.argv[1:]
PAGE = 4096
GROUPS = [group for group in read(FILES) if group.name not in ("system", "energy")]
# More than what a loop's end, the code of a subject, its arguments and its stack can have.
SLACK = {**{level + side: 8 for level in ("l1", "l2", "l3") for side in "rwi"},
         **{level + side: 4 for level in ("tlb", "walk") for side in "rwi"}, "mispredicted": 8, "targets": 8}
SMALL = "L1I=16K/4/64,L1D=24K/6/64,L2=192K/12/64,L3=1440K/16/64,ITLB=16/4,DTLB=24/full,ITLB2=48/4,DTLB2=96/6"
NO_L3 = "L1I=8K/2/64,L1D=16K/2/64,L2=160K/5/64,L3=none,ITLB=16/full,DTLB=32/4,ITLB2=none,DTLB2=none"
# What is tried by a subject alone that not every processor can run.
ONLY_OF = {"wide": {"vector_width_256_share_0", "flops_fma_share_0"}, "widest": {"vector_width_512_share_0"}}
# Which sides of the caches a walk uses.
SIDES = {"read": "r", "write": "w", "copy": "rw", "sum": "r"}


class Shape(collections.namedtuple("Shape", "sets ways line")):
    @property
    def lines(self):
        return self.sets * self.ways


def run(*arguments, cache=None):
    environment = {**os.environ, "PAPI_VPMU": "always"}
    environment.pop("PAPI_VPMU_CACHE", None)
    environment.pop("PAPI_VPMU_MODEL", None)
    if cache:
        environment["PAPI_VPMU_CACHE"] = cache
    result = subprocess.run([PROGRAM, *map(str, arguments)], env=environment, capture_output=True, text=True,
                            check=False, timeout=120)
    if result.returncode == 77:
        raise unittest.SkipTest(result.stdout.strip())
    if result.returncode:
        raise AssertionError(result.stderr + result.stdout)
    return result.stdout


def caches_here():
    """As the library reports them; a TLB whose ways it does not know is taken for a full one."""
    found = {}
    for line in run("caches").splitlines():
        what, level, kind, *numbers = line.split()
        numbers = [int(number) for number in numbers]
        if what == "cache":
            size, ways, width = numbers
            name = "L1" + kind if level == "1" else "L" + level
            found[name] = Shape(size // width // ways, ways, width)
        else:
            entries, ways = numbers
            if ways <= 0 or ways > entries or entries % ways:
                ways = entries
            for side in kind if kind != "U" else "ID":
                found[f"{side}TLB" + ("" if level == "1" else level)] = Shape(entries // ways, ways, PAGE)
    return found


def caches_of(text):
    """Of a text for PAPI_VPMU_CACHE."""
    found = {}
    for part in text.split(","):
        name, shape = part.split("=")
        if shape != "none":
            size, ways, *line = (field.replace("K", "*1024") for field in shape.split("/"))
            size, line = eval(size), int(line[0]) if line else 1  # pylint: disable=eval-used
            ways = size // line if ways == "full" else int(ways)
            found[name] = Shape(size // line // ways, ways, line if "TLB" not in name else PAGE)
    return found


class Walk:
    """What the levels of a cache, or of TLBs, see of a walk, and what misses: `seen` has each line with its side, and
    how often it comes."""

    def __init__(self, lines, passes):
        self.seen = {line: (side, passes) for line, side in lines}
        self.unsure = 0

    def through(self, shape):
        """The misses of a level, by side. They are what the next one sees."""
        of_set = collections.defaultdict(list)
        for line, (side, times) in self.seen.items():
            of_set[line % shape.sets].append((line, side, times))
        missing = {}
        for those in of_set.values():
            again = sum(times > 1 for _, _, times in those)
            for line, side, times in those:
                missing[line] = (side, times if again > shape.ways else 1)
            if again <= shape.ways < len(those):
                self.unsure += again
        self.seen = missing
        return {side: sum(times for its, times in missing.values() if its == side) for side in "rwi"}


def misses(caches, side, stride, times, passes):
    """Of `times` accesses, `stride` bytes apart, side "r", "w", "i", or "rw" of one each; and what is not sure."""
    pages, lines, page_lines = {}, [], PAGE // 64
    for i in range(times):
        for area in side:
            # Pages have the numbers in which they are first touched.
            page = pages.setdefault((area, i * stride // PAGE), len(pages))
            lines.append((page * page_lines + i * stride % PAGE // 64, area))
    found, unsure = {}, {}
    first = "L1I" if side == "i" else "L1D"
    walk = Walk(lines, passes)
    for level, name in (("l1", first), ("l2", "L2"), ("l3", "L3")):
        # Where there is no L3, a miss of L2 is one of it.
        of_level = walk.through(caches[name]) if name in caches else {s: found["l2" + s] for s in "rwi"}
        found.update({level + s: number for s, number in of_level.items()})
        unsure.update({level + s: walk.unsure for s in side})
    walk = Walk([(number, area) for (area, _), number in pages.items()], passes)
    for level, name in (("tlb", "TLB"), ("walk", "TLB2")):
        name = ("I" if side == "i" else "D") + name
        of_level = walk.through(caches[name]) if name in caches else {s: found["tlb" + s] for s in "rwi"}
        found.update({level + s: number for s, number in of_level.items()})
        unsure.update({level + s: walk.unsure for s in side})
    return found, unsure


# ---- The subjects of known_subjects.c: their instructions. What calls one is two, and a store; its return is a load.

def walk_counts(subject, caches, stride, times, passes):
    side, all_times = SIDES[subject], passes * times
    found, unsure = misses(caches, side, stride, times, passes)
    sums = all_times * (subject == "sum")
    return Counts(instructions=8 + passes * 4 + all_times * (3 + len(side)), loads=6 + all_times * ("r" in side),
                  stores=1 + all_times * ("w" in side), branches=2 + passes + all_times,
                  conditional=passes + all_times, taken=passes - 1 + all_times - passes,
                  integer=passes + 2 * all_times, fp=sums, double=sums, **found), {
                      **unsure, "mispredicted": passes}  # the ends of loops; short ones are learned


def branch_counts(caches, passes):
    """
    Each of the thousand that are taken has counters of its own, which begin at "surely not": it is predicted wrong in
    the first two passes. Those that are not taken are right from the beginning.
    """
    found, _ = misses(caches, "i", 64, 6000 // 64, passes)
    return Counts(instructions=4 + passes * 3003, loads=2, stores=1, branches=2 + passes * 2001,
                  conditional=passes * 2001, taken=passes * 1001 - 1, integer=passes * 2, mispredicted=2000,
                  **found), {}


def code_counts(caches, stride, times, passes):
    found, unsure = misses(caches, "i", stride, times, passes)
    # The line and the page from which it is called are fetched in each pass, too, and may be out again.
    unsure.update({name: unsure[name] + passes for name in unsure})
    return Counts(instructions=5 + passes * (times + 3), loads=3 + passes, stores=1 + passes,
                  branches=2 + passes * (times + 2), conditional=passes, taken=passes - 1, integer=passes,
                  **found), unsure


def mix_counts(passes):
    return Counts(instructions=6 + passes * 13, loads=3 + passes * 2, stores=1 + passes * 2, branches=2 + passes,
                  conditional=passes, taken=passes - 1, integer=passes * 3, fp=passes * 6, single=passes * 9,
                  double=passes * 4, vector=1 + passes * 4, vector_fp=passes * 3, wide128=passes * 10,
                  sync=passes * 2), {}


def wide_counts(passes):
    return Counts(instructions=5 + passes * 7, loads=2, stores=1, branches=2 + passes, conditional=passes,
                  taken=passes - 1, integer=passes, fp=passes * 5, single=passes * 8, double=passes * 15,
                  fma=passes * 2, vector=1 + passes * 3, vector_fp=passes * 3, wide256=passes * 20), {}


def widest_counts(passes):
    return Counts(instructions=5 + passes * 6, loads=2, stores=1, branches=2 + passes, conditional=passes,
                  taken=passes - 1, integer=passes, fp=passes * 4, single=passes * 32, double=passes * 9,
                  vector=1 + passes * 3, vector_fp=passes * 3, wide512=passes * 40), {}


def interval(meaning, counts, unsure):
    """The value, and how far from it what is counted may be; None where it divides by next to nothing."""
    try:
        value = meaning(counts)
        off = 1e-5 * abs(value)
        for name, slack in SLACK.items():
            off += abs(meaning(counts.but(name, slack + unsure.get(name, 0))) - value)
        return value, off
    except ZeroDivisionError:
        return None


# ---- What is tried: what is known of it, the arguments of the program, and a text for PAPI_VPMU_CACHE

def walks(caches, cache, names=("L1D", "L2", "L3", "DTLB", "DTLB2"), subjects=tuple(SIDES), sizes=(0.5, 2)):
    """Through what half fills a cache, and through twice as much as there is room for; pages likewise."""
    for name in names:
        # A cache of hundreds of MiB would take its time.
        if name not in caches or caches[name].lines > 1 << 20:
            continue
        stride = PAGE + 64 if "TLB" in name else 64
        for subject in subjects:
            side = SIDES[subject]
            for size in sizes:
                times = int(size * caches[name].lines) // len(side)
                passes = 2 + 40000 // times
                yield walk_counts(subject, caches, stride, times, passes), (subject, stride, times, passes), cache


def codes(caches, cache, names=("L1I", "L2", "ITLB", "ITLB2")):
    for name in names:
        if name in caches:
            stride, times = PAGE + 64 if "TLB" in name else 64, 2 * caches[name].lines
            passes = 2 + 10000 // times
            yield code_counts(caches, stride, times, passes), ("code", stride, times, passes), cache


def all_there_is():
    caches = caches_of(NO_L3)
    yield from walks(caches, NO_L3, subjects=("copy", "sum"), sizes=(2,))
    yield from codes(caches, NO_L3)
    caches = caches_of(SMALL)
    yield from walks(caches, SMALL)
    yield from codes(caches, SMALL)
    yield branch_counts(caches, 4), ("branch", 64, 1, 4), SMALL
    for name, known in (("mix", mix_counts), ("wide", wide_counts), ("widest", widest_counts)):
        yield known(5000), (name, 64, 1, 5000), SMALL
    caches = caches_here()
    if {"L1I", "L1D", "L2", "ITLB", "DTLB"} <= set(caches):
        yield from walks(caches, None, ("L1D", "L2", "DTLB2"), ("copy",), (2,))
        yield from walks(caches, None, ("L3",), ("read",), (2,))
        yield from codes(caches, None, ("L1I", "ITLB", "ITLB2"))
    else:
        print("caches of this machine: it tells of", " ".join(sorted(caches)), "alone")


def meaning_of(name):
    """Of a way, as other_names() calls it."""
    group, way = name.split("_", 1)
    way, number = way.rsplit("_", 1)
    return MEANINGS[group][way][int(number)]


class Known(unittest.TestCase):
    def subject(self, path, known, arguments, cache):
        """Compares all values; the ways of which there was one that a factor would have changed."""
        (counts, unsure), wrong, narrow = known, [], set()
        for line in run("count", path, "known", *arguments, cache=cache).splitlines():
            name, text, *why = line.split()
            meaning = meaning_of(name)
            if text == "-" and "no third level of cache" in line:
                self.assertNotIn("L3", caches_of(cache) if cache else caches_here())
                continue
            if meaning == "translation":
                self.assertEqual(text, "-", name)
                self.assertIn("counted by translation", " ".join(why))
                narrow.add(name)
                continue
            self.assertNotEqual(text, "-", line)
            expected = interval(meaning, counts, unsure)
            if expected is None:
                continue
            value, off = expected
            if not abs(float(text) - value) <= off:
                wrong.append(f"{name}: {text}, not {value} within {off}")
            elif value and off <= 0.02 * value:
                narrow.add(name)
        self.assertEqual(wrong, [])
        return narrow

    def test_meanings(self):
        """A metric or a way of one that is new has to be explained to known_meanings.py."""
        self.assertEqual({group.name: {name: len(ways) for name, ways in group.metrics.items()} for group in GROUPS},
                         {group: {name: len(ways) for name, ways in metrics.items()}
                          for group, metrics in MEANINGS.items()})

    def test_all(self):
        lines = [line for line in other_names(GROUPS, {}).splitlines() if not line.startswith("GROUP")]
        lines = [line for line in lines if meaning_of(line.split(",")[1])]
        left = {line.split(",")[1] for line in lines}
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "groups")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(["GROUP,known,x"] + lines) + "\n")
            for known, arguments, cache in all_there_is():
                with self.subTest(subject=arguments, cache=cache):
                    try:
                        left -= self.subject(path, known, arguments, cache)
                    except unittest.SkipTest as why:
                        print(why)
                        left -= ONLY_OF[arguments[0]]
        self.assertEqual(left, set(), "no subject has tried these")


class Cachegrind(unittest.TestCase):
    """A witness that shares nothing with the simulators: it sees the same accesses miss the same caches."""

    def misses(self, subject, *numbers):
        geometry = {name: f"{shape.lines * shape.line},{shape.ways},{shape.line}"
                    for name, shape in caches_of(NO_L3).items()}
        with tempfile.NamedTemporaryFile() as file:
            result = subprocess.run(
                ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={file.name}",
                 "--I1=" + geometry["L1I"], "--D1=" + geometry["L1D"], "--LL=" + geometry["L2"], PROGRAM, "run",
                 subject, *map(str, numbers)], capture_output=True, text=True, check=False, timeout=240)
            self.assertEqual(result.returncode, 0, result.stderr)
            text = file.read().decode()
        names = re.search("^events: (.*)$", text, re.M)[1].split()
        of_function = re.search(rf"^fn=known_{subject}\n((?:\d.*\n)+)", text, re.M)[1].splitlines()
        counts = [list(map(int, line.split()[1:])) for line in of_function]
        return {name: sum(column) for name, column in zip(names, zip(*counts))}

    def test_walks(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        caches = caches_of(NO_L3)
        for (counts, _), (subject, *numbers), _ in walks(caches, NO_L3, ("L1D", "L2"), ("read", "copy")):
            theirs = self.misses(subject, *numbers)
            for name, expected in {"D1mr": counts.l1r, "D1mw": counts.l1w, "DLmr": counts.l2r, "DLmw": counts.l2w,
                                   "Ir": counts.instructions - 2, "Dr": counts.loads, "Dw": counts.stores - 1}.items():
                with self.subTest(subject=(subject, *numbers), what=name):
                    self.assertAlmostEqual(theirs[name], expected, delta=8 if "m" in name else 0)


if __name__ == "__main__":
    try:
        run("can")
    except unittest.SkipTest as reason:
        print(reason)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
