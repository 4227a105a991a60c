# SPDX-License-Identifier: BSD-3-Clause
"""Steps to callers by unwind tables of x86-64 and arm64, made by assemblers: what each rule finds in a known stack."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import main

UNWINDER = os.environ["PAPI_PROFILE_UNWINDER"]

# A function for each set of rules, with what the step finds: all of one instruction, so that the rules hold at its
# name.
X86_64 = {
    "entry": ((), "called 100000 7008 7020"),
    "pushed": ((".cfi_def_cfa_offset 32",), "called 100018 7020 7020"),
    "framed": ((".cfi_def_cfa %rbp, 16", ".cfi_offset %rbp, -16"), "called 100028 7030 100020"),
    "saved": ((".cfi_def_cfa_offset 16", ".cfi_offset %rbp, -16", ".cfi_offset %rbx, -24"),
              "called 100008 7010 100000"),
    "begins": ((".cfi_undefined %rip",), "outermost"),
    "signal": ((".cfi_signal_frame", ".cfi_def_cfa_offset 24"), "interrupted 100010 7018 7020"),
    # The frame address is a word that the stack has: DW_OP_breg7 24, DW_OP_deref.
    "computed": ((".cfi_escape 0x0f,3,0x77,24,0x06",), "beyond"),
    # The return address lies 8 behind the frame address: DW_OP_plus_uconst.
    "elsewhere": ((".cfi_escape 0x10,0x10,2,0x23,8",), "called 100010 7008 7020"),
    # It is the value itself: DW_OP_breg3 5.
    "value": ((".cfi_escape 0x16,0x10,2,0x73,5",), "called 5008 7008 7020"),
    "far_away": ((".cfi_def_cfa_offset 4096",), "beyond"),
    "below": ((".cfi_def_cfa_offset -64",), "lost"),
    # An operation that no unwind table has: DW_OP_call2.
    "odd": ((".cfi_escape 0x0f,3,0x98,0,0",), "lost"),
    # By the frame pointer: the caller's, and the return address above it.
    "bare": (None, "called 100028 7030 100020"),
}
# In the entries of a PLT the frame address depends on pc: 8 above the stack, or 16 from the second push on.
STUB = ".cfi_escape 0x0f,0x0b,0x77,0x08,0x80,0x00,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22"
ARM64 = {
    "entry": ((), "called 501e 7000 7020"),
    "pushed": ((".cfi_def_cfa_offset 32", ".cfi_offset 29, -32", ".cfi_offset 30, -24"), "called 100008 7020 100000"),
    "framed": ((".cfi_def_cfa 29, 16", ".cfi_offset 29, -16", ".cfi_offset 30, -8"), "called 100028 7030 100020"),
    "leaf": ((".cfi_def_cfa_offset 16",), "called 501e 7010 7020"),
    "begins": ((".cfi_undefined 30",), "outermost"),
    "signal": ((".cfi_signal_frame", ".cfi_def_cfa_offset 16", ".cfi_offset 30, -8"), "interrupted 100008 7010 7020"),
    "far_away": ((".cfi_def_cfa_offset 4096", ".cfi_offset 30, -8"), "beyond"),
    "bare": (None, "called 100028 7030 100020"),
}


def assembly(functions):
    """Text with these functions; None for rules: it has no table."""
    text = "\t.text\n"
    for name, (rules, _) in functions.items():
        text += f"\t.balign 16\n{name}:\n"
        if rules is not None:
            text += "\t.cfi_startproc\n" + "".join(f"\t{rule}\n" for rule in rules)
        text += "\tnop\n" + ("" if rules is None else "\t.cfi_endproc\n")
    return text


class StepsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def build(self, text, machine, *options):
        """A shared object of that text, and its symbols."""
        compilers = {"x86_64": ("x86_64-linux-gnu-gcc", "gcc", "cc"), "aarch64": ("aarch64-linux-gnu-gcc", "gcc", "cc")}
        for compiler in compilers[machine]:
            if not shutil.which(compiler):
                continue
            made = subprocess.run([compiler, "-dumpmachine"], capture_output=True, text=True, check=True).stdout
            if made.startswith(machine):
                break
        else:
            self.skipTest(f"there is no compiler for {machine}")
        source, path = (os.path.join(self.directory, name) for name in ("rules.s", "rules.so"))
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([compiler, "-shared", "-nostdlib", "-o", path, source, *options], check=True)
        listed = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
        return path, {name: address for address, name in re.findall(r" ([0-9a-f]{16}) .* (\w+)$", listed, re.M)}

    def step(self, path, machine, address):
        return subprocess.run([UNWINDER, path, machine, address], capture_output=True, text=True, check=True,
                              timeout=60).stdout.strip()

    def check(self, functions, machine, begin=""):
        path, symbols = self.build(begin + assembly(functions), machine)
        for name, (_, step) in functions.items():
            self.assertEqual(self.step(path, machine, symbols[name]), step, name)
        return path, symbols

    def test_x86_64(self):
        path, symbols = self.check(X86_64, "x86_64")
        # A table of another machine says nothing: the frame pointer does.
        self.assertEqual(self.step(path, "aarch64", symbols["entry"]), "called 100028 7030 100020")

    def test_stubs(self):
        stub = {"stub": ((STUB, *["nop"] * 15), "called 100000 7008 7020")}
        path, symbols = self.check(stub, "x86_64")
        self.assertEqual(self.step(path, "x86_64", f"{int(symbols['stub'], 16) + 11:x}"), "called 100008 7010 7020")

    def test_arm64(self):
        self.check(ARM64, "aarch64")

    def test_tables_for_debuggers(self):
        self.check(X86_64, "x86_64", ".cfi_sections .debug_frame\n")

    def test_files_without_a_table(self):
        for content in (b"", b"text\n" * 1000, b"\x7fELF" + b"\0" * 200):
            path = os.path.join(self.directory, "odd")
            with open(path, "wb") as file:
                file.write(content)
            self.assertEqual(self.step(path, "x86_64", "1000"), "called 100028 7030 100020 without a table")
        self.assertEqual(self.step("/nowhere", "x86_64", "1000"), "called 100028 7030 100020 without a table")


if __name__ == "__main__":
    main()
