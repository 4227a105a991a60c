/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_num_counters, PAPI_start_counters, PAPI_stop_counters, PAPI_read_counters, PAPI_accum_counters; and
 * the life of a measurement, which rates.c shares.
 */
#include "api/highlevel.h"

#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "linux/time/clock.h"

const char *papi_measurement_name(enum papi_measurement_kind kind)
{
	static const char *const names[] = {
		[PAPI_MEASURE_COUNTERS] = "PAPI_start_counters",
		[PAPI_MEASURE_FLIPS] = "PAPI_flips",
		[PAPI_MEASURE_FLOPS] = "PAPI_flops",
		[PAPI_MEASURE_IPC] = "PAPI_ipc",
		[PAPI_MEASURE_FLIPS_RATE] = "PAPI_flips_rate",
		[PAPI_MEASURE_FLOPS_RATE] = "PAPI_flops_rate",
		[PAPI_MEASURE_EPC] = "PAPI_epc",
	};

	return names[kind];
}

static void discard(int EventSet)
{
	struct papi_slot *slot;

	if (papi_enter(EventSet, &slot) == PAPI_OK) {
		struct papi_eventset *set = slot->set;

		papi_handle_destroy(slot);
		papi_eventset_free(set);
		papi_library_leave();
	}
}

/* Within PAPI_shutdown() the EventSet is gone already, and the library lock would never come. */
static void release(void *block)
{
	struct papi_measurement *measurement = block;

	if (papi_library_ready())
		discard(measurement->EventSet);
	free(measurement);
}

void papi_measurement_end(struct papi_measurement *measurement)
{
	/* First this, so that a fork from now on finds nothing half freed. */
	papi_thread_set_high_level(NULL, NULL);
	release(measurement);
}

int papi_measurement_enter(struct papi_measurement **found, struct papi_slot **slot)
{
	struct papi_measurement *measurement = papi_thread_get_high_level();
	int status = PAPI_ENOEVST;

	*found = measurement;
	if (!measurement)
		return PAPI_ENOTRUN;
	if (measurement->thread == papi_thread_number())
		status = papi_handle_enter(measurement->EventSet, slot);
	if (status == PAPI_OK || status == PAPI_ECNFLCT)
		return status;
	papi_measurement_end(measurement);
	return PAPI_ENOTRUN;
}

/* Nobody else sees the set until it has its handle. */
static int make_set(const int events[], unsigned n, int *EventSet)
{
	struct papi_eventset *set;
	int status = papi_library_enter();

	if (status != PAPI_OK)
		return status;
	set = papi_eventset_create();
	status = set ? PAPI_OK : PAPI_ENOMEM;
	for (unsigned i = 0; status == PAPI_OK && i < n; i++)
		status = papi_eventset_add(set, events[i]);
	if (status == PAPI_OK)
		status = papi_handle_create(set, EventSet);
	if (set && status != PAPI_OK)
		papi_eventset_free(set);
	papi_library_leave();
	return status;
}

static int start(struct papi_measurement *measurement)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(measurement->EventSet, &slot);

	if (status != PAPI_OK)
		return status;
	measurement->real_start = papi_clock_real_ns();
	measurement->cpu_start = papi_clock_virtual_ns();
	status = papi_count_start(slot->set, NULL);
	papi_handle_leave(slot);
	return status;
}

int papi_measurement_begin(enum papi_measurement_kind kind, int event, const int events[], unsigned n)
{
	struct papi_measurement *measurement;
	int status = papi_library_initialise(PAPI_VER_CURRENT);

	if (status < 0)
		return status;
	papi_library_set_high_level();
	measurement = calloc(1, sizeof(*measurement) + n * sizeof(measurement->scratch[0]));
	if (!measurement)
		return papi_error(PAPI_ENOMEM, "no memory for a measurement of %u events", n);
	*measurement = (struct papi_measurement){ .kind = kind, .event = event, .thread = papi_thread_number() };
	status = make_set(events, n, &measurement->EventSet);
	if (status != PAPI_OK) {
		free(measurement);
		return status;
	}
	status = papi_thread_set_high_level(measurement, release);
	if (status != PAPI_OK) {
		release(measurement);
		return status;
	}
	status = start(measurement);
	if (status != PAPI_OK)
		papi_measurement_end(measurement);
	return status;
}

int PAPI_num_counters(void)
{
	int status = papi_library_initialise(PAPI_VER_CURRENT);

	if (status < 0)
		return papi_result(status);
	papi_library_set_high_level();
	return PAPI_num_hwctrs();
}

