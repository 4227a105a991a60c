/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block that runs again and again: what the run before has settled is not done again.
 *
 *	run 1     papi_vpmu_loop_run(): every access as ever; each leaves a site: which addresses are in its page, and
 *	          what makes a place in the models of them
 *	run 2..   papi_vpmu_loop_run_again(): while each access is in the page of its site, one addition and one look
 *	          at newest[] of its set
 *	run n     the first access that is in another page: papi_vpmu_loop_run_elsewhere() does the rest as ever, and
 *	          the run after that learns anew
 *
 * What is remembered, when it holds, and what ends it:
 *
 *  - Code is not fetched: the block is the one that was fetched last, its lines do not displace each other
 *    (papi_vpmu_repeatable()), and nothing else is fetched until another block comes.
 *  - The sites hold if the run that left them missed in no TLB: then the DTLB has all their pages, and the same pages
 *    in the same order leave it as it was. An access in another page ends it. So does a run that is not the block's.
 */
#ifndef PAPI_VPMU_MODELS_LOOP_H
#define PAPI_VPMU_MODELS_LOOP_H

#include "components/vpmu/models/data.h"
#include "components/vpmu/models/ends.h"

#define PAPI_VPMU_SITES_MAX 64

/* An access, by the page it goes to: if it begins in the size bytes from low on, it is in it, and is moved to where
 * that is. */
struct papi_vpmu_site {
	uint64_t displacement; /* of the address from its value, less low */
	uint64_t size, page;   /* page: low, moved */
	uint32_t room;         /* where in a line it may begin to be in no other */
	uint8_t word, is_write;
	bool spans; /* others, which are looked at one by one when they are in two lines */
};

/*
 * When all accesses of a run are in the pages of the run before, and that one has missed in no TLB, then nothing
 * changes in the TLBs. So one run tells where its accesses go, and the next ask whether theirs do so, too.
 */
struct papi_vpmu_loop {
	const struct papi_vpmu_description *block;
	bool known; /* what its sites are */
	unsigned sites;
	unsigned again; /* how often that has been of use */
	unsigned tries; /* left: learning what is of no use takes longer than not to */
	struct papi_vpmu_site site[PAPI_VPMU_SITES_MAX];
};

#define PAPI_VPMU_LOOP_TRIES  4
#define PAPI_VPMU_LOOP_OF_USE 4

/* Of the last access that has been touched: the addresses that are in its page, and in the stack or not like it. */
static bool papi_vpmu_loop_learn(struct papi_vpmu_models *models, struct papi_vpmu_site *site,
	const struct papi_vpmu_access *access, uint64_t address)
{
	uint64_t settled = papi_vpmu_settle(models, address), stack_end = models->stack_start + models->stack_size;
	uint64_t low = address - (settled & ((1 << PAPI_VPMU_PAGE_SHIFT) - 1)),
		 high = low + (1 << PAPI_VPMU_PAGE_SHIFT);
	uint64_t line_size = 1ull << models->l1d.shift;
	const struct papi_vpmu_recent *recent = papi_vpmu_recent(models, settled);

	if (low < models->stack_start && models->stack_start < high)
		*(address < models->stack_start ? &high : &low) = models->stack_start;
	if (low < stack_end && stack_end < high)
		*(address < stack_end ? &high : &low) = stack_end;
	*site = (struct papi_vpmu_site){ .displacement = (uint64_t)access->displacement - low,
		.size = high - low - access->extent,
		.page = low + settled - address + recent->shift,
		.room = (uint32_t)(line_size - access->extent),
		.word = access->word,
		.is_write = access->is_write,
		.spans = access->spanned != 0 };
	return access->extent < line_size && access->extent < high - low &&
		settled >> PAPI_VPMU_PAGE_SHIFT == recent->page;
}

static uint64_t papi_vpmu_translation_misses(const uint64_t counters[])
{
	return counters[PAPI_VPMU_DTLB_READ_MISSES] + counters[PAPI_VPMU_DTLB_WRITE_MISSES];
}

/* A run whose accesses are touched as ever. */
static __attribute__((noinline)) void papi_vpmu_loop_run(struct papi_vpmu_models *models, uint64_t counters[],
	struct papi_vpmu_loop *loop, const uint64_t *record, unsigned shift)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(loop->block),
				      *end = access + loop->block->accesses;
	uint64_t misses = papi_vpmu_translation_misses(counters);
	bool learns = loop->tries > 0 && loop->block->accesses <= PAPI_VPMU_SITES_MAX;

	loop->again = 0;
	for (loop->sites = 0; access < end; access += 1 + access->spanned) {
		papi_vpmu_touch(models, counters, record, access, shift);
		learns = learns &&
			papi_vpmu_loop_learn(
				models, &loop->site[loop->sites++], access, papi_vpmu_address_of(access, record));
	}
	loop->known = learns && papi_vpmu_translation_misses(counters) == misses;
}

