/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Additions to the counters. A block adds what it holds at one point, if possible where the arithmetic flags are not
 * needed: between an instruction that sets them and the last one that wanted the old ones.
 *
 *	add  gs:[instructions], 5          where they are free; else with the flags in rax meanwhile
 *	add  gs:[loads], 2
 */
#include "components/vpmu/x86_64/translate/translate.h"

/* Which flags somebody needs after the block. */
static unsigned needed_after(const struct papi_vpmu_view *view, const struct papi_vpmu_decoded *decoded)
{
	const struct papi_vpmu_instruction *last = &decoded->instructions[decoded->count - 1];

	switch (last->kind) {
	case PAPI_VPMU_PLAIN:
		return papi_vpmu_flags_unused(view, decoded->end) ? 0 : PAPI_VPMU_ARITHMETIC_FLAGS;
	case PAPI_VPMU_JUMP:
	case PAPI_VPMU_CALL:
		return papi_vpmu_flags_unused(view, papi_vpmu_branch_target(last)) ? 0 : PAPI_VPMU_ARITHMETIC_FLAGS;
	case PAPI_VPMU_CONDITIONAL:
	case PAPI_VPMU_LOOP:
		return papi_vpmu_flags_unused(view, decoded->end) &&
				papi_vpmu_flags_unused(view, papi_vpmu_branch_target(last))
			? 0
			: PAPI_VPMU_ARITHMETIC_FLAGS;
	default:
		return PAPI_VPMU_ARITHMETIC_FLAGS;
	}
}

/* The last instruction before which nobody needs the flags, if these are needed behind the block; count: there is
 * none. */
static unsigned last_free(const struct papi_vpmu_decoded *decoded, unsigned needed)
{
	for (unsigned i = decoded->count; i-- > 0;) {
		const struct papi_vpmu_instruction *instruction = &decoded->instructions[i];

		needed = (needed & ~instruction->flags_set) | instruction->flags_read;
		if (!needed)
			return i;
	}
	return decoded->count;
}

/* Most blocks set the flags themselves: then what comes behind them need not be decoded. */
unsigned papi_vpmu_counting_point(const struct papi_vpmu_translation *t, bool *flags_free)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	unsigned point = last_free(decoded, PAPI_VPMU_ARITHMETIC_FLAGS);

	if (point == decoded->count && !needed_after(t->request.view, decoded))
		point = last_free(decoded, 0);
	*flags_free = point < decoded->count;
	return *flags_free ? point : 0;
}

/* In the block's lane. */
static unsigned offset_of(const struct papi_vpmu_translation *t, unsigned counter)
{
	return VPMU_COUNTERS + t->lane * VPMU_LANE_SIZE + 8 * counter;
}

static void add_sums(struct papi_vpmu_translation *t, uint64_t pc)
{
	for (uint64_t left = t->request.wants->counters; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		if (!t->sums[i])
			continue;
		papi_vpmu_emit_add_flags(&t->e, offset_of(t, i), (int32_t)t->sums[i]);
		t->added++;
		papi_vpmu_mark(t, pc);
	}
}

static bool anything_to_add(const struct papi_vpmu_translation *t)
{
	for (uint64_t left = t->request.wants->counters; left; left &= left - 1)
		if (t->sums[__builtin_ctzll(left)])
			return true;
	return false;
}

void papi_vpmu_count(struct papi_vpmu_translation *t, uint64_t pc, bool flags_free)
{
	if (!anything_to_add(t))
		return;
	if (flags_free) {
		add_sums(t, pc);
		return;
	}
	papi_vpmu_spill(t, RAX, pc);
	papi_vpmu_emit_flags_save(&t->e);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_FLAGS);
	add_sums(t, pc);
	papi_vpmu_emit_flags_restore(&t->e);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RAX, pc);
}

void papi_vpmu_count_one(struct papi_vpmu_translation *t, unsigned counter, uint64_t target)
{
	unsigned offset = offset_of(t, counter);

	if (papi_vpmu_flags_unused(t->request.view, target)) {
		papi_vpmu_emit_add_flags(&t->e, offset, 1);
		return;
	}
	papi_vpmu_spill(t, RAX, target);
	papi_vpmu_emit_load(&t->e, RAX, offset);
	papi_vpmu_emit_lea(&t->e, RAX, RAX, 1);
	papi_vpmu_emit_store(&t->e, offset, RAX);
	papi_vpmu_mark_as(t, target, PAPI_VPMU_MARK_BRANCH);
	papi_vpmu_unspill(t, RAX, target);
}

/* iterations = rep_count - rcx, computed as ~(~rep_count + rcx), which leaves the flags alone. */
static void add_iterations(struct papi_vpmu_translation *t, unsigned counter, unsigned each)
{
	unsigned offset = offset_of(t, counter);

	if (!each || !(t->request.wants->counters >> counter & 1))
		return;
	papi_vpmu_emit_load(&t->e, RDX, offset);
	papi_vpmu_emit_lea_scaled(&t->e, RDX, RDX, RAX, each, 0);
	papi_vpmu_emit_store(&t->e, offset, RDX);
}

void papi_vpmu_count_repeated(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	uint64_t next = instruction->pc + instruction->decoded.length;

	papi_vpmu_mark_as(t, next, PAPI_VPMU_MARK_REPEATED);
	papi_vpmu_spill(t, RAX, next);
	papi_vpmu_spill(t, RDX, next);
	papi_vpmu_emit_load(&t->e, RAX, VPMU_REP_COUNT);
	papi_vpmu_emit_not(&t->e, RAX);
	papi_vpmu_emit_lea_scaled(&t->e, RAX, RAX, RCX, 1, 0);
	papi_vpmu_emit_not(&t->e, RAX);
	add_iterations(t, PAPI_VPMU_LOADS, instruction->class.loads_each);
	papi_vpmu_mark_as(t, next, PAPI_VPMU_MARK_REPEATED_LOADS);
	add_iterations(t, PAPI_VPMU_STORES, instruction->class.stores_each);
}
