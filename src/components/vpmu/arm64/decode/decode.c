/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups of instructions: immediate operands, registers, branches and what is for the system. */
#include "components/vpmu/arm64/decode/decode.h"

#include "components/vpmu/arm64/decode/parts.h"

#define D PAPI_A64_D(word)
#define N PAPI_A64_N(word)
#define A PAPI_A64_A(word)
#define M PAPI_A64_M(word)

#define X(number) (1u << (number))

/* ---- immediate operands ---- */

static void decode_address(uint32_t word, struct papi_a64_instruction *i)
{
	i->kind = PAPI_A64_ADDRESS;
	i->offset = papi_a64_signed(papi_a64_bits(word, 23, 5) << 2 | papi_a64_bits(word, 30, 29), 21);
	if (papi_a64_bit(word, 31))
		i->offset *= 4096;
	i->is_integer = true;
	papi_a64_uses(i, 0, D);
}

/* movn, movz, movk: the last keeps the rest of the register. */
static void decode_wide_move(uint32_t word, struct papi_a64_instruction *i)
{
	papi_a64_uses(i, papi_a64_bits(word, 30, 29) == 3 ? D : 0, D);
}

static void decode_immediate(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 30, 29);
	bool to_or_from_sp = !N || !D;

	switch (papi_a64_bits(word, 25, 23)) {
	case 0:
	case 1:
		decode_address(word, i);
		return;
	case 2: /* add, sub; of zero, where sp is named: mov */
		i->is_integer = !(to_or_from_sp && operation == 0 && papi_a64_bits(word, 22, 10) == 0);
		papi_a64_uses(i, N, D);
		return;
	case 3: /* addg, subg; minimum and maximum */
		i->is_integer = papi_a64_bit(word, 22);
		papi_a64_uses(i, N, D);
		return;
	case 4: /* and, orr, eor, ands; orr of nothing: mov */
		i->is_integer = !(operation == 1 && !N);
		papi_a64_uses(i, N, D);
		return;
	case 5:
		decode_wide_move(word, i);
		return;
	case 6: /* sbfm, bfm, ubfm; the second keeps the rest of the register */
		i->is_integer = true;
		papi_a64_uses(i, N | (operation == 1 ? D : 0), D);
		return;
	default: /* extr; what authenticates the link register with an address near by */
		i->is_integer = true;
		papi_a64_uses(i, N | M, D);
		if (operation != 0)
			i->kind = PAPI_A64_IN_PLACE;
	}
}

/* ---- registers ---- */

/* rbit to ctz; and pointer authentication, which changes what it signs. */
static void decode_one_source(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 15, 10);
	bool authenticates = papi_a64_bits(word, 20, 16) == 1;

	i->is_integer = !authenticates;
	papi_a64_uses(i, N | (authenticates ? D : 0), D);
	/* Some sign x30 with the pc. */
	if (authenticates && operation >= 32) {
		i->kind = PAPI_A64_IN_PLACE;
		papi_a64_uses(i, N | D | X(30) | X(16) | X(17), 0);
	}
}

/* Division, shifts, checksums, tags of addresses. */
static void decode_two_sources(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 15, 10);

	i->is_integer = operation != 4 && operation != 5 && operation != 12; /* irg, gmi, pacga */
	papi_a64_uses(i, N | M, D);
}

static void decode_carry(uint32_t word, struct papi_a64_instruction *i)
{
	bool flags_alone = papi_a64_bits(word, 15, 10) != 0 && papi_a64_bits(word, 15, 13) != 1;

	i->is_integer = !flags_alone; /* rmif, setf8, setf16 */
	papi_a64_uses(i, N | (flags_alone ? 0 : M), flags_alone ? 0 : D);
}

