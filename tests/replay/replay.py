# SPDX-License-Identifier: BSD-3-Clause
"""Recorded machines, replayed: what the utilities say of each must be what is in expected/.

A tree holds the files of /proc and /sys of a machine as one text (tests/unit/linux/tree.h tells its form;
tools/dev/gather-machine records one). It is unpacked, PAPI_ROOT is set to it, and the outputs of papi_mem_info, the
hardware header and the components are put together. What depends on the machine that runs the test is left out: the
versions, and whether the kernel here would let anybody count.

    replay.py TOOLS TREE... [--write]

--write: the outputs of now become the expected ones; read them before you commit.
    replay.py TOOLS --self BUILD        records this machine: replayed it must look as it does without
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_OF_THE_MACHINE = ("PAPI version", "Operating system", "Number Hardware Counters", "Fast counter read",
                      "Max Multiplex Counters", "Counting ")


def unescape(text):
    """The bytes of a content."""
    out, i = bytearray(), 0
    while i < len(text):
        if text[i] != "\\" or i + 1 == len(text):
            out += text[i].encode("latin-1")
            i += 1
        elif text[i + 1] == "x":
            out.append(int(text[i + 2:i + 4], 16))
            i += 4
        else:
            out += {"n": b"\n", "t": b"\t"}.get(text[i + 1], text[i + 1].encode("latin-1"))
            i += 2
    return bytes(out)


def unpack(tree, directory):
    with open(tree, encoding="latin-1") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line or line[0] == "#":
                continue
            path, _, content = line.partition("\t")
            path = directory + path
            if path.endswith("/"):
                os.makedirs(path, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(unescape(content))


def output_of(tools, root, tool):
    result = subprocess.run([os.path.join(tools, tool)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=60, env={**os.environ, "PAPI_ROOT": root})
    if result.returncode or result.stderr:
        sys.exit(f"{tool} ends with {result.returncode} and says: {result.stderr}")
    return result.stdout.splitlines()


def describe(tools, root):
    """Header, memory, and the names of the components."""
    components = output_of(tools, root, "papi_component_avail")
    rules = [i for i, line in enumerate(components) if line.startswith("-----")]
    header = [line for line in components[rules[0] + 1:rules[1]] if not line.startswith(NOT_OF_THE_MACHINE)]
    compiled = components.index("Compiled-in components:")
    names = []
    for line in components[compiled + 1:]:
        if not line:
            break
        if line.startswith("Name:"):
            names.append(line.split()[1])
    memory = output_of(tools, root, "papi_mem_info")
    return "\n".join([*header, "Components               : " + " ".join(names), "", *memory]).rstrip() + "\n"


def replay_this_machine(tools, build):
    gather = os.path.join(HERE, "../../tools/dev/gather-machine")
    tree = subprocess.run([gather, build], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as root:
        file = os.path.join(root, "this.tree")
        with open(file, "w", encoding="latin-1") as out:
            out.write(tree)
        unpack(file, root)
        replayed = describe(tools, root)
    # Clock rates that the kernel measures change from one moment to the next.
    pairs = [[line for line in text.splitlines() if "MHz" not in line] for text in (replayed, describe(tools, "/"))]
    if pairs[0] == pairs[1]:
        print("ok       this machine")
        return
    print("FAILED   this machine", *pairs[0], "--- and without its tree:", *pairs[1], sep="\n")
    sys.exit(1)


def main():
    if len(sys.argv) == 4 and sys.argv[2] == "--self":
        replay_this_machine(sys.argv[1], sys.argv[3])
        return
    write = "--write" in sys.argv
    tools, *trees = [word for word in sys.argv[1:] if word != "--write"]
    failed = []
    for tree in trees:
        name = os.path.splitext(os.path.basename(tree))[0]
        expected_file = os.path.join(HERE, "expected", name + ".txt")
        with tempfile.TemporaryDirectory() as root:
            unpack(tree, root)
            got = describe(tools, root)
        if write:
            with open(expected_file, "w", encoding="utf-8") as out:
                out.write(got)
            continue
        with open(expected_file, encoding="utf-8") as file:
            expected = file.read()
        if got == expected:
            print(f"ok       {name}")
            continue
        failed.append(name)
        print(f"FAILED   {name}")
        difference = subprocess.run(["diff", "-u", expected_file, "-"], input=got, capture_output=True, text=True)
        print(difference.stdout)
    sys.exit(1 if failed else 0)


main()
