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
/* The piece that is kept: mapped without access, so that nobody else takes it, wherever no part is. */
static uint64_t kept_start, kept_end;

static long map(uint64_t place, size_t size, int protection, int flags)
{
	return papi_vpmu_raw(SYS_mmap, (long)place, (long)size, protection, flags, -1, 0);
}

/* Where no place near the program is known to be free, one is made so, anywhere. */
static bool find_region(void)
{
	long address;

	if (!region)
		region = papi_vpmu_maps_place_near_program(papi_vpmu_processor_reach);
	if (region)
		return true;
	address = map(0, papi_vpmu_processor_reach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	if (papi_vpmu_failed(address))
		return false;
	region = kept_start = (uint64_t)address;
	kept_end = region + papi_vpmu_processor_reach;
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

/* Room of that size in [at, end) that no part has, or 0. */
static uint64_t room_between(uint64_t at, uint64_t end, size_t size)
{
	const struct part *taken;

	while (at + size <= end && (taken = part_within(at, at + size)))
		at = taken->end;
	return at + size <= end ? at : 0;
}

/* Maps where nobody has anything, outside of what is kept. 0 when there is no such place, or memory ends. */
static uint64_t map_where_free(size_t size, int protection, int flags)
{
	const uint64_t end = region + papi_vpmu_processor_reach;
	uint64_t at = region;

	while ((at = room_between(at, end, size))) {
		long address;

		if (at < kept_end && kept_start < at + size) {
			at = kept_end;
			continue;
		}
		address = map(at, size, protection, flags | MAP_FIXED_NOREPLACE);
		if (address == (long)at)
			return at;
		if (papi_vpmu_failed(address) && address != -EEXIST)
			return 0;
		if (!papi_vpmu_failed(address)) /* a kernel that does not know the flag */
			papi_vpmu_raw(SYS_munmap, address, (long)size, 0, 0, 0, 0);
		at += STEP;
	}
	return 0;
}

void *papi_vpmu_region_map(size_t size, int protection, int flags)
{
	struct part *free = free_part();
	uint64_t at;

	if (!free || !find_region())
		return NULL;
	at = room_between(kept_start, kept_end, size);
	if (at && papi_vpmu_failed(map(at, size, protection, flags | MAP_FIXED)))
		return NULL;
	if (!at)
		at = map_where_free(size, protection, flags);
	if (at)
		*free = (struct part){ at, at + size };
	return (void *)(uintptr_t)at;
}

void papi_vpmu_region_keep(size_t size)
{
	if (!find_region() || kept_end)
		return;
	kept_start = map_where_free(size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	kept_end = kept_start ? kept_start + size : 0;
}

void papi_vpmu_region_unmap(void *place, size_t size)
{
	uint64_t start = (uint64_t)(uintptr_t)place;

	for (struct part *part = parts; part < parts + MAX_PARTS; part++)
		if (part->start == start)
			*part = (struct part){ 0, 0 };
	if (start >= kept_start && start < kept_end)
		map(start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED);
	else
		papi_vpmu_raw(SYS_munmap, (long)start, (long)size, 0, 0, 0, 0);
}
