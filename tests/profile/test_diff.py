# SPDX-License-Identifier: BSD-3-Clause
"""papi_profile diff: what has changed, what may be chance, and what cannot be compared."""
import csv
import io
import json
import math
import os
import re

import harness
import stores
from test_views import on_a_terminal, ViewTest


class DiffTest(ViewTest):
    def setUp(self):
        super().setUp()
        self.old, self.new = (os.path.join(self.directory, name) for name in ("old.db", "new.db"))

    def make(self, path, functions, events=("CYC",), module="/one/program", machine=None, command=None, **options):
        """A profile of functions, {name: samples} or {name: (samples, file, line)}; each calls the next one."""
        store = stores.Store(path, events, **options)
        number = store.module(module, "abcd" + module.encode().hex())
        context = 0
        for i, (name, what) in enumerate(functions.items()):
            samples, file, line = what if isinstance(what, tuple) else (what, f"/src/{name}.c", 7)
            address = store.address(number, 16 * i + 16)
            store.insert("function", i + 1, number, name + "()", name, 16 * i + 16, 16 * i + 32, file, line)
            store.insert("location", address, 0, i + 1, file, line)
            for event in range(len(events)):
                store.count(address, samples, context, event=event + 1)
            context = store.context(address)
        if machine:
            store.base.execute("UPDATE run SET machine = ?", (machine,))
        if command:
            store.base.execute("UPDATE run SET command = ?", (json.dumps(command),))
        store.close()

    def diff(self, *options):
        return self.output_of("papi_profile", "diff", *options, self.old, self.new)

    def rows(self, *options):
        return {row["name"]: row for row in json.loads(self.diff("--json", *options))["rows"]}

    def test_changes_and_their_order(self):
        self.make(self.old, {"main": 10, "solve": 900, "norm": 100, "gone": 400}, module="/one/program")
        self.make(self.new, {"come": 900, "solve": 910, "main": 10, "norm": 300}, module="/two/program")
        document = json.loads(self.diff("--json"))
        self.assertEqual([(row["name"], row["in"], row["values"][0]["difference"], row["values"][0]["significant"])
                          for row in document["rows"]],
                         [("come()", "new", 900000, True), ("gone()", "old", -400000, True),
                          ("norm()", "both", 200000, True), ("solve()", "both", 10000, False),
                          ("main()", "both", 0, False)])
        for row in document["rows"]:
            value = row["values"][0]
            samples = [max(value[side], 1) for side in ("old_samples", "new_samples")]
            self.assertAlmostEqual(value["error"], 1000 * math.sqrt(sum(samples)), delta=1)
        total = document["events"][0]
        self.assertEqual((total["old"], total["new"], total["difference"]), (1410000, 2120000, 710000))
        text = self.diff()
        self.assertRegex(text, r"(?m)^ *1410000 +2120000 +\+710000 +±\d+ +\+50\.35% +\(all\)$")
        self.assertRegex(text, r"(?m)^ *- +900000 +\+900000 +±\d+ +\+63\.83% +new  come\(\)  \(/two/program\)$")
        self.assertRegex(text, r"(?m)^ *400000 +- +-400000 +±\d+ +-28\.37% +gone  gone\(\)")
        self.assertRegex(text, r"(?m)^ *900000 +910000 +\+10000 +±\d+ +\+0\.71% +~  solve\(\)")
        self.assertIn("two standard errors", text)

    def test_a_program_of_another_name(self):
        for path, name in ((self.old, "/tmp/before"), (self.new, "/tmp/after")):
            self.make(path, {"solve": 100}, module=name, command=[name, "x"])
        self.assertEqual({name: row["in"] for name, row in self.rows().items()}, {"solve()": "both"})
        self.assertEqual([row["in"] for row in self.rows("--by", "module").values()], ["both"])
        os.unlink(self.new)
        self.make(self.new, {"solve": 100}, module="/tmp/libafter.so", command=["/tmp/after", "x"])
        self.assertEqual(sorted(row["in"] for row in json.loads(self.diff("--json"))["rows"]), ["new", "old"])

    def test_two_sigma(self):
        for samples, significant in ((14400, False), (14300, False), (14200, True)):
            self.make(self.old, {"main": 14400 + 240})
            self.make(self.new, {"main": samples})
            # The error is about 170 samples.
            self.assertEqual(self.rows()["main()"]["values"][0]["significant"], significant, samples)
            os.unlink(self.old)
            os.unlink(self.new)

    def test_exact_counts(self):
        self.make(self.old, {"main": 1000, "solve": 5}, kind="exact")
        self.make(self.new, {"main": 1001, "solve": 5}, kind="exact")
        row = self.rows()["main()"]["values"][0]
        self.assertEqual((row["difference"], row["error"], row["significant"]), (1000, 0, True))
        self.assertEqual(self.rows()["solve()"]["values"][0]["significant"], False)
        self.assertNotIn("±", self.diff())
        self.assertNotIn("~", self.diff())

    def test_inclusive(self):
        self.make(self.old, {"main": 10, "solve": 100})
        self.make(self.new, {"main": 10, "solve": 300})
        self.assertEqual({name: row["values"][0]["difference"] for name, row in self.rows("--inclusive").items()},
                         {"main()": 200000, "solve()": 200000})
        os.unlink(self.new)
        self.make(self.new, {"main": 10})
        store = stores.sqlite3.connect(self.new)
        store.execute("DELETE FROM context")
        store.commit()
        store.close()
        self.assert_refused(harness.run("papi_profile", "diff", "--inclusive", self.old, self.new), 1, "who called")

    def test_other_rows(self):
        old = {"a": (10, "/src/one/a.c", 5), "b": (20, "/src/x/same.c", 6), "c": (30, "/src/y/same.c", 6), "d": 40}
        new = {"a": (11, "/new/one/a.c", 5), "b": (22, "/src/x/same.c", 6), "c": (33, "/new/y/same.c", 6), "d": 41}
        self.make(self.old, old, module="/one/program")
        self.make(self.new, new, module="/two/program")
        self.assertEqual([(name, row["values"][0]["old"], row["values"][0]["new"])
                          for name, row in self.rows("--by", "module").items()], [("/two/program", 100000, 107000)])
        # Sources that have moved are known by the last part of their names.
        for by, end in (("file", ""), ("line", ":6")):
            values = {name: (row["values"][0]["old"], row["values"][0]["new"], row["in"])
                      for name, row in self.rows("--by", by).items()}
            self.assertEqual(values["/src/x/same.c" + end], (20000, 22000, "both"))
            self.assertEqual(values["/new/y/same.c" + end], (30000, 33000, "both"))
            self.assertEqual(values["/new/one/a.c" + end.replace("6", "5")], (10000, 11000, "both"))
            self.assertEqual(len(values), 4)

    def test_events_by_name(self):
        self.make(self.old, {"main": 10}, events=("A", "B", "C"))
        self.make(self.new, {"main": 20}, events=("X", "C", "B"))
        document = json.loads(self.diff("--json"))
        self.assertEqual([event["name"] for event in document["events"]], ["B", "C"])
        self.assertEqual([event["name"] for event in json.loads(self.diff("--json", "-e", "c"))["events"]], ["C"])
        text = self.diff()
        self.assertIn("event A is in the old profile only\n", text)
        self.assertIn("event X is in the new profile only\n", text)
        self.assert_refused(harness.run("papi_profile", "diff", "-e", "A", self.old, self.new), 1,
                            "no event that was asked for is in both", "A, B, C", "X, C, B")
        os.unlink(self.new)
        self.make(self.new, {"main": 20}, events=("X",))
        self.assert_refused(harness.run("papi_profile", "diff", self.old, self.new), 1, "no event is in both")

    def test_what_makes_them_hard_to_compare_is_said(self):
        self.make(self.old, {"main": 10}, machine="First CPU", command=["./a"])
        self.make(self.new, {"main": 20}, machine="Second \033[2JCPU", command=["./b", "\033[2J"], kind="exact",
                  lost=5)
        store = stores.sqlite3.connect(self.new)
        store.execute("UPDATE event SET kernel = 1")
        store.commit()
        store.close()
        text = self.diff()
        for words in ("the commands differ", "the machines differ: First CPU; Second ?[2JCPU", "5 samples of the new",
                      "event CYC: modes differ: user; user and kernel",
                      "kinds of counts of CYC differ: sampled; exact"):
            self.assertIn(words, text)
        self.assertNotIn("\033", text)
        os.unlink(self.new)
        self.make(self.new, {"main": 20}, machine="First CPU", command=["./a"])
        self.assertNotIn("differ", self.diff())

    def test_csv_and_bounds(self):
        self.make(self.old, {"main": 10, "solve": 900, "norm": 90})
        self.make(self.new, {"main": 10, "solve": 950, "norm": 400})
        rows = list(csv.DictReader(io.StringIO(self.diff("--csv"))))
        self.assertEqual([(row["function"], row["CYC difference"], row["CYC significant"]) for row in rows],
                         [("norm()", "310000", "1"), ("solve()", "50000", "0"), ("main()", "0", "0")])
        self.assertEqual(list(self.rows("--top", "1")), ["norm()"])
        self.assertEqual(list(self.rows("--min", "5")), ["norm()", "solve()"])
        self.assertIn("--top N shows more", self.diff("--top", "1"))
        self.assertNotIn("--top", self.diff())

    def test_names_that_do_harm(self):
        evil = {"\033[31mred\n": 10, "": 5, "quote\"": 7}
        self.make(self.old, evil, events=("EV\033\n",), module="/x/\033[2J\n")
        self.make(self.new, evil, events=("EV\033\n",), module="/y/\033[2J\n")
        for options in ([], ["--csv"], ["--by", "file"], ["--by", "module"]):
            self.assertEqual(re.findall(r"[\x00-\x09\x0b\x0c\x0e-\x1f]", self.diff(*options)), [])
        self.assertEqual({row["in"] for row in self.rows().values()}, {"both"})

    def test_width(self):
        long = "ns::" + "very_" * 30 + "long"
        self.make(self.old, {long: 10 ** 6, "main": 1}, unit="ns", module="/x/" + "m" * 120)
        self.make(self.new, {long: 10 ** 5, "main": 10 ** 7}, unit="ns", module="/x/" + "m" * 120)
        for options in ([], ["--by", "file"], ["--by", "module"]):
            lines = on_a_terminal("diff", *options, self.old, self.new).decode().splitlines()
            self.assertEqual([line for line in lines if len(line) > 80], [])
        self.assertIn(long, self.diff())

    def test_command_lines(self):
        self.make(self.old, {"main": 10})
        for arguments, words in (([], "two profiles"), ([self.old], "two profiles"), ([self.old] * 3, "two profiles"),
                                 (["--by", "thread", "a", "b"], "--by is"), (["--top", "0", "a", "b"], "--top"),
                                 (["--json", "--csv", "a", "b"], "exclude"), (["--min", "x", "a", "b"], "--min")):
            self.assert_refused(harness.run("papi_profile", "diff", *arguments), 2, words, "papi_profile diff")
        for arguments in ([self.old, self.new], [self.new, self.old]):
            self.assert_refused(harness.run("papi_profile", "diff", *arguments), 1, self.new, "No such file")
        text = self.output_of("papi_profile", "diff", "--help")
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])


if __name__ == "__main__":
    harness.main()
