/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/checks_code.h"

#include "components/vpmu/models/data.h"
#include "components/vpmu/models/slots.h"

/* A page's lines have a bit each. */
#define SHORTEST_SHIFT (PAPI_VPMU_PAGE_SHIFT - 6)
_Static_assert(
	(uint64_t)(PAPI_VPMU_FRAME_OF_CODE + PAPI_VPMU_FRAME_LARGEST) << (PAPI_VPMU_PAGE_SHIFT - SHORTEST_SHIFT) <
		PAPI_VPMU_CODE_HIDDEN,
	"the number of a line has as many bits as what says that it is hidden");

bool papi_vpmu_checks_of_code_are_possible(const struct papi_vpmu_shape *l1i)
{
	return l1i->ways && l1i->ways <= PAPI_VPMU_PACKED_WAYS_MAX && l1i->shift >= SHORTEST_SHIFT &&
		l1i->sets >= PAPI_VPMU_CHECKED_SETS && (l1i->sets & (l1i->sets - 1)) == 0 &&
		l1i->sets * l1i->ways <= PAPI_VPMU_CODE_LINES;
}

static size_t size_of_pages(void)
{
	return papi_vpmu_whole_lines(PAPI_VPMU_CODE_PAGES * sizeof(struct papi_vpmu_code_page));
}

static size_t size_of_uses(const struct papi_vpmu_shape *l1i)
{
	return papi_vpmu_whole_lines((size_t)l1i->sets * l1i->ways * sizeof(uint64_t));
}

size_t papi_vpmu_checks_code_size(const struct papi_vpmu_geometry *geometry)
{
	const struct papi_vpmu_shape *l1i = &geometry->l1i;

	return papi_vpmu_checks_of_code_are_possible(l1i) ? size_of_pages() + size_of_uses(l1i) +
			papi_vpmu_whole_lines((size_t)l1i->sets * l1i->ways * sizeof(uint32_t))
							  : 0;
}

void papi_vpmu_checks_code_init(
	struct papi_vpmu_checked_code *code, const struct papi_vpmu_geometry *geometry, void *zeroed)
{
	char *memory = zeroed;

	if (!papi_vpmu_checks_of_code_are_possible(&geometry->l1i))
		return;
	code->pages = zeroed;
	code->uses = (void *)(memory + size_of_pages());
	code->lines = (void *)(memory + size_of_pages() + size_of_uses(&geometry->l1i));
}

/* ---- slots ---- */

static struct papi_vpmu_code_slot *slot_of(const struct papi_vpmu_models *models, uint64_t line)
{
	return &models->checked.checks->code[line % PAPI_VPMU_CODE_LINES];
}

static bool has_slot(const struct papi_vpmu_code_slot *slot, uint32_t line)
{
	return (slot->line & ~PAPI_VPMU_CODE_HIDDEN) == line;
}

static struct papi_vpmu_code_page *place_of_page(const struct papi_vpmu_models *models, uint64_t page)
{
	return &models->checked.code.pages[page % PAPI_VPMU_CODE_PAGES];
}

static uint64_t *use_of_page(const struct papi_vpmu_models *models, uint64_t page)
{
	return &models->checked.checks->page_uses[page % PAPI_VPMU_CODE_PAGES];
}

static unsigned bits_of_line(const struct papi_vpmu_models *models)
{
	return PAPI_VPMU_PAGE_SHIFT - models->l1i.shift;
}

/* The bit of a line of its page. */
static uint64_t bit_of(const struct papi_vpmu_models *models, uint64_t line)
{
	return (uint64_t)1 << (line & ((1u << bits_of_line(models)) - 1));
}

/* The line that has the slot is to do without. */
static void take_slot(const struct papi_vpmu_models *models, struct papi_vpmu_code_slot *slot)
{
	uint32_t line = slot->line & ~PAPI_VPMU_CODE_HIDDEN;

	if (!line)
		return;
	models->checked.code.uses[slot->place] = slot->use;
	place_of_page(models, line >> bits_of_line(models))->lines &= ~bit_of(models, line);
	slot->line = 0;
}

