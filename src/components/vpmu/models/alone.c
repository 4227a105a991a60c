/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/alone.h"

#include "components/vpmu/models/gather.h"
#include "components/vpmu/models/in_order.h"

#define LINES_OF_PAGE(shift) (1u << (PAPI_VPMU_PAGE_SHIFT - (shift)))

/* What lru.h has sets of, a power of two of them, whose index is within a page. */
static bool is_possible(const struct papi_vpmu_shape *l1d)
{
	return l1d->ways && l1d->ways <= PAPI_VPMU_PACKED_WAYS_MAX && l1d->sets > 1 &&
		(l1d->sets & (l1d->sets - 1)) == 0 && l1d->sets <= LINES_OF_PAGE(l1d->shift);
}

size_t papi_vpmu_alone_size(const struct papi_vpmu_shape *l1d)
{
	return is_possible(l1d) ? papi_vpmu_whole_lines((size_t)l1d->sets * l1d->ways * sizeof(uint64_t)) : 0;
}

void papi_vpmu_alone_init(struct papi_vpmu_alone *alone, const struct papi_vpmu_shape *l1d, void *zeroed)
{
	if (is_possible(l1d))
		*alone = (struct papi_vpmu_alone){ zeroed, l1d->sets - 1, l1d->ways, l1d->shift };
}

/* ---- what is in L1D, and what is in this ---- */

static uint64_t *set_of(const struct papi_vpmu_alone *alone, uint64_t line)
{
	return &alone->lines[(line & alone->mask) * alone->ways];
}

/* The line with the page it has the number of. */
static uint64_t unplaced(const struct papi_vpmu_models *models, uint64_t line)
{
	unsigned bits = PAPI_VPMU_PAGE_SHIFT - models->l1d.shift;

	return models->page_of[line >> bits] << bits | (line & ((1u << bits) - 1));
}

static uint64_t placed(struct papi_vpmu_models *models, uint64_t line)
{
	unsigned bits = PAPI_VPMU_PAGE_SHIFT - models->l1d.shift;

	return papi_vpmu_frame_of(models, line >> bits) << bits | (line & ((1u << bits) - 1));
}

/* From the oldest to the newest, as if they had just been used. */
void papi_vpmu_alone_enter(struct papi_vpmu_models *models)
{
	const struct papi_vpmu_lru *l1d = &models->l1d;
	const struct papi_vpmu_alone *alone = &models->alone;

	for (unsigned set = 0; set < l1d->sets; set++) {
		uint64_t order = l1d->orders[set] ^ PAPI_VPMU_ORDER_IDENTITY;

		for (unsigned i = 0; i < l1d->ways; i++, order >>= 4) {
			uint32_t line = *papi_vpmu_lru_line(l1d, set, order & 15);

			alone->lines[set * alone->ways + i] = line ? unplaced(models, line) : 0;
		}
	}
}

/* Lines that were there before are all older, and leave. */
void papi_vpmu_alone_leave(struct papi_vpmu_models *models)
{
	const struct papi_vpmu_alone *alone = &models->alone;

	for (uint64_t set = 0; set <= alone->mask; set++)
		for (unsigned i = alone->ways; i-- > 0;) {
			uint64_t line = alone->lines[set * alone->ways + i];

			if (line)
				papi_vpmu_lru_access(&models->l1d, placed(models, line));
		}
}

/* ---- accesses ---- */

/* Whether the line was there, which is not the newest of its set; it is now. */
static inline bool renew(const struct papi_vpmu_alone *alone, uint64_t *set, uint64_t line)
{
	uint64_t moved = line;

	for (unsigned i = 0; i < alone->ways; i++) {
		uint64_t here = set[i];

		set[i] = moved;
		if (here == line)
			return true;
		moved = here;
	}
	return false;
}

/* Whether it misses. */
static __attribute__((noinline)) bool misses_older(struct papi_vpmu_models *models, uint64_t line)
{
	if (renew(&models->alone, set_of(&models->alone, line), line))
		return false;
	papi_vpmu_frame_of(models, line >> (PAPI_VPMU_PAGE_SHIFT - models->l1d.shift));
	return true;
}

