/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vector registers, and floating point in them. Operations are counted as on x86-64 (doc/vpmu.md): add, subtract,
 * multiply, divide, minimum, maximum, square root and the approximations are one for each element; fused multiply-adds
 * and what computes as much are two. Moves, comparisons, conversions and roundings are none.
 */
#include "components/vpmu/arm64/decode/parts.h"

#define D PAPI_A64_D(word)
#define N PAPI_A64_N(word)

static void computes(struct papi_a64_instruction *i, unsigned calculation, unsigned operations)
{
	i->calculation = (uint8_t)calculation;
	i->operations = (uint8_t)operations;
}

/* ---- one element: 28:24 is 11110 or 11111, and 30 is not set ---- */

static unsigned element_of_type(uint32_t word)
{
	static const uint8_t elements[] = { PAPI_A64_SINGLE, PAPI_A64_DOUBLE, PAPI_A64_NO_ELEMENT, PAPI_A64_HALF };

	return elements[papi_a64_bits(word, 23, 22)];
}

static void decode_conversion(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 18, 16);
	bool to_vector = operation == 2 || operation == 3 || operation == 7;

	papi_a64_uses(i, to_vector ? N : 0, to_vector ? 0 : D);
}

static void decode_two_operands(uint32_t word, struct papi_a64_instruction *i)
{
	static const uint8_t calculations[16] = { [0] = PAPI_A64_MULTIPLY,
		[1] = PAPI_A64_DIVIDE,
		[2] = PAPI_A64_ADD,
		[3] = PAPI_A64_ADD,
		[8] = PAPI_A64_MULTIPLY };
	uint32_t operation = papi_a64_bits(word, 15, 12);

	if (operation <= 8)
		computes(i, calculations[operation], 1);
}

static void decode_scalar(uint32_t word, struct papi_a64_instruction *i)
{
	papi_a64_uses(i, 0, 0);
	i->element = (uint8_t)element_of_type(word);
	i->elements = 1;
	if (papi_a64_bit(word, 24))
		computes(i, PAPI_A64_MULTIPLY_ADD, 2);
	else if (!papi_a64_bit(word, 21) || papi_a64_bits(word, 15, 10) == 0)
		decode_conversion(word, i);
	else if (papi_a64_bits(word, 11, 10) == 2)
		decode_two_operands(word, i);
	else if (papi_a64_bits(word, 14, 10) == 16 && papi_a64_bits(word, 20, 15) == 3)
		computes(i, PAPI_A64_SQUARE_ROOT, 1);
}

/* ---- vectors: 28:24 is 01110 or 01111; scalar: 11110 or 11111, and 30 is set ---- */

/* How many elements of 16, 32 or 64 bits. */
static void has_elements(uint32_t word, struct papi_a64_instruction *i, unsigned element)
{
	static const uint8_t in_8_bytes[] = { [PAPI_A64_HALF] = 4, [PAPI_A64_SINGLE] = 2, [PAPI_A64_DOUBLE] = 1 };

	i->element = (uint8_t)element;
	i->elements = (uint8_t)(papi_a64_bit(word, 28) ? 1 : in_8_bytes[element] << papi_a64_bit(word, 30));
}

static unsigned single_or_double(uint32_t word)
{
	return papi_a64_bit(word, 22) ? PAPI_A64_DOUBLE : PAPI_A64_SINGLE;
}

