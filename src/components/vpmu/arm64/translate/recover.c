/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/translate/recover.h"

#include <string.h>

#include "components/vpmu/arm64/translate/translate.h"
#include "components/vpmu/translator/marks.h"

static void decode_at(const struct papi_vpmu_block *block, uint32_t offset, struct papi_a64_instruction *instruction)
{
	uint32_t word;

	__builtin_memcpy(&word, block->bytes + offset, sizeof(word));
	papi_a64_decode(word, instruction);
}

/* ---- counters ---- */

/* What the instructions up to an offset count. */
static void sum_up(const struct papi_a64_recovery *r, uint32_t end, uint64_t sums[PAPI_VPMU_FIRST_MODELLED])
{
	const struct papi_vpmu_block *block = r->block;
	uint32_t counted = block->size - 4u * block->trimmed;
	uint64_t wanted = papi_vpmu_wanted(r->wants);

	memset(sums, 0, PAPI_VPMU_FIRST_MODELLED * sizeof(*sums));
	for (uint32_t offset = 0; offset < end && offset < counted; offset += 4) {
		struct papi_a64_instruction instruction;

		if (!papi_vpmu_in_range(r->wants, block->pc + offset))
			continue;
		decode_at(block, offset, &instruction);
		papi_a64_add_up(&instruction, wanted, sums);
	}
}

static bool is_aside(const struct papi_vpmu_mark *mark)
{
	return mark->kind == PAPI_VPMU_MARK_ASIDE || mark->kind == PAPI_VPMU_MARK_ASIDE_TAKEN;
}

/* The whole block is done. */
static bool is_done(const struct papi_vpmu_mark *mark)
{
	return mark->kind == PAPI_VPMU_MARK_TARGET || mark->kind == PAPI_VPMU_MARK_STORED_TARGET ||
		mark->kind == PAPI_VPMU_MARK_TAKEN || mark->kind == PAPI_VPMU_MARK_BRANCH;
}

/* Whether the instruction that ends at that offset is counted; and whether as a branch, when it is taken. */
static bool is_counted(const struct papi_a64_recovery *r, uint32_t end)
{
	return end <= r->block->size - 4u * r->block->trimmed && papi_vpmu_in_range(r->wants, r->block->pc + end - 4);
}

static bool counts_taken(const struct papi_a64_recovery *r, uint32_t end)
{
	return papi_vpmu_is_wanted(r->wants, PAPI_VPMU_BRANCHES_TAKEN) && is_counted(r, end);
}

/* One event has been added for so many instructions. */
static void correct_one(const struct papi_a64_recovery *r, const struct papi_vpmu_mark *mark)
{
	unsigned counter = (unsigned)__builtin_ctzll(papi_vpmu_wanted(r->wants));
	uint64_t before[PAPI_VPMU_FIRST_MODELLED], done[PAPI_VPMU_FIRST_MODELLED];

	sum_up(r, is_done(mark) ? r->block->size : mark->pc, before);
	sum_up(r, 4u * mark->added, done);
	r->counters[counter] += before[counter] - done[counter];
}

/* Whether any of the first n instructions is counted. */
static bool counts_any(const struct papi_a64_recovery *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (papi_vpmu_in_range(r->wants, r->block->pc + 4 * i))
			return true;
	return false;
}

/* The block has one way less, and one that ends at the offset. */
static void correct_way(const struct papi_a64_recovery *r, uint32_t offset, bool aside, bool added)
{
	unsigned all = r->block->size / 4, counted = all - r->block->trimmed, before = offset / 4;

	if (before > counted)
		before = counted;
	if (!r->add_way || !counts_any(r, aside ? before : counted) || (added && (aside || before == all)))
		return;
	if (added)
		r->add_way(r, PAPI_VPMU_WAY_PREFIX, all, (uint64_t)-1);
	if (counts_any(r, before))
		r->add_way(r, aside ? PAPI_VPMU_WAY_ASIDE : PAPI_VPMU_WAY_PREFIX, before, 1);
}

/* Of what the block adds, in the order of the counters, so many have been, its way behind them; what has been executed
 * is what is to be there. */
static void correct_counters(const struct papi_a64_recovery *r, const struct papi_vpmu_mark *mark)
{
	uint64_t before[PAPI_VPMU_FIRST_MODELLED], all[PAPI_VPMU_FIRST_MODELLED];
	uint32_t offset = is_done(mark) ? r->block->size : mark->pc;
	unsigned added = mark->added & (PAPI_VPMU_ADDED_WAY - 1);

	sum_up(r, offset, before);
	sum_up(r, is_aside(mark) ? offset : r->block->size, all);
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++) {
		uint64_t done = 0;

		if (all[i] && added) {
			done = all[i];
			added--;
		}
		r->counters[i] += before[i] - done;
	}
	correct_way(r, offset, is_aside(mark), added);
}

static void correct_taken(const struct papi_a64_recovery *r, const struct papi_vpmu_mark *mark)
{
	uint32_t offset = is_done(mark) ? r->block->size : mark->pc;

	if ((mark->kind == PAPI_VPMU_MARK_TAKEN || mark->kind == PAPI_VPMU_MARK_ASIDE_TAKEN) && counts_taken(r, offset))
		r->counters[PAPI_VPMU_BRANCHES_TAKEN]++;
	if (mark->kind == PAPI_VPMU_MARK_TAKEN && !(mark->added & PAPI_VPMU_ADDED_WAY) && r->add_way &&
		papi_a64_profiles_taken(r->wants) && is_counted(r, offset))
		r->add_way(r, PAPI_VPMU_WAY_TAKEN, offset / 4, 1);
}

