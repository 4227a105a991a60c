# SPDX-License-Identifier: BSD-3-Clause
"""Tests of a build, run on another machine than meson's.

    suite.py share TESTS BUILD MACHINES FOLDER [NAME...]   from what `meson introspect --tests` says of that build, a
                                                           file for each machine
    suite.py run SHARE                                     runs those of one file there, and says how each has ended
    suite.py report FOLDER                                 what all machines have said, in the words of `make check`
    suite.py emulate TESTS BUILD SYSTEM [NAME...]          those of the virtual PMU, or with a NAME in theirs, in QEMU's
                                                           user mode, with the libraries of that system
"""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

# What runs neither in the guest nor in QEMU's user mode, and why; by suite, or by the end of its name.
LEFT_OUT = {
    "abi": "compares what the compiler made with a record of x86-64, or compiles headers",
    "corpus": "programs of the system: tests/guest/programs.list has those of the guest",
    "doc": "documents are the same on each machine",
    "fuzz": "fuzzers want clang there",
    "guest": "a guest in the guest",
    "house": "rules of the tree are the same on each machine",
    "install": "installs a build, for which meson would have to be there",
    "packages": "builds packages",
    "tables": "looks at packages that are downloaded",
    "fortran constants": "asks the compilers of the machine that builds",
    "system idioms": "counts branches, of which the guest's PMU knows none",
    "bench": "measures speed, of which the guest's clock knows nothing",
    "roofline": "measures speed, of which the guest's clock knows nothing",
    "times": "the same visits again and again, which takes hours there; \"attach\" makes each once",
    "arm64 decode": "a disassembler of the machine that builds is the witness",
    "moved on arm64": "a disassembler of the machine that builds is the witness",
}
# In the guest, besides.
NOT_IN_GUEST = {
    "by instructions": "a setting of QEMU's user mode; in this machine signals come between any two anyway",
    "arm64 profile witness": "a plugin of QEMU's user mode",
}
# In user mode, besides: there is no perf_event_open, and what a process starts runs without QEMU.
NOT_EMULATED = {
    "arm64 changes": "maps code anew, of which QEMU runs now and then what was there before",
    "arm64 signals": "timers are to interrupt any instruction: QEMU looks for signals between blocks of its own",
    "overflow virtual_sets": "asks how much memory is resident, of which QEMU takes more",
    "vpmu behaviour": "starts itself again",
    "vpmu component_0": "counts software events beside",
    "vpmu filters": "the kernel is to refuse perf_event_open, not QEMU",
    "vpmu one_by_one": "counts software events beside",
}
# Tests that send signals by timers are told how much slower this machine is, so that it gets on between two of them.
ARGUMENTS = {"vpmu signals": ["20"], "vpmu reentry": ["40"], "arm64 profile": ["20"], "arm64 profile_calls": ["20"],
             "arm64 profile_modelled": ["2", "20"], "arm64 signals": ["20"], "vpmu torture": ["1", "3", "20"]}
# The guest's clock is that of two nanoseconds an instruction, some six times slower than a processor's; but limits are
# for busy machines, and nothing else runs in the guest. A second of it takes two or three here.
SLOWNESS = 2
LONGEST = 240
LAST = 12  # lines of a failure that are shown


def suites(test):
    return {name.rpartition(":")[2] for name in test["suite"]}


def left_out(test, besides):
    name = test["name"].removesuffix(" few blocks")
    return next((reason for word, reason in {**LEFT_OUT, **besides}.items()
                 if word in suites(test) or name.endswith(word)), None)


def chosen(file, names):
    with open(file, encoding="utf-8") as stream:
        tests = json.load(stream)
    tests = [test for test in tests
             if not names or any(name in test["name"] or name in suites(test) for name in names)]
    if not tests:
        print("no test has such a name")
    return tests


def share(file, build, machines, folder, *names):
    tests = chosen(file, names)
    shares = [[] for _ in range(int(machines))]
    # Those that may take longest first, and to each machine as much as to the others.
    for test in sorted(tests, key=lambda test: (-test["timeout"], test["name"])):
        reason = left_out(test, NOT_IN_GUEST)
        min(shares, key=lambda some: sum(each["timeout"] for each in some if not each["reason"])).append(
            {"name": test["name"], "environment": test["env"],
             "command": test["cmd"] + ARGUMENTS.get(test["name"].removesuffix(" few blocks"), []),
             "folder": test["workdir"] or build, "timeout": test["timeout"], "reason": reason})
    for i, some in enumerate(shares):
        if some:
            with open(os.path.join(folder, f"share{i}.json"), "w", encoding="utf-8") as stream:
                json.dump(some[::-1], stream)  # the shortest come first
    return 0 if tests else 1


# ---- there


