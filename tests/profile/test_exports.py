# SPDX-License-Identifier: BSD-3-Clause
"""papi_profile export: readers of each form find the totals, functions and calls that are in the store."""
import base64
import collections
import glob
import gzip
import html
import importlib.util
import json
import os
import re
import shutil
import subprocess

import harness
import stores
from test_views import named, on_a_terminal, ViewTest

# Where tools/dev/setup.sh puts the package.
SPEEDSCOPE = os.path.join(os.path.dirname(harness.TOOLS), "npm", "speedscope", "package", "dist", "release")
EVENTS = ("CYC", "INS")
HOSTILE = ("two\nlines", "fn=(1) main", "(7)", "(8) calls=1 0", "  ", "", "# no comment", "0x10 1 99", "tab\there",
           "caf\udce9 \udcff", "\033[31mred", "{\"a\":1}", "</script>", "std::map<int, int>::at(int) const", "a;b 3",
           "events: X", "\u2028line")
CLEAN = str.maketrans({chr(i): "?" for i in [*range(32), *range(127, 160)]})


def clean(name):
    """A name as it may be shown: '?' for what is no character and what controls terminals."""
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")
    return name.translate(CLEAN)


class ExportTest(ViewTest):
    def make(self, **options):
        """main calls solve and write; solve calls itself and norm, which has code of another file inlined into it."""
        store = stores.Store(self.path, EVENTS, **options)
        at = named(store, ("main", "solve", "norm", "write"))
        store.insert("function", 5, 1, "tiny", "tiny", 0, 0, "/src/tiny.h", 3)
        store.base.execute("UPDATE location SET depth = 1 WHERE address = ?", (at["norm"],))
        store.insert("location", at["norm"], 0, 5, "/src/tiny.h", 4)
        main = store.context(at["main"])
        once, twice = (store.context(at["main"], *[at["solve"]] * n) for n in (1, 2))
        for event, factor in ((1, 1), (2, 3)):
            store.count(at["main"], 4 * factor, event=event)
            store.count(at["solve"], 16 * factor, main, event=event)
            store.count(at["solve"], 9 * factor, once, event=event)
            store.count(at["norm"], 25 * factor, twice, event=event)
        store.count(at["write"], 36, main)
        store.insert("thread", 2, 1, 4712, "second")
        store.count(at["write"], 10, main, thread=2)
        store.close()
        self.totals = [100000, 162000]
        self.self_values = {"main": [4000, 12000], "solve": [25000, 75000], "tiny": [25000, 75000], "write": [46000, 0]}
        self.inclusive = {"main": [100000, 162000], "solve": [50000, 150000], "norm": [25000, 75000],
                          "tiny": [25000, 75000], "write": [46000, 0]}

    def make_exact(self):
        """main calls f 3 times and h; f and g call each other; h ends with a jump to j, which main calls once, too."""
        store = stores.Store(self.path, EVENTS, kind="exact")
        store.base.execute("UPDATE run SET source = 'exact'")
        at = named(store, ("main", "f", "g", "h", "j"))
        own = {"main": 1, "f": 100, "g": 10, "h": 7, "j": 50}
        calls = {("main", "f"): (3, 110), ("f", "g"): (5, 60), ("g", "f"): (2, 0), ("main", "h"): (1, 37),
                 ("main", "j"): (1, 20)}
        for event, factor in ((1, 1), (2, 3)):
            for name, value in own.items():
                store.insert("count", 1, event, 0, at[name], 0, value * factor)
            for (caller, callee), (number, value) in calls.items():
                store.call(at[caller], at[callee], number, value * factor, event)
        store.close()
        self.exact_calls = {pair: number for pair, (number, _) in calls.items()}
        self.exact_inclusive = {"main": 168, "f": 110, "g": 60, "h": 37, "j": 50}

    def make_hostile(self):
        store = stores.Store(self.path, ("EV IL\n=", "EV:IL\n="))
        store.base.text_factory = bytes
        store.base.execute("UPDATE run SET command = ?", (json.dumps(["./\nevents: X", "\u2028"]),))
        store.base.execute("UPDATE thread SET name = ?", ("thr\nead",))
        module = store.module("/gone/\nob=(1) program", "00\n")
        outer = None
        self.expected = collections.Counter()
        for i, name in enumerate(HOSTILE):
            text = name.encode("utf-8", "surrogateescape")
            address = store.address(module, 16 * i + 16)
            store.base.execute("INSERT INTO function VALUES (?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, "
                               "CAST(? AS TEXT), ?)", (i + 1, module, text, text, 16 * i, 16 * i + 16, text, i))
            store.base.execute("INSERT INTO location VALUES (?, 0, ?, CAST(? AS TEXT), ?)", (address, i + 1, text, i))
            store.count(address, i + 1, outer or 0)
            self.expected[clean(name)] += 1000 * (i + 1)
            outer = outer or store.context(address)
        store.close()

    def export(self, form, *options):
        result = subprocess.run([os.path.join(harness.TOOLS, "papi_profile"), "export", form, *options, self.path],
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def file_of(self, form, name, *options):
        path = os.path.join(self.directory, name)
        self.assertEqual(self.export(form, "-o", path, *options), b"")
        return path

    def run_view(self, *arguments):
        result = harness.run("papi_profile", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def need(self, *commands):
        for command in commands:
            if not shutil.which(command):
                self.skipTest(f"{command} is missing")


class CallgrindTest(ExportTest):
    def parse(self, text):
        """Sums by function, and what functions pass on: by the description of the format, not by our writer."""
        names, sums, calls, inside = {}, collections.Counter(), collections.Counter(), None
        for line in text.split("\n"):
            what = re.fullmatch(r"(c?)(fn|fl|ob|fi|fe)=\((\d+)\)(?: (.+))?", line)
            if what:
                space = what[2] if what[2] in ("fn", "ob") else "file"
                if what[4]:
                    self.assertNotIn((space, what[3]), names)
                    names[space, what[3]] = what[4]
                    self.assertNotEqual(what[4].strip(), "")
                if what[2] == "fn" and what[1]:
                    called = names["fn", what[3]]
                elif what[2] == "fn":
                    function, called = names["fn", what[3]], None
                inside = names[space, what[3]]
            elif re.fullmatch(r"calls=1 0x[0-9a-f]+ \d+", line):
                pass
            elif re.fullmatch(r"0x[0-9a-f]+ \d+ \d+ \d+", line):
                values = [int(value) for value in line.split()[2:]]
                for i, value in enumerate(values):
                    (calls if called else sums)[(function, called, i) if called else (function, i)] += value
                called = None
            else:
                self.assertRegex(line, r"^(|# callgrind format|"
                                       r"(version|creator|cmd|desc|positions|event|events|summary):.*)$")
        self.assertIsNotNone(inside)
        return sums, calls

    def test_what_it_has(self):
        self.make(lost=3)
        text = self.export("--callgrind").decode()
        self.assertIn("\nevents: CYC INS\nsummary: 100000 162000\n", text)
        self.assertIn("\ncmd: ./program -n 3\n", text)
        self.assertIn("\ndesc: Lost: 3 samples\n", text)
        sums, calls = self.parse(text)
        self.assertEqual({name: [sums[name, 0], sums[name, 1]] for name, _ in sums}, self.self_values)
        self.assertEqual({(one, two): value for (one, two, event), value in calls.items() if event == 0},
                         {("main", "solve"): 50000, ("solve", "norm"): 25000, ("norm", "tiny"): 25000,
                          ("main", "write"): 46000})
        sums, _ = self.parse(self.export("--callgrind", "--no-inlines").decode())
        self.assertEqual(sums["norm", 0], 25000)
        self.assertIn("\nevents: INS\n", self.export("--callgrind", "-e", "INS").decode())

    def annotated(self, path, *options):
        self.need("callgrind_annotate")
        command = ["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", *options, path]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                                check=True)
        self.assertEqual(result.stderr, "")
        numbers = r"^ *([\d,]+) +([\d,]+) +"
        found = {match[3]: [int(match[i].replace(",", "")) for i in (1, 2)]
                 for match in re.finditer(numbers + r"(?:\S*:)?(PROGRAM TOTALS|\S+)", result.stdout, re.M)}
        return found, result.stdout

    def test_callgrind_annotate(self):
        self.make()
        path = self.file_of("--callgrind", "callgrind.out")
        found, _ = self.annotated(path)
        self.assertEqual(found.pop("PROGRAM TOTALS"), self.totals)
        self.assertEqual({name: values for name, values in found.items() if any(values)}, self.self_values)
        found, _ = self.annotated(path, "--inclusive=yes")
        found.pop("PROGRAM TOTALS")
        self.assertEqual(found, self.inclusive)

    def test_exact(self):
        """Calls with their numbers, and inclusive counts as papi_profile report has them, whichever way they are added
        up: what g does in f again, and h in j, is in no call."""
        self.make_exact()
        report = json.loads(self.run_view("report", "--json", self.path).stdout)
        self.assertEqual({row["name"]: [value["inclusive_value"] for value in row["values"]] for row in report["rows"]},
                         {name: [value, 3 * value] for name, value in self.exact_inclusive.items()})
        path = self.file_of("--callgrind", "callgrind.out")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        numbers = [int(number) for number in re.findall(r"(?m)^calls=(\d+) 0x[1-9a-f]", text)]
        # What is jumped to is no call, but some line has to say so.
        self.assertEqual(sorted(numbers), sorted([*self.exact_calls.values(), 1]))
        found, _ = self.annotated(path, "--inclusive=yes")
        self.assertEqual(found.pop("PROGRAM TOTALS"), [168, 504])
        self.assertEqual(found.pop("(jumped"), [80, 240])
        self.assertEqual(found, {name: [value, 3 * value] for name, value in self.exact_inclusive.items()})

    def test_hostile_names(self):
        self.make_hostile()
        path = self.file_of("--callgrind", "callgrind.out")
        with open(path, encoding="utf-8") as file:
            sums, _ = self.parse(file.read())
        for name in HOSTILE:
            if clean(name).strip():
                self.assertEqual(sums[clean(name), 0], self.expected[clean(name)])
        self.assertEqual(sums["???", 0], self.expected["  "] + self.expected[""])
        _, text = self.annotated(path)
        self.assertIn(f"{sum(self.expected.values()):,}", text)


def fields_of(message):
    """The fields of a protobuf message: {number: [value, ...]}."""
    fields, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            value |= (message[at] & 0x7f) << shift
            shift, at = shift + 7, at + 1
            if message[at - 1] < 0x80:
                return value
    while at < len(message):
        key = varint()
        if key & 7 == 0:
            fields[key >> 3].append(varint())
            continue
        assert key & 7 == 2, "a wire type that profile.proto does not have"
        size = varint()
        fields[key >> 3].append(message[at:at + size])
        at += size
    assert at == len(message)
    return fields


def numbers_of(packed):
    return fields_of(b"".join(b"\x08" + part for part in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", packed, re.S)))[1]


class PprofTest(ExportTest):
    def parse(self, content):
        """Sums of self and inclusive values by name."""
        profile = fields_of(gzip.decompress(content))
        texts = [text.decode("utf-8") for text in profile[6]]
        self.assertEqual(texts[0], "")
        self.assertEqual(len(set(texts)), len(texts))
        functions = {one[1][0]: one for one in map(fields_of, profile[5])}
        locations = {one[1][0]: one for one in map(fields_of, profile[4])}
        modules = {one[1][0]: one for one in map(fields_of, profile[3])}
        sums, inclusive = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])
        for sample in map(fields_of, profile[2]):
            names = []
            for number in numbers_of(sample[1][0]):
                self.assertIn(locations[number][2][0], modules)
                self.assertLess(locations[number][3][0], modules[locations[number][2][0]][3][0])
                names += [texts[functions[fields_of(line)[1][0]][2][0]] for line in locations[number][4]]
            for i, value in enumerate(numbers_of(sample[2][0])):
                sums[names[0]][i] += value
                for name in set(names):
                    inclusive[name][i] += value
        types = [[texts[fields_of(one)[i][0]] for i in (1, 2)] for one in profile[1]]
        self.assertEqual(texts[profile[14][0]], types[0][0])
        return types, dict(sums), dict(inclusive), {texts[one[5][0]]: texts[one[6][0]] for one in modules.values()}

    def test_what_it_has(self):
        self.make(unit="ns")
        types, sums, inclusive, modules = self.parse(self.export("--pprof"))
        self.assertEqual(types, [["CYC", "nanoseconds"], ["INS", "nanoseconds"]])
        self.assertEqual(sums, self.self_values)
        self.assertEqual(inclusive, self.inclusive)
        self.assertEqual(modules, {"/nowhere/program": ""})
        # The program comes before what it has loaded.
        base = stores.sqlite3.connect(self.path)
        base.execute("INSERT INTO module VALUES (0, '/lib/ld.so', 'abcd', 'file', NULL)")
        base.commit()
        base.close()
        _, _, _, modules = self.parse(self.export("--pprof"))
        self.assertEqual(list(modules.items()), [("/nowhere/program", ""), ("/lib/ld.so", "abcd")])
        types, sums, _, _ = self.parse(self.export("--pprof", "-e", "INS,CYC", "--no-inlines"))
        self.assertEqual([one[0] for one in types], ["INS", "CYC"])
        self.assertEqual(sums["norm"], [75000, 25000])

    def pprof(self, path, *options):
        if not shutil.which("go"):
            self.skipTest("go is missing")
        result = subprocess.run(["go", "tool", "pprof", *options, path], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=120, env={**os.environ, "HOME": self.directory})
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_go_tool_pprof(self):
        self.make()
        path = self.file_of("--pprof", "pprof.pb.gz")
        for i, event in enumerate(EVENTS):
            text = self.pprof(path, "-top", "-nodefraction=0", f"-sample_index={event}")
            self.assertIn(f" of {self.totals[i]} total", text)
            found = {name: [int(own), int(all_of_it)] for own, all_of_it, name in
                     re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% +(\w+)", text, re.M)}
            expected = {name: [self.self_values.get(name, [0, 0])[i], values[i]]
                        for name, values in self.inclusive.items() if values[i]}
            self.assertEqual(found, expected)
        raw = self.pprof(path, "-raw")
        self.assertIn("CYC/count[dflt] INS/count", raw)
        self.assertRegex(raw, r"tid:\[4712\]")
        self.assertIn("/nowhere/program", raw)

    def test_hostile_names(self):
        self.make_hostile()
        path = self.file_of("--pprof", "pprof.pb.gz")
        with open(path, "rb") as file:
            _, sums, _, _ = self.parse(file.read())
        self.assertEqual({name: values[0] for name, values in sums.items()}, dict(self.expected))
        self.assertIn(f" of {sum(self.expected.values())} total", self.pprof(path, "-top", "-nodefraction=0"))

    def test_more_than_one_block(self):
        store = stores.Store(self.path)
        at = named(store, [f"function_{i}_{'x' * 90}" for i in range(800)])
        for i, address in enumerate(at.values()):
            store.count(address, i + 1)
        store.close()
        content = self.export("--pprof")
        self.assertGreater(len(content), 2 * 65535)
        _, sums, _, _ = self.parse(content)
        self.assertEqual([values[0] for values in sums.values()], [1000 * (i + 1) for i in range(800)])


class SpeedscopeTest(ExportTest):
    def parse(self, text):
        """Each event's name, unit and sums by function, as a reader has them."""
        document = json.loads(text)
        names, found = [frame["name"] for frame in document["shared"]["frames"]], []
        for profile in document["profiles"]:
            self.assertEqual(len(profile["samples"]), len(profile["weights"]))
            self.assertEqual(sum(profile["weights"]), profile["endValue"])
            sums = collections.Counter()
            for path, weight in zip(profile["samples"], profile["weights"]):
                sums[names[path[-1]]] += weight
            found.append((profile["name"], profile["unit"], dict(sums)))
        return document, found

    def test_what_it_has(self):
        self.make(unit="ns")
        document, found = self.parse(self.export("--speedscope").decode())
        for i, event in enumerate(EVENTS):
            self.assertEqual(found[i], (event, "nanoseconds", {name: values[i] for name, values
                                                               in self.self_values.items() if values[i]}))
        self.assertIn([0, 1, 1, 2, 4], document["profiles"][0]["samples"])
        self.assertEqual(document["shared"]["frames"][1], {"name": "solve", "file": "/src/1.c", "line": 11})

    def test_schema(self):
        schema = os.path.join(SPEEDSCOPE, "file-format-schema.json")
        if not importlib.util.find_spec("jsonschema") or not os.path.exists(schema):
            self.skipTest("python3-jsonschema or the npm package speedscope is missing (tools/dev/setup.sh check-all)")
        import jsonschema  # pylint: disable=import-outside-toplevel
        self.make()
        with open(schema, encoding="utf-8") as file:
            jsonschema.validate(json.loads(self.export("--speedscope")), json.load(file))
        os.unlink(self.path)
        self.make_hostile()
        with open(schema, encoding="utf-8") as file:
            jsonschema.validate(json.loads(self.export("--speedscope")), json.load(file))

    def imported(self):
        """Name, total and self of each function, in the table of speedscope's own page."""
        self.need("chromium")
        if not glob.glob(os.path.join(SPEEDSCOPE, "index.html")):
            self.skipTest("the npm package speedscope is missing (tools/dev/setup.sh check-all)")
        script = os.path.join(self.directory, "profile.js")
        with open(script, "w", encoding="ascii") as file:
            file.write('speedscope.loadFileFromBase64("profile.json", "%s")' %
                       base64.b64encode(self.export("--speedscope")).decode())
        page = f"file://{SPEEDSCOPE}/index.html#localProfilePath={script[1:]}&view=sandwich"
        result = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                 f"--user-data-dir={self.directory}/browser", "--virtual-time-budget=20000",
                                 "--allow-file-access-from-files", page], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=200, check=False)
        text = re.sub(r"<(style|script).*?</\1>", "", result.stdout, flags=re.S)
        cells = [html.unescape(cell) for cell in re.split(r"<[^>]*>", text)]
        cells = [cell for cell in cells if cell.strip()]
        self.assertIn("Symbol Name", cells, result.stderr[-2000:])
        rows = cells[cells.index("Symbol Name") + 1:]
        number = re.compile(r"([\d,]+) \([\d.<]+%\)")
        return {rows[i + 2]: [int(number.fullmatch(rows[i + j])[1].replace(",", "")) for j in (1, 0)]
                for i in range(0, len(rows) - 2) if number.fullmatch(rows[i]) and number.fullmatch(rows[i + 1])}

    def test_importer(self):
        self.make()
        self.assertEqual(self.imported(), {name: [self.self_values.get(name, [0, 0])[0], values[0]]
                                           for name, values in self.inclusive.items()})

    def test_hostile_names(self):
        self.make_hostile()
        _, found = self.parse(self.export("--speedscope").decode())
        expected = {name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"): 1000 * (i + 1)
                    for i, name in enumerate(HOSTILE)}
        self.assertEqual(found[0][2], expected)


