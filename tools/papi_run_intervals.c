/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_intervals.c - counts of each interval of a run (-I), while it runs.
 *
 * At each tick all counters are read, and what they have more than at the tick before is told. The last interval ends
 * with the run and gets the total less all that has been told: so the intervals of an event add up to its count. An
 * interval that was late is longer, and the next tick is where it would have been.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papi_run.h"

#define NS_PER_MS 1000000LL

static struct {
	long long period_ns; /* 0: none are wanted */
	long long started, begin, next;
	struct run_reading *before, *now;
	struct run_intervals_out out;
} intervals;

void papi_run_intervals_prepare(const struct run_list *list, int period_ms, enum run_format format, int descriptor)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_rate && !list->events[i].error)
			papi_tool_usage_error(&papi_run_tool,
				"-I: %s is a rate over the whole time, which intervals do not add up to: count what it "
				"is made of (papi_decode %s)",
				list->events[i].name, list->events[i].name);
	intervals.period_ns = period_ms * NS_PER_MS;
	intervals.before = papi_run_allocate(NULL, list->number + 1, sizeof(*intervals.before));
	intervals.now = papi_run_allocate(NULL, list->number + 1, sizeof(*intervals.now));
	memset(intervals.before, 0, (list->number + 1) * sizeof(*intervals.before));
	intervals.out = (struct run_intervals_out){ .format = format, .descriptor = descriptor };
}

bool papi_run_intervals_wanted(void)
{
	return intervals.period_ns > 0;
}

void papi_run_intervals_begin(const struct run_list *list, long long started)
{
	if (!papi_run_intervals_wanted())
		return;
	intervals.started = intervals.begin = started;
	intervals.next = started + intervals.period_ns;
	papi_run_intervals_write_head(&intervals.out, list);
}

long long papi_run_intervals_wait(void)
{
	return papi_run_intervals_wanted() ? papi_run_until(intervals.next) : -1;
}

/* Tells what has come since the tick before. */
static void tell(const struct run_list *list, const struct run_result *result, long long end)
{
	struct run_slice slice = { .begin_ns = intervals.begin - intervals.started,
		.end_ns = end - intervals.started,
		.counts = papi_run_allocate(NULL, list->number + 1, sizeof(*slice.counts)) };
	struct run_reading *swapped = intervals.before;

	for (size_t i = 0; i < list->number; i++) {
		const struct run_reading *before = &intervals.before[i], *now = &intervals.now[i];

		slice.counts[i] = (struct run_reading){ .count = now->count - before->count,
			.enabled_ns = now->enabled_ns - before->enabled_ns,
			.running_ns = now->running_ns - before->running_ns };
	}
	papi_run_intervals_write(&intervals.out, list, result, &slice);
	intervals.before = intervals.now;
	intervals.now = swapped;
	intervals.begin = end;
	free(slice.counts);
}

void papi_run_intervals_tick(
	const struct run_list *list, const struct run_result *result, struct run_counters *counters, size_t number)
{
	long long now = papi_run_now();

	if (!papi_run_intervals_wanted() || now < intervals.next)
		return;
	memset(intervals.now, 0, list->number * sizeof(*intervals.now));
	for (size_t i = 0; i < number; i++)
		papi_run_counters_read(&counters[i], list, intervals.now);
	papi_run_apart_read(intervals.now);
	papi_run_virtual_read(list, now - intervals.started, intervals.now);
	tell(list, result, now);
	intervals.next += (papi_run_now() - intervals.next) / intervals.period_ns * intervals.period_ns +
		intervals.period_ns;
}

int papi_run_intervals_end(const struct run_list *list, const struct run_result *result)
{
	if (!papi_run_intervals_wanted())
		return 0;
	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];

		intervals.now[i] = (struct run_reading){ .count = event->counts ? event->counts[0] : 0,
			.enabled_ns = event->enabled_ns,
			.running_ns = event->running_ns };
	}
	if (result->runs)
		tell(list, result, intervals.started + result->elapsed_ns[0]);
	free(intervals.before);
	free(intervals.now);
	intervals.before = intervals.now = NULL;
	return intervals.out.error;
}
