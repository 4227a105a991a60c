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


def write_files(directory):
    """Everything the commands read; the same each time."""
    words, random = [], 1
    for _ in range(4000):
        random = (random * 1103515245 + 12345) % (1 << 31)
        words.append(f"{random % 5003:05}{chr(97 + random // 65536 % 26)}")
    files = {
        "hello.c": C_SOURCE, "throw.cc": CXX_SOURCE, "threads.py": PYTHON_THREADS, "processes.py": PYTHON_PROCESSES,
        "tests.py": PYTHON_TESTS, "work.js": NODE, "Makefile": MAKEFILE, "script.cmake": CMAKE,
        "words": "\n".join(words) + "\n", "other": "\n".join(words[:2000] + words[2100:]) + "\n",
        "data.json": "[" + ",".join(f'{{"n":{i},"w":"{word}"}}' for i, word in enumerate(words[:500])) + "]",
    }
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)


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

# Program, what to run by sh -c. The program must be there; all that sh starts is counted with it. No pipe's reader ends
# before its writer: SIGPIPE would end that at times, and then nothing tells what it counted.
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
    ("timeout", "timeout 0.1 sleep 5"),
    ("ls", "ls -1; ls /nowhere; stat -c %s words; du -b words; env -i A=1 sh -c 'echo $A'"),
    ("dash", "dash -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done; echo $i; exec sh -c \"exit 12\"'"),
    ("cpio", "echo words | cpio -o --quiet --reproducible -R 0:0 | wc -c"),
    ("split", "split -l 1000 words part. && paste part.* | sed -n 1,3p && "
              "tac words | tail -n 1 && comm -12 part.aa part.ab | wc -l"),
]
