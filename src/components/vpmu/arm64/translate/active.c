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
 */
#include "components/vpmu/arm64/translate/translate.h"

/* In each of its elements: a power of two. */
static unsigned shift_of(const struct papi_a64_instruction *instruction)
{
	return (unsigned)__builtin_ctz(instruction->operations);
}

static uint32_t count_elements(const struct papi_a64_instruction *instruction)
{
	static const uint32_t sizes[] = { [PAPI_A64_HALF] = 1, [PAPI_A64_SINGLE] = 2, [PAPI_A64_DOUBLE] = 3 };
	uint32_t size = sizes[instruction->element] << 22, predicate = instruction->word >> 10 & 7;

	if (instruction->by_predicate)
		return 0x25208000 | size | predicate << 10 | predicate << 5 | A64_BORROWED;
	return 0x0420e3e0 | size | A64_BORROWED;
}

bool papi_a64_count_active(struct papi_a64_translation *t, unsigned n, uint64_t pc)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];
	unsigned counter;

	if (!papi_a64_is_active(instruction) || !papi_a64_is_counted(t, n))
		return false;
	counter = papi_a64_operations_counter(instruction, t->request.vector);
	if (!papi_vpmu_is_wanted(t->request.wants, counter))
		return false;
	papi_a64_borrow(t, pc);
	papi_a64_spill(t, 17, pc);
	papi_a64_emit(&t->e, count_elements(instruction));
	papi_a64_emit_load(&t->e, 17, papi_a64_counter(counter));
	papi_a64_emit(&t->e, 0x8b000000 | (uint32_t)A64_BORROWED << 16 | shift_of(instruction) << 10 | 17 << 5 | 17);
	papi_a64_emit_store(&t->e, 17, papi_a64_counter(counter));
	t->spilled |= PAPI_A64_ADDED_ACTIVE;
	papi_a64_mark(t, pc);
	papi_a64_unspill(t, 17, pc);
	return true;
}

void papi_a64_end_active(struct papi_a64_translation *t, uint64_t pc)
{
	t->spilled &= ~PAPI_A64_ADDED_ACTIVE;
	papi_a64_mark(t, pc);
	papi_a64_give_back(t, pc);
}
