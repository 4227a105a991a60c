/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/regions.h"

#include <string.h>

#include "symbols/memory.h"

uint32_t papi_profile_region_find(const struct papi_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->regions.n; i++)
		if (strcmp(profile->regions.items[i].name, name) == 0)
			return (uint32_t)i;
	return PAPI_PROFILE_NONE;
}

bool papi_profile_has_regions(const struct papi_profile *profile)
{
	return profile->regions.n > 1;
}

/* Of what has been read without regions nothing is left. */
static void keep_calls(struct papi_profile *profile, uint32_t region)
{
	size_t calls = 0, paths = 0;

	for (size_t i = 0; profile->calls_by_region && i < profile->n_calls; i++)
		if (profile->calls[i].region == region)
			profile->calls[calls++] = profile->calls[i];
	for (size_t i = 0; profile->calls_by_region && i < profile->n_paths; i++)
		if (profile->paths[i].region == region)
			profile->paths[paths++] = profile->paths[i];
	profile->n_calls = calls;
	profile->n_paths = paths;
}

void papi_profile_region_keep(struct papi_profile *profile, uint32_t region)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->events.n; i++)
		profile->events.items[i].samples = profile->events.items[i].value = 0;
	for (size_t i = 0; i < profile->n_counts; i++) {
		struct papi_profile_count count = profile->counts[i];
		struct papi_profile_event *event = &profile->events.items[count.event];

		if (count.region != region)
			continue;
		event->samples += count.samples;
		event->value += count.value;
		profile->counts[n++] = count;
	}
	profile->n_counts = n;
	keep_calls(profile, region);
}

/* The event, which has nothing yet, at the end of the list. */
static uint32_t add_event(struct papi_profile *profile, uint32_t event, uint32_t region)
{
	const struct papi_profile_event *of = &profile->events.items[event];
	struct papi_profile_event made = *of;
	const char *name = profile->regions.items[region].name;

	made.name = *name ? papi_memory_print("%s in %s", of->name, name)
			  : papi_memory_print("%s outside of regions", of->name);
	made.unit = papi_memory_copy(of->unit);
	made.kind = papi_memory_copy(of->kind);
	made.note = of->note ? papi_memory_copy(of->note) : NULL;
	made.samples = made.value = 0;
	profile->events.items = papi_memory_extend(
		profile->events.items, profile->events.n, &profile->events.room, sizeof(made));
	profile->events.items[profile->events.n] = made;
	return (uint32_t)profile->events.n++;
}

/* Those of the event in the region, as another event's besides; what they have together. */
static struct papi_profile_count *split_counts(struct papi_profile_count *counts, size_t *n, uint32_t event,
	uint32_t region, uint32_t made, struct papi_profile_event *sums)
{
	size_t all = *n, more = 0;

	for (size_t i = 0; i < all; i++)
		more += counts[i].event == event && counts[i].region == region;
	counts = papi_memory_grow(counts, all + more, sizeof(counts[0]));
	for (size_t i = 0; i < all; i++) {
		if (counts[i].event != event || counts[i].region != region)
			continue;
		sums->samples += counts[i].samples;
		sums->value += counts[i].value;
		counts[*n] = counts[i];
		counts[(*n)++].event = made;
	}
	return counts;
}

static void split_calls(struct papi_profile *profile, uint32_t event, uint32_t region, uint32_t made)
{
	size_t all = profile->n_calls, more = 0;

	for (size_t i = 0; i < all; i++)
		more += profile->calls[i].event == event && profile->calls[i].region == region;
	profile->calls = papi_memory_grow(profile->calls, all + more, sizeof(profile->calls[0]));
	for (size_t i = 0; i < all; i++)
		if (profile->calls[i].event == event && profile->calls[i].region == region) {
			profile->calls[profile->n_calls] = profile->calls[i];
			profile->calls[profile->n_calls++].event = made;
		}
}

uint32_t papi_profile_region_split(struct papi_profile *profile, uint32_t event, uint32_t region)
{
	struct papi_profile_event unused = { 0 };
	uint32_t made;
	bool any = false;

	for (size_t i = 0; i < profile->n_counts && !any; i++)
		any = profile->counts[i].event == event && profile->counts[i].region == region;
	if (!any)
		return PAPI_PROFILE_NONE;
	made = add_event(profile, event, region);
	profile->counts = split_counts(
		profile->counts, &profile->n_counts, event, region, made, &profile->events.items[made]);
	if (profile->calls_by_region) {
		profile->paths = split_counts(profile->paths, &profile->n_paths, event, region, made, &unused);
		split_calls(profile, event, region, made);
	}
	return made;
}
