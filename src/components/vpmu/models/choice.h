/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which sets of the caches are simulated when the models are sampled (PAPI_VPMU_MODEL=sampled): an eighth of them, all
 * the time. Time that is left out looks cold afterwards; sets that are left out change nothing in the others.
 *
 * Lines are in classes by some bits of their address: those that pick the set in every level, so that a set has lines
 * of one class only, and whoever simulates a class sees all of a set or nothing of it. With 64 sets of 64 bytes in L1D
 * these are bits 6 to 11: 64 classes, and the place in the page tells them, so that no page has to be looked up. The
 * number of sets need not be a power of two: its factors of two count. Where levels have less than three bits in
 * common, there is nothing to choose from, and all is simulated.
 *
 * L1I is no part of it and simulated whole. Code stays where it is: where it does not fit, a few sets have nearly all
 * of the misses, and other sets tell nothing of them.
 *
 * The chosen classes are fixed, so that runs repeat, spread without a regular distance, and in pairs of neighbours. An
 * access across two lines is at most one miss, in the full models. Where only one half is seen it counts as what it
 * is; where both are and both miss, it does not count at all. This is right in the mean: of all places where an access
 * can lie across two lines, so many are in pairs that what is counted twice elsewhere is made up for.
 */
#ifndef PAPI_VPMU_MODELS_CHOICE_H
#define PAPI_VPMU_MODELS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/counters.h"

#define PAPI_VPMU_CLASSES_MAX 64
#define PAPI_VPMU_GROUPS_MAX  8
#define PAPI_VPMU_NO_GROUP    255

struct papi_vpmu_choice {
	uint32_t low;     /* the lowest bit of an address that tells its class */
	uint32_t classes; /* a power of two */
	uint32_t groups; /* of lines that are simulated, one for each chosen class; 0: all are, and this says nothing */
	uint32_t scale;  /* what a miss in a chosen class stands for: classes / groups */
	uint8_t group_of[PAPI_VPMU_CLASSES_MAX]; /* NO_GROUP: not simulated */
};

struct papi_vpmu_geometry;

/* The choice for these caches, whatever theirs is. */
struct papi_vpmu_choice papi_vpmu_choice_of(const struct papi_vpmu_geometry *geometry);

/* Counted in the chosen classes alone. L1I, TLBs and branches are simulated whole. */
static inline bool papi_vpmu_counter_is_sampled(unsigned counter)
{
	return (counter >= PAPI_VPMU_L2I_MISSES && counter <= PAPI_VPMU_L3D_WRITE_MISSES) ||
		counter == PAPI_VPMU_PREFETCH_MISSES;
}

#endif
