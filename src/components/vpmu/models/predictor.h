/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch predictor, that of a textbook:
 *
 *  - Conditional branches: a tournament of gshare (65536 two-bit counters, by the address and the last 16 outcomes) and
 *    a bimodal predictor (16384, by the address alone); for each address a two-bit counter tells which of them has been
 *    right more often.
 *  - Returns: a stack of 32 return addresses.
 *  - Indirect jumps and calls: the last target seen at this address after the same last indirect targets (4096).
 *
 * Direct jumps and calls are never mispredicted. Real predictors of today are better than this one.
 */
#ifndef PAPI_VPMU_MODELS_PREDICTOR_H
#define PAPI_VPMU_MODELS_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#define PAPI_VPMU_HISTORY_BITS 16
#define PAPI_VPMU_BIMODAL_BITS 14
#define PAPI_VPMU_TARGET_BITS  12
#define PAPI_VPMU_RETURNS      32

/*
 * The state of the counters that one branch uses, in one small number: those of the bimodal predictor (bits 0 and 1),
 * the chooser (2, 3; zero is bimodal) and gshare (4, 5), each 0 to 3, of which 2 and 3 are "taken". The next state, and
 * in bit 6 whether the prediction was right, is looked up with the outcome in bit 6.
 */
#define PAPI_VPMU_STATES 128

struct papi_vpmu_predictor {
	uint64_t history; /* of conditional branches, the last in bit 0 */
	uint64_t path;    /* of indirect targets */
	uint32_t depth;   /* calls made less returns, modulo what it can hold */
	uint8_t next[PAPI_VPMU_STATES];
	uint64_t returns[PAPI_VPMU_RETURNS];
	uint64_t targets[1 << PAPI_VPMU_TARGET_BITS];
	uint8_t gshare[1 << PAPI_VPMU_HISTORY_BITS];  /* bits 4 and 5 of a state */
	uint8_t bimodal[1 << PAPI_VPMU_BIMODAL_BITS]; /* bits 0 to 3 */
};

static inline unsigned papi_vpmu_saturate(unsigned counter, bool up)
{
	return up ? counter + (counter < 3) : counter - (counter > 0);
}

static inline uint8_t papi_vpmu_predictor_step(unsigned state, bool taken)
{
	unsigned counter = state & 3, chooser = state >> 2 & 3, global = state >> 4 & 3;
	bool global_right = (global >> 1) == taken, local_right = (counter >> 1) == taken;
	bool right = chooser >> 1 ? global_right : local_right;

	if (global_right != local_right)
		chooser = papi_vpmu_saturate(chooser, global_right);
	return (uint8_t)(papi_vpmu_saturate(counter, taken) | chooser << 2 | papi_vpmu_saturate(global, taken) << 4 |
		(unsigned)right << 6);
}

static inline void papi_vpmu_predictor_init(struct papi_vpmu_predictor *predictor)
{
	for (unsigned i = 0; i < PAPI_VPMU_STATES; i++)
		predictor->next[i] = papi_vpmu_predictor_step(i, i >> 6);
}

/* Whether the prediction was right after that history; learns what was. */
static inline bool papi_vpmu_predict_after(
	struct papi_vpmu_predictor *predictor, uint64_t branch, bool taken, uint64_t history)
{
	uint8_t *global = &predictor->gshare[(branch & ((1 << PAPI_VPMU_HISTORY_BITS) - 1)) ^ history];
	uint8_t *local = &predictor->bimodal[branch & ((1 << PAPI_VPMU_BIMODAL_BITS) - 1)];
	unsigned state = *local | *global, next = predictor->next[state | (unsigned)taken << 6];

	/* Writing what is there already would make the next one wait. */
	if ((next & 0x3f) != state) {
		*local = next & 0x0f;
		*global = next & 0x30;
	}
	return next >> 6;
}

static inline uint64_t papi_vpmu_history_with(uint64_t history, bool taken)
{
	return (history << 1 | taken) & ((1 << PAPI_VPMU_HISTORY_BITS) - 1);
}

static inline bool papi_vpmu_predict_conditional(struct papi_vpmu_predictor *predictor, uint64_t branch, bool taken)
{
	uint64_t history = predictor->history;

	predictor->history = papi_vpmu_history_with(history, taken);
	return papi_vpmu_predict_after(predictor, branch, taken, history);
}

/* Whether a branch that has been taken for as long as anyone remembers will be predicted right, and change nothing. */
static inline bool papi_vpmu_predictor_is_settled(const struct papi_vpmu_predictor *predictor, uint64_t branch)
{
	const uint64_t taken = (1 << PAPI_VPMU_HISTORY_BITS) - 1;
	unsigned state;

	if (predictor->history != taken)
		return false;
	state = predictor->gshare[(branch & taken) ^ taken] |
		predictor->bimodal[branch & ((1 << PAPI_VPMU_BIMODAL_BITS) - 1)];
	return predictor->next[state | 1 << 6] == (state | 1 << 6);
}

/* entry: the target, with numbered pages */
static inline bool papi_vpmu_predict_indirect(
	struct papi_vpmu_predictor *predictor, uint64_t branch, uint64_t target, uint64_t entry)
{
	uint64_t *last = &predictor->targets[(branch ^ predictor->path) & ((1 << PAPI_VPMU_TARGET_BITS) - 1)];
	bool right = *last == target;

	*last = target;
	predictor->path = predictor->path << 3 ^ entry >> 2;
	return right;
}

static inline void papi_vpmu_predict_call(struct papi_vpmu_predictor *predictor, uint64_t next)
{
	predictor->returns[predictor->depth++ % PAPI_VPMU_RETURNS] = next;
}

static inline bool papi_vpmu_predict_return(struct papi_vpmu_predictor *predictor, uint64_t target)
{
	return predictor->returns[--predictor->depth % PAPI_VPMU_RETURNS] == target;
}

#endif