/* An instruction has been counted by its active elements, but has not run. */
static void take_back_active(const struct papi_a64_recovery *r, const struct papi_vpmu_mark *mark, uint64_t active)
{
	struct papi_a64_instruction instruction;
	unsigned counter, n = mark->pc / 4u;
	uint64_t operations;

	decode_at(r->block, 4 * n++, &instruction);
	if (instruction.is_prefix)
		decode_at(r->block, 4 * n++, &instruction);
	counter = papi_a64_operations_counter(&instruction, r->vector);
	operations = active * instruction.operations;
	if (mark->spilled & PAPI_A64_ADDED_ACTIVE)
		r->counters[counter] -= operations;
	if (mark->spilled & PAPI_A64_ADDED_ACTIVE_WAY)
		r->add_way(r, PAPI_VPMU_WAY_COUNTED + counter, n, -operations);
}

/* ---- registers ---- */

static uint64_t target_of_aside(const struct papi_a64_recovery *r, uint32_t end)
{
	struct papi_a64_instruction branch;

	decode_at(r->block, end - 4, &branch);
	return papi_a64_target(r->block->pc + end - 4, &branch);
}

static uint64_t recover_pc(
	const struct papi_a64_recovery *r, const struct papi_vpmu_mark *mark, const struct papi_a64_state *state)
{
	switch (mark->kind) {
	case PAPI_VPMU_MARK_TARGET:
		return state->registers[PAPI_A64_BASE(mark->spilled)];
	case PAPI_VPMU_MARK_STORED_TARGET:
		return r->pc;
	case PAPI_VPMU_MARK_TAKEN:
	case PAPI_VPMU_MARK_BRANCH:
		return r->block->target;
	case PAPI_VPMU_MARK_ASIDE_TAKEN:
	case PAPI_VPMU_MARK_ASIDE:
		return target_of_aside(r, mark->pc);
	default:
		return r->block->pc + mark->pc;
	}
}

static void recover_registers(
	const struct papi_a64_recovery *r, const struct papi_vpmu_mark *mark, struct papi_a64_state *state)
{
	unsigned spilled = mark->spilled;

	if (!(spilled & PAPI_A64_GIVEN_15))
		state->registers[A64_BORROWED] = r->homes[A64_BORROWED];
	if (!(spilled & PAPI_A64_GIVEN_18))
		state->registers[A64_THREAD] = r->homes[A64_THREAD];
	if (spilled & PAPI_A64_SPILLED_16)
		state->registers[16] = r->lane[A64_BRANCHING / 8];
	if (spilled & PAPI_A64_SPILLED_17)
		state->registers[17] = r->lane[A64_BRANCHING / 8 + 1];
	if (spilled & PAPI_A64_HAS_BASE)
		state->registers[PAPI_A64_BASE(spilled)] = r->spilled[PAPI_A64_BASE(spilled)];
}

/* On the way of a stale block, which has left at its entry, it is there yet; but behind the first instruction there,
 * its count is in memory. */
static struct papi_vpmu_mark mark_of(const struct papi_vpmu_block *block, uint64_t code)
{
	const struct papi_vpmu_mark stored = { .kind = PAPI_VPMU_MARK_AT };
	int64_t offset = (int64_t)(code - block->code);

	if (offset < 0 && offset != -A64_STUB)
		return stored;
	return papi_vpmu_block_mark(block, offset < 0 ? A64_ENTRY : offset);
}

void papi_a64_recover(const struct papi_a64_recovery *r, struct papi_a64_state *state)
{
	struct papi_vpmu_mark mark;

	if (!r->block->n_marks)
		return;
	mark = mark_of(r->block, state->pc);
	if (mark.spilled & PAPI_A64_COUNT_15)
		r->lane[__builtin_ctzll(papi_vpmu_wanted(r->wants))] = state->registers[A64_BORROWED];
	if (r->wants && r->block->size) {
		if (papi_a64_counts_one(r->wants))
			correct_one(r, &mark);
		else
			correct_counters(r, &mark);
		correct_taken(r, &mark);
	}
	if (mark.spilled & (PAPI_A64_ADDED_ACTIVE | PAPI_A64_ADDED_ACTIVE_WAY))
		take_back_active(r, &mark, state->registers[A64_BORROWED]);
	state->pc = recover_pc(r, &mark, state);
	recover_registers(r, &mark, state);
	if (mark.call && r->finish_call)
		r->finish_call(r, mark.call, state);
}

/* ---- records ---- */

/* A conditional branch that ends the block has been taken, if it is done: behind one that is not, the program is at
 * the end. */
bool papi_a64_find_untold(const struct papi_vpmu_block *block, uint64_t code, struct papi_a64_untold *untold)
{
	struct papi_vpmu_mark mark;

	if (!block->n_marks || !block->size)
		return false;
	mark = mark_of(block, code);
	untold->part.n = is_done(&mark) ? block->size / 4 : mark.pc / 4u;
	untold->part.taken = is_done(&mark) || is_aside(&mark);
	untold->branches = !(mark.spilled & PAPI_A64_TOLD_BRANCHES);
	untold->record = !(mark.spilled & PAPI_A64_TOLD_RECORD);
	return untold->part.n && (untold->branches || untold->record);
}

static uint64_t extended(uint64_t value, unsigned extension)
{
	switch (extension) {
	case PAPI_A64_UXTW:
		return (uint32_t)value;
	case PAPI_A64_SXTW:
		return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	default:
		return value;
	}
}

uint64_t papi_a64_value_now(const struct papi_a64_trace_plan *plan, unsigned word, const struct papi_a64_state *state)
{
	const struct papi_a64_value *value = &plan->values[word];
	uint64_t address = state->registers[value->base];

	if (value->index != PAPI_A64_NO_REGISTER)
		address += extended(state->registers[value->index], value->extension) << value->shift;
	return value->zeroed ? address & -(1ull << plan->zero_shift) : address;
}
