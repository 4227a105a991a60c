# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of recording profiles share: running papi_profile, and reading its stores.

PAPI_TOOLS names the directory of the built utilities, PAPI_PROFILE_BURNER a program whose profile is known, and
PAPI_PROFILE_WORKERS two libraries that it can load.
"""
import functools
import math
import os
import shutil
import sqlite3
import subprocess
import tempfile

from harness import main, ProgramTest, TOOLS  # noqa: F401 (main is for the tests)

PAPI_PROFILE = os.path.join(TOOLS, "papi_profile")
BURNER = os.environ["PAPI_PROFILE_BURNER"]
WORKERS = os.environ["PAPI_PROFILE_WORKERS"].split(":")
PAGE_FAULTS = "perf::PAGE-FAULTS"
APPLICATION = 0x50415049
# The program's own threads and libraries: nothing of papi_profile may be among them.
SAMPLES = """SELECT process.pid, thread.tid, thread.name AS thread, event.name AS event, module.path, module.kind,
    module.build_id, address.offset, count.context, count.samples, count.value
    FROM count JOIN thread ON thread.id = count.thread JOIN process ON process.id = thread.process
    JOIN event ON event.id = count.event JOIN address ON address.id = count.address
    JOIN module ON module.id = address.module"""


def prefix_of_nobody():
    """How to run something without privileges; None where that cannot be."""
    if os.geteuid() != 0:
        return []
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if shutil.which("setpriv") and subprocess.run([*prefix, PAPI_PROFILE, "--version"], check=False,
                                                  stdout=subprocess.DEVNULL,
                                                  stderr=subprocess.DEVNULL).returncode == 0:
        return prefix
    return None


@functools.lru_cache(maxsize=None)
def refusal(prefix=()):
    """Why nothing can be sampled here; None: it can."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        result = subprocess.run([*prefix, PAPI_PROFILE, "-e", "perf::TASK-CLOCK", "-o", os.path.join(directory, "x"),
                                 "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return None if result.returncode == 0 else result.stderr.strip()


def symbols(path):
    """The functions of a file by name: first address and the one behind the last, as nm tells."""
    found = {}
    for line in subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            found[words[3]] = (int(words[0], 16), int(words[0], 16) + int(words[1], 16))
    return found


class Store:
    """A store, read."""

    def __init__(self, path):
        connection = sqlite3.connect(path)
        connection.row_factory = sqlite3.Row
        self.run = dict(connection.execute("SELECT * FROM run").fetchone())
        self.events, self.processes, self.threads, self.modules = (
            [dict(row) for row in connection.execute(f"SELECT * FROM {name} ORDER BY id")]
            for name in ("event", "process", "thread", "module"))
        self.samples = [dict(row) for row in connection.execute(SAMPLES)]
        self.contexts = {row["id"]: dict(row) for row in connection.execute(
            """SELECT context.id, context.parent, module.path, address.offset FROM context
               JOIN address ON address.id = context.address JOIN module ON module.id = address.module""")}
        self.pragmas = [connection.execute(f"PRAGMA {name}").fetchone()[0]
                        for name in ("application_id", "user_version", "integrity_check")]
        self.orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        connection.close()

    def sum(self, column="samples", **where):
        """The sum over all samples whose columns have these values."""
        return sum(row[column] for row in self.samples if all(row[name] == value for name, value in where.items()))

    def of_function(self, function, path=BURNER, **where):
        """How many samples are in a function."""
        low, high = symbols(path)[function]
        return sum(row["samples"] for row in self.samples if os.path.basename(row["path"]) == os.path.basename(path)
                   and low <= row["offset"] < high and all(row[name] == value for name, value in where.items()))

    def path_of(self, context):
        """The path of calls as (file, offset), outermost first."""
        path = []
        while context:
            path.insert(0, (self.contexts[context]["path"], self.contexts[context]["offset"]))
            context = self.contexts[context]["parent"]
        return path


class CaptureTest(ProgramTest):
    """Every test has a directory of its own, in which papi_profile runs."""

    NEEDS_PERMISSION = True

    def setUp(self):
        reason = refusal() if self.NEEDS_PERMISSION else None
        if reason:
            self.skipTest(reason)
        self.directory = tempfile.mkdtemp(prefix="papi-profile-test-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        os.chmod(self.directory, 0o777)

    def path(self, name="papi_profile.db"):
        return os.path.join(self.directory, name)

    def run_it(self, *arguments, prefix=(), **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([*prefix, PAPI_PROFILE, *arguments], cwd=self.directory, capture_output=True, text=True,
                              timeout=120, check=False, **how)

    def profile(self, *arguments, status=0, **how):
        """Runs papi_profile to its end, and gives its store and what it and the program have said."""
        result = self.run_it(*arguments, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        store = Store(self.path())
        self.assert_whole(store)
        return store, result

    def assert_whole(self, store):
        self.assertEqual(store.pragmas, [APPLICATION, 5, "ok"])
        self.assertEqual(store.orphans, [])

    def assert_share(self, part, whole, share):
        """By what chance allows, and some."""
        self.assertGreater(whole, 50)
        self.assertAlmostEqual(part / whole, share, delta=3 * math.sqrt(share * (1 - share) / whole) + 0.04)

    def assert_burnt(self, store, **where):
        """Three quarters of the work is in burn_long(), with what is asked for besides; and the work is most of all.

        How much else there is, start-up and what the kernel does, depends on the machine and its load.
        """
        there, work = store.of_function("burn_long", **where), store.of_function("burn_short")
        work += store.of_function("burn_long")
        self.assert_share(there, work, 0.75)
        self.assertGreater(work, store.sum() / 2)

    def start(self, *arguments, **how):
        """Starts papi_profile in a session of its own; it is ended when the test ends."""
        process = subprocess.Popen([PAPI_PROFILE, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   **how)
        self.addCleanup(self.end, process)
        return process

    def start_target(self, mode):
        """A burner that has said "ready"."""
        target = subprocess.Popen([BURNER, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, target)
        self.assertEqual(target.stdout.readline(), "ready\n")
        return target

    def written(self):
        """How many samples are in the store by now, whose writer may be at work."""
        try:
            connection = sqlite3.connect(f"file:{self.path()}?mode=ro", uri=True, timeout=10)
            try:
                return connection.execute("SELECT sum(samples) FROM count").fetchone()[0] or 0
            finally:
                connection.close()
        except sqlite3.Error:
            return 0
