# SPDX-License-Identifier: BSD-3-Clause
"""Calls by their contexts: all that is known of calls without them is the same, and what happened in all contexts is
what happened."""
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess

import test_exact
from capture_harness import PAPI_PROFILE, main, symbols
from test_exact import (ENVIRONMENT, HANDLER, INSTRUCTIONS, LIKE_STUB, SUBJECT, Exact,
                        setUpModule)  # pylint: disable=unused-import

def rows(path, sql):
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def folded(text):
    """By the names of the functions of a path: the value."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines())
    return {tuple(names.split(";")[1:]): int(value) for names, value in lines}


class CallsByContext(test_exact.Calls):
    """All that is tried of calls alone: signals, coroutines, exceptions, ends and so on."""

    def calls(self, *program, **how):
        if "none" in program or how.get("events") == test_exact.EVENTS:
            self.skipTest("without calls there are no contexts")
        found = super().calls("--contexts", *program, **how)
        counts = rows(self.path(), "SELECT thread, event, sum(value) FROM count GROUP BY 1, 2 ORDER BY 1, 2")
        paths = rows(self.path(), "SELECT thread, event, sum(value) FROM path GROUP BY 1, 2 ORDER BY 1, 2")
        self.assertEqual([row for row in paths if row[2]], counts)
        self.assertEqual(rows(self.path(), "SELECT count(*) FROM path WHERE value < 0 OR calls < 0"), [(0,)])
        return found


class Contexts(Exact):
    def recorded(self, *program, events=(INSTRUCTIONS,)):
        return self.exact(*program, events=events)

    def folded(self):
        result = self.run_it("export", "--folded")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return folded(result.stdout)

    def below(self, function):
        """The paths of the subject from a function on."""
        return {path[path.index(function):]: value for path, value in self.folded().items() if function in path}

    def test_paths(self):
        store, _ = self.recorded("--contexts", SUBJECT, "jump")
        found = self.below("main")
        # Ten calls of go_down are one context, from which work is called; each is left by longjmp.
        self.assertEqual(found["main", "go_down", "work"], 210)
        self.assertEqual(found["main", "go_down"], self.of(store, "go_down"))
        calls = rows(self.path(), "SELECT calls FROM path WHERE value = 210 AND event = 1")
        self.assertEqual(calls, [(10,)])

    def test_tails(self):
        self.recorded("--contexts", SUBJECT, "tails")
        found = self.below("main")
        self.assertEqual([found[path] for path in (("main", "tail_of_tail"), ("main", "tail_of_tail", "tail"),
                                                   ("main", "tail_of_tail", "tail", "work"), ("main", "like_stub"))],
                         [100, 200, 2100, 100 * (LIKE_STUB + 21)])

    def test_parts(self):
        """What a function does in a part of it that lies elsewhere is its own."""
        self.recorded("--contexts", SUBJECT, "parts")
        found = self.below("main")
        self.assertEqual((found["main", "parted"], found["main", "parted", "work"]), (700, 2100))

    def test_signals(self):
        """A handler is called by whatever it interrupts."""
        _, result = self.recorded("--contexts", SUBJECT, "signals", "100")
        rounds, seen = map(int, result.stdout.split())
        found = self.below("main")
        handled = sum(value for path, value in found.items() if path[-1] == "on_signal")
        self.assertIn(handled, (HANDLER * seen, HANDLER * (seen + 1)))
        worked = sum(value for path, value in found.items() if path[-1] == "work")
        # With libc's return from handlers.
        self.assertGreaterEqual(worked, 2001 * rounds)
        self.assertLessEqual(worked, 2001 * rounds + 10 * (seen + 1))
        self.assertTrue(any("work" in path and path[-1] == "on_signal" for path in found), found)

    def test_killed(self):
        """What calls had done that did not come back is not in them, but nothing is lost."""
        store, _ = self.exact("--contexts", SUBJECT, "kill", events=(INSTRUCTIONS,), status=128 + 9)
        self.assertEqual(rows(self.path(), "SELECT sum(value) FROM path"), [(store.sum("value"),)])
        self.assertEqual(sum(value for path, value in self.below("main").items() if path[-1] == "work"), 1000001)

    def test_bound(self):
        """What is beyond is in one, of each caller; all else is as it is without a bound."""
        self.needs_same_addresses()
        found = []
        for option in ([], ["--contexts"], ["--contexts=20"]):
            result = self.run_same(*option, SUBJECT, "jump")
            found.append(self.pairs())
            if option:
                self.assertEqual(rows(self.path(), "SELECT sum(value) FROM path"),
                                 rows(self.path(), "SELECT sum(value) FROM count"))
            note = rows(self.path(), "SELECT note FROM event")[0][0] or ""
            self.assertEqual("more than 20 ways" in note, option == ["--contexts=20"], note)
            self.assertEqual("more than 20 ways" in result.stderr, option == ["--contexts=20"])
            if option == ["--contexts=20"]:
                self.assertTrue(any(path[-1] == "[other contexts]" for path in self.folded()))
                self.assertIn("[other contexts]", self.run_it("tree", "--min", "0").stdout)
                self.assertRegex(self.run_it("report").stdout, r"\nnote: a process has more than \d+ ways of calls")
            os.unlink(self.path())
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def needs_same_addresses(self):
        if not shutil.which("setarch") or subprocess.run(["setarch", "-R", "true"], check=False,
                                                         stderr=subprocess.DEVNULL).returncode:
            self.skipTest("addresses cannot be kept the same here (setarch -R)")

    def run_same(self, *command):
        result = subprocess.run(["setarch", "-R", PAPI_PROFILE, "-x", *command], cwd=self.directory, env=ENVIRONMENT,
                                check=True, timeout=120, capture_output=True, text=True)
        self.assertNotIn("incomplete", result.stderr)
        return result

    def pairs(self):
        return rows(self.path(), """SELECT m.path, site.offset, n.path, callee.offset, sum(calls), sum(value) FROM call
            JOIN address AS site ON site.id = site JOIN module AS m ON m.id = site.module
            JOIN address AS callee ON callee.id = callee JOIN module AS n ON n.id = callee.module
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4""")

    def test_same_pairs(self):
        """Pairs are those that are counted without contexts, in a program with all sorts of calls."""
        self.needs_same_addresses()
        program = ["sh", "-c", "i=0; while [ $i -lt 200 ]; do i=$((i + 1)); set -- $(echo $i); done 2>/dev/null"]
        found = []
        for option in ([], ["--contexts"]):
            self.run_same(*option, *program)
            found.append({row[:5] for row in self.pairs() if "libc" in row[2] or "sh" in os.path.basename(row[2])})
            os.unlink(self.path())
        self.assertGreater(len(found[0]), 100)
        self.assertLessEqual(len(found[0] ^ found[1]), len(found[0]) // 50)

    def test_views(self):
        store, _ = self.recorded("--contexts", SUBJECT, "jump", events=(INSTRUCTIONS, "PAPI_LD_INS"))
        total = sum(row["value"] for row in store.samples if row["event"] == INSTRUCTIONS)
        tree = self.run_it("tree", "--min", "0")
        self.assertEqual((tree.returncode, tree.stderr), (0, ""))
        outermost = re.findall(r"(?m)^ *(\d+) +[\d.]+% +[\d.]+%  \S", tree.stdout)
        self.assertEqual(sum(map(int, outermost)), total)
        self.assertRegex(tree.stdout, r"(?m)^ *210 .* {4,}work$")
        self.assertEqual(sum(self.folded().values()), total)
        scope = json.loads(self.run_it("export", "--speedscope").stdout)
        self.assertEqual(sum(scope["profiles"][0]["weights"]), total)
        names = [frame["name"] for frame in scope["shared"]["frames"]]
        stacks = {tuple(names[i] for i in stack): weight for stack, weight in
                  zip(scope["profiles"][0]["samples"], scope["profiles"][0]["weights"])}
        self.assertEqual([weight for stack, weight in stacks.items() if stack[-2:] == ("go_down", "work")], [210])
        page = self.run_it("page").stdout
        self.assertRegex(page, r'"trees":\[\{"function":\[-1,')
        self.assertRegex(self.run_it("report").stdout, r"(?m)^ *210 ")

    def test_refused(self):
        for words, said in ((["--contexts", "-g", "fp", "-e", "perf::TASK-CLOCK", "true"], "goes with -x"),
                            (["--contexts=0", "-x", "true"], "--contexts"),
                            (["--contexts=x", "-x", "true"], "--contexts"),
                            (["--contexts=600000", "-x", "true"], "--contexts"),
                            (["--contexts", "-x", "-g", "none", "true"], "--contexts: "),
                            (["--contexts", "-x", "-e", ",".join(test_exact.EVENTS), "true"], "--contexts: ")):
            with self.subTest(words=words):
                result = subprocess.run([PAPI_PROFILE, *words], cwd=self.directory, env=ENVIRONMENT, check=False,
                                        timeout=60, capture_output=True, text=True)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(said, result.stderr)

    def test_callgrind(self):
        """As a witness: what it counts in functions that it tells apart by their callers."""
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        self.recorded("--contexts", SUBJECT, "tails")
        ours = self.below("main")
        output = self.path("callgrind.out")
        subprocess.run(["valgrind", "--tool=callgrind", "--separate-callers=20", "--compress-strings=no",
                        f"--callgrind-out-file={output}", SUBJECT, "tails"], check=True, capture_output=True,
                       env=ENVIRONMENT, timeout=120)
        theirs = {}
        with open(output, encoding="utf-8") as file:
            name, skip = None, False
            for line in file:
                if line.startswith("fn="):
                    # Numbers are of recursion.
                    name = [key for key in line[3:].strip().split("'")[::-1] if not key.isdigit()]
                elif line.startswith("calls="):
                    skip = True
                elif re.match(r"[+*\d-]", line):
                    if not skip and name and "main" in name:
                        # A loop that is a whole function calls itself there.
                        path = tuple(key for key, _ in itertools.groupby(name[name.index("main"):]))
                        theirs[path] = theirs.get(path, 0) + int(line.split()[1])
                    skip = False
        os.unlink(output)
        names = set(symbols(SUBJECT)) - {"main"}
        compared = 0
        for path, value in theirs.items():
            # What these jump to is not known to be another function.
            if set(path[1:]) <= names - {"like_stub", "tail_if"} and len(path) > 1:
                self.assertEqual(ours.get(path), value, path)
                compared += 1
        self.assertGreaterEqual(compared, 3)


if __name__ == "__main__":
    main()
