#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of A64 that stand in a trampoline do what they did in their function, as binutils' disassembler says.

    test_moved.py MOVED_PROGRAM [NUMBER [SEED]]
"""
import array
import collections
import re
import shutil
import subprocess
import sys

from decode import disassemble, DISASSEMBLER, is_reserved, words

FROM, TO, STEP, REACH = 0x10000000, 0x14000000, 32, 1 << 27
# What raises an exception, would return elsewhere, or belongs to another by its place.
REFUSED = re.compile(r"(svc|hvc|smc|brk|hlt|dcps[123]|udf|blra?[ab]?z?|(ld|st)[al]?x[rp][bh]?|tcancel)\t"
                     r"|dcps[123]$|hint\t#0x27$")
TO_AN_ADDRESS = re.compile(r"(.*[\t ])(0x[0-9a-f]+)$")


def plain(text):
    """Without what the disassembler explains."""
    return re.split(r"\s+//", text)[0].rstrip()


def expected(text, address, place):
    """The lines that stand at a place for the instruction: texts, and numbers of 8 bytes that are loaded. None: it is
    refused."""
    text, jump = plain(text), f"b\t{address + 4:#x}"
    found = TO_AN_ADDRESS.match(text)
    if REFUSED.match(text):
        return None
    if not found:
        return [text, jump]
    target, operation = int(found[2], 16), text.split("\t")[0]
    register = text.split("\t")[1].split(",")[0] if "," in text else None
    if operation == "b":
        return [f"b\t{target:#x}"]
    if operation == "bl":
        return [f"ldr\tx30, {place + 8:#x}", f"b\t{target:#x}", address + 4]
    if operation in ("adr", "adrp"):
        return [f"ldr\t{register}, {place + 8:#x}", jump, target]
    if operation == "prfm":
        return [jump]
    if operation in ("ldr", "ldrsw"):
        return [f"ldr\tx16, {place + 12:#x}", f"{operation}\t{register}, [x16]", jump, target]
    return [f"{found[1]}{place + 8:#x}", jump, f"b\t{target:#x}"]


def is_too_far(lines, place):
    """Whether one of the jumps does not lead there."""
    targets = [int(line.split("0x")[1], 16) for line in lines if isinstance(line, str) and line.startswith("b\t")]
    return any(not -REACH <= target - place - 16 < REACH - 32 for target in targets)


def main(program, number=100000, seed=1):
    """Compares; prints a few of what is different."""
    if not shutil.which(DISASSEMBLER):
        print(f"{DISASSEMBLER} is not installed")
        return 77
    data = array.array("I", words(int(number), int(seed))).tobytes()
    lines = subprocess.run([program, hex(FROM), hex(TO), str(STEP)], input=data, stdout=subprocess.PIPE,
                           check=True).stdout.decode().split("\n")[:-1]
    moved = [[int(word, 16) for word in line.split()] for line in lines]
    # Each at its place, with words between them that nobody looks at.
    image = array.array("I", (word for some in moved for word in some + [0] * (STEP // 4 - len(some)))).tobytes()
    texts = {address: plain(text) for address, _, text in disassemble(image, TO)}
    kinds, wrong = collections.Counter(), 0
    for i, (some, (address, word, text)) in enumerate(zip(moved, disassemble(data, FROM), strict=True)):
        place = TO + i * STEP
        if is_reserved(word, text):
            continue
        wanted = expected(text, address, place)
        if wanted is None or is_too_far(wanted, place):
            seen, wanted = some, []
        else:
            seen = [texts[place + 4 * k] if isinstance(line, str) else some[k] | some[k + 1] << 32
                    for k, line in enumerate(wanted) if k < len(some)]
        name = re.sub(r"\..*", ".cond", text.split("\t")[0])
        kinds[name if TO_AN_ADDRESS.match(plain(text)) else bool(seen)] += 1
        if seen != wanted:
            wrong += 1
            if wrong < 20:
                print(f"{address:x} {word:08x} {text}: {seen}, not {wanted}")
    print(", ".join(f"{name}: {count}" for name, count in sorted(kinds.items(), key=str)), f"{wrong} wrong", sep="; ")
    wanting = {"b", "b.cond", "bl", "adr", "adrp", "ldr", "ldrsw", "prfm", "cbz", "cbnz", "tbz", "tbnz", True,
               False} - set(kinds)
    return 1 if wrong or wanting else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
