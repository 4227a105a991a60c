/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Near an overflow of misses, a block whose accesses could all miss would have to run instruction by instruction. Most
 * hit, and most addresses can be told before: they come from registers that the block does not change, or by constants.
 * If the models hold all that it is about to touch, nothing is evicted either, and it cannot miss.
 */
#include "components/vpmu/translator/processor.h"

#include "components/vpmu/models/models.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/descriptions.h"
#include "components/vpmu/translator/flavours.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/x86_64/translate/trace_plan.h"

#define LONGEST 64 /* bytes of an access */

static uint64_t value_of(const struct papi_vpmu_thread *thread, const struct papi_vpmu_source *source)
{
	uint64_t value = (uint64_t)(int64_t)source->constant;

	if (source->base >= 0)
		value += thread->registers[source->base];
	if (source->index >= 0)
		value += thread->registers[source->index] * source->scale;
	return value;
}

/* Word 0 is the record's first word. */
static bool foresee_address(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block,
	const struct papi_vpmu_source sources[], const struct papi_vpmu_access *access, uint64_t *address)
{
	uint64_t value = block->description - 1;

	if (access->word) {
		if (!sources[access->word].known)
			return false;
		value = value_of(thread, &sources[access->word]);
	}
	if (access->form == PAPI_VPMU_FORM_THREAD_LOCAL)
		value += thread->models->thread_base;
	*address = value + (uint64_t)access->displacement;
	return access->form != PAPI_VPMU_FORM_STRING;
}

static bool hits(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block)
{
	const struct papi_vpmu_description *description = (const void *)(papi_vpmu_descriptions() + block->description -
		1);
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(description),
				      *end = access + description->accesses;
	const unsigned char *origins = (const void *)papi_vpmu_described_origins(description);
	const struct papi_vpmu_source *sources = (const void *)(origins +
		(block->flavour->wants.modelled ? papi_vpmu_origins_size(description) : 0));
	uint64_t address;

	if (!papi_vpmu_models_hold_code(thread->models, description))
		return false;
	for (; access < end; access++) {
		if (access->spanned)
			continue;
		if (access->extent >= LONGEST || !foresee_address(thread, block, sources, access, &address) ||
			!papi_vpmu_models_hold_data(thread->models, address, access->extent))
			return false;
	}
	return true;
}

int32_t papi_vpmu_foresee(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block)
{
	const struct papi_vpmu_models *models = thread->models;

	if (!models || !models->thread_base || models->counts_accesses || !block->description ||
		block->least_weight > thread->budget || !hits(thread, block))
		return block->weight;
	return block->least_weight;
}
