#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The decoder of A64 against binutils' disassembler: every class of encodings, and words at random.

    decode.py WORDS_PROGRAM [NUMBER [SEED]]
"""
import array
import collections
import random
import re
import shutil
import subprocess
import sys
import tempfile

from operands import operand_of
from oracle import COUNTERS, KINDS, OF_MATRICES, Text
from scalable_operands import NOTHING, accessed_by

DISASSEMBLER = 'aarch64-linux-gnu-objdump'

# Fixed bits and their values, of classes that hardly come by chance.
CLASSES = [
    # Branches, exceptions, hints, barriers, system registers.
    (0xffe0001f, 0xd4000001), (0xffe0001f, 0xd4200000), (0xffe0001f, 0xd4400000), (0xffe0001f, 0xd4600000),
    (0xfffff01f, 0xd503201f), (0xfffff0ff, 0xd503309f), (0xfffff01f, 0xd503301f), (0xfff8f01f, 0xd500401f),
    (0xfff00000, 0xd5300000), (0xfff00000, 0xd5100000), (0xfff80000, 0xd5080000), (0xfff80000, 0xd5280000),
    (0xffffffe0, 0xd50b7420), (0xffffffe0, 0xd50b7460), (0xffffffe0, 0xd50b7480), (0xffffffe0, 0xd50b7520),
    (0xffffffe0, 0xd50b7a20), (0xff9ffc1f, 0xd61f0000), (0xfedff800, 0xd61f0800), (0xfefff800, 0xd63f0800),
    (0xffbffbff, 0xd69f03e0), (0xfffffbff, 0xd65f0bff), (0xff000000, 0x54000000), (0xfe000000, 0xd6000000),
    (0xfffff000, 0xd5031000), (0xffff0000, 0x00000000),
    # Immediate operands.
    (0x1f800000, 0x11000000), (0x1f800000, 0x11800000), (0x1f800000, 0x12000000), (0x1f800000, 0x12800000),
    (0x1f800000, 0x13000000), (0x7fa00000, 0x13800000), (0xffc0c000, 0x91800000), (0xffc0c000, 0xd1800000),
    (0x1ffffc00, 0x11000000), (0x7f8003e0, 0x320003e0),
    # Registers.
    (0x1f200000, 0x0b000000), (0x1fe00000, 0x0b200000), (0x1f000000, 0x0a000000), (0x1fe0fc00, 0x1a000000),
    (0x3fe00410, 0x3a400000), (0x1fe00800, 0x1a800000), (0x7fe00000, 0x1ac00000), (0x7fff0000, 0x5ac00000),
    (0xffff0000, 0xdac10000), (0x7f000000, 0x1b000000), (0xffe07c10, 0xba000400), (0xffffbc1f, 0x3a00080d),
    (0x7fe0ffe0, 0x2a0003e0), (0xffe0fc00, 0x9ac03000), (0xffe0f800, 0x9ac01000), (0x7fffe0e0, 0x5ac00000),
    # Loads and stores.
    (0xbfbf0000, 0x0c000000), (0xbfa00000, 0x0c800000), (0xbf9f0000, 0x0d000000), (0xbf800000, 0x0d800000),
    (0x3f800000, 0x08000000), (0x3f800000, 0x08800000), (0xbfa07c00, 0x08207c00), (0x3fa07c00, 0x08a07c00),
    (0x3fbffc00, 0x089ffc00), (0x3f9f7c00, 0x081f7c00), (0x3b200c00, 0x38200000), (0x3f200c00, 0x38200000),
    (0x3f200c00, 0x38200800), (0x3f200c00, 0x38000000), (0x3f200c00, 0x38000400), (0x3f200c00, 0x38000800),
    (0x3f200c00, 0x38000c00), (0x3f200c00, 0x3c000400), (0x3f200c00, 0x3c200800), (0x3b000000, 0x39000000),
    (0xff200400, 0xf8200400), (0xfffffc00, 0xf83fd000), (0xfffffc00, 0xf83f9000), (0xffe0fc00, 0xf820b000),
    (0xffe0fc00, 0xf820a000), (0x3fbffc00, 0x38bfc000), (0x3f200c00, 0x19000000), (0xff200c00, 0xd9200000),
    (0xff200000, 0xd9200000), (0xfb200c00, 0x19000400), (0x3b000000, 0x18000000), (0x3a000000, 0x28000000),
    (0xfe000000, 0x68000000), (0x3f800000, 0x28800000), (0x3f800000, 0x2c800000), (0xffe00000, 0xf8800000),
    (0xffc00000, 0xf9800000), (0xffe00c00, 0xf8a00800),
    # Floating point.
    (0x7f3e0000, 0x1e220000), (0x7f20fc00, 0x1e200000), (0x7f200000, 0x1e000000), (0xff207c00, 0x1e204000),
    (0xff203c00, 0x1e202000), (0xff201c00, 0x1e201000), (0xff200c00, 0x1e200400), (0xff200c00, 0x1e200800),
    (0xff200c00, 0x1e200c00), (0xff000000, 0x1f000000), (0xfffffc00, 0x9eae0000), (0xfffffc00, 0x9eaf0000),
    # Vectors.
    (0x9f200400, 0x0e200400), (0x9f20c400, 0x0e20c400), (0x9f60c400, 0x0e400400), (0x9f208400, 0x0e008400),
    (0x9f3e0c00, 0x0e200800), (0x9f7e0c00, 0x0e780800), (0x9f3e0c00, 0x0e300800), (0x9f200c00, 0x0e200000),
    (0x9fe08400, 0x0e000400), (0xbfe0fc00, 0x0e000c00), (0xbfe0dc00, 0x0e001c00), (0xbfe0ec00, 0x0e002c00),
    (0x9f000400, 0x0f000000), (0x9f800400, 0x0f000400), (0x9ff80400, 0x0f000400), (0xbf208c00, 0x0e000000),
    (0xbf208c00, 0x0e000800), (0xbfe08400, 0x2e000000), (0xdf200400, 0x5e200400), (0xdf20c400, 0x5e20c400),
    (0xdf60c400, 0x5e400400), (0xdf208400, 0x5e008400), (0xdf3e0c00, 0x5e200800), (0xdf7e0c00, 0x5e780800),
    (0xdf3e0c00, 0x5e300800), (0xdf200c00, 0x5e200000), (0xdfe08400, 0x5e000400), (0xdf000400, 0x5f000000),
    (0xdf800400, 0x5f000400), (0xff3e0c00, 0x4e280800), (0xff208c00, 0x5e000000), (0xff3e0c00, 0x5e280800),
    (0xff800000, 0xce000000), (0xffe00000, 0xce600000), (0xfffff000, 0xcec08000), (0xffe00000, 0xce400000),
    (0xff00c400, 0x2f001000), (0xbff0f400, 0x0f40f000), (0xbfe0fc00, 0x2ec0fc00), (0xbfe0fc00, 0x2e40fc00),
    (0xffe0fc00, 0x6e40ec00), (0xbfa0dc00, 0x0e20cc00),
    # Scalable vectors: memory.
    (0xfe000000, 0x84000000), (0xfe000000, 0xa4000000), (0xfe000000, 0xc4000000), (0xfe000000, 0xe4000000),
    (0xfe600010, 0x84000000), (0xff80a010, 0x84000000), (0xffc02010, 0x85c00000), (0xfe60c010, 0xc400c000),
    (0xff208010, 0xc4200000), (0xffe08010, 0xc4608000),
    # Their modes.
    (0xfffff0ff, 0xd503407f), (0xffffffe0, 0xd51b4240),
    # And all that they compute, by the bits that tell groups apart.
    *((0xff20e000, high << 24 | middle << 21 | low << 13) for high in (0x04, 0x05, 0x24, 0x25, 0x44, 0x45, 0x64, 0x65)
      for middle in range(2) for low in range(8)),
]


def words(number, seed):
    """As many from each class as make a half of them, and the others any."""
    chance = random.Random(seed)
    for fixed, value in CLASSES:
        for _ in range(max(number // 2 // len(CLASSES), 50)):
            yield value | (chance.getrandbits(32) & ~fixed)
    for _ in range(number // 2):
        yield chance.getrandbits(32)


def disassemble(data, begin=0):
    """The text of each word, the first of which is at an address."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        found = subprocess.run([DISASSEMBLER, '-D', '-z', '-b', 'binary', '-m', 'aarch64',
                                f'--adjust-vma={begin:#x}', file.name],
                               capture_output=True, text=True, check=True).stdout
    for line in found.splitlines():
        parts = re.match(r'\s*([0-9a-f]+):\t([0-9a-f]{8}) \t(.*)', line)
        if parts:
            yield int(parts[1], 16), int(parts[2], 16), parts[3]


