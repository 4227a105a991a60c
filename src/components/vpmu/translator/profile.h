/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact profiles of a process: the counters of its ways, a lane of them for each thread, and the log that tells what
 * they count (components/vpmu/profile_log.h). An agent asks for it; nobody else does.
 *
 *	thread |struct papi_vpmu_thread| ... |extent|extent|extent      |          reserved           |
 *	                                     ^ at a fixed distance: shared memory, of PID-N.counts
 *
 * Each extent is as large as all before it; when the ways have reached its end, every thread gets the next. Where no
 * room for it can be made, the profile ends: blocks that are translated from then on count into the first counters,
 * which no entry of the log speaks of, and the agent is told.
 *
 * Without libc, between two instructions of the program, and under the lock of the cache, but for _is_on().
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROFILE_H
#define PAPI_VPMU_TRANSLATOR_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/counters.h"
#include "components/vpmu/ways.h"

#pragma GCC visibility push(hidden)

struct papi_vpmu_thread;

/* Makes the files of this process in that directory, before the first thread counts: of these counters, exact ones and
 * modelled ones. contexts: as many as there may be (profile_pairs.h). NULL, or the reason why not. */
const char *papi_vpmu_profile_begin(const char *directory, uint64_t profile, uint64_t modelled, uint32_t contexts);
bool papi_vpmu_profile_is_on(void);
/* In the child of a fork: what it has is its parent's. */
void papi_vpmu_profile_forked(void);
/* The files are complete: nobody runs code that counts into them, nor will. */
void papi_vpmu_profile_end(void);

/* How much room a thread needs for its counters, in bytes behind its beginning; and what of it is mapped at first. */
uint64_t papi_vpmu_profile_room(void);
/* Gives the thread a lane, if it has none: it is about to run code that counts ways. False: it has no room for one. */
bool papi_vpmu_profile_enter(struct papi_vpmu_thread *thread);
/* It has begun, and its number is known. */
void papi_vpmu_profile_begun(const struct papi_vpmu_thread *thread);

/* A block that is about to be emitted. */
struct papi_vpmu_profiled {
	uint64_t pc;
	const uint8_t *bytes;
	uint32_t size;
	const struct papi_vpmu_way *ways;
	unsigned n_ways, copies;
	const uint8_t *description; /* its instructions, as the log has them */
	unsigned description_size, n_instructions;
	uint8_t region;
};

/* Writes an instruction's length, and those of the counters of the profile to which it adds, as the log has them. Where
 * the next comes. */
uint8_t *papi_vpmu_profile_describe(
	uint8_t *at, unsigned length, uint64_t profile, const uint8_t counts[PAPI_VPMU_FIRST_MODELLED]);
/* The offset of its entry in the log, which it may have since it was translated before; 0: there is none. first_way:
 * the number of its first counter. */
uint32_t papi_vpmu_profile_block(const struct papi_vpmu_profiled *block, uint32_t *first_way);
/* So many more of a way of that entry, in the thread's counters. */
void papi_vpmu_profile_add(
	struct papi_vpmu_thread *thread, uint32_t block, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more);

/* The number of that way, which it gets if it has none, 0: there is no room; and so many more of it. The latter, of a
 * thread itself, without the lock. */
uint32_t papi_vpmu_profile_way(uint32_t block, enum papi_vpmu_way_kind kind, unsigned n);
void papi_vpmu_profile_count(struct papi_vpmu_thread *thread, uint32_t number, uint64_t more);

/* Of no entry: the first numbers, into which all counts that has found no room. */
#define PAPI_VPMU_PROFILE_LOST 512u

/* Numbers for so many counters in each thread, the first of them; 0: there is no room. */
uint32_t papi_vpmu_profile_take(uint32_t number);

/* Something else may be mapped in [start, end) from now on. */
void papi_vpmu_profile_forget(uint64_t start, uint64_t end);

#pragma GCC visibility pop

#endif
