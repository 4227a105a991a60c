# SPDX-License-Identifier: BSD-3-Clause
"""What papi_profile shows of a store: sums, calls, lines, instructions; hostile names, and files that are no stores."""
import csv
import io
import json
import math
import os
import re
import subprocess
import tempfile
import unittest

import harness
import stores

PROGRAM = r"""
static volatile int sink;
static inline __attribute__((always_inline)) void inlined(int x)
{
	sink += x;
}
static __attribute__((noinline)) void leaf(int x)
{
	for (int i = 0; i < x; i++)
		inlined(i);
}
static __attribute__((noinline)) void down(int n)
{
	if (n > 0)
		down(n - 1);
	leaf(n);
}
int main(void)
{
	down(3);
	leaf(2);
	return 0;
}
"""


def on_a_terminal(*arguments):
    """What a terminal gets."""
    command = " ".join("'" + word.replace("'", "'\\''") + "'" for word in
                       (os.path.join(harness.TOOLS, "papi_profile"), *arguments))
    result = subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=60, env={**os.environ, "NO_COLOR": "1"})
    return result.stdout.replace(b"\r\n", b"\n")


class ViewTest(harness.ToolTest):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.path = os.path.join(directory.name, "papi_profile.db")

    def show(self, *arguments):
        return self.output_of("papi_profile", *arguments, self.path)

    def report(self, *options):
        return json.loads(self.show("report", "--json", *options))

    def rows(self, *options):
        return {row["name"]: row["values"] for row in self.report(*options)["rows"]}


def named(store, names):
    """Addresses that have names already: {name: address}."""
    module = store.module("/nowhere/program")
    found = {}
    for i, name in enumerate(names):
        found[name] = store.address(module, 16 * i + 16)
        store.insert("function", i + 1, module, name, name, 16 * i + 16, 16 * i + 32, f"/src/{i}.c", 10 * i + 1)
        store.insert("location", found[name], 0, i + 1, f"/src/{i}.c", 10 * i + 5)
    return found