class Decoded:
    """A line of the program."""

    def __init__(self, line):
        numbers = [int(number) for number in line.split()]
        (self.kind, self.known, self.reads, self.writes, self.offset, self.key, self.zero, self.work_is_unknown,
         self.memory_is_unknown) = numbers[:9]
        self.kind = KINDS[self.kind]
        behind = 9 + len(COUNTERS)
        self.counts = {name: count for name, count in zip(COUNTERS, numbers[9:behind], strict=True) if count}
        self.operand, self.scalable = numbers[behind:-16], numbers[-4:]
        self.active = numbers[-16:-4]


def skipped(found):
    """Counters that the decoder does not claim to know."""
    names = set()
    if found.work_is_unknown:
        names |= set(COUNTERS) - {'instructions', 'loads', 'stores', 'prefetches', 'conditional', 'unconditional'}
    if found.memory_is_unknown:
        names |= {'loads', 'stores', 'prefetches', 'atomics', 'integer'}
    return names


def differences(text, found, address):
    """What is different, in words."""
    reads, writes = text.registers()
    if found.kind != text.kind():
        yield f'kind {found.kind}, not {text.kind()}'
    if found.offset != text.offset(address):
        yield f'offset {found.offset}, not {text.offset(address)}'
    if (found.key, found.zero) != text.key():
        yield 'key'
    if found.known and (found.reads, found.writes) != (reads, writes):
        yield f'reads {found.reads:x}, not {reads:x}; writes {found.writes:x}, not {writes:x}'
    if not found.known and ((reads | writes) & ~found.reads or found.writes):
        yield f'uses {reads | writes:x}, of which {found.reads:x} are known'
    names = skipped(found)
    counts = {name: count for name, count in text.counts().items() if name not in names}
    mine = {name: count for name, count in found.counts.items() if name not in names}
    if counts != mine:
        yield f'counts {mine}, not {counts}'
    if found.known and text.scalable and found.scalable != text.elements():
        yield f'elements {found.scalable}, not {text.elements()}'
    operand, active = accessed_by(text) if text.scalable else (operand_of(text), NOTHING)
    if found.operand[0] and found.operand[1:] != operand:
        yield f'operand {found.operand[1:]}, not {operand}'
    if found.operand[0] and found.active != active:
        yield f'active {found.active}, not {active}'
    if text.scalable and not found.known and not found.memory_is_unknown and text.mnemonic not in OF_MATRICES:
        yield 'unknown'
    if not found.operand[0] and operand:
        yield f'operand of which nothing is known, not {operand}'


