/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses to data: their pages, and the lines they touch. The usual case, the newest line of its set again, is
 * straight code, and all else is a function of its own.
 *
 *	address -- settle -- page -- recent, in the DTLB? -- yes -- used now -- line -- newest of its set? -- done
 *	                              | no                                      | no
 *	                         papi_vpmu_enter_page(): frames, TLBs    papi_vpmu_touch_new_line()
 *
 * What is remembered, when it holds, and what ends it:
 *
 *  - recent[]: where pages are in the models, and in the DTLB. A page keeps its place, and loses its node of the DTLB
 *    when that has the line of another. Programs go from page to page with most accesses: so that a page is used is
 *    noted each time, which is one store, and nobody asks whether it is the page of the last access.
 *  - newest[] of a cache: the newest line of each set. The same again changes nothing. Another line in the set ends
 *    it.
 *  - An access that spans others (trace.h): while all that it spans is in one line, the first of them decides, and the
 *    rest would hit as the newest.
 */
#ifndef PAPI_VPMU_MODELS_DATA_H
#define PAPI_VPMU_MODELS_DATA_H

#include "components/vpmu/models/models.h"

/* In counters.h write follows read: the index of a counter for data is the read counter plus this. */
enum { PAPI_VPMU_DATA_READ = 0, PAPI_VPMU_DATA_WRITE = 1 };

/* The address has the number of its page. */
static __attribute__((noinline)) bool papi_vpmu_find_shared(struct papi_vpmu_models *models, uint64_t address)
{
	uint64_t page = address >> PAPI_VPMU_PAGE_SHIFT;
	bool code = page >= PAPI_VPMU_FRAME_OF_CODE;

	if (!code)
		address += (models->page_of[page] - page) << PAPI_VPMU_PAGE_SHIFT;
	return papi_vpmu_shared_access(models->shared, address, code);
}

/* L2 has missed it: whether L3 has it. */
static inline bool papi_vpmu_find_l3(struct papi_vpmu_models *models, uint64_t address)
{
	if (models->shared)
		return papi_vpmu_find_shared(models, address);
	return models->l3.ways && papi_vpmu_lru_access_rare(&models->l3, address >> models->l3.shift);
}

static __attribute__((noinline)) void papi_vpmu_miss_l2(struct papi_vpmu_models *models, uint64_t counters[],
	uint64_t address, unsigned l2_counter, unsigned l3_counter)
{
	counters[l2_counter]++;
	if (!papi_vpmu_find_l3(models, address))
		counters[l3_counter]++;
}

/* Behind a miss of the first level. */
static inline __attribute__((always_inline)) void papi_vpmu_miss(struct papi_vpmu_models *models, uint64_t counters[],
	uint64_t address, unsigned l2_counter, unsigned l3_counter)
{
	if (models->has_l2 && !papi_vpmu_lru_access_rare(&models->l2, address >> models->l2.shift))
		papi_vpmu_miss_l2(models, counters, address, l2_counter, l3_counter);
}

static inline uint64_t papi_vpmu_frame_of(struct papi_vpmu_models *models, uint64_t page)
{
	uint64_t frame = papi_vpmu_frames_find(&models->frames, page);

	return __builtin_expect(frame != 0, 1) ? frame : papi_vpmu_models_number(models, page);
}

/* The first level of TLB has missed, of data, or of code. */
static inline void papi_vpmu_miss_dtlb(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t frame, unsigned kind)
{
	counters[PAPI_VPMU_DTLB_READ_MISSES + kind]++;
	if (!models->has_tlb2[false] || !papi_vpmu_lru_access(&models->dtlb2, frame))
		counters[PAPI_VPMU_DTLB_READ_WALKS + kind]++;
}

static inline void papi_vpmu_miss_itlb(struct papi_vpmu_models *models, uint64_t counters[], uint64_t page)
{
	counters[PAPI_VPMU_ITLB_MISSES]++;
	if (!models->has_tlb2[true] || !papi_vpmu_lru_access(&models->itlb2, page))
		counters[PAPI_VPMU_ITLB_WALKS]++;
}

/* A page that is not recent, or not in the DTLB. */
static __attribute__((noinline)) void papi_vpmu_enter_page(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t page, unsigned kind)
{
	struct papi_vpmu_recent *recent = &models->recent[page % PAPI_VPMU_RECENT];
	struct papi_vpmu_large *dtlb = models->dtlb.large;
	uint64_t frame = papi_vpmu_frame_of(models, page);
	bool hit;

	hit = papi_vpmu_large_access(dtlb, (uint32_t)frame);
	*recent = (struct papi_vpmu_recent){ .page = page,
		.shift = (frame - page) << PAPI_VPMU_PAGE_SHIFT,
		.node = &dtlb->nodes[*papi_vpmu_large_node_of(dtlb, (uint32_t)frame) - 1],
		.frame = (uint32_t)frame };
	if (!hit)
		papi_vpmu_miss_dtlb(models, counters, frame, kind);
}

static inline struct papi_vpmu_recent *papi_vpmu_recent(struct papi_vpmu_models *models, uint64_t address)
{
	return &models->recent[(address >> PAPI_VPMU_PAGE_SHIFT) % PAPI_VPMU_RECENT];
}

/* A settled address with the number of its page. */
static inline uint64_t papi_vpmu_place(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, unsigned kind)
{
	uint64_t page = address >> PAPI_VPMU_PAGE_SHIFT;
	struct papi_vpmu_recent *recent = papi_vpmu_recent(models, address);

	if (__builtin_expect(recent->page == page && recent->node->line == recent->frame, 1))
		recent->node->used = ++models->dtlb.large->now;
	else
		papi_vpmu_enter_page(models, counters, page, kind);
	return address + recent->shift;
}

