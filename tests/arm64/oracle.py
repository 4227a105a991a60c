# SPDX-License-Identifier: BSD-3-Clause
"""What a disassembler's text says of an A64 instruction: the second opinion about the decoder."""
import re

KINDS = ('plain', 'address', 'literal', 'jump', 'call', 'conditional', 'jump indirect', 'call indirect', 'return',
         'system call', 'load exclusive', 'store exclusive', 'trap', 'in place')
COUNTERS = ('instructions', 'loads', 'stores', 'conditional', 'taken', 'unconditional', 'calls', 'returns',
            'system calls', 'integer', 'vector', 'fp instructions', 'scalar single', 'scalar double', '128 single',
            '128 double', '256 single', '256 double', '512 single', '512 double', 'x87', 'fma', 'multiplies', 'adds',
            'divides', 'square roots', 'fences', 'atomics', 'half', 'inverses', 'vector single', 'vector double',
            'indirect', 'prefetches')

REGISTER = re.compile(r'\b[wx](\d+)\b')
GENERAL = re.compile(r'[wx](\d+|zr)$|w?sp$')
ARRANGEMENT = re.compile(r'v\d+\.(\d+)([bhsdq])')
SCALAR = re.compile(r'([hsd])\d+$')

ATOMIC = re.compile(r'(?:ld|st)(?:add|clr|eor|set|smax|smin|umax|umin)a?l?[bh]?$')
EXCHANGE = re.compile(r'(?:swp|casp?)a?l?[bh]?$')
COPY = re.compile(r'(?:cpyf?[pme]|set(?:g?[pme]))[a-z]*$')
LOAD_EXCLUSIVE = re.compile(r'lda?x(?:r[bh]?|p)$')
STORE_EXCLUSIVE = re.compile(r'stl?x(?:r[bh]?|p)$')
WRITTEN_TWICE = {'ldp', 'ldnp', 'ldpsw', 'ldxp', 'ldaxp'}
NONE_WRITTEN = {'cbz', 'cbnz', 'tbz', 'tbnz', 'br', 'blr', 'ret', 'msr', 'dc', 'ic', 'at', 'tlbi', 'sys', 'cfp',
                'dvp', 'cpp', 'ccmp', 'ccmn', 'prfm', 'prfum', 'rmif', 'setf8', 'setf16', 'wfet', 'wfit', 'dgh',
                'cmp', 'cmn', 'cmpp',
                'tst', 'ctermeq', 'ctermne'}
KEEPS_PART = {'ldg', 'movk', 'bfi', 'bfxil', 'bfc', 'bfm'}
# Link register, and x16 with x17, without being named.
HINTS_OF_LINK = re.compile(r'(?:xpaclri|(?:pac|aut)i[ab](?:z|sp))$')
HINTS_OF_17 = re.compile(r'(?:pac|aut)i[ab]1716$')

INTEGER = {'add', 'adds', 'sub', 'subs', 'cmp', 'cmn', 'neg', 'negs', 'and', 'ands', 'tst', 'orr', 'eor', 'bic',
           'bics', 'orn', 'eon', 'mvn', 'adc', 'adcs', 'sbc', 'sbcs', 'ngc', 'ngcs', 'asr', 'lsl', 'lsr', 'ror',
           'bfi', 'bfxil', 'bfc', 'bfm', 'sbfm', 'ubfm', 'sbfiz', 'sbfx', 'ubfx', 'ubfiz', 'uxtb', 'uxth', 'sxtb',
           'sxth', 'sxtw', 'extr', 'clz', 'cls', 'rbit', 'rev', 'rev16', 'rev32', 'rev64', 'udiv', 'sdiv', 'subp',
           'subps', 'cmpp', 'adr', 'adrp', 'ccmp', 'ccmn', 'mul', 'madd', 'msub', 'mneg', 'smull', 'umull', 'smaddl',
           'umaddl', 'smsubl', 'umsubl', 'smnegl', 'umnegl', 'smulh', 'umulh', 'uxtw', 'smax', 'smin', 'umax',
           'umin', 'cnt', 'ctz', 'abs'}

