/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/lru.h"

static bool is_large(const struct papi_vpmu_shape *shape)
{
	return shape->ways > PAPI_VPMU_PACKED_WAYS_MAX || shape->shift == PAPI_VPMU_PAGE_SHIFT;
}

size_t papi_vpmu_lru_size(const struct papi_vpmu_shape *shape)
{
	if (shape->ways == 0)
		return 0;
	if (is_large(shape))
		return papi_vpmu_whole_lines(papi_vpmu_large_size(shape->sets, shape->ways));
	return papi_vpmu_whole_lines(shape->sets * sizeof(uint64_t)) +
		papi_vpmu_whole_lines(shape->sets * sizeof(uint32_t)) +
		papi_vpmu_whole_lines((size_t)shape->sets * shape->ways * sizeof(uint32_t)) + papi_vpmu_whole_lines(1);
}

void papi_vpmu_lru_init(struct papi_vpmu_lru *cache, const struct papi_vpmu_shape *shape, void *zeroed)
{
	bool is_power = (shape->sets & (shape->sets - 1)) == 0;
	char *memory = zeroed;

	cache->sets = shape->sets;
	cache->ways = shape->ways;
	cache->shift = shape->shift;
	cache->code_bit = PAPI_VPMU_FRAME_BITS + PAPI_VPMU_PAGE_SHIFT - shape->shift;
	if (shape->ways == 0)
		return;
	if (is_large(shape)) {
		cache->large = papi_vpmu_large_init(zeroed, shape->sets, shape->ways, cache->code_bit);
		cache->newest = &cache->large->none;
		return;
	}
	/* One set has the mask 0, too, and goes the way of the remainder. */
	cache->mask = is_power ? shape->sets - 1 : 0;
	cache->orders = (uint64_t *)(void *)memory;
	memory += papi_vpmu_whole_lines(shape->sets * sizeof(*cache->orders));
	cache->newest = (uint32_t *)(void *)memory;
	memory += papi_vpmu_whole_lines(shape->sets * sizeof(*cache->newest));
	cache->lines = (uint32_t *)(void *)memory;
	/* Line 0, which is in all ways at first, and none: also where no data comes. */
	cache->ways_of[false] = (uint8_t *)(cache->lines + (size_t)shape->sets * shape->ways);
	cache->oldest_position = 4 * (shape->ways - 1);
}

/* A table of code begins with the first page of code; it is found by the number of a line all the same. */
static uintptr_t place_of_none(const struct papi_vpmu_lru *cache, bool code, size_t entry)
{
	return code ? ((uintptr_t)1 << cache->code_bit) * entry : 0;
}

bool papi_vpmu_lru_reach(struct papi_vpmu_lru *cache, bool code, uint32_t pages, papi_vpmu_memory *memory)
{
	size_t entry = cache->large ? sizeof(*cache->large->nodes_of[0]) : sizeof(*cache->ways_of[0]);
	size_t page = entry << (PAPI_VPMU_PAGE_SHIFT - cache->shift);
	uintptr_t none = place_of_none(cache, code, entry), table;
	uint32_t *old_pages = &cache->pages[code];

	if (cache->ways == 0 || *old_pages == pages)
		return true;
	table = cache->large ? (uintptr_t)cache->large->nodes_of[code] : (uintptr_t)cache->ways_of[code];
	table = (uintptr_t)memory(*old_pages ? (void *)(table + none) : NULL, *old_pages * page, pages * page);
	if (!table && pages)
		return false;
	*old_pages = pages;
	if (cache->large)
		cache->large->nodes_of[code] = (uint32_t *)(table - none);
	else
		cache->ways_of[code] = (uint8_t *)(table - none);
	return true;
}
