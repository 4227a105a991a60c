/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads and stores. A pair, a structure of vectors, an exclusive one is a load or a store; what changes memory
 * atomically is both; a prefetch is neither.
 */
#include "components/vpmu/arm64/decode/parts.h"

#define D PAPI_A64_D(word)
#define N PAPI_A64_N(word)
#define A PAPI_A64_A(word)
#define M PAPI_A64_M(word)

/* Registers behind those of a mask, where an instruction means a pair and names one. */
static uint32_t with_next(uint32_t registers)
{
	return (registers | registers << 1) & ~(1u << 31);
}

/* ---- what is accessed ---- */

static struct papi_a64_operand *at_base(uint32_t word, struct papi_a64_instruction *i, unsigned size)
{
	i->operand = (struct papi_a64_operand){ .size = (uint16_t)size,
		.base = (uint8_t)papi_a64_bits(word, 9, 5),
		.index = PAPI_A64_NO_REGISTER,
		.is_known = true };
	return &i->operand;
}

/* At a distance from the base, to which the base moves before, or behind the access. */
static void at_distance(
	uint32_t word, struct papi_a64_instruction *i, unsigned size, int64_t distance, bool moves, bool behind)
{
	struct papi_a64_operand *operand = at_base(word, i, size);

	operand->displacement = behind ? 0 : (int32_t)distance;
	operand->moves = moves;
	operand->moved = moves ? (int32_t)distance : 0;
}

static void at_index(uint32_t word, struct papi_a64_instruction *i, unsigned size, unsigned shift)
{
	struct papi_a64_operand *operand = at_base(word, i, size);
	uint32_t index = papi_a64_bits(word, 20, 16);

	if (index == 31) /* zero */
		return;
	operand->index = (uint8_t)index;
	operand->extension = (uint8_t)papi_a64_bits(word, 15, 13);
	operand->shift = (uint8_t)(papi_a64_bit(word, 12) ? shift : 0);
}

static int64_t nine_bits(uint32_t word)
{
	return papi_a64_signed(papi_a64_bits(word, 20, 12), 9);
}

/* ---- what is moved ---- */

/* Moves data between memory and registers, which are none of the general ones if that is a vector's. base: by which the
 * address is told; written: and to which it is written back. */
static void moves(struct papi_a64_instruction *i, bool load, uint32_t data, uint32_t base, uint32_t written)
{
	i->loads = load;
	i->stores = !load;
	papi_a64_uses(i, base | written | (load ? 0 : data), written | (load ? data : 0));
}

static void changes_atomically(struct papi_a64_instruction *i, uint32_t reads, uint32_t writes)
{
	i->loads = i->stores = 1;
	i->is_atomic = true;
	papi_a64_uses(i, reads, writes);
}

/* cas, casp */
static void compares_and_swaps(struct papi_a64_instruction *i, uint32_t reads, uint32_t writes)
{
	changes_atomically(i, reads, writes);
	i->is_integer = true;
}

/* ---- ld1 to st4 ---- */

