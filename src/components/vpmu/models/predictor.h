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
 * The state of the counters that one branch uses, in one small number: those of the bimodal predictor (bits 1 and 2),
 * the chooser (3, 4; zero is bimodal) and gshare (5, 6), each 0 to 3, of which 2 and 3 are "taken". Which of these bits
 * a branch changes is looked up with its outcome in bit 0, and in bit 7 whether it is not to be counted. Bit 0 of what
 * is found there is a misprediction, which always changes something.
 */
#define PAPI_VPMU_STATES 256
#define PAPI_VPMU_LOCAL  0x1e
#define PAPI_VPMU_GLOBAL 0x60
#define PAPI_VPMU_WRONG  1

struct papi_vpmu_predictor {
	uint64_t history; /* of conditional branches, the last in bit 0 */
	uint64_t path;    /* of indirect targets */
	uint32_t depth;   /* calls made less returns, modulo what it can hold */
	uint8_t change[PAPI_VPMU_STATES];
	uint64_t returns[PAPI_VPMU_RETURNS];
	uint64_t targets[1 << PAPI_VPMU_TARGET_BITS];
	uint8_t gshare[1 << PAPI_VPMU_HISTORY_BITS];  /* bits 5 and 6 of a state */
	uint8_t bimodal[1 << PAPI_VPMU_BIMODAL_BITS]; /* bits 1 to 4 */
};

static inline unsigned papi_vpmu_saturate(unsigned counter, bool up)
{
	return up ? counter + (counter < 3) : counter - (counter > 0);
}

static inline uint8_t papi_vpmu_predictor_step(unsigned state)
{
	unsigned counter = state >> 1 & 3, chooser = state >> 3 & 3, global = state >> 5 & 3, taken = state & 1, next;
	bool global_right = global >> 1 == taken, local_right = counter >> 1 == taken, counted = !(state >> 7),
	     right = chooser >> 1 ? global_right : local_right;

	if (global_right != local_right)
		chooser = papi_vpmu_saturate(chooser, global_right);
	next = papi_vpmu_saturate(counter, taken) << 1 | chooser << 3 | papi_vpmu_saturate(global, taken) << 5;
	return (uint8_t)(((state ^ next) & (PAPI_VPMU_LOCAL | PAPI_VPMU_GLOBAL)) |
		(!right && counted ? PAPI_VPMU_WRONG : 0));
}

static inline void papi_vpmu_predictor_init(struct papi_vpmu_predictor *predictor)
{
	for (unsigned i = 0; i < PAPI_VPMU_STATES; i++)
		predictor->change[i] = papi_vpmu_predictor_step(i);
}

/*
 * Learns what so many conditional branches did, and tells how many were predicted wrong. Below the outcome of a branch
 * (bits 16 and 23, as in a state) are the lowest bits of its address.
 *
 * Each takes some twenty instructions, and the host has nothing to guess but whether something changes: seldom. The
 * code for that is out of the loop's way: with a jump over it, the loop took twice as long where the two jumps shared
 * 64 bytes in a certain way, on a Zen 5.
 */
static inline uint64_t papi_vpmu_predict_conditionals(
	struct papi_vpmu_predictor *predictor, const uint32_t *branch, const uint32_t *end)
{
	uint64_t history = predictor->history, wrong = 0;

	for (; branch < end; branch++) {
		unsigned outcome = *branch >> 16;
		uint8_t *global = &predictor->gshare[(*branch ^ history) & ((1 << PAPI_VPMU_HISTORY_BITS) - 1)];
		uint8_t *local = &predictor->bimodal[*branch & ((1 << PAPI_VPMU_BIMODAL_BITS) - 1)];
		unsigned change = predictor->change[*local | *global | outcome];

		history = history << 1 | (outcome & 1);
		if (__builtin_expect(change != 0, 0)) {
			*local ^= change & PAPI_VPMU_LOCAL;
			*global ^= change & PAPI_VPMU_GLOBAL;
			wrong += change & PAPI_VPMU_WRONG;
		}
	}
	predictor->history = history;
	return wrong;
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