/* Three registers of the same kind, by bits 13:11 of their number, from 24 on: in halves the others are not there. */
static void decode_three(uint32_t word, struct papi_a64_instruction *i, unsigned element)
{
	bool u = papi_a64_bit(word, 29), second = papi_a64_bit(word, 23);

	has_elements(word, i, element);
	switch (papi_a64_bits(word, 13, 11)) {
	case 0: /* fmaxnm, fminnm, and of pairs */
	case 6: /* fmax, fmin, and of pairs */
		computes(i, PAPI_A64_OTHER, 1);
		break;
	case 1: /* fmla, fmls; fmlal2, fmlsl2, which multiply halves and add to singles */
		if (!u || element == PAPI_A64_SINGLE)
			computes(i, PAPI_A64_MULTIPLY_ADD, 2);
		break;
	case 2: /* fadd, fsub, faddp, fabd */
		computes(i, PAPI_A64_ADD, 1);
		break;
	case 3: /* fmulx, fmul; minimum and maximum of amounts */
		computes(i, second ? PAPI_A64_OTHER : PAPI_A64_MULTIPLY, 1);
		break;
	case 5: /* fmlal, fmlsl; not facge, facgt */
		if (!u && element == PAPI_A64_SINGLE)
			computes(i, PAPI_A64_MULTIPLY_ADD, 2);
		break;
	case 7: /* frecps, frsqrts: a multiplication and a subtraction; fdiv; fscale */
		if (!u)
			computes(i, PAPI_A64_OTHER, 2);
		else if (!second)
			computes(i, PAPI_A64_DIVIDE, 1);
		break;
	default: /* comparisons */
		break;
	}
}

/* Bit 21 is not set, 15 and 10 are: complex numbers, and products of small ones. */
static void decode_three_more(uint32_t word, struct papi_a64_instruction *i)
{
	static const uint8_t of_size[] = { PAPI_A64_HALF, PAPI_A64_HALF, PAPI_A64_SINGLE, PAPI_A64_DOUBLE };
	bool u = papi_a64_bit(word, 29);
	uint32_t operation = papi_a64_bits(word, 14, 11), size = papi_a64_bits(word, 23, 22);

	if (operation < 8)
		return;
	if (u && operation < 12) {
		has_elements(word, i, of_size[size]);
		computes(i, PAPI_A64_MULTIPLY_ADD, 2); /* fcmla */
	} else if (u && (operation == 12 || operation == 14)) {
		has_elements(word, i, of_size[size]);
		computes(i, PAPI_A64_ADD, 1); /* fcadd */
	} else if (u && size == 1) {
		has_elements(word, i, PAPI_A64_SINGLE);
		computes(i, PAPI_A64_OTHER, operation == 13 ? 8 : 4); /* bfmmla, bfdot */
	} else if (u && size == 3 && operation == 15) {
		i->element = PAPI_A64_SINGLE;
		i->elements = 4;
		computes(i, PAPI_A64_MULTIPLY_ADD, 2); /* bfmlalb, bfmlalt: every second half of 128 bits */
	}
	/* The others are of numbers of 8 bits. */
	i->work_is_unknown = !i->operations;
}

/* Two registers: by bit 23, 29 and 16:12. */
static void decode_two(uint32_t word, struct papi_a64_instruction *i, unsigned element)
{
	bool u = papi_a64_bit(word, 29);
	uint32_t operation = papi_a64_bits(word, 16, 12);

	if (!papi_a64_bit(word, 23) || (operation != 29 && !(operation == 31 && u)))
		return;
	has_elements(word, i, element);
	if (operation == 31)
		computes(i, PAPI_A64_SQUARE_ROOT, 1);
	else
		computes(i, u ? PAPI_A64_OTHER : PAPI_A64_INVERSE, 1); /* frsqrte, frecpe */
}

/* From all elements of a register to one: as many operations as make it of them. Or from the two of a pair. */
static void decode_across(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 16, 12);
	bool adds = operation == 13 && papi_a64_bit(word, 28), pair = papi_a64_bit(word, 28);

	if (operation != 12 && operation != 15 && !adds)
		return;
	if (!papi_a64_bit(word, 29))
		has_elements(word, i, PAPI_A64_HALF);
	else
		has_elements(word, i, pair ? single_or_double(word) : PAPI_A64_SINGLE);
	if (!pair)
		i->elements--;
	computes(i, adds ? PAPI_A64_ADD : PAPI_A64_OTHER, 1);
}

