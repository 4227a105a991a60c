# SPDX-License-Identifier: BSD-3-Clause
"""attach_cycles.py TOOL NUMBER [WHAT...]: papi_run or papi_probe attaches to busy programs, counts, detaches, so many
times in all. They must do what they do undisturbed, and none may crash or hang. Refusals are allowed, and told by
reason."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from attach_corpus import programs
from harness import waits_in

OURS = ("malloc", "sleep", "signals", "threads", "spawn", "traps", "execute")
# What is counted; of programs of others the functions that they call often.
TOOLS = {
    "papi_run": lambda name: ["-e", "PAPI_TOT_INS"],
    "papi_probe": lambda name: ["-f", "libc.so.6!*alloc*", "-f", "free", "-f", "libc.so.6!*spawn*", "-f",
                                "libc.so.6!*wait*", *(["-f", "*"] if name in OURS else [])],
}
NOT_DISTURBING = re.compile(r"ended|no such|executed another|waits in the kernel", re.IGNORECASE)


class Target:
    """A program that runs again and again; each time its output and status are those of the first time."""

    def __init__(self, command, times):
        """times: as long as it runs by itself."""
        self.command = [*command[:-1], str(times * int(command[-1]))] if command[-1].isdigit() else command
        self.expected = self.wait(self.start())
        self.process = None
        self.runs = 0

    def start(self):
        return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @staticmethod
    def wait(process):
        try:
            return (*process.communicate(timeout=120), process.returncode)
        except subprocess.TimeoutExpired:
            process.kill()
            return "it hangs"

    def pid(self):
        if self.process and self.process.poll() is not None:
            self.end()
        if not self.process:
            self.process = self.start()
        return self.process.pid

    def reason_of(self, refusal):
        """Of a program that ends meanwhile many things cannot be had."""
        try:
            self.process.wait(timeout=0.2)
            return "the program has ended meanwhile"
        except subprocess.TimeoutExpired:
            return refusal

    def end(self):
        result = self.wait(self.process)
        self.process = None
        self.runs += 1
        if result != self.expected:
            sys.exit(f"{self.command[:2]} was disturbed: {result}, by itself {self.expected}")


def print_where(pid):
    """Where each thread of a process is, and of what it has begun."""
    def said(thread, name):
        try:
            with open(f"/proc/{pid}/task/{thread}/{name}", encoding="ascii", errors="replace") as file:
                return file.read().strip()
        except OSError as error:
            return error.strerror

    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        threads = []
    for thread in threads:
        state = re.findall(r"^(?:State|TracerPid|SigPnd|SigBlk|SigIgn|SigCgt):.*", said(thread, "status"), re.MULTILINE)
        print(f"{pid}/{thread} {said(thread, 'comm')}:", *state, "| call", said(thread, "syscall"), "| kernel",
              " ".join(re.findall(r"\S+(?=\+)", said(thread, "stack"))), flush=True)
        for child in said(thread, "children").split():
            if child.isdigit():
                print_where(child)


def cycle(command, pid):
    """Attaches and detaches. The reason why not, or None."""
    name = os.path.basename(command[0])
    tool = subprocess.Popen([*command, "-p", str(pid)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            start_new_session=True)
    end = time.monotonic() + 60
    while tool.poll() is None and not waits_in(tool.pid, "poll", "ppoll"):
        if time.monotonic() > end:
            print_where(tool.pid)
            print_where(pid)
            sys.exit(f"{name} does not come to count process {pid}")
        time.sleep(0.002)
    if tool.poll() is None:
        tool.send_signal(signal.SIGINT)
    errors = tool.communicate(timeout=60)[1].decode()
    if tool.returncode == 0 and re.search(r"PAPI_TOT_INS|Calls", errors):
        return None
    if tool.returncode not in (0, 125):
        sys.exit(f"{name} ended with {tool.returncode}: {errors}")
    return re.sub(r"\d+", "N", errors.strip())


def visit(name, tool, command, number, refused):
    """So many times. How often that was done; what was refused is counted by reason."""
    # What is not slowed by counting is to last as long.
    target = Target(command, 3 if os.path.basename(tool[0]) == "papi_probe" else 1)
    done = tried = 0
    while tried < number:
        reason = cycle(tool, target.pid())
        tried += 1
        done += not reason
        if reason:
            reason = target.reason_of(reason)
            if name == "execute":
                reason += " (it executed another program perhaps)"
            refused[reason] = refused.get(reason, 0) + 1
    if target.process:
        target.end()
    print(f"{name}: {tried} times, of which {tried - done} were refused, in {target.runs} runs", flush=True)
    return done


def cycles(number, tool, wanted, commands):
    names = [name for name in wanted or commands if shutil.which(commands[name][0])]
    left_out = [name for name in wanted or commands if name not in names]
    if left_out:
        print("left out, for they are not installed:", *left_out)
    refused, done = {}, 0
    for name in names:
        done += visit(name, [tool, *TOOLS[os.path.basename(tool)](name)], commands[name], number / len(names), refused)
    for reason, times in sorted(refused.items()):
        print(f"{times} refused: {reason}")
    hard = sum(times for reason, times in refused.items() if not NOT_DISTURBING.search(reason))
    if hard > number / 20 or done < number / 4:
        sys.exit(f"{hard} of {number} refused")


def main():
    tool = os.path.join(os.environ["PAPI_TOOLS"], sys.argv[1])
    os.environ["PAPI_VPMU"] = "always"
    sleeper = subprocess.Popen(["sleep", "60"])
    reason = cycle([tool, *TOOLS[sys.argv[1]]("perl")], sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    if reason:
        print(reason)
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="papi-attach-") as directory:
        cycles(int(sys.argv[2]), tool, sys.argv[3:], programs(directory))


main()
