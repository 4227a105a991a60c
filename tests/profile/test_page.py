# SPDX-License-Identifier: BSD-3-Clause
"""The page of papi_profile as a file: its data are those of the report, its names stay names, and what is refused."""
import base64
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest

import harness
import stores

EVIL = ("</script><script>document.title='broken'</script>", "<img src=x onerror=\"document.title='broken'\">",
        "<!--<script>", "\u202egnp.exe", "quote\"'\\and", "two\nlines", "bell\u009b2J", "{{mustache}}", "&lt;", "")

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
int main(void)
{
	leaf(2);
	return 0;
}
"""


def page_of(*arguments):
    """The page of a profile."""
    result = subprocess.run([os.path.join(harness.TOOLS, "papi_profile"), "page", *arguments], capture_output=True,
                            stdin=subprocess.DEVNULL, timeout=120, check=False)
    if result.returncode:
        raise AssertionError(result.stderr)
    return result.stdout


def data_of(page):
    """The profiles in a page."""
    found = re.search(rb'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])["profiles"]


def named(store, names, module="/nowhere/program"):
    """Addresses that have names already: {name: address}."""
    number = store.module(module)
    found = {}
    for name in names:
        low = 32 * len(store.known)
        found[name] = store.address(number, low)
        function = store.number("function", (module, name), number, name, name, low, low + 16, f"/src/{name}.c", 3)
        store.insert("location", found[name], 0, function, f"/src/{name}.c", 5)
    return found


class PageTest(harness.ToolTest):
    """Each test has a folder of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.path = os.path.join(directory.name, "papi_profile.db")

    def make_calls(self, path=None, factor=1, **options):
        """main calls solve and write; solve calls itself and norm."""
        store = stores.Store(path or self.path, ("CYC", "INS"), **options)
        at = named(store, ("main", "solve", "norm", "write"))
        main = store.context(at["main"])
        once, twice = (store.context(at["main"], *[at["solve"]] * n) for n in (1, 2))
        for event, times in ((1, factor), (2, 3)):
            store.count(at["main"], 4 * times, event=event)
            store.count(at["solve"], 16 * times, main, event=event)
            store.count(at["solve"], 9 * times, once, event=event)
            store.count(at["norm"], 25 * times, twice, event=event)
            store.count(at["norm"], 1 * times, once, event=event)
        store.count(at["write"], 36, main)
        return store.close()

    def make_exact(self):
        """main calls solve and write; solve calls itself and norm. Of a fifth one it is known that it calls."""
        store = stores.Store(self.path, ("INS", "LD"), kind="exact")
        store.base.execute("UPDATE run SET source = 'exact'")
        at = named(store, ("main", "solve", "norm", "write", "agent"))
        for name, value in (("main", 4), ("solve", 26), ("norm", 25), ("write", 45)):
            store.count(at[name], value, period=1)
        for caller, callee, number, value in (("main", "solve", 1, 51), ("solve", "solve", 1, 0),
                                              ("solve", "norm", 2, 25), ("main", "write", 1000, 45),
                                              ("agent", "write", 7, 1)):
            store.call(at[caller], at[callee], number, value)
            store.call(at[caller], at[callee], number, 0, event=2)
        return store.close()

    def make_program(self):
        """A program that was compiled, with counts at each instruction of a function."""
        if not stores.compiler():
            self.skipTest("needs a C compiler")
        program = stores.compile_program(self.directory, "program", PROGRAM, "-O1", "-g")
        store = stores.Store(self.path)
        module = store.module(program, None)
        main = store.address(module, stores.symbols(program)["main"][0] + 1)
        for i, offset in enumerate(stores.instructions(program, "leaf")):
            store.count(store.address(module, offset), i + 1, store.context(main))
        store.close()
        return program


