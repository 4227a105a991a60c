#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What counting whole programs by translation costs: processor time as a multiple of the program's own.

    bench/corpus.py BUILD [--programs gawk,fib] [--ways exact,BR_MSP,none] [--rounds 5] [--json FILE] [--check]

Twelve programs of a usual machine and the kernels of bench/virtual_kernels.c run alone, under papi_run in several ways,
and under Valgrind, in turns. A number is the median over the rounds of the processor time (user and system, of all
processes) divided by that of the same round alone. Programs and ways can be chosen; those that are not there are left
out, and named. --check exits with 1 where a ratio is above its limit.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "corpus"
KERNELS = {  # name here: name in virtual_kernels.c, runs
    "loop": ("integer loop", 10), "chase": ("pointer chase", 10), "quicksort": ("quicksort", 12),
    "matrix": ("matrix multiply, AVX2", 20), "matrix512": ("matrix multiply, AVX-512", 20),
    "fib": ("recursive fib", 20),
}
EXACT = ("PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_TKN", "PAPI_FP_OPS")
MODELLED = ("PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_L1_ICM", "PAPI_L2_DCM", "PAPI_L2_TCM", "PAPI_TLB_DM", "PAPI_TLB_IM",
            "PAPI_BR_MSP", "PAPI_TOT_CYC")


def ways_of(papi_run):
    """Name: environment, command in front of the program."""
    def events(*names):
        return [papi_run, "-o", os.devnull, "-e", ",".join(names)]

    sampled = {"PAPI_VPMU_MODEL": "sampled"}
    profile = [str(pathlib.Path(papi_run).with_name("papi_profile")), "-x", "-e", "PAPI_TOT_INS", "-o",
               os.path.join(tempfile.gettempdir(), f"corpus-{os.getpid()}.db")]
    return {
        "instructions": ({}, events("PAPI_TOT_INS")),
        "exact": ({}, events(*EXACT)),
        "profile": ({}, [*profile, "-g", "none"]),
        "calls": ({}, profile),
        "contexts": ({}, [*profile, "--contexts"]),
        "BR_MSP": ({}, events("PAPI_BR_MSP")),
        "L1_DCM": ({}, events("PAPI_L1_DCM")),
        "sampled": (sampled, events(*MODELLED)),
        "all": ({}, events(*MODELLED)),
        "none": ({}, ["valgrind", "--tool=none", "--trace-children=yes", "-q"]),
        "callgrind": ({}, ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--trace-children=yes",
                           "--callgrind-out-file=/dev/null", "-q"]),
        "cachegrind": ({}, ["valgrind", "--tool=cachegrind", "--trace-children=yes", "--cache-sim=yes",
                            "--branch-sim=yes", "--cachegrind-out-file=/dev/null", "-q"]),
    }


# At most: on each program, and in the median of them.
LIMITS = {"exact": (3, 2), "BR_MSP": (12, None), "L1_DCM": (25, None), "sampled": (15, 8), "all": (40, None)}
# What one way takes as a multiple of another, in the same rounds: at least, at most, and in the median at least.
MULTIPLES = {
    ("none", "exact"): (4, None, None),
    ("profile", "instructions"): (None, 1.05, None),
    ("calls", "instructions"): (None, 2, None),
    ("contexts", "instructions"): (None, 3, None),
    ("callgrind", "profile"): (7, None, 13),
    ("callgrind", "calls"): (7, None, 13),
    ("callgrind", "contexts"): (None, None, None),
}
RECURSIVE = {("calls", "instructions"): 2.4}  # fib does nothing else


def numbers(n, seed=1):
    """Pseudo-random, the same in every run."""
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2 ** 31
        yield seed >> 12


