/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/profile_modules.h"

#include <stddef.h>

#include "components/vpmu/profile_log.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/profile_files.h"

#define MAX_RANGES  512
#define MAX_MODULES 4096

/* Mappings that are known to be there. */
static struct range {
	uint64_t start, end; /* 0: the place is free */
	uint32_t number;
} ranges[MAX_RANGES];
static unsigned next_range; /* to be replaced when there are too many */

/* All that there have been; number 0 is of no file. */
static struct module {
	uint64_t bias, device, inode;
} modules[MAX_MODULES];
static unsigned n_modules;

static bool note(uint64_t bias, const char *path)
{
	struct papi_vpmu_log_module *entry;
	size_t length = 0;

	while (path[length])
		length++;
	entry = papi_vpmu_log_open(PAPI_VPMU_LOG_MODULE, sizeof(*entry) + length + 1);
	if (!entry)
		return false;
	entry->bias = bias;
	for (size_t i = 0; i <= length; i++)
		entry->path[i] = path[i];
	papi_vpmu_log_close();
	return true;
}

bool papi_vpmu_modules_begin(void)
{
	n_modules = 1;
	return note(0, "");
}

/* Too many of them are of no file. */
static uint32_t number_of(const struct papi_vpmu_mapping *mapping)
{
	uint64_t bias = mapping->start - mapping->offset;

	if (!mapping->path[0])
		return 0;
	for (unsigned i = 1; i < n_modules; i++)
		if (modules[i].bias == bias && modules[i].inode == mapping->inode &&
			modules[i].device == mapping->device)
			return i;
	if (n_modules == MAX_MODULES || !note(bias, mapping->path))
		return 0;
	modules[n_modules] = (struct module){ bias, mapping->device, mapping->inode };
	return n_modules++;
}

uint32_t papi_vpmu_modules_number(uint64_t pc)
{
	static struct papi_vpmu_mapping mapping; /* under the lock */
	struct range *range;

	for (range = ranges; range < ranges + MAX_RANGES; range++)
		if (pc - range->start < range->end - range->start)
			return range->number;
	if (!papi_vpmu_maps_find(pc, &mapping))
		return 0;
	for (range = ranges; range < ranges + MAX_RANGES && range->end; range++)
		;
	if (range == ranges + MAX_RANGES)
		range = &ranges[next_range++ % MAX_RANGES];
	*range = (struct range){ mapping.start, mapping.end, number_of(&mapping) };
	return range->number;
}

bool papi_vpmu_modules_forget(uint64_t start, uint64_t end)
{
	bool any = false;

	for (struct range *range = ranges; range < ranges + MAX_RANGES; range++)
		if (range->start < end && start < range->end) {
			*range = (struct range){ 0, 0, 0 };
			any = true;
		}
	return any;
}

void papi_vpmu_modules_forked(void)
{
	papi_vpmu_modules_forget(0, UINT64_MAX);
	n_modules = 0;
}
