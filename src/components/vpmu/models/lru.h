/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set-associative cache with true LRU replacement that allocates on reads and writes, of up to 16 ways. Caches of
 * more ways, and TLBs, are large.h.
 *
 * Nothing is searched: pages are numbered from 1 (frames.h), so that a table can tell for each line there is which way
 * it is in. The order of use of a set is one word of 4-bit way numbers, the newest in the lowest bits. The newest line
 * of each set is also in an array of its own: the same again, the most frequent case by far, is one comparison and
 * changes nothing.
 *
 * Memory of zeros is an empty cache: the exclusive-or makes 0 a valid order, and no line has the number 0. The table is
 * in two parts, for lines of data and of code, each for the pages that there are so far.
 */
#ifndef PAPI_VPMU_MODELS_LRU_H
#define PAPI_VPMU_MODELS_LRU_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/models/frames.h"
#include "components/vpmu/models/geometry.h"
#include "components/vpmu/models/large.h"

#define PAPI_VPMU_PACKED_WAYS_MAX 16

struct papi_vpmu_lru {
	uint32_t *newest;    /* line of each set; with a mask of 0 at least that of the first, or none */
	uint64_t *orders;    /* of each set, ^ IDENTITY; above the oldest way is what was there before */
	uint32_t *lines;     /* of each way, sets of them: of a large cache, most sets have a line in the first ways */
	uint8_t *ways_of[2]; /* of each line of data, and of code: the way it is in, + 1; 0: none */
	uint64_t mask;       /* sets - 1 when that is a power of two, else 0 */
	uint32_t sets, ways;
	uint32_t shift;
	uint32_t oldest_position;      /* bit of the last way in an order */
	uint32_t code_bit;             /* of a line's number: it is one of code */
	uint32_t pages[2];             /* that the tables are for */
	struct papi_vpmu_large *large; /* instead of all that but newest, where that is large.h */
};

#define PAPI_VPMU_ORDER_IDENTITY 0xfedcba9876543210ull
#define PAPI_VPMU_NIBBLES        0x1111111111111111ull

/* The order with a way moved to its front. */
static inline uint64_t papi_vpmu_lru_renew(uint64_t order, unsigned way)
{
	uint64_t different = order ^ way * PAPI_VPMU_NIBBLES;
	uint64_t equal = (different - PAPI_VPMU_NIBBLES) & ~different & 8 * PAPI_VPMU_NIBBLES;
	unsigned position = (unsigned)__builtin_ctzll(equal) & ~3u;
	uint64_t older = ~0ull << position << 4, newer = ~(~0ull << position);

	return (order & older) | (order & newer) << 4 | way;
}

static inline uint8_t *papi_vpmu_lru_way_of(const struct papi_vpmu_lru *cache, uint32_t line)
{
	return &cache->ways_of[line >> cache->code_bit][line];
}

/* The line that a way of a set has. */
static inline uint32_t *papi_vpmu_lru_line(const struct papi_vpmu_lru *cache, uint64_t set, unsigned way)
{
	return &cache->lines[way * (uint64_t)cache->sets + set];
}

static inline bool papi_vpmu_lru_access_set(const struct papi_vpmu_lru *cache, uint32_t line, uint64_t number)
{
	uint64_t order = cache->orders[number] ^ PAPI_VPMU_ORDER_IDENTITY;
	uint8_t *way = papi_vpmu_lru_way_of(cache, line);
	unsigned found = *way, oldest;
	uint32_t *victim;

	if (found) {
		if (found - 1 != (order & 15))
			cache->orders[number] = papi_vpmu_lru_renew(order, found - 1) ^ PAPI_VPMU_ORDER_IDENTITY;
		return true;
	}
	/* In an empty set the first line goes where the newest would be: so the order of a set that gets no second one,
	 * as most of a large cache, is not written. */
	victim = papi_vpmu_lru_line(cache, number, order & 15);
	if (!*victim) {
		*way = (uint8_t)((order & 15) + 1);
		*victim = line;
		return false;
	}
	oldest = order >> cache->oldest_position & 15;
	victim = papi_vpmu_lru_line(cache, number, oldest);
	*papi_vpmu_lru_way_of(cache, *victim) = 0;
	*way = (uint8_t)(oldest + 1);
	*victim = line;
	cache->orders[number] = (order << 4 | oldest) ^ PAPI_VPMU_ORDER_IDENTITY;
	return false;
}

static inline __attribute__((always_inline)) bool papi_vpmu_lru_find(
	const struct papi_vpmu_lru *cache, uint64_t whole, bool asks_newest)
{
	uint32_t line = (uint32_t)whole;
	uint64_t number = line & cache->mask;

	if (__builtin_expect(cache->mask == 0, 0)) {
		if (cache->large)
			return papi_vpmu_large_access(cache->large, line);
		number = line % cache->sets;
	}
	if (asks_newest) {
		if (cache->newest[number] == line)
			return true;
		cache->newest[number] = line;
	}
	return papi_vpmu_lru_access_set(cache, line, number);
}

/* Whether the line was there. It is afterwards, as the newest of its set. */
static inline bool papi_vpmu_lru_access(const struct papi_vpmu_lru *cache, uint64_t line)
{
	return papi_vpmu_lru_find(cache, line, true);
}

/* The same for a cache whose accesses have been filtered by another, so that few are for the newest line: this is
 * quicker. A cache must be asked by one of the two alone. */
static inline bool papi_vpmu_lru_access_rare(const struct papi_vpmu_lru *cache, uint64_t line)
{
	return papi_vpmu_lru_find(cache, line, false);
}

/* Whether it is there, and nothing else. */
static inline bool papi_vpmu_lru_holds(const struct papi_vpmu_lru *cache, uint64_t line)
{
	return cache->large ? *papi_vpmu_large_node_of(cache->large, (uint32_t)line) != 0
			    : *papi_vpmu_lru_way_of(cache, (uint32_t)line) != 0;
}

/* Bytes that a cache of this shape needs besides its tables, and one made of that many zeroed bytes. Both round up to
 * 64. */
size_t papi_vpmu_lru_size(const struct papi_vpmu_shape *shape);
void papi_vpmu_lru_init(struct papi_vpmu_lru *cache, const struct papi_vpmu_shape *shape, void *zeroed);

/* Makes a table long enough for the lines of the first pages of data, or of code: so many, or none at all. False when
 * memory has ended; what there was is as it was. */
bool papi_vpmu_lru_reach(struct papi_vpmu_lru *cache, bool code, uint32_t pages, papi_vpmu_memory *memory);

#endif
