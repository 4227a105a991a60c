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
		sets * sizeof(struct papi_vpmu_large_set);
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
	large->set = (struct papi_vpmu_large_set *)(void *)memory;
	return large;
}

/* Takes a node that is not the newest out of the list of its set. */
static void unlink_node(struct papi_vpmu_large *large, struct papi_vpmu_large_set *set, uint32_t number)
{
	struct papi_vpmu_large_node *node = &large->nodes[number - 1];

	large->nodes[node->newer - 1].older = node->older;
	if (node->older)
		large->nodes[node->older - 1].newer = node->newer;
	else
		set->oldest = node->newer;
}

static void make_newest(struct papi_vpmu_large *large, struct papi_vpmu_large_set *set, uint32_t number)
{
	struct papi_vpmu_large_node *node = &large->nodes[number - 1];

	node->newer = 0;
	node->older = set->newest;
	if (set->newest)
		large->nodes[set->newest - 1].newer = number;
	else
		set->oldest = number;
	set->newest = number;
}

static void renew(struct papi_vpmu_large *large, struct papi_vpmu_large_set *set, uint32_t number)
{
	if (set->newest == number)
		return;
	unlink_node(large, set, number);
	make_newest(large, set, number);
}

/* A node for a new line: an unused one or the oldest; it becomes the newest. */
static uint32_t replace(struct papi_vpmu_large *large, uint32_t set_number)
{
	struct papi_vpmu_large_set *set = &large->set[set_number];
	uint32_t number;

	if (set->used < large->ways) {
		number = set_number * large->ways + ++set->used;
		make_newest(large, set, number);
		return number;
	}
	number = set->oldest;
	*papi_vpmu_large_node_of(large, large->nodes[number - 1].line) = 0;
	renew(large, set, number);
	return number;
}

bool papi_vpmu_large_access(struct papi_vpmu_large *large, uint32_t line)
{
	uint32_t *node = papi_vpmu_large_node_of(large, line), number = *node,
		 set = large->sets == 1 ? 0 : line % large->sets;

	if (number) {
		renew(large, &large->set[set], number);
		return true;
	}
	number = replace(large, set);
	large->nodes[number - 1].line = line;
	*node = number;
	return false;
}
