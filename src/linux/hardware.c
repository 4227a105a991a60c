/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/hardware.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/error.h"
#include "linux/hardware_parts.h"

static _Atomic(PAPI_hw_info_t *) record;

static void describe(PAPI_hw_info_t *info)
{
	papi_topology_fill(info);
	papi_identity_fill(info);
	papi_frequency_fill(info);
	papi_hypervisor_fill(info);
	papi_caches_fill(&info->mem_hierarchy);
	papi_tlb_fill(&info->mem_hierarchy);
}

const PAPI_hw_info_t *papi_hardware_get(void)
{
	PAPI_hw_info_t *known = atomic_load_explicit(&record, memory_order_acquire);
	PAPI_hw_info_t *mine;

	if (known)
		return known;
	mine = calloc(1, sizeof(*mine));
	if (!mine) {
		papi_error(PAPI_ENOMEM, "no memory for the description of the hardware (%zu bytes)", sizeof(*mine));
		return NULL;
	}
	describe(mine);
	/*
	 * Threads that come at the same time each make a record and the first one's stays. That costs a little work
	 * once, and there is no lock that a fork() could leave behind locked.
	 */
	if (atomic_compare_exchange_strong(&record, &known, mine))
		return mine;
	free(mine);
	return known;
}

void papi_hardware_reset(void)
{
	free(atomic_exchange(&record, NULL));
}
