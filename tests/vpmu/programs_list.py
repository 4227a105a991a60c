# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of other people's programs, and the files that they work on."""
import os

C_SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include <math.h>
struct node { struct node *left, *right; int key; };
static struct node *add(struct node *at, int key)
{
    if (!at) { at = calloc(1, sizeof(*at)); at->key = key; }
    else if (key < at->key) at->left = add(at->left, key);
    else if (key > at->key) at->right = add(at->right, key);
    return at;
}
static double sum(const struct node *at) { return at ? sum(at->left) + sqrt(at->key) + sum(at->right) : 0; }
int main(void)
{
    struct node *root = 0;
    for (int i = 0; i < 1000; i++) root = add(root, i * 7919 % 1009);
    printf("%.6f\\n", sum(root));
    return 3;
}
"""

CXX_SOURCE = """#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { int &n; ~Guard() { n++; } };
static int depth(int n, int &unwound)
{
    Guard guard{unwound};
    if (n == 0) throw std::runtime_error("the bottom");
    return depth(n - 1, unwound) + 1;
}
int main()
{
    std::map<std::string, std::vector<int>> all;
    int unwound = 0;
    for (int i = 0; i < 200; i++) {
        try { depth(i % 20, unwound); }
        catch (const std::exception &e) { all[e.what()].push_back(i); }
        try { all.at("missing"); } catch (const std::out_of_range &) { unwound += 1000; }
    }
    std::cout << all.size() << ' ' << all.begin()->second.size() << ' ' << unwound << std::endl;
    throw 42;
}
"""

PYTHON_THREADS = """import queue, threading
work, done = queue.Queue(), []
def run():
    while (item := work.get()) is not None:
        done.append(item * item)
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads: thread.start()
for i in range(500): work.put(i)
for _ in threads: work.put(None)
for thread in threads: thread.join()
print(sum(done), len(done))
"""

PYTHON_PROCESSES = """import subprocess, sys
for i in range(3):
    result = subprocess.run(['sh', '-c', f'cat; echo {i} >&2; exit {i}'], input=b'text', capture_output=True)
    print(result.returncode, result.stdout, result.stderr)
print(subprocess.run([sys.executable, '-c', 'raise SystemExit(9)']).returncode)
"""

PYTHON_FORKS = """import os, threading, time, multiprocessing
def loops():
    while True: sum(range(100))
def child(n):
    pid = os.fork()
    if pid == 0: os._exit(sum(range(n)) % 50)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
