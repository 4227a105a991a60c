# SPDX-License-Identifier: BSD-3-Clause
"""papi_probe --list: which functions a pattern means, and whether each can be probed."""
import json
import os
import platform
import shutil
import subprocess
import unittest

from probe_harness import main, PAPI_PROBE, patterns, ProbeTest, SUBJECT, THROWER


# Stripped or not, by several compilers.
LARGE = ("/usr/bin/python3", "perl", "bash", "sqlite3", "git", "gdb", "cmake", "openssl", "ld.bfd", "redis-server")

# Functions that begin in all ways, by processor: their code, and why they are refused.
ENTRIES = {
    "x86_64": {
        "plain": ("push %rbp; mov %rsp,%rbp; xor %eax,%eax; pop %rbp; ret", None),
        "tiny": ("ret; .byte 0x31,0xc0; ret", "more than one way"),
        "filled": ("xor %eax,%eax; ret; .balign 16", None),
        "loop": ("1: dec %rdi; jnz 1b; xor %eax,%eax; ret", "own beginning"),
        "into": ("mov $7,%ecx; 2: xor %eax,%eax; jmp 3f; .skip 4,0x90; 3: ret", None),
        "back": ("xor %eax,%eax; 2: dec %edi; jnz 2b; nop; nop; ret", "branch leads into"),
        "calls": ("sub $8,%rsp; call plain; add $8,%rsp; ret", None),
        "early": ("call *%rax; nop; nop; nop; ret", "returns to them"),
        "kernel": ("mov $39,%al; syscall; nop; ret", "cannot run elsewhere"),
        "ways": ("dec %edi; jz 4f; ret; .byte 0x90; 4: xor %eax,%eax; ret", None),
        "jumps": ("mov $1,%eax; jmp plain", None),
    },
    "aarch64": {
        "plain": ("stp x29,x30,[sp,-16]!; mov w0,0; ldp x29,x30,[sp],16; ret", None),
        "tiny": ("ret", None),
        "loop": ("1: sub x0,x0,1; cbnz x0,1b; ret", "own beginning"),
        "landing": ("hint 34; mov w0,0; ret", None),
        "signs": ("hint 25; stp x29,x30,[sp,-16]!; ldp x29,x30,[sp],16; hint 29; ret", None),
        "back": ("hint 34; 2: sub w0,w0,1; cbnz w0,2b; ret", "branch leads into"),
        "calls": ("bl plain; ret", None),
        "early": ("blr x1; ret", "cannot run elsewhere"),
        "kernel": ("svc 0; ret", "cannot run elsewhere"),
        "monitors": ("ldxr x1,[x0]; stxr w2,x1,[x0]; ret", "cannot run elsewhere"),
        "ways": ("cbz w0,4f; ret; 4: mov w0,1; ret", None),
        "jumps": ("b plain", None),
        "names": ("adr x0,plain; ret", None),
        "loads": ("ldr x0,5f; ret; 5: .quad 7", None),
    },
}
CODE = {"x86_64": "xor %eax, %eax\nlea 3(%rdi,%rax), %rax\nret", "aarch64": "add x0, x0, 3\nret"}
MACHINE = platform.machine()