# Operations for each element, and the counter of such instructions.
ARITHMETIC = {
    **dict.fromkeys(('fadd', 'fsub', 'fabd', 'faddp', 'fcadd'), (1, 'adds')),
    **dict.fromkeys(('fmul', 'fmulx', 'fnmul'), (1, 'multiplies')),
    'fdiv': (1, 'divides'), 'fsqrt': (1, 'square roots'), 'frecpe': (1, 'inverses'), 'frsqrte': (1, None),
    **dict.fromkeys(('frecps', 'frsqrts'), (2, None)),
    **dict.fromkeys(('fmax', 'fmin', 'fmaxnm', 'fminnm', 'fmaxp', 'fminp', 'fmaxnmp', 'fminnmp', 'fmaxv', 'fminv',
                     'fmaxnmv', 'fminnmv'), (1, None)),
    **dict.fromkeys(('fmla', 'fmls', 'fmadd', 'fmsub', 'fnmadd', 'fnmsub', 'fmlal', 'fmlsl', 'fmlal2', 'fmlsl2',
                     'fcmla', 'bfmlalb', 'bfmlalt'), (2, 'fma')),
    'bfdot': (4, None), 'bfmmla': (8, None),
}
# Of scalable vectors alone.
SCALABLE = {
    **dict.fromkeys(('fnmla', 'fnmls', 'fmad', 'fmsb', 'fnmad', 'fnmsb', 'ftmad', 'fmlalb', 'fmlalt', 'fmlslb',
                     'fmlslt'), (2, 'fma')),
    **dict.fromkeys(('fsubr', 'faddv', 'fadda'), (1, 'adds')),
    'fdivr': (1, 'divides'), 'ftsmul': (1, 'multiplies'), 'fmmla': (4, 'fma'),
}
# In the space of those, of matrices.
OF_MATRICES = {'addsvl', 'addspl', 'rdsvl', 'psel'}
CHANGED = re.compile(r'(?:[su]q)?(?:inc|dec)[bhwdp]$|clast[ab]$')


def split(operands):
    """The operands, of which those in brackets and braces are one."""
    return re.findall(r'(?:\[[^\]]*\]!?|\{[^}]*\}(?:\[\d+\])?|[^,\[{]+(?:\[\d+\])?)+', operands)


def mask(numbers):
    """A bit for each register."""
    return sum(1 << number for number in set(numbers))