/* The second factor is an element of a register. Size: 0 halves, 2 singles, 3 doubles, and more for some. */
static void decode_by_element(uint32_t word, struct papi_a64_instruction *i)
{
	static const uint8_t of_size[] = { PAPI_A64_HALF, PAPI_A64_NO_ELEMENT, PAPI_A64_SINGLE, PAPI_A64_DOUBLE };
	bool u = papi_a64_bit(word, 29);
	uint32_t operation = papi_a64_bits(word, 15, 12), size = papi_a64_bits(word, 23, 22);
	bool widens = u ? operation == 8 || operation == 12 : operation == 0 || operation == 4;

	if (operation == 9 && size != 1) { /* fmul, fmulx */
		has_elements(word, i, of_size[size]);
		computes(i, PAPI_A64_MULTIPLY, 1);
	} else if (!u && (operation == 1 || operation == 5) && size != 1) { /* fmla, fmls */
		has_elements(word, i, of_size[size]);
		computes(i, PAPI_A64_MULTIPLY_ADD, 2);
	} else if (widens && size == 2) { /* fmlal and its kin */
		has_elements(word, i, PAPI_A64_SINGLE);
		computes(i, PAPI_A64_MULTIPLY_ADD, 2);
	} else if (u && (operation & 9) == 1 && (size == 1 || size == 2)) { /* fcmla */
		has_elements(word, i, size == 1 ? PAPI_A64_HALF : PAPI_A64_SINGLE);
		computes(i, PAPI_A64_MULTIPLY_ADD, 2);
	} else if (!u && operation == 15 && size == 1) { /* bfdot */
		has_elements(word, i, PAPI_A64_SINGLE);
		computes(i, PAPI_A64_OTHER, 4);
	} else if (!u && operation == 15 && size == 3) { /* bfmlalb, bfmlalt */
		i->element = PAPI_A64_SINGLE;
		i->elements = 4;
		computes(i, PAPI_A64_MULTIPLY_ADD, 2);
	} else if ((operation == 0 && !u) || (operation == 8 && u)) {
		i->work_is_unknown = true; /* of numbers of 8 bits */
	}
}

/* dup, ins, smov, umov: of these, dup to a whole register alone is work on a vector. */
static void decode_move(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 14, 11);
	bool u = papi_a64_bit(word, 29);

	papi_a64_uses(
		i, !u && (operation == 1 || operation == 3) ? N : 0, !u && (operation == 5 || operation == 7) ? D : 0);
	i->is_vector = !u && operation < 2;
}

static bool is_sha_1_or_256(uint32_t word)
{
	return papi_a64_matches(word, 0xffe08c00, 0x5e000000) || papi_a64_matches(word, 0xfffe0c00, 0x5e280800);
}

static void decode_arithmetic(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t low = papi_a64_bits(word, 11, 10);
	bool odd = low & 1, more = papi_a64_bit(word, 15);

	if (papi_a64_bit(word, 21)) {
		if (odd && papi_a64_bits(word, 15, 14) == 3)
			decode_three(word, i, single_or_double(word));
		else if (low == 2 && papi_a64_bits(word, 20, 17) == 0)
			decode_two(word, i, single_or_double(word));
		else if (low == 2 && papi_a64_bits(word, 22, 17) == 0x3c)
			decode_two(word, i, PAPI_A64_HALF);
		else if (low == 2 && papi_a64_bits(word, 20, 17) == 8)
			decode_across(word, i);
	} else if (odd && papi_a64_bit(word, 22) && papi_a64_bits(word, 15, 14) == 0) {
		decode_three(word, i, PAPI_A64_HALF);
	} else if (odd && more) {
		decode_three_more(word, i);
	}
}

void papi_a64_decode_vector(uint32_t word, struct papi_a64_instruction *i)
{
	if (papi_a64_matches(word, 0x5e000000, 0x1e000000)) {
		decode_scalar(word, i);
		return;
	}
	papi_a64_uses(i, 0, 0);
	i->is_vector = !papi_a64_bit(word, 28) || papi_a64_matches(word, 0xff000000, 0xce000000) ||
		is_sha_1_or_256(word);
	if (papi_a64_matches(word, 0x9fe08400, 0x0e000400))
		decode_move(word, i);
	else if (papi_a64_matches(word, 0x8f000000, 0x0e000000))
		decode_arithmetic(word, i);
	else if (papi_a64_matches(word, 0x8f000400, 0x0f000000))
		decode_by_element(word, i);
}
