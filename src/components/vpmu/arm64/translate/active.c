/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point operations of vectors of any length: how many elements there are, or are active in a predicate, is
 * counted before each instruction. x15 has their number until that has run, so that where a signal comes in between
 * they can be taken back.
 *
 *	str  x17, [x18, branching + 8]
 *	cntp x15, p0, p0.d                     or cntd x15, for all elements
 *	ldr  x17, [x18, operations]
 *	add  x17, x17, x15, lsl #1             two operations in each
 *	str  x17, [x18, operations]
 *	ldr  x17, [x18, branching + 8]
 *	fmla z0.d, p0/m, z1.d, z2.d
 *
 * An exact profile has them at that instruction: a way of its own grows by as many, which takes x16 besides.
 */
#include "components/vpmu/arm64/translate/translate.h"

/* In each of its elements: a power of two. */
static unsigned shift_of(const struct papi_a64_instruction *instruction)
{
	return (unsigned)__builtin_ctz(instruction->operations);
}

static uint32_t count_elements(const struct papi_a64_instruction *instruction)
{
	uint32_t size = (uint32_t)instruction->element << 22, predicate = instruction->word >> 10 & 7;

	if (instruction->by_predicate)
		return 0x25208000 | size | predicate << 10 | predicate << 5 | A64_BORROWED;
	return 0x0420e3e0 | size | A64_BORROWED;
}

/* x17 += operations of the elements that x15 tells */
static void add_operations(struct papi_a64_translation *t, const struct papi_a64_instruction *instruction)
{
	papi_a64_emit(&t->e, 0x8b000000 | (uint32_t)A64_BORROWED << 16 | shift_of(instruction) << 10 | 17 << 5 | 17);
}

static void add_to_counter(
	struct papi_a64_translation *t, const struct papi_a64_instruction *instruction, unsigned counter, uint64_t pc)
{
	papi_a64_emit_load(&t->e, 17, papi_a64_counter(counter));
	add_operations(t, instruction);
	papi_a64_emit_store(&t->e, 17, papi_a64_counter(counter));
	t->spilled |= PAPI_A64_ADDED_ACTIVE;
	papi_a64_mark(t, pc);
}

static void add_to_way(
	struct papi_a64_translation *t, const struct papi_a64_instruction *instruction, unsigned way, uint64_t pc)
{
	papi_a64_spill(t, 16, pc);
	papi_a64_emit_constant(&t->e, &t->pool, 16, way);
	papi_a64_emit_load_indexed(&t->e, 17, 16);
	add_operations(t, instruction);
	papi_a64_emit_store_indexed(&t->e, 17, 16);
	t->spilled |= PAPI_A64_ADDED_ACTIVE_WAY;
	papi_a64_mark(t, pc);
	papi_a64_unspill(t, 16, pc);
}

bool papi_a64_counts_active(const struct papi_a64_translation *t, unsigned n, unsigned *counter)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];

	if (!papi_a64_is_active(instruction) || !papi_a64_is_counted(t, n))
		return false;
	*counter = papi_a64_operations_counter(instruction, t->request.vector);
	return true;
}

bool papi_a64_count_active(struct papi_a64_translation *t, unsigned n, uint64_t pc)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];
	unsigned counter, way;
	bool wanted;

	if (!papi_a64_counts_active(t, n, &counter))
		return false;
	wanted = papi_vpmu_is_wanted(t->request.wants, counter);
	way = papi_a64_way_offset(t, PAPI_VPMU_WAY_COUNTED + counter, n + 1);
	if (!wanted && !way)
		return false;
	papi_a64_borrow(t, pc);
	papi_a64_spill(t, 17, pc);
	papi_a64_emit(&t->e, count_elements(instruction));
	if (wanted)
		add_to_counter(t, instruction, counter, pc);
	if (way)
		add_to_way(t, instruction, way, pc);
	papi_a64_unspill(t, 17, pc);
	return true;
}

void papi_a64_end_active(struct papi_a64_translation *t, uint64_t pc)
{
	t->spilled &= ~(PAPI_A64_ADDED_ACTIVE | PAPI_A64_ADDED_ACTIVE_WAY);
	papi_a64_mark(t, pc);
	papi_a64_give_back(t, pc);
}