def is_reserved(word, text):
    """Whether there is no such instruction: the disassembler overlooks bits of some."""
    return text.startswith('.inst') or (re.match(r'(ic|tlbi)\t[a-z0-9]+$', text) and word & 31 != 31) or \
        (re.match('fml[as]l', text) and word >> 24 & 1 == 0 and word >> 22 & 1)


def main(program, number=100000, seed=1):
    """Compares; prints a few of each kind of difference."""
    if not shutil.which(DISASSEMBLER):
        print(f'{DISASSEMBLER} is not installed')
        return 77
    data = array.array('I', words(int(number), int(seed))).tobytes()
    lines = subprocess.run([program], input=data, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    wrong, compared = collections.Counter(), 0
    for line, (address, word, text) in zip(lines, disassemble(data), strict=True):
        found = Decoded(line)
        if is_reserved(word, text):
            continue
        compared += 1
        instruction = Text(word, text)
        for difference in differences(instruction, found, address):
            key = (instruction.mnemonic, difference.split()[0])
            wrong[key] += 1
            if wrong[key] <= 2 and len(wrong) <= 40:
                print(f'{word:08x} {text}: {difference}')
    print(f'{compared} instructions of {len(lines)} words, {sum(wrong.values())} differences')
    return 1 if wrong or compared < len(lines) // 4 else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
