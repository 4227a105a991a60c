/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_overflow, PAPI_get_overflow_event_index. */
#include "core/overflow.h"

#include "api/api.h"

static int arm(struct papi_eventset *set, int code, int threshold, int flags, PAPI_overflow_handler_t handler)
{
	if (threshold == 0)
		return papi_overflow_disarm(set, code, false);
	if (!handler && threshold > 0 && !set->running)
		return papi_null_argument("PAPI_overflow", "handler");
	return papi_overflow_arm(set, code, threshold, flags, handler, NULL);
}

int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags, PAPI_overflow_handler_t handler)
{
	struct papi_slot *slot;
	int status = papi_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		status = arm(slot->set, EventCode, threshold, flags, handler);
		papi_leave(slot);
	}
	return papi_result(status);
}

/* Bit k of the vector is event k of the set. */
static int decompose(const struct papi_eventset *set, long long vector, int *array, int *number)
{
	int most = *number, found = 0;

	if (!set->n_events)
		return papi_error_in_handler(PAPI_EINVAL, "the EventSet is empty: nothing in it can have overflowed");
	for (unsigned i = 0; i < set->n_events && i < 64; i++) {
		if (!((unsigned long long)vector >> i & 1))
			continue;
		if (found < most)
			array[found] = (int)i;
		found++;
	}
	if (!found)
		return papi_error_in_handler(PAPI_EINVAL, "no event of the EventSet is in the overflow vector");
	*number = found < most ? found : most;
	return PAPI_OK;
}

int PAPI_get_overflow_event_index(int EventSet, long long overflow_vector, int *array, int *number)
{
	struct papi_slot *slot;
	int status;

	/* What overflow handlers call says what is wrong in words that need no formatting. */
	if (!array || !number || *number < 1)
		return papi_result(papi_error_in_handler(PAPI_EINVAL,
			"PAPI_get_overflow_event_index needs an array and, in "
			"*number, its length, which is at least 1"));
	if (!overflow_vector)
		return papi_result(
			papi_error_in_handler(PAPI_EINVAL, "the overflow vector is 0: no event has overflowed"));
	status = papi_handle_enter(EventSet, &slot);
	if (status == PAPI_OK) {
		status = decompose(slot->set, overflow_vector, array, number);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

int PAPI_get_overflow_counts(int EventSet, int EventCode, long long *delivered, long long *lost)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		status = papi_overflow_counts(slot->set, EventCode, delivered, lost);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}
