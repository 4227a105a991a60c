/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/sampled.h"

#include "components/vpmu/models/ends.h"
#include "components/vpmu/models/gather.h"
#include "components/vpmu/models/in_order.h"

/* ---- coming and going ---- */

struct papi_vpmu_sampled *papi_vpmu_sampled_make(const struct papi_vpmu_geometry *geometry, papi_vpmu_memory *memory)
{
	size_t own = papi_vpmu_whole_lines(sizeof(struct papi_vpmu_sampled)),
	       dtlb = papi_vpmu_stamped_size(&geometry->dtlb), itlb = papi_vpmu_stamped_size(&geometry->itlb),
	       size = own + dtlb + itlb + papi_vpmu_stamped_size(&geometry->l1i);
	struct papi_vpmu_sampled *sampled = memory(NULL, 0, size);

	if (!sampled)
		return NULL;
	sampled->size = size;
	sampled->choice = geometry->choice;
	for (unsigned class = 0; class < geometry->choice.classes; class ++)
		if (geometry->choice.group_of[class] != PAPI_VPMU_NO_GROUP) {
			sampled->chosen |= 1ull << class;
			sampled->data.care[class] = ~0ull;
		}
	papi_vpmu_stamped_init(&sampled->dtlb, &geometry->dtlb, (char *)sampled + own);
	papi_vpmu_stamped_init(&sampled->itlb, &geometry->itlb, (char *)sampled + own + dtlb);
	papi_vpmu_stamped_init(&sampled->l1i, &geometry->l1i, (char *)sampled + own + dtlb + itlb);
	return sampled;
}

void papi_vpmu_sampled_end(struct papi_vpmu_sampled *sampled, papi_vpmu_memory *memory)
{
	if (sampled)
		memory(sampled, sampled->size, 0);
}

/* ---- classes, and misses in them ---- */

static inline unsigned class_of(const struct papi_vpmu_sampled *sampled, uint64_t address)
{
	return (unsigned)(address >> sampled->choice.low & (sampled->choice.classes - 1));
}

static inline bool is_chosen(const struct papi_vpmu_sampled *sampled, uint64_t address)
{
	return sampled->chosen >> class_of(sampled, address) & 1;
}

#define LEVELS 3 /* of caches */

/* By what one miss stands for, or by less than nothing of it. */
static void count_sampled(
	const struct papi_vpmu_sampled *sampled, uint64_t counters[], unsigned counter, uint64_t address, bool less)
{
	uint64_t number = less ? -(uint64_t)sampled->choice.scale : sampled->choice.scale;
	unsigned group = sampled->choice.group_of[class_of(sampled, address)];

	counters[counter] += number;
	if (group)
		counters[group * PAPI_VPMU_COUNTERS + counter] += number;
}

/* Of those that have missed, so many, from the first on or from the second: L1I is counted whole. */
static void count_levels(const struct papi_vpmu_sampled *sampled, uint64_t counters[],
	const unsigned char levels[LEVELS], unsigned first, unsigned missed, unsigned kind, uint64_t address, bool less)
{
	for (unsigned i = first; i < missed && i < LEVELS; i++)
		count_sampled(sampled, counters, levels[i] + kind, address, less);
}

static const unsigned char data_levels[] = { PAPI_VPMU_L1D_READ_MISSES, PAPI_VPMU_L2D_READ_MISSES,
	PAPI_VPMU_L3D_READ_MISSES };
static const unsigned char code_levels[] = { PAPI_VPMU_L1I_MISSES, PAPI_VPMU_L2I_MISSES, PAPI_VPMU_L3I_MISSES };

/* ---- pages ---- */

/* Of data. */
static __attribute__((noinline)) void enter_page(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t page, unsigned kind)
{
	uint64_t frame = papi_vpmu_frame_of(models, page);

	if (!papi_vpmu_stamped_enter(&models->sampled->dtlb, page, frame, ++models->sampled->now))
		papi_vpmu_miss_dtlb(models, counters, frame, kind);
}

static inline __attribute__((always_inline)) void touch_page(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, unsigned kind)
{
	uint64_t page = address >> PAPI_VPMU_PAGE_SHIFT;

	if (!papi_vpmu_stamped_touch(&models->sampled->dtlb, page, ++models->sampled->now))
		enter_page(models, counters, page, kind);
}

