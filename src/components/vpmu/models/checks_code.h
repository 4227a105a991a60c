/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * L1I and the TLB of code where translated code looks by itself whether its lines hit (checks.h). Lines and pages of
 * code have numbers that are known when it is translated: so a line has one slot, where its number is while it hits,
 * and where its last use is noted; and a page a place for its last use.
 *
 *	line -- its slot has its number? -- yes -- use = now; behind the last line of a page: the page's use = now
 *	               | no
 *	        papi_vpmu_checks_fetch()
 *
 * Lines whose lowest bits are the same have one slot, and whichever was fetched last has it; likewise pages. The lines
 * of a page have slots only while the page has its place. So that a line hits is a line in L1I and a page in the ITLB
 * at once, lines are hidden when their page leaves that, and are there again when it comes back: a page knows which
 * they are, and there are as few as L1I holds.
 */
#ifndef PAPI_VPMU_MODELS_CHECKS_CODE_H
#define PAPI_VPMU_MODELS_CHECKS_CODE_H

#include "components/vpmu/models/models.h"

/* Bytes that it needs, zeros at first; and one made of them. */
size_t papi_vpmu_checks_code_size(const struct papi_vpmu_geometry *geometry);
void papi_vpmu_checks_code_init(
	struct papi_vpmu_checked_code *code, const struct papi_vpmu_geometry *geometry, void *zeroed);

/* L1I and the ITLB are simulated so from now on, until then. */
void papi_vpmu_checks_enter_code(struct papi_vpmu_models *models);
void papi_vpmu_checks_leave_code(struct papi_vpmu_models *models);

static inline bool papi_vpmu_checks_have_code(const struct papi_vpmu_models *models)
{
	return models->itlb.large->watch != NULL;
}

#endif
