/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/machine/hardware.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/files.h"
#include "linux/machine/hardware_parts.h"
#include "linux/time/clock.h"
#include "linux/time/frequency.h"

static _Atomic(PAPI_hw_info_t *) record;

static void fill_frequencies(PAPI_hw_info_t *info)
{
	struct papi_frequencies range;

	papi_frequency_find(&range);
	info->cpu_max_mhz = (int)(range.max + 0.5);
	info->cpu_min_mhz = (int)(range.min + 0.5);
	info->mhz = (float)range.max;
	/* A recorded machine's counter cannot be read; it would tick near this frequency. See clock.h for 1 GHz. */
	info->clock_mhz = info->cpu_max_mhz > 0 ? info->cpu_max_mhz : 1000;
	if (papi_linux_is_live() && papi_clock_has_counter())
		info->clock_mhz = (int)((papi_clock_rate() + 500000) / 1000000);
}

static void describe(PAPI_hw_info_t *info)
{
	papi_topology_fill(info);
	papi_identity_fill(info);
	fill_frequencies(info);
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
