/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/large.h"

#include "components/vpmu/models/frames.h"

size_t papi_vpmu_large_size(uint32_t sets, uint32_t ways)
{
	return papi_vpmu_whole_lines(sizeof(struct papi_vpmu_large)) +
		papi_vpmu_whole_lines((size_t)sets * ways * sizeof(struct papi_vpmu_large_node)) +
		2 * papi_vpmu_whole_lines((size_t)sets * ways * sizeof(struct papi_vpmu_large_place)) +
		sets * sizeof(struct papi_vpmu_large_set);
}

struct papi_vpmu_large *papi_vpmu_large_init(void *zeroed, uint32_t sets, uint32_t ways, uint32_t code_bit)
{
	struct papi_vpmu_large *large = zeroed;
	char *memory = zeroed;

	large->sets = sets;
	large->ways = ways;
	large->code_bit = code_bit;
	memory += papi_vpmu_whole_lines(sizeof(*large));
	large->nodes = (struct papi_vpmu_large_node *)(void *)memory;
	memory += papi_vpmu_whole_lines((size_t)sets * ways * sizeof(*large->nodes));
	large->heaps = (struct papi_vpmu_large_place *)(void *)memory;
	memory += papi_vpmu_whole_lines((size_t)sets * ways * sizeof(*large->heaps));
	large->queues = (struct papi_vpmu_large_place *)(void *)memory;
	memory += papi_vpmu_whole_lines((size_t)sets * ways * sizeof(*large->queues));
	large->set = (struct papi_vpmu_large_set *)(void *)memory;
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

/* Adds a node to a heap of n. */
static void add(struct papi_vpmu_large_place heap[], uint32_t n, struct papi_vpmu_large_place place)
{
	for (; n > 0 && heap[(n - 1) / 2].used > place.used; n = (n - 1) / 2)
		heap[n] = heap[(n - 1) / 2];
	heap[n] = place;
}

static struct papi_vpmu_large_place take_first(const struct papi_vpmu_large *large, struct papi_vpmu_large_set *set,
	const struct papi_vpmu_large_place queue[])
{
	struct papi_vpmu_large_place first = queue[set->first];

	set->first = set->first + 1 < large->ways ? set->first + 1 : 0;
	set->queued--;
	return first;
}

static uint64_t use_of(const struct papi_vpmu_large *large, uint32_t node)
{
	if (large->watch)
		large->watch->look(large->watch->whose, &large->nodes[node]);
	return large->nodes[node].used;
}

/* The oldest node of a set, out of its row: no row has one in front that has been used since. */
static uint32_t take_oldest(const struct papi_vpmu_large *large, struct papi_vpmu_large_set *set,
	struct papi_vpmu_large_place heap[], const struct papi_vpmu_large_place queue[])
{
	uint64_t used;
	uint32_t node;

	while (set->queued && (used = use_of(large, queue[set->first].node)) != queue[set->first].used)
		add(heap, set->heap++, (struct papi_vpmu_large_place){ used, take_first(large, set, queue).node });
	while (set->heap && (used = use_of(large, heap[0].node)) != heap[0].used)
		put(heap, set->heap, (struct papi_vpmu_large_place){ used, heap[0].node });
	if (!set->heap || (set->queued && queue[set->first].used < heap[0].used))
		return take_first(large, set, queue).node;
	node = heap[0].node;
	set->heap--;
	put(heap, set->heap, heap[set->heap]);
	return node;
}

void papi_vpmu_large_bring(struct papi_vpmu_large *large, uint32_t line)
{
	uint32_t number = large->sets == 1 ? 0 : line % large->sets, first = number * large->ways, end;
	struct papi_vpmu_large_set *set = &large->set[number];
	struct papi_vpmu_large_place *queue = &large->queues[first], place = { ++large->now, first };

	if (set->heap + set->queued < large->ways) {
		place.node += set->heap + set->queued;
	} else {
		place.node = take_oldest(large, set, &large->heaps[first], queue);
		if (large->watch)
			large->watch->left(large->watch->whose, &large->nodes[place.node]);
		*papi_vpmu_large_node_of(large, large->nodes[place.node].line) = 0;
	}
	end = set->first + set->queued++;
	queue[end < large->ways ? end : end - large->ways] = place;
	large->nodes[place.node] = (struct papi_vpmu_large_node){ place.used, line };
	*papi_vpmu_large_node_of(large, line) = place.node + 1;
}

void papi_vpmu_large_unwatch(struct papi_vpmu_large *large, uint64_t now)
{
	for (uint32_t node = 0; node < large->sets * large->ways; node++)
		use_of(large, node);
	large->now = now;
	large->watch = NULL;
}
