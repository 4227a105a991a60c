/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/checks_pages.h"

#include "components/vpmu/models/slots.h"

size_t papi_vpmu_checks_pages_size(const struct papi_vpmu_shape *dtlb)
{
	return papi_vpmu_whole_lines((size_t)dtlb->sets * dtlb->ways * sizeof(uint64_t));
}

static uint64_t *held_by(const struct papi_vpmu_models *models, const struct papi_vpmu_large_node *node)
{
	return &models->checked.held[node - models->dtlb.large->nodes];
}

/* Of the page of a node, what begins in the 64 bytes of the lowest bit that is left: the lines there, up to *end. */
static uint64_t lines_of(
	const struct papi_vpmu_models *models, const struct papi_vpmu_large_node *node, uint64_t left, uint64_t *end)
{
	uint64_t start = models->page_of[node->line] << PAPI_VPMU_PAGE_SHIFT | (uint64_t)__builtin_ctzll(left) << 6;

	*end = ((start + 63) >> models->alone.shift) + 1;
	return start >> models->alone.shift;
}

/* What the TLB itself notes is earlier than what lines tell, as its time goes on by one, not by a tick. */
static void look(void *whose, struct papi_vpmu_large_node *node)
{
	const struct papi_vpmu_models *models = whose;
	uint64_t line, end, place;

	for (uint64_t left = *held_by(models, node); left; left &= left - 1)
		for (line = lines_of(models, node, left, &end); line < end; line++) {
			place = papi_vpmu_slots_find(&models->alone, line);
			if (place != PAPI_VPMU_NOWHERE)
				papi_vpmu_large_note(node, models->checked.checks->uses[1 + place]);
		}
}

static void leave(void *whose, struct papi_vpmu_large_node *node)
{
	const struct papi_vpmu_models *models = whose;
	uint64_t *held = held_by(models, node), line, end, place;

	for (; *held; *held &= *held - 1)
		for (line = lines_of(models, node, *held, &end); line < end; line++) {
			place = papi_vpmu_slots_find(&models->alone, line);
			if (place != PAPI_VPMU_NOWHERE)
				papi_vpmu_slots_forget(&models->checked, place);
		}
}

/* Of a page that may be in the DTLB; or NULL. */
static struct papi_vpmu_large_node *node_of(const struct papi_vpmu_models *models, uint64_t page)
{
	const struct papi_vpmu_recent *recent = &models->recent[page % PAPI_VPMU_RECENT];
	struct papi_vpmu_large *dtlb = models->dtlb.large;
	uint32_t number;

	if (recent->page == page)
		return recent->node->line == recent->frame ? recent->node : NULL;
	number = *papi_vpmu_large_node_of(dtlb, (uint32_t)papi_vpmu_frames_find(&models->frames, page));
	return number ? &dtlb->nodes[number - 1] : NULL;
}

void papi_vpmu_checks_note_use(const struct papi_vpmu_models *models, uint64_t place)
{
	uint64_t address = models->alone.lines[place] << models->alone.shift;
	struct papi_vpmu_large_node *node = address ? node_of(models, address >> PAPI_VPMU_PAGE_SHIFT) : NULL;

	if (!node)
		return;
	papi_vpmu_large_note(node, models->checked.checks->uses[1 + place]);
	/* Of smaller lines others may be there. */
	if (models->alone.shift >= 6)
		*held_by(models, node) &= ~((uint64_t)1 << (address >> 6 & 63));
}

void papi_vpmu_checks_enter_pages(struct papi_vpmu_models *models)
{
	struct papi_vpmu_checked *checked = &models->checked;

	checked->watch = (struct papi_vpmu_large_watch){ look, leave, models };
	models->dtlb.large->watch = &checked->watch;
}

void papi_vpmu_checks_leave_pages(struct papi_vpmu_models *models)
{
	struct papi_vpmu_large *dtlb = models->dtlb.large;

	papi_vpmu_large_unwatch(dtlb, models->checked.checks->now);
	for (uint32_t node = 0; node < dtlb->sets * dtlb->ways; node++)
		models->checked.held[node] = 0;
}
