/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an EventSet may do besides counting: take turns on the counters, overflow. Each such feature has a function for
 * each phase of counting in which there is something to do for it, and a bit in set->features while a set uses it.
 * core/count.c calls those of a set's features; a set without any pays for one test at start and one at stop.
 */
#ifndef PAPI_CORE_FEATURE_H
#define PAPI_CORE_FEATURE_H

struct papi_slot;

/* All but the last inside the set, in the thread that starts or stops it. */
enum papi_phase {
	PAPI_PHASE_PREPARE,  /* before the components start. An error is that of PAPI_start */
	PAPI_PHASE_STARTED,  /* they count. An error stops them again */
	PAPI_PHASE_STOPPING, /* before they stop */
	PAPI_PHASE_STOPPED,  /* they have, and the counts are up to date: all zero, if they are lost */
	PAPI_PHASE_LEFT,     /* after that, when the set has been left: it is free for handlers, and may be gone */
	PAPI_PHASES
};

/* NULL: nothing to do. The first error is the last call of its phase. */
struct papi_feature {
	int (*in[PAPI_PHASES])(struct papi_slot *slot);
};

/* The bits of set->features. */
enum papi_feature_bit {
	PAPI_FEATURE_MULTIPLEX = 1, /* core/multiplex.h; set->multiplex is there */
	PAPI_FEATURE_OVERFLOW = 2,  /* core/overflow.h; set->sampling is there */
};

extern const struct papi_feature papi_multiplex_feature, papi_overflow_feature;

#endif
