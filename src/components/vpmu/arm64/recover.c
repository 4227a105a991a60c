/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/recover.h"

#include "components/vpmu/arm64/describe.h"
#include "components/vpmu/arm64/translate/offsets.h"
#include "components/vpmu/arm64/vectors.h"
#include "components/vpmu/call_frame.h"
#include "components/vpmu/models/geometry.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/moved.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/trace.h"
#include "components/vpmu/translator/wanted.h"

/* Of the processor's state: N, Z, C and V; and which branch has led here, where landing places are guarded. */
#define ARITHMETIC_FLAGS 0xf0000000u
#define BRANCH_TYPE      0xc00u

/* A thread that is recovered, and what its block has left to do of a call or return. */
struct recovered {
	struct papi_vpmu_thread *thread;
	unsigned step; /* 0: nothing */
	uint32_t block;
	uint64_t callee, stack;
};

static void add_way(const struct papi_a64_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more)
{
	const struct recovered *recovered = r->argument;

	papi_vpmu_profile_add(recovered->thread, r->block->profile, kind, n, more);
}

/* Not before the models have seen the rest of the block, which is not of what is called, but of what has returned. What
 * has been called has its place right below the stack. */
static void finish_call(const struct papi_a64_recovery *r, unsigned step, const struct papi_a64_state *state)
{
	struct recovered *recovered = r->argument;
	uint64_t stack = state->registers[A64_SP];

	recovered->step = step;
	recovered->block = r->block->profile;
	recovered->callee = papi_vpmu_processor_callee(state->pc, recovered->thread->callee);
	recovered->stack = step == PAPI_VPMU_CALL_MADE_NOTED ? papi_vpmu_processor_slot(stack) : stack;
}

static struct papi_a64_recovery recovery_of(struct recovered *recovered, const struct papi_vpmu_block *block)
{
	const struct papi_vpmu_flavour *flavour = block->flavour;
	struct papi_vpmu_thread *thread = recovered->thread;

	return (struct papi_a64_recovery){
		.block = block,
		.wants = flavour && !flavour->library ? &flavour->wants : NULL,
		.counters = thread->counters[0],
		.lane = thread->counters[A64_LANE],
		.spilled = thread->spilled,
		.homes = thread->registers,
		.pc = thread->pc,
		.vector = papi_a64_vector_bytes,
		.add_way = block->profile ? add_way : NULL,
		.finish_call = thread->calls ? finish_call : NULL,
		.argument = recovered,
	};
}

/* ---- what of a block has run, and is in no record ---- */

/* Its record is made here, and goes through the models at once: the next time it would be another part. */
struct cut_off {
	bool is_record;
	unsigned words;
	uint64_t record[PAPI_VPMU_RECORD_WORDS_MAX];
	struct papi_a64_description description;
};

/* Of its instructions, as they were translated. */
static void decode(const struct papi_vpmu_block *block, struct papi_a64_block *decoded)
{
	unsigned count = block->size / 4;

	decoded->pc = block->pc;
	decoded->count = count;
	decoded->alone = false;
	for (unsigned i = 0; i < count; i++) {
		uint32_t word;

		__builtin_memcpy(&word, block->bytes + 4 * (size_t)i, sizeof(word));
		papi_a64_decode(word, &decoded->instructions[i]);
		decoded->trimmed[i] = i + block->trimmed >= count;
	}
}

/* The values are where the trace ends, but for those that come late. */
static void make_record(const struct papi_vpmu_thread *thread, const struct papi_a64_trace_plan *plan,
	const struct papi_a64_block *block, struct papi_a64_part part, const struct papi_a64_state *state,
	struct cut_off *cut_off)
{
	unsigned words = papi_a64_part_words(plan, block, part);

	cut_off->is_record = true;
	cut_off->words = words;
	cut_off->record[0] = 0;
	for (unsigned i = 1; i < words; i++)
		cut_off->record[i] = thread->trace_next[i];
	for (unsigned i = 0; i < plan->n_stores; i++)
		if (papi_a64_is_late(&plan->stores[i], part))
			cut_off->record[plan->stores[i].word] = papi_a64_value_now(plan, plan->stores[i].word, state);
	if (papi_a64_part_tells_target(plan, block, part))
		cut_off->record[words - 1] = state->pc;
	papi_a64_describe_part(plan, block, part, 0, &cut_off->description);
}

