/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cache of more than 16 ways, or a TLB, with true LRU replacement: a table tells for each line there is which node it
 * has, and the node when it was last used. A hit is a look and a time, whatever the number of ways.
 *
 * When a line has to leave, the oldest is found in a heap that does not know of uses since: its order is that of the
 * times known to it. At the top is a node that was the oldest when somebody last looked. If it has been used since, it
 * moves down to where its new time belongs, and the next one is at the top; if not, it is the oldest, for the others
 * have been used no earlier than the heap believes. Each such move is paid for by a use.
 */
#ifndef PAPI_VPMU_MODELS_LARGE_H
#define PAPI_VPMU_MODELS_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of a node is its index + 1; 0 is none. Each set has as many as ways. */
struct papi_vpmu_large_node {
	uint64_t used; /* when */
	uint32_t line;
};

struct papi_vpmu_large_place {
	uint64_t used; /* as far as the heap knows */
	uint32_t node; /* index */
};

struct papi_vpmu_large {
	uint32_t sets, ways;
	uint32_t none; /* no line: always 0 */
	uint64_t now;  /* grows with each use */
	struct papi_vpmu_large_node *nodes;
	struct papi_vpmu_large_place *heaps; /* of each set, as many places as ways */
	uint32_t *filled;                    /* of each set: so many ways */
	uint32_t *nodes_of[2];               /* of each line of data, and of code; 0: it is not there */
	uint32_t code_bit;                   /* of a line's number: it is one of code */
};

size_t papi_vpmu_large_size(uint32_t sets, uint32_t ways);
struct papi_vpmu_large *papi_vpmu_large_init(void *zeroed, uint32_t sets, uint32_t ways, uint32_t code_bit);

static inline uint32_t *papi_vpmu_large_node_of(const struct papi_vpmu_large *large, uint32_t line)
{
	return &large->nodes_of[line >> large->code_bit][line];
}

/* Brings in a line that is not there. */
void papi_vpmu_large_bring(struct papi_vpmu_large *large, uint32_t line);

/* Whether the line was there. It is afterwards, as the newest of its set. */
static inline bool papi_vpmu_large_access(struct papi_vpmu_large *large, uint32_t line)
{
	uint32_t number = *papi_vpmu_large_node_of(large, line);

	if (__builtin_expect(number != 0, 1)) {
		large->nodes[number - 1].used = ++large->now;
		return true;
	}
	papi_vpmu_large_bring(large, line);
	return false;
}

#endif