def write_inputs(folder):
    """Text of words that repeat, for what compresses and sorts; and a unit of C."""
    words = ["".join("etaoinshrdlu"[n >> 3 * i & 7] for i in range(2 + n % 7)) for n in numbers(4000)]
    picks = numbers(300000, 7)
    lines = (" ".join(words[n % 4000 * (n % 3) // 2] for _, n in zip(range(8), picks)) for _ in range(36000))
    (folder / "text").write_text("\n".join(lines) + "\n")
    functions = [
        f"int f{i}(const int *a, int n) {{ int s = {i}; for (int i = 0; i < n; i++) {{ switch (a[i] & 7) {{"
        f" case 0: s += a[i] * {i + 3}; break; case 3: s ^= a[i] >> {i % 5}; break; case 5: s -= n; break;"
        f" default: if (s > {100 + i}) s /= 2; else s += f{i - 1 if i else 1}(a, n - 1); }} }}"
        f" return s; }}\nstruct s{i} {{ long v[{i % 9 + 1}]; struct s{i} *next; }};\n"
        f"long g{i}(struct s{i} *p) {{ long t = 0; while (p) {{ for (int k = 0; k < {i % 9 + 1}; k++) t += p->v[k];"
        f" p = p->next; }} return t; }}\n" for i in range(60)]
    (folder / "unit.c").write_text("int f1(const int *a, int n);\n" + "".join(functions))


def programs_of(build, folder):
    """Name: command."""
    text, python = str(folder / "text"), "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    found = {
        "gawk": ["gawk", "-f", HERE / "table.awk"],
        "bash": ["bash", HERE / "sieve.sh"],
        "sqlite": ["sqlite3", ":memory:", f".read {HERE / 'join.sql'}"],
        "perl": ["perl", HERE / "words.pl"],
        "python": [python, "-S", HERE / "objects.py"],
        "numpy": [python, HERE / "arrays.py"],
        "gcc": ["gcc", "-O2", "-S", "-o", os.devnull, folder / "unit.c"],
        "xz": ["xz", "-2", "-T1", "-k", "-c", text],
        "gzip": ["gzip", "-c", text],
        "sort": ["sort", "--parallel=1", "-k4", "-k2,2r", text, text, text, text],
        "sed": ["sed", "-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g; /th?o/d", text],
        "grep": ["grep", "-cE", "(ea|oo)[a-z]*(is|h) .*t$|([a-z])\\3 .*\\3", text],
    }
    found = {name: [str(word) for word in command] for name, command in found.items()}
    for name, (kernel, runs) in KERNELS.items():
        found[name] = [str(build / "bench/virtual"), "--run", kernel, str(runs)]
    return found


def environment_of_programs():
    """The same in every run, and presets are counted by translation."""
    return {**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0", "OPENBLAS_NUM_THREADS": "1",
            "PAPI_VPMU": "always"}


def can_run(name, command, environment):
    """As it will be measured."""
    if not shutil.which(command[0]):
        return f"{command[0]} is not installed"
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    return f"{name} fails: {done.stderr.strip()[-200:]}" if done.returncode else None


def processor_time(command, environment):
    """In seconds, None where it fails."""
    # Not to /dev/null: grep would stop at the first match.
    with tempfile.TemporaryFile() as output:
        done = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime if status == 0 else None


def measure(command, ways, rounds, environment):
    """Of each way the median ratio; None where it fails."""
    ratios = {way: [] for way in ways}
    alone = []
    for _ in range(rounds):
        alone.append(processor_time(command, environment))
        for way, (extra, front) in ways.items():
            time = processor_time(front + command, {**environment, **extra})
            ratios[way].append(time / alone[-1] if time is not None and alone[-1] else None)
    medians = {way: None if None in found else statistics.median(found) for way, found in ratios.items()}
    return statistics.median(alone), {**medians, **multiples(ratios)}


def multiples(ratios):
    """Of those ways of MULTIPLES that ran: the median."""
    return {"/".join(pair): statistics.median(one / other for one, other in zip(*(ratios[way] for way in pair)))
            for pair in MULTIPLES if all(None not in ratios.get(way, [None]) for way in pair)}


def cell(way, ratio):
    if ratio is None:
        return f"{'fails':>12}"
    limit = LIMITS.get(way, (None,))[0]
    return f"{ratio:>10.2f}{' !' if limit and ratio > limit else '  '}"


def exceeded(results, ways):
    """What is above its limit, as sentences."""
    found = []
    for way in [way for way in ways if way in LIMITS]:
        each, middle = LIMITS[way]
        ratios = {name: medians[way] for name, (_, medians) in results.items()}
        found += [f"{way} of {name}: it failed" for name, ratio in ratios.items() if ratio is None]
        ratios = {name: ratio for name, ratio in ratios.items() if ratio is not None}
        found += [f"{way} of {name}: {ratio:.2f}, at most {each}" for name, ratio in ratios.items()
                  if each and ratio > each]
        if middle and ratios and statistics.median(ratios.values()) > middle:
            found.append(f"{way}: {statistics.median(ratios.values()):.2f} in the median, at most {middle}")
    return found


def most(pair, name):
    return RECURSIVE.get(pair, MULTIPLES[pair][1]) if name == "fib" else MULTIPLES[pair][1]


def show_multiples(results):
    """In a table of its own, if there are any; what is beyond its limit, as sentences."""
    found, pairs = [], [pair for pair in MULTIPLES if any("/".join(pair) in row for _, row in results.values())]
    if not pairs:
        return found
    print(f"{'':10}" + "".join(f"{'/'.join(pair):>23}" for pair in pairs))
    for name, (_, row) in results.items():
        print(f"{name:10}" + "".join(f"{row['/'.join(pair)]:>23.2f}" if "/".join(pair) in row else f"{'fails':>23}"
                                     for pair in pairs))
    values = {pair: {name: row["/".join(pair)] for name, (_, row) in results.items() if "/".join(pair) in row}
              for pair in pairs}
    print(f"{'median':10}" + "".join(f"{statistics.median(values[pair].values()):>23.2f}" for pair in pairs))
    for pair in pairs:
        least, _, middle = MULTIPLES[pair]
        for name, value in values[pair].items():
            if (least and value < least) or (most(pair, name) and value > most(pair, name)):
                found.append(f"{' / '.join(pair)} of {name}: {value:.2f}, at "
                             f"{f'least {least}' if least else f'most {most(pair, name)}'}")
        if middle and statistics.median(values[pair].values()) < middle:
            found.append(f"{' / '.join(pair)}: {statistics.median(values[pair].values()):.2f} in the median, at least "
                         f"{middle}")
    return found


def choose(what, wanted, there):
    """Those of a comma-separated list, or all."""
    if not wanted:
        return list(there)
    names = wanted.split(",")
    for name in names:
        if name not in there:
            sys.exit(f"corpus.py: no {what} is called '{name}': {', '.join(there)}")
    return names


def add_options(parser):
    """What the other scripts of the corpus take, too."""
    parser.add_argument("build", type=pathlib.Path, help="where the project has been built")
    parser.add_argument("--programs", help="by name, between commas; all unless told")
    parser.add_argument("--json", type=pathlib.Path, help="write the numbers there, too")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a limit is exceeded")


def papi_run_of(build):
    """Its path; the end where nothing has been built."""
    papi_run = str(build.resolve() / "tools/papi_run")
    if not os.path.exists(papi_run):
        sys.exit(f"corpus.py: no papi_run in {build}: build first (make)")
    return papi_run


def each_program(options, folder, environment):
    """Name and command of those that were chosen and run here; the others are named."""
    write_inputs(pathlib.Path(folder))
    programs = programs_of(options.build.resolve(), pathlib.Path(folder))
    for name in choose("program", options.programs, programs):
        obstacle = can_run(name, programs[name], environment)
        if obstacle:
            print(f"left out: {obstacle}")
        else:
            yield name, programs[name]


def end(over, check):
    """Says what is above its limit, and ends; profiles are of no use any more."""
    pathlib.Path(tempfile.gettempdir(), f"corpus-{os.getpid()}.db").unlink(missing_ok=True)
    for sentence in over:
        print(sentence)
    sys.exit(1 if check and over else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--ways", help="of counting, by name, between commas; all unless told")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    environment = environment_of_programs()
    ways = ways_of(papi_run_of(options.build))
    ways = {way: ways[way] for way in choose("way", options.ways, ways)}
    for way in [way for way, (_, front) in ways.items() if not shutil.which(front[0])]:
        print(f"left out: {way}: {ways.pop(way)[1][0]} is not installed")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'':10}{'alone, s':>10}" + "".join(f"{way:>12}" for way in ways), flush=True)
        for name, command in each_program(options, folder, environment):
            alone, medians = results[name] = measure(command, ways, options.rounds, environment)
            print(f"{name:10}{alone:>10.3f}" + "".join(cell(way, medians[way]) for way in ways), flush=True)
    if results:
        print(f"{'median':20}" + "".join(
            cell(None, statistics.median([m[way] for _, m in results.values() if m[way] is not None] or [0]))
            for way in ways))
    if options.json:
        options.json.write_text(json.dumps({name: {"alone_s": alone, **medians}
                                            for name, (alone, medians) in results.items()}, indent=1) + "\n")
    end(exceeded(results, ways) + show_multiples(results), options.check)


if __name__ == "__main__":
    main()
