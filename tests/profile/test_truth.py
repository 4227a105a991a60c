# SPDX-License-Identifier: BSD-3-Clause
"""What an exact profile says of programs in several languages, beside callgrind: of each instruction, of each call, and
of what happened in calls.

test_truth.py [NAME...]: these programs only. A function may differ if it does between our own profiles, too, some with
other variables and another library, all with other addresses; if KNOWN has it; or if all such differences together are
next to nothing.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import main, TOOLS
import truth

PAPI_PROFILE = os.path.join(TOOLS, "papi_profile")
HERE = os.path.dirname(os.path.abspath(__file__))
# The functions that libc and others choose by what the processor has: valgrind's has less, and other sizes of caches.
TUNABLES = ":".join([
    # With transactions, which Valgrind has none of, there are functions of AVX2 for these.
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-RTM,-Prefer_No_VZEROUPPER",
    "glibc.cpu.x86_rep_movsb_threshold=0x40000000", "glibc.cpu.x86_rep_stosb_threshold=0x40000000",
    "glibc.cpu.x86_non_temporal_threshold=0x4000000"])
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "LD_BIND_NOW": "1", "GLIBC_TUNABLES": TUNABLES,
               "PYTHONHASHSEED": "0", "PYTHONMALLOC": "malloc", "PERL_HASH_SEED": "0"}
# Functions that do something else under callgrind, and why.
KNOWN = (
    ("ld-linux*", "*"),    # the agent begins in the middle of it, and it ends with as many files as are loaded
    ("vgpreload*", "*"),   # valgrind's own library, which is loaded then
    ("libZydis*", "*"),    # the library's, likewise
    ("?vdso?", "*"),       # valgrind hides it: then libc makes system calls to know the time
    ("*", "_start"),       # callgrind begins behind it
    ("libc.so*", "_exit"),    # it does not count the instructions behind which the process is gone
    ("libpcre2*", "*"),    # asks the processor what it has, in the middle of making code
    ("libsigsegv*", "*"),  # reads the list of what is mapped
    ("?anonymous?", "*"),  # made by libpcre2, in fewer instructions where addresses are small
)
KNOWN_OF = {
    "gcc": (("libc.so*", "0x*"),),  # malloc's: the heap is larger than valgrind lets it grow in one piece
}
LEFT = 1e-4      # all other differences, of all instructions
HASHING = ("python", "perl", "lua", "bash", "awk", "gcc")  # they look for things by addresses, each time at others
LEFT_THEN = 1e-3  # of all calls, and of what happened in them, too
COPIED = 1e-6     # of what happened in calls of all others: copies of what is on the stack, which begins elsewhere
EQUAL = 0.95     # of all instructions, in functions that differ by
TOLERANCE = 0.01  # no more than this
MADE = 0.98      # of code that is made at run time, instructions that ran as often there

COMPILED = {"c": (["cc", "gcc"], "truth_c.c"), "cxx": (["c++", "g++"], "truth_cxx.cc"),
            "fortran": (["gfortran"], "truth_fortran.f90")}
SCRIPTS = {
    "script.py": """
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
class Odd:
    def check(self, n):
        if n % 3: raise ValueError(n)
        return n
found, odd, refused = {}, Odd(), 0
for i in range(2000):
    found['k%d' % (i % 300)] = found.get('k%d' % (i % 300), 0) + i
for i in range(500):
    try: odd.check(i)
    except ValueError: refused += 1
print(fib(11), sum(found.values()), refused, sorted(map(str, range(500)))[5])
""",
    "script.pl": """
my (%h, $n);
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
for (1 .. 2000) { $h{"k" . $_ % 97} .= chr(65 + $_ % 26); $n++ if "line $_" =~ /^l\\w+ \\d*[37](\\d)?$/ }
my @s = sort { length $h{$a} <=> length $h{$b} or $a cmp $b } keys %h;
printf "%d %d %s %s\\n", fib(11), $n, $s[3], join ",", map { sprintf "%05.2f", $_ / 7 } 1 .. 50;
""",
    "script.sql": """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into t select i, 'x' || (i * 7919 % 1000), i * 1.5 from n;
