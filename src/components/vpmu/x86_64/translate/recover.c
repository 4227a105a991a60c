/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate/recover.h"

#include <stddef.h>

#include "components/vpmu/translator/marks.h"
#include "components/vpmu/x86_64/translate/translate.h"

/* Of what a mark says to have been added: sums, and the way behind them. */
#define MASK_OF_SUMS (PAPI_VPMU_ADDED_WAY - 1)

/* Of the flags register: those that lahf loads, and overflow. */
#define LAHF_FLAGS    0xd5u
#define OVERFLOW_FLAG 0x800u

/* ---- counters ---- */

/* What the instructions of a block add, all of them, and those before an offset. */
struct passed {
	uint64_t all[PAPI_VPMU_FIRST_MODELLED], before[PAPI_VPMU_FIRST_MODELLED];
	struct papi_vpmu_instruction last; /* of those before the offset */
	unsigned n_all, n_before;          /* how many they are */
};

static bool is_counted(const struct papi_vpmu_recovery *r, const struct papi_vpmu_instruction *instruction)
{
	return !r->library && instruction->kind != PAPI_VPMU_STEP && papi_vpmu_in_range(r->wants, instruction->pc);
}

static void sum_up(const struct papi_vpmu_recovery *r, uint32_t offset, struct passed *passed)
{
	const struct papi_vpmu_block *block = r->block;
	struct papi_vpmu_instruction instruction;
	uint32_t at = 0;
	unsigned n = 0, counted;

	memset(passed, 0, offsetof(struct passed, last));
	passed->n_before = 0;
	for (; n < PAPI_VPMU_BLOCK_LENGTH && at < block->size; n++) {
		if (!papi_vpmu_decode_copy(&instruction, block->pc + at, block->bytes + at, block->size - at))
			break;
		at += instruction.length;
	}
	passed->n_all = n;
	counted = n - block->trimmed;
	at = 0;
	for (unsigned i = 0; i < counted; i++) {
		papi_vpmu_decode_copy(&instruction, block->pc + at, block->bytes + at, block->size - at);
		if (at < offset) {
			passed->last = instruction;
			passed->n_before = i + 1;
		}
		for (unsigned j = 0; is_counted(r, &instruction) && j < PAPI_VPMU_FIRST_MODELLED; j++) {
			passed->all[j] += instruction.class.counts[j];
			if (at < offset)
				passed->before[j] += instruction.class.counts[j];
		}
		at += instruction.length;
	}
}

/* A conditional branch in the middle has left the block, and adds what there is up to it. */
static bool is_aside(const struct papi_vpmu_mark *mark)
{
	return mark->kind == PAPI_VPMU_MARK_ASIDE_TAKEN || mark->kind == PAPI_VPMU_MARK_ASIDE;
}

/* A block adds its sums one after the other, in the order of the counters: so many of them have been. Returns whether
 * that of its way, which comes then, has been as well. */
static bool correct_sums(const struct papi_vpmu_recovery *r, unsigned added, const struct passed *passed)
{
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++) {
		uint64_t done = 0;

		if (!passed->all[i] || !papi_vpmu_is_wanted(r->wants, i))
			continue;
		if (added) {
			done = passed->all[i];
			added--;
		}
		r->counters[i] += passed->before[i] - done;
	}
	return added;
}

/* The block has one way less, and one that ends before the offset. */
static void correct_way(const struct papi_vpmu_recovery *r, bool aside, bool added, const struct passed *passed)
{
	bool whole = passed->n_before == passed->n_all;

	if (!r->add_way || !passed->all[PAPI_VPMU_INSTRUCTIONS] || (added && (aside || whole)))
		return;
	if (added)
		r->add_way(r, PAPI_VPMU_WAY_PREFIX, passed->n_all, (uint64_t)-1);
	if (passed->before[PAPI_VPMU_INSTRUCTIONS])
		r->add_way(r, aside ? PAPI_VPMU_WAY_ASIDE : PAPI_VPMU_WAY_PREFIX, passed->n_before, 1);
}

/* The branch at the end has been taken. */
static void count_taken(const struct papi_vpmu_recovery *r, bool added, const struct passed *passed)
{
	if (papi_vpmu_is_wanted(r->wants, PAPI_VPMU_BRANCHES_TAKEN))
		r->counters[PAPI_VPMU_BRANCHES_TAKEN]++;
	if (r->add_way && !added && papi_vpmu_profiles_taken(r->wants))
		r->add_way(r, PAPI_VPMU_WAY_TAKEN, passed->n_all, 1);
}

