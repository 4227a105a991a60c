/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_DATA_ADDRESS and PAPI_INSTR_ADDRESS of PAPI_set_opt and PAPI_get_opt. */
#include <stdint.h>

#include "api/api.h"
#include "api/options.h"

static int check(const PAPI_addr_range_option_t *wanted)
{
	uintptr_t start = (uintptr_t)wanted->start, end = (uintptr_t)wanted->end;

	if ((start || end) && start >= end)
		return papi_error(PAPI_EINVAL,
			"a range of addresses ends behind its start: 0x%lx is not above 0x%lx; null pointers "
			"end the restriction",
			(unsigned long)end, (unsigned long)start);
	return PAPI_OK;
}

static int restrict_set(struct papi_eventset *set, PAPI_addr_range_option_t *wanted, bool data)
{
	struct papi_range range = { .start = (uintptr_t)wanted->start, .end = (uintptr_t)wanted->end };
	struct papi_options options = set->options;
	int status = check(wanted);

	*(data ? &options.data : &options.instructions) = range;
	if (status == PAPI_OK)
		status = papi_option_apply(set, &options);
	if (status == PAPI_OK)
		papi_eventset_range_offsets(set, data, &wanted->start_off, &wanted->end_off);
	return status;
}

int papi_option_set_range(PAPI_addr_range_option_t *wanted, bool data)
{
	struct papi_slot *slot;
	int status = papi_enter(wanted->eventset, &slot);

	if (status == PAPI_OK) {
		status = restrict_set(slot->set, wanted, data);
		papi_leave(slot);
	}
	return status;
}

int papi_option_get_range(PAPI_addr_range_option_t *found, bool data)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(found->eventset, &slot);

	if (status == PAPI_OK) {
		const struct papi_range *range = data ? &slot->set->options.data : &slot->set->options.instructions;

		found->start = (vptr_t)range->start;
		found->end = (vptr_t)range->end;
		papi_eventset_range_offsets(slot->set, data, &found->start_off, &found->end_off);
		papi_handle_leave(slot);
	}
	return status;
}
