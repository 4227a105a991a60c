/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that appends a block's record to the trace (trace_plan.h). None of it changes a flag but the comparison. */
#include "components/vpmu/x86_64/translate/translate.h"

void papi_vpmu_trace_emit_address(struct papi_vpmu_emitter *e, const struct papi_vpmu_trace_store *store, unsigned reg)
{
	if (store->base < 0)
		papi_vpmu_emit_lea_index(e, reg, (unsigned)store->index, store->scale, store->displacement);
	else if (store->index < 0)
		papi_vpmu_emit_lea(e, reg, (unsigned)store->base, store->displacement);
	else
		papi_vpmu_emit_lea_scaled(
			e, reg, (unsigned)store->base, (unsigned)store->index, store->scale, store->displacement);
	if (store->narrow)
		papi_vpmu_emit_move_32(e, reg, reg);
}

static void emit_value(
	struct papi_vpmu_emitter *e, const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_trace_store *store)
{
	unsigned reg = (unsigned)store->base;

	if (store->index >= 0 || store->narrow) {
		reg = plan->scratch;
		papi_vpmu_trace_emit_address(e, store, reg);
	}
	papi_vpmu_emit_store_at(e, plan->pointer, 8u * store->word, reg);
}

static void emit_any(
	struct papi_vpmu_emitter *e, const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_trace_store *store)
{
	unsigned place = 8u * store->word, reg = (unsigned)store->base;

	switch (store->sort) {
	case PAPI_VPMU_STORE_VECTOR:
		papi_vpmu_emit_store_vector(e, plan->pointer, place, reg);
		break;
	case PAPI_VPMU_STORE_LARGE:
		papi_vpmu_emit_store_vector_large(e, plan->pointer, place, reg);
		break;
	case PAPI_VPMU_STORE_MASK:
		papi_vpmu_emit_store_mask(e, plan->pointer, place, reg);
		break;
	default:
		emit_value(e, plan, store);
	}
}

/* Whether values are stored where a register points to: in a record of the trace, or in the thread's. */
static bool has_values(const struct papi_vpmu_translation *t)
{
	return t->checked ? t->checks.always : t->traced;
}

/* Whether a register has where it appends to, or where values go. */
static bool holds_pointer(const struct papi_vpmu_translation *t)
{
	return papi_vpmu_tells_anything(t) || has_values(t);
}

/* Whether it does from the entry on, and not behind what is looked at, which has that register until then. */
static bool holds_pointer_at_entry(const struct papi_vpmu_translation *t)
{
	return t->checked ? t->checks.always : papi_vpmu_tells_anything(t);
}

/* Where it appends to: the trace, or if it makes no record, the branches. */
static void load_pointer(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_load(&t->e, t->plan.pointer, t->traced ? VPMU_TRACE_NEXT : VPMU_BRANCHES_NEXT);
}

/* There is room for branches that come with a record. */
static void ask_for_room(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;

	load_pointer(t);
	t->trace_keeps_flags = !papi_vpmu_flags_unused(t->request.view, t->pc);
	if (t->trace_keeps_flags) {
		papi_vpmu_spill(t, RAX, t->pc);
		papi_vpmu_emit_flags_save(&t->e);
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	}
	papi_vpmu_emit_compare_flags(&t->e, plan->pointer, t->traced ? VPMU_TRACE_LIMIT : VPMU_BRANCHES_LIMIT);
	t->trace_full = papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_ABOVE);
	if (t->trace_keeps_flags) {
		papi_vpmu_emit_flags_restore(&t->e);
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
		papi_vpmu_unspill(t, RAX, t->pc);
	}
}

void papi_vpmu_trace_enter(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;

	if (!holds_pointer_at_entry(t))
		return;
	papi_vpmu_spill(t, plan->pointer, t->pc);
	if (!t->checked)
		ask_for_room(t);
	if (!has_values(t))
		return;
	if (t->checked) {
		papi_vpmu_emit_load(&t->e, plan->pointer, VPMU_SELF);
		papi_vpmu_emit_lea(&t->e, plan->pointer, plan->pointer, VPMU_RECORD);
	}
	if (plan->needs_scratch)
		papi_vpmu_spill(t, plan->scratch, t->pc);
}

static void emit_stores(struct papi_vpmu_translation *t, unsigned instruction, bool after)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;

	for (unsigned i = 0; has_values(t) && i < plan->n_stores; i++)
		if (plan->stores[i].instruction == instruction && plan->stores[i].after == after)
			emit_any(&t->e, plan, &plan->stores[i]);
}

void papi_vpmu_trace_before(struct papi_vpmu_translation *t, unsigned instruction)
{
	emit_stores(t, instruction, false);
	if (t->checked)
		papi_vpmu_checks_before(t, instruction);
}

void papi_vpmu_trace_after(struct papi_vpmu_translation *t, unsigned instruction)
{
	emit_stores(t, instruction, true);
}

/* The record is complete. */
static void append(struct papi_vpmu_translation *t, uint32_t description, unsigned words)
{
	unsigned pointer = t->plan.pointer;

	papi_vpmu_emit_store_constant_at(&t->e, pointer, description);
	papi_vpmu_emit_lea(&t->e, pointer, pointer, (int32_t)(8 * words));
	papi_vpmu_emit_store(&t->e, VPMU_TRACE_NEXT, pointer);
}