create index tb on t(b);
select count(*), sum(c), max(b) from t where b like 'x1%';
select b, count(*) from t group by b order by 2 desc, 1 limit 5;
""",
    "script.lua": """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t, s, format, find = {}, 0, string.format, string.find
collectgarbage("stop")
for i = 1, 3000 do t[i] = (i * 7919) % 3001 end
table.sort(t)
for i, v in ipairs(t) do s = s + v * find(format("%60d ", i), " ", 50) end
print(fib(17), s, pcall(error, "x"), #("a b c"):rep(200):gsub("%w+ ?", ("x"):rep(50)))
""",
    "script.sh": """
fib() { if [ $1 -lt 2 ]; then r=$1; else fib $(($1 - 1)); local a=$r; fib $(($1 - 2)); r=$((a + r)); fi; }
fib 9; declare -A h; for i in {1..300}; do h[$((i % 17))]+=${i//3/x}; done
echo $r ${#h[3]}
""",
    "script.awk": """{ for (i = 1; i <= NF; i++) n[length($i)] += substr($i, 1, 1) ~ /[a-m]/ }
END { for (i = 1; i < 20; i++) s = s " " n[i]; print s, sprintf("%.3f", NR / 7) }""",
    "script.c": "#include <stddef.h>\n" + "".join(
        f"int f{i}(int a, int b) {{ int s = 0; for (int i = a; i < b; i++) s += i * {i} ^ s >> 3; return s; }}\n"
        for i in range(2)),
}
PROGRAMS = {
    "jit": ["grep", "-acP", r"(\d)\d*[^\d]+\1", "more"],
    "python": ["python3", "-S", "script.py"],
    "perl": ["perl", "script.pl"],
    "sqlite": ["sqlite3", ":memory:", ".read script.sql"],
    "lua": ["lua", "script.lua"],
    "bash": ["bash", "--norc", "script.sh"],
    "awk": ["awk", "-f", "script.awk", "words"],
    "gcc": ["cc1", "-quiet", "-O2", "script.c", "-o", "out.s"],
    "xz": ["xz", "-1kc", "words"],
    "bzip2": ["bzip2", "-kc", "words"],
    "gzip": ["gzip", "-9nkc", "words"],
    "sort": ["sort", "-k2", "words"],
    "sed": ["sed", "-E", r"s/(\w+) (\w+)/\2 \1/g; /x/d", "words"],
}


def words(wanted):
    """Lines of text, the same each time."""
    number, lines = 1, []
    for _ in range(wanted):
        line = []
        for _ in range(6):
            number = (number * 1103515245 + 12345) % 2**31
            line.append("".join(chr(97 + (number >> i) % 26) for i in range(3, 3 + number // 2**20 % 9)) +
                        str(number >> 16))
        lines.append(" ".join(line))
    return "\n".join(lines) + "\n"


class Truth(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not shutil.which("valgrind"):
            raise unittest.SkipTest("valgrind is not installed")
        cls.directory = tempfile.mkdtemp(prefix="papi-truth-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        for name, text in {**SCRIPTS, "words": words(500), "more": words(2000)}.items():
            with open(cls.path(name), "w", encoding="ascii") as file:
                file.write(text)
        result = cls.run_it([PAPI_PROFILE, "-x", "-o", "x.db", "true"])
        if result.returncode:
            raise unittest.SkipTest("nothing is counted virtually here: " + " ".join(result.stderr.decode().split()))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory, name)

    @classmethod
    def run_it(cls, command, **more):
        own = {"HOME": cls.directory, "PWD": cls.directory, "PAPI_VPMU": "always"}
        return subprocess.run(command, cwd=cls.directory, env={**ENVIRONMENT, **own, **more}, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=300)

    def profile(self, command, **more):
        result = self.run_it([PAPI_PROFILE, "-x", "-e", "PAPI_TOT_INS", "-o", "x.db", *command], **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return truth.read_store(self.path("x.db")), result.stdout

    def callgrind(self, command):
        result = self.run_it(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no",
                              "--compress-strings=no", "--zero-before=__libc_start_main*",
                              "--callgrind-out-file=callgrind.out", *command])
        self.assertEqual(result.returncode, 0, result.stderr)
        return truth.read_callgrind(self.path("callgrind.out")), result.stdout

    def compile(self, name):
        compilers, source = COMPILED[name]
        compiler = next(filter(None, map(shutil.which, compilers)), None)
        if not compiler:
            self.skipTest(f"there is no {compilers[-1]} here")
        result = self.run_it([compiler, "-O2", "-fno-inline", os.path.join(HERE, source), "-o", name])
        self.assertEqual(result.returncode, 0, result.stderr)
        return [self.path(name)]

    def command(self, name):
        if name in COMPILED:
            return self.compile(name)
        command = list(PROGRAMS[name])
        if command[0] == "cc1":
            result = self.run_it(["gcc", "-print-prog-name=cc1"]) if shutil.which("gcc") else None
            command[0] = result.stdout.decode().strip() if result else "cc1"
        command[0] = shutil.which(command[0], path=ENVIRONMENT["PATH"])
        if not command[0]:
            self.skipTest(f"there is no {PROGRAMS[name][0]} here")
        return command

    def look(self, name):
        command = self.command(name)
        ours, output = self.profile(command)
        more = {"LD_PRELOAD": "libm.so.6", **{f"OTHER_{i}": i * "x" for i in range(30)}}
        others = [self.profile(command, **variables)[0] for variables in ({}, more, more)]
        theirs, expected = self.callgrind(command)
        self.assertEqual(output, expected)
        comparison = truth.Comparison(ours, others, theirs)
        print(f"{name}: {comparison.total} instructions; in functions that are equal {comparison.share(0):.3%}, "
              f"within {TOLERANCE:.0%} {comparison.share(TOLERANCE):.3%}; "
              f"{sum(ours.calls[key] for key in comparison.checked)} of {sum(ours.calls.values())} calls compared")
        made = comparison.functions[truth.MADE, ""]
        self.assertGreaterEqual(comparison.expected[truth.MADE, ""], MADE * made)
        self.assertEqual(made > comparison.total / 2, name == "jit")
        self.check(comparison, KNOWN + KNOWN_OF.get(name, ()), LEFT_THEN if name in HASHING else LEFT)

    def check(self, comparison, known, left):
        self.assertGreaterEqual(comparison.share(TOLERANCE), EQUAL, comparison.varying)
        # What is compared is most of what there is.
        self.assertGreater(len(comparison.checked), 50)
        self.assertGreater(len(list(comparison.checked_inclusive())), 20)
        unexplained = comparison.unexplained(known)
        # A library more or less in the process, as one of the agent's, is a few instructions at its end.
        self.assertLessEqual(sum_of(unexplained), max(left * comparison.total, 300), unexplained)
        calls, inclusive = ({truth.describe(key): pair for key, pair in wrong.items()}
                            for wrong in (comparison.wrong_calls(), comparison.wrong_inclusive()))
        number = sum(comparison.theirs.calls[key] for key in comparison.checked)
        self.assertLessEqual(sum_of(calls), left * number if left > LEFT else 0, calls)
        self.assertLessEqual(sum_of(inclusive), (left if left > LEFT else COPIED) * comparison.total, inclusive)


def sum_of(differences):
    return sum(abs(a - b) for a, b in differences.values())


def add(name):
    setattr(Truth, f"test_{name}", lambda self: self.look(name))


if __name__ == "__main__":
    for program in sys.argv[1:] or [*COMPILED, *PROGRAMS]:
        add(program)
    del sys.argv[1:]
    main()
