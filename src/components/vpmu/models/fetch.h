/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code in the models: lines that are fetched, one by one, and blocks of which that changes nothing that counts. With
 * prefetches, whose lines come as if they were read. Compiled into whoever runs records.
 */
#ifndef PAPI_VPMU_MODELS_FETCH_H
#define PAPI_VPMU_MODELS_FETCH_H

#include "components/vpmu/models/data.h"

/* Brings the line in like a read, but is none. */
static inline void papi_vpmu_prefetch(struct papi_vpmu_models *models, uint64_t counters[], uint64_t address)
{
	uint64_t at = papi_vpmu_place(
		models, models->uncounted, papi_vpmu_settle(models, address), PAPI_VPMU_DATA_READ);

	if (papi_vpmu_lru_access(&models->l1d, at >> models->l1d.shift))
		return;
	counters[PAPI_VPMU_PREFETCH_MISSES]++;
	papi_vpmu_miss(models, models->uncounted, at, PAPI_VPMU_L2D_READ_MISSES, PAPI_VPMU_L3D_READ_MISSES);
}

static inline void papi_vpmu_fetch_line(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line)
{
	const struct papi_vpmu_lru *cache = &models->l1i;
	uint64_t address = line << cache->shift, page = address >> PAPI_VPMU_PAGE_SHIFT;

	if (page != models->code_page) {
		if (!papi_vpmu_models_know_code(models, page) && !papi_vpmu_models_reach(models, true, page))
			return;
		models->code_page = page;
		if (!papi_vpmu_lru_access(&models->itlb, page))
			papi_vpmu_miss_itlb(models, counters, page);
	}
	if (cache->mask && cache->newest[line & cache->mask] == line)
		return;
	if (papi_vpmu_lru_access(cache, line))
		return;
	counters[PAPI_VPMU_L1I_MISSES]++;
	papi_vpmu_miss(models, counters, address, PAPI_VPMU_L2I_MISSES, PAPI_VPMU_L3I_MISSES);
}

static inline bool papi_vpmu_are_newest(const struct papi_vpmu_lru *cache, uint64_t line, unsigned n)
{
	for (; n > 0; n--, line++)
		if (cache->newest[line & cache->mask] != line)
			return false;
	return true;
}

/* In the page of the last fetch, lines that are the newest of their sets change nothing. */
static inline bool papi_vpmu_is_fetched(
	const struct papi_vpmu_models *models, const struct papi_vpmu_description *block)
{
	return block->entry >> PAPI_VPMU_PAGE_SHIFT == models->code_page &&
		papi_vpmu_are_newest(&models->l1i, block->first_line, block->n_lines) &&
		papi_vpmu_are_newest(&models->l1i, block->other_line, block->n_other_lines);
}

static inline bool papi_vpmu_are_held(const struct papi_vpmu_lru *cache, uint64_t line, unsigned n)
{
	for (; n > 0; n--, line++)
		if (!papi_vpmu_lru_holds(cache, line))
			return false;
	return true;
}

static inline void papi_vpmu_use_again(const struct papi_vpmu_lru *cache, uint64_t line, unsigned n)
{
	for (; n > 0; n--, line++)
		papi_vpmu_lru_access(cache, line);
}

/*
 * A block in one page: if L1I and the ITLB hold all of it, they learn that it has been used, and nothing else changes:
 * then it does not matter whether that is before or behind its accesses.
 */
static __attribute__((noinline)) bool papi_vpmu_fetch_held(
	struct papi_vpmu_models *models, const struct papi_vpmu_description *block)
{
	uint64_t page = block->entry >> PAPI_VPMU_PAGE_SHIFT;

	if (page != models->code_page &&
		(!papi_vpmu_models_know_code(models, page) || !papi_vpmu_lru_holds(&models->itlb, page)))
		return false;
	if (!papi_vpmu_are_held(&models->l1i, block->first_line, block->n_lines) ||
		!papi_vpmu_are_held(&models->l1i, block->other_line, block->n_other_lines))
		return false;
	if (page != models->code_page)
		papi_vpmu_lru_access(&models->itlb, page);
	models->code_page = page;
	papi_vpmu_use_again(&models->l1i, block->first_line, block->n_lines);
	papi_vpmu_use_again(&models->l1i, block->other_line, block->n_other_lines);
	return true;
}

/* Whether it has all that a block has that goes the quick way. */
static inline __attribute__((always_inline)) bool papi_vpmu_is_ready(
	struct papi_vpmu_models *models, const struct papi_vpmu_description *block)
{
	return block->usual && (papi_vpmu_is_fetched(models, block) || papi_vpmu_fetch_held(models, block));
}

#endif