/* The first n branches, of which the last may have been taken, the others have not. The pointer is that of the trace,
 * if the block makes a record. */
static void append_branches(struct papi_vpmu_translation *t, unsigned n, uint32_t taken)
{
	unsigned pointer = t->plan.pointer;

	if (t->traced)
		papi_vpmu_emit_load(&t->e, pointer, VPMU_BRANCHES_NEXT);
	for (unsigned i = 0; i < n; i++)
		papi_vpmu_emit_store_constant_32_at(
			&t->e, pointer, 4 * (int)i, t->plan.branches[i] | (i + 1 == n ? taken : 0));
	papi_vpmu_emit_lea(&t->e, pointer, pointer, (int32_t)(4 * n));
	papi_vpmu_emit_store(&t->e, VPMU_BRANCHES_NEXT, pointer);
}

static void give_back_scratch(struct papi_vpmu_translation *t, uint64_t pc)
{
	if (has_values(t) && t->plan.needs_scratch)
		papi_vpmu_unspill(t, t->plan.scratch, pc);
}

/* Whether the branch at the end comes in the stream. */
static bool streams_end(const struct papi_vpmu_translation *t)
{
	return papi_vpmu_streams(t) && t->plan.n_branches > t->plan.n_ways_out;
}

static bool awaits_target(const struct papi_vpmu_translation *t)
{
	return t->traced && t->request.wants->parts & PAPI_VPMU_PART_BRANCHES &&
		papi_vpmu_tells_target(t->plan.description.end);
}

/* The register had something else. */
static void load_pointer_behind_checks(struct papi_vpmu_translation *t)
{
	if (t->checked && papi_vpmu_tells_anything(t))
		load_pointer(t);
}

/* The pointer is kept where the branch is still to tell something. */
void papi_vpmu_trace_leave(struct papi_vpmu_translation *t, uint64_t pc)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;

	if (t->checked && t->checks.point == t->decoded.count)
		papi_vpmu_checks_before(t, t->decoded.count);
	if (!holds_pointer(t))
		return;
	load_pointer_behind_checks(t);
	if (t->traced && !awaits_target(t))
		append(t, t->description, plan->description.words);
	if (papi_vpmu_streams(t))
		append_branches(t, plan->n_branches, 0);
	give_back_scratch(t, pc);
	if (awaits_target(t) && papi_vpmu_streams(t))
		papi_vpmu_emit_load(&t->e, plan->pointer, VPMU_TRACE_NEXT);
	else if (!awaits_target(t) && !streams_end(t))
		papi_vpmu_unspill(t, plan->pointer, pc);
}

/* The stream says of the last branch that it has not been taken. */
void papi_vpmu_trace_outcome(struct papi_vpmu_translation *t, bool taken, uint64_t pc)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;

	if (!streams_end(t))
		return;
	if (taken)
		papi_vpmu_emit_store_constant_32_at(
			&t->e, plan->pointer, -4, plan->branches[plan->n_branches - 1] | PAPI_VPMU_BRANCH_TAKEN);
	papi_vpmu_unspill(t, plan->pointer, pc);
}

void papi_vpmu_trace_target(struct papi_vpmu_translation *t, uint64_t pc)
{
	unsigned words = t->plan.description.words;

	if (!awaits_target(t))
		return;
	papi_vpmu_emit_store_at(&t->e, t->plan.pointer, 8 * (words - 1), RCX);
	append(t, t->description, words);
	papi_vpmu_unspill(t, t->plan.pointer, pc);
}

void papi_vpmu_trace_leave_aside(struct papi_vpmu_translation *t, unsigned aside, uint64_t pc)
{
	const struct papi_vpmu_trace_way_out *way_out;

	if (!holds_pointer(t))
		return;
	way_out = &t->plan.ways_out[aside]; /* there is one copy of what tells something */
	load_pointer_behind_checks(t);
	if (t->traced && papi_vpmu_is_worth_record(&t->request, way_out->accesses, PAPI_VPMU_ENDS_ANYHOW))
		append(t, t->ways_out[aside], way_out->words);
	if (papi_vpmu_streams(t))
		append_branches(t, aside + 1, PAPI_VPMU_BRANCH_TAKEN);
	give_back_scratch(t, pc);
	papi_vpmu_unspill(t, t->plan.pointer, pc);
}

void papi_vpmu_trace_finish(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;

	if (t->checked)
		papi_vpmu_checks_finish(t);
	if (t->checked || !papi_vpmu_tells_anything(t))
		return;
	papi_vpmu_emit_land_32(&t->e, t->trace_full);
	t->spilled = 1u << plan->pointer;
	t->added = 0;
	if (t->trace_keeps_flags) {
		t->spilled |= 1u << RAX;
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
		papi_vpmu_emit_flags_restore(&t->e);
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
		papi_vpmu_unspill(t, RAX, t->pc);
	} else {
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	}
	papi_vpmu_emit_constant(&t->e, plan->pointer, t->pc);
	papi_vpmu_emit_store(&t->e, VPMU_PC, plan->pointer);
	papi_vpmu_unspill(t, plan->pointer, t->pc);
	papi_vpmu_exit(&t->e, PAPI_VPMU_EXIT_TRACE);
}
