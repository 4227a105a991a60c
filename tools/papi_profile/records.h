/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's records, in the order of time, to places and counts in the store. One thread. */
#ifndef PAPI_PROFILE_RECORDS_H
#define PAPI_PROFILE_RECORDS_H

#include <linux/perf_event.h>

#include "papi_profile/counts.h"
#include "papi_profile/event_list.h"
#include "papi_profile/marks.h"
#include "papi_profile/places.h"
#include "papi_profile/stacks.h"

struct papi_profile_records {
	struct papi_profile_events *events;
	struct papi_profile_places places;
	struct papi_profile_counts counts;
	struct papi_profile_marks marks;
	uint64_t period; /* 0: each sample tells */
	enum papi_profile_graph graph;
	struct papi_profile_stacks stacks;
	uint64_t gone; /* samples of threads that had ended by the time, which nobody can tell of */
};

/* Takes one record; data is a struct papi_profile_records. Event numbers of the store begin with 1. */
void papi_profile_records_take(void *data, const struct perf_event_header *record, size_t event);

#endif
