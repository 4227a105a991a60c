# SPDX-License-Identifier: BSD-3-Clause
"""The rest of the corpus: programs that Debian machines have, with inputs that take milliseconds."""
from programs_list import write_old

PYTHON_ASYNC = """import asyncio, concurrent.futures, multiprocessing
async def part(n):
    await asyncio.sleep(0)
    return n * n
async def main():
    print(sum(await asyncio.gather(*(part(n) for n in range(50)))))
def square(n): return n * n
if __name__ == '__main__':
    asyncio.run(main())
    with concurrent.futures.ThreadPoolExecutor(3) as pool: print(sum(pool.map(square, range(40))))
    with multiprocessing.get_context('fork').Pool(2) as pool: print(sum(pool.map(square, range(40))))
"""

PYTHON_SOCKETS = """import http.server, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(self.path.encode() * 100)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
for i in range(5):
    with urllib.request.urlopen(f'http://127.0.0.1:{server.server_port}/{i}') as answer: print(len(answer.read()))
server.shutdown()
"""

PYTHON_SIGNALS = """import signal, time
times = []
signal.signal(signal.SIGALRM, lambda *_: times.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
while len(times) < 5: pass
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(times) >= 5)
"""

JAVA = """import java.util.*;
import java.util.concurrent.*;
public class More {
    record Pair(int a, String b) { }
    public static void main(String[] words) throws Exception {
        Map<Integer, List<Pair>> all = new TreeMap<>();
        for (int i = 0; i < 2000; i++) all.computeIfAbsent(i % 7, k -> new ArrayList<>()).add(new Pair(i, "x" + i));
        System.out.println(all.get(3).size() + " " + all.get(3).get(5));
        try { Object[] o = new Integer[1]; o[0] = "text"; } catch (ArrayStoreException e) { System.out.println(e); }
        try { ((String) null).length(); } catch (NullPointerException e) { System.out.println("null"); }
        ExecutorService pool = Executors.newFixedThreadPool(2);
        long sum = 0;
        List<Future<Long>> parts = new ArrayList<>();
        for (int i = 0; i < 4; i++) { final int n = i; parts.add(pool.submit(() -> (long) n * 1000)); }
        for (Future<Long> part : parts) sum += part.get();
        pool.shutdown();
        System.gc();
        System.out.println(sum);
        System.exit(6);
    }
}
"""

GO = """package main
import ("fmt"; "os"; "sync")
func main() {
    var wait sync.WaitGroup
    sums := make(chan int, 4)
    for i := 0; i < 4; i++ {
        wait.Add(1)
        go func(n int) { defer wait.Done(); s := 0; for k := 0; k < 1000; k++ { s += k * n }; sums <- s }(i)
    }
    wait.Wait(); close(sums)
    total := 0
    for s := range sums { total += s }
    defer func() { fmt.Println(recover() != nil); os.Exit(4) }()
    fmt.Println(total)
    var none *int
    fmt.Println(*none)
}
"""

RUST = """use std::{collections::BTreeMap, sync::mpsc, thread};
fn main() {
    let (send, receive) = mpsc::channel();
    for n in 0..3u64 { let send = send.clone();
        thread::spawn(move || send.send((0..100).map(|k| k * n).sum::<u64>()).unwrap()); }
    drop(send);
    println!("{}", receive.iter().sum::<u64>());
    let mut map = BTreeMap::new();
    for i in 0..500 { *map.entry(i * 7 % 13).or_insert(0) += i; }
    println!("{:?}", map.iter().next_back());
    println!("{}", std::panic::catch_unwind(|| { let v: Vec<i32> = vec![]; v[map.len()] }).is_err());
    std::process::exit(5);
}
"""

FORTRAN = """program work
  implicit none
  real(8) :: a(40, 40), b(40, 40)
  integer :: i, j
  do j = 1, 40
    do i = 1, 40
      a(i, j) = 1d0 / (i + j - 1)
    end do
  end do
  b = matmul(a, transpose(a))
  print '(f12.8, i5)', sum(b), count(b > 0.5d0)
  stop 3
end program
"""