class SumsTest(ViewTest):
    def make(self, **options):
        """main calls solve and write; solve calls itself and norm."""
        store = stores.Store(self.path, ("CYC", "INS"), **options)
        at = named(store, ("main", "solve", "norm", "write"))
        main = store.context(at["main"])
        once, twice = (store.context(at["main"], *[at["solve"]] * n) for n in (1, 2))
        for event, factor in ((1, 1), (2, 3)):
            store.count(at["main"], 4 * factor, event=event)
            store.count(at["solve"], 16 * factor, main, event=event)
            store.count(at["solve"], 9 * factor, once, event=event)
            store.count(at["norm"], 25 * factor, twice, event=event)
            store.count(at["norm"], 1 * factor, once, event=event)
        store.count(at["write"], 36, main)
        store.insert("process", 2, 4712, 1, "child", None)
        store.insert("thread", 2, 2, 4712, "child-2")
        store.count(at["write"], 9, main, thread=2)
        store.close()

    def test_self_inclusive_and_errors(self):
        self.make()
        report = self.report()
        self.assertEqual([event["value"] for event in report["events"]], [100000, 165000])
        rows = {row["name"]: row["values"] for row in report["rows"]}
        self.assertEqual({name: values[0]["value"] for name, values in rows.items()},
                         {"main": 4000, "solve": 25000, "norm": 26000, "write": 45000})
        # A function counts once on a path, however often it is there.
        self.assertEqual({name: values[0]["inclusive_value"] for name, values in rows.items()},
                         {"main": 100000, "solve": 51000, "norm": 26000, "write": 45000})
        for values in rows.values():
            for value in values:
                samples, inclusive = value["samples"], value["inclusive_samples"]
                if samples:
                    self.assertAlmostEqual(value["error"], value["value"] / math.sqrt(samples), delta=0.1)
                self.assertAlmostEqual(value["inclusive_error"],
                                       value["inclusive_value"] / math.sqrt(inclusive) if inclusive else 0, delta=0.1)
        self.assertEqual([row["name"] for row in report["rows"]], ["write", "norm", "solve", "main"])
        self.assertEqual([row["name"] for row in self.report("--order", "inclusive")["rows"]],
                         ["main", "solve", "write", "norm"])

    def test_all_sums_are_the_total(self):
        self.make()
        for by in ("function", "module", "thread", "process", "line", "file"):
            for options in ([], ["--no-inlines"]):
                report = self.report("--by", by, *options)
                for i, event in enumerate(report["events"]):
                    self.assertEqual(sum(row["values"][i]["value"] for row in report["rows"]), event["value"], by)
                    self.assertEqual(sum(row["values"][i]["samples"] for row in report["rows"]), event["samples"], by)

    def test_threads_and_processes(self):
        self.make()
        self.assertEqual({name: values[0]["value"] for name, values in self.rows("--by", "thread").items()},
                         {"program, thread 4711 of process 4711": 91000, "child-2, thread 4712 of process 4712": 9000})
        self.assertEqual({name: values[0]["value"] for name, values in self.rows("--by", "process").items()},
                         {"program, process 4711": 91000, "child, process 4712": 9000})
        self.assertEqual(set(self.rows("--by", "line")), {"/src/0.c:5", "/src/1.c:15", "/src/2.c:25", "/src/3.c:35"})

    def test_exact_values_have_no_error(self):
        self.make(kind="exact")
        for values in self.rows().values():
            self.assertEqual([value["error"] for value in values], [0, 0])
        self.assertNotIn("±", self.show("report"))

    def test_events_and_ratios(self):
        self.make()
        self.assertEqual([event["name"] for event in self.report("-e", "ins,CYC")["events"]], ["INS", "CYC"])
        report = self.report("--ratio", "INS/CYC", "--ratio", "CYC/INS")
        ratios = {row["name"]: row["ratios"] for row in report["rows"]}
        self.assertEqual(ratios["solve"][0]["value"], 3)
        self.assertAlmostEqual(ratios["solve"][0]["error"], 3 * math.sqrt(1 / 25 + 1 / 75), places=4)
        self.assertEqual([ratio["value"] for ratio in ratios["write"]], [0, None])
        self.assert_refused(harness.run("papi_profile", "report", "-e", "CYCLES", self.path), 1, "CYCLES", "CYC, INS")
        self.assert_refused(harness.run("papi_profile", "report", "--ratio", "CYC", self.path), 2, "--ratio", "A/B")

    def test_rows_that_are_left_out_are_told(self):
        self.make()
        self.assertEqual(len(self.rows("--top", "2")), 2)
        self.assertEqual(set(self.rows("--min", "20")), {"write", "norm", "solve"})
        self.assertIn("2 more with 29.00% together", self.show("report", "--top", "2"))

    def test_csv(self):
        self.make()
        rows = list(csv.DictReader(io.StringIO(self.show("report", "--csv", "--ratio", "INS/CYC"))))
        self.assertEqual({row["function"]: row["CYC value"] for row in rows},
                         {"main": "4000", "solve": "25000", "norm": "26000", "write": "45000"})
        self.assertEqual({row["function"]: row["INS/CYC ratio"] for row in rows},
                         {"main": "3", "solve": "3", "norm": "3", "write": "0"})

    def test_tree(self):
        self.make()
        lines = self.show("tree").splitlines()
        found = [re.match(r" *(\d+) +([\d.]+)% +([\d.]+)%  ( *)(\w+)$", line) for line in lines]
        found = [(len(match[4]) // 2, match[5], int(match[1]), match[3]) for match in found if match]
        self.assertEqual(found, [(0, "main", 100000, "4.00"), (1, "solve", 51000, "25.00"), (2, "norm", 26000, "26.00"),
                                 (1, "write", 45000, "45.00")])
        self.assertNotIn("norm", self.show("tree", "--min", "30"))

    def test_callers(self):
        self.make()
        lines = self.show("callers", "norm").splitlines()
        found = [re.match(r" *(\d+) +([\d.]+)%  ( *)(\w+)$", line) for line in lines]
        self.assertEqual([(len(match[3]) // 2, match[4], int(match[1])) for match in found if match],
                         [(0, "norm", 26000), (1, "solve", 26000), (2, "main", 26000)])
        # All of a function that calls itself, once.
        found = re.findall(r"^ *(\d+) +100.00%  ( *)(\w+)$", self.show("callers", "solve"), re.M)
        self.assertEqual(found, [("51000", "", "solve"), ("51000", "  ", "main")])
        self.assert_refused(harness.run("papi_profile", "callers", "nothing", self.path), 1, "'nothing'")

    def test_callers_of_exact_profiles(self):
        """With the number of calls, also of those that have nothing for themselves; what is in no call is told."""
        store = stores.Store(self.path, ("INS",), kind="exact")
        at = named(store, ("main", "f", "g", "h"))
        for name, value in (("main", 1), ("f", 90), ("g", 9), ("h", 100)):
            store.insert("count", 1, 1, 0, at[name], 0, value)
        for caller, callee, calls, value in (("main", "f", 2, 99), ("f", "g", 3, 50), ("g", "f", 70, 0),
                                             ("g", "h", 1000, 70), ("main", "h", 1, 20)):
            store.call(at[caller], at[callee], calls, value)
        store.close()
        self.assertIn("Calls                 Value   Share  Function\n", self.show("callers", "f"))
        self.assertEqual(re.findall(r"(?m)^ *(\d+) +(\d+) +([\d.]+)%  ( *)(\w+)$", self.show("callers", "f")),
                         [("72", "99", "100.00", "", "f"), ("2", "99", "100.00", "  ", "main"),
                          ("70", "0", "0.00", "  ", "g")])
        self.assertNotIn("more", self.show("callers", "f"))
        shown = self.show("callers", "h")
        self.assertEqual(re.findall(r"(?m)^ *(\d+) +(\d+) +[\d.]+%  +(\w+)$", shown),
                         [("1001", "90", "h"), ("1000", "70", "g"), ("1", "20", "main")])
        self.assertIn("10 more, of 100 inclusively, in no call: it was jumped to", shown)
        # Few calls that have little.
        self.assertNotIn("main", self.show("callers", "--min", "30", "h"))

    def test_functions_without_counts(self):
        """In which nothing happens but in what they call; who is called by nobody may be the agent."""
        store = stores.Store(self.path, ("INS",), kind="exact")
        at = named(store, ("main", "f", "g"))
        store.insert("count", 1, 1, 0, at["g"], 0, 90)
        for caller, callee, calls in (("main", "f", 2), ("f", "g", 3)):
            store.call(at[caller], at[callee], calls, 90)
        store.close()
        self.assertEqual(re.findall(r"(?m)^ *(\d+) +[\d.]+% +(\d+) +([\d.]+)%  (\w+) ",
                                    self.show("report", "--order", "inclusive")),
                         [("0", "90", "100.00", "f"), ("90", "90", "100.00", "g")])

    def test_parts_of_a_function(self):
        """What a function does by way of a part of it that lies elsewhere counts once."""
        store = stores.Store(self.path, ("INS",), kind="exact")
        at = named(store, ("main", "f", "g"))
        part = store.address(store.module("/nowhere/program"), 1024)
        store.insert("location", part, 0, 2, "/src/1.c", 15)
        for place, value in ((at["main"], 5), (at["f"], 20), (part, 10), (at["g"], 65)):
            store.insert("count", 1, 1, 0, place, 0, value)
        for site, callee, calls, value in ((at["main"], at["f"], 2, 95), (at["f"], part, 40, 75),
                                           (part, at["g"], 8, 65)):
            store.call(site, callee, calls, value)
        store.close()
        self.assertEqual({name: values[0]["inclusive_value"] for name, values in self.rows().items()},
                         {"main": 100, "f": 95, "g": 65})
        self.assert_refused(harness.run("papi_profile", "report", "--order", "inclusive", "--by", "line", self.path), 1,
                            "no inclusive values by line")
        self.assertEqual(re.findall(r"(?m)^ *(\d+) +(\d+) +([\d.]+)%  ( *)(\w+)$", self.show("callers", "f")),
                         [("42", "95", "100.00", "", "f"), ("2", "95", "100.00", "  ", "main"),
                          ("40", "0", "0.00", "  ", "f")])
        calls = re.findall(r"(?m)^calls=(\d+) .*\n\S+ \d+ (\d+)$", self.show("export", "--callgrind"))
        self.assertEqual(sorted(calls), [("2", "95"), ("40", "0"), ("8", "65")])

    def test_folded(self):
        self.make()
        self.assertEqual(self.show("export", "--folded").splitlines(), [
            "child;main;write 9000", "program;main 4000", "program;main;solve 16000", "program;main;solve;norm 1000",
            "program;main;solve;solve 9000", "program;main;solve;solve;norm 25000", "program;main;write 36000"])
        self.assertIn("program;main;solve 48000\n", self.show("export", "--folded", "-e", "INS"))

    def test_without_calls(self):
        store = stores.Store(self.path)
        store.count(named(store, ("main",))["main"], 1)
        store.close()
        self.assertNotIn("Incl.", self.show("report"))
        self.assert_refused(harness.run("papi_profile", "report", "--order", "inclusive", self.path), 1, "-g dwarf")
        for command in (["tree"], ["callers", "main"]):
            self.assert_refused(harness.run("papi_profile", *command, self.path), 1, "who called what", "-g fp")
        self.assertEqual(self.show("export", "--folded"), "program;main 1000\n")

    def test_losses_are_told(self):
        store = stores.Store(self.path, lost=17)
        store.count(named(store, ("main",))["main"], 1)
        store.close()
        self.assertIn("17 samples were lost", self.show("report"))

    def test_widths(self):
        """80 columns in a terminal, all of a name elsewhere."""
        long = "std::vector<std::pair<int, std::string>, " + "x" * 100 + ">::solve(int, double) const"
        store = stores.Store(self.path, ("perf::TASK-CLOCK", "PAPI_TOT_INS", "PAPI_TOT_CYC"))
        at = named(store, ("main", long))
        for event in (1, 2, 3):
            store.count(at[long], 10 ** (2 * event), store.context(at["main"]), event=event, period=123457)
        store.close()
        self.assertIn(long, self.show("report"))
        for command in (["report"], ["tree"], ["callers", long], ["report", "--ratio", "PAPI_TOT_INS/PAPI_TOT_CYC"]):
            shown = on_a_terminal(*command, self.path).decode()
            self.assertEqual([line for line in shown.splitlines() if len(line) > 80], [])
            self.assertIn("solve", shown)


class LinesTest(ViewTest):
    def make(self, *options):
        if not stores.compiler():
            self.skipTest("needs a C compiler")
        self.program = stores.compile_program(self.directory, "program", PROGRAM, "-O1", "-g", *options)
        store = stores.Store(self.path)
        module = store.module(self.program, None)
        main = store.address(module, stores.symbols(self.program)["main"][0] + 1)
        self.expected = 0
        for name in ("leaf", "down"):
            for i, offset in enumerate(stores.instructions(self.program, name)):
                store.count(store.address(module, offset), i + 1, store.context(main))
                self.expected += (i + 1) * (name == "leaf")
        store.close()

    def values(self, text):
        """The counts of a table, which are all before the last column."""
        return [int(value) for value in re.findall(r"^ *(\d+)  ±\d+ ", text, re.M)]

    def test_source(self):
        self.make()
        text = self.show("annotate", "leaf")
        self.assertEqual(sum(self.values(text)), 1000 * self.expected)
        self.assertRegex(text, r"(?m)^ *\d+ .*%  +\d+  +inlined\(i\);$")
        self.assertNotIn("sink += x", re.sub(r"(?m)^ {10}.*$", "", text), "inlined code counts where it is called")
        whole = self.show("annotate", "program.c")
        self.assertRegex(whole, r"(?m)^ *\d+ .*%  +\d+  +sink \+= x;$")
        # The lines of a file are those of the report.
        expected = {row["line"]: row["values"][0]["value"] for row in self.report("--by", "line")["rows"]
                    if "line" in row and row["values"][0]["value"]}
        found = {int(line): int(value) for value, line in
                 re.findall(r"^ *(\d+)  ±\d+ +[\d.]+%  +(\d+)  ", whole, re.M)}
        self.assertEqual(found, expected)
        for line in on_a_terminal("annotate", "leaf", self.path).decode().splitlines():
            self.assertLessEqual(len(line), 80)

    def test_source_that_is_gone_or_new(self):
        self.make()
        source = self.program + ".c"
        os.utime(source, (2000000000 + 10 ** 9, 2000000000 + 10 ** 9))
        self.assertIn("has been changed since the run", self.show("annotate", "leaf"))
        os.unlink(source)
        text = self.show("annotate", "leaf")
        self.assertIn("the source is not here (No such file or directory)", text)
        self.assertEqual(sum(self.values(text)), 1000 * self.expected)

    def test_instructions(self):
        self.make()
        text = self.show("annotate", "--asm", "leaf")
        self.assertEqual(sum(self.values(text)), 1000 * self.expected)
        addresses = stores.instructions(self.program, "leaf")
        for i, address in enumerate(addresses):
            self.assertRegex(text, rf"(?m)^ *{1000 * (i + 1)}  ±.*%  +{address:x}\b")
        if "without instructions" not in text:
            self.assertRegex(text, r"(?m)^.*  ret\b")
        self.assert_refused(harness.run("papi_profile", "annotate", "--asm", "program.c", self.path), 2, "a function")

    def test_inlined_code_belongs_to_either(self):
        self.make()
        self.assertIn("inlined", self.rows())
        self.assertNotIn("inlined", self.rows("--no-inlines"))
        leaf = self.rows("--no-inlines")["leaf"][0]["value"]
        self.assertEqual(leaf, 1000 * self.expected)
        self.assertEqual(self.rows()["leaf"][0]["inclusive_value"], leaf)
        self.assertEqual(self.rows()["leaf"][0]["value"] + self.rows()["inlined"][0]["value"], leaf)


class BadInputTest(ViewTest):
    def refused(self, *words, status=1):
        for command in (["report"], ["tree"], ["export", "--folded"], ["annotate", "main"], ["callers", "main"],
                        ["page"]):
            self.assert_refused(harness.run("papi_profile", *command, self.path), status, *words)

    def test_names_that_do_harm(self):
        """Nothing that a terminal obeys, no line of its own, and JSON that is JSON."""
        evil = ('\033[31mred\007', 'two\nlines', 'quote"and\\', "semi;colon 1", "bell\u009b2J", "=cmd()", "")
        store = stores.Store(self.path, ("EVIL\033[2J\n",))
        store.base.execute("UPDATE run SET command = ?", (json.dumps(["./\033]0;x\007", "a\nb"]),))
        store.base.execute("UPDATE process SET name = ?", ("pro\033[1mcess;\n",))
        store.base.execute("UPDATE thread SET name = ?", ("thr\033[1mead\n",))
        at = named(store, evil)
        store.base.execute("UPDATE location SET file = ?", ("/src/\033[1m\n.c",))
        gone = store.module("/gone/\033[41m\n")
        main = store.context(at[evil[0]])
        for address in [*at.values(), store.address(gone, 1)]:
            store.count(address, 3, main)
        store.close()
        for command in (["report"], ["report", "--by", "line"], ["report", "--by", "thread"], ["report", "--csv"],
                        ["report", "--by", "module"], ["tree"], ["callers", evil[0]], ["annotate", evil[1]],
                        ["annotate", "--asm", evil[1]], ["export", "--folded"], ["report", "--json"]):
            result = subprocess.run([os.path.join(harness.TOOLS, "papi_profile"), *command, self.path],
                                    capture_output=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            for output in (result.stdout, result.stderr):
                self.assertEqual(re.findall(rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", output), [], command)
        self.assertEqual({row["name"] for row in self.rows_of_all()} & set(evil), set(evil))
        for line in self.show_anyhow("export", "--folded").splitlines():
            self.assertRegex(line, r"^[^;]+(;[^;]*)* \d+$")
        rows = list(csv.reader(io.StringIO(self.show_anyhow("report", "--csv"), newline="")))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        self.assertNotIn(b"\033[31m", on_a_terminal("report", self.path))

    def show_anyhow(self, *arguments):
        return harness.run("papi_profile", *arguments, self.path).stdout

    def rows_of_all(self):
        return json.loads(self.show_anyhow("report", "--json"))["rows"]

    def test_no_store(self):
        self.refused("No such file")
        for content in (b"", b"text\n" * 1000, b"SQLite format 3\0" + b"\0" * 5000):
            with open(self.path, "wb") as file:
                file.write(content)
            self.refused(self.path)
        os.unlink(self.path)
        os.mkdir(self.path)
        self.refused("no plain file")

    def test_other_databases(self):
        base = stores.sqlite3.connect(self.path)
        base.execute("CREATE TABLE people (name TEXT)")
        base.commit()
        base.close()
        before = os.stat(self.path)
        self.refused("no profile that papi_profile has written")
        self.assertEqual(os.stat(self.path).st_mtime_ns, before.st_mtime_ns)

    def test_other_schemas(self):
        for version, words in ((6, "newer PAPI"), (0, "without a schema")):
            store = stores.Store(self.path)
            store.base.execute(f"PRAGMA user_version = {version}")
            store.close()
            self.refused(words)
            os.unlink(self.path)

    def test_nothing_in_it(self):
        stores.Store(self.path).close()
        self.refused("the run had no samples")
        os.unlink(self.path)
        stores.Store(self.path, ()).close()
        self.refused("it has no events")

    def test_damage(self):
        damages = ("DELETE FROM run", "DROP TABLE count", "UPDATE count SET address = address + 90",
                   "UPDATE count SET samples = -1", "UPDATE count SET event = 7", "UPDATE address SET module = NULL",
                   "UPDATE context SET parent = id", "UPDATE context SET parent = 3 - id",
                   "UPDATE count SET value = 9223372036854775807", "UPDATE location SET function = 50",
                   "UPDATE thread SET process = 9")
        for damage in damages:
            store = stores.Store(self.path)
            at = named(store, ("main", "solve"))
            path = store.context(at["main"], at["solve"])
            store.count(at["main"], 1, path)
            store.count(at["solve"], 1, path)
            store.base.execute(damage)
            store.close()
            with self.subTest(damage):
                self.refused("damaged")
            os.unlink(self.path)

    def test_truncated(self):
        store = stores.Store(self.path)
        at = named(store, [f"function_{i}" for i in range(500)])
        for address in at.values():
            store.count(address, 1)
        store.close()
        with open(self.path, "rb") as file:
            content = file.read()
        for size in range(1000, len(content), len(content) // 9):
            with open(self.path, "wb") as file:
                file.write(content[:size])
            result = harness.run("papi_profile", "report", self.path)
            self.assertEqual(result.returncode, 1, f"{size} bytes: {result.stdout[:300]}")
            self.assertIn(self.path, result.stderr)

    def test_a_store_that_cannot_be_written(self):
        store = stores.Store(self.path)
        store.count(store.address(store.module("/gone"), 1), 1)
        store.close()
        os.chmod(self.path, 0o444)
        os.chmod(self.directory, 0o555)
        self.addCleanup(os.chmod, self.directory, 0o755)
        result = harness.run("papi_profile", "report", self.path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("gone+0x1", result.stdout)

    def test_command_lines(self):
        stores.Store(self.path).close()
        for arguments, words in ((["report", "--by", "weather"], "--by is"), (["report", "--top", "0"], "--top"),
                                 (["report", "--min", "x"], "--min"), (["report", "--min", "101"], "--min"),
                                 (["report", "--json", "--csv"], "exclude"), (["report", "a", "b"], "'b'"),
                                 (["annotate"], "which function"), (["callers"], "which function"),
                                 (["export"], "--folded"), (["tree", "--nonsense"], "--nonsense"),
                                 (["report", "--order", "up"], "--order")):
            self.assert_refused(harness.run("papi_profile", *arguments), 2, words, "papi_profile " + arguments[0])
        for command in ("report", "annotate", "callers", "tree", "export", "page"):
            text = self.output_of("papi_profile", command, "--help")
            self.assertIn(f"Usage: papi_profile {command}", text)
            self.assertIn("papi_profile(1)", text)
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])


if __name__ == "__main__":
    harness.main()