/* The state is the program's by now. Under the lock. */
static void cut_off(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block,
	const struct papi_a64_untold *untold, const struct papi_a64_state *state, struct cut_off *cut_off)
{
	static struct papi_a64_trace_plan plan;
	static struct papi_a64_block decoded;
	const struct papi_vpmu_wants *wants = &block->flavour->wants;
	const struct papi_a64_trace_request request = { .parts = wants->parts,
		.line_shift = papi_vpmu_geometry_current(NULL, 0)->l1i.shift,
		.zero_shift = papi_a64_zero_shift(),
		.vector = papi_a64_vector_bytes,
		.counted = papi_vpmu_in_range(wants, block->pc) };

	decode(block, &decoded);
	papi_a64_trace_plan(&plan, &decoded, &request);
	plan.has_origins = wants->modelled;
	plan.profile = block->profile;
	if (plan.streams && untold->branches)
		thread->branches_next += papi_a64_describe_branches(
			&plan, &decoded, untold->part, thread->branches_next);
	if (plan.traced && untold->record && papi_a64_part_makes_record(&plan, &decoded, untold->part))
		make_record(thread, &plan, &decoded, untold->part, state, cut_off);
}

static void finish(const struct recovered *recovered)
{
	if (!recovered->step)
		return;
	papi_vpmu_trace_catch_up(recovered->thread);
	papi_vpmu_cache_lock();
	papi_vpmu_calls_finish(
		recovered->thread, recovered->step, recovered->block, recovered->callee, recovered->stack);
	papi_vpmu_cache_unlock();
}

bool papi_a64_recover_thread(struct papi_vpmu_thread *thread, struct papi_a64_state *state)
{
	struct recovered recovered = { .thread = thread };
	struct cut_off rest = { .is_record = false };
	const struct papi_vpmu_block *block;
	struct papi_a64_recovery recovery;
	struct papi_a64_untold untold;

	papi_vpmu_cache_lock();
	block = papi_vpmu_cache_block_at(state->pc);
	if (block) {
		bool traced, modelled;

		recovery = recovery_of(&recovered, block);
		modelled = recovery.wants && recovery.wants->parts && thread->models;
		traced = modelled && papi_a64_find_untold(block, state->pc, &untold);
		papi_a64_recover(&recovery, state);
		if (traced)
			cut_off(thread, block, &untold, state, &rest);
	}
	papi_vpmu_cache_unlock();
	if (rest.is_record)
		papi_vpmu_trace_run(
			thread, rest.record, rest.record + rest.words, (const unsigned char *)&rest.description);
	finish(&recovered);
	return block != NULL;
}

/* The processor finds out at the target. */
bool papi_vpmu_recover_branch(struct papi_vpmu_thread *thread)
{
	(void)thread;
	return false;
}

/* ---- threads that others have stopped ---- */

const char *papi_vpmu_processor_take(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved)
{
	for (unsigned i = 0; i < 32; i++)
		thread->registers[i] = moved->registers[i];
	thread->pc = moved->pc;
	thread->flags = moved->flags & ARITHMETIC_FLAGS;
	return NULL;
}

/* The label finds the thread by itself, and needs no register. What else is in the processor's state stays, but for
 * what kind of branch has come to where the thread was. */
void papi_vpmu_processor_send(
	const struct papi_vpmu_thread *thread, struct papi_agent_moved *moved, void (*label)(void))
{
	(void)thread;
	moved->pc = (uint64_t)(uintptr_t)label;
	moved->flags &= ~(uint64_t)BRANCH_TYPE;
}

bool papi_vpmu_processor_recover(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved)
{
	struct papi_a64_state state = { .pc = moved->pc };

	for (unsigned i = 0; i < 32; i++)
		state.registers[i] = moved->registers[i];
	if (!papi_vpmu_cache_holds(moved->pc) || !papi_a64_recover_thread(thread, &state))
		return false;
	for (unsigned i = 0; i < 32; i++)
		thread->registers[i] = state.registers[i];
	thread->pc = state.pc;
	thread->flags = moved->flags & ARITHMETIC_FLAGS;
	return true;
}

/* Whether it is at a system call that goes on with the rest of one that was interrupted. */
static bool is_at_rest(const struct papi_vpmu_thread *thread)
{
	const uint32_t call = 0xd4000001; /* svc #0 */
	uint32_t code = 0;

	return thread->registers[8] == SYS_restart_syscall &&
		papi_vpmu_guarded_copy(&code, (const void *)(uintptr_t)thread->pc, sizeof(code)) && code == call;
}

/* For dispatch.S: papi_vpmu_departing(), with a bit that no address of code has where the thread is at such a call. */
uint64_t papi_a64_departing(struct papi_vpmu_thread *thread)
{
	uint64_t rest = is_at_rest(thread);

	return papi_vpmu_departing(thread) | rest;
}