/* L1 has missed the line: how many levels do. */
static inline unsigned papi_vpmu_levels_behind(struct papi_vpmu_models *models, uint64_t at)
{
	if (!models->has_l2 || papi_vpmu_lru_access_rare(&models->l2, at >> models->l2.shift))
		return 1;
	return papi_vpmu_find_l3(models, at) ? 2 : 3;
}

/* How many levels miss the line. */
static inline unsigned papi_vpmu_levels_missed(struct papi_vpmu_models *models, uint64_t at)
{
	return papi_vpmu_lru_access(&models->l1d, at >> models->l1d.shift) ? 0 : papi_vpmu_levels_behind(models, at);
}

static inline void papi_vpmu_count_missed(uint64_t counters[], unsigned levels, unsigned kind)
{
	counters[PAPI_VPMU_L1D_READ_MISSES + kind] += levels > 0;
	counters[PAPI_VPMU_L2D_READ_MISSES + kind] += levels > 1;
	counters[PAPI_VPMU_L3D_READ_MISSES + kind] += levels > 2;
}

static inline unsigned papi_vpmu_larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* An access across the end of a line: a miss when either half is one. */
static __attribute__((noinline)) void papi_vpmu_touch_two(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	uint64_t size = 1ull << models->l1d.shift, end = address + extent;
	unsigned levels = 0;

	for (address &= -size; address <= end; address += size)
		levels = papi_vpmu_larger(
			levels, papi_vpmu_levels_missed(models, papi_vpmu_place(models, counters, address, kind)));
	papi_vpmu_count_missed(counters, levels, kind);
}

/* Perhaps not the newest of its set. */
static inline __attribute__((always_inline)) void papi_vpmu_touch_older_line(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t at, unsigned kind)
{
	if (papi_vpmu_lru_access(&models->l1d, at >> models->l1d.shift))
		return;
	counters[PAPI_VPMU_L1D_READ_MISSES + kind]++;
	papi_vpmu_miss(models, counters, at, PAPI_VPMU_L2D_READ_MISSES + kind, PAPI_VPMU_L3D_READ_MISSES + kind);
}

static __attribute__((noinline)) void papi_vpmu_touch_new_line(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t at, unsigned kind)
{
	papi_vpmu_touch_older_line(models, counters, at, kind);
}

static inline __attribute__((always_inline)) void papi_vpmu_touch_line(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t at, unsigned shift, unsigned kind)
{
	uint64_t line = at >> shift;

	if (models->l1d.newest[line & models->l1d.mask] != line)
		papi_vpmu_touch_new_line(models, counters, at, kind);
}

static inline void papi_vpmu_touch_settled(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	unsigned shift = models->l1d.shift;

	if ((address ^ (address + extent)) >> shift)
		papi_vpmu_touch_two(models, counters, address, extent, kind);
	else
		papi_vpmu_touch_line(models, counters, papi_vpmu_place(models, counters, address, kind), shift, kind);
}

static inline uint64_t papi_vpmu_address_of(const struct papi_vpmu_access *access, const uint64_t *record)
{
	return record[access->word] + (uint64_t)access->displacement;
}

/* An access to two lines. */
static __attribute__((noinline)) void papi_vpmu_touch_each(struct papi_vpmu_models *models, uint64_t counters[],
	const uint64_t *record, const struct papi_vpmu_access *access, unsigned shift)
{
	const struct papi_vpmu_access *last = access + access->spanned;

	for (access += access < last; access <= last; access++) {
		uint64_t address = papi_vpmu_settle(models, papi_vpmu_address_of(access, record));

		if ((address ^ (address + access->extent)) >> shift)
			papi_vpmu_touch_two(models, counters, address, access->extent, access->is_write);
		else
			papi_vpmu_touch_line(models, counters,
				papi_vpmu_place(models, counters, address, access->is_write), shift, access->is_write);
	}
}

/* Pushes, pops: one line behind the other. False when it is not as simple as that. */
static inline __attribute__((always_inline)) bool papi_vpmu_touch_both(struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_access *access, uint64_t address, unsigned shift)
{
	bool falling = access->form == PAPI_VPMU_FORM_FALLING;
	uint64_t at, line_size = 1ull << shift, end = address + access->extent;

	if (access->form == PAPI_VPMU_FORM_PLAIN || address & 7 || (address ^ end) >> PAPI_VPMU_PAGE_SHIFT ||
		access->extent >= line_size)
		return false;
	at = papi_vpmu_place(models, counters, address, access->is_write) & -line_size;
	papi_vpmu_touch_line(models, counters, at + (falling ? line_size : 0), shift, access->is_write);
	papi_vpmu_touch_line(models, counters, at + (falling ? 0 : line_size), shift, access->is_write);
	return true;
}

static inline __attribute__((always_inline)) void papi_vpmu_touch(struct papi_vpmu_models *models, uint64_t counters[],
	const uint64_t *record, const struct papi_vpmu_access *access, unsigned shift)
{
	uint64_t address = papi_vpmu_settle(models, papi_vpmu_address_of(access, record));

	/* Lines that are spanned may be in another order than that of their pages: nothing is looked up before it is
	 * known. */
	if ((address ^ (address + access->extent)) >> shift == 0)
		papi_vpmu_touch_line(models, counters, papi_vpmu_place(models, counters, address, access->is_write),
			shift, access->is_write);
	else if (!papi_vpmu_touch_both(models, counters, access, address, shift))
		papi_vpmu_touch_each(models, counters, record, access, shift);
}

#endif
