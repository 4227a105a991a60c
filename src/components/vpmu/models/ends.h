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

/* The last branch has led to that pc. */
static inline void papi_vpmu_tell_outcome(struct papi_vpmu_models *models, uint64_t pc)
{
	bool taken = models->behind && pc != models->behind;

	models->told[-1] |= taken ? PAPI_VPMU_BRANCH_TAKEN : 0;
}

/* What the record of a block tells of branches, which join those that are predicted behind the last record. As many are
 * copied as there may be: how many there are, the host would have to guess. */
static inline void papi_vpmu_tell_branches(struct papi_vpmu_models *models, const struct papi_vpmu_description *block)
{
	typedef uint64_t __attribute__((aligned(4), may_alias)) two;
	const uint32_t *branches = papi_vpmu_described_branches(block);
	uint32_t *told = models->told;

	papi_vpmu_tell_outcome(models, block->pc);
	for (unsigned i = 0; i < PAPI_VPMU_BRANCHES_OF_RECORD; i += 2)
		*(two *)(void *)(told + i) = *(const two *)(const void *)(branches + i);
	models->told = told + block->branches;
	models->behind = block->behind;
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