static void give_slot(const struct papi_vpmu_models *models, uint32_t line, uint32_t place)
{
	struct papi_vpmu_code_slot *slot = slot_of(models, line);

	if (slot->line == line)
		return;
	take_slot(models, slot);
	slot->line = line;
	slot->place = place;
	place_of_page(models, line >> bits_of_line(models))->lines |= bit_of(models, line);
}

/* ---- pages ---- */

static void hide(const struct papi_vpmu_models *models, struct papi_vpmu_code_page *page, bool is_hidden)
{
	struct papi_vpmu_code_slot *first = slot_of(models, page->page << bits_of_line(models));

	page->is_hidden = is_hidden;
	for (uint64_t left = page->lines; left; left &= left - 1)
		first[__builtin_ctzll(left)].line ^= PAPI_VPMU_CODE_HIDDEN;
}

static void look(void *whose, struct papi_vpmu_large_node *node)
{
	const struct papi_vpmu_models *models = whose;

	if (place_of_page(models, node->line)->page == node->line)
		papi_vpmu_large_note(node, *use_of_page(models, node->line));
}

static void leave(void *whose, struct papi_vpmu_large_node *node)
{
	const struct papi_vpmu_models *models = whose;
	struct papi_vpmu_code_page *page = place_of_page(models, node->line);

	if (page->page == node->line)
		hide(models, page, true);
}

/* The page that has that place is to do without, and so are its lines. */
static void take_place(const struct papi_vpmu_models *models, struct papi_vpmu_code_page *page)
{
	struct papi_vpmu_code_slot *first = slot_of(models, page->page << bits_of_line(models));
	struct papi_vpmu_large *itlb = models->itlb.large;
	uint32_t number;

	if (!page->page)
		return;
	while (page->lines)
		take_slot(models, &first[__builtin_ctzll(page->lines)]);
	number = *papi_vpmu_large_node_of(itlb, (uint32_t)page->page);
	if (number)
		papi_vpmu_large_note(&itlb->nodes[number - 1], *use_of_page(models, page->page));
}

static void use_page(struct papi_vpmu_models *models, uint64_t counters[], uint64_t number)
{
	struct papi_vpmu_code_page *page = place_of_page(models, number);
	bool is_there;

	if (page->page != number) {
		take_place(models, page);
		*page = (struct papi_vpmu_code_page){ .page = number };
	}
	is_there = papi_vpmu_large_access(models->itlb.large, (uint32_t)number);
	*use_of_page(models, number) = models->checked.checks->now;
	if (is_there)
		return;
	if (page->is_hidden)
		hide(models, page, false);
	papi_vpmu_miss_itlb(models, counters, number);
}

/* ---- lines ---- */

static uint64_t use_at(const struct papi_vpmu_models *models, uint64_t place)
{
	const struct papi_vpmu_checked_code *code = &models->checked.code;
	const struct papi_vpmu_code_slot *slot = slot_of(models, code->lines[place]);

	if (!code->lines[place])
		return 0;
	return has_slot(slot, code->lines[place]) ? slot->use : code->uses[place];
}

/* A line goes where the oldest of its set was. */
static uint64_t bring_in(const struct papi_vpmu_models *models, uint32_t line, uint64_t first)
{
	const struct papi_vpmu_checked_code *code = &models->checked.code;
	uint64_t oldest = first, least = use_at(models, first);
	struct papi_vpmu_code_slot *slot;

	for (uint64_t place = first + 1; place < first + models->l1i.ways; place++) {
		uint64_t use = use_at(models, place);

		oldest = use < least ? place : oldest;
		least = use < least ? use : least;
	}
	slot = slot_of(models, code->lines[oldest]);
	if (has_slot(slot, code->lines[oldest]))
		take_slot(models, slot);
	code->lines[oldest] = line;
	return oldest;
}

