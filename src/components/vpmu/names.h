/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of the virtual PMU: each is a sum of counters with weights. The table is constant. */
#ifndef PAPI_VPMU_NAMES_H
#define PAPI_VPMU_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/counters.h"

/* What a count is worth, and why. */
enum papi_vpmu_worth {
	PAPI_VPMU_EXACT,
	PAPI_VPMU_CACHE_MODEL,
	PAPI_VPMU_TLB_MODEL,
	PAPI_VPMU_BRANCH_MODEL,
	PAPI_VPMU_CYCLE_MODEL,
};

struct papi_vpmu_term {
	unsigned char counter; /* enum papi_vpmu_counter */
	short weight;
};

struct papi_vpmu_event {
	const char *name, *description;
	const struct papi_vpmu_term *terms;
	unsigned char n_terms;
	unsigned char fraction; /* so many bits of the sum are one: the value is rounded down */
	unsigned char worth;    /* enum papi_vpmu_worth */
};

extern const struct papi_vpmu_event papi_vpmu_events[];
extern const size_t papi_vpmu_event_count;

/* NULL when there is none of that name; case does not matter. */
const struct papi_vpmu_event *papi_vpmu_event_find(const char *name);

/* "exact", or "modelled: " and how. */
const char *papi_vpmu_event_note(const struct papi_vpmu_event *event);

/* The parts of the simulators that count it, a bit each (enum papi_vpmu_part). shared_tlb2: data and code have one TLB
 * of the second level. */
unsigned papi_vpmu_event_parts(const struct papi_vpmu_event *event, bool shared_tlb2);

/* Whether misses of the third level of cache are among what makes it. */
bool papi_vpmu_event_asks_l3(const struct papi_vpmu_event *event);
/* Of that level alone, which a geometry need not have. */
bool papi_vpmu_event_is_l3(const struct papi_vpmu_event *event);

/* Whether sampled models only estimate it. */
bool papi_vpmu_event_is_sampled(const struct papi_vpmu_event *event);

static inline bool papi_vpmu_event_is_modelled(const struct papi_vpmu_event *event)
{
	return event->worth != PAPI_VPMU_EXACT;
}

#endif
