/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/profile_regions.h"

#include <stdbool.h>
#include <stddef.h>

#include "components/vpmu/translator/profile_files.h"

#define LONGEST_NAME 255u
#define OTHERS       "[other regions]"

/* By number less 1, each with a hash of its name. */
static struct region {
	uint64_t hash;
	uint32_t entry; /* its offset in the log */
} regions[PAPI_VPMU_LOG_REGIONS];
static unsigned n_regions;

static uint64_t hash_of(const char *name, size_t *length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (*length = 0; name[*length] && *length < LONGEST_NAME; ++*length)
		hash = (hash ^ (unsigned char)name[*length]) * 0x100000001b3u;
	return hash;
}

static bool is_called(const struct region *region, const char *name, size_t length)
{
	const struct papi_vpmu_log_region *entry = papi_vpmu_log_at(region->entry);

	for (size_t i = 0; i < length; i++)
		if (entry->name[i] != name[i])
			return false;
	return !entry->name[length];
}

static uint8_t make(const char *name, uint64_t hash, size_t length)
{
	struct papi_vpmu_log_region *entry = papi_vpmu_log_open(PAPI_VPMU_LOG_REGION, sizeof(*entry) + length + 1);

	if (!entry)
		return 0;
	entry->number = n_regions + 1;
	for (size_t i = 0; i < length; i++)
		entry->name[i] = name[i];
	papi_vpmu_log_close();
	regions[n_regions++] = (struct region){ hash, papi_vpmu_log_offset(entry) };
	return (uint8_t)n_regions;
}

uint8_t papi_vpmu_profile_region(const char *name)
{
	size_t length;
	uint64_t hash = hash_of(name, &length);

	for (unsigned i = 0; i < n_regions; i++)
		if (regions[i].hash == hash && is_called(&regions[i], name, length))
			return (uint8_t)(i + 1);
	if (n_regions == PAPI_VPMU_LOG_REGIONS)
		return PAPI_VPMU_LOG_REGIONS;
	if (n_regions == PAPI_VPMU_LOG_REGIONS - 1)
		return make(OTHERS, 0, sizeof(OTHERS) - 1);
	return make(name, hash, length);
}

void papi_vpmu_profile_regions_forked(void)
{
	n_regions = 0;
}
