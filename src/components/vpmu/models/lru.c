/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/lru.h"

#include "components/vpmu/models/frames.h"

static size_t rounded(size_t size)
{
	return (size + 63) & ~(size_t)63;
}

static size_t lines_there_are(const struct papi_vpmu_shape *shape)
{
	return (size_t)PAPI_VPMU_FRAME_NUMBERS << PAPI_VPMU_PAGE_SHIFT >> shape->shift;
}

size_t papi_vpmu_lru_size(const struct papi_vpmu_shape *shape)
{
	if (shape->ways == 0)
		return 0;
	if (shape->ways > PAPI_VPMU_PACKED_WAYS_MAX)
		return rounded(papi_vpmu_large_size(shape->sets, shape->ways, lines_there_are(shape)));
	return rounded(shape->sets * sizeof(uint64_t)) + rounded(shape->sets * sizeof(uint32_t)) +
		shape->sets * PAPI_VPMU_PACKED_WAYS_MAX * sizeof(uint32_t) + rounded(lines_there_are(shape));
}

void papi_vpmu_lru_init(struct papi_vpmu_lru *cache, const struct papi_vpmu_shape *shape, void *zeroed)
{
	bool is_power = (shape->sets & (shape->sets - 1)) == 0;
	char *memory = zeroed;

	cache->sets = shape->sets;
	cache->ways = shape->ways;
	cache->shift = shape->shift;
	if (shape->ways == 0)
		return;
	if (shape->ways > PAPI_VPMU_PACKED_WAYS_MAX) {
		cache->large = papi_vpmu_large_init(zeroed, shape->sets, shape->ways);
		cache->newest = &cache->large->none;
		return;
	}
	/* One set has the mask 0, too, and goes the way of the remainder. */
	cache->mask = is_power ? shape->sets - 1 : 0;
	cache->orders = (uint64_t *)(void *)memory;
	memory += rounded(shape->sets * sizeof(*cache->orders));
	cache->newest = (uint32_t *)(void *)memory;
	memory += rounded(shape->sets * sizeof(*cache->newest));
	cache->lines = (uint32_t *)(void *)memory;
	memory += shape->sets * PAPI_VPMU_PACKED_WAYS_MAX * sizeof(*cache->lines);
	cache->ways_of = (uint8_t *)memory;
	cache->oldest_position = 4 * (shape->ways - 1);
}
