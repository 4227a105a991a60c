#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sessions in documents and man pages: what commands print must look as it is shown.

check-output.py SOURCE_ROOT BUILD_ROOT [--write] [DOCUMENT...]

A session is an indented block of Markdown, or a literal one of a man page, whose first line begins with "$ ". Its
commands are run one after the other in a folder that belongs to the document, with the tools of the build. `cat FILE`
of a file that is not there makes it of what is shown. A command that shows nothing is run only if it is one of the
tools or sets a variable; one that needs what is not here is left out, and so is what follows it in the document.

Numbers may differ, and where lines are broken; of lines "label : value" the values may; "..." stands for any lines.
--write puts what is printed in the place of what is shown, where that looks different.
"""
import argparse
import fcntl
import glob
import importlib.util
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

# What sessions take for granted, besides the tools and the programs that every system has.
NEEDED = {"cc": "cc", "xz": "xz", "xmllint": "xmllint", "python3": "python3", "sqlite3": "sqlite3",
          "setarch": "setarch"}


class Session:
    def __init__(self, start, indent, lines):
        self.start, self.indent, self.lines = start, indent, lines

    def steps(self):
        """Commands, and the lines that are shown for each."""
        found, continued = [], False
        for line in self.lines:
            if continued:
                found[-1][0] += "\n" + line
            elif line.startswith("$ "):
                found.append([line[2:], []])
            else:
                found[-1][1].append(line)
            if not found[-1][1]:
                continued = found[-1][0].endswith("\\") or found[-1][0].count("'") % 2 == 1
        for _, shown in found:
            while shown and not shown[-1].strip():
                shown.pop()
        return found


def markdown_sessions(lines):
    block, start = [], 0
    for number, line in enumerate([*lines, "end"]):
        if line.startswith("    $ ") or block and (line.startswith("    ") or not line):
            if not block:
                start = number
            block.append(line[4:])
        elif block:
            while not block[-1]:
                block.pop()
            yield Session(start, "    ", block)
            block = []


def page_sessions(lines):
    start = None
    for number, line in enumerate(lines):
        if line.startswith(".Bd -literal"):
            start = number + 1
        elif line.startswith(".Ed") and start is not None:
            block = [re.sub(r"\\([-e&])", lambda found: {"-": "-", "e": "\\", "&": ""}[found[1]], text)
                     for text in lines[start:number]]
            if block and block[0].startswith("$ "):
                yield Session(start, "", block)
            start = None


def shape(lines):
    """What of the lines must be the same."""
    shapes = []
    for line in lines:
        label = re.match(r" *([A-Z][\w ()/.']*?) *: +\S", line)
        # What is said of an event is compared whole: a number more or less moves the ends of its lines.
        if label and "::" not in label[1] and not label[1].startswith("PAPI_"):
            line = label[1] + " :"
        line = re.sub(r"0x[0-9a-f]+|\d+(?:[.,]\d+)*", "N", line)
        line = re.sub(r"(?<=N )[munpkMGTPE]?(s|s/s|/s)(?= |$)", "U", re.sub(r" +", " ", line.strip()))
        shapes.append(line)
    return shapes


def looks_alike(shown, printed):
    """Whether the printed lines fit what is shown, where "..." stands for any number of lines."""
    pattern = r"\s*".join(r"[\s\S]*?" if line == "..." else r"\s+".join(map(re.escape, line.split()))
                         for line in shape(shown))
    return re.fullmatch(r"\s*" + pattern + r"\s*", "\n".join(shape(printed))) is not None


def missing(command):
    """The first program that the command needs and this machine lacks."""
    for name, program in NEEDED.items():
        if re.search(rf"(^|[|;& ]){name}( |$)", command) and not shutil.which(program):
            return program
    if "-m pytest" in command and importlib.util.find_spec("pytest") is None:
        return "pytest"
    return None


def on_terminal(command, directory, environment):
    """What a command prints to a terminal of 80 columns, which is what people see."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    parts = []
    with subprocess.Popen(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=slave, stderr=slave, start_new_session=True):
        os.close(slave)
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # nobody has the other end any more
                break
            if not part:
                break
            parts.append(part)
    os.close(master)
    return b"".join(parts).decode(errors="replace").replace("\r\n", "\n")


