/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that appends a block's record to the trace (trace_plan.h). None of it changes a flag. */
#include "components/vpmu/arm64/translate/translate.h"

bool papi_a64_tells_anything(const struct papi_a64_translation *t)
{
	return t->plan.traced || t->plan.streams;
}

/* Where the program is, as the last mark says. */
static uint64_t marked_pc(const struct papi_a64_translation *t)
{
	return t->pc + t->marks[t->n_marks - 1].pc;
}

/* ---- room ---- */

/* Of the trace, or if it makes no record, of the branches. There is room for branches that come with a record. */
void papi_a64_trace_enter(struct papi_a64_translation *t)
{
	bool traced = t->plan.traced;

	if (!papi_a64_tells_anything(t))
		return;
	papi_a64_spill(t, 16, t->pc);
	papi_a64_emit_load(&t->e, A64_BORROWED, traced ? A64_TRACE_NEXT : A64_BRANCHES_NEXT);
	papi_a64_emit_load(&t->e, 16, traced ? A64_TRACE_LIMIT : A64_BRANCHES_LIMIT);
	papi_a64_emit_subtract(&t->e, A64_BORROWED, 16, A64_BORROWED);
	t->trace_full = papi_a64_emit_branch_if_negative(&t->e, A64_BORROWED);
	papi_a64_unspill(t, 16, t->pc);
}

void papi_a64_trace_finish(struct papi_a64_translation *t)
{
	if (!papi_a64_tells_anything(t))
		return;
	papi_a64_emit_land(&t->e, t->trace_full);
	t->spilled = PAPI_A64_SPILLED_16;
	t->added = 0;
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	papi_a64_unspill(t, 16, t->pc);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, t->pc);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_PC);
	papi_a64_exit(t, PAPI_VPMU_EXIT_TRACE);
}

/* ---- values ---- */

static bool is_general(unsigned reg)
{
	return reg != A64_SP && !papi_a64_is_stolen(reg);
}

/* x15 becomes the sum; x17 is borrowed if both are the program's x15 and x18, or one is. */
static void add_index(struct papi_a64_translation *t, const struct papi_a64_value *value, uint64_t pc)
{
	unsigned base = value->base, index = value->index;
	bool borrows = papi_a64_is_stolen(base) && papi_a64_is_stolen(index);

	if (borrows) {
		papi_a64_spill(t, 17, pc);
		papi_a64_emit_load(&t->e, 17, papi_a64_home(base));
		base = 17;
	} else if (papi_a64_is_stolen(base)) {
		papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_home(base));
		base = A64_BORROWED;
	}
	if (papi_a64_is_stolen(index)) {
		papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_home(index));
		index = A64_BORROWED;
	}
	papi_a64_emit(&t->e, /* add x15, base, index, extended and shifted */
		0x8b200000u | index << 16 | (uint32_t)value->extension << 13 | (uint32_t)value->shift << 10 |
			base << 5 | A64_BORROWED);
	if (borrows)
		papi_a64_unspill(t, 17, pc);
}

/* and x15, base, with the lowest bits 0 */
static void clear_low_bits(struct papi_a64_translation *t, unsigned base)
{
	unsigned shift = t->plan.zero_shift;

	papi_a64_emit(&t->e, 0x92400000u | (64 - shift) << 16 | (63 - shift) << 10 | base << 5 | A64_BORROWED);
}

static void find_value(struct papi_a64_translation *t, const struct papi_a64_value *value, uint64_t pc)
{
	unsigned base = value->base;

	if (value->index != PAPI_A64_NO_REGISTER) {
		add_index(t, value, pc);
		return;
	}
	if (papi_a64_is_stolen(base)) {
		papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_home(base));
		base = A64_BORROWED;
	} else if (base == A64_SP) {
		papi_a64_emit_add(&t->e, A64_BORROWED, A64_SP, 0);
	}
	if (value->zeroed)
		clear_low_bits(t, base);
}

static void store_address(
	struct papi_a64_translation *t, const struct papi_a64_value *value, unsigned word, uint64_t pc)
{
	if (is_general(value->base) && value->index == PAPI_A64_NO_REGISTER && !value->zeroed) {
		papi_a64_emit_load(&t->e, A64_BORROWED, A64_TRACE_NEXT);
		papi_a64_emit_store_to(&t->e, value->base, A64_BORROWED, 8u * word);
		return;
	}
	find_value(t, value, pc);
	papi_a64_spill(t, 17, pc);
	papi_a64_emit_load(&t->e, 17, A64_TRACE_NEXT);
	papi_a64_emit_store_to(&t->e, A64_BORROWED, 17, 8u * word);
	papi_a64_unspill(t, 17, pc);
}