static void decode_registers(uint32_t word, struct papi_a64_instruction *i)
{
	if (!papi_a64_bit(word, 28)) { /* and, orr, eor, add, sub of registers; orr of nothing: mov */
		i->is_integer = !papi_a64_matches(word, 0x7fe0ffe0, 0x2a0003e0);
		papi_a64_uses(i, N | M, D);
		return;
	}
	switch (papi_a64_bits(word, 24, 21)) {
	case 0:
		decode_carry(word, i);
		return;
	case 2: /* ccmp: bit 11 says that the second operand is a number */
		i->is_integer = true;
		papi_a64_uses(i, N | (papi_a64_bit(word, 11) ? 0 : M), 0);
		return;
	case 4: /* csel and its kin: as conditional moves, no arithmetic */
		papi_a64_uses(i, N | M, D);
		return;
	case 6:
		if (papi_a64_bit(word, 30))
			decode_one_source(word, i);
		else
			decode_two_sources(word, i);
		return;
	default:
		if (!papi_a64_bit(word, 24))
			return;
		i->is_integer = true; /* madd and its kin; smulh and umulh add nothing */
		papi_a64_uses(i, N | M | (papi_a64_bits(word, 22, 21) == 2 ? 0 : A), D);
	}
}

/* ---- branches ---- */

static void decode_direct(uint32_t word, struct papi_a64_instruction *i)
{
	bool calls = papi_a64_bit(word, 31);

	i->kind = calls ? PAPI_A64_CALL : PAPI_A64_JUMP;
	i->offset = papi_a64_signed(papi_a64_bits(word, 25, 0), 26) * 4;
	papi_a64_uses(i, 0, calls ? X(30) : 0);
}

static void decode_conditional(uint32_t word, struct papi_a64_instruction *i)
{
	bool by_flags = papi_a64_matches(word, 0xff000000, 0x54000000);
	bool by_bit = papi_a64_matches(word, 0x7e000000, 0x36000000);

	i->kind = PAPI_A64_CONDITIONAL;
	i->offset = by_bit ? papi_a64_signed(papi_a64_bits(word, 18, 5), 14) * 4
			   : papi_a64_signed(papi_a64_bits(word, 23, 5), 19) * 4;
	papi_a64_uses(i, by_flags ? 0 : D, 0);
}

/* br, blr, ret, and those that authenticate: with zero, the stack pointer or a register as modifier. */
static void decode_indirect(uint32_t word, struct papi_a64_instruction *i)
{
	static const uint8_t kinds[] = { PAPI_A64_JUMP_INDIRECT, PAPI_A64_CALL_INDIRECT, PAPI_A64_RETURN };
	uint32_t operation = papi_a64_bits(word, 24, 21), form = papi_a64_bits(word, 15, 10);
	uint32_t low = papi_a64_bits(word, 4, 0);
	bool has_modifier = operation & 8, with_key = form == 2 || form == 3;

	i->kind = operation == 4 || operation == 5 ? PAPI_A64_TRAP : PAPI_A64_IN_PLACE; /* eret, drps */
	if (papi_a64_bits(word, 20, 16) != 31 || (operation & 7) > 2 || (form && !with_key))
		return;
	if ((operation & 7) == 2 && (has_modifier || (with_key && papi_a64_bits(word, 9, 5) != 31)))
		return;
	if (has_modifier ? !with_key : low != (with_key ? 31u : 0u))
		return;
	i->kind = kinds[operation & 7];
	i->key = with_key ? PAPI_A64_KEY_A + (form & 1) : PAPI_A64_NO_KEY;
	i->zero_modifier = with_key && !has_modifier && i->kind != PAPI_A64_RETURN;
	if (i->kind == PAPI_A64_RETURN && with_key)
		papi_a64_uses(i, X(30), 0);
	else
		papi_a64_uses(i, N | (has_modifier ? D : 0), i->kind == PAPI_A64_CALL_INDIRECT ? X(30) : 0);
}

/* Hints that sign and authenticate the link register, or x17, know their registers without naming them. */
static void decode_hint(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t number = papi_a64_bits(word, 11, 5);

	papi_a64_uses(i, 0, 0);
	if (number == 7 || (number >= 24 && number <= 31))
		papi_a64_uses(i, X(30), X(30));
	else if (number == 8 || number == 10 || number == 12 || number == 14)
		papi_a64_uses(i, X(16) | X(17), X(17));
	else if (number == 40)
		papi_a64_uses(i, X(16), X(16)); /* chkfeat */
}

