/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/checks.h"

#include "components/vpmu/models/checks_code.h"
#include "components/vpmu/models/checks_pages.h"
#include "components/vpmu/models/gather.h"
#include "components/vpmu/models/in_order.h"
#include "components/vpmu/models/slots.h"

_Static_assert(PAPI_VPMU_TICK >= PAPI_VPMU_PACKED_WAYS_MAX, "a place is as much as a time");

bool papi_vpmu_checks_are_possible(const struct papi_vpmu_shape *l1d)
{
	return papi_vpmu_alone_size(l1d) && l1d->sets * l1d->ways <= PAPI_VPMU_CHECKED_LINES &&
		l1d->shift >= PAPI_VPMU_SLOT_SHIFT;
}

/* A start for each line. */
static size_t size_of_starts(const struct papi_vpmu_geometry *geometry)
{
	return papi_vpmu_alone_size(&geometry->l1d);
}

size_t papi_vpmu_checks_size(const struct papi_vpmu_geometry *geometry)
{
	return papi_vpmu_checks_are_possible(&geometry->l1d) ? size_of_starts(geometry) +
			papi_vpmu_checks_pages_size(&geometry->dtlb) + papi_vpmu_checks_code_size(geometry)
							     : 0;
}

void papi_vpmu_checks_init(struct papi_vpmu_checked *checked, const struct papi_vpmu_geometry *geometry, void *zeroed)
{
	char *held = (char *)zeroed + size_of_starts(geometry);

	if (!papi_vpmu_checks_are_possible(&geometry->l1d))
		return;
	*checked = (struct papi_vpmu_checked){
		.starts = zeroed, .last = (1u << geometry->l1d.shift) - 1, .held = (void *)held
	};
	papi_vpmu_checks_code_init(&checked->code, geometry, held + papi_vpmu_checks_pages_size(&geometry->dtlb));
}

/* ---- rows in the order of use, and times ---- */

/* No time that there is comes later. Uses of lines from before come before any of pages (PAPI_VPMU_FIRST_USE). */
static uint64_t first_time(const struct papi_vpmu_models *models)
{
	uint64_t of_data = models->dtlb.large->now, of_code = models->itlb.large->now;

	return ((of_data > of_code ? of_data : of_code) / PAPI_VPMU_TICK + 1) * PAPI_VPMU_TICK;
}

void papi_vpmu_checks_enter(struct papi_vpmu_models *models)
{
	const struct papi_vpmu_alone *alone = &models->alone;
	struct papi_vpmu_checks *checks = models->checked.checks;

	if (checks->now)
		for (unsigned i = 0; i < PAPI_VPMU_SLOTS; i++)
			checks->slots[i] = (struct papi_vpmu_slot){ 0, 0 };
	checks->now = first_time(models);
	if (models->parts & PAPI_VPMU_PART_PAGES)
		papi_vpmu_checks_enter_pages(models);
	if (models->parts & PAPI_VPMU_PART_CODE)
		papi_vpmu_checks_enter_code(models);
	for (uint64_t place = 0; place < papi_vpmu_slots_places(alone); place++) {
		models->checked.starts[place] = 0;
		checks->uses[1 + place] = alone->lines[place] ? (alone->ways - place % alone->ways) * PAPI_VPMU_TICK
							      : 0;
	}
}

/* The way of a set whose line has been used last before that time; at least one has. */
static unsigned last_before(const uint64_t *uses, unsigned ways, uint64_t time)
{
	unsigned found = 0;
	uint64_t last = 0;

	for (unsigned i = 0; i < ways; i++)
		if (uses[i] < time && uses[i] >= last) {
			last = uses[i];
			found = i;
		}
	return found;
}

/* The lines of a row, from the newest to the oldest; returns how many. */
static unsigned in_order(const uint64_t *row, const uint64_t *uses, unsigned ways, uint64_t lines[])
{
	uint64_t time = UINT64_MAX;
	unsigned n = 0;

	for (; n < ways; n++) {
		unsigned way = last_before(uses, ways, time);

		time = uses[way];
		if (!time)
			break;
		lines[n] = row[way];
	}
	return n;
}

void papi_vpmu_checks_leave(struct papi_vpmu_models *models)
{
	const struct papi_vpmu_alone *alone = &models->alone;
	uint64_t lines[PAPI_VPMU_PACKED_WAYS_MAX];

	if (papi_vpmu_checks_have_pages(models))
		papi_vpmu_checks_leave_pages(models);
	if (papi_vpmu_checks_have_code(models))
		papi_vpmu_checks_leave_code(models);
	for (uint64_t first = 0; first < papi_vpmu_slots_places(alone); first += alone->ways) {
		unsigned n = in_order(
			&alone->lines[first], &models->checked.checks->uses[1 + first], alone->ways, lines);

		for (unsigned i = 0; i < alone->ways; i++)
			alone->lines[first + i] = i < n ? lines[i] : 0;
	}
}

/* ---- lines ---- */

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Times with the place below, so that the least tells both: no jumps, which nothing would foretell. Of two halves, as
 * each waits for the one before. */
static inline uint64_t oldest_of(const struct papi_vpmu_models *models, uint64_t first)
{
	const uint64_t *uses = &models->checked.checks->uses[1 + first];
	uint64_t least = ~(uint64_t)0, other = ~(uint64_t)0;
	unsigned ways = models->alone.ways;

	for (unsigned i = 0; i + 1 < ways; i += 2) {
		least = lesser(least, uses[i] + i);
		other = lesser(other, uses[i + 1] + i + 1);
	}
	if (ways & 1)
		least = lesser(least, uses[ways - 1] + ways - 1);
	return first + lesser(least, other) % PAPI_VPMU_TICK;
}

