/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an EventSet may do besides counting: take turns on the counters, overflow, show what PAPI_write() asked for.
 * Each such feature has a function for each phase of counting in which there is something to do for it, and a bit in
 * set->features while a set uses it. core/count.c walks the features of a set in each phase; a set without any pays for
 * one test at start and one at stop. tests/unit/core/test_phases.c shows for each function what goes wrong without it.
 */
#ifndef PAPI_CORE_FEATURE_H
#define PAPI_CORE_FEATURE_H

struct papi_slot;

/* All but PAPI_PHASE_LEFT inside the set. Errors of the first two count, others are ignored. */
enum papi_phase {
	PAPI_PHASE_PREPARE,  /* before the components start. An error is that of PAPI_start */
	PAPI_PHASE_STARTED,  /* they count. An error stops them again */
	PAPI_PHASE_READ,     /* they count, and have been read, or asked how long they have counted */
	PAPI_PHASE_REBASED,  /* they count from now on, and set->counts is what they showed just before */
	PAPI_PHASE_STOPPING, /* before they stop */
	PAPI_PHASE_STOPPED,  /* they have, and the counts are up to date: all zero, if they are lost */
	PAPI_PHASE_LEFT,     /* after that, when the set has been left: it is free for handlers, and may be gone */
	PAPI_PHASE_FORKED,   /* in the child of a fork: whatever belongs to the parent is let go */
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
	PAPI_FEATURE_WRITTEN = 4,   /* core/count.c; set->offsets is there */
};

#define PAPI_FEATURES 3

extern const struct papi_feature papi_multiplex_feature, papi_overflow_feature, papi_written_feature;

/* By their bits. Tests put others in their place. */
extern const struct papi_feature *papi_features[PAPI_FEATURES] __attribute__((visibility("hidden")));

/* used: bits of set->features, of a set that may be gone. */
int papi_features_tell(unsigned used, enum papi_phase phase, struct papi_slot *slot) __attribute__((cold));

#endif
