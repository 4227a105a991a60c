# SPDX-License-Identifier: BSD-3-Clause
"""Calls of functions are those that callgrind counts, in more than twenty programs."""
import os
import re
import shutil
import subprocess

from probe_harness import FILTERS, main, patterns, ProbeTest, STREAMS, SUBJECT, THROWER

# Which of several functions of one name is chosen depends on the processor, and valgrind has another one.
CHOSEN = re.compile(r"str|mem|wcs|stp|avx|evex|sse|erms|_dl_|intel_|cpu_features")
PROGRAMS = (
    ("subject", [SUBJECT, "calls", "300"], ("*",)),
    ("subject", [SUBJECT, "threads", "200"], ("*",)),
    ("subject", [SUBJECT, "longjmp", "300"], ("*",)),
    ("subject", [SUBJECT, "backtrace"], ("*",)),
    ("thrower", [THROWER, "50"], ("*",)),
    ("libc", ["/usr/bin/sort", __file__], ("libc!qsort*", "libc!malloc", "libc!free", "libc!getenv", "libc!fclose")),
    ("libc", ["/usr/bin/sed", "-n", "s/a/b/p", __file__], ("libc!re_*", "libc!regexec", "libc!calloc")),
    ("libc", ["/usr/bin/od", "-c", __file__], ("libc!*printf*", "libc!putchar*", "libc!fread*")),
    ("libc", ["/usr/bin/tr", "a-z", "A-Z"], ("libc!_IO_*", "libc!read", "libc!write")),
    ("libc", ["/usr/bin/find", "/usr/share/doc/bash", "-name", "*a*"], ("libc!fts_*", "libc!readdir*")),
    ("lzma", ["/usr/bin/xz", "-1", "-c", __file__], ("liblzma.so.5!*",)),
    ("bz2", ["/usr/bin/bzip2", "-c", __file__], ("libbz2.so.1.0!*",)),
    ("jq", ["/usr/bin/jq", "-n", "[range(30)] | map(. * 2) | add"], ("libjq.so.1!*",)),
    ("sqlite3.so", ["/usr/bin/sqlite3", "-init", "/dev/null", ":memory:", "create table t(a, b); "
                    "insert into t values (1, 2), (3, 4); select a * b from t order by b desc"],
     ("libsqlite3.so.0!sqlite3_*",)),
    *(("libc", command, STREAMS) for command in FILTERS),
)


class Callgrind(ProbeTest):
    def calls_by_callgrind(self, command, of):
        out = self.path("callgrind")
        subprocess.run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
                        f"--callgrind-out-file={out}", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=True, timeout=300)
        calls, name, thing = {}, None, None
        with open(out, encoding="utf-8") as file:
            for line in file:
                key, _, value = line.rstrip().partition("=")
                if key == "ob":
                    own = thing = value
                elif key == "cob":
                    thing = value
                elif key == "cfn":
                    name = value.split("'")[0]
                elif key == "calls":
                    if of in thing.rsplit("/", 1)[-1]:
                        calls[name] = calls.get(name, 0) + int(value.split()[0])
                    thing = own
        return calls

    def test_programs(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is missing")
        compared, programs = 0, set()
        for of, command, names in PROGRAMS:
            if not shutil.which(command[0]):
                continue
            with self.subTest(command=command):
                report = self.path("report")
                result = self.run_it("--json", "-o", report, *patterns(names), "--", *command)
                self.assertEqual(result.returncode, 0, result.stderr)
                expected = self.calls_by_callgrind(command, of)
                for name, function in self.read(report).items():
                    wanted = expected.get(name, expected.get(function["linkage"]))
                    if not function["way"] or wanted is None or CHOSEN.search(name):
                        continue
                    self.assertEqual(function["calls"], wanted, name)
                    compared += 1
                    programs.add(command[0])
        print(f"{compared} functions of {len(programs)} programs: {' '.join(sorted(map(os.path.basename, programs)))}")
        self.assertGreater(compared, 300)
        self.assertGreaterEqual(len(programs), 20)


if __name__ == "__main__":
    main()
