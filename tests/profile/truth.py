# SPDX-License-Identifier: BSD-3-Clause
"""An exact profile beside what callgrind counts of the same program, instruction by instruction and call by call.

Addresses are those in the file, as both have them. Functions begin where unwind tables or symbols say. What callgrind
does otherwise is undone: it gives the instructions of stubs in .plt to the calls by them, and counts each iteration of
a string instruction. It counts from __libc_start_main on: the agent begins shortly before.
"""
import bisect
import collections
import fnmatch
import functools
import os
import re
import sqlite3
import struct

UNKNOWN = "???"       # callgrind: outside of the text of all files
MADE = "[anonymous]"  # code that is made at run time, in our profiles
STUBS = (".plt", ".plt.sec")
OTHER_STUBS = (".plt.got", ".init", ".fini")  # outside of the text, for callgrind


class Elf:
    """What there is to know of a file of 64 bits."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        with open(path, "rb") as file:
            self.data = file.read()
        shoff, = struct.unpack_from("<Q", self.data, 40)
        size, number, names = struct.unpack_from("<HHH", self.data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + i * size) for i in range(number)]
        offset_of_names = headers[names][4]
        self.sections = [(self.text_at(offset_of_names + header[0]), *header[1:]) for header in headers]
        self.starts = {}
        for name, kind, _, address, offset, length, link, *_ in self.sections:
            if kind in (2, 11):  # symtab, dynsym
                self.read_symbols(offset, length, self.sections[link][4])
            if name == ".eh_frame_hdr":
                self.read_frames(address, offset)
        self.order = sorted(self.starts)
        self.contents = [(start, start + length, offset) for _, kind, flags, start, offset, length, *_ in self.sections
                         if flags & 2 and kind != 8]  # what is in memory, and in the file

    def text_at(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def read_symbols(self, offset, length, names):
        for at in range(offset, offset + length, 24):
            name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
            if info & 15 in (2, 10) and section:  # functions, and those that choose one
                self.starts[value] = self.starts.get(value) or self.text_at(names + name)

    def read_frames(self, address, offset):
        if self.data[offset:offset + 4] != b"\x01\x1b\x03\x3b":
            return
        for i in range(struct.unpack_from("<I", self.data, offset + 8)[0]):
            start, _ = struct.unpack_from("<ii", self.data, offset + 12 + 8 * i)
            self.starts.setdefault(address + start, "")

    def function(self, address):
        """Its name, or where it begins."""
        i = bisect.bisect_right(self.order, address) - 1
        start = self.order[i] if i >= 0 else 0
        return self.starts.get(start) or hex(start)

    @functools.lru_cache(maxsize=None)
    def ranges(self, names):
        return [(start, start + length) for name, _, _, start, _, length, *_ in self.sections if name in names]

    def is_in(self, address, names):
        return any(start <= address < end for start, end in self.ranges(names))

    def bytes_at(self, address):
        for start, end, offset in self.contents:
            if start <= address < end:
                return self.data[offset + address - start:offset + min(address + 16, end) - start]
        return b""

    @functools.lru_cache(maxsize=None)
    def sort_of(self, address):
        """Of the branch there, and where it leads, if that is known; None: it is none."""
        code = self.bytes_at(address).lstrip(b"\xf2\x3e\x48")
        end = address + len(self.bytes_at(address)) - len(code)
        first = code[0] if code else 0
        if first in (0xe8, 0xe9):
            return "call" if first == 0xe8 else "jump", end + 5 + struct.unpack_from("<i", code, 1)[0]
        if first == 0xeb or 0x70 <= first < 0x80:
            return "jump", end + 2 + struct.unpack_from("<b", code, 1)[0]
        if first == 0x0f and code[1] >> 4 == 8:
            return "jump", end + 6 + struct.unpack_from("<i", code, 2)[0]
        if first == 0xff and code[1] >> 3 & 7 in (2, 4):
            return "call" if code[1] >> 3 & 7 == 2 else "jump", None
        return None, None


@functools.lru_cache(maxsize=None)
def elf_of(path):
    return Elf(path) if os.path.isabs(path) else None


@functools.lru_cache(maxsize=None)
def real(path):
    return os.path.realpath(path) if os.path.isabs(path) else path


@functools.lru_cache(maxsize=None)
def function_of(place):
    """Module and name."""
    path, address = place
    elf = elf_of(path)
    return (elf.name, elf.function(address)) if elf else (path, "")


class Counts:
    def __init__(self):
        self.own = collections.Counter()        # by place: path and address
        self.calls = collections.Counter()      # by the call's place and what it calls
        self.inclusive = collections.Counter()  # likewise

    def functions(self):
        found = collections.Counter()
        for place, number in self.own.items():
            found[function_of(place)] += number
        return found


def read_callgrind(path):
    counts, module, called, pending = Counts(), UNKNOWN, UNKNOWN, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("0x"):
                address, _, number = line.split()
                place = module, int(address, 16)
                if pending:
                    counts.calls[place, pending[1]] += pending[0]
                    counts.inclusive[place, pending[1]] += int(number)
                else:
                    counts.own[place] += int(number)
                pending = None
            elif line.startswith("ob="):
                module = called = real(line[3:].strip())
            elif line.startswith("cob="):
                called = real(line[4:].strip())
            elif line.startswith("calls="):
                number, target, _ = line[6:].split()
                pending, called = (int(number), (called, int(target, 16))), module
    take_stubs_from_calls(counts)
    return counts


def read_store(path):
    counts = Counts()
    connection = sqlite3.connect(path)
    for module, offset, value in connection.execute(
            """SELECT m.path, a.offset, sum(value) FROM count JOIN address AS a ON a.id = address
               JOIN module AS m ON m.id = a.module WHERE event = 1 GROUP BY 1, 2"""):
        counts.own[real(module), offset] += value
    for of_site, site, of_callee, callee, number, value in connection.execute(
            """SELECT m.path, site.offset, n.path, callee.offset, sum(calls), sum(value) FROM call
               JOIN address AS site ON site.id = site JOIN module AS m ON m.id = site.module
               JOIN address AS callee ON callee.id = callee JOIN module AS n ON n.id = callee.module
               WHERE event = 1 GROUP BY 1, 2, 3, 4"""):
        key = (real(of_site), site), (real(of_callee), callee)
        counts.calls[key] += number
        counts.inclusive[key] += value
    connection.close()
    drop_stubs(counts)
    return counts


@functools.lru_cache(maxsize=None)
def length_of_stub(place):
    """In instructions, of the stub that a call or jump leads to; 0: to none."""
    elf = elf_of(place[0])
    target = elf.sort_of(place[1])[1] if elf else None
    if target is None or not elf.is_in(target, STUBS):
        return 0
    return 2 if elf.bytes_at(target)[:4] == b"\xf3\x0f\x1e\xfa" else 1


def drop_stubs(counts):
    for place in list(counts.own):
        if elf_of(place[0]) and elf_of(place[0]).is_in(place[1], STUBS + OTHER_STUBS):
            del counts.own[place]
    for key, number in counts.calls.items():
        counts.inclusive[key] -= length_of_stub(key[0]) * number


def take_stubs_from_calls(counts):
    """The call itself ran once for each call; what stubs did before all was set to 0 stays there, too."""
    sites = collections.Counter()
    for (site, _), number in counts.calls.items():
        if length_of_stub(site):
            sites[site] += number
    counts.own.update({site: number - counts.own[site] for site, number in sites.items()})


def take_iterations(ours, theirs):
    """Of string instructions, the iterations that we do not count: what callgrind has more of each is taken away.
    Returns the functions where that was."""
    found = set()
    for place, number in theirs.own.items():
        elf = elf_of(place[0])
        if elf and number > ours.own[place] > 0 and re.match(rb"[\xf2\xf3]\x48?[\xa4-\xa7\xaa-\xaf]",
                                                             elf.bytes_at(place[1])):
            theirs.own[place] = ours.own[place]
            found.add(function_of(place))
    return found


def same_made(ours, theirs):
    """Of instructions of code that was made at run time, how many ran as often there; its addresses say nothing."""
    here = collections.Counter(number for place, number in ours.own.items() if place[0] == MADE)
    there = collections.Counter(number for place, number in theirs.own.items() if place[0] == UNKNOWN)
    return sum(number * times for number, times in (here & there).items())


def cycles(edges):
    """The number of the strongly connected component of each node (Tarjan's way, without recursion)."""
    number, low, component, stack, order = {}, {}, {}, [], 0
    for root in list(edges):
        work = [(root, iter(edges.get(root, ())))] if root not in number else []
        while work:
            node, rest = work[-1]
            if node not in number:
                number[node] = low[node] = order
                order += 1
                stack.append(node)
            for following in rest:
                if following not in number:
                    work.append((following, iter(edges.get(following, ()))))
                    break
                if following not in component:
                    low[node] = min(low[node], low[following])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                while low[node] == number[node] and node not in component:
                    component[stack[-1]] = number[node]
                    stack.pop()
    return component


class Comparison:
    """Of a profile, others of the same program elsewhere, with other variables and libraries, and callgrind's."""

    def __init__(self, ours, others, theirs):
        self.iterating = take_iterations(ours, theirs)
        self.ours, self.theirs = ours, theirs
        self.functions, self.expected, *varied = (
            collections.Counter({key: number for key, number in counts.functions().items()
                                 if key[0] not in (UNKNOWN, MADE)}) for counts in (ours, theirs, *others))
        self.functions[MADE, ""] = sum(number for place, number in ours.own.items() if place[0] == MADE)
        self.expected[MADE, ""] = same_made(ours, theirs)
        self.differing = {key for key in self.functions | self.expected if self.functions[key] != self.expected[key]}
        self.varying = {key for key in self.differing if any(each[key] != self.functions[key] for each in varied)}
        self.total = sum(self.functions.values())
        self.checked = [key for key in ours.calls | theirs.calls
                        if all(ours.calls[key] == other.calls[key] for other in others) and self.is_checked(*key)]

    def unexplained(self, known):
        """Functions that differ: neither do they differ among our own runs, nor are they known to."""
        return {key: (self.functions[key], self.expected[key]) for key in self.differing - self.varying
                if not any(fnmatch.fnmatchcase(key[0], module) and fnmatch.fnmatchcase(key[1], name)
                           for module, name in known)}

    def share(self, tolerance):
        """Of all instructions, those in functions that differ by no more than that; of code that is made at run time,
        those that ran as often there."""
        return sum(self.expected[key] if key[0] == MADE else number for key, number in self.functions.items()
                   if key[0] == MADE or
                   abs(self.expected[key] - number) <= tolerance * max(number, self.expected[key])) / self.total

    def is_checked(self, site, callee):
        """A call, in functions that do the same in both, of what both know."""
        elf, other = elf_of(site[0]), elf_of(callee[0])
        if not elf or not other or elf.sort_of(site[1])[0] != "call" or other.is_in(callee[1], OTHER_STUBS):
            return False
        target = elf.sort_of(site[1])[1]
        return not self.differing & {function_of(site), function_of(callee)} and \
            (target is None or not elf.is_in(target, OTHER_STUBS))

    def wrong_calls(self):
        return {key: (self.ours.calls[key], self.theirs.calls[key]) for key in self.checked
                if self.ours.calls[key] != self.theirs.calls[key]}

    def edges(self):
        """Which function may have led to which: by calls, and by jumps; those to an address that is not known may have
        led to any function of the file that was entered more often than it was called."""
        edges, entered, wanderers = collections.defaultdict(set), collections.Counter(), collections.defaultdict(set)
        for (site, callee), number in (self.ours.calls | self.theirs.calls).items():
            edges[function_of(site)].add(function_of(callee))
            entered[callee] -= number
        for place, number in self.ours.own.items():
            elf = elf_of(place[0])
            sort, target = elf.sort_of(place[1]) if elf else (None, None)
            if sort == "jump" and target is not None:
                edges[function_of(place)].add(function_of((place[0], target)))
            elif sort == "jump":
                wanderers[place[0]].add(function_of(place))
            if elf and place[1] in elf.starts:
                entered[place] += number
        for place, number in entered.items():
            for wanderer in wanderers[place[0]] if number > 0 else ():
                edges[wanderer].add(function_of(place))
        return edges

    def checked_inclusive(self):
        """Of calls that lead into no cycle that the caller is in, and nowhere to what differs."""
        edges = self.edges()
        component = cycles(edges)
        tainted = self.differing | self.iterating | {function_of(site) for site, _ in self.wrong_calls()}
        rest = list(tainted)
        callers = collections.defaultdict(set)
        for caller, callees in edges.items():
            for callee in callees:
                callers[callee].add(caller)
        while rest:
            for caller in callers[rest.pop()] - tainted:
                tainted.add(caller)
                rest.append(caller)
        for key in self.checked:
            caller, callee = map(function_of, key)
            if component.get(caller) != component.get(callee) and callee not in tainted:
                yield key

    def wrong_inclusive(self):
        return {key: (self.ours.inclusive[key], self.theirs.inclusive[key]) for key in self.checked_inclusive()
                if self.ours.inclusive[key] != self.theirs.inclusive[key]}


def describe(key):
    (site, callee) = key
    return f"{'!'.join(function_of(site))} ({site[1]:#x}) calls {'!'.join(function_of(callee))}"