/* Bytes of ld1 to st4 of whole registers, of which there are so many by the opcode. */
static unsigned size_of_structures(uint32_t word)
{
	static const uint8_t registers[16] = { [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2 };

	return registers[papi_a64_bits(word, 15, 12)] * (papi_a64_bit(word, 30) ? 16u : 8u);
}

/* Of one element of each register. */
static unsigned size_of_structure(uint32_t word)
{
	unsigned registers = 2 * papi_a64_bits(word, 13, 13) + papi_a64_bits(word, 21, 21) + 1;

	switch (papi_a64_bits(word, 15, 14)) {
	case 0:
		return registers;
	case 1:
		return 2 * registers;
	case 2:
		return (papi_a64_bit(word, 10) ? 8 : 4) * registers;
	default:
		return registers << papi_a64_bits(word, 11, 10);
	}
}

static void decode_structures(uint32_t word, struct papi_a64_instruction *i)
{
	bool single = papi_a64_bit(word, 24), post = papi_a64_bit(word, 23);
	bool replicates = papi_a64_bits(word, 15, 14) == 3;
	unsigned size;

	if (papi_a64_bit(word, 31))
		return;
	moves(i, papi_a64_bit(word, 22), 0, N | (post ? M : 0), post ? N : 0);
	i->is_vector = !single || replicates;
	size = single ? size_of_structure(word) : size_of_structures(word);
	at_distance(word, i, size, size, post, true);
	i->operand.moves_by_register = post && M;
	i->operand.is_known = size != 0;
}

/* ---- exclusive and ordered ones; compare and swap ---- */

static void decode_exclusive(uint32_t word, struct papi_a64_instruction *i)
{
	bool load = papi_a64_bit(word, 22), pair = papi_a64_bit(word, 21);
	uint32_t data = D | (pair ? A : 0);

	i->kind = load ? PAPI_A64_LOAD_EXCLUSIVE : PAPI_A64_STORE_EXCLUSIVE;
	i->loads = load;
	i->stores = !load;
	i->is_atomic = !load;
	papi_a64_uses(i, N | (load ? 0 : data), load ? data : M);
	at_base(word, i, 1u << papi_a64_bits(word, 31, 30) << pair);
}

/* 29:24 is 001000. */
static void decode_ordered(uint32_t word, struct papi_a64_instruction *i)
{
	bool pairs = papi_a64_bit(word, 21);

	if (papi_a64_bit(word, 23)) {
		if (pairs)
			compares_and_swaps(i, N | M | D, M);
		else
			moves(i, papi_a64_bit(word, 22), D, N, 0); /* ldar, stlr */
		at_base(word, i, 1u << papi_a64_bits(word, 31, 30));
	} else if (pairs && !papi_a64_bit(word, 31)) {
		compares_and_swaps(i, N | with_next(M | D), with_next(M));
		at_base(word, i, papi_a64_bit(word, 30) ? 16 : 8);
	} else {
		decode_exclusive(word, i);
	}
}

/* ---- those of later versions: 29:27 is 011, and 24 is set ---- */

/* Tags of memory: stg, st2g, stzg, stz2g, stgm, stzgm are stores; ldg and ldgm loads. */
static void decode_tags(uint32_t word, struct papi_a64_instruction *i)
{
	bool indexed = papi_a64_bits(word, 11, 10) & 1;
	uint32_t operation = papi_a64_bits(word, 23, 22);
	bool load = papi_a64_bits(word, 11, 10) == 0 && (operation == 1 || operation == 3), several = operation == 3;

	i->loads = load;
	i->stores = !load;
	papi_a64_uses(i, N | (load && several ? 0 : D), (load ? D : 0) | (indexed ? N : 0));
}

/* ldapr and stlr with an offset, pairs of them, and those that move their base. */
static void decode_release_consistent(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 23, 22), form = papi_a64_bits(word, 11, 10);
	unsigned size = papi_a64_bits(word, 31, 30);
	bool vector = papi_a64_bit(word, 26);

	if (vector) {
		moves(i, operation & 1, 0, N, 0);
		i->is_vector = operation & 2;
		at_distance(word, i, operation & 2 ? 16 : 1u << size, nine_bits(word), false, false);
	} else if (form == 0) {
		moves(i, operation != 0, D, N, 0);
		at_distance(word, i, 1u << size, nine_bits(word), false, false);
	} else if (operation >= 2) {
		moves(i, operation == 3, D, N, N);
	} else {
		bool moves_base = !papi_a64_bit(word, 12);

		moves(i, operation == 1, D | A, N, moves_base ? N : 0);
	}
}

/* cpyp, cpym, cpye, setp and so on: they change what their registers say, in as many steps as they like. */
static void decode_copy(uint32_t word, struct papi_a64_instruction *i)
{
	bool sets = papi_a64_bits(word, 23, 22) == 3;

	i->loads = !sets;
	i->stores = 1;
	papi_a64_uses(i, D | N | M, D | N | (sets ? 0 : M));
}

static void decode_later(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t form = papi_a64_bits(word, 11, 10);
	bool vector = papi_a64_bit(word, 26), wide = papi_a64_bit(word, 21);

	if (wide) {
		if (papi_a64_bits(word, 31, 30) == 3 && !vector)
			decode_tags(word, i);
	} else if (form == 1) {
		if (papi_a64_bits(word, 31, 30) == 0)
			decode_copy(word, i);
	} else if ((form == 0 && !vector) || form == 2) {
		decode_release_consistent(word, i);
	}
}

/* ---- literals and pairs ---- */

static void decode_literal(uint32_t word, struct papi_a64_instruction *i)
{
	bool vector = papi_a64_bit(word, 26);
	uint32_t size = papi_a64_bits(word, 31, 30);

	i->kind = PAPI_A64_LITERAL;
	i->offset = papi_a64_signed(papi_a64_bits(word, 23, 5), 19) * 4;
	if (size == 3) { /* prfm; for vectors, reserved */
		i->kind = vector ? PAPI_A64_TRAP : PAPI_A64_LITERAL;
		i->prefetches = !vector;
		papi_a64_uses(i, 0, 0);
		at_base(word, i, 1)->base = PAPI_A64_NO_REGISTER;
		return;
	}
	moves(i, true, vector ? 0 : D, 0, 0);
	at_base(word, i, vector ? 4u << size : size == 1 ? 8 : 4)->base = PAPI_A64_NO_REGISTER;
	i->is_vector = vector && size == 2;
}

