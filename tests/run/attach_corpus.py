# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are busy in ways of their own, for attach_cycles.py: each says the same in the end whenever it runs.

The process that is started is the one to attach to. What is not installed is left out.
"""
import os
import shutil
import subprocess
import sys

HELPERS = os.environ["PAPI_RUN_HELPERS"]
BUSY = os.path.join(HELPERS, "busy")
HEAP = os.path.join(HELPERS, "heap")
SERVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attach_serve.py")

PYTHON = """
import threading, time
results = [0] * 3
def work(k):
    s = 0
    for i in range(150000):
        s = (s * 31 + i * k) % 1000003
        if i % 20000 == 0: time.sleep(0.01)
        {i: [s]}
    results[k] = s
threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
print(results)
"""
PERL = 'my $s = 0; for my $i (1 .. 1500000) { $s = ($s * 31 + $i) % 1000003; my @a = ($i, $s); } print "$s\\n"'
SQL = ("with recursive c(x) as (select 1 union all select x + 1 from c where x < 600000) "
       "select sum(x * x % 7), count(*), group_concat(distinct x % 11) from c;")
NODE = "let s = 0; for (let i = 0; i < 3e7; i++) s = (s * 31 + i) % 1000003; setTimeout(() => console.log(s), 300)"
JAVA = """import java.util.*;
public class Busy {
    static long work(int seed) {
        Map<String, List<Integer>> map = new HashMap<>();
        long sum = seed;
        for (int i = 0; i < 300000; i++) {
            map.computeIfAbsent("k" + (i * seed) % 5003, k -> new ArrayList<>()).add(i);
            if (i % 50000 == 0) { for (List<Integer> list : map.values()) sum = sum * 31 + list.size(); map.clear(); }
            try { if (i % 1000 == 999) throw new IllegalStateException("x" + i); }
            catch (IllegalStateException e) { sum = sum * 31 + e.getMessage().hashCode(); }
        }
        return sum;
    }
    public static void main(String[] words) throws Exception {
        long[] results = new long[3];
        Thread[] threads = new Thread[3];
        for (int k = 0; k < 3; k++) {
            int seed = k + 3;
            threads[k] = new Thread(() -> results[seed - 3] = work(seed));
            threads[k].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(Arrays.toString(results));
    }
}
"""
FUNCTION = """
struct s%(n)d { int a[16]; double d; struct s%(n)d *next; };
double f%(n)d(struct s%(n)d *p, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 16; k++)
			p->a[k] += k * i %% (p->a[(k + 1) & 15] | 1);
		switch (p->a[i & 15] & 7) {
		case 0: sum += p->d; break;
		case 1: sum *= p->d; break;
		case 2: p = p->next ? p->next : p; break;
		case 5: sum -= p->a[3] / 3; break;
		default: p->d = sum * 0.5 + n;
		}
	}
	return sum;
}
"""


def first_line(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout.decode().strip()


def compiler(directory):
    """The compiler proper, which the driver would wait for."""
    path = shutil.which(first_line("gcc", "-print-prog-name=cc1")) if shutil.which("gcc") else None
    source = os.path.join(directory, "large.c")
    with open(source, "w", encoding="ascii") as file:
        file.writelines(FUNCTION % {"n": n} for n in range(150))
    return [path or "cc1", "-quiet", "-O2", source, "-o", "-"]


def java(directory):
    """Compiled before; nothing where there is no compiler."""
    source = os.path.join(directory, "Busy.java")
    with open(source, "w", encoding="ascii") as file:
        file.write(JAVA)
    if not shutil.which("javac") or subprocess.run(["javac", "-d", directory, source], check=False).returncode:
        return ["javac"]
    return ["java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", directory, "Busy"]


def server(name, binary, directory, number):
    """One that was unpacked without what it needs does not run."""
    if not shutil.which(binary) or subprocess.run([binary, "-v"], stdin=subprocess.DEVNULL, capture_output=True,
                                                  check=False).returncode:
        return ["/nowhere/" + binary]
    return [sys.executable, "-S", SERVE, name, directory, str(number)]


def programs(directory):
    """The commands by name, all of them; those whose first word cannot be found are not here. directory: for files."""
    return {
        "malloc": [BUSY, "malloc", "1000000"],
        "sleep": [BUSY, "sleep", "30"],
        "signals": [BUSY, "signals", "30000000"],
        "threads": [BUSY, "threads", "20000"],
        "spawn": [BUSY, "spawn", "3000"],
        "traps": [BUSY, "traps", "3000000"],
        "execute": [BUSY, "execute", "30"],
        "heap": [HEAP, "400000"],
        "python": [sys.executable, "-S", "-c", PYTHON],
        "perl": ["perl", "-e", PERL],
        "sqlite": ["sqlite3", ":memory:", SQL],
        "node": ["node", "-e", NODE],
        "compiler": compiler(directory),
        "java": java(directory),
        "redis": server("redis-server", "redis-check-rdb", directory, 60000),
        "nginx": server("nginx", "nginx", directory, 150000),
    }
