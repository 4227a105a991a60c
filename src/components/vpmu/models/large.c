/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/large.h"

static size_t rounded(size_t size)
{
	return (size + 63) & ~(size_t)63;
}

size_t papi_vpmu_large_size(uint32_t sets, uint32_t ways)
{
	return rounded(sizeof(struct papi_vpmu_large)) +
		rounded((size_t)sets * ways * sizeof(struct papi_vpmu_large_node)) +
		rounded((size_t)sets * ways * sizeof(struct papi_vpmu_large_place)) + sets * sizeof(uint32_t);
}

struct papi_vpmu_large *papi_vpmu_large_init(void *zeroed, uint32_t sets, uint32_t ways, uint32_t code_bit)
{
	struct papi_vpmu_large *large = zeroed;
	char *memory = zeroed;

	large->sets = sets;
	large->ways = ways;
	large->code_bit = code_bit;
	memory += rounded(sizeof(*large));
	large->nodes = (struct papi_vpmu_large_node *)(void *)memory;
	memory += rounded((size_t)sets * ways * sizeof(*large->nodes));
	large->heaps = (struct papi_vpmu_large_place *)(void *)memory;
	memory += rounded((size_t)sets * ways * sizeof(*large->heaps));
	large->filled = (uint32_t *)(void *)memory;
	return large;
}

/* Puts what is to be at the top of a heap of n where it belongs: below none that is newer. */
static void put(struct papi_vpmu_large_place heap[], uint32_t n, struct papi_vpmu_large_place place)
{
	uint32_t at = 0, below = 1;

	for (; below < n; below = 2 * at + 1) {
		below += below + 1 < n && heap[below + 1].used < heap[below].used;
		if (place.used <= heap[below].used)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = place;
}

/* The oldest node, at the top of its heap. */
static uint32_t find_oldest(const struct papi_vpmu_large *large, struct papi_vpmu_large_place heap[])
{
	uint32_t node = heap[0].node;

	while (large->nodes[node].used != heap[0].used) {
		put(heap, large->ways, (struct papi_vpmu_large_place){ large->nodes[node].used, node });
		node = heap[0].node;
	}
	return node;
}

/* The way that nobody has is the newest, and so last in the heap. */
void papi_vpmu_large_bring(struct papi_vpmu_large *large, uint32_t line)
{
	uint32_t set = large->sets == 1 ? 0 : line % large->sets, first = set * large->ways,
		 *filled = &large->filled[set];
	struct papi_vpmu_large_place *heap = &large->heaps[first], place = { ++large->now, first + *filled };

	if (*filled < large->ways) {
		heap[(*filled)++] = place;
	} else {
		place.node = find_oldest(large, heap);
		*papi_vpmu_large_node_of(large, large->nodes[place.node].line) = 0;
		put(heap, large->ways, place);
	}
	large->nodes[place.node] = (struct papi_vpmu_large_node){ place.used, line };
	*papi_vpmu_large_node_of(large, line) = place.node + 1;
}
