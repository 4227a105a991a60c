/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples, added up: by thread, event, path of calls and address. What has come since the last time is kept in memory
 * and added to the store when papi_profile_counts_flush() is called, so that memory does not grow with time. The paths
 * of calls are a tree, each node of which is known by its parent and the place in the caller; there is a bound to it.
 * One thread.
 */
#ifndef PAPI_PROFILE_COUNTS_H
#define PAPI_PROFILE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "papi_profile/table.h"
#include "profile/store.h"

/* Nodes of the tree. A store of so many has some hundred megabytes. */
#define PAPI_PROFILE_MOST_CONTEXTS 2000000

struct papi_profile_counts {
	struct papi_profile_store *store;
	struct papi_profile_table contexts, sums;
	int64_t last_context;
	char **regions; /* names of those in the store, of which the first is number 1 */
	size_t n_regions;
	uint64_t without_path; /* samples whose path found no room */
};

/* A node of the tree below its parent, 0 for a root; 0: the tree is full. */
int64_t papi_profile_counts_context(struct papi_profile_counts *counts, int64_t parent, int64_t address);

/* The region of that name, made if there is none. */
int64_t papi_profile_counts_region(struct papi_profile_counts *counts, const char *name);

/* A sample; thread and region are less than 2 to the power of 32. */
void papi_profile_counts_add(
	struct papi_profile_counts *counts, const struct papi_profile_count_key *sample, int64_t value);

void papi_profile_counts_flush(struct papi_profile_counts *counts);
void papi_profile_counts_free(struct papi_profile_counts *counts);

#endif
