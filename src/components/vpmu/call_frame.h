/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of calls that have not returned, which translated code opens and closes, in memory of the thread: the shadow
 * stack (translator/calls.h). It ends where the lower 32 bits of an address are 0.
 *
 * Counters of a pair, a call's place and what it calls, lie in the thread, at an offset: how often, and then what
 * happened until the returns, for each counter of the profile. Of indirect calls the offsets are in a table of the
 * thread, by a key of both. With contexts, what happened in calls of what was open already follows, a pair is one of
 * its callers', too, and all of them are in the table, by a key of the calling frame's pair besides.
 */
#ifndef PAPI_VPMU_CALL_FRAME_H
#define PAPI_VPMU_CALL_FRAME_H

#include <stdint.h>

#define PAPI_VPMU_CALL_CLOCKS 5       /* counters that calls may have, at most */
#define PAPI_VPMU_PAIRS       65536   /* places of the table */
#define PAPI_VPMU_PAIR_WORDS  2228224 /* room for it; with contexts, a key and what it stands for lie side by side */

struct papi_vpmu_call_frame {
	uint64_t slot;                          /* where the return address is */
	uint32_t pair;                          /* offset of its counters */
	uint32_t active;                        /* offset of how often the function is open */
	uint64_t clocks[PAPI_VPMU_CALL_CLOCKS]; /* counters of the profile at the call, as many as there are */
};

/* What has been done of a call or return when the program is behind it. */
enum papi_vpmu_call_step {
	PAPI_VPMU_CALL_DONE,
	PAPI_VPMU_CALL_MADE,       /* nothing; the program is at what it calls */
	PAPI_VPMU_CALL_MADE_NOTED, /* nothing; what it calls is the thread's callee */
	PAPI_VPMU_CALL_OPENED,     /* there is a frame */
	PAPI_VPMU_CALL_COUNTED,    /* and one call more of the pair; not yet of the function */
	PAPI_VPMU_CALL_AGAIN,      /* a frame is closed; there may be another for the same return */
	PAPI_VPMU_CALL_RETURNED,   /* nothing */
	PAPI_VPMU_CALL_CLOSED,     /* the frame is gone */
	PAPI_VPMU_CALL_SPENT,      /* and the function is active once less; behind this, so many counters are added */
};

/* In bytes. */
static inline unsigned papi_vpmu_call_frame_size(uint64_t profile)
{
	return 16 + 8 * (unsigned)__builtin_popcountll(profile);
}

/* What tells the calls at the end of that block of the log from others. */
static inline uint64_t papi_vpmu_call_salt(uint32_t block)
{
	uint64_t salt = (block + 1) * 0x9e3779b97f4a7c15u;

	salt = (salt ^ salt >> 30) * 0xbf58476d1ce4e5b9u;
	return salt ^ salt >> 27;
}

/* Where the table with contexts has a call, by the word: from a frame of that pair, of what with the block's salt is
 * sum. And its key. They are made for code that may change no flags. */
static inline uint32_t papi_vpmu_context_word(uint32_t pair, uint64_t sum)
{
	return 32 * (pair & 0xffff) + 2 * (uint32_t)(sum & 0xffff);
}

static inline uint64_t papi_vpmu_context_key(uint32_t pair, uint64_t sum)
{
	return sum + __builtin_bswap64(pair);
}

#endif
