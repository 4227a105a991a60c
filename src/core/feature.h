/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an EventSet may do besides counting: take turns on the counters, overflow. Each such feature has a table of what
 * there is to do for it around counting, and a bit in set->features while a set uses it. core/count.c walks the tables
 * of a set's features; a set without any pays for one test at start and one at stop.
 *
 *	prepare		before the components start. An error is that of PAPI_start
 *	started		they count. An error stops them again
 *	stopping	before they stop
 *	stopped		they have, and the counts are up to date: all zero, if they are lost
 *	left		after that, when the set has been left: it is free for handlers, and may be gone
 *
 * All but left are called inside the set, in the thread that starts or stops it. NULL: nothing to do.
 */
#ifndef PAPI_CORE_FEATURE_H
#define PAPI_CORE_FEATURE_H

struct papi_eventset;
struct papi_slot;

struct papi_feature {
	int (*prepare)(struct papi_eventset *set);
	int (*started)(struct papi_eventset *set);
	void (*stopping)(struct papi_eventset *set);
	void (*stopped)(struct papi_eventset *set);
	void (*left)(struct papi_slot *slot);
};

/* The bits of set->features. */
enum papi_feature_bit {
	PAPI_FEATURE_MULTIPLEX = 1, /* core/multiplex.h; set->multiplex is there */
	PAPI_FEATURE_OVERFLOW = 2,  /* core/overflow.h; set->sampling is there */
};

extern const struct papi_feature papi_multiplex_feature, papi_overflow_feature;

#endif
