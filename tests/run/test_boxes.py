# SPDX-License-Identifier: BSD-3-Clause
"""Processes in containers, that is with name spaces and a root directory of their own, where the agent's file is not:
papi_run -p counts them, and papi_probe -p probes them, all the same."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

from run_harness import main, TOOLS
from test_attach import AttachTest, BUSY, EXACT, setUpModule as look, WORKER

THREADS = 4  # of busy, beside its first
PAPI_PROBE = os.path.join(TOOLS, "papi_probe")
PAPI_PROFILE = os.path.join(TOOLS, "papi_profile")
OWN = ["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "-p", "-f"]
# As containers have it, and as chroot() makes it.
PIVOT = """set -e; cd "$1"; shift; mount --bind . .; cd "$PWD"; mount -t proc proc proc; pivot_root . old; exec "$@" """
CHROOT = """set -e; cd "$1"; shift; mount -t proc proc proc; exec chroot . "$@" """
NO_PROC = """set -e; cd "$1"; shift; mount --bind . .; cd "$PWD"; pivot_root . old; exec "$@" """


def setUpModule():
    look()
    if not shutil.which("unshare") or subprocess.run([*OWN, "--mount-proc", "true"], stderr=subprocess.DEVNULL,
                                                     check=False).returncode:
        raise unittest.SkipTest("this user may have no name spaces of its own (unshare)")


def root_can_be_moved():
    """Not the first file system, which the kernel unpacks at boot, where no other is mounted over it."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        roots = [words[2] for words in map(str.split, file) if words[1] == "/"]
    return roots[-1:] != ["rootfs"]


