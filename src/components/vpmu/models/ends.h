/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of blocks that the branch predictor is to know of: calls, returns and indirect jumps, whose records tell
 * where they went. */
#ifndef PAPI_VPMU_MODELS_ENDS_H
#define PAPI_VPMU_MODELS_ENDS_H

#include "components/vpmu/models/models.h"

/* Where an indirect branch goes, with its page numbered. 0: to code that runs uncounted, as if it had not been. */
static inline uint64_t papi_vpmu_place_target(struct papi_vpmu_models *models, uint64_t target)
{
	uint64_t page = target >> PAPI_VPMU_PAGE_SHIFT, place;
	struct papi_vpmu_target_page *known = &models->target_pages[page % PAPI_VPMU_TARGET_PAGES];

	if (__builtin_expect(known->page != page, 0)) {
		place = models->place_code(target);
		if (!place)
			return 0;
		*known = (struct papi_vpmu_target_page){ page, place - target };
	}
	return target + known->shift;
}

static __attribute__((noinline)) void papi_vpmu_end_indirectly(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, uint64_t target)
{
	uint64_t place = papi_vpmu_place_target(models, target);

	if (!place)
		return;
	if (!papi_vpmu_predict_indirect(&models->predictor, block->branch, target, place))
		counters[PAPI_VPMU_INDIRECT_MISPREDICTED]++;
	if (block->end == PAPI_VPMU_ENDS_INDIRECT_CALL && target != block->next)
		papi_vpmu_predict_call(&models->predictor, block->next);
}

/* end is the block's. */
static inline __attribute__((always_inline)) void papi_vpmu_end(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record, unsigned end)
{
	if (end == PAPI_VPMU_ENDS_CALL)
		papi_vpmu_predict_call(&models->predictor, block->next);
	if (end == PAPI_VPMU_ENDS_RETURN)
		counters[PAPI_VPMU_RETURNS_MISPREDICTED] += !papi_vpmu_predict_return(
			&models->predictor, record[block->words - 1]);
	if (end == PAPI_VPMU_ENDS_INDIRECT_CALL || end == PAPI_VPMU_ENDS_INDIRECT_JUMP)
		papi_vpmu_end_indirectly(models, counters, block, record[block->words - 1]);
}

/* Whatever the end is: one jump that depends on it, to code for that alone. */
static inline __attribute__((always_inline)) void papi_vpmu_end_any(struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_description *block, const uint64_t *record)
{
	switch (block->end) {
	case PAPI_VPMU_ENDS_CALL:
		papi_vpmu_end(models, counters, block, record, PAPI_VPMU_ENDS_CALL);
		break;
	case PAPI_VPMU_ENDS_INDIRECT_JUMP:
	case PAPI_VPMU_ENDS_INDIRECT_CALL:
		papi_vpmu_end(models, counters, block, record, PAPI_VPMU_ENDS_INDIRECT_JUMP);
		break;
	case PAPI_VPMU_ENDS_RETURN:
		papi_vpmu_end(models, counters, block, record, PAPI_VPMU_ENDS_RETURN);
		break;
	default:
		break;
	}
}

#endif