OPENMP = """#include <omp.h>
#include <stdio.h>
int main(void)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3) schedule(dynamic)
    for (int i = 0; i < 1000; i++) sum += (long)i * i;
    printf("%ld\\n", sum);
    return 2;
}
"""

STATIC = """#include <stdio.h>
int main(int count, char **words) { for (volatile int i = 0; i < 20000; i++) ; puts(words[count - 1]); return 7; }
"""

PERL_MORE = """use strict; use warnings; use POSIX; use List::Util qw(sum shuffle first);
my %tree; push @{$tree{length}}, $_ for map { 'x' x ($_ % 9) } 1 .. 500;
print join(',', map { "$_:" . @{$tree{$_}} } sort keys %tree), "\\n";
my $pid = open(my $pipe, '-|') // die; if (!$pid) { print "from the child\\n"; exit 3 } print <$pipe>; close $pipe;
print $? >> 8, "\\n"; printf "%.5f %s\\n", POSIX::floor(3.7) + sum(1 .. 9), scalar reverse 'abc';
eval { die { code => 5 } }; print $@->{code}, "\\n";
(my $text = 'a1b22c333') =~ s/(\\d+)/<$1>/g; print "$text\\n"; exit 9;
"""

NGINX = """daemon off; master_process off; pid p; error_log e;
events { worker_connections 8; }
http { access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t;
uwsgi_temp_path t; scgi_temp_path t;
server { listen unix:s; location / { return 200 "served\\n"; } } }
"""

AWK = """{ n[length($1) % 3 "-" substr($1, 1, 1)]++; if (match($1, /1+/)) s += RLENGTH }
function f(k) { return k < 2 ? k : f(k - 1) + f(k - 2) }
END { for (i = 0; i < 3; i++) for (c = 0; c < 10; c++) if ((i "-" c) in n) printf "%s%d=%d ", i, c, n[i "-" c];
      print s, f(12), toupper("abc"), sprintf("%.3f", atan2(1, 2)); exit 5 }
"""

XML = """<?xml version="1.0"?><list>%s</list>
""" % "".join(f'<item n="{i}"><name>word {i * 7919 % 1009}</name></item>' for i in range(200))


def write_more_files(directory):
    files = {
        "async.py": PYTHON_ASYNC, "sockets.py": PYTHON_SOCKETS, "signals.py": PYTHON_SIGNALS, "More.java": JAVA,
        "work.go": GO,
        "work.rs": RUST, "work.f90": FORTRAN, "openmp.c": OPENMP, "static.c": STATIC, "more.pl": PERL_MORE,
        "nginx.conf": NGINX, "more.awk": AWK, "list.xml": XML,
        "table.csv": "".join(f"{i},{i * 7919 % 1009},{'abcdefg'[i % 7]}\n" for i in range(1000)),
        "text.txt": "".join(f"The {i}th line of a text, which has {i * 13 % 101} words.\n\n" for i in range(120)),
    }
    write_old(directory, files)


SHELL = ("f() { i=0; while [ $i -lt 60 ]; do i=$((i + 1)); done; echo $i; }; f; x=$(echo a; f); echo \"$x\" | tr a b; "
         "case $x in a*) echo yes;; esac; (exit 3); echo $?; trap \"echo bye\" EXIT; no-such-command; "
         "for w in one two; do echo $w; done | sort -r; cat <<END\n$((7 * 6))\nEND\n exit 5")