static inline __attribute__((always_inline)) bool misses(struct papi_vpmu_models *models, uint64_t line)
{
	return *set_of(&models->alone, line) != line && misses_older(models, line);
}

bool papi_vpmu_alone_holds(const struct papi_vpmu_alone *alone, uint64_t line)
{
	const uint64_t *set = set_of(alone, line);

	for (unsigned i = 0; i < alone->ways; i++)
		if (set[i] == line)
			return true;
	return false;
}

/* An access across the end of a line: a miss when either half is one. */
static __attribute__((noinline)) void touch_two(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t line, uint64_t last, unsigned kind)
{
	bool any = false;

	for (; line <= last; line++)
		any = misses(models, line) || any;
	counters[PAPI_VPMU_L1D_READ_MISSES + kind] += any;
}

static inline __attribute__((always_inline)) void touch_settled(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	uint64_t line = address >> models->alone.shift, last = (address + extent) >> models->alone.shift;

	if (line != last)
		touch_two(models, counters, line, last, kind);
	else if (misses(models, line))
		counters[PAPI_VPMU_L1D_READ_MISSES + kind]++;
}

/* What spans others, and is in two lines: each of them. */
static __attribute__((noinline)) void touch_each(struct papi_vpmu_models *models, uint64_t counters[],
	const uint64_t *record, const struct papi_vpmu_access *access)
{
	const struct papi_vpmu_access *last = access + access->spanned;

	for (access += access < last; access <= last; access++)
		touch_settled(models, counters, papi_vpmu_settle_evenly(models, papi_vpmu_address_of(access, record)),
			access->extent, access->is_write);
}

static inline __attribute__((always_inline)) void touch_plain(struct papi_vpmu_models *models, uint64_t counters[],
	const uint64_t *record, const struct papi_vpmu_access *access)
{
	uint64_t address = papi_vpmu_settle_evenly(models, papi_vpmu_address_of(access, record));

	if ((address ^ (address + access->extent)) >> models->alone.shift)
		touch_each(models, counters, record, access);
	else if (misses(models, address >> models->alone.shift))
		counters[PAPI_VPMU_L1D_READ_MISSES + access->is_write]++;
}

/* Brings the line in like a read, but is none. */
static void prefetch(struct papi_vpmu_models *models, uint64_t counters[], uint64_t address)
{
	if (misses(models, papi_vpmu_settle_evenly(models, address) >> models->alone.shift))
		counters[PAPI_VPMU_PREFETCH_MISSES]++;
}

static void touch_gather(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record)
{
	papi_vpmu_touch_elements(touch_settled, models, counters, access, record);
}

static void touch_special(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record);

static const struct papi_vpmu_touching by_line = { papi_vpmu_fetch_nothing, touch_plain, touch_special, touch_settled,
	prefetch, touch_gather };

static __attribute__((noinline)) void touch_special(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	papi_vpmu_touch_special(&by_line, models, counters, access, record);
}

/* ---- records ---- */

static __attribute__((noinline)) void run_unusual(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record)
{
	papi_vpmu_run_in_order(&by_line, models, counters, block, record);
}

static inline __attribute__((always_inline)) void run_plain(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block), *end = access + block->accesses;

	for (; access < end; access += 1 + access->spanned)
		touch_plain(models, counters, record, access);
}

/* Each for itself: of the special ones those that are relative to the thread's base are frequent. */
static inline __attribute__((always_inline)) void run_special(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block), *end = access + block->accesses;

	for (; access < end; access++) {
		uint64_t address = papi_vpmu_address_of(access, record);

		if (access->spanned)
			continue;
		if (access->form == PAPI_VPMU_FORM_THREAD_LOCAL)
			address += models->thread_base;
		if (papi_vpmu_is_special(access))
			touch_special(models, counters, access, record);
		else
			touch_settled(models, counters, papi_vpmu_settle_evenly(models, address), access->extent,
				access->is_write);
	}
}

void papi_vpmu_alone_run(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena)
{
	bool whole = !models->data_end && !models->counts_accesses;

	while (record < end) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);

		if (!block->counted || !whole)
			run_unusual(models, block->counted ? counters : models->uncounted, block, record);
		else if (block->plain)
			run_plain(models, counters, block, record);
		else
			run_special(models, counters, block, record);
		record += block->words;
	}
}