class Text:
    """An instruction as the disassembler writes it."""

    def __init__(self, word, text):
        mnemonic, _, operands = text.partition('\t')
        self.word, self.mnemonic = word, mnemonic
        operands = operands.split(' //')[0]
        self.operands = [operand.strip() for operand in split(operands)]
        self.named = [[int(n) for n in REGISTER.findall(operand)] for operand in self.operands]
        self.scalable = bool(re.search(r'\b[zp]n?\d+\b|\bza', operands)) or \
            (word >> 25 & 15 in (0, 2) and mnemonic != 'udf')

    def first(self):
        """The first operand."""
        return self.operands[0] if self.operands else ''

    # ---- registers ----

    def moves_base(self):
        """Whether the base of the address is written, too."""
        place = next((n for n, operand in enumerate(self.operands) if operand.startswith('[')), None)
        return place is not None and (self.operands[place].endswith('!') or place + 1 < len(self.operands))

    def base(self):
        """The base register."""
        return next((named[:1] for operand, named in zip(self.operands, self.named) if operand.startswith('[')), [])

    def written_operands(self):
        """How many of the first operands are written; or a list of which."""
        m = self.mnemonic
        if COPY.match(m):
            return []
        if m.startswith('casp'):
            return [0, 1]
        if ATOMIC.match(m) or m.startswith('swp'):
            return [1] if not m.startswith('st') else []
        if m in ('st64bv', 'st64bv0'):
            return [0]
        if m in WRITTEN_TWICE:
            return [0, 1]
        if STORE_EXCLUSIVE.match(m) or m.startswith('cas'):
            return [0]
        if m in NONE_WRITTEN or m.startswith(('st', 'b.', 'bc.', 'bra', 'blra', 'ret')):
            return []
        return [0] if self.operands and (GENERAL.match(self.first())) else []

    def registers(self):
        """Registers read, and written."""
        m, writes = self.mnemonic, []
        which = self.written_operands()
        for n in which:
            writes += self.named[n]
        reads = [n for place, named in enumerate(self.named) if place not in which for n in named]
        if self.scalable and CHANGED.match(m):
            reads += writes
        if m in KEEPS_PART or m.startswith('cas') or re.match(r'(?:pac|aut)[id]z?[ab]|xpac[id]', m):
            reads += writes
        if m in ('ld64b', 'st64b', 'st64bv', 'st64bv0'):
            eight = [n for n in range(self.word & 31, (self.word & 31) + 8) if n < 31] if self.word & 31 < 31 else []
            if m == 'ld64b':
                writes += eight
            else:
                reads += eight
        if self.moves_base():
            writes += self.base()
        if COPY.match(m):
            # Addresses and lengths move on; the value that memory is set to does not.
            writes += [n for named in (self.named[:2] if m.startswith('set') else self.named) for n in named]
        return mask(reads) | self.implied()[0], mask(writes) | self.implied()[1]

    def implied(self):
        """Registers that are not named: read, and written."""
        m = self.mnemonic
        if HINTS_OF_LINK.match(m):
            return 1 << 30, 1 << 30
        if HINTS_OF_17.match(m):
            return 3 << 16, 1 << 17
        if m in ('bl', 'blr') or m.startswith('blra'):
            return 0, 1 << 30
        if (m == 'ret' and not self.operands) or m in ('retaa', 'retab'):
            return 1 << 30, 0
        if m == 'hint' and self.first() == '#0x28': # chkfeat
            return 1 << 16, 1 << 16
        return (0x1ff, 1) if m == 'svc' else (0, 0)

    # ---- kinds ----

    def kind(self):
        """The name of the kind."""
        m = self.mnemonic
        if self.scalable:
            return 'plain'
        simple = {'adr': 'address', 'adrp': 'address', 'b': 'jump', 'bl': 'call', 'cbz': 'conditional',
                  'cbnz': 'conditional', 'tbz': 'conditional', 'tbnz': 'conditional', 'br': 'jump indirect',
                  'blr': 'call indirect', 'ret': 'return', 'retaa': 'return', 'retab': 'return', 'svc': 'system call'}
        if m in simple:
            return simple[m]
        if m in ('udf', 'brk', 'hlt', 'hvc', 'smc', 'dcps1', 'dcps2', 'dcps3', 'eret', 'eretaa', 'eretab', 'drps'):
            return 'trap'
        if LOAD_EXCLUSIVE.match(m):
            return 'load exclusive'
        if STORE_EXCLUSIVE.match(m):
            return 'store exclusive'
        if m.startswith(('b.', 'bc.')):
            return 'conditional'
        if m.startswith(('braa', 'brab')):
            return 'jump indirect'
        if m.startswith(('blraa', 'blrab')):
            return 'call indirect'
        if m in ('ldr', 'ldrsw', 'prfm') and self.operands[-1].startswith('0x') and len(self.operands) == 2:
            return 'literal'
        return 'plain'

    def offset(self, address):
        """Of a direct branch or a literal, or of adr, from that address."""
        if self.kind() not in ('jump', 'call', 'conditional', 'address', 'literal'):
            return 0
        page = 0xfff if self.mnemonic == 'adrp' else 0
        distance = (int(self.operands[-1], 16) - (address & ~page)) & (1 << 64) - 1
        return distance - (1 << 64) if distance >> 63 else distance

    def key(self):
        """The key of an indirect branch, and whether zero is its modifier."""
        found = re.match(r'(?:bl?ra|reta)([ab])(z?)', self.mnemonic)
        return (('ab'.index(found[1]) + 1, int(bool(found[2]))) if found else (0, 0))

    # ---- counts ----

    def memory(self):
        """What it does to memory: loads, stores, prefetches, atomics."""
        m = self.mnemonic
        both = ATOMIC.match(m) or EXCHANGE.match(m)
        if COPY.match(m):
            return (int(m.startswith('cpy')), 1, 0, 0)
        if m == 'dc':
            return (0, int(self.first() in ('zva', 'gva', 'gzva')), 0, 0)
        if re.match(r'prf(?:u?m|[bhwd])$', m):
            return (0, 0, 1, 0)
        if both:
            return (1, 1, 0, 1)
        return (int(m.startswith('ld')), int(m.startswith('st')), 0, int(bool(STORE_EXCLUSIVE.match(m))))

    def is_integer(self):
        """Whether it computes in general registers."""
        m = self.mnemonic
        if self.scalable:
            return bool(GENERAL.match(self.first())) and not re.match('c?last[ab]', m)
        if ATOMIC.match(m) or m.startswith('cas'):
            return True
        if m == 'orr' and self.operands[1] in ('wzr', 'xzr') and '#' in self.operands[2]:
            return False
        return bool(GENERAL.match(self.first())) and (m in INTEGER or m.startswith('crc32'))

    def is_vector(self):
        """Whether it works on whole vectors."""
        if self.scalable:
            return any(re.search(r'\bz\d', operand) for operand in self.operands)
        if any(re.match(r'\{?\s*q\d+', operand) for operand in self.operands) or self.mnemonic == 'sha1h':
            return True
        if self.mnemonic in ('movi', 'fmov') and self.word >> 28 & 1 == 0:
            return True
        scalar = self.word >> 28 & 15 in (5, 7) and self.word >> 25 & 7 == 7
        return bool(ARRANGEMENT.search(' '.join(self.operands))) and \
            (not scalar or self.mnemonic.startswith('sha'))

    def elements(self):
        """Of scalable ones: of what, in letters of the alphabet of sizes; operations; whether of the active ones alone;
        whether it is a prefix."""
        prefix = int(self.mnemonic == 'movprfx')
        if self.mnemonic not in {**ARITHMETIC, **SCALABLE}:
            return [0, 0, 0, prefix]
        letter = re.match(r'z\d+\.([hsd])|([hsd])\d+$', self.first())
        predicate = any(re.match(r'p\d', operand) for operand in self.operands)
        return ['hsd'.index(letter[1] or letter[2]) + 1, {**ARITHMETIC, **SCALABLE}[self.mnemonic][0], int(predicate),
                prefix]

    def floating_point(self):
        """Counters of floating-point arithmetic."""
        if self.scalable:
            return self.scalable_floating_point()
        if self.mnemonic not in ARITHMETIC:
            return {}
        operations, by_name = ARITHMETIC[self.mnemonic]
        packed = ARRANGEMENT.match(self.first())
        letter = (packed[2] if packed else SCALAR.match(self.first())[1])
        elements = int(packed[1]) if packed else 1
        if self.mnemonic in ('fmaxv', 'fminv', 'fmaxnmv', 'fminnmv'):
            elements = int(ARRANGEMENT.match(self.operands[1])[1]) - 1
            packed = True
        name = {'h': 'half', 's': 'single', 'd': 'double'}[letter]
        counts = {'half' if letter == 'h' else ('128 ' if packed else 'scalar ') + name: operations * elements,
                  'fp instructions': 1}
        if by_name:
            counts[by_name] = 1
        if packed and letter != 'h':
            counts['vector ' + name] = 1
        return counts

    def scalable_floating_point(self):
        """The same; operations are counted when it runs."""
        element, operations, _, _ = self.elements()
        if not operations:
            return {}
        by_name = {**ARITHMETIC, **SCALABLE}[self.mnemonic][1]
        return {'fp instructions': 1, **({by_name: 1} if by_name else {}),
                **({'vector ' + ('single', 'double')[element - 2]: 1} if element > 1 else {})}

    def counts(self):
        """All counters that are not 0."""
        kind = self.kind()
        loads, stores, prefetches, atomics = self.memory()
        counts = {'instructions': 1, 'loads': loads, 'stores': stores, 'prefetches': prefetches, 'atomics': atomics,
                  'conditional': kind == 'conditional', 'returns': kind == 'return',
                  'system calls': kind == 'system call', 'indirect': 'indirect' in kind,
                  'integer': self.is_integer(), 'vector': self.is_vector(),
                  'fences': self.mnemonic in ('dmb', 'dsb', 'isb', 'sb', 'ssbb', 'pssbb', 'dfb'),
                  **self.floating_point()}
        counts['calls'] = kind in ('call', 'call indirect')
        counts['unconditional'] = kind in ('jump', 'call', 'jump indirect', 'call indirect', 'return')
        return {name: int(count) for name, count in counts.items() if count}
