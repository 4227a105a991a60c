/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What loads, stores and prefetches of vectors of any length access. They name a register, a number or another vector
 * for where their elements are, and have as many of these forms as there are bits to tell them apart. First-faulting
 * and non-faulting loads (ldff1, ldnf1) have those of the others, and one of their own where the index is zero.
 */
#include "components/vpmu/arm64/decode/parts.h"

/* Fields. */
#define ZERO 31u
#define N    papi_a64_bits(word, 9, 5)
#define M    papi_a64_bits(word, 20, 16)
#define MSZ  papi_a64_bits(word, 24, 23) /* logarithm of bytes in memory, in most */
#define P    papi_a64_bits(word, 12, 10)

/* Elements of those bytes in vectors, and in memory, both as logarithms, in a row; further fields are put in. */
static struct papi_a64_operand *in_row(uint32_t word, struct papi_a64_instruction *i, unsigned element, unsigned memory)
{
	i->operand = (struct papi_a64_operand){ .base = (uint8_t)N,
		.index = PAPI_A64_NO_REGISTER,
		.is_known = memory <= element || i->prefetches,
		.is_scalable = true,
		.active = { .predicate = (uint8_t)P,
			.vector = PAPI_A64_NO_REGISTER,
			.element = (uint8_t)element,
			.size = (uint8_t)(1u << memory) } };
	return &i->operand;
}

/* Where the displacement is a number, of all that may be accessed. */
static void by_length(struct papi_a64_operand *operand, int64_t number)
{
	operand->displacement = (int32_t)number;
	operand->active.by_length = true;
}

/* Where there is an index. Zero is none. */
static void by_index(uint32_t word, struct papi_a64_operand *operand, unsigned memory)
{
	operand->is_known &= M != ZERO;
	operand->index = (uint8_t)M;
	operand->extension = PAPI_A64_UXTX;
	operand->shift = (uint8_t)memory;
}

static int64_t four_bits(uint32_t word)
{
	return papi_a64_signed(papi_a64_bits(word, 19, 16), 4);
}

/* ---- with another vector ---- */

enum index { NARROW, SIGNED, WIDE };

/* The base, and a vector of offsets. */
static void at_offsets(
	uint32_t word, struct papi_a64_instruction *i, unsigned element, unsigned memory, enum index index, bool scaled)
{
	struct papi_a64_operand *operand = in_row(word, i, element, memory);

	operand->active.vector = (uint8_t)M;
	operand->active.is_wide = index == WIDE;
	operand->active.is_signed = index == SIGNED;
	operand->active.shift = (uint8_t)(scaled ? memory : 0);
}

/* A vector of addresses, and a register, which may be zero; or a number. */
static void at_addresses(uint32_t word, struct papi_a64_instruction *i, unsigned element, unsigned memory, bool number)
{
	struct papi_a64_operand *operand = in_row(word, i, element, memory);

	operand->base = (uint8_t)(number || M == ZERO ? PAPI_A64_NO_REGISTER : M);
	operand->displacement = number ? (int32_t)(M << memory) : 0;
	operand->active.vector = (uint8_t)N;
	operand->active.is_wide = element == 3;
}

static enum index index_of(uint32_t word, unsigned sign)
{
	return papi_a64_bit(word, sign) ? SIGNED : NARROW;
}

/* ---- groups ---- */

/* ldr, str */
static void whole(uint32_t word, struct papi_a64_instruction *i)
{
	int64_t number = papi_a64_signed(papi_a64_bits(word, 21, 16) << 3 | papi_a64_bits(word, 12, 10), 9);
	struct papi_a64_operand *operand = in_row(word, i, 0, 0);

	by_length(operand, number);
	operand->active.predicate = PAPI_A64_NO_REGISTER;
	operand->active.size = 0;
	operand->active.shift = papi_a64_bit(word, 14) ? 0 : 3;
}

/* By the four bits that tell how a load extends: logarithms of what each element has in vectors, and in memory. */
static const uint8_t of_element[] = { 0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3 },
		     of_memory[] = { 0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3 };

/* ld1rb and its kin */
static void repeated(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned type = papi_a64_bits(word, 24, 23) << 2 | papi_a64_bits(word, 14, 13);
	struct papi_a64_operand *operand = in_row(word, i, of_element[type], of_memory[type]);

	operand->displacement = (int32_t)(papi_a64_bits(word, 21, 16) << of_memory[type]);
	operand->active.is_any = true;
}

/* ld1rqb, ld1rob: 16 bytes, or 32 */
static void repeated_piece(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned sort = papi_a64_bits(word, 22, 21), bytes = 16u << sort;
	struct papi_a64_operand *operand = in_row(word, i, MSZ, MSZ);

	operand->active.elements = (uint8_t)(bytes >> MSZ);
	if (papi_a64_bit(word, 13))
		operand->displacement = (int32_t)(four_bits(word) * bytes);
	else
		by_index(word, operand, MSZ);
	operand->is_known &= sort < 2;
}

