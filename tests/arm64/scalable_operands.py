# SPDX-License-Identifier: BSD-3-Clause
"""What a disassembler's text says of what loads, stores and prefetches of vectors of any length access."""
import math
import re

NO_REGISTER = 32
BYTES = {'b': 1, 'h': 2, 'w': 4, 's': 4, 'd': 8}
ACCESSES = re.compile(r'(?:ld[1-4]|ld(?:nt|ff|nf)1|st[1-4]|stnt1)r?[qo]?s?([bhwd])$|prf([bhwd])$|(?:ld|st)r$')
NOTHING = [0] * 12


def parts_of(text):
    """What is between the brackets."""
    return [part.strip() for part in text.operands[-1].strip('[]').split(',')]


def number_of(name):
    """Of a general register; the stack pointer is 31."""
    return 31 if name == 'sp' else int(name[1:])


def base_of(parts):
    """The general register among them that others are added to; none where that is zero."""
    first = parts[1] if parts[0].startswith('z') and len(parts) > 1 and not parts[1].startswith('#') else parts[0]
    return NO_REGISTER if first.startswith('z') or first == 'xzr' else number_of(first)


def shift_of(parts):
    """Of the index, or of the vector's elements."""
    found = re.search(r'#(\d+)$', parts[2]) if len(parts) > 2 else None
    return int(found[1]) if found else 0


def accessed_by(text):
    """The operand, as operands.py has it; and the rest. Nothing where it accesses nothing."""
    letter = ACCESSES.match(text.mnemonic)
    if not letter or text.word >> 25 & 15 != 2:  # or of matrices
        return [], NOTHING
    parts, whole = parts_of(text), text.mnemonic in ('ldr', 'str')
    by_length = 'mul vl' in parts
    number = int(parts[1][1:], 0) if len(parts) > 1 and parts[1].startswith('#') else 0
    indexed = len(parts) > 1 and re.match(r'x\d', parts[1]) and not parts[0].startswith('z')
    vector = next((part for part in parts if part.startswith('z')), None)
    registers = registers_of(text)
    operand = [0, 0, base_of(parts), number_of(parts[1]) if indexed else NO_REGISTER, 3 if indexed else 0,
               shift_of(parts) if indexed else 0, 0, number // registers if by_length else number, 0, 0]
    if whole:
        return operand, [1, NO_REGISTER, NO_REGISTER, 0, 0, 0, 3 * text.operands[0].startswith('p'), 0, 0, 0,
                         int(by_length), 0]
    memory = BYTES[letter[1] or letter[2]]
    repeated = re.match(r'ld1r([qo]?)s?[bhwd]$', text.mnemonic)
    elements = {'q': 16, 'o': 32}.get(repeated[1], 0) // memory if repeated else 0
    return operand, [1, predicate_of(text), int(re.match(r'z(\d+)', vector)[1]) if vector else NO_REGISTER,
                     int(math.log2(element_of(text, vector, memory))), memory * registers, elements,
                     shift_of(parts) if vector else 0, *how_wide(parts, vector),
                     int(bool(repeated) and not elements), int(by_length),
                     int(text.mnemonic[2:4] in ('ff', 'nf'))]


def registers_of(text):
    """How many a structure has."""
    names = re.findall(r'z(\d+)', text.operands[0])
    return (int(names[-1]) - int(names[0])) % 32 + 1 if text.operands[0].startswith('{') else 1


def predicate_of(text):
    """The number of the one that tells."""
    return int(next(re.match(r'p(\d+)', operand)[1] for operand in text.operands if operand.startswith('p') and
                    operand[1].isdigit()))


def element_of(text, vector, memory):
    """In bytes: of the vector that is loaded or stored; of a prefetch that of the other, or as in memory."""
    name = text.operands[0] if text.operands[0].startswith('{') else vector
    return BYTES[re.search(r'\.([bhsd])', name)[1]] if name else memory


def how_wide(parts, vector):
    """Whether elements of addresses are 64 bits, and whether they have a sign."""
    how = ' '.join(parts)
    return [int(bool(vector) and '.d' in vector and 'xtw' not in how), int('sxtw' in how)]