/* Barriers, registers of the system, and maintenance of caches. */
static void decode_system(uint32_t word, struct papi_a64_instruction *i)
{
	bool reads_system = papi_a64_bit(word, 21);
	uint32_t maintained = papi_a64_bits(word, 18, 5);

	papi_a64_uses(i, reads_system ? 0 : D, reads_system ? D : 0);
	if (papi_a64_matches(word, 0xfffff01f, 0xd503301f)) { /* not clrex */
		uint32_t barrier = papi_a64_bits(word, 7, 5);

		i->is_fence = (barrier >= 4 && barrier <= 6) || word == 0xd50330ff || /* sb */
			(barrier == 1 && papi_a64_bits(word, 9, 8) == 2);             /* dsb, nXS */
	}
	if (papi_a64_bits(word, 20, 19) != 1 || reads_system)
		return;
	/* Of op1, CRn, CRm and op2: dc zva, gva, gzva. */
	if (maintained == 0x1ba1 || maintained == 0x1ba3 || maintained == 0x1ba4) {
		i->stores = 1;
		i->operand = (struct papi_a64_operand){ .base = (uint8_t)papi_a64_bits(word, 4, 0),
			.index = PAPI_A64_NO_REGISTER,
			.is_zeroed = true,
			.is_known = maintained == 0x1ba1 && D };
	}
}

static void decode_branch(uint32_t word, struct papi_a64_instruction *i)
{
	if (papi_a64_matches(word, 0x7c000000, 0x14000000)) {
		decode_direct(word, i);
	} else if (papi_a64_matches(word, 0x7c000000, 0x34000000) || papi_a64_matches(word, 0xff000000, 0x54000000)) {
		decode_conditional(word, i);
	} else if (papi_a64_matches(word, 0xffe0001f, 0xd4000001)) { /* the kernel keeps all registers but x0 */
		i->kind = PAPI_A64_SYSTEM_CALL;
		papi_a64_uses(i, 0x1ff, 1);
	} else if (papi_a64_matches(word, 0xffe0001f, 0xd4600000)) {
		papi_a64_uses(i, 0, 0); /* tcancel */
	} else if (papi_a64_matches(word, 0xff000000, 0xd4000000)) {
		i->kind = PAPI_A64_TRAP;
	} else if (papi_a64_matches(word, 0xfffff01f, 0xd503201f)) {
		decode_hint(word, i);
	} else if (papi_a64_matches(word, 0xfffff0ff, 0xd503407f) || papi_a64_matches(word, 0xffffffe0, 0xd51b4240)) {
		i->work_is_unknown = i->memory_is_unknown = true; /* smstart, smstop */
	} else if (papi_a64_matches(word, 0xffc00000, 0xd5000000)) {
		decode_system(word, i);
	} else if (papi_a64_matches(word, 0xffc00000, 0xd5400000)) { /* of registers of 128 bits: pairs */
		papi_a64_uses(i, D | (D << 1 & ~X(31)), 0);
	} else if (papi_a64_matches(word, 0xfe000000, 0xd6000000)) {
		decode_indirect(word, i);
	} else {
		i->kind = PAPI_A64_IN_PLACE;
	}
}

/* ---- all ---- */

/* In pairs, the second register is not named. Scalable ones have places of their own for w8 to w15. */
static void assume_all(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t named = D | N | A | M;

	i->reads = (named | named << 1 | X(30) | X(16) | X(17) | (i->work_is_unknown ? 0xff00 : 0)) & ~X(31);
	i->writes = 0;
}

void papi_a64_decode(uint32_t word, struct papi_a64_instruction *i)
{
	*i = (struct papi_a64_instruction){ .word = word };
	switch (papi_a64_bits(word, 28, 25)) {
	case 0: /* reserved; matrices */
		if (papi_a64_bit(word, 31))
			i->work_is_unknown = i->memory_is_unknown = true;
		else
			i->kind = PAPI_A64_TRAP;
		break;
	case 2:
		papi_a64_decode_scalable(word, i);
		break;
	case 8:
	case 9:
		decode_immediate(word, i);
		break;
	case 10:
	case 11:
		decode_branch(word, i);
		break;
	case 4:
	case 6:
	case 12:
	case 14:
		papi_a64_decode_memory(word, i);
		break;
	case 5:
	case 13:
		decode_registers(word, i);
		break;
	case 7:
	case 15:
		papi_a64_decode_vector(word, i);
		break;
	default: /* 1, 3: reserved */
		i->kind = PAPI_A64_TRAP;
	}
	if (!i->known)
		assume_all(word, i);
}