# As COMMANDS of programs_list.py. Where a reader ends before its writer, the writer's status is not looked at.
MORE = [
    *[(shell, f"{shell} -c '{SHELL}'") for shell in ("dash", "bash", "ksh", "mksh", "yash", "zsh", "busybox ash")],
    *[(name, f"{name} -f more.awk words") for name in ("awk", "mawk", "gawk", "original-awk", "busybox awk")],
    ("fish", "fish --no-config -c 'for i in (seq 30); set s $s $i; end; count $s; echo a b | string upper; exit 4'"),
    ("tcsh", "tcsh -f -c '@ i = 0; while ($i < 50); @ i++; end; echo $i; exit 3'"),
    ("yes", "yes | head -n 3"),
    ("seq", "seq 1 100000 | head -n 2 | cat"),
    ("yes", "yes x | head -c 100000 | sort -u; yes | sed 5q | wc -l"),
    ("bash", "bash -c 'set -o pipefail; seq 9 | tac | (read a; echo $a); echo ${PIPESTATUS[*]}; mapfile -t l < "
             "words; echo ${#l[@]}; [[ abc =~ b(c) ]] && echo ${BASH_REMATCH[1]}; coproc cat; echo hi "
             ">&${COPROC[1]}; read -u ${COPROC[0]} r; echo $r'"),
    ("python3", "python3 -S async.py"),
    ("python3", "python3 -S sockets.py"),
    ("python3", "python3 -S signals.py"),
    ("python3", "python3 -c 'import sqlite3; d = sqlite3.connect(\":memory:\"); d.execute(\"create table t(a)\"); "
                "d.executemany(\"insert into t values(?)\", [(i,) for i in range(500)]); print(d.execute(\"select "
                "sum(a*a) from t\").fetchone())'"),
    ("python3", "python3 -c 'import ctypes; print(ctypes.CDLL(None).strlen(b\"abcd\")); f = "
                "ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x * 2); print(f(21))'"),
    ("python3", "python3 -m json.tool data.json | tail -n 3; python3 -m zipfile -c z.zip words && python3 -m zipfile "
                "-l z.zip | awk '{ print $1, $NF }'; rm z.zip"),
    ("python3", "python3 -c 'import os; r, w = os.pipe(); p = os.fork(); (os.write(w, b\"x\"), os._exit(3)) if not p "
                "else print(os.read(r, 1), os.waitpid(p, 0)[1] >> 8)'"),
    ("python3", "python3 -c 'import sys; sys.setrecursionlimit(3000); exec(\"def f(n): return n and f(n-1)+1\"); "
                "print(f(2000))'"),
    ("python3", "python3 -c 'import faulthandler, ctypes; ctypes.string_at(0)'; echo $?"),
    ("perl", "perl more.pl"),
    ("perl", "perl -MTime::HiRes=usleep -e '$SIG{CHLD} = sub { $n++ }; fork or exit for 1 .. 3; 1 while wait > 0; "
             "print \"$n\" > 0, \"\\n\"'"),
    ("perl", "perl -MDigest::SHA=sha256_hex -MData::Dumper -MStorable=dclone -e '$Data::Dumper::Sortkeys = 1; print "
             "sha256_hex(\"x\" x 9999), Dumper(dclone({a => [1 .. 3], b => {c => 1}}))'"),
    ("java", "java -Xmx32m -XX:+UseSerialGC More.java"),
    ("java", "java -Xint -Xmx32m -version 2>&1 | wc -l"),
    ("node", "node -e 'const w = require(\"worker_threads\"); if (w.isMainThread) { const t = new "
             "w.Worker(process.argv[1] || \"require(\\\"worker_threads\\\").parentPort.postMessage(6 * 7)\", { eval: "
             "true }); t.on(\"message\", console.log); }'"),
    ("node", "node -e 'const z = require(\"zlib\"), c = require(\"crypto\"); const b = "
             "z.gzipSync(\"x\".repeat(9999)); console.log(z.gunzipSync(b).length, "
             "c.createHash(\"sha256\").update(\"a\").digest(\"hex\").slice(0, 8)); Promise.all([1, 2].map(async n => "
             "n * 2)).then(v => console.log(v.join()))'"),
    ("node", "node --jitless -e 'let s = 0; for (let i = 0; i < 20000; i++) s += i; console.log(s, new "
             "Intl.NumberFormat().format(1e6))'"),
    ("go", "GOCACHE=$PWD/gocache GOFLAGS=-mod=mod go run work.go; rm -rf gocache"),
    ("fzf", "fzf -f 12a < words | sort | md5sum; fzf -f nothing < other; echo $?"),
    ("rustc", "rustc -C opt-level=1 work.rs -o rust 2>/dev/null && ./rust 2>/dev/null"),
    ("rustc", "rustc --version; rustc --print target-list | wc -l"),
    ("gfortran", "gfortran -O1 work.f90 -o fortran && ./fortran"),
    ("gcc", "gcc -fopenmp -O1 openmp.c -o openmp && ./openmp"),
    ("gcc", "gcc -static static.c -o statically && ./statically words"),
    ("gcc", "gcc -O2 -S hello.c -o - | grep -c mov; gcc -E hello.c | wc -l; gcc -v 2>&1 | tail -n 1"),
    ("gcc", "gcc -m32 -c static.c -o s.o; gcc -g -flto -O2 hello.c -o lto -lm && ./lto"),
    ("gcc", "gcc -fsanitize=undefined -O1 hello.c -o u -lm 2>/dev/null && ./u"),
    ("g++", "g++ -std=c++17 -O0 -fsyntax-only throw.cc && g++ -shared -fPIC -x c++ /dev/null -o l.so && file -b l.so "
            "| cut -c 1-10"),
    ("clang", "clang -O1 hello.c -o h -lm && ./h; clang -Weverything -fsyntax-only hello.c 2>&1 | grep -c warning"),
    ("clang-format", "clang-format hello.c | md5sum"),
    ("ld", "gcc -c hello.c -o h.o && ld -r h.o -o r.o && nm r.o && size r.o | tail -n 1 | cut -f 1-3"),
    ("ld.gold", "gcc -fuse-ld=gold hello.c -o g -lm && ./g"),
    ("ld.lld", "gcc -fuse-ld=lld hello.c -o g -lm && ./g"),
    ("as", "echo 'mov $1, %eax; ret' | as -o a.o && objdump -d a.o | tail -n 2; objcopy -O binary a.o a.bin && xxd "
           "a.bin"),
    ("ccache", "CCACHE_DIR=$PWD/cc ccache gcc -c hello.c -o h.o && CCACHE_DIR=$PWD/cc ccache gcc -c hello.c -o h.o; "
               "rm -rf cc"),
    ("gdb", "gcc -g static.c -o s && gdb -batch -nx -ex 'info line main' -ex 'list 2' s 2>/dev/null | head -n 1"),
    ("make", "printf 'a b c d:\\n\\t@seq 500 | md5sum\\nall: a b c d\\n' > M && make -f M -j2 -O all"),
    ("make", "make -pn -f Makefile all | grep -c '^[a-z].*:'"),
    ("ninja", "printf 'rule r\\n command = sort words > $out\\nbuild x: r\\nbuild y: r\\n' > build.ninja && ninja "
              "-j2 >/dev/null && cmp x y; ninja; rm .ninja*"),
    ("cmake", "printf 'cmake_minimum_required(VERSION 3.5)\\nproject(p C)\\nadd_executable(p static.c)\\n' > "
              "CMakeLists.txt && cmake -S . -B b >/dev/null && cmake --build b -j2 >/dev/null && ./b/p built; echo "
              "$?; rm -rf b"),
    ("autoconf", "printf 'AC_INIT(a, 1)\\nAC_OUTPUT\\n' > configure.ac && autoconf 2>/dev/null && sh configure -q; "
                 "rm -rf autom4te.cache config.*"),
    ("bison", "printf '%%token A\\n%%%%\\ns: | s A;\\n%%%%\\n' > g.y && bison -d g.y -o g.c && wc -l g.h"),
    ("flex", "printf '%%%%\\n[0-9]+ ;\\n%%%%\\n' > l.l && flex -o l.c l.l && grep -c yy l.c"),
    ("xz", "xz -9e -k words && xz -l words.xz | tail -n 1 | cut -c 1-9; xz --format=lzma -k other && xz -t other.lzma"),
    ("lz4", "lz4 -q -9 words words.lz4 && lz4 -dc words.lz4 | md5sum"),
    ("zstd", "zstd -q -19 -T2 words -o w.zst && zstd -q -d w.zst -c | cmp - words; zstd -q --train-cover=k=64,d=6 -o "
             "dict part 2>&1 | wc -l"),
    ("zip", "zip -qX w.zip words hello.c && unzip -p w.zip hello.c | md5sum; unzip -tq w.zip; rm w.zip"),
    ("pigz", "pigz -p2 -kn words && pigz -dc words.gz | md5sum"),
    ("gzip", "gzip -1 <words | gzip -dc | md5sum; echo garbage | gzip -dc; zcat -f words | wc -l"),
    ("bzip2", "bzip2 -1c words | bzip2 -tv 2>&1 | tr -s ' '; bzip2 -c words | dd bs=100 count=5 2>/dev/null | bzip2 "
              "-dc 2>/dev/null | wc -c"),
    ("7z", "7z a -bd w.7z words >/dev/null && 7z x -so w.7z | md5sum; rm w.7z"),
    ("ar", "printf x > m1; printf y > m2; ar rcD l.a m1 m2; ar p l.a m2; ar d l.a m1; ar t l.a"),
    ("cpio", "printf 'words\\nother\\n' | cpio -oH newc --quiet > c && mkdir -p u && (cd u && cpio -i --quiet < "
             "../c) && cmp u/words words; rm -rf u c"),
    ("dpkg-deb", "mkdir -p p/DEBIAN && printf 'Package: p\\nVersion: 1\\nArchitecture: all\\nMaintainer: "
                 "m\\nDescription: d\\n' > p/DEBIAN/control && dpkg-deb -b p p.deb >/dev/null && dpkg-deb -f p.deb "
                 "Version; rm -rf p p.deb"),
    ("dpkg", "dpkg --compare-versions 1.2~rc1 lt 1.2 && dpkg --print-architecture; dpkg -s libc6 | grep ^Package"),
    ("apt-cache", "apt-cache --version | head -n 1 | cut -d' ' -f1; apt-cache policy no-such-package | wc -l"),
    ("sqlite3", "sqlite3 -csv :memory: '.import table.csv t' 'select count(*), sum(c0) from (select \"0\" as c0 from "
                "t)' 2>&1 | head -n 1"),
    ("sqlite3", "sqlite3 m.db 'pragma journal_mode=wal; create table t(a int); with recursive n(i) as (select 1 "
                "union all select i+1 from n limit 500) insert into t select i from n; select sum(a), group_concat(a "
                "% 7) from t where a < 20; select json_extract(\"{}\", \"$.a\") is null; vacuum; pragma "
                "integrity_check;'; rm -f m.db*"),
    ("psql", "psql --version | cut -d' ' -f1; psql -h /nowhere -c 'select 1' 2>&1 | wc -l"),
    ("redis-server", "redis-server --version | cut -d= -f1"),
    ("git", "git init -q r && cd r && git config user.email a@b && git config user.name c && cp ../words . && git "
            "add . && GIT_AUTHOR_DATE='2000-01-01 00:00 +0000' GIT_COMMITTER_DATE='2000-01-01 00:00 +0000' git "
            "commit -qm 1 && git checkout -qb x && cp ../other words && GIT_AUTHOR_DATE='2000-01-02 00:00 +0000' "
            "GIT_COMMITTER_DATE='2000-01-02 00:00 +0000' git commit -qam 2 && git rebase -q main 2>&1 | wc -l; git "
            "log --oneline | wc -l; git blame -s words | head -n 2; git grep -c 1 -- words; git bundle create -q b "
            "HEAD; cd ..; rm -rf r"),
    ("git", "git init -q s && git clone -q s t 2>/dev/null; git -C t rev-parse --is-inside-work-tree; echo x | git "
            "hash-object --stdin; rm -rf s t"),
    ("openssl", "openssl genpkey -algorithm ed25519 -out k && openssl pkey -in k -pubout -out p && openssl pkeyutl "
                "-sign -rawin -inkey k -in words -out sig && openssl pkeyutl -verify -rawin -pubin -inkey p -in "
                "words -sigfile sig; rm k p sig"),
    ("openssl", "openssl req -x509 -newkey rsa:1024 -nodes -keyout k -out c -subj /CN=a -days 1 2>/dev/null && "
                "openssl x509 -in c -noout -subject; rm -f k c"),
    ("openssl", "openssl prime 1000003; openssl rand -hex 4 | wc -c; openssl base64 -in hello.c | openssl base64 -d "
                "| cmp - hello.c"),
    ("gpg", "mkdir -m 700 g && echo text | gpg --homedir g --batch --passphrase x --pinentry-mode loopback -c -o "
            "t.gpg 2>/dev/null; gpg --homedir g --batch --passphrase x --pinentry-mode loopback -d t.gpg "
            "2>/dev/null; gpgconf --homedir g --kill all; rm -rf g t.gpg"),
    ("ssh-keygen", "ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -lf key.pub | cut -d' ' -f1; rm key key.pub"),
    ("curl", "curl -s file://$PWD/words | md5sum; curl -s http://127.0.0.1:9/; echo $?"),
    ("wget", "wget -q -O - http://127.0.0.1:9/; echo $?; wget --version | head -n 1 | cut -d' ' -f 1-2"),
    ("nginx", "nginx -p $PWD -c nginx.conf -t 2>/dev/null; echo $?; (nginx -p $PWD -c nginx.conf 2>/dev/null & n=$!; "
              "i=0; while [ ! -S s ] && [ $i -lt 500 ]; do sleep 0.02; i=$((i + 1)); done; curl -s --retry 9 "
              "--retry-connrefused --unix-socket s http://a/; kill $n; wait $n; echo $?); rm -rf s t p e"),
    ("rsync", "mkdir a && cp words other a && rsync -a a/ b && diff -r a b && rsync -ac --delete --stats a/ b | grep "
              "-c Number; rm -rf a b"),
    ("jq", "jq -r 'group_by(.n % 3)[] | length, (map(.n) | add)' data.json; echo '{' | jq . ; jq -n '[range(2000)] | "
           "sort_by(-.) | .[0]'"),
    ("xmllint", "xmllint --xpath 'count(//item[@n > 100])' list.xml; xmllint --noout --shell list.xml </dev/null; "
                "echo '<a>' | xmllint - 2>/dev/null; echo $?"),
    ("bc", "echo 'define f(n) { if (n < 2) return n; return f(n-1) + f(n-2) } f(14); scale=30; sqrt(2); 3^200 % "
           "1000007' | bc"),
    ("dc", "echo '20k 2v p 3 4 ^ p [la 1 - d sa 0 <m] sm 30 sa lm x la p' | dc"),
    ("tclsh", "echo 'array set a {x 1 y 2}; puts [lsort [array names a]]; for {set i 0} {$i < 500} {incr i} {dict "
              "set d $i [expr $i*$i]}; puts [dict get $d 99]; catch {error no} m; puts $m; puts [exec echo sub]; "
              "exit 4' | tclsh"),
    ("lua5.4", "lua5.4 -e 'local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 1009 end table.sort(t) print(t[1000], "
               "#t, pcall(error, \"x\"))'"),
    ("ruby", "ruby -e 'h = Hash.new(0); 2000.times { |i| h[i % 7] += i }; p h[3]; t = Thread.new { 6 * 7 }; p "
             "t.value; begin; raise \"x\"; rescue => e; p e.message; end'"),
    ("php", "php -r '$a = range(1, 500); usort($a, fn($x, $y) => $y - $x); echo $a[0], md5(implode($a)), \"\\n\"; "
            "exit(3);'"),
    ("guile", "guile -c '(display (let f ((n 12)) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))))'"),
    ("octave", "octave --eval 'disp(sum(inv(hilb(4))(:)))'"),
    ("gnuplot", "gnuplot -e 'set term dumb 40 10; plot sin(x)' | wc -l"),
    ("m4", "echo 'define(`r', `ifelse($1, 0, , `$1 r(decr($1))')')r(40)' | m4; echo 'esyscmd(echo sub)syscmd(exit "
           "3)sysval' | m4"),
    ("groff", "printf '.TH A 1\\n.SH NAME\\na \\\\- b\\n.PP\\ntext\\n' | groff -man -Tascii -P-c | grep -c .; echo "
              "'.LP' | troff | wc -l"),
    ("mandoc", "printf '.Dd x\\n.Dt A 1\\n.Os\\n.Sh NAME\\n.Nm a\\n.Nd b\\n' | mandoc -T ascii | wc -l"),
    ("ed", "printf 'a\\none\\ntwo\\n.\\n1,$s/o/0/g\\n,n\\n1m2\\n,p\\nw out\\nq\\n' | ed -s; cat out"),
    ("vim", "vim -e -s -u NONE -i NONE -N -c '%s/^0/X/' -c 'sort u' -c 'wq! v.out' words; wc -l v.out"),
    ("less", "less words </dev/null | tail -n 1"),
    ("file", "file -b hello.c words list.xml; file -bi words"),
    ("convert", "convert -size 16x16 gradient:red-blue -rotate 90 -resize 8x8 ppm:- | md5sum"),
    ("shellcheck", "echo 'echo $x' | shellcheck -s sh - | grep -c SC"),
    ("cppcheck", "cppcheck -q hello.c; echo $?"),
    ("strace", "strace -o /dev/null true; echo $?"),
    ("valgrind", "valgrind -q true; echo $?"),
    ("qemu-x86_64", "gcc -static static.c -o q && qemu-x86_64 ./q emulated"),
    ("tmux", "tmux -V | cut -d' ' -f1"),
    ("script", "script -qec 'stty size >/dev/null; echo typed; exit 5' /dev/null"),
    ("perf", "perf --version | cut -d' ' -f1"),
    ("sort", "sort -t, -k2,2n -k3,3r table.csv | sed -n '1p;$p'; sort -c words; sort -R --random-source=words words "
             "| sort -c 2>/dev/null; sort -m <(:) 2>/dev/null; sort -V -u words | tail -n 1; sort -z </dev/null"),
    ("join", "sort -t, -k2,2 table.csv > a; sort -t, -k2,2 -r table.csv | sort -t, -k2,2 > b; join -t, -1 2 -2 2 a b "
             "| head -n 3; comm -3 a b | wc -l"),
    ("cut", "cut -d, -f2- --output-delimiter=: table.csv | sed -n 3p; paste -sd+ < table.csv | cut -c 1-20; fold -w "
            "20 text.txt | sed -n 4p; fmt -w 40 text.txt | wc; pr -n text.txt | wc -l; nl -ba words | tail -n 1; "
            "expand text.txt | unexpand -a | wc -c"),
    ("od", "od -An -tx1z -N32 words; od -c words | tail -n 2; hexdump -C words 2>/dev/null | sed -n 3p; xxd -p words "
           "2>/dev/null | tail -n 1"),
    ("tr", "tr -d 0-4 < words | tr -s 5-9 | tr '[:lower:]' '[:upper:]' | md5sum; rev words 2>/dev/null | sed -n 1p; "
           "column -t -s, table.csv 2>/dev/null | sed -n 2p"),
    ("base64", "base64 words | base64 -d | cmp - words; base32 hello.c | sed -n 2p; basenc --base16 hello.c | cut -c "
               "1-10 | sed -n 1p; sha224sum words; sum words"),
    ("tsort", "printf 'a b\\nb c\\na c\\n' | tsort; printf 'a b\\nb a\\n' | tsort 2>&1 | wc -l; shuf -i 1-100 "
              "--random-source=words | sort -n | tail -n 1; numfmt --to=iec 123456789; seq -w 8 11; printf "
              "'%05.1f|%q\\n' 3.14159 'a b'; expr abcdef : 'a.*d'; csplit -sz words 100 '{2}' && ls xx*; test 1 -lt "
              "2 && echo less"),
    ("cp", "cp -a words w2 && ln -s w2 l && ln w2 h && readlink l && realpath --relative-to=. l && stat -c '%h %s' h "
           "&& mv w2 w3 && rm -f h l && mkdir -p d/e && cp w3 d/e && du -a --apparent-size -b d | tail -n 1 | cut -f "
           "2 && rmdir d 2>/dev/null; echo $?; install -m 640 w3 i && stat -c %a i; truncate -s 10 i; touch -d @0 i; "
           "stat -c %Y i; chmod 600 i; mktemp -u xXXX | wc -c; shred -u i; sync -d w3; rm -r d w3"),
    ("find", "mkdir -p t/a/b && touch t/a/1 t/a/b/2 && find t -name '[12]' -newermt 2000-01-01 -printf '%P %d\\n' | "
             "sort; find t -type d -exec sh -c 'echo $#' _ {} +; find t -depth -delete; ls t 2>/dev/null; echo $?"),
    ("grep", "grep -Po '(?<=0)1\\w+' words | sort -u | wc -l; grep -rlF 'int main' . --include='*.c' | sort; grep -v "
             "1 words | grep -ic A; grep -f /dev/null words; echo $?; zgrep -c 1 words"),
    ("sed", "sed '1!G;h;$!d' table.csv | sed -n 1p; sed -E ':a;s/([0-9])([0-9]{3})(,|$)/\\1.\\2\\3/;ta' table.csv | "
            "md5sum; sed -i.bak 's/a/b/' text.txt; cmp -s text.txt text.txt.bak; echo $?"),
    ("diff", "diff -y --suppress-common-lines words other | wc -l; diff -u words other > p; cp words w && patch -s w "
             "p && cmp w other; rm p; diff3 words other words | head -n 1; sdiff -s words other | wc -l; cmp words "
             "other"),
    ("env", "env -i PATH=$PATH sh -c 'env | cut -d= -f1 | sort' | grep -v '^LD_PRELOAD\\|^PAPI'; nice -n 1 true; "
            "nohup true; stdbuf -oL echo buffered; timeout 50 echo in time; timeout -s KILL 1 sleep 100; echo $?"),
    ("timeout", "timeout --foreground 1 sh -c 'trap \"echo term; exit 9\" TERM; while :; do :; done'; echo $?"),
    ("flock", "flock l -c 'echo locked'; setsid -w echo session; taskset -c 0 echo pinned; ionice -c 3 echo idle; "
              "getopt -o ab: -- -a -b x y; namei words | wc -l; rename --version | wc -l; look 00 words | wc -l"),
    ("ps", "ps -o comm= -p $$; pgrep -c no-such-name; free -b | wc -l; uptime | wc -l; sleep 0.01; kill -l 9; nproc "
           "--all >/dev/null && echo; id -u; tty; uname -s; hostname >/dev/null; whoami; arch"),
    ("lscpu", "lscpu | grep -c :; lsblk -V | wc -l; findmnt -n / | wc -l; mountpoint -q /; echo $?; ip -o link show "
              "lo | wc -l; ss -H -l | head -n 0"),
    ("iconv", "echo gr\\\\303\\\\274n | iconv -f UTF-8 -t UTF-16LE | od -An -tx1 | sed -n 1p; iconv -l | wc -l; "
              "locale -a | head -n 1; printf 'a\\377' | iconv -f UTF-8 -t ASCII 2>/dev/null; echo $?"),
    ("ldd", "ldd /bin/ls | grep -c libc; ldconfig -p 2>/dev/null | wc -l >/dev/null; getconf PAGE_SIZE; getent "
            "passwd root | cut -d: -f1; zdump UTC | cut -d' ' -f1; tzselect --version >/dev/null 2>&1; localedef "
            "--help | wc -l"),
    ("xargs", "seq 50 | xargs -P 3 -I{} sh -c 'echo {}' | sort -n | md5sum; echo a b | xargs -n1 false; echo $?; "
              "printf 'a\\0b' | xargs -0 -n1 echo"),
    ("tee", "seq 200 | tee a b | tail -n 1; cmp a b; mkfifo f; (cat f | wc -l) & cat a > f; wait; dd if=a bs=1 "
            "skip=3 count=4 2>/dev/null; head -c -680 a; tail -c +680 a; tail -n +199 a; wc a; split -n l/3 a s. && "
            "wc -l s.*; uniq -c a | head -n 1; rm f"),
    ("busybox", "busybox sh -c 'busybox seq 30 | busybox awk \"{ s += \\$1 } END { print s }\"'; busybox tar -cf - "
                "words | busybox tar -tf -; busybox md5sum words"),
    ("mpirun", "mpirun --version | wc -l >/dev/null; ompi_info --version | head -n 1 | cut -d' ' -f 1-2"),
    ("openssl", "printf 'x%.0s' $(seq 2000) | openssl enc -aes-256-gcm -K 00 -iv 00 2>&1 | wc -c; openssl list "
                "-digest-algorithms | wc -l; openssl ciphers | tr : '\\n' | wc -l"),
    ("meson", "printf \"project('p', 'c')\\nexecutable('p', 'static.c')\\n\" > meson.build && meson setup b "
              ">/dev/null && meson compile -C b >/dev/null && ./b/p x; rm -rf b"),
    ("node", "node -e 'require(\"child_process\").exec(\"echo sub; exit 3\", (e, out) => console.log(e.code, "
             "out.trim()))'"),
]