/* A rep string instruction that has been interrupted, or not yet counted. */
static void count_iterations(const struct papi_vpmu_recovery *r, const struct papi_vpmu_instruction *instruction,
	uint64_t iterations, bool loads)
{
	if (loads && papi_vpmu_is_wanted(r->wants, PAPI_VPMU_LOADS))
		r->counters[PAPI_VPMU_LOADS] += iterations * instruction->class.loads_each;
	if (papi_vpmu_is_wanted(r->wants, PAPI_VPMU_STORES))
		r->counters[PAPI_VPMU_STORES] += iterations * instruction->class.stores_each;
}

static void profile_iterations(const struct papi_vpmu_recovery *r, const struct papi_vpmu_instruction *instruction,
	unsigned n, uint64_t iterations)
{
	if (r->add_way && iterations && papi_vpmu_profiles_iterations(r->wants, instruction))
		r->add_way(r, PAPI_VPMU_WAY_ITERATIONS, n, iterations);
}

static void correct_counters(const struct papi_vpmu_recovery *r, const struct papi_vpmu_mark *mark, uint64_t rcx)
{
	const struct papi_vpmu_block *block = r->block;
	struct papi_vpmu_instruction repeated;
	struct passed passed;
	uint32_t offset = mark->pc;
	uint64_t iterations = r->rep_count - rcx;
	bool added = mark->added & PAPI_VPMU_ADDED_WAY;

	if (mark->kind == PAPI_VPMU_MARK_TARGET || mark->kind == PAPI_VPMU_MARK_STORED_TARGET ||
		mark->kind == PAPI_VPMU_MARK_TAKEN || mark->kind == PAPI_VPMU_MARK_BRANCH)
		offset = block->size;
	sum_up(r, offset, &passed);
	if (is_aside(mark))
		memcpy(passed.all, passed.before, sizeof(passed.all));
	correct_way(r, is_aside(mark), correct_sums(r, mark->added & MASK_OF_SUMS, &passed), &passed);
	switch (mark->kind) {
	case PAPI_VPMU_MARK_TAKEN:
		count_taken(r, added, &passed);
		break;
	case PAPI_VPMU_MARK_ASIDE_TAKEN:
		r->counters[PAPI_VPMU_BRANCHES_TAKEN] += is_counted(r, &passed.last) &&
			papi_vpmu_is_wanted(r->wants, PAPI_VPMU_BRANCHES_TAKEN);
		break;
	case PAPI_VPMU_MARK_REP:
		if (!papi_vpmu_decode_copy(&repeated, block->pc + offset, block->bytes + offset, block->size - offset))
			break;
		count_iterations(r, &repeated, iterations, true);
		profile_iterations(r, &repeated, passed.n_before + 1, iterations);
		break;
	case PAPI_VPMU_MARK_REPEATED:
	case PAPI_VPMU_MARK_REPEATED_LOADS:
		count_iterations(r, &passed.last, iterations, mark->kind == PAPI_VPMU_MARK_REPEATED);
		if (!added)
			profile_iterations(r, &passed.last, passed.n_before, iterations);
		break;
	default:
		break;
	}
}

/* ---- registers ---- */

static uint64_t flags_from(uint64_t rax, uint64_t flags)
{
	uint64_t lahf = rax >> 8 & LAHF_FLAGS, overflow = rax & 0xff;

	flags &= ~(uint64_t)(LAHF_FLAGS | OVERFLOW_FLAG);
	return flags | lahf | (overflow == 1 || overflow == 0x80 ? OVERFLOW_FLAG : 0);
}

/* Where the branch goes that ends at that offset. */
static uint64_t target_of(const struct papi_vpmu_block *block, uint32_t end)
{
	struct papi_vpmu_instruction instruction;
	uint32_t at = 0;

	while (at < end && papi_vpmu_decode_copy(&instruction, block->pc + at, block->bytes + at, block->size - at))
		at += instruction.length;
	return papi_vpmu_branch_target(&instruction);
}

