# SPDX-License-Identifier: BSD-3-Clause
"""Every way of every metric of data/metrics, in numbers: what the library makes of given counts is what this reckons.

    test_values.py EVALUATE FILE...

All events of the files are given other names, of events that can be counted anywhere, and each way of a metric becomes
a metric of its own, so that none hides another. Formulas are read here by Python, and counts are chosen by chance, from
a seed; some of them are 0, where a division must give no number. Then each rule is tried on both sides of its
threshold.
"""
import csv
import math
import os
import random
import re
import subprocess
import sys
import tempfile

ROUNDS = 20


class Way:
    """A METRIC line."""

    def __init__(self, fields):
        self.name, self.unit, self.formula = fields[1:4]
        rest, self.terms, self.texts = fields[4:], [], {}
        while rest and rest[0] not in ("SDESC", "LDESC"):
            self.terms.append(rest.pop(0))
        while rest:
            self.texts[rest[0]] = rest[1]
            rest = rest[2:]


class Group:
    """A GROUP line and what follows it."""

    def __init__(self, fields):
        self.name, self.description = fields[1:]
        self.metrics, self.rules = {}, []  # metrics: by name a list of ways


def read(paths):
    groups = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            for fields in csv.reader(line for line in file if line.strip() and not line.startswith("#")):
                if fields[0] == "GROUP":
                    groups.append(Group(fields))
                elif fields[0] == "METRIC":
                    way = Way(fields)
                    groups[-1].metrics.setdefault(way.name, []).append(way)
                elif fields[0] == "RULE":
                    groups[-1].rules.append(fields[1:])
                else:
                    sys.exit(f"{path}: {fields[0]}?")
    return groups


def owner_of(groups, group, name):
    """The group whose metric a term is; None: it is an event."""
    for one in [group] + groups[::-1]:
        if name in one.metrics:
            return one
    return None


def events_of(groups):
    found = {}
    for group in groups:
        for ways in group.metrics.values():
            for way in ways:
                for term in way.terms:
                    if term != "seconds" and not owner_of(groups, group, term):
                        found.setdefault(term, f"EVENT_{len(found)}")
    return found


def reckon(groups, group, way, counts):
    """The value of a way, NaN when it divides by zero. Metrics in it go their first way."""
    values = []
    for term in way.terms:
        owner = owner_of(groups, group, term)
        values.append(reckon(groups, owner, owner.metrics[term][0], counts) if owner else counts[term])
    if not re.fullmatch(r"[N0-9.e+*/() -]*", way.formula):
        sys.exit(f"{way.name}: what is {way.formula}?")
    try:
        return float(eval(re.sub(r"N(\d+)", r"v[\1]", way.formula), {"v": values}))  # pylint: disable=eval-used
    except ZeroDivisionError:
        return math.nan


def other_names(groups, events):
    """The same as a file of groups in which every way can be counted."""
    lines = []
    for group in groups:
        lines.append(f"GROUP,all_{group.name},x")
        for name, ways in group.metrics.items():
            for i, way in enumerate(ways):
                terms = []
                for term in way.terms:
                    owner = owner_of(groups, group, term)
                    terms.append(f"{owner.name}_{term}_0" if owner else events.get(term, term))
                lines.append(",".join(["METRIC", f"{group.name}_{name}_{i}", way.unit, way.formula, *terms]))
    return "\n".join(lines) + "\n"


def close(one, other):
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