class Folder:
    """Where the sessions of a document run."""
    def __init__(self, directory, source, build):
        self.directory = directory
        places = (os.path.join(build, "tools"), os.path.dirname(sys.executable), os.environ["PATH"])
        self.environment = {**os.environ, "PATH": ":".join(places),
                            "PKG_CONFIG_PATH": os.path.join(build, "meson-uninstalled"), "LC_ALL": "C",
                            "C_INCLUDE_PATH": os.path.join(source, "include"), "NO_COLOR": "1",
                            "PYTHONPATH": os.path.join(source, "python/src"), "PYTHONDONTWRITEBYTECODE": "1",
                            "TERM": "xterm", "LD_LIBRARY_PATH": os.path.join(build, "src")}
        # Meson has malloc() fill memory, which is counted, too.
        for name in ("PAPI_CSV_EVENT_FILE", "PAPI_USER_EVENTS_FILE", "PAPI_VPMU", "PAPI_EVENTS", "MALLOC_PERTURB_"):
            self.environment.pop(name, None)
        shutil.copy(os.path.join(source, "examples", "first.c"), directory)
        with open(os.path.join(directory, "sources.tar"), "wb") as file:
            file.write(os.urandom(1 << 14) + bytes(range(256)) * 4096)

    def run(self, command, shown):
        """What the command prints; None if it is not one to be run here."""
        match = re.fullmatch(r"cat (\S+)", command)
        if match and not os.path.exists(os.path.join(self.directory, match[1])):
            with open(os.path.join(self.directory, match[1]), "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in shown))
            return shown
        match = re.fullmatch(r"export (\w+)=(\S+)", command)
        if match:
            self.environment[match[1]] = match[2]
            return shown
        if not shown and not re.match(r"(\w+=\S+ )*papi_\w+ .*>", command):
            return None
        printed = on_terminal(command, self.directory, self.environment).split("\n")
        while printed and not printed[-1].strip():
            printed.pop()
        return printed


def check(path, source, build, write):
    """The number of commands that were compared, and of those that print something else."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    page = not path.endswith(".md")
    compared = wrong = 0
    replaced = []
    with tempfile.TemporaryDirectory() as directory:
        folder = Folder(directory, source, build)
        for session in (page_sessions if page else markdown_sessions)(lines):
            written = []
            for command, shown in session.steps():
                lacks = missing(command)
                if lacks:
                    print(f"{os.path.relpath(path, source)}: left out: {lacks} is not here: {command}")
                    return compared, wrong
                printed = folder.run(command, shown)
                if printed is None or not shown:
                    written += ["$ " + command, *shown]
                    continue
                compared += 1
                good = looks_alike(shown, printed)
                if not good:
                    wrong += 1
                    print(f"{os.path.relpath(path, source)}:{session.start + 1}: $ {command}\n  shown:")
                    print("\n".join("    " + line for line in shown) + "\n  printed:")
                    print("\n".join("    " + line for line in printed))
                written += ["$ " + command, *(shown if good else printed)]
            replaced.append((session, written))
    if write and wrong:
        for session, written in reversed(replaced):
            if page:
                written = [re.sub(r"^([.'])", r"\\&\1", line.replace("\\", "\\e")) for line in written]
            kept = [(session.indent + line).rstrip() for block in written for line in block.split("\n")]
            lines[session.start:session.start + len(session.lines)] = kept
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return compared, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("documents", nargs="*")
    options = parser.parse_intermixed_args()
    source, build = os.path.abspath(options.source), os.path.abspath(options.build)
    header = subprocess.run([os.path.join(build, "tools/papi_avail")], capture_output=True, text=True, check=False)
    if "virtual, by translation" not in header.stdout:
        print("the documents show a machine whose presets are counted virtually, which this one's are not")
        return 77
    places = [os.path.join(source, pattern) for pattern in ("*.md", "doc/*.md", "doc/*.5", "tools/*.1")]
    documents = options.documents or sorted(path for place in places for path in glob.glob(place))
    compared = wrong = 0
    for path in documents:
        results = check(os.path.abspath(path), source, build, options.write)
        compared, wrong = compared + results[0], wrong + results[1]
    print(f"{compared} commands, {wrong} print something else")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
