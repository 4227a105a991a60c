/* SPDX-License-Identifier: BSD-3-Clause */
/* The raw files of an exact profile (components/vpmu/profile_log.h), into the store. One thread. */
#ifndef PAPI_PROFILE_EXACT_LOG_H
#define PAPI_PROFILE_EXACT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "components/vpmu/counters.h"
#include "papi_profile/records.h"

/* Of the virtual PMU, exact and modelled ones. */
#define PAPI_PROFILE_EXACT_COUNTERS (PAPI_VPMU_LAST_MODELLED + 1)

struct papi_profile_exact {
	/* The values of all events, from counters. */
	void (*values)(void *argument, const uint64_t *counters, long long *values);
	void *argument;
	pid_t pid; /* of a process that ran already: it may have called itself by another number; 0: of programs */
	/* Some are modelled, and may be fractions: what is rounded off at one address counts at the next, so that the
	 * sum of all is that of papi_run. */
	bool modelled;
	uint32_t beyond; /* there were more contexts than that, which was all that there may be; 0: no more */
	uint64_t sums[PAPI_PROFILE_EXACT_COUNTERS]; /* with modelled: of all addresses, once they have been read */
};

/*
 * Adds all that the files in the directory hold to counts and events, in the order in which their processes began.
 * Returns how many files there were; damaged ones are told, and what is whole of them is taken.
 */
size_t papi_profile_exact_read(
	struct papi_profile_records *records, const char *directory, struct papi_profile_exact *exact);

#endif