static void store_value(struct papi_a64_translation *t, const struct papi_a64_store *store, uint64_t pc)
{
	const struct papi_a64_value *value = &t->plan.values[store->word];
	bool has_base = value->base != PAPI_A64_NO_REGISTER;

	if (has_base)
		store_address(t, value, store->word, pc);
	if (value->chosen)
		papi_a64_trace_store_active(t, value, store->word + has_base);
}

void papi_a64_trace_before(struct papi_a64_translation *t, unsigned instruction)
{
	const struct papi_a64_trace_plan *plan = &t->plan;

	for (unsigned i = 0; plan->traced && i < plan->n_stores; i++)
		if (plan->stores[i].before == instruction)
			store_value(t, &plan->stores[i], papi_a64_pc_of(&t->decoded, instruction));
}

/* ---- the end ---- */

/* The pointer is in x15, x17 is free; target: the register that has it. */
static void append_record(struct papi_a64_translation *t, unsigned way, struct papi_a64_part part)
{
	unsigned words = papi_a64_part_words(&t->plan, &t->decoded, part);

	papi_a64_emit_load(&t->e, A64_BORROWED, A64_TRACE_NEXT);
	if (papi_a64_part_tells_target(&t->plan, &t->decoded, part))
		papi_a64_emit_store_to(&t->e, 16, A64_BORROWED, 8 * (words - 1));
	papi_a64_emit_constant(&t->e, &t->pool, 17, t->descriptions[way]);
	papi_a64_emit_store_to(&t->e, 17, A64_BORROWED, 0);
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, (int32_t)(8 * words));
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_TRACE_NEXT);
	t->spilled |= PAPI_A64_TOLD_RECORD;
	papi_a64_mark(t, marked_pc(t));
}

static void append_branches(struct papi_a64_translation *t, struct papi_a64_part part)
{
	unsigned n = papi_a64_part_branches(&t->decoded, part);

	if (!n)
		return;
	papi_a64_emit_load(&t->e, A64_BORROWED, A64_BRANCHES_NEXT);
	for (unsigned i = 0; i < n; i++) {
		bool taken = part.taken && i + 1 == n;

		papi_a64_emit_constant(
			&t->e, &t->pool, 17, t->branches[i] | (taken ? (uint32_t)PAPI_VPMU_BRANCH_TAKEN : 0));
		papi_a64_emit(&t->e, 0xb9000000u | i << 10 | A64_BORROWED << 5 | 17); /* str w17, [x15, i] */
	}
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, (int32_t)(4 * n));
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_BRANCHES_NEXT);
	t->spilled |= PAPI_A64_TOLD_BRANCHES;
	papi_a64_mark(t, marked_pc(t));
}

static void tell(struct papi_a64_translation *t, unsigned way, struct papi_a64_part part)
{
	bool record = t->plan.traced && papi_a64_part_makes_record(&t->plan, &t->decoded, part);
	bool spills = !(t->spilled & PAPI_A64_SPILLED_17);

	if (!record && !t->plan.streams)
		return;
	if (spills)
		papi_a64_spill(t, 17, marked_pc(t));
	if (t->plan.streams)
		append_branches(t, part);
	if (record)
		append_record(t, way, part);
	if (spills)
		papi_a64_unspill(t, 17, marked_pc(t));
}

struct papi_a64_part papi_a64_way(const struct papi_a64_block *block, unsigned way)
{
	unsigned asides = 0;

	for (unsigned i = 0; i < block->count; i++)
		if (papi_a64_leads_aside(block, i) && asides++ == way)
			return (struct papi_a64_part){ i + 1, true };
	return (struct papi_a64_part){ block->count, way > asides };
}

unsigned papi_a64_ways(const struct papi_a64_block *block)
{
	unsigned asides = 0;

	for (unsigned i = 0; i < block->count; i++)
		asides += papi_a64_leads_aside(block, i);
	return asides + 1 + (block->instructions[block->count - 1].kind == PAPI_A64_CONDITIONAL);
}

void papi_a64_trace_leave(struct papi_a64_translation *t, bool taken)
{
	unsigned ways = papi_a64_ways(&t->decoded);
	bool conditional = t->decoded.instructions[t->decoded.count - 1].kind == PAPI_A64_CONDITIONAL;
	unsigned way = ways - 1 - (conditional && !taken);

	if (papi_a64_tells_anything(t))
		tell(t, way, papi_a64_way(&t->decoded, way));
}

void papi_a64_trace_leave_aside(struct papi_a64_translation *t, unsigned aside)
{
	const struct papi_a64_trace_plan *plan = &t->plan;
	struct papi_a64_part part = papi_a64_way(&t->decoded, aside);

	if (!papi_a64_tells_anything(t))
		return;
	for (unsigned i = 0; plan->traced && i < plan->n_stores; i++)
		if (papi_a64_is_late(&plan->stores[i], part))
			store_value(t, &plan->stores[i], marked_pc(t));
	tell(t, aside, part);
}
