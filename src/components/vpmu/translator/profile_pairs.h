/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of a call's place and what it calls, and, where contexts are wanted, of the calls that led there: each has
 * counters with those of ways, and an entry of the log (struct papi_vpmu_log_pair, which says what a context is). As
 * profile.h, of which this is a part.
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROFILE_PAIRS_H
#define PAPI_VPMU_TRANSLATOR_PROFILE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Offsets of counters in a thread: those of a pair, and how often what it calls is open (call_frame.h). */
struct papi_vpmu_pair {
	uint32_t counters, active;
};

/* With these counters. most: contexts that there may be; 0: pairs do not have them. Where there is no memory, there are
 * no pairs. */
void papi_vpmu_pairs_begin(uint64_t counters, uint32_t most);
void papi_vpmu_pairs_forked(void);

/* A call, which begins in that region of the program, at the end of the block of that entry, of what is at target. */
struct papi_vpmu_called {
	uint64_t target;
	uint32_t block; /* 0: a signal's handler begins there */
	uint8_t region;
};

/* Its pair, if a frame whose pair has its counters at from makes it. False: there is no room. */
bool papi_vpmu_profile_pair(uint32_t from, const struct papi_vpmu_called *called, struct papi_vpmu_pair *found);
/* Whether the call leads to the other contexts, for there are too many: that takes a frame of its own, of the pair that
 * is found, from which it then comes. */
bool papi_vpmu_profile_others(uint32_t from, const struct papi_vpmu_called *called, struct papi_vpmu_pair *found);
/* The pair with counters at that offset, as it is for what happens in another region. False: it has none, or there is
 * no room. */
bool papi_vpmu_profile_elsewhere(uint32_t from, uint32_t counters, uint8_t region, struct papi_vpmu_pair *found);
/* Whether the counters at an offset are those of such a pair. */
bool papi_vpmu_profile_is_others(uint32_t counters);
/* A pair that the log does not speak of. */
void papi_vpmu_profile_nobody(struct papi_vpmu_pair *nobody);

#pragma GCC visibility pop

#endif
