/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/recover.h"
#include "components/vpmu/x86_64/translate/offsets.h"

#include "components/vpmu/call_frame.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/x86_64/profile.h"

static void add_way(const struct papi_vpmu_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more)
{
	papi_vpmu_profile_add(r->argument, r->block->profile, kind, n, more);
}

static void finish_call(const struct papi_vpmu_recovery *r, unsigned step, const struct papi_vpmu_state *state)
{
	struct papi_vpmu_thread *thread = r->argument;
	uint64_t callee = step == PAPI_VPMU_CALL_MADE ? state->pc : thread->callee;

	papi_vpmu_calls_finish(thread, step, r->block->profile, callee, state->registers[RSP]);
}

static void take_call_back(const struct papi_vpmu_recovery *r)
{
	papi_vpmu_calls_take_back(r->argument);
}

static struct papi_vpmu_recovery recovery_of(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block)
{
	const struct papi_vpmu_flavour *flavour = block->flavour;

	return (struct papi_vpmu_recovery){
		.block = block,
		.wants = flavour ? &flavour->wants : NULL,
		.library = flavour && flavour->library,
		.counters = thread->counters[0],
		.spilled = thread->spilled,
		.rep_count = thread->rep_count,
		.pc = thread->pc,
		.add_way = block->profile ? add_way : NULL,
		.finish_call = thread->calls ? finish_call : NULL,
		.take_call_back = thread->calls ? take_call_back : NULL,
		.argument = thread,
	};
}

bool papi_vpmu_recover(struct papi_vpmu_thread *thread, struct papi_vpmu_state *state)
{
	const struct papi_vpmu_block *block;
	struct papi_vpmu_recovery recovery;

	/* The block may have noted uses whose times it has not told yet. */
	thread->checks.now += PAPI_VPMU_TICK * (PAPI_VPMU_MAX_ACCESSES + PAPI_VPMU_MAX_LINES);

	papi_vpmu_cache_lock();
	block = papi_vpmu_cache_block_at(state->pc);
	if (block) {
		recovery = recovery_of(thread, block);
		papi_vpmu_recover_state(&recovery, state);
	}
	papi_vpmu_cache_unlock();
	return block != NULL;
}

bool papi_vpmu_recover_branch(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_block *block = papi_vpmu_cache_block_with((uint32_t)thread->source);
	struct papi_vpmu_recovery recovery;

	if (!block || !block->flavour)
		return false;
	recovery = recovery_of(thread, block);
	return papi_vpmu_recover_indirect(&recovery, &thread->pc, &thread->registers[RSP]);
}

void papi_vpmu_recover_count(struct papi_vpmu_thread *thread, const uint8_t *bytes, uint64_t size, uint64_t pc)
{
	papi_vpmu_recover_alone(&thread->wants, thread->counters[0], bytes, size, pc);
	if (!thread->wants.profile)
		return;
	papi_vpmu_cache_lock();
	papi_vpmu_profile_add(
		thread, papi_vpmu_profile_alone(&thread->wants, pc, bytes, size), PAPI_VPMU_WAY_PREFIX, 1, 1);
	papi_vpmu_cache_unlock();
}
