/* SPDX-License-Identifier: BSD-3-Clause */
/* What of the wants (engine.h) translated code itself counts. */
#ifndef PAPI_VPMU_TRANSLATOR_WANTED_H
#define PAPI_VPMU_TRANSLATOR_WANTED_H

#include "components/vpmu/engine.h"

/* Whether an instruction at pc is to be counted. */
static inline bool papi_vpmu_in_range(const struct papi_vpmu_wants *wants, uint64_t pc)
{
	return !wants->instructions_end || (pc >= wants->instructions_start && pc < wants->instructions_end);
}

/* A bit for each counter that blocks add to. With a range of data the simulator counts loads and stores: it knows the
 * addresses. */
static inline uint64_t papi_vpmu_wanted(const struct papi_vpmu_wants *wants)
{
	uint64_t simulated = 1ull << PAPI_VPMU_LOADS | 1ull << PAPI_VPMU_STORES;

	return wants->counters & ~(wants->data_end ? simulated : 0);
}

/* Whether blocks add to a counter. */
static inline bool papi_vpmu_is_wanted(const struct papi_vpmu_wants *wants, unsigned counter)
{
	return papi_vpmu_wanted(wants) >> counter & 1;
}

#endif
