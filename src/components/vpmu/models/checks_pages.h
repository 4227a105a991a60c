/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TLB of data where translated code looks by itself whether lines hit (checks.h). It notes no uses of pages: a page
 * is as new as the newest of its lines, or as it was when that left L1D. And it looks up no page: one that leaves the
 * TLB takes the slots of its lines along, so that whoever comes to one of these asks here.
 *
 *	uses   [ line ] [ line ] [ line ] ...     by translated code
 *	          \        |
 *	           page: held, a bit for each 64 bytes that may be of use; and in the TLB's node what was before
 */
#ifndef PAPI_VPMU_MODELS_CHECKS_PAGES_H
#define PAPI_VPMU_MODELS_CHECKS_PAGES_H

#include "components/vpmu/models/data.h"

/* Bytes that it needs beside that TLB, zeros at first. */
size_t papi_vpmu_checks_pages_size(const struct papi_vpmu_shape *dtlb);

/* The DTLB is simulated so from now on, until then. */
void papi_vpmu_checks_enter_pages(struct papi_vpmu_models *models);
void papi_vpmu_checks_leave_pages(struct papi_vpmu_models *models);

static inline bool papi_vpmu_checks_have_pages(const struct papi_vpmu_models *models)
{
	return models->dtlb.large->watch != NULL;
}

/* A line is about to leave that place of L1D. */
void papi_vpmu_checks_note_use(const struct papi_vpmu_models *models, uint64_t place);

/* A settled address is about to be used. Returns it with the number of its page, where pages are simulated. */
static inline uint64_t papi_vpmu_checks_use_page(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, unsigned kind)
{
	const struct papi_vpmu_recent *recent = papi_vpmu_recent(models, address);
	uint64_t placed;

	if (!papi_vpmu_checks_have_pages(models))
		return address;
	placed = papi_vpmu_place(models, counters, address, kind);
	models->checked.held[recent->node - models->dtlb.large->nodes] |= (uint64_t)1 << (address >> 6 & 63);
	return placed;
}

#endif
