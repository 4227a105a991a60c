/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A glance at an instruction: its length and what it does with flags, for those of which programs have most. A decoder
 * that knows all of them takes twenty times as long, and is asked about the others.
 *
 *	[REX] opcode [ModRM [SIB] [displacement]] [immediate]
 */
#include "components/vpmu/x86_64/translate/decode.h"

#define REX_W 8

/* What an opcode does with the flags, and what follows it. */
enum {
	KNOWN = 1,
	SETS = 2, /* all of the arithmetic flags, whatever they were */
	MODRM = 4,
	BYTE = 8,   /* of immediate */
	DWORD = 16, /* likewise, four bytes */
};

#define ARITHMETIC(first)                                                                                           \
	[first] = KNOWN | SETS | MODRM, [(first) + 1] = KNOWN | SETS | MODRM, [(first) + 2] = KNOWN | SETS | MODRM, \
	[(first) + 3] = KNOWN | SETS | MODRM, [(first) + 4] = KNOWN | SETS | BYTE,                                  \
	[(first) + 5] = KNOWN | SETS | DWORD

static const uint8_t opcodes[256] = {
	ARITHMETIC(0x00),                       /* add */
	ARITHMETIC(0x08),                       /* or */
	ARITHMETIC(0x20),                       /* and */
	ARITHMETIC(0x28),                       /* sub */
	ARITHMETIC(0x30),                       /* xor */
	ARITHMETIC(0x38),                       /* cmp */
	[0x50 ... 0x5f] = KNOWN,                /* push and pop */
	[0x63] = KNOWN | MODRM,                 /* movsxd */
	[0x68] = KNOWN | DWORD,                 /* push */
	[0x6a] = KNOWN | BYTE,                  /* push */
	[0x80] = KNOWN | SETS | MODRM | BYTE,   /* arithmetic by an immediate: by_immediate() */
	[0x81] = KNOWN | SETS | MODRM | DWORD,  /* likewise */
	[0x83] = KNOWN | SETS | MODRM | BYTE,   /* likewise */
	[0x84 ... 0x85] = KNOWN | SETS | MODRM, /* test */
	[0x88 ... 0x8b] = KNOWN | MODRM,        /* mov */
	[0x8d] = KNOWN | MODRM,                 /* lea */
	[0xa8] = KNOWN | SETS | BYTE,           /* test */
	[0xa9] = KNOWN | SETS | DWORD,          /* test */
	[0xb8 ... 0xbf] = KNOWN | DWORD,        /* mov: eight bytes with REX.W */
	[0xc6] = KNOWN | MODRM | BYTE,          /* mov */
	[0xc7] = KNOWN | MODRM | DWORD,         /* mov */
};

/* Of the ModRM byte, with its SIB byte and displacement. */
static unsigned length_of_modrm(const uint8_t *bytes)
{
	unsigned mod = bytes[0] >> 6, rm = bytes[0] & 7, length = 1;

	if (mod == 3)
		return length;
	if (rm == 4) {
		length++;
		if (mod == 0 && (bytes[1] & 7) == 5)
			return length + 4;
	} else if (rm == 5 && mod == 0) {
		return length + 4;
	}
	return length + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* adc and sbb read a flag; lea of a register, and mov with another number in its ModRM byte, are something else. */
static bool is_other(unsigned opcode, unsigned modrm)
{
	unsigned number = modrm >> 3 & 7;

	if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
		return number == 2 || number == 3;
	if (opcode == 0xc6 || opcode == 0xc7)
		return number != 0;
	return opcode == 0x8d && modrm >> 6 == 3;
}

bool papi_vpmu_glance(const uint8_t *bytes, uint64_t size, struct papi_vpmu_glance *glance)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned at = 0, rex = 0, opcode, what;

	if (size < PAPI_VPMU_LONGEST_GLANCE)
		return false;
	*glance = (struct papi_vpmu_glance){ .length = sizeof(endbr64) };
	if (!__builtin_memcmp(bytes, endbr64, sizeof(endbr64)))
		return true;
	if ((bytes[0] & 0xf0) == 0x40)
		rex = bytes[at++];
	opcode = bytes[at++];
	what = opcodes[opcode];
	if (!what || ((what & MODRM) && is_other(opcode, bytes[at])))
		return false;
	if (what & MODRM)
		at += length_of_modrm(bytes + at);
	if (what & BYTE)
		at++;
	if (what & DWORD)
		at += opcode >= 0xb8 && opcode <= 0xbf && rex & REX_W ? 8 : 4;
	glance->length = at;
	glance->sets_flags = what & SETS;
	return true;
}
