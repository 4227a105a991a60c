/* SPDX-License-Identifier: BSD-3-Clause */
/* The branches of a block: those that it has passed, and the one at its end, when the record behind it tells where that
 * went. */
#ifndef PAPI_VPMU_MODELS_ENDS_H
#define PAPI_VPMU_MODELS_ENDS_H

#include "components/vpmu/models/models.h"

static __attribute__((noinline)) void papi_vpmu_end_indirectly(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const struct papi_vpmu_description *following)
{
	if (!papi_vpmu_predict_indirect(&models->predictor, block->branch, following->pc, following->entry))
		counters[PAPI_VPMU_INDIRECT_MISPREDICTED]++;
}

/* end is the block's. */
static inline __attribute__((always_inline)) void papi_vpmu_end(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const struct papi_vpmu_description *following, unsigned end)
{
	struct papi_vpmu_predictor *predictor = &models->predictor;

	if (end == PAPI_VPMU_ENDS_CALLED_CONDITIONAL)
		papi_vpmu_predict_call(predictor, block->returns_to);
	if (end == PAPI_VPMU_ENDS_CONDITIONAL || end == PAPI_VPMU_ENDS_CALLED_CONDITIONAL)
		counters[PAPI_VPMU_CONDITIONAL_MISPREDICTED] += !papi_vpmu_predict_conditional(
			predictor, block->branch, following->pc != block->next);
	if (end == PAPI_VPMU_ENDS_RETURN)
		counters[PAPI_VPMU_RETURNS_MISPREDICTED] += !papi_vpmu_predict_return(predictor, following->pc);
	if (end == PAPI_VPMU_ENDS_INDIRECT_CALL || end == PAPI_VPMU_ENDS_INDIRECT_JUMP)
		papi_vpmu_end_indirectly(models, counters, block, following);
	/* A call that seems to go to the next instruction is one of a function that runs uncounted. */
	if ((end == PAPI_VPMU_ENDS_CALL || end == PAPI_VPMU_ENDS_INDIRECT_CALL) && following->pc != block->next)
		papi_vpmu_predict_call(predictor, block->next);
}

/* Whatever the end is: one jump that depends on it, to code for that alone. */
static inline __attribute__((always_inline)) void papi_vpmu_end_any(struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_description *block, const struct papi_vpmu_description *following)
{
	switch (block->end) {
	case PAPI_VPMU_ENDS_CONDITIONAL:
		papi_vpmu_end(models, counters, block, following, PAPI_VPMU_ENDS_CONDITIONAL);
		break;
	case PAPI_VPMU_ENDS_CALLED_CONDITIONAL:
		papi_vpmu_end(models, counters, block, following, PAPI_VPMU_ENDS_CALLED_CONDITIONAL);
		break;
	case PAPI_VPMU_ENDS_CALL:
		papi_vpmu_end(models, counters, block, following, PAPI_VPMU_ENDS_CALL);
		break;
	case PAPI_VPMU_ENDS_INDIRECT_JUMP:
		papi_vpmu_end(models, counters, block, following, PAPI_VPMU_ENDS_INDIRECT_JUMP);
		break;
	case PAPI_VPMU_ENDS_INDIRECT_CALL:
		papi_vpmu_end(models, counters, block, following, PAPI_VPMU_ENDS_INDIRECT_CALL);
		break;
	case PAPI_VPMU_ENDS_RETURN:
		papi_vpmu_end(models, counters, block, following, PAPI_VPMU_ENDS_RETURN);
		break;
	default:
		break;
	}
}

/* Conditional branches in the middle of a block, none of which was taken. In memory the history would make each wait
 * for the one before. */
static inline __attribute__((always_inline)) void papi_vpmu_end_passed(
	struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_description *block)
{
	const uint16_t *branch = papi_vpmu_described_passed(block), *end = branch + block->passed;
	struct papi_vpmu_predictor *predictor = &models->predictor;
	uint64_t history = predictor->history, wrong = 0;

	if (branch == end)
		return;
	for (; branch < end; branch++) {
		wrong += !papi_vpmu_predict_after(predictor, *branch, false, history);
		history = papi_vpmu_history_with(history, false);
	}
	predictor->history = history;
	counters[PAPI_VPMU_CONDITIONAL_MISPREDICTED] += wrong;
}

#endif