/* Whether it misses; it is at *place afterwards. */
static bool misses_at(const struct papi_vpmu_models *models, uint32_t line, uint64_t *place)
{
	const uint32_t *lines = models->checked.code.lines;
	uint64_t first = (line & models->l1i.mask) * models->l1i.ways;

	for (*place = first; *place < first + models->l1i.ways; ++*place)
		if (lines[*place] == line)
			return false;
	*place = bring_in(models, line, first);
	return true;
}

void papi_vpmu_checks_fetch(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line)
{
	uint64_t page = line >> bits_of_line(models), place;
	struct papi_vpmu_checks *checks = models->checked.checks;
	bool missed;

	if (!papi_vpmu_models_know_code(models, page) && !papi_vpmu_models_reach(models, true, page))
		return;
	use_page(models, counters, page);
	missed = misses_at(models, (uint32_t)line, &place);
	give_slot(models, (uint32_t)line, (uint32_t)place);
	slot_of(models, line)->use = checks->now;
	checks->now += PAPI_VPMU_TICK;
	if (!missed)
		return;
	counters[PAPI_VPMU_L1I_MISSES]++;
	papi_vpmu_miss(models, counters, line << models->l1i.shift, PAPI_VPMU_L2I_MISSES, PAPI_VPMU_L3I_MISSES);
}

/* ---- from L1I and the ITLB, and back ---- */

void papi_vpmu_checks_enter_code(struct papi_vpmu_models *models)
{
	struct papi_vpmu_checked_code *code = &models->checked.code;
	struct papi_vpmu_checks *checks = models->checked.checks;
	const struct papi_vpmu_lru *l1i = &models->l1i;

	for (unsigned i = 0; i < PAPI_VPMU_CODE_LINES; i++)
		checks->code[i] = (struct papi_vpmu_code_slot){ 0, 0, 0 };
	for (unsigned i = 0; i < PAPI_VPMU_CODE_PAGES; i++)
		code->pages[i] = (struct papi_vpmu_code_page){ 0 };
	for (uint64_t set = 0; set < l1i->sets; set++) {
		uint64_t order = l1i->orders[set] ^ PAPI_VPMU_ORDER_IDENTITY;

		for (unsigned i = 0; i < l1i->ways; i++, order >>= 4) {
			code->lines[set * l1i->ways + i] = *papi_vpmu_lru_line(l1i, set, order & 15);
			code->uses[set * l1i->ways + i] = (l1i->ways - i) * (uint64_t)PAPI_VPMU_TICK;
		}
	}
	code->watch = (struct papi_vpmu_large_watch){ look, leave, models };
	models->itlb.large->watch = &code->watch;
}

/* The place of a set that has been used first after that time; or PAPI_VPMU_NOWHERE. */
static uint64_t first_after(const struct papi_vpmu_models *models, uint64_t first, uint64_t time)
{
	uint64_t found = PAPI_VPMU_NOWHERE, least = UINT64_MAX;

	for (uint64_t place = first; place < first + models->l1i.ways; place++) {
		uint64_t use = use_at(models, place);

		if (use > time && use < least) {
			least = use;
			found = place;
		}
	}
	return found;
}

/* From the oldest to the newest: what was in L1I before is older, and leaves. */
static void leave_set(const struct papi_vpmu_models *models, uint64_t first)
{
	uint64_t place;

	for (uint64_t time = 0; (place = first_after(models, first, time)) != PAPI_VPMU_NOWHERE;
		time = use_at(models, place))
		papi_vpmu_lru_access(&models->l1i, models->checked.code.lines[place]);
}

void papi_vpmu_checks_leave_code(struct papi_vpmu_models *models)
{
	for (uint64_t set = 0; set < models->l1i.sets; set++)
		leave_set(models, set * models->l1i.ways);
	papi_vpmu_large_unwatch(models->itlb.large, models->checked.checks->now);
	models->code_page = 0; /* whether it is the last that was fetched from, nobody has noted */
}
