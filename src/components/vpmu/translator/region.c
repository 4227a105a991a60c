/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/region.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/processor.h"

#define MAX_PARTS 512
#define STEP      ((uint64_t)1 << 20) /* past memory of somebody else */

struct part {
	uint64_t start, end; /* 0: the place in the table is free */
};

static struct part parts[MAX_PARTS];
static uint64_t region;
static bool reserved; /* no place near the program is known to be free: this one has been made so, anywhere */

static bool find_region(void)
{
	long address;

	if (!region)
		region = papi_vpmu_maps_place_near_program(papi_vpmu_processor_reach);
	if (region)
		return true;
	address = papi_vpmu_raw(SYS_mmap, 0, (long)papi_vpmu_processor_reach, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (papi_vpmu_failed(address))
		return false;
	region = (uint64_t)address;
	reserved = true;
	return true;
}

uint64_t papi_vpmu_region_start(void)
{
	return region;
}

/* A part that has something in [start, end), or NULL. */
static const struct part *part_within(uint64_t start, uint64_t end)
{
	for (const struct part *part = parts; part < parts + MAX_PARTS; part++)
		if (part->start < end && start < part->end)
			return part;
	return NULL;
}

static struct part *free_part(void)
{
	struct part *part = parts;

	while (part < parts + MAX_PARTS && part->start)
		part++;
	return part < parts + MAX_PARTS ? part : NULL;
}

void *papi_vpmu_region_map(size_t size, int protection, int flags)
{
	struct part *free = free_part();
	uint64_t at;

	if (!free || !find_region())
		return NULL;
	for (at = region; at + size <= region + papi_vpmu_processor_reach;) {
		const struct part *taken = part_within(at, at + size);
		long address;

		if (taken) {
			at = taken->end;
			continue;
		}
		address = papi_vpmu_raw(SYS_mmap, (long)at, (long)size, protection,
			flags | (reserved ? MAP_FIXED : MAP_FIXED_NOREPLACE), -1, 0);
		if (address == (long)at) {
			*free = (struct part){ at, at + size };
			return (void *)(uintptr_t)at;
		}
		if (papi_vpmu_failed(address) && address != -EEXIST)
			return NULL;
		if (!papi_vpmu_failed(address)) /* a kernel that does not know the flag */
			papi_vpmu_raw(SYS_munmap, address, (long)size, 0, 0, 0, 0);
		at += STEP;
	}
	return NULL;
}

void papi_vpmu_region_unmap(void *place, size_t size)
{
	uint64_t start = (uint64_t)(uintptr_t)place;

	for (struct part *part = parts; part < parts + MAX_PARTS; part++)
		if (part->start == start)
			*part = (struct part){ 0, 0 };
	if (reserved)
		papi_vpmu_raw(SYS_mmap, (long)start, (long)size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	else
		papi_vpmu_raw(SYS_munmap, (long)start, (long)size, 0, 0, 0, 0);
}
