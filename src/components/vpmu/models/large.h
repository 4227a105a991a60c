/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cache of more than 16 ways with true LRU replacement: in each set a list from the newest to the oldest line, and a
 * table that tells for each line there is where in its set it stands. A fully associative TLB of a hundred entries
 * costs no more than a small one.
 */
#ifndef PAPI_VPMU_MODELS_LARGE_H
#define PAPI_VPMU_MODELS_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of a node is its index + 1; 0 is none. */
struct papi_vpmu_large_node {
	uint32_t line;
	uint32_t newer, older;
};

struct papi_vpmu_large_set {
	uint32_t newest, oldest, used;
};

struct papi_vpmu_large {
	uint32_t sets, ways;
	uint32_t none; /* no line: always 0 */
	struct papi_vpmu_large_node *nodes;
	struct papi_vpmu_large_set *set;
	uint32_t *nodes_of[2]; /* of each line of data, and of code; 0: it is not there */
	uint32_t code_bit;     /* of a line's number: it is one of code */
};

size_t papi_vpmu_large_size(uint32_t sets, uint32_t ways);
struct papi_vpmu_large *papi_vpmu_large_init(void *zeroed, uint32_t sets, uint32_t ways, uint32_t code_bit);

static inline uint32_t *papi_vpmu_large_node_of(const struct papi_vpmu_large *large, uint32_t line)
{
	return &large->nodes_of[line >> large->code_bit][line];
}

/* Whether the line was there. It is afterwards, as the newest of its set. */
bool papi_vpmu_large_access(struct papi_vpmu_large *large, uint32_t line);

#endif
