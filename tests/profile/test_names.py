# SPDX-License-Identifier: BSD-3-Clause
"""Names that papi_profile finds for addresses, against addr2line, nm and objdump."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import harness
import stores

INLINES = r"""
#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) int innermost(int x)
{
	return x * 7 + (x >> 3);
}
static inline __attribute__((always_inline)) int middle(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++)
		sum += innermost(i ^ x);
	return sum;
}
static __attribute__((noinline)) int hidden(int x)
{
	return middle(x) + 1;
}
int __attribute__((noinline)) outer(int x)
{
	return hidden(x) + middle(x + 1);
}
int main(int argc, char **argv)
{
	void *memory = malloc((size_t)outer(argc));
	printf("%p\n", memory);
	free(memory);
	return (int)(argv[0] == NULL);
}
"""

TEMPLATES = r"""
#include <cstdio>
namespace space {
template <class T> struct Box {
	T value;
	__attribute__((noinline)) T get(int n) const
	{
		T sum = value;
		for (int i = 0; i < n; i++)
			sum += sum / 3;
		return sum;
	}
	__attribute__((noinline)) bool operator<(const Box &other) const { return value < other.value; }
};
static __attribute__((noinline)) double helper(double x) { return x * x; }
}
int main(int argc, char **argv)
{
	space::Box<int> whole{argc};
	space::Box<double> real{1.5};
	std::printf("%d %f %d\n", whole.get(argc), real.get(argc) + space::helper(argc), whole < space::Box<int>{2});
	return argv[0] == nullptr;
}
"""


# binutils' addr2line misreads the ranges that clang writes for DWARF 5.
LLVM = ["llvm-symbolizer", "--output-style=GNU", "--addresses", "--functions", "--inlines", "--demangle", "--exe"]


def witness(program, addresses, command=("addr2line", "-a", "-i", "-f", "-C", "-e")):
    """The names and lines that a witness has for each address, the innermost first."""
    lines = subprocess.run([*command, program], check=True, capture_output=True, text=True,
                           input="".join(f"{address:#x}\n" for address in addresses)).stdout.splitlines()
    found = []
    for line in filter(None, lines):
        if re.fullmatch("0x[0-9a-f]+", line):
            found.append([])
        elif found[-1] and len(found[-1][-1]) == 1:
            found[-1][-1] += (os.path.basename(re.sub(r" \(discriminator \d+\)", "", line)),)
        else:
            found[-1].append((line,))
    return found


def places(store):
    """What a store has for each address after a report: {offset: [(name, "file:line"), ...]}."""
    found = {}
    base = stores.sqlite3.connect(store)
    for offset, name, file, line in base.execute(
            "SELECT offset, name, location.file, location.line FROM location JOIN function ON "
            "function.id = location.function JOIN address ON address.id = location.address ORDER BY address.id, depth"):
        found.setdefault(offset, []).append((name, f"{os.path.basename(file)}:{line or 0}" if file else "??:0"))
    base.close()
    return found


@unittest.skipUnless(stores.compiler() and shutil.which("addr2line"), "needs a C compiler and binutils")
class NamesTest(harness.ToolTest):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def store(self, program, addresses, build_id=None, name="names.db", kind="file"):
        """A store with a sample at each address."""
        store = stores.Store(os.path.join(self.directory, name))
        module = store.module(program, build_id, kind)
        for address in addresses:
            store.count(store.address(module, address), 1)
        return store.close()

    def names(self, program, addresses, *options, **more):
        """The names of functions by offsets, in a report that says nothing else."""
        path = self.store(program, addresses, **more)
        self.output_of("papi_profile", "report", *options, path)
        return places(path)

    def rows(self, path, *options):
        return json.loads(self.output_of("papi_profile", "report", "--json", *options, path))["rows"]

    def compare(self, program, functions, command=("addr2line", "-a", "-i", "-f", "-C", "-e")):
        """All instructions of functions have the places that the witness has."""
        addresses = [address for name in functions for address in stores.instructions(program, name)]
        self.assertGreater(len(addresses), 10)
        found = self.names(program, addresses)
        for address, expected in zip(addresses, witness(program, addresses, command)):
            self.assertEqual([name for name, _ in found[address]], [name for name, _ in expected], hex(address))
            # A line that the compiler does not know is "?" there.
            for (_, ours), (_, theirs) in zip(found[address], expected):
                if not theirs.endswith((":?", ":0")):
                    self.assertEqual(ours, theirs, hex(address))

    def test_inlined_functions(self):
        program = stores.compile_program(self.directory, "inlines", INLINES, "-O2", "-g")
        self.compare(program, ["hidden", "outer", "main"])

    def test_directories_that_are_cut_off(self):
        """As distributions build: where the source was is ./here for all names."""
        below = os.path.join(self.directory, "below")
        os.mkdir(below)
        source = os.path.join(below, "cut.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(INLINES)
        program = os.path.join(self.directory, "cut")
        for options, compiled in ((["-fdebug-prefix-map=" + below + "=./here"], source),
                                  (["-fdebug-prefix-map=" + below + "=./here"], "cut.c"), ([], "cut.c")):
            subprocess.run(["cc", "-o", program, compiled, "-O2", "-g", *options], check=True, timeout=60, cwd=below)
            self.setUpStore()
            self.names(program, stores.instructions(program, "hidden"))
            base = stores.sqlite3.connect(os.path.join(self.directory, "names.db"))
            files = {file for file, in base.execute("SELECT DISTINCT file FROM location WHERE file IS NOT NULL")}
            base.close()
            self.assertEqual(files, {"./here/cut.c" if options else source})

    def test_clang_and_other_formats(self):
        for name in ("gcc", "clang"):
            if not shutil.which(name) or (name == "clang" and not shutil.which(LLVM[0])):
                continue
            for options in (["-O2", "-g", "-gdwarf-4"], ["-O1", "-g", "-gdwarf-5"], ["-O2", "-g", "-no-pie"]):
                program = os.path.join(self.directory, "formats")
                source = program + ".c"
                with open(source, "w", encoding="utf-8") as file:
                    file.write(INLINES)
                subprocess.run([name, "-o", program, source, *options], check=True, timeout=60)
                self.setUpStore()
                if name == "clang":
                    self.compare(program, ["hidden", "outer"], LLVM)
                else:
                    self.compare(program, ["hidden", "outer"])

    def setUpStore(self):
        for name in os.listdir(self.directory):
            if name.endswith(".db"):
                os.unlink(os.path.join(self.directory, name))

    def test_split_debug_information(self):
        """-gsplit-dwarf: functions in a .dwo file."""
        program = stores.compile_program(self.directory, "split", INLINES, "-O2", "-g", "-gsplit-dwarf")
        address = stores.symbols(program)["hidden"][0]
        found = self.names(program, stores.instructions(program, "hidden"))
        self.assertIn("hidden", {places[-1][0] for places in found.values()})
        self.assertIn("innermost", {places[0][0] for places in found.values()})
        self.assertIn(address, found)

    @unittest.skipUnless(stores.compiler("c++"), "needs a C++ compiler")
    def test_templates(self):
        program = stores.compile_program(self.directory, "templates", TEMPLATES, "-O2", "-g", language="c++")
        demangled = stores.symbols(program, "-C")
        wanted = [name for name in demangled if name.startswith("space::")]
        self.assertGreaterEqual(len(wanted), 3, wanted)
        found = self.names(program, [demangled[name][0] for name in wanted])
        for name in wanted:
            # Copies that a compiler made for one use are the function that they are copies of.
            self.assertEqual(found[demangled[name][0]][-1][0], name.split(" [clone")[0])
        path = os.path.join(self.directory, "names.db")
        # A name means its function with or without what a compiler writes out.
        for short in ("space::Box<int>::get(int) const", "space::Box::get", "get"):
            text = self.output_of("papi_profile", "annotate", short, path)
            self.assertIn("sum += sum / 3", text)
        self.assertEqual(harness.run("papi_profile", "annotate", "et", path).returncode, 1)

    def test_without_debug_information(self):
        program = stores.compile_program(self.directory, "plain", INLINES, "-O2")
        known = stores.symbols(program)
        found = self.names(program, [known[name][0] + 3 for name in ("hidden", "outer", "main")])
        for name in ("hidden", "outer", "main"):
            self.assertEqual(found[known[name][0] + 3], [(name, "??:0")])

    def test_stripped(self):
        """Dynamic symbols, then the ranges of the unwind table, then addresses."""
        program = stores.compile_program(self.directory, "stripped", INLINES, "-O2", "-rdynamic")
        known = stores.symbols(program)
        subprocess.run(["strip", program], check=True)
        hidden, outer = known["hidden"][0], known["outer"][0]
        found = self.names(program, [hidden, hidden + 4, outer + 2, 0x7fffff])
        self.assertEqual(found[outer + 2], [("outer", "??:0")])
        self.assertEqual(found[hidden], [(f"stripped+{hidden:#x}", "??:0")])
        self.assertEqual(found[hidden + 4], found[hidden], "one function is one name")
        self.assertEqual(found[0x7fffff], [("stripped+0x7fffff", "??:0")])

    def test_debug_file_by_build_id(self):
        program = stores.compile_program(self.directory, "separate", INLINES, "-O2", "-g", "-Wl,--build-id")
        expected = stores.instructions(program, "hidden")
        whole = os.path.join(self.directory, "whole")
        shutil.copy(program, whole)
        identity = stores.build_id(program)
        debug = os.path.join(self.directory, "debug")
        folder = os.path.join(debug, ".build-id", identity[:2])
        os.makedirs(folder)
        subprocess.run(["objcopy", "--only-keep-debug", program, os.path.join(folder, identity[2:] + ".debug")],
                       check=True)
        subprocess.run(["strip", program], check=True)
        found = self.names(program, expected, "--debug", debug, build_id=identity)
        for address, places_there in zip(expected, witness(whole, expected)):
            self.assertEqual([name for name, _ in found[address]], [name for name, _ in places_there])
        # What was looked for without it is looked for again when asked to.
        self.setUpStore()
        before = self.names(program, expected, build_id=identity)
        self.assertEqual({places[0][0] for places in before.values()}, {f"separate+{expected[0]:#x}"})
        path = os.path.join(self.directory, "names.db")
        self.output_of("papi_profile", "report", "--debug", debug, path)
        self.assertEqual(places(path), before, "names are looked for once")
        self.output_of("papi_profile", "report", "--debug", debug, "--again", path)
        self.assertEqual(places(path), found)

    def test_debug_link(self):
        program = stores.compile_program(self.directory, "linked", INLINES, "-O2", "-g", "-Wl,--build-id=none")
        address = stores.symbols(program)["hidden"][0]
        debug = program + ".debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["strip", program], check=True)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
        found = self.names(program, [address])
        self.assertEqual(found[address][-1][0], "hidden")

    def test_debuginfod(self):
        """From a server, which is a directory here."""
        try:
            ctypes.CDLL("libdebuginfod.so.1")
        except OSError:
            self.skipTest("libdebuginfod is missing")
        program = stores.compile_program(self.directory, "served", INLINES, "-O2", "-g", "-Wl,--build-id")
        address = stores.symbols(program)["hidden"][0]
        identity = stores.build_id(program)
        folder = os.path.join(self.directory, "server", "buildid", identity)
        os.makedirs(folder)
        subprocess.run(["objcopy", "--only-keep-debug", program, os.path.join(folder, "debuginfo")], check=True)
        subprocess.run(["strip", program], check=True)
        path = self.store(program, [address], build_id=identity)
        self.output_of("papi_profile", "report", path, environment={
            "DEBUGINFOD_URLS": f"file://{self.directory}/server", "DEBUGINFOD_CACHE_PATH": self.directory + "/cache",
            "HOME": self.directory})
        self.assertEqual(places(path)[address][-1][0], "hidden")

    def test_debug_information_that_files_share(self):
        """As distributions do it with dwz: types and functions of several files are in one beside them."""
        if not shutil.which("dwz"):
            self.skipTest("dwz is missing")
        programs = [stores.compile_program(self.directory, name, INLINES, "-O2", "-g", "-gdwarf-4", "-Wl,--build-id")
                    for name in ("shared_first", "shared_second")]
        addresses = stores.instructions(programs[0], "hidden")
        expected = witness(programs[0], addresses)
        subprocess.run(["dwz", "-m", os.path.join(self.directory, "common.debug"), "-r", *programs], check=True)
        sections = subprocess.run(["readelf", "-SW", programs[0]], check=True, capture_output=True, text=True).stdout
        self.assertIn(".gnu_debugaltlink", sections)
        found = self.names(programs[0], addresses)
        for address, there in zip(addresses, expected):
            self.assertEqual(found[address], there)

    def test_another_file(self):
        """What lies there now is not what ran."""
        program = stores.compile_program(self.directory, "changed", INLINES, "-O2", "-g", "-Wl,--build-id")
        address = stores.symbols(program)["outer"][0]
        path = self.store(program, [address], build_id="ab" * 20)
        result = harness.run("papi_profile", "report", "--json", path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("its build-id is another one", result.stderr)
        self.assertEqual([row["name"] for row in json.loads(result.stdout)["rows"]], [f"changed+{address:#x}"])
        # It is said each time, and the right file is found once it is back.
        self.assertIn("build-id", harness.run("papi_profile", "report", path).stderr)
        base = stores.sqlite3.connect(path)
        base.execute("UPDATE module SET build_id = ?", (stores.build_id(program).upper(),))
        base.commit()
        base.close()
        self.assertEqual([row["name"] for row in self.rows(path)], ["outer"])

    def test_missing_and_odd_files(self):
        fifo = os.path.join(self.directory, "fifo")
        os.mkfifo(fifo)
        text = os.path.join(self.directory, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.write("no program\n" * 100)
        for path, words in ((os.path.join(self.directory, "gone"), "No such file"), (fifo, "no plain file"),
                            (text, "no ELF file"), (self.directory, "no plain file")):
            self.setUpStore()
            result = harness.run("papi_profile", "report", "--json", self.store(path, [0x1234]))
            self.assertEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)
            self.assertEqual(json.loads(result.stdout)["rows"][0]["name"], os.path.basename(path) + "+0x1234")

    def test_broken_files(self):
        """Cut, and with bytes changed: names are unknown or wrong, but there is an end."""
        program = stores.compile_program(self.directory, "whole", INLINES, "-O2", "-g")
        addresses = stores.instructions(program, "hidden")[:4]
        with open(program, "rb") as file:
            content = file.read()
        step = len(content) // 5
        for i in range(0, len(content), step):
            for broken in (content[:i], content[:i] + bytes(b ^ 0xff for b in content[i:i + 40]) + content[i + 40:],
                           content[:i] + b"\xff" * 64 + content[i + 64:]):
                self.setUpStore()
                path = os.path.join(self.directory, "broken")
                with open(path, "wb") as file:
                    file.write(broken)
                result = harness.run("papi_profile", "report", "--json", self.store(path, addresses))
                self.assertEqual(result.returncode, 0, f"{i}: {result.stderr}")
                total = sum(row["values"][0]["samples"] for row in json.loads(result.stdout)["rows"])
                self.assertEqual(total, len(addresses))

    def test_stubs(self):
        """PLT entries have the names of what they call, by all that linkers make."""
        for options in (["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fcf-protection=full", "-Wl,-z,lazy"],
                        ["-fno-plt"], ["-Wl,-z,lazy", "-no-pie"]):
            self.setUpStore()
            if os.uname().machine != "x86_64" and "-fcf-protection=full" in options:
                continue
            program = stores.compile_program(self.directory, "stubs", INLINES, "-O1", *options)
            listed = subprocess.run(["objdump", "-d", program], check=True, capture_output=True, text=True).stdout
            stubs = {int(address, 16): name for address, name in
                     re.findall(r"^([0-9a-f]+) <(\w+@plt)>:$", listed, re.M)}
            self.assertTrue(stubs or "-fno-plt" in options)
            if not stubs:
                continue
            found = self.names(program, [address + more for address in stubs for more in (0, 5)])
            for address, name in stubs.items():
                self.assertEqual(found[address], [(name, "??:0")], options)
                self.assertEqual(found[address + 5], [(name, "??:0")], options)

    def test_aliases(self):
        """One name of several, whatever their order: public, short, first in the alphabet."""
        text = """int zebra(int x) { return x * 3; }