class DataTest(PageTest):
    def pairs(self, event=0):
        """Who calls whom: {(caller, callee): (calls, value)}."""
        profile = data_of(page_of(self.path))[0]
        pairs, names = profile["pairs"][event], profile["functions"]["name"]
        return {(names[caller], names[callee]): (calls, value) for caller, callee, calls, value in
                zip(pairs["caller"], pairs["callee"], pairs["calls"], pairs["value"], strict=True)}

    def test_callers(self):
        self.make_calls()
        self.assertEqual(self.pairs(), {("main", "solve"): (0, 51000), ("solve", "solve"): (0, 34000),
                                        ("solve", "norm"): (0, 26000), ("main", "write"): (0, 36000)})
        os.unlink(self.path)
        self.make_exact()
        found = {("main", "solve"): (1, 51), ("solve", "solve"): (1, 0), ("solve", "norm"): (2, 25),
                 ("main", "write"): (1000, 45)}
        self.assertEqual(self.pairs(), found)
        self.assertEqual(self.pairs(1), {pair: (calls, 0) for pair, (calls, _) in found.items()})
        profile = data_of(page_of(self.path))[0]
        self.assertEqual(profile["trees"], [])
        self.assertEqual(dict(zip(profile["functions"]["name"], profile["functions"]["inclusive"][0])),
                         {"main": 100, "solve": 51, "norm": 25, "write": 46})

    def test_sums_are_those_of_the_report(self):
        self.make_calls()
        report = json.loads(self.output_of("papi_profile", "report", "--json", self.path))
        profile = data_of(page_of(self.path))[0]
        functions = profile["functions"]
        self.assertEqual([event["value"] for event in profile["events"]],
                         [event["value"] for event in report["events"]])
        rows = {row["name"]: row["values"] for row in report["rows"]}
        self.assertEqual(set(functions["name"]), set(rows))
        for i, name in enumerate(functions["name"]):
            for event in (0, 1):
                self.assertEqual([functions[column][event][i] for column in
                                  ("self", "samples", "inclusive", "inclusiveSamples")],
                                 [rows[name][event][key] for key in
                                  ("value", "samples", "inclusive_value", "inclusive_samples")], name)
        for event in (0, 1):
            self.assertEqual(sum(profile["addresses"]["values"][event]), report["events"][event]["value"])
            self.assertEqual(profile["trees"][event]["value"][0], report["events"][event]["value"])
        self.assertEqual(len(data_of(page_of("-e", "INS", self.path))[0]["events"]), 1)

    def test_code(self):
        program = self.make_program()
        profile = data_of(page_of(self.path))[0]
        source = profile["sources"][0]
        lines = dict(zip(source["numbers"], source["lines"]))
        with open(program + ".c", encoding="utf-8") as file:
            written = file.read().expandtabs().split("\n")
        self.assertGreater(len(lines), 5)
        self.assertEqual(lines, {number: written[number - 1] for number in lines})
        expected = stores.instructions(program, "leaf")
        base = int(profile["modules"][0]["base"])
        listed = [base + piece["low"] + sum(piece["lengths"][:i]) for piece in profile["pieces"]
                  for i in range(len(piece["lengths"]))]
        if not profile["obstacle"]:
            self.assertEqual(listed, expected)
            self.assertIn("ret", [text for piece in profile["pieces"] for text in piece["texts"]])
        without = page_of("--no-code", self.path)
        self.assertNotIn(b"inlined(i)", without)
        self.assertNotIn("sources", data_of(without)[0])

    def test_names_stay_names(self):
        """Whatever they hold, the page has its own scripts only, and the data have the names."""
        store = stores.Store(self.path, EVIL[:2])
        at = named(store, EVIL)
        for address in at.values():
            store.count(address, 3, store.context(at[EVIL[0]]))
        store.count(store.address(store.module("/gone/" + EVIL[0]), 1), 1)
        store.base.execute("UPDATE run SET command = ?, machine = ?, directory = ?, started = ?",
                           (json.dumps(list(EVIL)), *EVIL[:3]))
        store.base.execute("UPDATE event SET note = ?, unit = ?, kind = ?", (EVIL[0], EVIL[1], EVIL[0]))
        store.base.execute("UPDATE function SET name = CAST(x'3c2f736372697074ff' AS TEXT) WHERE name = 'two\nlines'")
        store.close()
        page = page_of(self.path)
        self.assertEqual(len(re.findall(rb"</script", page, re.I)), 2)
        self.assertEqual(len(re.findall(rb"<script", page, re.I)), 2)
        self.assertEqual(page.count(b"<!--"), 0)
        self.assertNotIn(b"<img", page)
        names = data_of(page)[0]["functions"]["name"]
        self.assertEqual(set(names) & set(EVIL), set(EVIL) - {"two\nlines"})
        self.assertIn("</script\ufffd", names)

    def test_what_the_page_may_do(self):
        """Its own script and style, which are those with the hashes, and no network."""
        self.make_calls()
        page = page_of(self.path).decode()
        policy = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]+)"', page)[1]
        self.assertTrue(policy.startswith("default-src 'none';"), policy)
        for tag, kind in (('<script type="module">', "script-src"), ("<style>", "style-src")):
            text = page.split(tag)[1].split("</")[0]
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{kind} 'sha256-{digest}'", policy)
        self.assertEqual(re.findall(r"https?://[^\s'\"]*", page), [])
        self.assertEqual(re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", page), [])

    def test_two_profiles(self):
        self.make_calls()
        other = self.make_calls(os.path.join(self.directory, "other.db"), factor=2)
        profiles = data_of(page_of(self.path, "--compare", other))
        self.assertEqual([profile["events"][0]["value"] for profile in profiles], [91000, 146000])
        self.assertNotIn("sources", profiles[1])


class RefusedTest(PageTest):
    def test_a_terminal(self):
        self.make_calls()
        command = f"'{harness.TOOLS}/papi_profile' page '{self.path}'"
        result = subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=60, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"papi_profile page > page.html", result.stdout)
        self.assertNotIn(b"<html", result.stdout)

    def test_command_lines_and_files(self):
        self.make_calls()
        gone = os.path.join(self.directory, "gone.db")
        for arguments, status, words in (
                (["a", "b"], 2, ("'b'", "--compare")), (["--compare"], 2, ("--compare",)),
                ([gone], 1, (gone, "No such file")), ([self.path, "--compare", gone], 1, (gone, "No such file")),
                (["-e", "NOTHING", self.path], 1, ("NOTHING", "CYC"))):
            result = harness.run("papi_profile", "page", *arguments)
            self.assert_refused(result, status, *words)
            self.assertEqual(result.stdout, "", "half a page")

    def test_a_full_disk(self):
        self.make_calls()
        with open("/dev/full", "wb") as full:
            result = subprocess.run([os.path.join(harness.TOOLS, "papi_profile"), "page", self.path], stdout=full,
                                    stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left", result.stderr)


if __name__ == "__main__":
    harness.main()