class Boxes(AttachTest):
    def copy(self, root, path):
        """A file at the place that it has here, too."""
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)

    def make_root(self, program):
        """A directory with the program, and what it is linked to, and all of libc, which is in these directories."""
        root = self.path("root")
        for name in ("proc", "old", "bin", "tmp"):
            os.makedirs(os.path.join(root, name), exist_ok=True)
        shutil.copy(program, os.path.join(root, "bin"))
        linked = subprocess.run(["ldd", program], stdout=subprocess.PIPE, check=True).stdout.decode()
        paths = re.findall(r"(/\S+) \(", linked)
        # It is a package: what the agent needs of it is there, whatever the program does.
        for libc in [path for path in paths if os.path.basename(path).startswith("libc.so")]:
            mathematics = os.path.join(os.path.dirname(libc), "libm.so.6")
            paths += [mathematics] if os.path.exists(mathematics) and mathematics not in paths else []
        for path in paths:
            self.copy(root, path)
        return root, ":".join({os.path.dirname(path) for path in paths})

    def start_in_box(self, program, *words, script=PIVOT):
        """The process that has begun it, and the number of the program here."""
        if "pivot_root" in script and not root_can_be_moved():
            self.skipTest("the root of this machine is the kernel's first file system, which cannot be moved away")
        root, libraries = self.make_root(program)
        base = os.path.basename(program)
        begun = subprocess.Popen([*OWN, "sh", "-c", script, "sh", root, "/bin/" + base, *words], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, env={**os.environ, "LD_LIBRARY_PATH": libraries})
        self.addCleanup(self.end, begun)
        self.wait_until(lambda: begun.poll() is not None or self.child(begun.pid, base), "the program in its box")
        pid = self.child(begun.pid, base)
        self.addCleanup(lambda: begun.poll() is None and os.kill(pid, signal.SIGKILL))
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            self.assertRegex(file.read(), r"\nNSpid:\t\d+\t(\d+\t)*1\n")
        return begun, pid

    def start_busy(self, script=PIVOT):
        """A program that allocates, with all its threads: nothing of it is yet to be loaded."""
        begun, pid = self.start_in_box(BUSY, "malloc", "2000000000", script=script)
        self.wait_until(lambda: begun.poll() is not None or len(os.listdir(f"/proc/{pid}/task")) == 1 + THREADS,
                        "the program's threads")
        return begun, pid

    @staticmethod
    def child(pid, base):
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                child = int(file.read().split()[0])
            return child if os.readlink(f"/proc/{child}/exe").endswith("/" + base) else None
        except (OSError, IndexError):
            return None

    @staticmethod
    def descriptors(pid):
        return sorted(os.listdir(f"/proc/{pid}/fd"))

    @staticmethod
    def brought(pid):
        """How many files each library that was brought there has been mapped from."""
        files = set()
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                found = re.search(r" (\d+) +/memfd:papi:(\S+)", line)
                if found:
                    files.add(found.groups())
        return sorted(name for _, name in files)

    def go_on(self, pid):
        """Waits until the program has run, however busy the machine is."""
        def ticks():
            return sum(int(word) for word in self.words_of(pid)[11:13])
        used = ticks()
        self.wait_until(lambda: ticks() > used + 10, "the program to run")

    def visit(self, pid):
        watcher = self.attach(pid, events=("PAPI_TOT_INS",))
        self.go_on(pid)
        counts = self.counts(self.finish(watcher))
        self.wait_for_threads(pid, 1 + THREADS)
        return counts[0]

    def probe(self, pid, way):
        output = self.path("probes")
        result = subprocess.run([PAPI_PROBE, "--way", way, "--json", "-o", output, "-t", "0.5", "-f", "libc!free", "-f",
                                 "busy!*", "-p", str(pid)], stderr=subprocess.PIPE, timeout=120, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(output, encoding="utf-8") as file:
            report = json.loads(file.read())
        self.assertEqual(report["pid"], pid)
        return {function["name"]: function for function in report["functions"]}

    def differences(self, target, pid):
        """What more work costs more, to the unit (see test_attach.py)."""
        counts = []
        for number in (1, 1001, 2000, 5000):
            watcher = self.attach(pid)
            self.assertEqual(self.ask(target, number), ["done"])
            self.wait_until(lambda: self.sleeps(pid), "the program to wait again")
            counts.append(self.counts(self.finish(watcher)))
        return [[b - a for a, b in zip(few, many)] for few, many in zip(counts[1:], counts[2:])]

    def test_exact(self):
        outside = self.start_target(WORKER)
        target, pid = self.start_in_box(WORKER)
        self.assertEqual(target.stdout.readline(), b"ready\n")
        self.assertEqual(self.differences(target, pid), self.differences(outside, outside.pid))
        self.assertEqual(len(EXACT), 4)

    def coming_and_going(self, script):
        begun, pid = self.start_busy(script)
        before = self.descriptors(pid)
        self.assertGreater(self.visit(pid), 100000)
        once = self.brought(pid)
        self.assertIn("libpapi_agent.so", once)
        if os.path.exists(PAPI_PROBE):
            for way in ("patch", "translate") if os.path.exists(PAPI_PROFILE) else ("patch",):
                free = self.probe(pid, way)["free"]
                self.assertGreater(free["calls"], 0)
                self.assertEqual(free["way"], way)
                self.assertEqual({thread["pid"] for thread in free["threads"]}, {pid})
                self.wait_for_threads(pid, 1 + THREADS)
            once = sorted([*once, "libpapi_probes.so"])
        self.assertGreater(self.visit(pid), 100000)
        self.assertEqual(self.brought(pid), once)
        self.assertEqual(self.descriptors(pid), before)
        self.assertIsNone(begun.poll())

    def test_without_the_library(self):
        self.coming_and_going(PIVOT)

    def test_chroot(self):
        if os.geteuid():
            self.skipTest("chroot needs root")
        self.coming_and_going(CHROOT)

    def test_names_of_threads(self):
        """They are looked up by the numbers that threads have here."""
        _, pid = self.start_busy()
        watcher = self.attach(pid, "--per-thread", events=("PAPI_TOT_INS",))
        self.go_on(pid)
        report = self.finish(watcher)
        tasks = [task for task in report["tasks"] if task["tid"]]
        self.assertEqual({task["pid"] for task in tasks}, {pid})
        self.assertEqual({task["name"] for task in tasks}, {"busy"})

    @unittest.skipUnless(os.path.exists(PAPI_PROFILE), "there is no papi_profile")
    def test_profile(self):
        """What the process writes is fetched, and nothing is left in its /tmp."""
        _, pid = self.start_busy()
        profile = self.path("profile.db")
        for _ in range(2):
            result = subprocess.run([PAPI_PROFILE, "-x", "-e", "PAPI_TOT_INS", "-t", "1", "-o", profile, "-p",
                                     str(pid)], stderr=subprocess.PIPE, timeout=120, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stderr, rb"\d PAPI_TOT_INS, exact")
            self.assertEqual(os.listdir(self.path("root/tmp")), [])
            report = subprocess.run([PAPI_PROFILE, "report", "--by", "process", profile], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, check=True).stdout
            self.assertIn(b"100.00%%  busy, process %d\n" % pid, report)
            modules = subprocess.run([PAPI_PROFILE, "report", "--by", "module", profile], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, check=True).stdout
            self.assertRegex(modules, rb"\d% +/bin/busy\n")
            os.unlink(profile)
        self.assertEqual([name for name in os.listdir(self.directory) if "raw" in name], [])

    def test_too_few_descriptors(self):
        """Wherever bringing the agent fails, that is told, and nothing stays behind."""
        _, pid = self.start_busy()
        before = self.descriptors(pid)
        limit = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        refused = []
        for number in range(3, 10):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (number, limit[1]))
            watcher = self.attach(pid, events=("PAPI_TOT_INS",))
            if watcher.poll() is None:
                watcher.send_signal(signal.SIGINT)
            refused.append(watcher.communicate(timeout=60)[1].decode())
            self.wait_until(lambda: self.descriptors(pid) == before, "descriptors to be given back")
        self.assertIn("it may have no files in memory (memfd_create): Too many open files", refused[0])
        self.assertIn("did not load the agent: /proc/self/fd/", "".join(refused))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)
        self.assertGreater(self.visit(pid), 100000)

    def test_no_proc(self):
        """The agent's file could not be named: refused, and nothing has happened."""
        _, pid = self.start_busy(NO_PROC)
        before = self.descriptors(pid)
        result = self.run_it("-e", "PAPI_TOT_INS", "-p", str(pid))
        self.assertIn(b"has no /proc", result.stderr)
        self.assertEqual(self.descriptors(pid), before)
        self.assertEqual(self.brought(pid), [])


if __name__ == "__main__":
    main()