/* Of an address whose page has just been touched. */
static uint64_t place_of(struct papi_vpmu_sampled *sampled, uint64_t address)
{
	uint64_t page = address >> PAPI_VPMU_PAGE_SHIFT, frame = papi_vpmu_stamped_slot(&sampled->dtlb, page)->frame;

	return address + ((frame - page) << PAPI_VPMU_PAGE_SHIFT);
}

static __attribute__((noinline)) bool enter_code_page(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t page)
{
	if (!papi_vpmu_models_know_code(models, page) && !papi_vpmu_models_reach(models, true, page))
		return false;
	if (!papi_vpmu_stamped_enter(&models->sampled->itlb, page, page, ++models->sampled->now))
		papi_vpmu_miss_itlb(models, counters, page);
	return true;
}

/* False when memory has ended. */
static bool touch_code_page(struct papi_vpmu_models *models, uint64_t counters[], uint64_t page)
{
	return papi_vpmu_stamped_touch(&models->sampled->itlb, page, ++models->sampled->now) ||
		enter_code_page(models, counters, page);
}

/* ---- data ---- */

/* A line of a chosen class, in a page that has just been touched. How many levels miss it. */
static unsigned levels_missed(struct papi_vpmu_models *models, uint64_t address)
{
	struct papi_vpmu_sampled *sampled = models->sampled;
	uint64_t at = place_of(sampled, address);

	sampled->data.newest[class_of(sampled, address)] = address >> models->l1d.shift;
	return papi_vpmu_lru_access(&models->l1d, at >> models->l1d.shift) ? 0 : papi_vpmu_levels_behind(models, at);
}

static __attribute__((noinline)) void touch_chosen(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, unsigned kind)
{
	count_levels(models->sampled, counters, data_levels, 0, levels_missed(models, address), kind, address, false);
}

/* An access across the end of a line. Two chosen lines in a row that both miss make up for what is counted twice where
 * one half of such an access is seen at a time (choice.h). Misses of the TLB are for other counters than those of
 * caches. */
static __attribute__((noinline)) void touch_lines(struct papi_vpmu_models *models, uint64_t page_counters[],
	uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	uint64_t size = 1ull << models->l1d.shift, end = address + extent;
	unsigned before = 0;

	for (address &= -size; address <= end; address += size) {
		unsigned missed = 0, both;

		touch_page(models, page_counters, address, kind);
		if (is_chosen(models->sampled, address))
			missed = levels_missed(models, address);
		both = missed < before ? missed : before;
		count_levels(models->sampled, counters, data_levels, 0, missed, kind, address, false);
		count_levels(models->sampled, counters, data_levels, 0, both, kind, address, true);
		count_levels(models->sampled, counters, data_levels, 0, both, kind, address - size, true);
		before = missed;
	}
}

static void touch_settled(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	if ((address ^ (address + extent)) >> models->l1d.shift) {
		touch_lines(models, counters, counters, address, extent, kind);
		return;
	}
	touch_page(models, counters, address, kind);
	if (is_chosen(models->sampled, address))
		touch_chosen(models, counters, address, kind);
}

static uint64_t settled_address_of(
	const struct papi_vpmu_models *models, const struct papi_vpmu_access *access, const uint64_t *record)
{
	return papi_vpmu_settle(models, papi_vpmu_address_of(access, record));
}

/* What spans others, and is in two lines: each of them. */
static __attribute__((noinline)) void touch_each(struct papi_vpmu_models *models, uint64_t counters[],
	const uint64_t *record, const struct papi_vpmu_access *access)
{
	const struct papi_vpmu_access *last = access + access->spanned;

	for (access += access < last; access <= last; access++)
		touch_settled(
			models, counters, settled_address_of(models, access, record), access->extent, access->is_write);
}

static void touch(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const struct papi_vpmu_access *access)
{
	uint64_t address = settled_address_of(models, access, record);

	if ((address ^ (address + access->extent)) >> models->l1d.shift)
		touch_each(models, counters, record, access);
	else
		touch_settled(models, counters, address, 0, access->is_write);
}

/* ---- accesses that are not usual ---- */

