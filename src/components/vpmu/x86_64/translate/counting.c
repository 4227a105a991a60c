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

/* Likewise before an instruction, if these are needed behind it. */
static unsigned needed_before(const struct papi_vpmu_instruction *instruction, unsigned needed)
{
	return (needed & ~instruction->flags_set) | instruction->flags_read;
}

bool papi_vpmu_flags_are_free(const struct papi_vpmu_translation *t, unsigned point)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	unsigned needed = needed_after(t->request.view, decoded);

	for (unsigned i = decoded->count; i-- > point;)
		needed = needed_before(&decoded->instructions[i], needed);
	return !needed;
}

/* Behind all conditional branches that leave the block in its middle: these count for themselves. */
static unsigned first_behind_asides(const struct papi_vpmu_decoded *decoded)
{
	unsigned i = decoded->count - 1;

	while (i > 0 && !papi_vpmu_leads_aside(decoded, i - 1))
		i--;
	return i;
}

/* The last instruction from the first on before which nobody needs the flags, if these are needed behind the block;
 * count: there is none. */
static unsigned last_free(const struct papi_vpmu_decoded *decoded, unsigned first, unsigned needed)
{
	for (unsigned i = decoded->count; i-- > first;) {
		needed = needed_before(&decoded->instructions[i], needed);
		if (!needed)
			return i;
	}
	return decoded->count;
}

/* Most blocks set the flags themselves: then what comes behind them need not be decoded. */
unsigned papi_vpmu_counting_point(const struct papi_vpmu_translation *t, bool *flags_free)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	unsigned first = first_behind_asides(decoded), point = last_free(decoded, first, PAPI_VPMU_ARITHMETIC_FLAGS);

	if (point == decoded->count && !needed_after(t->request.view, decoded))
		point = last_free(decoded, first, 0);
	*flags_free = point < decoded->count;
	return *flags_free ? point : first;
}

/* In the block's lane. */
static unsigned offset_of(const struct papi_vpmu_translation *t, unsigned counter)
{
	return VPMU_COUNTERS + t->lane * VPMU_LANE_SIZE + 8 * counter;
}

static void add(struct papi_vpmu_translation *t, unsigned offset, uint64_t n, bool flags_free)
{
	if (flags_free) {
		papi_vpmu_emit_add_flags(&t->e, offset, (int32_t)n);
		return;
	}
	papi_vpmu_emit_load(&t->e, RAX, offset);
	papi_vpmu_emit_lea(&t->e, RAX, RAX, (int32_t)n);
	papi_vpmu_emit_store(&t->e, offset, RAX);
}

/* And one more of the way, if there is one. Where flags are not free, rax is spilled. */
static void add_sums(struct papi_vpmu_translation *t, const uint64_t *sums, unsigned way, uint64_t pc, bool flags_free)
{
	for (uint64_t left = t->request.wants->counters; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		if (!sums[i])
			continue;
		add(t, offset_of(t, i), sums[i], flags_free);
		t->added++;
		papi_vpmu_mark(t, pc);
	}
	if (way) {
		add(t, way, 1, flags_free);
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
	unsigned way = papi_vpmu_way_offset(t, PAPI_VPMU_WAY_PREFIX, t->decoded.count);

	if (!anything_to_add(t) && !way)
		return;
	if (flags_free) {
		add_sums(t, t->sums, way, pc, true);
		return;
	}
	papi_vpmu_spill(t, RAX, pc);
	papi_vpmu_emit_flags_save(&t->e);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_FLAGS);
	add_sums(t, t->sums, way, pc, true);
	papi_vpmu_emit_flags_restore(&t->e);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RAX, pc);
}

static bool counts_taken(const struct papi_vpmu_translation *t)
{
	return t->request.wants->counters >> PAPI_VPMU_BRANCHES_TAKEN & 1;
}

void papi_vpmu_count_taken(struct papi_vpmu_translation *t, uint64_t target)
{
	unsigned way = papi_vpmu_way_offset(t, PAPI_VPMU_WAY_TAKEN, t->decoded.count), added = t->added;
	bool flags_free = papi_vpmu_flags_unused(t->request.view, target);

	if (!flags_free)
		papi_vpmu_spill(t, RAX, target);
	if (way) {
		add(t, way, 1, flags_free);
		t->added |= PAPI_VPMU_ADDED_WAY;
		papi_vpmu_mark(t, target);
	}
	if (counts_taken(t))
		add(t, offset_of(t, PAPI_VPMU_BRANCHES_TAKEN), 1, flags_free);
	t->added = added;
	papi_vpmu_mark_as(t, target, PAPI_VPMU_MARK_BRANCH);
	if (!flags_free)
		papi_vpmu_unspill(t, RAX, target);
}

void papi_vpmu_count_aside(struct papi_vpmu_translation *t, unsigned branch)
{
	const struct papi_vpmu_instruction *last = &t->decoded.instructions[branch];
	uint64_t sums[PAPI_VPMU_FIRST_MODELLED], pc = last->pc + last->length;
	bool flags_free = papi_vpmu_flags_unused(t->request.view, papi_vpmu_branch_target(last));

	papi_vpmu_sum(t, branch + 1, sums);
	if (!flags_free)
		papi_vpmu_spill(t, RAX, pc);
	add_sums(t, sums, papi_vpmu_way_offset(t, PAPI_VPMU_WAY_ASIDE, branch + 1), pc, flags_free);
	if (last->counted && counts_taken(t)) {
		add(t, offset_of(t, PAPI_VPMU_BRANCHES_TAKEN), 1, flags_free);
		papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_ASIDE);
	}
	if (!flags_free)
		papi_vpmu_unspill(t, RAX, pc);
}

/* iterations = rep_count - rcx, computed as ~(~rep_count + rcx), which leaves the flags alone. */
static void add_iterations(struct papi_vpmu_translation *t, unsigned offset, unsigned each)
{
	papi_vpmu_emit_load(&t->e, RDX, offset);
	papi_vpmu_emit_lea_scaled(&t->e, RDX, RDX, RAX, each, 0);
	papi_vpmu_emit_store(&t->e, offset, RDX);
}

static void add_accesses(struct papi_vpmu_translation *t, unsigned counter, unsigned each)
{
	if (each && t->request.wants->counters >> counter & 1)
		add_iterations(t, offset_of(t, counter), each);
}

void papi_vpmu_count_repeated(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	unsigned way = papi_vpmu_way_offset(
		t, PAPI_VPMU_WAY_ITERATIONS, (unsigned)(instruction - t->decoded.instructions) + 1);
	uint64_t next = instruction->pc + instruction->length;
	unsigned added = t->added;

	papi_vpmu_mark_as(t, next, PAPI_VPMU_MARK_REPEATED);
	papi_vpmu_spill(t, RAX, next);
	papi_vpmu_spill(t, RDX, next);
	papi_vpmu_emit_load(&t->e, RAX, VPMU_REP_COUNT);
	papi_vpmu_emit_not(&t->e, RAX);
	papi_vpmu_emit_lea_scaled(&t->e, RAX, RAX, RCX, 1, 0);
	papi_vpmu_emit_not(&t->e, RAX);
	if (way) {
		add_iterations(t, way, 1);
		t->added |= PAPI_VPMU_ADDED_WAY;
		papi_vpmu_mark(t, next);
	}
	add_accesses(t, PAPI_VPMU_LOADS, instruction->class.loads_each);
	papi_vpmu_mark_as(t, next, PAPI_VPMU_MARK_REPEATED_LOADS);
	add_accesses(t, PAPI_VPMU_STORES, instruction->class.stores_each);
	t->added = added;
}