def prepare():
    """Files where they are on the machine that has built them, and what systems have that are booted by more."""
    for path, folders, files in os.walk("files"):
        for name in files + [name for name in folders if os.path.islink(os.path.join(path, name))]:
            source = os.path.join(path, name)
            target = "/" + os.path.relpath(source, "files")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.move(source, target)
    os.environ.pop("LD_LIBRARY_PATH", None)  # of boot.sh, for other libraries
    os.environ.update(PATH="/usr/bin:/bin:/usr/sbin:/busybox", LC_ALL="C.UTF-8", TMPDIR="/tmp")
    for command in ("ifconfig lo up", "mkdir -p /dev/shm /dev/pts", "mount -t tmpfs none /dev/shm",
                    "mount -t devpts none /dev/pts"):
        subprocess.run(command.split(), check=False)
    for name, target in {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        if not os.path.lexists("/dev/" + name):
            os.symlink(target, "/dev/" + name)
    with open("/etc/passwd", "a", encoding="ascii") as stream:
        stream.write("nobody:x:65534:65534:nobody:/:/bin/sh\n")
    # As most systems have it; Debian's kernels begin with a value of their own, at which users count nothing.
    with open("/proc/sys/kernel/perf_event_paranoid", "w", encoding="ascii") as stream:
        stream.write("2\n")
    with open("/etc/hosts", "w", encoding="ascii") as stream:
        stream.write("127.0.0.1 localhost\n")


def run_test(test):
    """Its exit status, None when it took too long; and what it wrote."""
    with open("/tmp/.output", "w+b") as output:
        environment = {**os.environ, **test["environment"]}
        # Optional programs of the machine that builds.
        environment.update({name: "" for name, value in environment.items()
                            if value.startswith("/usr/") and ":" not in value and not os.path.exists(value)})
        # What a test adds to it has come alone.
        environment["PATH"] = ":".join(dict.fromkeys([os.environ["PATH"], environment["PATH"]]))
        with subprocess.Popen(test["command"], env=environment, stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.STDOUT, cwd=test["folder"],
                              start_new_session=True) as process:
            try:
                status = process.wait(min(test["timeout"] * SLOWNESS, LONGEST))
            except subprocess.TimeoutExpired:
                status = None
            # What a test leaves behind would run beside the next.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return status, output.read().decode("utf-8", "replace").splitlines()


def outcome_of(test):
    """Of a test that is not left out: passed, skipped or failed, and why."""
    try:
        status, said = run_test(test)
    except OSError as error:
        status, said = 127, [str(error)]
    outcome = {0: "passed", 77: "skipped"}.get(status, "failed")
    if status is None:
        said = [*said, "took too long"]
    elif outcome == "failed":
        said = [*(line for line in said if not line.startswith(("ok ", "skipped "))), f"ended with {status}"]
    return outcome, said


def result_of(test):
    began = time.monotonic()
    outcome, said = ("left out", [test["reason"]]) if test["reason"] else outcome_of(test)
    return {"name": test["name"], "outcome": outcome, "said": said[-LAST:],
            "seconds": round(time.monotonic() - began, 1)}


def run(file):
    with open(file, encoding="utf-8") as stream:
        tests = json.load(stream)
    prepare()
    for test in tests:
        print("result " + json.dumps(result_of(test)), flush=True)
    return 0


# ---- here again


def report(folder):
    outcomes = {}
    for file in sorted(glob.glob(os.path.join(folder, "stage", "share*.json"))):
        with open(file, encoding="utf-8") as stream:
            wanted = [test["name"] for test in json.load(stream)]
        with open(os.path.join(folder, os.path.basename(file) + ".output"), encoding="utf-8",
                  errors="replace") as stream:
            lines = stream.read().splitlines()
        for line in lines:
            if line.startswith("result "):
                result = json.loads(line[len("result "):])
                outcomes[result["name"]] = result
        for name in wanted:
            if name not in outcomes:
                outcomes[name] = {"name": name, "outcome": "failed", "seconds": 0,
                                  "said": [*lines[-1:], "the guest ended before it"]}
    return tell(list(outcomes.values()))


def tell(results):
    of = {kind: [each for each in results if each["outcome"] == kind]
          for kind in ("passed", "left out", "skipped", "failed")}
    for each in of["left out"] + of["skipped"]:
        print(f"{each['outcome']}: {each['name']}: {each['said'][-1] if each['said'] else 'it does not say why'}")
    for each in of["failed"]:
        print(f"FAILED: {each['name']}, after {each['seconds']} s")
        for line in each["said"]:
            print("    " + line)
    print(f"{len(of['passed'])} passed, {len(of['failed'])} failed, {len(of['skipped']) + len(of['left out'])} skipped")
    return 1 if of["failed"] or not of["passed"] else 0


def is_for_arm64(path):
    """Whether that is a program for such a processor."""
    with open(path, "rb") as file:
        head = file.read(20)
    return head[:4] == b"\x7fELF" and head[18:] == b"\xb7\0"


def emulated(test, build, system):
    """How that test runs in QEMU's user mode."""
    reason = left_out(test, NOT_EMULATED)
    if not reason and not is_for_arm64(test["cmd"][0]):
        reason = "starts programs, which QEMU would have to be put before"
    environment = {"QEMU_CPU": "max", **test["env"]}
    libraries = environment.pop("LD_LIBRARY_PATH", "")
    command = ["qemu-aarch64", "-L", system, "-E", "LD_LIBRARY_PATH=" + libraries, *test["cmd"],
               *ARGUMENTS.get(test["name"].removesuffix(" few blocks"), [])]
    return {"name": test["name"], "environment": environment, "command": command,
            "folder": test["workdir"] or build, "timeout": test["timeout"], "reason": reason}


def emulate(file, build, system, *names):
    tests = chosen(file, names or ["vpmu", "arm64"])
    results = [result_of(emulated(test, build, system)) for test in tests]
    return tell(results) if tests else 1


if __name__ == "__main__":
    sys.exit({"share": share, "run": run, "report": report, "emulate": emulate}[sys.argv[1]](*sys.argv[2:]))