int __attribute__((alias("zebra"))) apple(int);
int __attribute__((alias("zebra"))) a_longer_name(int);
static int __attribute__((alias("zebra"), used)) b(int);
int main(void) { return zebra(3); }
"""
        for options in (["-g"], []):
            self.setUpStore()
            program = stores.compile_program(self.directory, "aliases", text, "-O0", *options)
            address = stores.symbols(program)["zebra"][0]
            self.assertEqual(self.names(program, [address])[address][0][0], "apple", options)

    def test_the_kernels_page(self):
        path = self.store("[vdso]", [0x10], kind="vdso")
        rows = self.rows(path)
        self.assertEqual(len(rows), 1)
        self.assertRegex(rows[0]["name"], r"^\[vdso\]|^\w+$")

    def test_modules_that_are_no_files(self):
        store = stores.Store(os.path.join(self.directory, "names.db"))
        for kind in ("anonymous", "unknown"):
            module = store.module(f"[{kind}]", None, kind, 1 if kind == "anonymous" else None)
            for offset in (1, 2, 3):
                store.count(store.address(module, offset), 1)
        rows = self.rows(store.close())
        self.assertEqual(sorted((row["name"], row["values"][0]["samples"]) for row in rows),
                         [("[anonymous]", 3), ("[unknown]", 3)])

    def test_lists_of_compilers_at_run_time(self):
        process = subprocess.Popen(["sleep", "60"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        listed = f"/tmp/perf-{process.pid}.map"
        self.addCleanup(lambda: os.path.exists(listed) and os.unlink(listed))
        with open(listed, "w", encoding="utf-8") as file:
            file.write("7f0000001000 20 py::solve (mm.py:12)\n7f0000002000 10 other\nnonsense\n")
        store = stores.Store(os.path.join(self.directory, "names.db"))
        store.base.execute("UPDATE process SET pid = ?", (process.pid,))
        module = store.module("[jit]", None, "jit", 1)
        for offset in (0x7f0000001000, 0x7f000000101f, 0x7f0000001020, 0x7f0000002001):
            store.count(store.address(module, offset), 1)
        rows = self.rows(store.close())
        self.assertEqual(sorted((row["name"], row["values"][0]["samples"]) for row in rows),
                         [("[jit]", 1), ("other", 1), ("py::solve (mm.py:12)", 2)])

    def test_the_kernel(self):
        store = stores.Store(os.path.join(self.directory, "names.db"))
        with open("/proc/kallsyms", encoding="utf-8") as file:
            symbol = re.search(r"^([0-9a-f]*[1-9a-f][0-9a-f]*) [Tt] (\w+)$", file.read(1 << 16), re.M)
        address = int(symbol[1], 16) if symbol else 0xffffffff81000000
        module = store.module("kernel", None, "kernel")
        store.count(store.address(module, address - (1 << 64)), 1)
        path = store.close()
        result = harness.run("papi_profile", "report", "--json", path)
        names = [row["name"] for row in json.loads(result.stdout)["rows"]]
        if symbol:
            self.assertNotEqual(names, ["[kernel]"])
        else:
            self.assertEqual(names, ["[kernel]"])
            self.assertIn("kptr_restrict", result.stderr)
        # Another kernel, or this one started again since, has its code elsewhere.
        for change in ("UPDATE run SET kernel = '1.2.3'", "UPDATE run SET started = '2001-01-01T00:00:00Z'"):
            self.setUpStore()
            store = stores.Store(path)
            store.base.execute(change)
            store.count(store.address(store.module("kernel", None, "kernel"), address - (1 << 64)), 1)
            result = harness.run("papi_profile", "report", "--json", store.close())
            self.assertEqual([row["name"] for row in json.loads(result.stdout)["rows"]], ["[kernel]"])
            self.assertIn("not the one of the run", result.stderr)


if __name__ == "__main__":
    harness.main()
