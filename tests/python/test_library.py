# SPDX-License-Identifier: BSD-3-Clause
"""Without the shared library there is one sentence, and it says what to do."""
import os
import re
import shutil

from python_harness import ProgramTest, SOURCE, main, run

PROGRAM = """
import papi, pypapi.papi_low
try:
    papi.count("X")
except papi.LibraryError as error:
    print(error)
"""


class Library(ProgramTest):
    def sentence(self, place):
        text = self.program(PROGRAM, PAPI_LIBRARY=place, LD_LIBRARY_PATH=None)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertTrue(text.strip().isprintable())
        self.assertRegex(text, r"^papi cannot count without its library: .*; install PAPI in C, or name its "
                               r"libpapi\.so\.7\.0 in PAPI_LIBRARY$")
        return text

    def test_missing(self):
        self.assertIn("/nonexistent: cannot open shared object file", self.sentence("/nonexistent"))
        self.sentence("/dev/null")
        self.sentence(self.directory)
        self.sentence("\x1b[31m")

    def test_another_library(self):
        maps = self.program("import math; print(open('/proc/self/maps').read())", PAPI_LIBRARY=None)
        libc = re.search(r"\S+/libc\.so\.6$", maps, re.M)
        if not libc:
            self.skipTest("this libc has another name")
        self.assertIn("is not the library of PAPI in C", self.sentence(libc[0]))

    def test_the_import_alone_needs_none(self):
        self.program("import papi, pypapi.papi_high", PAPI_LIBRARY="/nonexistent")

    def test_an_installed_package_finds_its_library(self):
        packages = os.path.join(self.directory, "lib", "python3", "dist-packages")
        shutil.copytree(os.path.join(SOURCE, "python/src"), packages)
        shutil.copy(os.environ["PAPI_LIBRARY"], os.path.join(self.directory, "lib", "libpapi.so.7.0"))
        result = run("-c", "import papi; papi.presets(); print(papi.__file__)\n"
                           "print([line for line in open('/proc/self/maps') if 'libpapi' in line][0].split()[-1])",
                     PYTHONPATH=packages, PAPI_LIBRARY=None, LD_LIBRARY_PATH=None)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout.split(), [os.path.join(packages, "papi/__init__.py"),
                                                 os.path.join(os.path.realpath(self.directory),
                                                              "lib/libpapi.so.7.0")])


if __name__ == "__main__":
    main()
