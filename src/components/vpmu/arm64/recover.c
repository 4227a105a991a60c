/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/recover.h"

#include "components/vpmu/arm64/translate/offsets.h"
#include "components/vpmu/call_frame.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"

static void add_way(const struct papi_a64_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more)
{
	papi_vpmu_profile_add(r->argument, r->block->profile, kind, n, more);
}

/* What has been called has its place right below the stack. */
static void finish_call(const struct papi_a64_recovery *r, unsigned step, const struct papi_a64_state *state)
{
	struct papi_vpmu_thread *thread = r->argument;
	uint64_t stack = state->registers[A64_SP];

	papi_vpmu_calls_finish(thread, step, r->block->profile, thread->callee,
		step == PAPI_VPMU_CALL_MADE_NOTED ? papi_vpmu_processor_slot(stack) : stack);
}

static struct papi_a64_recovery recovery_of(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block)
{
	const struct papi_vpmu_flavour *flavour = block->flavour;

	return (struct papi_a64_recovery){
		.block = block,
		.wants = flavour && !flavour->library ? &flavour->wants : NULL,
		.counters = thread->counters[0],
		.lane = thread->counters[A64_LANE],
		.spilled = thread->spilled,
		.homes = thread->registers,
		.pc = thread->pc,
		.add_way = block->profile ? add_way : NULL,
		.finish_call = thread->calls ? finish_call : NULL,
		.argument = thread,
	};
}

bool papi_a64_recover_thread(struct papi_vpmu_thread *thread, struct papi_a64_state *state)
{
	const struct papi_vpmu_block *block;
	struct papi_a64_recovery recovery;

	papi_vpmu_cache_lock();
	block = papi_vpmu_cache_block_at(state->pc);
	if (block) {
		recovery = recovery_of(thread, block);
		papi_a64_recover(&recovery, state);
	}
	papi_vpmu_cache_unlock();
	return block != NULL;
}

/* The processor finds out at the target. */
bool papi_vpmu_recover_branch(struct papi_vpmu_thread *thread)
{
	(void)thread;
	return false;
}

/* ---- threads that others have stopped: their registers are more than struct papi_agent_moved has ---- */

const char *papi_vpmu_processor_take(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved)
{
	(void)thread;
	(void)moved;
	return "threads of processes that run already cannot be counted on arm64 as yet";
}

void papi_vpmu_processor_send(
	const struct papi_vpmu_thread *thread, struct papi_agent_moved *moved, void (*label)(void))
{
	(void)thread;
	(void)moved;
	(void)label;
}

bool papi_vpmu_processor_recover(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved)
{
	(void)thread;
	(void)moved;
	return false;
}
