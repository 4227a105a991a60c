/* SPDX-License-Identifier: BSD-3-Clause */
/* The raw files of an exact profile (components/vpmu/profile_log.h), into the store. One thread. */
#ifndef PAPI_PROFILE_EXACT_LOG_H
#define PAPI_PROFILE_EXACT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "papi_profile/records.h"

/* The values of all events, from numbers of exact counters. */
typedef void papi_profile_exact_values(void *argument, const uint64_t *counters, long long *values);

/*
 * Adds all that the files in the directory hold to counts and events, in the order in which their processes began.
 * Returns how many files there were; damaged ones are told, and what is whole of them is taken.
 */
size_t papi_profile_exact_read(
	struct papi_profile_records *records, const char *directory, papi_profile_exact_values *values, void *argument);

#endif