static uint64_t recover_pc(const struct papi_vpmu_recovery *r, const struct papi_vpmu_mark *mark, uint64_t rcx)
{
	switch (mark->kind) {
	case PAPI_VPMU_MARK_TARGET:
		return rcx;
	case PAPI_VPMU_MARK_DISTANCE:
		return r->block->pc + rcx;
	case PAPI_VPMU_MARK_STORED_TARGET:
		return r->pc;
	case PAPI_VPMU_MARK_TAKEN:
	case PAPI_VPMU_MARK_BRANCH:
		return r->block->target;
	case PAPI_VPMU_MARK_ASIDE_TAKEN:
	case PAPI_VPMU_MARK_ASIDE:
		return target_of(r->block, mark->pc);
	default:
		return r->block->pc + mark->pc;
	}
}

/* The kernel has left an address of the cache in rcx. */
static bool is_behind_syscall(const struct papi_vpmu_block *block, const struct papi_vpmu_mark *mark)
{
	const uint8_t *end = block->bytes + block->size;

	return mark->kind == PAPI_VPMU_MARK_AT && block->branch + 2u == block->size && mark->pc == block->size &&
		end[-2] == 0x0f && end[-1] == 0x05;
}

static void recover_registers(
	const struct papi_vpmu_recovery *r, const struct papi_vpmu_mark *mark, struct papi_vpmu_state *state)
{
	uint64_t rcx = state->registers[RCX];

	if (mark->kind == PAPI_VPMU_MARK_FLAGS)
		state->flags = flags_from(state->registers[RAX], state->flags);
	for (unsigned i = 0; i < 16; i++)
		if (mark->spilled >> i & 1)
			state->registers[i] = r->spilled[i];
	state->pc = recover_pc(r, mark, rcx);
	if (is_behind_syscall(r->block, mark))
		state->registers[RCX] = state->pc;
}

void papi_vpmu_recover_state(const struct papi_vpmu_recovery *r, struct papi_vpmu_state *state)
{
	int64_t offset = (int64_t)(state->pc - r->block->code);
	struct papi_vpmu_mark mark;

	if (!r->block->n_marks)
		return;
	if (offset < 0) { /* on its way to the dispatcher */
		state->pc = r->block->pc;
		return;
	}
	mark = papi_vpmu_block_mark(r->block, offset);
	if (r->wants)
		correct_counters(r, &mark, state->registers[RCX]);
	recover_registers(r, &mark, state);
	if (mark.call && r->finish_call)
		r->finish_call(r, mark.call, state);
}

static void take_back(const struct papi_vpmu_recovery *r, const struct papi_vpmu_instruction *instruction)
{
	struct passed passed;

	if (!is_counted(r, instruction) || r->block->trimmed)
		return;
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		if (papi_vpmu_is_wanted(r->wants, i))
			r->counters[i] -= instruction->class.counts[i];
	if (!r->add_way)
		return;
	sum_up(r, r->block->branch, &passed);
	r->add_way(r, PAPI_VPMU_WAY_PREFIX, passed.n_all, (uint64_t)-1);
	if (passed.before[PAPI_VPMU_INSTRUCTIONS])
		r->add_way(r, PAPI_VPMU_WAY_PREFIX, passed.n_before, 1);
}

bool papi_vpmu_recover_indirect(const struct papi_vpmu_recovery *r, uint64_t *pc, uint64_t *stack)
{
	const struct papi_vpmu_block *block = r->block;
	struct papi_vpmu_instruction branch;

	if (!papi_vpmu_decode_copy(
		    &branch, block->pc + block->branch, block->bytes + block->branch, block->size - block->branch))
		return false;
	if (branch.kind == PAPI_VPMU_CALL_INDIRECT)
		*stack += 8;
	else if (branch.kind == PAPI_VPMU_RETURN)
		*stack -= papi_vpmu_popped(&branch);
	else if (branch.kind != PAPI_VPMU_JUMP_INDIRECT)
		return false;
	take_back(r, &branch);
	if (r->take_call_back && r->wants->calls && branch.kind == PAPI_VPMU_CALL_INDIRECT)
		r->take_call_back(r);
	*pc = branch.pc;
	return true;
}

void papi_vpmu_recover_alone(
	const struct papi_vpmu_wants *wants, uint64_t *counters, const uint8_t *bytes, uint64_t size, uint64_t pc)
{
	struct papi_vpmu_instruction instruction;

	if (!papi_vpmu_in_range(wants, pc) || !papi_vpmu_decode_copy(&instruction, pc, bytes, size))
		return;
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		if (papi_vpmu_is_wanted(wants, i))
			counters[i] += instruction.class.counts[i];
}
