# SPDX-License-Identifier: BSD-3-Clause
"""Names of Rust, as compilers have mangled them and as the grammar makes them, against c++filt and llvm-cxxfilt."""
import os
import random
import re
import shutil
import string
import subprocess
import unittest

from harness import main

DEMANGLER = os.environ["PAPI_PROFILE_DEMANGLER"]
DIGITS = string.digits + string.ascii_letters

# Of a program that rustc 1.95 has compiled, and what its author wrote.
COMPILED = {
    "_RINvCs6wDiz3RHjMG_7counter3anyDNtNtNtNtCsgEmfK2I1SDS_4core4iter6traits8iterator8Iteratorp4ItemhEL_EB2_":
        "counter::any::<dyn core::iter::traits::iterator::Iterator<Item = u8>>",
    "_RINvCs6wDiz3RHjMG_7counter3anyINtNtCslNYArtu3iFV_5alloc5boxed3BoxDG_INtNtNtCsgEmfK2I1SDS_4core3ops8function2FnTR"
    "L0_ShAINtNtB1b_6option6OptionQnEj2_EEp6OutputTcENtNtB1b_6marker4SendEL_EEB2_":
        "counter::any::<alloc::boxed::Box<dyn for<'a> core::ops::function::Fn<(&'a [u8], [core::option::Option<&mut "
        "i128>; 2]), Output = (char,)> + core::marker::Send>>",
    "_RINvCs6wDiz3RHjMG_7counter3anyTPhINtNtCsgEmfK2I1SDS_4core6option6OptionFbiEzEEEB2_":
        "counter::any::<(*const u8, core::option::Option<fn(bool, isize) -> !>)>",
    "_RINvCs6wDiz3RHjMG_7counter4flagKb1_Kce9_Ksn7_EB2_": "counter::flag::<true, '\\u{e9}', -7>",
    "_RNCNvCs6wDiz3RHjMG_7counter4mains_0B3_": "counter::main::{closure#1}",
    "_RNSNvYNCNvCs6wDiz3RHjMG_7counter4mains_0INtNtNtCsgEmfK2I1SDS_4core3ops8function6FnOnceTRShAINtNtBJ_6option6Option"
    "QnEj2_EE9call_once6vtableB8_":
        "<counter::main::{closure#1} as core::ops::function::FnOnce<(&[u8], [core::option::Option<&mut i128>; 2])>>::"
        "call_once::{shim:vtable#0}",
    "_RNvCs6wDiz3RHjMG_7counteru9gre_6ka8i": "counter::größe",
    "_RNvMNtCs6wDiz3RHjMG_7counter5storeINtB2_3MapmKj3_E3sumB4_": "<counter::store::Map<u32, 3>>::sum",
    "_RNvXs_NtCs6wDiz3RHjMG_7counter5storeINtB4_3MapmKj3_ENtB4_4Walk4walkB6_":
        "<counter::store::Map<u32, 3> as counter::store::Walk>::walk",
}
# Behind names, and older ones, which look like those of C++.
BEHIND = {
    "_RNvCs6wDiz3RHjMG_7counter4main.llvm.17734986171116630934": "counter::main",
    "_RNvCs6wDiz3RHjMG_7counter4main.cold": "counter::main [clone .cold]",
    "_ZN5store6lookup17h0123456789abcdefE.llvm.1773498": "store::lookup",
    "_ZN5store6lookup17h0123456789abcdefE.cold": "store::lookup [clone .cold]",
    "_ZN5store6lookup17h0123456789abcdefE": "store::lookup",
    "_ZN5store6lookup16h0123456789abcdeE": "store::lookup::h0123456789abcde",
    "_ZN5store6lookup17h0123456789abcdefEv.cold": "store::lookup::h0123456789abcdef() [clone .cold]",
    "_ZN46_$LT$store..Map$u20$as$u20$core..ops..Drop$GT$4drop17hfedcba9876543210E.llvm.17":
        "<store::Map as core::ops::Drop>::drop",
}
# What is none: cut short, too much, of another version, with places that lie ahead, digits that are none, characters
# that are none, lifetimes that nobody has named, constants out of range.
NONE = ("_R", "_RC", "_RC1", "_RC2a", "_RNvC1a", "_RNvC1a1", "_R0NvC1a1b", "_R1NvC1a1b", "_RNvC1a1b!", "_RNvC1a1bE",
        "_RNvB_1b", "_RNvB1_1b", "_RNvC1aB4_", "_RINvC1a1bTBb_hEE", "_RINvC1a1bB8_E", "_RINvC1a1bK", "_RINvC1a1bKhE",
        "_RINvC1a1bKhg_E", "_RINvC1a1bKb2_E", "_RINvC1a1bKcd800_E", "_RINvC1a1bKc110000_E", "_RINvC1a1bKc1000061_E",
        "_RINvC1a1bL0_E", "_RINvC1a1bFG_EL1_E", "_RINvC1a1bDEE", "_RINvC1a1bhE1", "_RINvC1a1bh", "_RNvC1au1b",
        "_RNvC1au3a_b", "_RNvC1au2a_", "_RNvC1a01b", "_RNvC1a4b.c", "_RNvC1a99999999999999999999999b",
        "_RNvCs99999999999999_1a1b", "_RINvC1a1bFKEuE", "_RINvC1a1bFKuEuE", "_RINvC1a1bkE", "_RINvC1a1bgE",
        "_RINvC1a1bFGzzzzzzzzzz_EuE", "_RINvC1a1bKRe616263_E", "_Rust", "_Reset_Handler", "_RNv1a1b", "_RNvNvC1a", "_R"
        + "z" * 30000)


