/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/counts.h"

#include <stdlib.h>
#include <string.h>

#include "papi_profile/papi_profile.h"

int64_t papi_profile_counts_context(struct papi_profile_counts *counts, int64_t parent, int64_t address)
{
	struct papi_profile_key key = { { (uint64_t)parent, (uint64_t)address } };
	struct papi_profile_entry *entry = papi_profile_table_find(&counts->contexts, key);
	bool made;

	if (entry)
		return entry->value[0];
	if (counts->last_context == PAPI_PROFILE_MOST_CONTEXTS)
		return 0;
	entry = papi_profile_table_take(&counts->contexts, key, &made);
	entry->value[0] = ++counts->last_context;
	papi_profile_store_context(counts->store, entry->value[0], parent, address);
	return entry->value[0];
}

int64_t papi_profile_counts_region(struct papi_profile_counts *counts, const char *name)
{
	size_t size = strlen(name) + 1;

	for (size_t i = 0; i < counts->n_regions; i++)
		if (strcmp(counts->regions[i], name) == 0)
			return (int64_t)i + 1;
	counts->regions = papi_profile_allocate(counts->regions, counts->n_regions + 1, sizeof(*counts->regions));
	counts->regions[counts->n_regions] = papi_profile_allocate(NULL, size, 1);
	memcpy(counts->regions[counts->n_regions++], name, size);
	papi_profile_store_region(counts->store, (int64_t)counts->n_regions, name);
	return (int64_t)counts->n_regions;
}

void papi_profile_counts_add(
	struct papi_profile_counts *counts, const struct papi_profile_count_key *sample, int64_t value)
{
	struct papi_profile_key key = { { (uint64_t)sample->thread | (uint64_t)sample->region << 32,
		(uint64_t)sample->event, (uint64_t)sample->context, (uint64_t)sample->address } };
	bool made;
	struct papi_profile_entry *entry = papi_profile_table_take(&counts->sums, key, &made);

	entry->value[0]++;
	entry->value[1] += value;
}

void papi_profile_counts_flush(struct papi_profile_counts *counts)
{
	struct papi_profile_entry *entry = NULL;

	while ((entry = papi_profile_table_next(&counts->sums, entry))) {
		const uint64_t *part = entry->key.part;

		papi_profile_store_count(counts->store,
			&(struct papi_profile_count_key){ .thread = (int64_t)(part[0] & UINT32_MAX),
				.region = (int64_t)(part[0] >> 32),
				.event = (int64_t)part[1],
				.context = (int64_t)part[2],
				.address = (int64_t)part[3] },
			entry->value[0], entry->value[1]);
	}
	papi_profile_table_free(&counts->sums);
}

void papi_profile_counts_free(struct papi_profile_counts *counts)
{
	papi_profile_table_free(&counts->contexts);
	papi_profile_table_free(&counts->sums);
	for (size_t i = 0; i < counts->n_regions; i++)
		free(counts->regions[i]);
	free(counts->regions);
}
