/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_start, PAPI_stop, PAPI_read, PAPI_accum, PAPI_reset, PAPI_write. */
#include "api/api.h"

#include "core/direct.h"
#include "core/overflow.h"
#include "linux/time/clock.h"

/*
 * Start, stop and read each look first whether another way than the full one is open (core/way.h). The full way, and
 * what else is seldom needed, stands in functions of their own: so the direct way needs no room on the stack.
 */
#define NOT_INLINE __attribute__((noinline))

/* Inside the set and knowing that it is there, or outside with the reason why not. */
static int enter(int EventSet, struct papi_slot *slot, bool claimed)
{
	return claimed ? papi_handle_check(EventSet, slot) : papi_handle_enter(EventSet, &slot);
}

/* The thread's number; 0: it has none yet. Compilers are kept from widening it more than once. */
static inline uint64_t self_or_0(void)
{
	uint64_t self = papi_thread_self;

	__asm__("" : "+r"(self));
	return self;
}

static NOT_INLINE int start_full(int EventSet, struct papi_slot *slot, bool claimed)
{
	int status = enter(EventSet, slot, claimed);

	if (__builtin_expect(status == PAPI_OK, 1)) {
		papi_way_close(slot);
		status = papi_count_start(slot->set, __builtin_frame_address(0));
		if (status == PAPI_OK)
			papi_way_open(slot);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

static NOT_INLINE int start_short(int EventSet, struct papi_slot *slot)
{
	int status;

	/* Another set of the thread may be kept on the counters. */
	if (__builtin_expect(papi_way_kept, 0))
		return start_full(EventSet, slot, true);
	status = papi_count_start_short(slot->set);
	if (__builtin_expect(status == PAPI_OK, 1))
		papi_way_starts(slot, slot->open.stopped);
	papi_handle_leave(slot);
	return papi_result(status);
}

int PAPI_start(int EventSet)
{
	struct papi_slot *slot = papi_handle_slot(EventSet);
	uint64_t self = self_or_0();

	if (__builtin_expect(!papi_handle_claim(slot, (uint32_t)self), 0))
		return start_full(EventSet, slot, false);
	switch (papi_way_stopped(slot, papi_way_key(self, EventSet))) {
	case PAPI_WAY_SHORT:
		return start_short(EventSet, slot);
	case PAPI_WAY_DIRECT:
		if (!papi_direct_start(papi_direct_of(slot->open.direct)))
			break;
		slot->set->running = true;
		papi_way_starts(slot, papi_way_key(self, EventSet));
		papi_handle_leave(slot);
		return PAPI_OK;
	case PAPI_WAY_FULL:
		break;
	}
	return start_full(EventSet, slot, true);
}

static NOT_INLINE int stop_full(int EventSet, long long *values, struct papi_slot *slot, bool claimed)
{
	int status = enter(EventSet, slot, claimed);

	if (__builtin_expect(status == PAPI_OK, 1)) {
		papi_way_close(slot);
		status = papi_count_stop_and_leave(slot, values);
	}
	return papi_result(status);
}

static NOT_INLINE int stop_short(struct papi_slot *slot, long long *values)
{
	int status = papi_count_stop_short(slot->set, values);

	if (__builtin_expect(status == PAPI_OK, 1))
		papi_way_stops(slot, slot->open.counting);
	else
		papi_way_close(slot);
	papi_handle_leave(slot);
	return papi_result(status);
}

int PAPI_stop(int EventSet, long long *values)
{
	struct papi_slot *slot = papi_handle_slot(EventSet);
	uint64_t self = self_or_0();

	if (__builtin_expect(!papi_handle_claim(slot, (uint32_t)self), 0))
		return stop_full(EventSet, values, slot, false);
	switch (papi_way_counting(slot, papi_way_key(self, EventSet))) {
	case PAPI_WAY_SHORT:
		return stop_short(slot, values);
	case PAPI_WAY_DIRECT:
		if (!papi_direct_stop(papi_direct_of(slot->open.direct), slot->set->counts, values))
			break;
		slot->set->running = false;
		papi_way_stops(slot, papi_way_key(self, EventSet));
		papi_handle_leave(slot);
		return PAPI_OK;
	case PAPI_WAY_FULL:
		break;
	}
	return stop_full(EventSet, values, slot, true);
}

static NOT_INLINE int read_full(int EventSet, long long *values, struct papi_slot *slot, bool claimed)
{
	int status = enter(EventSet, slot, claimed);

	if (__builtin_expect(status == PAPI_OK, 1)) {
		status = papi_count_read(slot->set, values);
		if (slot->set->running)
			papi_way_open(slot);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

static NOT_INLINE int no_values(void)
{
	return papi_result(papi_null_argument("PAPI_read", "values"));
}

static NOT_INLINE int read_short(struct papi_slot *slot, long long *values)
{
	const struct papi_part *part = &slot->set->parts[0];
	int status = part->component->read(part->control, values, false);

	papi_handle_leave(slot);
	return papi_result(status);
}

int PAPI_read(int EventSet, long long *values)
{
	struct papi_slot *slot = papi_handle_slot(EventSet);
	uint64_t self = self_or_0();

	if (__builtin_expect(!values, 0))
		return no_values();
	if (__builtin_expect(!papi_handle_claim(slot, (uint32_t)self), 0))
		return read_full(EventSet, values, slot, false);
	switch (papi_way_counting(slot, papi_way_key(self, EventSet))) {
	case PAPI_WAY_SHORT:
		return read_short(slot, values);
	case PAPI_WAY_DIRECT:
		if (!papi_direct_read(slot->open.direct, values))
			break;
		papi_handle_leave(slot);
		return PAPI_OK;
	case PAPI_WAY_FULL:
		break;
	}
	return read_full(EventSet, values, slot, true);
}

int PAPI_read_ts(int EventSet, long long *values, long long *cyc)
{
	int status;

	if (__builtin_expect(!cyc, 0))
		return papi_result(papi_null_argument("PAPI_read_ts", "cyc"));
	status = PAPI_read(EventSet, values);
	*cyc = papi_clock_real_cycles();
	return status;
}

int PAPI_accum(int EventSet, long long *values)
{
	struct papi_slot *slot;
	int status;

	if (__builtin_expect(!values, 0))
		return papi_result(papi_null_argument("PAPI_accum", "values"));
	status = papi_handle_enter(EventSet, &slot);
	if (__builtin_expect(status == PAPI_OK, 1)) {
		status = papi_count_accum(slot->set, values);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

int PAPI_reset(int EventSet)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (__builtin_expect(status == PAPI_OK, 1)) {
		status = papi_count_reset(slot->set);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

int PAPI_write(int EventSet, long long *values)
{
	struct papi_slot *slot;
	int status;

	if (!values)
		return papi_result(papi_null_argument("PAPI_write", "values"));
	status = papi_handle_enter(EventSet, &slot);
	if (status == PAPI_OK) {
		status = slot->set->n_events
			? papi_count_write(slot->set, values)
			: papi_error(PAPI_EINVAL, "the EventSet is empty: there is nothing to write");
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

int PAPI_get_event_times(int EventSet, long long *enabled, long long *running)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		status = papi_count_times(slot->set, enabled, running);
		papi_handle_leave(slot);
	}
	return papi_result(status);
}