def base62(number):
    digits = ""
    if number == 0:
        return "_"
    number -= 1
    while number or not digits:
        number, digit = divmod(number, 62)
        digits = DIGITS[digit] + digits
    return digits + "_"


class Maker:
    """Names by the grammar: of each part that has no lifetimes it is known where it stands, for later ones."""
    BASIC = "abcdefhijlmnopstuvxyz"
    WORDS = ("a", "b2", "core", "_x", "9lives", "iter", "very_long_name_of_a_function", "x" * 40)
    FOREIGN = ("größe", "ñ", "日本語", "naïve_x", "Ωmega", "a_ß_b", "𝒳x")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = ""
        self.places = {"path": [], "type": [], "constant": []}
        self.lifetimes = 0
        self.bound = 0

    def chance(self, share):
        return self.random.random() < share

    def identifier(self, foreign=0.15):
        word = self.random.choice(self.FOREIGN if self.chance(foreign) else self.WORDS)
        if not word.isascii():
            word = word.encode("punycode").decode().replace("-", "_")
            self.name += "u"
        self.name += f"{len(word)}{'_' if word[0] == '_' or word[0].isdigit() else ''}{word}"

    def disambiguator(self):
        if self.chance(0.3):
            self.name += "s" + base62(self.random.choice((0, 1, 5, 62, 3843, 10 ** 9)))

    def part(self, kind, make, depth):
        places = self.places[kind]
        if places and self.chance(0.25):
            self.name += "B" + base62(self.random.choice(places))
            return
        at, before = len(self.name), self.lifetimes
        make(depth)
        if self.lifetimes == before:
            places.append(at)

    def path(self, depth):
        self.part("path", self.new_path, depth)

    def new_path(self, depth):
        kind = self.random.choice("CNNNMXYI") if depth > 0 else "C"
        self.name += kind
        if kind == "C":
            self.disambiguator()
            self.identifier()
        elif kind == "N":
            space = self.random.choice("vvtCS")
            self.name += space
            self.path(depth - 1)
            self.disambiguator()
            if space == "C" or (space == "S" and self.chance(0.3)):
                self.name += "0"
            else:
                self.identifier()
        elif kind == "I":
            self.path(depth - 1)
            for _ in range(self.random.randrange(4)):
                self.argument(depth - 1)
            self.name += "E"
        else:
            if kind != "Y":
                self.disambiguator()
                self.path(depth - 1)
            self.type(depth - 1)
            if kind != "M":
                self.path(depth - 1)

    def lifetime(self):
        self.lifetimes += 1
        self.name += "L" + base62(self.random.randrange(self.bound + 1))

    def argument(self, depth):
        if self.chance(0.1):
            self.lifetime()
        elif self.chance(0.25):
            self.name += "K"
            self.part("constant", self.constant, depth)
        else:
            self.type(depth)

    def type(self, depth):
        self.part("type", self.new_type, depth)

    def binder(self):
        if not self.chance(0.3):
            return 0
        n = self.random.choice((1, 2, 3))
        self.name += "G" + base62(n - 1)
        self.lifetimes += 1
        self.bound += n
        return n

    def new_type(self, depth):
        kind = self.random.choice("bbASTRQPOFDp") if depth > 0 else "b"
        if kind == "b":
            self.name += self.random.choice(self.BASIC)
        elif kind == "p":
            self.new_path(depth)
        elif kind == "F":
            self.function(depth)
        elif kind == "D":
            self.dynamic(depth)
        else:
            self.name += kind
            if kind in "RQ" and self.chance(0.4):
                self.lifetime()
            for _ in range(self.random.randrange(4) if kind == "T" else 1):
                self.type(depth - 1)
            if kind == "A":
                self.part("constant", self.length, depth)
            self.name += "E" if kind == "T" else ""

    def function(self, depth):
        self.name += "F"
        bound = self.binder()
        self.name += "U" if self.chance(0.3) else ""
        self.name += self.random.choice(("", "KC", "K8C_unwind", "K8thiscall"))
        for _ in range(self.random.randrange(3)):
            self.type(depth - 1)
        self.name += "E"
        self.type(depth - 1)
        self.bound -= bound

    def dynamic(self, depth):
        self.name += "D"
        bound = self.binder()
        for _ in range(self.random.choice((1, 1, 2))):
            self.path(depth - 1)
            for _ in range(self.random.choice((0, 0, 1, 2))):
                self.name += "p"
                # LLVM 14 forgets punycode here.
                self.identifier(foreign=0)
                self.type(depth - 1)
        self.name += "E"
        self.bound -= bound
        self.lifetime()

    def length(self, _):
        self.name += f"j{self.random.choice((0, 1, 4096, 2 ** 63)):x}_"

    def constant(self, _):
        kind = self.random.choice("asilxhtmyjbcp")
        self.name += kind
        if kind == "b":
            self.name += self.random.choice(("0_", "1_"))
        elif kind == "c":
            self.name += f"{ord(self.random.choice(string.ascii_letters + ' ~')):x}_"
        elif kind != "p":
            self.name += "n" if kind in "asilx" and self.chance(0.4) else ""
            self.name += f"{self.random.choice((0, 1, 7, 127, 0xffff, 2 ** 40, 2 ** 64 - 1)):x}_"

    def make(self):
        self.new_path(self.random.randrange(1, 6))
        if self.chance(0.2):
            self.name += "C4last"
        return "_R" + self.name


