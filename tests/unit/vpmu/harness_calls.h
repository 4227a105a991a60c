/* SPDX-License-Identifier: BSD-3-Clause */
/* What translated code makes of calls and returns (components/vpmu/call_frame.h), for the harness: their frames and
 * counters, and what is still to be done of them at each step. One at a time, as the harness. */
#ifndef PAPI_TESTS_HARNESS_CALLS_H
#define PAPI_TESTS_HARNESS_CALLS_H

#include "harness.h"

/* How it is before the call or return. */
enum call_case {
	CALL_FOUND,   /* its pair is in the table, or the frame the last one; nobody else has it open */
	CALL_NESTED,  /* the function is open once more, further out */
	CALL_MISSING, /* there is no pair, or a frame of something that was left behind */
	CALL_SHARED,  /* two frames are to be closed */
	CALL_FULL,    /* there is room for one frame */
	CALL_UNNOTED, /* two frames are to be closed, and there is room for one note */
	CALL_CASES,
};

/* Offsets of the counters of the pair. */
#define HARNESS_PAIR   (VPMU_WAYS + 8 * 400)
#define HARNESS_ACTIVE (VPMU_WAYS + 8 * 420)
/* The entry of the block in the log. */
#define HARNESS_BLOCK 55

bool harness_calls_begin(void);
/* The area is that of a run that is about to begin; the return at the end has its address there. */
void harness_calls_set_up(const struct subject *s, struct area *area, uint64_t slot);
/* Reads what has become of the frames by now; finishes what is left, in what was read. */
void harness_calls_read(void);
void harness_calls_finish(const struct subject *s, unsigned step, uint64_t callee, uint64_t stack);
/* Whether a call has been made, a return (behind it; else neither), with the counters as they are now: 0, or what is
 * wrong. */
const char *harness_calls_wrong(const struct subject *s, bool behind, const uint64_t *counters);

#endif
