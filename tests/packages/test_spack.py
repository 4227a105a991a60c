# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack, run with a stand-in for its words: what it asks of the build are options that there are."""
import os
import re
import sys
import types
import unittest

SOURCE = sys.argv.pop(1)
RECIPES = os.path.join(SOURCE, "packaging/spack/packages")


class Words:
    """What a recipe says of its package."""

    def __init__(self):
        self.said = []

    def __getitem__(self, name):
        return lambda *arguments, **named: self.said.append((name, arguments, named))

    def of(self, name):
        return [arguments for said, arguments, _ in self.said if said == name]


class Package:
    """What both kinds of packages have in common here."""

    def define(self, name, value):
        return f"-D{name}={value}"


class Spec:
    """A package with these of its variants."""

    def __init__(self, *variants):
        self.variants = variants

    def __contains__(self, wanted):
        return wanted.split()[0] in self.variants


def read(name, kind):
    words = Words()
    module = types.ModuleType("spack.package")
    for word in ("license", "version", "provides", "variant", "depends_on"):
        setattr(module, word, words[word])
    setattr(module, kind, Package)
    module.__all__ = [word for word in vars(module) if not word.startswith("_")]
    sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), module
    made = {}
    with open(os.path.join(RECIPES, name, "package.py"), encoding="utf-8") as file:
        exec(compile(file.read(), name, "exec"), made)  # pylint: disable=exec-used
    return made, words


class Recipes(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(SOURCE, "meson_options.txt"), encoding="utf-8") as file:
            self.options = dict(re.findall(r"^option\('(\w+)', type: '(\w+)'", file.read(), re.M))
        with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as file:
            self.version = re.search(r"version: '([\d.]+)'", file.read())[1]

    def arguments(self, *variants):
        made, _ = read("papi-c", "MesonPackage")
        package = made["PapiC"]()
        package.spec = Spec(*variants)
        return dict(re.fullmatch(r"-D(\w+)=(\w+)", argument).groups() for argument in package.meson_args())

    def test_options(self):
        chosen = self.arguments("+vpmu", "+profile", "+json", "+perfometer", "+python")
        self.assertEqual(set(chosen) - set(self.options), set())
        # All that may be left out is decided.
        self.assertEqual({name for name, kind in self.options.items() if kind == "feature"} - set(chosen), set())
        self.assertEqual({chosen[name] for name in chosen if self.options[name] == "feature"}, {"enabled"})

    def test_variants(self):
        chosen = self.arguments("+json")
        self.assertEqual({name for name, value in chosen.items() if value == "disabled"},
                         {"vpmu", "sqlite", "libdw", "microhttpd", "ncurses", "python"})
        _, words = read("papi-c", "MesonPackage")
        self.assertEqual({name for name, *_ in words.of("variant")},
                         {"vpmu", "profile", "json", "perfometer", "python"})
        for name, *_ in words.of("depends_on"):
            self.assertRegex(name, r"^[a-z0-9]+(@[\d.]+:)?$")

    def test_version(self):
        _, words = read("papi-c", "MesonPackage")
        self.assertEqual(words.of("version"), [(self.version,)])

    def test_zydis(self):
        made, words = read("zydis", "CMakePackage")
        self.assertEqual(len(words.of("version")), 1)
        self.assertTrue(all(argument.startswith("-DZYDIS_") for argument in made["Zydis"]().cmake_args()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
