# SPDX-License-Identifier: BSD-3-Clause
"""Programs of other people in which the simulators and the plain model count the same, to the unit (checked.c).

Of records: where code looks by itself, parts.py compares it with these."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PAPI_RUN = os.path.join(os.environ["PAPI_TOOLS"], "papi_run")
EVENTS = "PAPI_TOT_CYC,PAPI_L1_DCM,PAPI_L2_TCM,PAPI_TLB_DM,PAPI_BR_MSP"
# With sets that are no power of two and ways that are many; and one of which most misses.
CACHES = ["", "L1I=12K/3/64,L1D=20K/5/64,L2=192K/12/64,L3=5M/20/64,ITLB=12/4,DTLB=20/4,ITLB2=60/6,DTLB2=96/full",
          "L1I=1K/1/64,L1D=1K/2/64,L2=16K/4/64,L3=none,ITLB=4/4,DTLB=4/2,ITLB2=none,DTLB2=none"]
PROGRAMS = {
    "gawk": ["gawk", "BEGIN { for (i = 0; i < 4000; i++) a[i % 97] = a[i % 89] i % 7; print length(a) }"],
    "bash": ["bash", "-c", "for ((i = 0; i < 1500; i++)); do a[i]=$((i * i)); done; echo ${#a[@]}"],
    "sqlite": ["sqlite3", ":memory:", "create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 "
               "from c where x < 800) insert into t select x, x * 7 % 31 from c; select b from t group by b;"],
    "perl": ["perl", "-e", "for (1..4000) { $h{$_ % 61} .= $_; } print map { length } sort values %h"],
    "python": ["python3", "-S", "-c", "print(sum(len(str(i)) for i in range(3000)))"],
    "xz": ["xz", "-0", "-T1", "-c", "TEXT"],
    "gzip": ["gzip", "-c", "TEXT"],
    "sort": ["sort", "-k2,2r", "TEXT"],
    "sed": ["sed", "-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g", "TEXT"],
    "grep": ["grep", "-cE", "(ea|oo)[a-z]*(is|h)", "TEXT"],
    "threads": ["xz", "-0", "-T2", "--block-size=20KiB", "-c", "TEXT"],
}


class CheckedTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="papi-checked-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "libpapi.so.7.0").symlink_to(os.environ["PAPI_CHECKED"])
        words = ["".join("etaoinsh"[n >> 3 * i & 7] for i in range(2 + n % 7)) for n in range(500)]
        (self.folder / "TEXT").write_text("\n".join(" ".join(words[i * k % 500] for k in range(1, 9))
                                                    for i in range(700)))

    def run_checked(self, command, caches):
        """How many records have been compared."""
        number = self.folder / "records"
        number.write_bytes(bytes(8))
        environment = {**os.environ, "PAPI_VPMU": "always", "LC_ALL": "C", "LD_LIBRARY_PATH": str(self.folder),
                       "CHECKED_RECORDS": str(number), "PAPI_VPMU_CACHE": caches, "PAPI_VPMU_MODEL": "recorded"}
        result = subprocess.run([PAPI_RUN, "-e", EVENTS, *command], cwd=self.folder, env=environment, check=False,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                timeout=300)
        if "component vpmu is disabled" in result.stderr:
            print("the virtual PMU cannot count here")
            sys.exit(77)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("checked:", result.stderr)
        return struct.unpack("=Q", number.read_bytes())[0]

    def test_programs(self):
        ran = 0
        for name, command in PROGRAMS.items():
            if not shutil.which(command[0]):
                continue
            for caches in CACHES:
                with self.subTest(name, caches=caches):
                    self.assertGreater(self.run_checked(command, caches), 10000)
                    ran += 1
        self.assertGreater(ran, 0)


if __name__ == "__main__":
    unittest.main()