/* Brings the line in like a read, but is none. */
static void prefetch(struct papi_vpmu_models *models, uint64_t counters[], uint64_t address)
{
	address = papi_vpmu_settle(models, address);
	touch_page(models, models->uncounted, address, PAPI_VPMU_DATA_READ);
	if (is_chosen(models->sampled, address) && levels_missed(models, address))
		count_sampled(models->sampled, counters, PAPI_VPMU_PREFETCH_MISSES, address, false);
}

/* All elements are brought in. It is one access, and its first element stands for it: it is seen as often as others,
 * and most often all of them miss, or none. */
static void touch_gather(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record)
{
	uint64_t *uncounted = models->uncounted;
	struct papi_vpmu_piece piece = { .size = 0 };
	unsigned kind = access->is_write, next = 0;
	bool any = false;

	while (papi_vpmu_elements_next(models, access, record, &next, &piece)) {
		bool in_range = papi_vpmu_models_ask_for(models, piece.address, piece.size);

		touch_lines(models, in_range ? counters : uncounted, in_range && !any ? counters : uncounted,
			papi_vpmu_settle(models, piece.address), piece.size - 1, kind);
		any |= in_range;
	}
	if (any && models->counts_accesses)
		counters[kind ? PAPI_VPMU_STORES : PAPI_VPMU_LOADS]++;
}

/* ---- code ---- */

static void fetch_line(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line)
{
	struct papi_vpmu_sampled *sampled = models->sampled;
	uint64_t address = line << models->l1i.shift;

	if (!touch_code_page(models, counters, address >> PAPI_VPMU_PAGE_SHIFT))
		return;
	if (papi_vpmu_stamped_touch(&sampled->l1i, line, ++sampled->now) ||
		papi_vpmu_stamped_enter(&sampled->l1i, line, line, ++sampled->now))
		return;
	counters[PAPI_VPMU_L1I_MISSES]++;
	if (is_chosen(sampled, address))
		count_levels(
			sampled, counters, code_levels, 1, papi_vpmu_levels_behind(models, address), 0, address, false);
}

/* ---- all that is not usual ---- */

static void touch_special(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record);

static const struct papi_vpmu_touching by_choice = { fetch_line, touch, touch_special, touch_settled, prefetch,
	touch_gather };

static __attribute__((noinline)) void touch_special(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	papi_vpmu_touch_special(&by_choice, models, counters, access, record);
}

static __attribute__((noinline)) void run_in_order(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record)
{
	papi_vpmu_run_in_order(&by_choice, models, counters, block, record);
}

/* ---- records that are usual ---- */

/* What the loop over records knows while it is compiled, or has at hand. */
struct quick {
	struct papi_vpmu_models *models;
	struct papi_vpmu_sampled *sampled;
	uint64_t *counters;
	uint64_t now; /* that of the sampled models, unless a function is called that needs it */
	unsigned low, mask, shift_data, shift_code;
};

#define QUICK static inline __attribute__((always_inline))

QUICK bool are_there(const struct quick *quick, uint64_t line, unsigned n)
{
	for (; n > 0; n--, line++)
		if (papi_vpmu_stamped_slot(&quick->sampled->l1i, line)->page != line)
			return false;
	return true;
}

QUICK void stamp_lines(struct quick *quick, uint64_t line, unsigned n)
{
	for (; n > 0; n--, line++)
		papi_vpmu_stamped_slot(&quick->sampled->l1i, line)->stamp = ++quick->now;
}

/* When all of a block is in one page and in L1I, page and lines get their stamps, and it is fetched. */
QUICK bool is_fetched(struct quick *quick, const struct papi_vpmu_description *block)
{
	uint64_t page = block->entry >> PAPI_VPMU_PAGE_SHIFT;

	if (block->n_other_lines &&
		(block->other_line << quick->shift_code >> PAPI_VPMU_PAGE_SHIFT != page ||
			!are_there(quick, block->other_line, block->n_other_lines)))
		return false;
	if (!are_there(quick, block->first_line, block->n_lines) ||
		!papi_vpmu_stamped_touch(&quick->sampled->itlb, page, ++quick->now))
		return false;
	stamp_lines(quick, block->first_line, block->n_lines);
	stamp_lines(quick, block->other_line, block->n_other_lines);
	return true;
}