codes = []
threading.Thread(target=loops, daemon=True).start()
threads = [threading.Thread(target=child, args=(n * 1000,)) for n in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with multiprocessing.get_context('fork').Pool(2) as pool: squares = pool.map(pow, range(10), [2] * 10) \
    if False else pool.starmap(pow, [(n, 2) for n in range(10)])
print(sorted(codes), squares, flush=True)
threading.Thread(target=lambda: os._exit(5)).start()
time.sleep(100)
"""

PYTHON_TESTS = """import collections, decimal, fractions, itertools, json, re, unittest, zlib
import hashlib, datetime, heapq, random
class Small(unittest.TestCase):
    def test_json(self): self.assertEqual(json.loads(json.dumps({'a': [1, 2.5, None]})), {'a': [1, 2.5, None]})
    def test_re(self): self.assertEqual(re.sub(r'(\\w+) (\\w+)', r'\\2 \\1', 'one two'), 'two one')
    def test_zlib(self): self.assertEqual(zlib.decompress(zlib.compress(b'x' * 10000)), b'x' * 10000)
    def test_hash(self): self.assertEqual(hashlib.sha256(b'').hexdigest()[:8], 'e3b0c442')
    def test_decimal(self): self.assertEqual(str(decimal.Decimal(1) / 7)[:10], '0.14285714')
    def test_fraction(self):
        self.assertEqual(sum(fractions.Fraction(1, n) for n in range(1, 9)), fractions.Fraction(761, 280))
    def test_date(self): self.assertEqual((datetime.date(2024, 3, 1) - datetime.date(2024, 2, 1)).days, 29)
    def test_random(self): self.assertEqual(random.Random(1).randrange(1000), random.Random(1).randrange(1000))
    def test_heap(self): self.assertEqual(heapq.nsmallest(3, range(100, 0, -1)), [1, 2, 3])
    def test_raise(self):
        with self.assertRaises(RecursionError): (lambda f: f(f))(lambda f: f(f))
    def test_generators(self): self.assertEqual(len(list(itertools.permutations(range(5)))), 120)
    def test_counter(self): self.assertEqual(collections.Counter('abracadabra')['a'], 5)
suite = unittest.defaultTestLoader.loadTestsFromTestCase(Small)
outcome = unittest.TestResult()
suite.run(outcome)
print(outcome.testsRun, len(outcome.failures), len(outcome.errors))
"""

NODE = """const { execSync } = require('child_process');
let text = JSON.stringify([...Array(2000).keys()].map(i => ({ i, s: 'x'.repeat(i % 7) })));
let sum = 0;
for (let i = 0; i < 300000; i++) sum = (sum + i * i) % 1000003;
try { null.x } catch (e) { console.log(e.constructor.name); }
console.log(text.length, sum, /(\\d+)x/.exec('12x')[1], [3, 1, 2].sort().join());
setTimeout(() => { console.log('later'); process.exit(4); }, 5);
"""

JAVA = """import java.util.*;
public class Work {
    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
    public static void main(String[] words) throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < 20000; i++) counts.merge("k" + i * 31 % 97, 1, Integer::sum);
        Thread[] threads = new Thread[3];
        long[] sums = new long[threads.length];
        for (int t = 0; t < threads.length; t++) {
            final int mine = t;
            threads[t] = new Thread(() -> { for (int i = 0; i < 100000; i++) sums[mine] += i % (mine + 2); });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        try { Object o = words[5]; } catch (ArrayIndexOutOfBoundsException e) { System.out.println("caught"); }
        System.out.println(counts.size() + " " + Arrays.toString(sums) + " " + depth(1000));
        System.exit(6);
    }
}
"""

MAKEFILE = """all: one two
\t@cat one two
one:
\t@echo first > one
two: one
\t@sort words > two
fail:
\t@exit 5
"""

CMAKE = """cmake_minimum_required(VERSION 3.0)
set(list 3 1 2)
list(SORT list)
string(REGEX REPLACE "([0-9])" "<\\\\1>" text "${list}")
message(STATUS "${text}")
math(EXPR n "6 * 7")
message(STATUS "${n}")
"""


OLD = 1000000000  # seconds since 1970


def write_files(directory):
    """Everything the commands read; the same each time."""
    words, random = [], 1
    for _ in range(4000):
        random = (random * 1103515245 + 12345) % (1 << 31)
        words.append(f"{random % 5003:05}{chr(97 + random // 65536 % 26)}")
    files = {
        "hello.c": C_SOURCE, "throw.cc": CXX_SOURCE, "threads.py": PYTHON_THREADS, "processes.py": PYTHON_PROCESSES,
        "tests.py": PYTHON_TESTS, "forks.py": PYTHON_FORKS, "work.js": NODE, "Work.java": JAVA, "Makefile": MAKEFILE,
        "script.cmake": CMAKE, "words": "\n".join(words) + "\n", "other": "\n".join(words[:2000] + words[2100:]) + "\n",
        "data.json": "[" + ",".join(f'{{"n":{i},"w":"{word}"}}' for i, word in enumerate(words[:500])) + "]",
    }
    write_old(directory, files)


def write_old(directory, files):
    """Older than all that a command makes of them, however coarse the clock of the file system is."""
    for name, text in files.items():
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, (OLD, OLD))


SORT_SQL = ("create table t(a integer primary key, b text); "
            "with recursive n(i) as (select 1 union all select i+1 from n where i<3000) "
            "insert into t select i, i*7919%10007 from n; "
            "create index x on t(b); select count(*), sum(b), max(b) from t where b like '1%'; "
            "select b from t order by b desc limit 3; "
            "select a.b from t a join t b on a.a = b.b limit 2; select * from missing;")

GIT = ("git init -q . && git config user.email a@b && git config user.name c && git add words hello.c && "
       "GIT_AUTHOR_DATE='2000-01-01 00:00 +0000' GIT_COMMITTER_DATE='2000-01-01 00:00 +0000' git commit -q -m one && "
       "cp other words && git diff --stat && git log --format=%H && "
       "git gc -q && git fsck && git show HEAD:words | md5sum")

POSTGRES = ("umask 077; chown nobody . && setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c '"
            "initdb -D data -A trust --no-sync >/dev/null 2>&1; "
            "echo \"select sum(a * a), count(*) from generate_series(1, 2000) a;\" | "
            "postgres --single -D data postgres 2>/dev/null | grep -E \"= \"'; rm -rf data")

# Those that take minutes with modelled events: a compiler in a machine that makes code while it runs.
SLOW = ("Work.java", "More.java", "worker_threads", "work.js")

# Program, what to run by sh -c. The program must be there; all that sh starts is counted with it. What is killed after
# some time has a second, for it must have begun by then, counted and on a busy machine, too.
COMMANDS = [
    ("gcc", "gcc -O2 -Wall -c hello.c -o hello.o && nm hello.o"),
    ("gcc", "gcc -O1 hello.c -o hello -lm && ./hello"),
    ("gcc", "gcc -c missing.c"),
    ("clang", "clang -O2 -c hello.c -o hello.o"),
    ("g++", "g++ -O1 throw.cc -o throw && ./throw 2>&1"),
    ("python3", "python3 -S threads.py"),
    ("python3", "python3 -S processes.py"),
    ("python3", "python3 -S tests.py"),
    ("python3", "python3 -S -c 'import sys; sys.exit(11)'"),
    ("python3", "python3 -S -c 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)'"),
    ("perl", "perl -ne '$n{substr $_, 0, 2}++; END { print map { \"$_ $n{$_}\\n\" } sort keys %n }' words"),
    ("perl", "perl -e 'local $SIG{ALRM} = sub { die \"late\\n\" }; eval { alarm 1; 1 while 1 }; print $@; "
             "print fork ? wait > 0 ? $? >> 8 : -1 : exit 6'"),
    ("node", "node work.js"),
    ("java", "java -version 2>&1; java --list-modules | cut -d@ -f1 | md5sum"),
    ("xz", "xz -T2 --block-size=8192 -k words && xz -dc words.xz | md5sum"),
    ("sort", "sort --parallel=2 -S 1M words | md5sum"),
    ("sort", "sort -n -k1.2 -u words | tail -n 3"),
    ("sqlite3", f'sqlite3 made.db "{SORT_SQL}"'),
    ("openssl", "openssl speed -seconds 1 -bytes 64 sha256 2>/dev/null | grep -c sha256"),
    ("openssl", "openssl dgst -sha3-256 words && openssl enc -aes-128-cbc -K 00 -iv 00 -in words 2>/dev/null | md5sum"),
    ("git", GIT),
    ("git", "git status"),
    ("tar", "tar --sort=name --mtime=@0 --owner=0 --group=0 -cf a.tar words other hello.c && "
            "tar tf a.tar && md5sum a.tar"),
    ("tar", "tar -czf a.tgz words && mkdir d && tar -xzf a.tgz -C d && cmp words d/words"),
    ("awk", "awk '{ n[substr($1, 6)] += $1 } END { for (c in n) print c, n[c] | \"sort\" }' words"),
    ("bash", "bash -c 'for ((i = 0; i < 3000; i++)); do ((s += i * i)); done; echo $s; "
             "a=(3 1 2); echo ${a[@]/1/x}; exit 8'"),
    ("bash", "bash -c 'trap \"echo caught\" USR1; kill -USR1 $$; f() { return 3; }; f; echo $?; "
             "(exit 4); echo $? | cat; wait'"),
    ("bash", "bash -c 'sleep 0.05 & wait $!; echo $?; kill -KILL $$'"),
    ("find", "find . -type f -size +1k -exec wc -c {} + | sort"),
    ("grep", "grep -c '1.*2' words; grep -En '^0(00|11)[0-9]+[abc]$' words; grep -q nothing words"),
    ("gzip", "gzip -9kn words && gzip -dc words.gz | cmp - words && md5sum words.gz"),
    ("bzip2", "bzip2 -k words && bzip2 -dc words.bz2 | md5sum"),
    ("zstd", "zstd -q -k words && zstd -dc words.zst | md5sum"),
    ("bc", "echo 'scale=60; 4*a(1); 2^500; s(1)/c(2)' | bc -l"),
    ("diff", "diff -u --label a --label b words other"),
    ("make", "make -j2 all"),
    ("make", "make -s fail 2>&1"),
    ("cmake", "cmake -P script.cmake"),
    ("sed", "sed -n -E 's/([0-9]+)([a-z])/\\2\\1/p; 100q' words"),
    ("jq", "jq -c '[.[] | select(.n % 50 == 0) | .w] | sort' data.json"),
    ("md5sum", "md5sum words; sha1sum words; sha512sum words; cksum words; b2sum words"),
    ("objdump", "gcc -c hello.c -o h.o && objdump -d h.o && readelf -aW h.o"),
    ("ar", "gcc -c hello.c -o h.o && ar rcsD lib.a h.o && ar t lib.a && strip --strip-debug h.o && md5sum lib.a"),
    ("m4", "echo 'define(`f', `ifelse($1, 0, 1, `eval($1 * f(decr($1)))')') f(10)' | m4"),
    ("tclsh", "echo 'proc f n {if {$n < 2} {return $n}; expr {[f [expr $n-1]] + [f [expr $n-2]]}}; puts [f 15]' "
              "| tclsh"),
    ("ed", "printf '1,3p\\ng/00/d\\n$=\\nQ\\n' | ed -s words"),
    ("xargs", "head -n 40 words | xargs -P 2 -n 10 echo | sort"),
    ("dd", "dd if=/dev/zero bs=4k count=64 2>/dev/null | tr '\\0' 'x' | cut -c 1-10"),
    ("date", "TZ=UTC date -d @86400 +%F; TZ=UTC date -d 2000-02-30; expr 2 + 3; seq 1 3 10; factor 1234567890"),
    ("timeout", "timeout 1 sleep 100"),
    ("ls", "ls -1; ls /nowhere; stat -c %s words; du -b words; env -i A=1 sh -c 'echo $A'"),
    ("dash", "dash -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done; echo $i; exec sh -c \"exit 12\"'"),
    ("cpio", "echo words | cpio -o --quiet --reproducible -R 0:0 | wc -c"),
    ("split", "split -l 1000 words part. && paste part.* | sed -n 1,3p && "
              "tac words | tail -n 1 && comm -12 part.aa part.ab | wc -l"),
    # Machines of their own, with threads and code that they make.
    ("java", "java -version 2>&1 | head -n 1"),
    ("java", "java -Xint -XX:+UseSerialGC Work.java"),
    ("javac", "javac -J-XX:+UseSerialGC Work.java && java -Xshare:auto Work; echo $?"),
    ("node", "node -e 'const {Worker} = require(\"worker_threads\"); let w = new Worker(\"let n = 0; for (let i = 0; "
             "i < 1e5; "
             "i++) n += i; require(\\\"worker_threads\\\").parentPort.postMessage(n)\", {eval: true}); "
             "w.on(\"message\", m => console.log(m))'"),
    ("node", "node -e 'const {spawnSync} = require(\"child_process\"); console.log(spawnSync(\"sort\", [\"-r\"], "
             "{input: \"a\\nb\\nc\\n\"}).stdout.toString())'"),
    ("go", "go version"),
    ("nginx", "nginx -v 2>&1"),
    ("redis-server", "redis-server --version | cut -c 1-12"),
    ("ruby", "ruby -e 'puts (1..100).map { |i| i * i }.sum'"),
    ("php", "php -r 'echo array_sum(range(1, 1000)), \"\\n\";'"),
    ("lua", "lua -e 'local s = 0 for i = 1, 10000 do s = s + i end print(s)'"),
    ("postgres", POSTGRES),
    # Processes that end in all ways, and threads that do things.
    ("python3", "python3 -S forks.py"),
    ("python3", "python3 -S -c 'import os; [os.fork() for _ in range(4)]; os._exit(0)'; sleep 1"),
    ("python3", "python3 -S -c 'import os; os.abort()' 2>/dev/null; echo $?"),
    ("python3", "python3 -S -c 'import ctypes; ctypes.string_at(0)' 2>/dev/null; echo $?"),
    ("python3", "python3 -S -c 'import os; os.posix_spawnp(\"echo\", [\"echo\", \"spawned\"], {}); os.wait()'"),
    ("python3", "python3 -S -c 'import os; os.execve(\"/bin/echo\", [\"echo\", \"bare\"], {})'"),
    ("python3", "python3 -S -c 'import subprocess as s; print(s.run(\"kill -9 $$\", shell=True).returncode)'"),
    ("python3", "python3 -S -m zipfile -c a.zip words && python3 -S -m zipfile -l a.zip | wc -l; rm a.zip"),
    ("python3", "python3 -S -c 'import sqlite3; d = sqlite3.connect(\":memory:\"); "
                "print(d.execute(\"with recursive n(i) as (select 1 union all select i+1 from n where i<999) "
                "select sum(i) from n\").fetchall())'"),
    ("python3", "python3 -S -c 'import asyncio; print(asyncio.run(asyncio.sleep(0.01, 5)))'"),
    ("yes", "yes | head -n 1"),
    ("seq", "seq 1 1000000 | head -n 3 | tail -n 1"),
    ("timeout", "timeout -s KILL 1 sh -c 'while :; do :; done'; echo $?"),
    ("timeout", "timeout 50 true; echo $?; timeout 1 sh -c 'trap \"exit 3\" TERM; while :; do :; done'; echo $?"),
    ("env", "env -i /bin/sh -c 'expr 3 + 4'"),
    ("nohup", "nohup sh -c 'echo kept' 2>/dev/null"),
    ("setsid", "setsid -w sh -c 'exit 9'; echo $?"),
    ("nice", "nice -n 5 nice"),
    ("setarch", "setarch -R expr 1 + 1"),
    ("taskset", "taskset 1 expr 2 + 2"),
    ("prlimit", "prlimit --nofile=64 sh -c 'ulimit -n'"),
    ("setpriv", "setpriv --no-new-privs expr 5 + 5"),
    ("chroot", "mkdir root && chroot root /bin/true 2>/dev/null; echo $?"),
    ("unshare", "unshare -f sh -c 'expr 6 + 6'"),
    ("flock", "flock lock expr 7 + 7; rm lock"),
    ("xargs", "seq 1 30 | xargs -n 3 -P 3 expr 1 + 2 + 3 2>&1 | wc -l"),
    ("sh", "nonexistent_command 2>/dev/null; echo $?; /nonexistent/x 2>/dev/null; echo $?"),
    ("sh", "(sleep 0.1; echo late) & wait; echo done"),
    ("sh", "trap 'echo bye' EXIT; sh -c 'kill -TERM $$'; echo $?"),
    ("sh", "cat words | sort | uniq -c | sort -rn | head -n 2 | wc -l"),
    ("bash", "bash -c 'coproc cat; echo through >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x; kill $COPROC_PID'"),
    ("bash", "bash -c 'diff <(sort words | head -n 9) <(sort other | head -n 9) && echo same'"),
    ("bash", "bash -c 'mapfile -t a < words; echo ${#a[@]} ${a[7]}; printf %s\\\\n {1..5} | tac'"),
    ("zsh", "zsh -f -c 'a=(3 1 2); print ${(on)a}; f() { return 4 }; f; print $?'"),
    ("fish", "fish -N -c 'for i in 1 2 3; echo $i; end | string join -'"),
    ("make", "make -j2 -s one two && make -q all; echo $?"),
    ("su", "su -s /bin/sh nobody -c 'expr 8 + 8' 2>/dev/null; echo $?"),
    ("runuser", "runuser -u nobody -- expr 9 + 9"),
    # Compilers and what belongs to them.
    ("gfortran", "printf 'program p\\n print *, sum([1, 2, 3])\\nend program\\n' > p.f90 && gfortran -o p p.f90 && "
                 "./p"),
    ("g++", "g++ -O2 -fopenmp -x c++ - -o omp <<'E' && OMP_NUM_THREADS=2 ./omp\n#include <cstdio>\nint main() { long "
            "n = 0;\n"
            "#pragma omp parallel for reduction(+:n)\nfor (int i = 0; i < 100000; "
            "i++) n += i;\nstd::printf(\"%ld\\n\", n); }\nE"),
    ("gcc", "gcc -static hello.c -o hello -lm && ./hello; echo $?"),
    ("gcc", "gcc -E hello.c | wc -l; gcc -S hello.c -o - | grep -c add; gcc -M hello.c | wc -l"),
    ("gcc", "gcc -g -O0 -fsanitize=undefined hello.c -o hello -lm && ./hello"),
    ("cpp", "echo 'A(1) B' | cpp -P -D'A(x)=x+x' -DB=2"),
    ("as", "echo 'nop; ret' | as -o n.o - && size n.o && nm n.o | wc -l"),
    ("ld", "gcc -c hello.c -o h.o && ld -r h.o -o r.o && nm r.o | sort"),
    ("strings", "gcc -c hello.c -o h.o && strings -n 6 h.o | grep -c lib; addr2line -e h.o 0"),
    ("rustc", "printf 'fn main() { println!(\"{}\", (1..10).sum::<i32>()); }' > r.rs && "
              "HOME=/root rustc -O r.rs 2>&1 && ./r"),
    ("pkg-config", "pkg-config --version; pkg-config --exists nothing-of-the-kind; echo $?"),
    ("ninja", "printf 'rule c\\n command = cp $in $out\\nbuild b: c words\\n' > build.ninja && "
              "ninja -j1 -d nostatcache | wc -l; "
              "rm -f .ninja*"),
    ("gcov", "gcc --coverage hello.c -o hello.o -lm; ./hello.o; echo $?; rm -f *.gcda *.gcno"),
    # Text.
    ("mawk", "mawk '{ s += $1 } END { print s }' words"),
    ("sed", "sed -e 's/^0*//' -e '/[abc]$/d' words | md5sum"),
    ("grep", "grep -F -f words other | wc -l; grep -ob 777 words | head -n 3; grep -Pc '(\\d)\\1\\1' words"),
    ("sort", "sort -R --random-source=words words | md5sum; sort -c words 2>/dev/null; echo $?"),
    ("tr", "tr -d 0-4 < words | tr -s 5-9 | md5sum; nl words | tail -n 1; fold -w 7 words | wc -l; fmt -w 40 words | "
           "wc -l"),
    ("od", "od -A x -t x1z words | tail -n 2; hexdump -C words | head -n 1; xxd words | tail -n 1"),
    ("base64", "base64 words | base64 -d | cmp - words; base32 words | md5sum"),
    ("join", "sort -u words > a; sort -u other > b; join a b | wc -l; comm -3 a b | wc -l; rm a b"),
    ("csplit", "csplit -s words 10 20 && wc -l xx*; rm xx*"),
    ("expand", "printf 'a\\tb\\n' | expand | unexpand -a; rev words | head -n 1; column -c 60 words | wc -l; "
               "pr -l 20 words | wc -l"),
    ("shuf", "shuf --random-source=words -n 5 words | wc -l; factor 999999000001; seq -s, 5; expr length abc; "
             "numfmt --to=iec 123456"),
    ("cut", "cut -c 2-4 words | paste -sd+ | tr -d '\\n' | wc -c; tac words | md5sum; ptx words | wc -l; "
            "tsort <words 2>/dev/null | wc -l"),
    ("iconv", "iconv -f utf-8 -t utf-16 words | md5sum; iconv -f ascii -t utf-32 < hello.c | wc -c"),
    ("ed", "printf 'g/1/s//one/g\\nw edited\\nq\\n' | ed -s words; md5sum edited"),
    ("vim", "vim -u NONE -i NONE -N -es -c '%s/1/x/g' -c 'wq! changed' words </dev/null; md5sum changed"),
    ("less", "less words < /dev/null | md5sum"),
    ("mandoc", "printf '.Dd x\\n.Dt X 1\\n.Os\\n.Sh NAME\\n.Nm x\\n' | mandoc | wc -l"),
    ("groff", "echo '.B bold' | groff -Tascii -man | wc -c"),
    ("pod2text", "printf '=head1 A\\n\\ntext B<b>\\n' | pod2text; printf '=head1 A\\n' | pod2man | wc -l"),
    ("perl", "perl -MPOSIX -e 'my $p = fork; if (!$p) { POSIX::_exit(4) } waitpid $p, 0; print $? >> 8, \"\\n\"; "
             "exec \"echo\", \"e\"'"),
    ("perl", "perl -e 'print `echo a`; system \"exit 3\"; print $? >> 8; open my $f, \"-|\", \"seq 3\"; print <$f>; "
             "kill 9, $$'"),
    ("perl", "perl -MDigest::SHA=sha1_hex -MTime::HiRes=sleep -e 'sleep 0.01; print sha1_hex(\"x\" x 9999), \"\\n\"'"),
    ("tclsh", "echo 'puts [exec sort << \"b\\na\"]; puts [clock format 0 -gmt 1 -format %Y]; exit 3' | tclsh"),
    # Files, archives, and numbers.
    ("zip", "zip -qX a.zip words && unzip -l a.zip | wc -l && unzip -p a.zip words | cmp - words; rm a.zip"),
    ("lz4", "lz4 -qk words w.lz4 && lz4 -qdc w.lz4 | md5sum; rm w.lz4"),
    ("xz", "xz -9 -T1 -k words && xz -l words.xz | wc -l && xz -t words.xz"),
    ("zstd", "zstd -q -19 -T2 words -o w.zst && zstd -qdc w.zst | cmp - words; rm w.zst"),
    ("tar", "tar -cJf a.xz words other && tar -tJf a.xz"),
    ("find", "mkdir -p d/e && touch d/e/f && find d -newer words -exec sh -c 'echo $0' {} \\; && "
             "find d -depth -delete && ls -d d"),
    ("cp", "cp -a words copy && ln -s copy link && readlink link && realpath --relative-to=. link && "
           "mv copy moved && rm link"),
    ("install", "install -m 600 words kept && stat -c %a kept && chmod 644 kept && truncate -s 5 kept && cat kept"),
    ("dd", "dd if=words of=part bs=1k skip=1 count=2 2>/dev/null && md5sum part && cmp -n 99 words part | wc -w"),
    ("mktemp", "f=$(mktemp ./t.XXXX) && test -w $f && rm $f && echo made"),
    ("patch", "diff -u words other > p; cp words w; patch -s w p && cmp w other && echo same; rm -f w p w.orig"),
    ("diff3", "diff3 words other words | wc -l; sdiff -s words other | wc -l"),
    ("bc", "echo 'define f(n) { if (n < 2) return n; return f(n-1) + f(n-2) }; f(13)' | bc"),
    ("sqlite3", "sqlite3 :memory: \"select json_extract('{\\\"a\\\":[1,2]}', '$.a[1]'), printf('%05d', 42), "
                "upper('x')\""),
    ("git", "git init -q r && cd r && git config user.email a@b && git config user.name c && "
            "for i in 1 2 3; do echo $i > f; git add f; git commit -qm $i --date=@0; done; git log --oneline | wc -l; "
            "git stash list; git blame f | wc -l; git checkout -q HEAD~1 && cat f; cd ..; rm -rf r"),
    ("jq", "jq -n '[range(1000)] | map(select(. % 7 == 0)) | add'"),
    ("yq", "echo 'a: {b: 2}' | yq .a.b"),
    ("xmllint", "echo '<a><b c=\"1\"/></a>' | xmllint --xpath 'string(//b/@c)' - ; echo '<a>' | "
                "xmllint - 2>/dev/null; echo $?"),
    ("openssl", "openssl rand -hex 8 | wc -c; openssl base64 -in words | md5sum; openssl genrsa 512 2>/dev/null | "
                "head -n 1"),
    ("ssh-keygen", "ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -l -f key | wc -w; rm key key.pub"),
    ("gpg", "gpg --version | head -n 1; echo x | gpg --batch --yes -q --print-md SHA1; rm -rf .gnupg"),
    ("curl", "curl -s file://$PWD/words | md5sum; curl -s http://127.0.0.1:1/; echo $?"),
    ("convert", "convert -size 20x20 xc:red -blur 0x2 rgb:- | md5sum"),
    # The system.
    ("ps", "ps -o comm= -p $$ | wc -l; free | wc -l; uptime | wc -l; pgrep -c nothing_of_the_name"),
    ("id", "id -u; whoami; groups | wc -l; uname -s; hostname | wc -l; nproc --all | wc -l; getconf PAGE_SIZE; "
           "locale -a | wc -l"),
    ("df", "df . | wc -l; du -s words | cut -f 2; sync; lscpu | wc -l | xargs test 0 -lt; "
           "mount | wc -l | xargs test 0 -lt; ip -V 2>&1 | wc -l"),
    ("getent", "getent passwd root | cut -d: -f 1; getent hosts localhost | wc -l"),
    ("dpkg-query", "dpkg-query -W -f '${Package}\\n' dpkg; dpkg --compare-versions 1.2 lt 1.10; echo $?; "
                   "apt-cache policy dpkg | wc -l"),
    ("tee", "echo a | tee b c | cat - b c; rm b c; printf '%d %s\\n' 5 x; basename /a/b.c .c; dirname /a/b; "
            "cal 2 2000 2>/dev/null | wc -l"),
    ("strace", "strace -o trace -e trace=execve true; wc -l < trace; rm trace"),
    ("script", "script -qec 'expr 4 + 4' /dev/null"),
]
