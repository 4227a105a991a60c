/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cache of more than 16 ways, or a TLB, with true LRU replacement: a table tells for each line there is which node it
 * has, and the node when it was last used. A hit is a look and a time, whatever the number of ways.
 *
 * When a line has to leave, the oldest is found among two rows that do not know of uses since: a queue of those that
 * have come in, and a heap of those that were found to have been used after that. At the front of each is a node that
 * was its oldest when somebody last looked. If it has been used since, it moves to where its new time belongs in the
 * heap; if not, it is the oldest of its row, for the others have been used no earlier than the row believes. Each such
 * move is paid for by a use; what comes in and leaves without another use never is in the heap.
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
	uint64_t used; /* as far as its row knows */
	uint32_t node; /* index */
};

struct papi_vpmu_large_set {
	uint32_t heap;          /* so many are in it */
	uint32_t first, queued; /* of the queue: where it begins, and how many are in it */
};

/*
 * Where others note uses of its lines: who tells of a node, before it is looked at, when it was last used, and is told
 * that its line leaves.
 */
struct papi_vpmu_large_watch {
	void (*look)(void *whose, struct papi_vpmu_large_node *node);
	void (*left)(void *whose, struct papi_vpmu_large_node *node);
	void *whose;
};

struct papi_vpmu_large {
	uint32_t sets, ways;
	uint32_t none; /* no line: always 0 */
	uint64_t now;  /* grows with each use */
	struct papi_vpmu_large_node *nodes;
	struct papi_vpmu_large_place *heaps, *queues; /* of each set, as many places as ways */
	struct papi_vpmu_large_set *set;
	uint32_t *nodes_of[2];                     /* of each line of data, and of code; 0: it is not there */
	uint32_t code_bit;                         /* of a line's number: it is one of code */
	const struct papi_vpmu_large_watch *watch; /* NULL: nobody */
};

size_t papi_vpmu_large_size(uint32_t sets, uint32_t ways);
struct papi_vpmu_large *papi_vpmu_large_init(void *zeroed, uint32_t sets, uint32_t ways, uint32_t code_bit);

static inline uint32_t *papi_vpmu_large_node_of(const struct papi_vpmu_large *large, uint32_t line)
{
	return &large->nodes_of[line >> large->code_bit][line];
}

/* Others tell that the line of a node has been used at that time. */
static inline void papi_vpmu_large_note(struct papi_vpmu_large_node *node, uint64_t use)
{
	if (node->used < use)
		node->used = use;
}

/* Nobody watches any more: each node is looked at for the last time, and uses come after that time. */
void papi_vpmu_large_unwatch(struct papi_vpmu_large *large, uint64_t now);

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
