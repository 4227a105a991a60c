#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prefixes of SVE (movprfx) in translated code, as an emulator's log of the code that it has run tells: each is
followed by an instruction of vectors at once, whatever is counted before that.

    prefixes.py TEST_ARM64_SCALABLE
"""
import re
import shutil
import subprocess
import sys
import tempfile

QEMU = 'qemu-aarch64'
LINE = re.compile(r'0x([0-9a-f]+):\s+([0-9a-f]{8})\s')
PREFIXES = ((0xfffffc00, 0x0420bc00), (0xff3ee000, 0x04102000))


def is_prefix(word):
    """Whether it is movprfx, of all elements or by a predicate."""
    return any(word & mask == value for mask, value in PREFIXES)


def run(program):
    """Words by their addresses, of the program and of what it was translated to."""
    with tempfile.NamedTemporaryFile('r', errors='replace') as log:
        result = subprocess.run([QEMU, '-cpu', 'max', '-L', '/usr/aarch64-linux-gnu', '-d', 'in_asm', '-D', log.name,
                                 program], stdout=subprocess.PIPE, text=True, check=False, timeout=250)
        if result.returncode:
            print(result.stdout)
            sys.exit(result.returncode)
        found = filter(None, map(LINE.match, log))
        return {int(line[1], 16): int(line[2], 16) for line in found}


def main(program):
    """Compares; prints what is wrong."""
    if not shutil.which(QEMU):
        print(f'{QEMU} is not installed')
        return 77
    words = run(program)
    prefixes = [address for address, word in words.items() if is_prefix(word)]
    wrong = [address for address in prefixes if words.get(address + 4, 0) >> 25 & 15 != 2]
    for address in wrong:
        print(f'{address:x}: {words[address]:08x}, and then {words.get(address + 4, 0):08x}')
    print(f'{len(prefixes)} prefixes, {len(wrong)} of them without their instruction')
    return 1 if wrong or len(prefixes) < 10 else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