static int start_counters(const int events[], int array_len)
{
	struct papi_measurement *running;
	struct papi_slot *slot;
	int status;

	if (!events)
		return papi_null_argument("PAPI_start_counters", "events");
	if (array_len <= 0)
		return papi_error(PAPI_EINVAL,
			"PAPI_start_counters: an array of at least one event code is needed, and "
			"array_len is %d",
			array_len);
	status = papi_measurement_enter(&running, &slot);
	if (status == PAPI_ENOTRUN)
		return papi_measurement_begin(PAPI_MEASURE_COUNTERS, PAPI_NULL, events, (unsigned)array_len);
	if (status != PAPI_OK)
		return status;
	papi_handle_leave(slot);
	return papi_error(PAPI_EISRUN,
		"what %s has started is running in this thread: call PAPI_stop_counters before "
		"PAPI_start_counters",
		papi_measurement_name(running->kind));
}

int PAPI_start_counters(int *events, int array_len)
{
	return papi_result(start_counters(events, array_len));
}

static int not_running(const char *function)
{
	return papi_error(PAPI_ENOTRUN,
		"%s: no counters are running in this thread: call PAPI_start_counters first, also "
		"after PAPI_shutdown and in the child of a fork",
		function);
}

/* One value per event; more room is all right. */
static int check_room(const char *function, int array_len, unsigned n_events)
{
	if (array_len >= 0 && (unsigned)array_len >= n_events)
		return PAPI_OK;
	return papi_error(PAPI_EINVAL, "%s: %u events are counted, and array_len is %d", function, n_events, array_len);
}

/* Inside the EventSet of PAPI_start_counters(), with room for its values. */
static int enter_counters(const char *function, const long long values[], int array_len,
	struct papi_measurement **running, struct papi_slot **slot)
{
	int status;

	if (!values)
		return papi_null_argument(function, "values");
	status = papi_measurement_enter(running, slot);
	if (status != PAPI_OK)
		return status == PAPI_ENOTRUN ? not_running(function) : status;
	status = check_room(function, array_len, (*slot)->set->n_events);
	if ((*running)->kind != PAPI_MEASURE_COUNTERS)
		status = papi_error(PAPI_EINVAL,
			"%s: the counters of this thread were started by %s, and reading them "
			"would spoil its rates: PAPI_stop_counters or PAPI_rate_stop ends it",
			function, papi_measurement_name((*running)->kind));
	if (status != PAPI_OK)
		papi_handle_leave(*slot);
	return status;
}

static int read_counters(long long values[], int array_len)
{
	struct papi_measurement *running = NULL;
	struct papi_slot *slot = NULL;
	int status = enter_counters("PAPI_read_counters", values, array_len, &running, &slot);
	size_t size;

	if (status != PAPI_OK)
		return status;
	/* To read and to reset in one step is to accumulate onto zeros; not onto values, which an error must not
	 * change. */
	size = slot->set->n_events * sizeof(values[0]);
	memset(running->scratch, 0, size);
	status = papi_count_accum(slot->set, running->scratch);
	if (status == PAPI_OK)
		memcpy(values, running->scratch, size);
	papi_handle_leave(slot);
	return status;
}

int PAPI_read_counters(long long *values, int array_len)
{
	return papi_result(read_counters(values, array_len));
}

static int accum_counters(long long values[], int array_len)
{
	struct papi_measurement *running = NULL;
	struct papi_slot *slot = NULL;
	int status = enter_counters("PAPI_accum_counters", values, array_len, &running, &slot);

	if (status != PAPI_OK)
		return status;
	status = papi_count_accum(slot->set, values);
	papi_handle_leave(slot);
	return status;
}

int PAPI_accum_counters(long long *values, int array_len)
{
	return papi_result(accum_counters(values, array_len));
}

/* The program chose the events of PAPI_start_counters() and wants them all; those of a rate it need not know. */
static int check_stop(
	const struct papi_measurement *running, const long long values[], int array_len, unsigned n_events)
{
	if (running->kind == PAPI_MEASURE_COUNTERS)
		return values ? check_room("PAPI_stop_counters", array_len, n_events)
			      : papi_null_argument("PAPI_stop_counters", "values");
	if (array_len < 0 || (!values && array_len))
		return papi_error(PAPI_EINVAL, "PAPI_stop_counters: values is %sa null pointer, and array_len is %d",
			values ? "not " : "", array_len);
	return PAPI_OK;
}

static int stop_counters(long long values[], int array_len)
{
	struct papi_measurement *running;
	struct papi_slot *slot;
	unsigned n_events;
	int status = papi_measurement_enter(&running, &slot);

	if (status != PAPI_OK)
		return status == PAPI_ENOTRUN ? not_running("PAPI_stop_counters") : status;
	n_events = slot->set->n_events;
	status = check_stop(running, values, array_len, n_events);
	if (status != PAPI_OK) {
		papi_handle_leave(slot);
		return status;
	}
	status = papi_count_stop_and_leave(slot, running->scratch);
	if (status == PAPI_OK && values)
		memcpy(values, running->scratch,
			((unsigned)array_len < n_events ? (unsigned)array_len : n_events) * sizeof(values[0]));
	/* Whatever the counters said, they are stopped. */
	papi_measurement_end(running);
	return status;
}

int PAPI_stop_counters(long long *values, int array_len)
{
	return papi_result(stop_counters(values, array_len));
}
