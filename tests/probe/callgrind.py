# SPDX-License-Identifier: BSD-3-Clause
"""What callgrind counts of a program: calls and instructions of each function, and which calls which."""
import os
import subprocess


def whole(name):
    """Of a function within itself, and of what compilers have moved away."""
    return name.split("'")[0].replace(" [clone .cold]", "").replace(".cold", "")


class Callgrind:
    """Functions are pairs of a file's name and their own. Of each: calls, instructions with those of all that it
    called, and its own; and of each how often it calls which."""

    def __init__(self, command, out, environment=None):
        # Stubs of the linker are no part of their caller.
        subprocess.run(["valgrind", "--tool=callgrind", "--skip-plt=no", "--compress-strings=no", "--compress-pos=no",
                        f"--callgrind-out-file={out}", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=True, timeout=300, env=environment)
        self.functions, self.calls = {}, {}
        with open(out, encoding="utf-8") as file:
            self.read(file)

    def read(self, file):
        own = thing = ""
        function = callee = None
        part = False
        for line in file:
            key, mark, value = line.rstrip().partition("=")
            if key == "ob":
                own = thing = os.path.basename(value)
            elif key == "cob":
                thing = os.path.basename(value)
            elif key == "fn":
                function = own, whole(value)
            elif key == "cfn":
                # A part is jumped to.
                callee, part = (thing, whole(value)), "cold" in value
            elif key == "calls":
                self.add_call(function, callee, 0 if part else int(value.split()[0]), int(next(file).split()[-1]))
                thing = own
            elif not mark and line[:1].isdigit() and function:
                self.functions.setdefault(function, [0, 0, 0])[2] += int(line.split()[-1])

    def add_call(self, function, callee, n, inclusive):
        counts = self.functions.setdefault(callee, [0, 0, 0])
        counts[0] += n
        counts[1] += inclusive if callee != function else 0
        callees = self.calls.setdefault(function, {})
        callees[callee] = callees.get(callee, 0) + n

    def reached(self, *functions):
        """All that these call, and what is called there, without those themselves unless they come again."""
        seen, ahead = set(), list(functions)
        while ahead:
            for callee in self.calls.get(ahead.pop(), ()):
                if callee not in seen:
                    seen.add(callee)
                    ahead.append(callee)
        return seen

    def through_stubs(self):
        """Of functions: the instructions of stubs that their callers have called in their place."""
        found = {}
        for stub, callees in self.calls.items():
            if stub[0] == "???":
                each = self.functions[stub][2] / max(1, sum(callees.values()))
                for callee, n in callees.items():
                    found[callee] = found.get(callee, 0) + n * each
        return found
