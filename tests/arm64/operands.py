# SPDX-License-Identifier: BSD-3-Clause
"""What a disassembler's text says of what an A64 instruction accesses."""
import re

from oracle import ATOMIC, COPY, EXCHANGE

NO_REGISTER = 32
EXTENSIONS = {'uxtw': 2, 'lsl': 3, 'sxtw': 6, 'sxtx': 7}
BYTES = {'b': 1, 'h': 2, 'w': 4, 's': 4, 'x': 8, 'd': 8, 'q': 16}
# Tags, and what authenticates the base.
NOT_KNOWN = re.compile(r'(?:ld|st)z?2?gm?$|ldra[ab]$')
EIGHT = {'ld64b', 'st64b', 'st64bv', 'st64bv0'}


def size_of_structure(text):
    """Of ld1 to st4, with as many registers as the braces say."""
    registers, suffix = re.match(r'\{([^}]*)\}(\[\d+\])?', text.operands[0]).groups()
    names = re.findall(r'v(\d+)\.(\d*)([bhsd])', registers)
    count = (int(names[-1][0]) - int(names[0][0])) % 32 + 1 if '-' in registers else len(names)
    _, lanes, letter = names[0]
    whole = not suffix and not text.mnemonic.endswith('r')
    return count * BYTES[letter] * (int(lanes) if whole else 1)


def size_of(text):
    """In bytes."""
    m = text.mnemonic
    if text.operands[0].startswith('{'):
        return size_of_structure(text)
    if m.startswith('prf'):
        return 1
    if m in EIGHT:
        return 64
    if m == 'stgp':
        return 16
    if m in ('ldrsw', 'ldursw', 'ldtrsw', 'ldapursw'):
        return 4
    if m == 'ldpsw':
        return 8
    status = re.match(r'stl?x', m)
    if re.search(r'[a-z](?<!su)b$', m) and not m.endswith('sub'):
        return 1
    if m.endswith('h'):
        return 2
    data = text.operands[1 if status else 0]
    pair = re.search(r'[dtnx]p$', m) or m.startswith('casp')
    return BYTES[data[0]] * (2 if pair else 1)


def number_of(name):
    """Of a register; the stack pointer, and zero, is 31."""
    return 31 if name in ('sp', 'xzr', 'wzr') else int(name[1:])


def index_of(parts):
    """The index, how it is extended and shifted."""
    if len(parts) < 2 or parts[1].startswith('#') or number_of(parts[1]) == 31:
        return NO_REGISTER, 0, 0
    how = re.match(r'(\w+)(?: #(\d+))?', parts[2]) if len(parts) > 2 else None
    return number_of(parts[1]), EXTENSIONS[how[1]] if how else 3, int(how[2] or 0) if how else 0


def operand_of(text):
    """Size, whether zeroed, base, index, extension, shift, whether it moves, displacement, by how much it moves,
    whether by a register; nothing where it accesses nothing."""
    m = text.mnemonic
    if text.scalable or COPY.match(m) or NOT_KNOWN.match(m):
        return []
    if m == 'dc':
        zeroes = text.operands[0] == 'zva' and text.operands[1] != 'xzr'
        return [0, 1, number_of(text.operands[1]), NO_REGISTER, 0, 0, 0, 0, 0, 0] if zeroes else []
    if text.kind() == 'literal':
        return [size_of(text), 0, NO_REGISTER, NO_REGISTER, 0, 0, 0, 0, 0, 0]
    if not (re.match(r'ld|st|prf', m) or ATOMIC.match(m) or EXCHANGE.match(m)):
        return []
    place = next(n for n, operand in enumerate(text.operands) if operand.startswith('['))
    inside = text.operands[place].rstrip('!').strip('[]')
    parts = [part.strip() for part in inside.split(',')]
    index, extension, shift = index_of(parts)
    distance = int(parts[1][1:], 0) if len(parts) > 1 and parts[1].startswith('#') else 0
    behind = text.operands[place + 1] if place + 1 < len(text.operands) else ''
    before = text.operands[place].endswith('!')
    moved = int(behind[1:], 0) if behind.startswith('#') else distance if before else 0
    by_register = bool(behind) and not behind.startswith('#')
    return [size_of(text), 0, number_of(parts[0]), index, extension, shift, int(bool(behind) or before), distance,
            moved, int(by_register)]