class Library:
    def __init__(self, program, directory, groups, events):
        def write(name, text):
            path = os.path.join(directory, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path
        own = "".join(f"EVENT,{name},NOT_DERIVED,rusage:::minflt\n" for name in events.values())
        self.process = subprocess.Popen(
            [program, write("groups", other_names(groups, events))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={**os.environ, "PAPI_USER_EVENTS_FILE": write("events.csv", own)})

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().split()

    def values(self, group):
        self.tell(f"values {group}")
        found = {}
        while (words := self.answer()) != ["end"]:
            if len(words) != 2:
                sys.exit(f"values {group}: {words}")
            found[words[0]] = words[1]
        return found


def try_counts(library, groups, events, counts):
    wrong = numbers = 0
    library.tell(f"seconds {counts['seconds']!r}")
    for event, name in events.items():
        library.tell(f"count {name} {counts[event]!r}")
    for group in groups:
        found = library.values(f"all_{group.name}")
        for name, ways in group.metrics.items():
            for i, way in enumerate(ways):
                got, expected = found[f"{group.name}_{name}_{i}"], reckon(groups, group, way, counts)
                if got == "impossible" or not close(float(got), expected):
                    print(f"{group.name}, {name}, way {i}: {got}, not {expected}")
                    wrong += 1
                numbers += not math.isnan(expected)
    return wrong, numbers


def try_rule(library, group, rule):
    """0 when all is as it should be: at half, once and twice each threshold, with the other condition held or not."""
    metric, side, threshold, sentence, *other = group.rules[rule]
    names, wrong = list(group.metrics), 0
    for factor in (0.5, 1, 2):
        for other_factor in (0.5, 1, 2):
            fires = factor > 1 if side == "above" else factor < 1
            line = f"finding {group.name} {rule} {names.index(metric)} {float(threshold) * factor!r}"
            if other:
                fires = fires and (other_factor > 1 if other[1] == "above" else other_factor < 1)
                line += f" {names.index(other[0])} {float(other[2]) * other_factor!r}"
            library.tell(line)
            beyond, *words = library.answer()
            start = sentence.split("{}")[0].split()
            if (float(beyond) == 2) != fires or (not fires and words) or (fires and words[:len(start)] != start):
                print(f"{group.name}, rule {rule}, at {factor} of its threshold: {beyond} {' '.join(words)}")
                wrong += 1
    if sentence.count("{}") != 1:
        print(f"{group.name}, rule {rule}: the value must stand in the sentence once")
        wrong += 1
    return wrong


def texts_missing(groups):
    """Each metric says what it is and how to read it."""
    wrong = 0
    for group in groups:
        for name, ways in group.metrics.items():
            if set(ways[0].texts) != {"SDESC", "LDESC"} or not ways[0].texts["LDESC"].endswith("."):
                print(f"{group.name}, {name}: SDESC, and LDESC that ends with a full stop, belong to its first line")
                wrong += 1
            if len(ways[0].texts.get("SDESC", "")) > 24:
                print(f"{group.name}, {name}: SDESC is too long for a table")
                wrong += 1
    return wrong


def main():
    program, *paths = sys.argv[1:]
    groups = read(paths)
    events = events_of(groups)
    dice = random.Random(20261123)
    wrong = texts_missing(groups)
    numbers = ways = rules = 0
    with tempfile.TemporaryDirectory() as directory:
        library = Library(program, directory, groups, events)
        for turn in range(ROUNDS):
            counts = {name: float(dice.choice((0, 1, 1)) * dice.randrange(1, 10**12)) for name in events}
            if turn == 0:
                counts = {name: float(dice.randrange(1, 10**6)) for name in events}
            counts["seconds"] = dice.choice((0.001, 1.5, 1234.5))
            some_wrong, some_numbers = try_counts(library, groups, events, counts)
            wrong += some_wrong
            numbers += some_numbers
        for group in groups:
            ways += sum(len(some) for some in group.metrics.values())
            for rule in range(len(group.rules)):
                wrong += try_rule(library, group, rule)
                rules += 1
        library.process.stdin.close()
        if library.process.wait():
            wrong += 1
    print(f"{ways} ways of metrics, {ROUNDS} times each, {numbers} numbers; {rules} rules; {wrong} wrong")
    return 1 if wrong or numbers < ways * ROUNDS / 4 else 0


if __name__ == "__main__":
    sys.exit(main())