/* False, and nothing done, when it is in two lines. */
QUICK bool quick_touch(struct quick *quick, uint64_t address, const struct papi_vpmu_access *access)
{
	const struct papi_vpmu_lately *lately = &quick->sampled->data;
	uint64_t line = address >> quick->shift_data, class = address >> quick->low & quick->mask,
		 page = address >> PAPI_VPMU_PAGE_SHIFT;

	if (__builtin_expect((address + access->extent) >> quick->shift_data != line, 0))
		return false;
	if (__builtin_expect(!papi_vpmu_stamped_touch(&quick->sampled->dtlb, page, ++quick->now), 0)) {
		quick->sampled->now = quick->now;
		enter_page(quick->models, quick->counters, page, access->is_write);
		quick->now = quick->sampled->now;
	}
	if ((lately->newest[class] ^ line) & lately->care[class])
		touch_chosen(quick->models, quick->counters, address, access->is_write);
	return true;
}

QUICK void quick_accesses(struct quick *quick, const struct papi_vpmu_description *block, const uint64_t *record)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block), *end = access + block->accesses;

	for (; access < end; access += 1 + access->spanned) {
		uint64_t address = papi_vpmu_address_of(access, record);

		if (__builtin_expect(quick_touch(quick, papi_vpmu_settle_evenly(quick->models, address), access), 1))
			continue;
		quick->sampled->now = quick->now;
		touch_each(quick->models, quick->counters, record, access);
		quick->now = quick->sampled->now;
	}
}

/* Each for itself: of the special ones those that are relative to the thread's base are frequent. */
QUICK void quick_specials(struct quick *quick, const struct papi_vpmu_description *block, const uint64_t *record)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block), *end = access + block->accesses;

	for (; access < end; access++) {
		uint64_t address = papi_vpmu_address_of(access, record);
		bool special = papi_vpmu_is_special(access);

		if (access->form == PAPI_VPMU_FORM_THREAD_LOCAL)
			address += quick->models->thread_base;
		if (access->spanned ||
			(!special && quick_touch(quick, papi_vpmu_settle_evenly(quick->models, address), access)))
			continue;
		quick->sampled->now = quick->now;
		touch_special(quick->models, quick->counters, access, record);
		quick->now = quick->sampled->now;
	}
}

/* ---- all records ---- */

QUICK void run(struct quick *quick, const uint64_t *record, const uint64_t *end, const unsigned char *arena,
	bool predicts, bool fetches)
{
	struct papi_vpmu_models *models = quick->models;
	bool whole = !models->data_end && !models->counts_accesses;

	quick->now = quick->sampled->now;
	while (record < end) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);

		if (predicts) {
			papi_vpmu_tell_branches(models, block);
			papi_vpmu_end_any(models, block->counted ? quick->counters : models->uncounted, block, record);
		}
		if (block->counted && whole && (!fetches || is_fetched(quick, block))) {
			if (block->plain)
				quick_accesses(quick, block, record);
			else
				quick_specials(quick, block, record);
		} else {
			quick->sampled->now = quick->now;
			run_in_order(models, block->counted ? quick->counters : models->uncounted, block, record);
			quick->now = quick->sampled->now;
		}
		record += block->words;
	}
	quick->sampled->now = quick->now;
}

/* A loop for all parts and for lines of 64 bytes in 64 classes, as nearly all machines have them; one for all else. */
void papi_vpmu_sampled_run(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena)
{
	struct papi_vpmu_sampled *sampled = models->sampled;
	struct quick usual = { models, sampled, counters, 0, 6, 63, 6, 6 },
		     any = { models, sampled, counters, 0, sampled->choice.low, sampled->choice.classes - 1,
			     models->l1d.shift, models->l1i.shift };

	if (models->l1d.shift == 6 && models->l1i.shift == 6 && any.low == 6 && any.mask == 63 &&
		models->parts == PAPI_VPMU_PARTS)
		run(&usual, record, end, arena, true, true);
	else
		run(&any, record, end, arena, models->parts & PAPI_VPMU_PART_BRANCHES,
			models->parts & PAPI_VPMU_PART_CODE);
}