/* From one site on, others are in other pages now. For the TLBs all count. */
static __attribute__((noinline)) void papi_vpmu_loop_run_elsewhere(struct papi_vpmu_models *models, uint64_t counters[],
	struct papi_vpmu_loop *loop, const uint64_t *record, unsigned known, unsigned shift)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(loop->block),
				      *end = access + loop->block->accesses;

	for (unsigned i = 0; access < end; access += 1 + access->spanned, i++)
		if (i < known)
			papi_vpmu_place(models, counters,
				papi_vpmu_settle(models, papi_vpmu_address_of(access, record)), access->is_write);
		else
			papi_vpmu_touch(models, counters, record, access, shift);
	loop->known = false;
	loop->tries -= loop->again < PAPI_VPMU_LOOP_OF_USE;
}

/* An access across the end of a line, in a page whose number is known. */
static __attribute__((noinline)) void papi_vpmu_touch_two_placed(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t at, uint64_t extent, unsigned kind)
{
	uint64_t size = 1ull << models->l1d.shift, end = at + extent;
	unsigned levels = 0;

	for (at &= -size; at <= end; at += size)
		levels = papi_vpmu_larger(levels, papi_vpmu_levels_missed(models, at));
	papi_vpmu_count_missed(counters, levels, kind);
}

static inline __attribute__((always_inline)) void papi_vpmu_loop_run_again(struct papi_vpmu_models *models,
	uint64_t counters[], struct papi_vpmu_loop *loop, const uint64_t *record, unsigned shift)
{
	const struct papi_vpmu_site *site = loop->site, *end = site + loop->sites;
	const uint32_t *newest = models->l1d.newest;
	uint64_t mask = models->l1d.mask;

	for (; site < end; site++) {
		uint64_t offset = record[site->word] + site->displacement, at = offset + site->page;

		bool two_lines = (at & ((1u << shift) - 1)) >= site->room;

		if (__builtin_expect(offset >= site->size || (two_lines && site->spans), 0)) {
			papi_vpmu_loop_run_elsewhere(
				models, counters, loop, record, (unsigned)(site - loop->site), shift);
			return;
		}
		if (__builtin_expect(two_lines, 0))
			papi_vpmu_touch_two_placed(models, counters, at, (1u << shift) - site->room, site->is_write);
		else if (newest[at >> shift & mask] != at >> shift)
			papi_vpmu_touch_older_line(models, counters, at, site->is_write);
	}
	loop->again++;
}

/* The block has run and goes round: as long as it does, its code has just been fetched. */
static inline __attribute__((always_inline)) const uint64_t *papi_vpmu_repeat_lines(struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_description *block, const uint64_t *record, const uint64_t *end,
	unsigned shift)
{
	struct papi_vpmu_loop loop;
	uint64_t description = *record;
	unsigned words = block->words;
	bool predicts = models->parts & PAPI_VPMU_PART_BRANCHES;

	loop.block = block;
	loop.known = false;
	loop.tries = PAPI_VPMU_LOOP_TRIES;
	for (; record < end && *record == description; record += words) {
		if (predicts)
			papi_vpmu_tell_branches(models, block);
		if (loop.known)
			papi_vpmu_loop_run_again(models, counters, &loop, record, shift);
		else if (block->accesses)
			papi_vpmu_loop_run(models, counters, &loop, record, shift);
	}
	return record;
}

/* Functions of their own, so that the simulation of other blocks has registers to itself. */
static __attribute__((noinline)) const uint64_t *papi_vpmu_repeat_any(struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_description *block, const uint64_t *record, const uint64_t *end)
{
	return papi_vpmu_repeat_lines(models, counters, block, record, end, models->l1d.shift);
}

static __attribute__((noinline)) const uint64_t *papi_vpmu_repeat_64(struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_description *block, const uint64_t *record, const uint64_t *end)
{
	return papi_vpmu_repeat_lines(models, counters, block, record, end, 6);
}

static inline const uint64_t *papi_vpmu_repeat(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record, const uint64_t *end, unsigned shift)
{
	return shift == 6 ? papi_vpmu_repeat_64(models, counters, block, record, end)
			  : papi_vpmu_repeat_any(models, counters, block, record, end);
}

/* A usual block that has no branch but conditional ones and whose lines of code do not displace each other. */
static inline bool papi_vpmu_repeatable(
	const struct papi_vpmu_models *models, const struct papi_vpmu_description *block)
{
	return block->usual && block->end == PAPI_VPMU_ENDS_ANYHOW && block->n_lines <= models->l1i.sets &&
		block->n_other_lines == 0;
}

#endif
