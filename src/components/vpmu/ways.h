/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways through a block, for exact profiles: each has a counter of its own in every thread, of how often it was gone.
 * What the instructions on a way add to events is written down once (profile_log.h), so that all events of every
 * instruction follow from these counters.
 *
 *	cmp  rax, [rbx]      1    ASIDE 2        2 instructions, and the branch, the second, was taken
 *	je   out             2    PREFIX 4       all 4, or as many as ran when a signal came
 *	rep movsb            3    ITERATIONS 3   the third has moved so many
 *	jne  here            4    TAKEN 4        the fourth was taken; it has been counted with the others
 *
 * And so has by how much a counter has grown at an instruction where nobody knows that before it runs: a kind for each
 * counter. Those are what simulators count, and operations in the active elements of vectors of any length.
 */
#ifndef PAPI_VPMU_WAYS_H
#define PAPI_VPMU_WAYS_H

#include <stdint.h>

enum papi_vpmu_way_kind {
	PAPI_VPMU_WAY_PREFIX,     /* the first n instructions have run */
	PAPI_VPMU_WAY_ASIDE,      /* the same, and the last of them is a conditional branch that was taken */
	PAPI_VPMU_WAY_TAKEN,      /* the last of them was taken, and nothing else */
	PAPI_VPMU_WAY_ITERATIONS, /* the last of them, a repeated one, did another iteration, and nothing else */
	PAPI_VPMU_WAY_COUNTED,    /* and from here on: the first counter and those behind it have grown at the last */
};

struct papi_vpmu_way {
	uint8_t kind; /* enum papi_vpmu_way_kind */
	uint8_t n;
};

/* A block has 64 instructions at most, of which each may be a repeated one, and 6 leave it in its middle. */
#define PAPI_VPMU_MAX_WAYS 72

#endif