class OutputTest(ExportTest):
    def refused(self, status, *arguments):
        """To be called with what is said then."""
        return lambda *words: self.assert_refused(harness.run("papi_profile", "export", *arguments), status, *words)

    def test_refused(self):
        self.make()
        with open(self.path, "rb") as file:
            before = file.read()
        self.refused(2)("--callgrind, --folded, --pprof or --speedscope")
        self.refused(2, "--pprof", "--folded")("one form", "--pprof", "--folded")
        self.refused(1, "--folded", "-o", self.path, self.path)("the profile itself")
        self.refused(1, "--folded", "-o", os.path.join(self.directory, "none", "x"), self.path)("No such file")
        self.refused(1, "--callgrind", "-o", self.directory, self.path)("directory")
        self.refused(1, "--pprof", "-o", "/dev/full", self.path)("No space left")
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(), before)
        # Nothing is begun where there is nothing to be written.
        path = os.path.join(self.directory, "out")
        self.refused(1, "--folded", "-o", path, path + "none")("No such file")
        self.assertFalse(os.path.exists(path))

    def test_no_paths(self):
        """Of an exact profile it is known who calls whom, but not by which ways: that is told."""
        self.make_exact()
        result = self.run_view("export", "--folded", self.path)
        self.assertEqual(result.stdout.split("\n")[0], "program;f 100")
        self.assertIn("functions without their callers", result.stderr)
        for form in ("--pprof", "--speedscope"):
            result = self.run_view("export", form, "-o", os.path.join(self.directory, "out"), self.path)
            self.assertIn(f"{form} has functions without their callers", result.stderr)
        self.assertEqual(self.run_view("export", "--callgrind", self.path).stderr, "")

    def test_a_terminal(self):
        self.make()
        self.assertIn(b"nothing for a terminal", on_a_terminal("export", "--pprof", self.path))
        self.assertIn(b"program;main 4000\n", on_a_terminal("export", "--folded", self.path))
        path = os.path.join(self.directory, "out")
        self.assertEqual(on_a_terminal("export", "--pprof", "-o", path, self.path), b"")
        with open(path, "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")


if __name__ == "__main__":
    harness.main()
