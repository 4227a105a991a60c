/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of calls and returns, which translated code appends to memory of the thread, and the runtime makes pairs of
 * (translator/calls.h). The memory is aligned to its size, which a number of records fills: it is full when the lower
 * 16 bits of the place of the next one are 0.
 */
#ifndef PAPI_VPMU_CALL_RECORD_H
#define PAPI_VPMU_CALL_RECORD_H

#include <stdint.h>

#define PAPI_VPMU_CALL_CLOCKS  5 /* counters that calls may have, at most */
#define PAPI_VPMU_CALLS_MEMORY 65536

struct papi_vpmu_call_record {
	uint64_t site;  /* entry of the block that ends with the call, in the log of the profile; 0: it is a return */
	uint64_t stack; /* before it */
	uint64_t target;
	uint64_t clocks[PAPI_VPMU_CALL_CLOCKS]; /* counters of the profile, in their order; as many as there are */
};

/* Records have that many words. */
static inline unsigned papi_vpmu_call_words(uint64_t profile)
{
	return __builtin_popcountll(profile) > 1 ? 8 : 4;
}

#endif
