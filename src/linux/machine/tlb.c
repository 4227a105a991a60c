/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>

#include "linux/machine/hardware_parts.h"

void papi_hierarchy_add_tlb(PAPI_mh_info_t *hierarchy, int level, int type, int entries, long page_size, int ways)
{
	if (level < 1 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS || entries <= 0 || page_size > INT_MAX)
		return;
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		PAPI_mh_tlb_info_t *place = &hierarchy->level[level - 1].tlb[i];

		if (place->type == PAPI_MH_TYPE_EMPTY) {
			place->type = type;
			place->num_entries = entries;
			place->page_size = (int)page_size;
			place->associativity = ways;
			if (level > hierarchy->levels)
				hierarchy->levels = level;
			return;
		}
	}
}

/* Each looks for leaves that only its vendor has; no file of Linux describes the TLBs of any architecture. */
void papi_tlb_fill(PAPI_mh_info_t *hierarchy)
{
	if (!papi_tlb_amd_fill(hierarchy))
		papi_tlb_intel_fill(hierarchy);
}
