/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of calls that have not returned, which translated code opens and closes, in memory of the thread: the shadow
 * stack (translator/calls.h). It ends where the lower 32 bits of an address are 0.
 *
 * Counters of a pair, a call's place and what it calls, lie in the thread, at an offset: how often, and then what
 * happened until the returns, for each counter of the profile. Of indirect calls the offsets are in a table of the
 * thread, by a key of both. With contexts, what happened in calls of what was open already follows, a pair is one of
 * its callers', too, and all of them are in the table, by a key of the calling frame's pair besides.
 *
 * What simulators count is not known yet when a frame is opened or closed: they see the trace later. So translated code
 * notes where the trace was then, and the runtime stops the simulators there and does with their counters what the code
 * has done with the others. Behind a note the code asks whether there is room for another: notes end where the lower 16
 * bits of an address are 0.
 */
#ifndef PAPI_VPMU_CALL_FRAME_H
#define PAPI_VPMU_CALL_FRAME_H

#include <stdint.h>

#include "components/vpmu/counters.h"

#define PAPI_VPMU_CALL_CLOCKS 5       /* exact counters that calls may have, at most */
#define PAPI_VPMU_PAIRS       65536   /* places of the table */
#define PAPI_VPMU_PAIR_WORDS  2228224 /* room for it; with contexts, a key and what it stands for lie side by side */

/* And modelled ones, which come behind them. */
#define PAPI_VPMU_CALL_MODELLED (PAPI_VPMU_LAST_MODELLED - PAPI_VPMU_FIRST_MODELLED + 1)
#define PAPI_VPMU_CALL_ALL      (PAPI_VPMU_CALL_CLOCKS + PAPI_VPMU_CALL_MODELLED)

struct papi_vpmu_call_frame {
	uint64_t slot;                       /* where the return address is */
	uint32_t pair;                       /* offset of its counters */
	uint32_t active;                     /* offset of how often the function is open */
	uint64_t clocks[PAPI_VPMU_CALL_ALL]; /* counters of the profile at the call, as many as there are */
};

/* A frame was opened or closed. Other frames may have been in its place when that is read. */
struct papi_vpmu_call_note {
	uint64_t trace; /* all records before that address had been made */
	uint64_t frame; /* its address */
	uint32_t pair;  /* of a frame that was closed: its own; 0: it was opened */
	uint32_t unused;
	uint64_t within; /* when it was closed: how often the function was open still */
};
#define PAPI_VPMU_CALL_NOTES_SIZE 65536

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

/* In bytes, with these counters. */
static inline unsigned papi_vpmu_call_frame_size(uint64_t counters)
{
	return 16 + 8 * (unsigned)__builtin_popcountll(counters);
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