static void decode_pair(uint32_t word, struct papi_a64_instruction *i)
{
	bool vector = papi_a64_bit(word, 26), writes_back = papi_a64_bit(word, 23), before = papi_a64_bit(word, 24);
	uint32_t kind = papi_a64_bits(word, 31, 30);
	bool tags = !vector && kind == 1 && !papi_a64_bit(word, 22);
	unsigned size = vector ? 4u << kind : kind == 2 ? 8 : 4;
	int64_t distance = papi_a64_signed(papi_a64_bits(word, 21, 15), 7) * (tags ? 16 : size);

	moves(i, papi_a64_bit(word, 22), vector ? 0 : D | A, N, writes_back ? N : 0);
	at_distance(word, i, tags ? 16 : 2 * size, distance, writes_back, writes_back && !before);
	i->is_vector = vector && papi_a64_bits(word, 31, 30) == 2;
}

/* ---- one register: 29:27 is 111 ---- */

/* Atomic changes; swp computes nothing. Registers of 512 bits; ldapr. */
static void decode_atomic(uint32_t word, struct papi_a64_instruction *i)
{
	uint32_t operation = papi_a64_bits(word, 15, 12), size = papi_a64_bits(word, 31, 30);
	uint32_t eight = D ? 0xffu << papi_a64_bits(word, 4, 0) & ~(1u << 31) : 0;

	if (papi_a64_bit(word, 26)) /* of floating-point numbers */
		return;
	if (operation <= 8) {
		changes_atomically(i, N | M, D);
		i->is_integer = operation < 8;
		at_base(word, i, 1u << size);
	} else if (operation == 12) {
		moves(i, true, D, N, 0);
		at_base(word, i, 1u << size);
	} else if (size == 3 && operation == 13) {
		moves(i, true, eight, N, 0);
		at_base(word, i, 64);
	} else if (size == 3 && operation >= 9 && operation <= 11) {
		moves(i, false, eight, N, 0);
		i->writes = operation == 9 ? 0 : M; /* says whether it was done */
		at_base(word, i, 64);
	}
}

/* ldraa, ldrab */
static void decode_authenticated(uint32_t word, struct papi_a64_instruction *i)
{
	if (papi_a64_bits(word, 31, 30) == 3 && !papi_a64_bit(word, 26))
		moves(i, true, D, N, papi_a64_bit(word, 11) ? N : 0);
}

/* By its form: an offset of twelve bits, or 0 to 3. */
static void find_operand(uint32_t word, struct papi_a64_instruction *i, uint32_t form, bool by_register)
{
	bool vector = papi_a64_bit(word, 26);
	unsigned shift = papi_a64_bits(word, 31, 30) | (vector ? papi_a64_bits(word, 23, 23) << 2 : 0);
	unsigned size = i->prefetches ? 1 : 1u << shift;

	if (form == 4)
		at_distance(word, i, size, (int64_t)papi_a64_bits(word, 21, 10) << shift, false, false);
	else if (by_register)
		at_index(word, i, size, shift);
	else
		at_distance(word, i, size, nine_bits(word), form == 1 || form == 3, form == 1);
}

static void decode_one(uint32_t word, struct papi_a64_instruction *i)
{
	bool vector = papi_a64_bit(word, 26), has_offset = papi_a64_bit(word, 24), wide = papi_a64_bit(word, 21);
	uint32_t size = papi_a64_bits(word, 31, 30), operation = papi_a64_bits(word, 23, 22);
	uint32_t form = has_offset ? 4 : papi_a64_bits(word, 11, 10);
	bool by_register = form == 2 && wide, writes_back = !wide && (form == 1 || form == 3);
	uint32_t base = N | (by_register ? M : 0);

	if (!has_offset && wide && form == 0) {
		decode_atomic(word, i);
	} else if (!has_offset && wide && form != 2) {
		decode_authenticated(word, i);
	} else if (!vector && size == 3 && operation == 2) {
		i->prefetches = true;
		papi_a64_uses(i, base, 0);
		find_operand(word, i, form, by_register);
	} else {
		moves(i, vector ? operation & 1 : operation != 0, vector ? 0 : D, base, writes_back ? N : 0);
		i->is_vector = vector && operation & 2;
		find_operand(word, i, form, by_register);
	}
}

void papi_a64_decode_memory(uint32_t word, struct papi_a64_instruction *i)
{
	bool vector = papi_a64_bit(word, 26), second = papi_a64_bit(word, 24);

	switch (papi_a64_bits(word, 29, 28)) {
	case 0:
		if (vector)
			decode_structures(word, i);
		else if (!second)
			decode_ordered(word, i);
		break;
	case 1:
		if (second)
			decode_later(word, i);
		else
			decode_literal(word, i);
		break;
	case 2:
		decode_pair(word, i);
		break;
	default:
		decode_one(word, i);
	}
	i->memory_is_unknown = !i->known;
}
