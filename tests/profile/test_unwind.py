# SPDX-License-Identifier: BSD-3-Clause
"""Callers by unwind tables, -g dwarf: known paths in code without frame pointers, and stacks that are too large."""
import os
import platform
import shutil
import subprocess

from capture_harness import BURNER, CaptureTest, main, symbols

FRAMELESS = os.environ["PAPI_PROFILE_FRAMELESS"]
CLOCK = ("-e", "perf::TASK-CLOCK")


class Unwind(CaptureTest):
    def paths(self, store, innermost=("burn",)):
        """For each sample in one of the program's functions, or in what that called: the path and how many there are.

        Functions of the program have their names, other modules the last part of theirs.
        """
        functions = symbols(FRAMELESS)

        def name(path, offset):
            if os.path.basename(path) == os.path.basename(FRAMELESS):
                for function, (low, high) in functions.items():
                    if low <= offset < high:
                        return function
            return os.path.basename(path)
        found = {}
        for sample in store.samples:
            path = [name(*place) for place in store.path_of(sample["context"])]
            path.append(name(sample["path"], sample["offset"]))
            while path and path[-1] not in innermost:
                path.pop()
            # Libraries once, however many of their functions there are.
            path = [part for i, part in enumerate(path) if i == 0 or part != path[i - 1] or part in functions]
            found[tuple(path)] = found.get(tuple(path), 0) + sample["samples"]
        return found

    def assert_paths(self, found, *expected):
        """Nearly all samples have the path; the few others are those at the program's start and end."""
        total = sum(found.values())
        self.assertGreater(total, 50)
        for end in expected:
            number = sum(n for path, n in found.items() if path[-len(end):] == end)
            self.assertGreater(number, 0.85 * total, found)

    def unwind(self, *arguments, graph="dwarf"):
        store, result = self.profile(*CLOCK, "-g", graph, FRAMELESS, *arguments)
        return store, result.stderr

    def test_path(self):
        store, said = self.unwind("path")
        found = self.paths(store)
        self.assert_paths(found, ("main", "outer", "middle", "inner", "burn"))
        # From where the program begins: a path that ends there was not cut.
        self.assertEqual(sum(n for path, n in found.items() if "main" in path and path[0] != "_start"), 0, found)
        self.assertNotIn("[truncated]", said)
        self.assertEqual([module for module in store.modules if module["kind"] == "truncated"], [])

    def test_frame_pointers_do_not_see_it(self):
        store, _ = self.unwind("path", graph="fp")
        whole = sum(n for path, n in self.paths(store).items() if path[-4:] == ("outer", "middle", "inner", "burn"))
        self.assertLess(whole, 0.2 * store.sum())

    def test_through_a_library(self):
        store, _ = self.unwind("sort")
        libc = [os.path.basename(module["path"]) for module in store.modules if "libc" in module["path"]]
        self.assert_paths(self.paths(store), ("main", libc[0], "compare", "burn"))

    def test_signal(self):
        store, _ = self.unwind("signal")
        found = self.paths(store)
        libc = [os.path.basename(module["path"]) for module in store.modules if "libc" in module["path"]]
        # What handlers return to is the C library's, or the kernel's own.
        restorer = "[vdso]" if platform.machine() == "aarch64" else libc[0]
        self.assert_paths(found, ("main", "spin", restorer, "handler", "burn"))

    def test_thread(self):
        store, said = self.unwind("thread")
        self.assert_paths(self.paths(store), ("in_thread", "inner", "burn"))
        self.assertNotIn("[truncated]", said)

    def test_the_kernels_page_of_code(self):
        store, _ = self.unwind("clock")
        self.assert_paths(self.paths(store, ("ask",)), ("main", "ask"))
        inside = sum(sample["samples"] for sample in store.samples if sample["kind"] == "vdso" or "[vdso]" in
                     [path for path, _ in store.path_of(sample["context"])])
        self.assertGreater(inside, 20)

    def test_deep(self):
        """All calls within the copy of the stack; else that there are more."""
        store, said = self.unwind("deep", "20")
        self.assert_paths(self.paths(store), ("main", *["down"] * 21, "burn"))
        self.assertNotIn("[truncated]", said)
        depths = []
        for graph in ("dwarf,4096", "dwarf,32768"):
            store, said = self.unwind("deep", "2000", graph=graph)
            found = {path: n for path, n in self.paths(store).items() if path[-2:] == ("down", "burn")}
            self.assertEqual({path[0] for path in found}, {"[truncated]"})
            self.assertIn("lack their outermost callers, shown as [truncated]", said)
            self.assertIn(f"larger than {graph[6:]} bytes", said)
            depths.append(max(map(len, found)))
        # Of a frame of 200 bytes and a few more.
        self.assertGreater(depths[0], 4096 // 300)
        self.assertGreater(depths[1], 6 * depths[0])
        tree = subprocess.run([os.path.join(os.environ["PAPI_TOOLS"], "papi_profile"), "tree", self.path()],
                              capture_output=True, text=True, check=True).stdout
        self.assertRegex(tree, r"(?m)%  \[truncated\]$")

    def test_code_without_tables(self):
        """What a compiler at run time made has none: by the frame pointer, and then by tables again."""
        store, _ = self.profile(*CLOCK, "-g", "dwarf", BURNER, "anonymous")
        callers = [store.path_of(sample["context"]) for sample in store.samples if sample["kind"] == "anonymous"]
        self.assertGreater(len(callers), 0)
        low, high = symbols(BURNER)["main"]
        inside = [path for path in callers if any(low <= offset < high for _, offset in path)]
        self.assertGreater(len(inside), 0.8 * len(callers))

    def test_a_program_of_others(self):
        """Debian's python3 is stripped and has no frame pointers."""
        python = shutil.which("python3", path="/usr/bin")
        if not python:
            self.skipTest("there is no /usr/bin/python3")
        store, _ = self.profile(*CLOCK, "-g", "dwarf", python, "-c", "print(sum(i * i for i in range(3000000)))")
        whole = sum(sample["samples"] for sample in store.samples if len(store.path_of(sample["context"])) >= 5)
        self.assertGreater(whole, 0.8 * store.sum())

    def test_a_process_that_runs(self):
        target = self.start_target("forever")
        store, _ = self.profile(*CLOCK, "-g", "dwarf", "-t", "0.5", "-p", str(target.pid))
        low, high = symbols(BURNER)["main"]
        inside = sum(sample["samples"] for sample in store.samples if
                     any(low <= offset < high for _, offset in store.path_of(sample["context"])))
        self.assertGreater(store.sum(), 20)
        self.assertGreater(inside, 0.8 * store.sum())


class Refused(CaptureTest):
    NEEDS_PERMISSION = False

    def test_command_lines(self):
        for way, words in (("dwarf,0", "512"), ("dwarf,511", "512"), ("dwarf,1001", "multiple of 8"),
                           ("dwarf,65536", "65528"), ("dwarf,", "dwarf,"), ("dwarf,8k", "dwarf,"),
                           ("dwarfs", "fp, dwarf"), ("lbr", "fp, dwarf")):
            result = self.run_it("-g", way, "true")
            self.assertEqual(result.returncode, 2, way)
            self.assertIn(words, result.stderr)
            self.assertFalse(os.path.exists(self.path()))


if __name__ == "__main__":
    main()