/* As many registers as the two bits say, one more: ldnt1, ld2, ld3, ld4, and the stores. */
static void structure(uint32_t word, struct papi_a64_instruction *i, bool number)
{
	struct papi_a64_operand *operand = in_row(word, i, MSZ, MSZ);

	operand->active.size = (uint8_t)((papi_a64_bits(word, 22, 21) + 1) << MSZ);
	if (number)
		by_length(operand, four_bits(word));
	else
		by_index(word, operand, MSZ);
}

static void load_in_row(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned type = papi_a64_bits(word, 24, 21), element = of_element[type], memory = of_memory[type];
	struct papi_a64_operand *operand;

	switch (papi_a64_bits(word, 15, 13)) {
	case 0:
	case 1:
		repeated_piece(word, i);
		return;
	case 2:
		by_index(word, in_row(word, i, element, memory), memory);
		return;
	case 3:
		operand = in_row(word, i, element, memory);
		if (M != ZERO)
			by_index(word, operand, memory);
		i->operand.active.stops = true;
		return;
	case 5:
		by_length(in_row(word, i, element, memory), four_bits(word));
		i->operand.active.stops = papi_a64_bit(word, 20);
		return;
	default:
		structure(word, i, papi_a64_bit(word, 13));
	}
}

static void prefetch(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned low = papi_a64_bits(word, 14, 13), element = papi_a64_bit(word, 30) ? 3 : 2;

	if (papi_a64_matches(word, 0xffc08010, 0x85c00000))
		by_length(in_row(word, i, low, low), papi_a64_signed(papi_a64_bits(word, 21, 16), 6));
	else if (papi_a64_matches(word, 0xfe60e010, 0x8400c000))
		by_index(word, in_row(word, i, MSZ, MSZ), MSZ);
	else if (papi_a64_matches(word, 0xbe60e010, 0x8400e000))
		at_addresses(word, i, element, MSZ, true);
	else if (papi_a64_matches(word, 0xffe08010, 0xc4608000))
		at_offsets(word, i, 3, low, WIDE, true);
	else
		at_offsets(word, i, element, low, index_of(word, 22), true);
}

/* ld1b and its kin, ldff1b */
static void gather_elements(uint32_t word, struct papi_a64_instruction *i, unsigned element)
{
	if (papi_a64_matches(word, 0xbe608000, 0x84208000))
		at_addresses(word, i, element, MSZ, true);
	else if (papi_a64_bit(word, 15))
		at_offsets(word, i, 3, MSZ, WIDE, papi_a64_bit(word, 21));
	else
		at_offsets(word, i, element, MSZ, index_of(word, 22), papi_a64_bit(word, 21));
	i->operand.active.stops = papi_a64_bit(word, 13);
}

static void gather(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned element = papi_a64_bit(word, 30) ? 3 : 2;

	if (papi_a64_matches(word, 0xfe60c000, 0x84008000) || papi_a64_matches(word, 0xfe60a000, 0xc4008000))
		at_addresses(word, i, element, MSZ, false); /* ldnt1 */
	else if (papi_a64_matches(word, 0xfe408000, 0x84408000))
		repeated(word, i);
	else
		gather_elements(word, i, element);
}

/* With another vector; by the two bits that tell elements and shifts apart. */
static void scatter(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned sort = papi_a64_bits(word, 22, 21);

	switch (papi_a64_bits(word, 15, 13)) {
	case 1: /* stnt1 */
		at_addresses(word, i, papi_a64_bit(word, 22) ? 2 : 3, MSZ, false);
		return;
	case 5:
		if (sort < 2)
			at_offsets(word, i, 3, MSZ, WIDE, sort == 1);
		else
			at_addresses(word, i, sort == 3 ? 2 : 3, MSZ, true);
		return;
	default:
		at_offsets(word, i, sort >= 2 ? 2 : 3, MSZ, index_of(word, 14), sort & 1);
	}
}

static void store(uint32_t word, struct papi_a64_instruction *i)
{
	unsigned element = papi_a64_bits(word, 22, 21);

	switch (papi_a64_bits(word, 15, 13)) {
	case 2:
		by_index(word, in_row(word, i, element, MSZ), MSZ);
		return;
	case 3:
		structure(word, i, false);
		return;
	case 7:
		if (papi_a64_bit(word, 20))
			structure(word, i, true);
		else
			by_length(in_row(word, i, element, MSZ), four_bits(word));
		return;
	default:
		scatter(word, i);
	}
}

void papi_a64_decode_scalable_memory(uint32_t word, struct papi_a64_instruction *i)
{
	if (papi_a64_matches(word, 0xffc0a000, 0x85800000) || papi_a64_matches(word, 0xffc0a000, 0xe5800000))
		whole(word, i);
	else if (i->prefetches)
		prefetch(word, i);
	else if (i->stores)
		store(word, i);
	else if (papi_a64_matches(word, 0xfe000000, 0xa4000000))
		load_in_row(word, i);
	else
		gather(word, i);
}