def ours(names):
    result = subprocess.run([DEMANGLER], input="".join(name + "\n" for name in names), stdout=subprocess.PIPE,
                            check=True, encoding="utf-8", timeout=60)
    return result.stdout.splitlines()


def theirs(names, command):
    result = subprocess.run(command, input="".join(name + "\n" for name in names), stdout=subprocess.PIPE, check=True,
                            encoding="utf-8", timeout=120)
    # c++filt writes all characters by their numbers which are neither letters nor digits.
    return re.sub(r"'\\u\{([2-6].|7[0-9a-e])\}'", lambda code: f"'{chr(int(code[1], 16))}'",
                  result.stdout).splitlines()


def bomb(doublings):
    """Tuples of two, each with the one before it twice."""
    name, place = "IC1aThhE", 4
    for _ in range(doublings):
        name, place = f"{name}TB{base62(place)}B{base62(place)}E", len(name)
    return f"_R{name}E"


class RustNames(unittest.TestCase):
    def test_compiled(self):
        names = {**COMPILED, **BEHIND}
        self.assertEqual(dict(zip(names, ours(names))), names)

    def test_none(self):
        """What is no name stays as it is, though one before and behind it is."""
        for name in NONE:
            self.assertEqual(ours(["_RNvC1a1b", name, "_RNvC1a1b"]), ["a::b", name, "a::b"])

    def test_limits(self):
        small, large = bomb(3), bomb(60)
        self.assertTrue(ours([small])[0].startswith("a::<(u8, u8), ((u8, u8), (u8, u8)), (((u8, u8), (u8, u8)), (("))
        # Depth of references, of pointers, of paths, of what follows itself; and width.
        deep = (large, "_RINvC1a1b" + "R" * 3000 + "hE", "_R" + "Nv" * 3000 + "C1a" + "1b" * 3000, "_RINvC1a1bTB7_EE",
                "_RINvC1a1bFGzzzz_EuE", "_RINvC1a1b" + "h" * 16300 + "E",
                "_RINvC1a1b" + "B" + base62(0) + "E" + "B2_" * 2000)
        self.assertEqual(ours(deep)[:-2], list(deep[:-2]))
        wide = ours(["_RINvC1a1b" + "h" * 16000 + "E"])[0]
        self.assertEqual(wide, f"a::b::<{', '.join(['u8'] * 16000)}>")

    def compare(self, command):
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is missing")
        names = [*COMPILED, *(Maker(seed).make() for seed in range(12000))]
        names = [name for name in names if len(name) < 5000]
        found, wanted = ours(names), theirs(names, command)
        if wanted[0] == names[0]:
            self.skipTest(f"this {command[0]} does not know such names")
        for name, one, other in zip(names, found, wanted):
            # What is longer than a name for people is here left alone.
            if one != name or len(other.encode()) <= 65536:
                self.assertEqual(one, other, name)
        self.assertGreater(sum(name != one for name, one in zip(names, found)), 0.99 * len(names))
        self.assertGreater(len(set(found)), 5000)

    def test_binutils(self):
        self.compare(["c++filt", "-i"])

    def test_llvm(self):
        self.compare(["llvm-cxxfilt"])

    def test_mutated(self):
        """Of names that are damaged: where there are two opinions on what one means, they are the same."""
        if not shutil.which("c++filt"):
            self.skipTest("c++filt is missing")
        chosen, names = random.Random(7), []
        for seed in range(6000):
            name = list(Maker(seed).make()[:300])
            for _ in range(chosen.choice((1, 1, 2))):
                name[chosen.randrange(3, len(name))] = chosen.choice(DIGITS + "_EBLCN")
            names.append("".join(name))
        # c++filt counts lifetimes to the end.
        names = [name for name in names if not re.search("G[0-9A-Za-z]{3}", name)]
        same = 0
        for name, one, other in zip(names, ours(names), theirs(names, ["c++filt", "-i"])):
            if one != name and other != name:
                self.assertEqual(one, other, name)
                same += 1
        self.assertGreater(same, 300)


if __name__ == "__main__":
    main()
