# SPDX-License-Identifier: BSD-3-Clause
"""The hand-counted loops, where containers and careful administrators leave little: the same numbers, or a reason.

PAPI_VPMU_ASSEMBLY is that test, PAPI_LIBRARY the directory of libpapi.so, PAPI_REFUSE a program that runs another
without perf_event_open(2).
"""
import os
import shutil
import stat
import subprocess
import sys
import unittest

ASSEMBLY = os.environ["PAPI_VPMU_ASSEMBLY"]
REFUSE = os.environ["PAPI_REFUSE"]
# A program does not find a library beside it where there is no /proc.
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=os.environ["PAPI_LIBRARY"])
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]


def run(*command):
    return subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=100)


def readable_by_all(path):
    """Whether another user may run it there."""
    while path != "/":
        if not os.stat(path).st_mode & stat.S_IXOTH:
            return False
        path = os.path.dirname(path)
    return True


class Conditions(unittest.TestCase):
    def counts(self, *prefix):
        result = run(*prefix, ASSEMBLY, "3")
        self.assertEqual(result.returncode, 0, result.stdout[-2000:])
        self.assertNotIn("FAILED", result.stdout)

    def need(self, *prefix):
        """Skips the test where a program cannot be run like this."""
        if run(*prefix, "true").returncode:
            self.skipTest(f"this cannot be done here: {' '.join(prefix)}")

    def as_nobody(self):
        if os.geteuid() == 0:
            if not shutil.which("setpriv") or not readable_by_all(os.path.abspath(ASSEMBLY)):
                self.skipTest("no other user can run programs of this directory")
            self.need(*NOBODY)
            return NOBODY
        return []

    def test_ordinary_user(self):
        self.counts(*self.as_nobody())

    def test_no_new_privileges(self):
        prefix = [*self.as_nobody(), *([] if os.geteuid() == 0 else ["setpriv"])]
        self.need(*prefix, "--no-new-privs")
        self.counts(*prefix, "--no-new-privs")

    def test_no_perf_events(self):
        self.need(REFUSE, "perf_event_open")
        self.counts(*self.as_nobody(), REFUSE, "perf_event_open")

    def test_little_may_be_locked_or_opened(self):
        self.counts("sh", "-c", 'ulimit -l 0 && ulimit -n 16 && exec "$0" "$1"')

    def test_small_stack(self):
        self.counts("sh", "-c", 'ulimit -s 128 && exec "$0" "$1"')

    def test_other_namespaces(self):
        prefix = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc"]
        self.need(*prefix)
        self.counts(*prefix)

    def test_no_proc(self):
        """What is code stands in /proc/self/maps: without it, wrong counts are the one thing that must not be."""
        prefix = ["unshare", "--mount", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
        self.need(*prefix)
        result = run(*prefix, ASSEMBLY, "3")
        self.assertNotIn("FAILED", result.stdout[-2000:])
        if result.returncode:
            self.assertEqual(result.returncode, 77, result.stdout[-2000:])
            self.assertIn("/proc", result.stdout)


def main():
    result = run(ASSEMBLY, "3")
    if result.returncode == 77:
        print(result.stdout.strip())
        sys.exit(77)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