/* The page has a number. Most have had one for long. */
static void number_page(struct papi_vpmu_models *models, uint64_t page)
{
	uint64_t *last = &models->checked.pages[page % PAPI_VPMU_CHECKED_PAGES];

	if (*last == page)
		return;
	*last = page;
	papi_vpmu_frame_of(models, page);
}

/* A line goes where the oldest was. */
static uint64_t bring_in(struct papi_vpmu_models *models, uint64_t line)
{
	uint64_t place = oldest_of(models, papi_vpmu_slots_first(&models->alone, line));

	papi_vpmu_slots_forget(&models->checked, place);
	if (papi_vpmu_checks_have_pages(models))
		papi_vpmu_checks_note_use(models, place);
	else
		number_page(models, line >> (PAPI_VPMU_PAGE_SHIFT - models->alone.shift));
	models->alone.lines[place] = line;
	return place;
}

/* Whether it misses; it is the newest afterwards, and at *place. */
static inline bool misses_at(struct papi_vpmu_models *models, uint64_t line, uint64_t *place)
{
	struct papi_vpmu_checks *checks = models->checked.checks;
	bool missed;

	*place = papi_vpmu_slots_find(&models->alone, line);
	missed = *place == PAPI_VPMU_NOWHERE;
	if (missed)
		*place = bring_in(models, line);
	checks->uses[1 + *place] = checks->now;
	checks->now += PAPI_VPMU_TICK;
	return missed;
}

/* How many levels miss the line of a settled address, which is at *place afterwards. */
static inline unsigned levels_missed(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, unsigned kind, uint64_t *place)
{
	uint64_t at = papi_vpmu_checks_use_page(models, counters, address, kind);

	return misses_at(models, address >> models->alone.shift, place) ? papi_vpmu_levels_behind(models, at) : 0;
}

/* ---- accesses ---- */

/* Whether all of it is in a line that has slots: it is the newest then. */
static inline bool renew(const struct papi_vpmu_checked *checked, uint64_t address, uint64_t extent)
{
	struct papi_vpmu_checks *checks = checked->checks;
	const struct papi_vpmu_slot *slot = papi_vpmu_slot_of(checks, address);

	if (extent > checked->last || address - slot->start > checked->last - extent)
		return false;
	checks->uses[slot->use / sizeof(uint64_t)] = checks->now;
	checks->now += PAPI_VPMU_TICK;
	return true;
}

/* How many levels miss a line of settled addresses. */
static unsigned levels_of_line(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line, unsigned kind)
{
	uint64_t start = papi_vpmu_unsettle(models, line), place;
	unsigned levels;

	if (start && renew(&models->checked, start, 0))
		return 0;
	levels = levels_missed(models, counters, line, kind, &place);
	if (start)
		papi_vpmu_slots_fill(models, place, start);
	return levels;
}

/* Across the end of a line, too: a miss when either half is one. */
static void touch_settled(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	uint64_t size = models->checked.last + 1, end = address + extent;
	unsigned levels = 0;

	for (address &= -size; address <= end; address += size)
		levels = papi_vpmu_larger(levels, levels_of_line(models, counters, address, kind));
	papi_vpmu_count_missed(counters, levels, kind);
}

/* What has no slot. */
static __attribute__((noinline)) void touch_slowly(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	uint64_t settled = papi_vpmu_settle(models, address), place;

	if ((settled ^ (settled + extent)) >> models->alone.shift) {
		touch_settled(models, counters, settled, extent, kind);
		return;
	}
	papi_vpmu_count_missed(counters, levels_missed(models, counters, settled, kind, &place), kind);
	papi_vpmu_slots_fill(models, place, address - (settled & models->checked.last));
}

static inline void touch(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind)
{
	if (!renew(&models->checked, address, extent))
		touch_slowly(models, counters, address, extent, kind);
}

void papi_vpmu_checks_touch(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned is_write)
{
	touch(models, counters, address, extent, is_write);
}

/* ---- records ---- */

static void touch_plain(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const struct papi_vpmu_access *access)
{
	const struct papi_vpmu_access *last = access + access->spanned;

	for (access += access < last; access <= last; access++)
		touch(models, counters, papi_vpmu_address_of(access, record), access->extent, access->is_write);
}

/* Brings the line in like a read, but is none. */
static void prefetch(struct papi_vpmu_models *models, uint64_t counters[], uint64_t address)
{
	uint64_t place;
	unsigned levels = levels_missed(
		models, models->uncounted, papi_vpmu_settle(models, address), PAPI_VPMU_DATA_READ, &place);

	counters[PAPI_VPMU_PREFETCH_MISSES] += levels > 0;
	papi_vpmu_count_missed(models->uncounted, levels, PAPI_VPMU_DATA_READ);
}

static void touch_gather(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record)
{
	papi_vpmu_touch_elements(touch_settled, models, counters, access, record);
}

static void touch_special(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record);

static const struct papi_vpmu_touching by_use = { papi_vpmu_checks_fetch, touch_plain, touch_special, touch_settled,
	prefetch, touch_gather };

static __attribute__((noinline)) void touch_special(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	papi_vpmu_touch_special(&by_use, models, counters, access, record);
}

void papi_vpmu_checks_run(
	struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record, const unsigned char *arena)
{
	const struct papi_vpmu_description *block = (const void *)(arena + *record);

	papi_vpmu_run_in_order(&by_use, models, block->counted ? counters : models->uncounted, block, record);
}
