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
	profile->n_calls = profile->n_paths = 0;
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

uint32_t papi_profile_region_split(struct papi_profile *profile, uint32_t event, uint32_t region)
{
	size_t n_counts = 0, counts = profile->n_counts;
	struct papi_profile_event *made;
	uint32_t found;

	for (size_t i = 0; i < counts; i++)
		n_counts += profile->counts[i].event == event && profile->counts[i].region == region;
	if (!n_counts)
		return PAPI_PROFILE_NONE;
	found = add_event(profile, event, region);
	made = &profile->events.items[found];
	profile->counts = papi_memory_grow(profile->counts, counts + n_counts, sizeof(profile->counts[0]));
	for (size_t i = 0; i < counts; i++) {
		struct papi_profile_count count = profile->counts[i];

		if (count.event != event || count.region != region)
			continue;
		made->samples += count.samples;
		made->value += count.value;
		count.event = found;
		profile->counts[profile->n_counts++] = count;
	}
	return found;
}