class List(ProbeTest):
    cold = {"ways::thrower(long) [clone .cold]"}

    def list(self, *arguments, names=(), program=SUBJECT, status=0):
        result = self.run_it("--list", "--json", *patterns(names), *arguments, program)
        self.assertEqual(result.returncode, status, result.stderr)
        report = json.loads(result.stdout)
        for function in report["functions"]:
            self.assertEqual(list(function), ["name", "linkage", "module", "way", "reason", "ways"])
            self.assertEqual(function["way"], next(iter(function["ways"]), None))
            self.assertEqual(function["way"] != "patch", function["reason"] is not None)
        return {function["name"]: function for function in report["functions"]}

    def test_names(self):
        self.assertEqual(set(self.list(names=["*leave*", "leaf"])), {"leaf", "ten_leaves"})
        self.assertEqual(set(self.list("-x", "ten*", names=["*leave*", "leaf"])), {"leaf"})
        self.assertEqual(set(self.list(names=["subject!l??f"])), {"leaf"})
        self.assertLessEqual({"main", "leaf", "_start", "fibonacci"}, set(self.list()))
        self.assertEqual(self.list(names=["nothing*"], status=1), {})

    def test_libraries(self):
        malloc = self.list(names=["malloc"])["malloc"]
        self.assertEqual((malloc["way"], os.path.basename(malloc["module"])), ("patch", "libc.so.6"))
        self.assertIn("fopen", {name.replace("_IO_new_", "") for name in self.list(names=["libc.so.6!*fopen*"])})

    def test_lines(self):
        source = os.path.join(os.path.dirname(__file__), "subject.c")
        with open(source, encoding="utf-8") as file:
            lines = file.read().splitlines()
        line = lines.index("PROBED long leaf(long x)") + 1
        self.assertEqual(set(self.list(names=[f"subject.c:{line}"])), {"leaf"})
        until = lines.index("PROBED long fibonacci(long n)") + 1
        self.assertEqual(set(self.list(names=[f"probe/subject.c:{line}-{until}"])), {"leaf", "ten_leaves", "fibonacci"})
        self.assertEqual(self.list(names=["subject.c:1"], status=1), {})
        self.assertEqual(self.list(names=[f"bject.c:{line}"], status=1), {})

    @unittest.skipUnless(os.path.exists(THROWER), "there is no C++ compiler")
    def test_readable_names(self):
        full = "long ways::twice<long>(long)"
        for name in (full, "ways::twice<*", "ways::twice<long>", "_ZN4ways5twiceIlEET_S1_", "*twice*"):
            self.assertEqual(set(self.list(names=[name], program=THROWER)), {full}, name)
        self.assertEqual(set(self.list(names=["ways::thrower"], program=THROWER)) - self.cold, {"ways::thrower(long)"})

    def test_rust(self):
        """Names as compilers of Rust mangle them, in a library that an assembler has made."""
        lookup = "_ZN5store6lookup17h0123456789abcdefE"
        drop = "_ZN46_$LT$store..Map$u20$as$u20$core..ops..Drop$GT$4drop17hfedcba9876543210E"
        # By the rules of today.
        walk = "_RNvXs_NtCs6wDiz3RHjMG_7counter5storeSINtB4_3MapmKj3_ENtB4_4Walk4walk"
        foreign = "_RNvCs6wDiz3RHjMG_7counteru9gre_6ka8i"
        source, library = self.path("rust.s"), self.path("rust.so")
        with open(source, "w", encoding="ascii") as file:
            file.write(".text\n" + "".join(f"""
.globl "{name}"
.type "{name}", %function
"{name}":
.cfi_startproc
{CODE[MACHINE]}
.cfi_endproc
.size "{name}", . - "{name}"
""" for name in (lookup, drop, walk, foreign)) + '.section .note.GNU-stack,"",%progbits\n')
        subprocess.run([shutil.which("cc") or "cc", "-shared", "-nostdlib", "-o", library, source], check=True)
        names = {"store::lookup": lookup, "<store::Map as core::ops::Drop>::drop": drop,
                 "<[counter::store::Map<u32, 3>] as counter::store::Walk>::walk": walk, "counter::größe": foreign}
        functions = self.list(names=["*"], program=library)
        self.assertEqual({name: functions[name]["linkage"] for name in names}, names)
        for name, linkage in names.items():
            for pattern in (name, linkage, name[-8:-3].join("**")):
                (function,) = self.list(names=[pattern], program=library).values()
                self.assertEqual((function["linkage"], function["way"]), (linkage, "patch"), pattern)

    def test_reasons(self):
        functions = self.list(names=["*", "libc!_setjmp", "libc!vfork", "libc!dlsym", "libc!strlen"])
        for name, reason in (("_start", "entered by a call"), ("_setjmp", "more than once"), ("__vfork", "more than"),
                             ("dlsym", "who has called it"), ("strlen", "only chooses")):
            self.assertIn(reason, functions[name]["reason"], name)

    def test_ways(self):
        """What a way that is asked for can do, and what all can."""
        names = ["leaf", "_start", "libc!_setjmp", "libc!strlen"]
        for way, found in (("auto", ["patch", None, "translate", None]), ("patch", ["patch", None, None, None]),
                           ("translate", ["translate", None, "translate", None])):
            result = self.run_it("--list", "--json", "--way", way, *patterns(names), SUBJECT)
            functions = {function["name"]: function for function in json.loads(result.stdout)["functions"]}
            self.assertEqual([functions[name.split("!")[-1]]["way"] for name in names], found)
            self.assertEqual(functions["leaf"]["ways"], ["patch", "translate"])
            self.assertEqual(functions["_setjmp"]["ways"], ["translate"])
            self.assertEqual(functions["strlen"]["ways"], [])

    def test_entries(self):
        """Functions that begin in all ways, in assembler: what is accepted, and what is refused, with its reason."""
        cases = ENTRIES[MACHINE]
        text = ".text\n" + "".join(
            f".globl {name}\n.type {name},%function\n.balign 16\n{name}: .cfi_startproc\n{code}\n.cfi_endproc\n"
            f".size {name}, .-{name}\n" for name, (code, _) in cases.items())
        text += f".globl bare\n.type bare,%function\nbare: {CODE[MACHINE]}\n.size bare,.-bare\n"
        source, library = self.path("entries.s"), self.path("entries.so")
        with open(source, "w", encoding="ascii") as file:
            file.write(text.replace(";", "\n") + '.section .note.GNU-stack,"",%progbits\n')
        subprocess.run([shutil.which("cc") or "cc", "-shared", "-nostdlib", "-Wl,-Bsymbolic", "-o", library, source],
                       check=True)
        functions = self.list(names=["*"], program=library)
        for name, (_, reason) in {**cases, "bare": (None, "entered by a call")}.items():
            if reason:
                self.assertIn(reason, functions[name]["reason"] or "it is accepted", name)
            else:
                self.assertEqual(functions[name]["way"], "patch", functions[name])

    def test_inlined(self):
        """What is only there in its callers has no way, and is named."""
        source, program = self.path("inlined.c"), self.path("inlined")
        with open(source, "w", encoding="ascii") as file:
            file.write("""#include <stdio.h>
static inline __attribute__((always_inline)) int inner(int x) { return x * x + 3; }
__attribute__((noinline)) int outer(int x) { return inner(x) + inner(x + 7) * 5; }
int main(int argc, char **argv) { (void)argv; printf("%d\\n", outer(argc) + inner(argc - 4)); return 0; }
""")
        subprocess.run([shutil.which("cc") or "cc", "-O2", "-g", "-o", program, source], check=True)
        report = json.loads(self.run_it("--list", "--json", "-f", "inner", "-f", "outer", program).stdout)
        self.assertEqual([function["name"] for function in report["functions"]], ["outer"])
        self.assertEqual([(inlined["name"], inlined["copies"]) for inlined in report["inlined"]], [("inner", 3)])
        result = self.run_it("--list", "-f", "inner", program)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"'inner' has no code of its own: compilers have put it into its callers, 3 times", result.stderr)
        self.assertIn(b"inlined    inner  (inlined): 3 copies in its callers", result.stdout)
        result = self.run_it("-f", "inner", "-f", "outer", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"not probed: 3 copies of inner, put into callers by compilers", result.stderr)
        self.assertNotIn(b"inner", self.run_it("--list", "-f", "inner*", "-x", "inner", program).stdout)

    def test_text(self):
        result = self.run_it("--list", *patterns(["leaf", "subject!_start", "libc!_setjmp"]), SUBJECT)
        self.assertEqual(result.returncode, 0)
        lines = result.stdout.decode().splitlines()
        self.assertIn("patch      leaf  (subject)", lines)
        self.assertIn("translate  _setjmp  (libc.so.6): it returns more than once", lines)
        self.assertEqual(lines[-2:], ["3 functions, 2 of which can be probed",
                                      "1 of these by translation alone: --way translate"])

    def test_share(self):
        """Of large files, nearly all that is a function; parts that compilers have moved away are none."""
        files = [(SUBJECT, "libc.so.6!*"), (THROWER, "libstdc++.so.6!*")]
        files += [(os.path.realpath(path), "*") for path in map(shutil.which, LARGE) if path]
        compared = 0
        for program, pattern in files:
            if not os.path.exists(program):
                continue
            functions = self.list(names=[pattern], program=program).values()
            whole = [function for function in functions if function["reason"] != "it is a part of another function"]
            patched, translated = ([function for function in whole if way in function["ways"]]
                                   for way in ("patch", "translate"))
            print(f"{os.path.basename(program)} {pattern}: of {len(whole)} {len(patched)} by patches, "
                  f"{len(translated)} by translation, {len(functions) - len(whole)} parts")
            if len(whole) < 300:
                continue
            self.assertGreaterEqual(len(patched), 0.95 * len(whole), (program, pattern))
            # strlen and its kin are names: what they stand for has others.
            names = [function for function in whole if function["reason"] and "only chooses" in function["reason"]]
            self.assertGreaterEqual(len(translated), 0.99 * (len(whole) - len(names)), (program, pattern))
            compared += 1
        self.assertGreater(compared, 0)

    def test_nonsense(self):
        """Files that are none."""
        for content in (b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + b"\xff" * 200):
            with open(self.path("file"), "wb") as file:
                file.write(content)
            os.chmod(self.path("file"), 0o755)
            result = subprocess.run([PAPI_PROBE, "--list", self.path("file")], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, check=False, timeout=60)
            self.assertIn(result.returncode, (1, 125, 126))
            self.assertIn(b"papi_probe: ", result.stderr)


if __name__ == "__main__":
    main()
