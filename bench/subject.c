/* SPDX-License-Identifier: BSD-3-Clause */
/* Event sets and raw groups of the same events, made ready for a case and unmade after it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "papi.h"

void bench_expect(const struct bench_api *api, int status, const char *function)
{
	if (status >= 0)
		return;
	if (!api)
		bench_die("%s failed: %s", function, strerror(errno));
	else
		bench_die("%s of %s failed: %s", function, api == &bench_ours ? "this library" : "the peer",
			bench_api_reason(api, status));
}

static bool refused(const struct bench_api *api, int status, const char *what, char *why, size_t size)
{
	snprintf(why, size, "%s%s: %s", api == &bench_ours ? "" : "the peer refuses ", what,
		bench_api_reason(api, status));
	return false;
}

static bool find_codes(struct bench_subject *subject, char *why, size_t size)
{
	for (int i = 0; i < BENCH_ADDED; i++) {
		const struct bench_event *event = &bench_events[i];
		int status = subject->api->event_name_to_code(event->name, &subject->codes[i]);

		subject->names[i] = event->name;
		if (status == PAPI_OK)
			continue;
		subject->names[i] = event->kernel_name;
		if (subject->api->event_name_to_code(event->kernel_name, &subject->codes[i]) != PAPI_OK)
			return refused(subject->api, status, event->name, why, size);
	}
	return true;
}

static bool make_set(struct bench_subject *subject, int *set, int n, char *why, size_t size)
{
	const struct bench_api *api = subject->api;

	*set = PAPI_NULL;
	bench_expect(api, api->create_eventset(set), "PAPI_create_eventset");
	for (int i = 0; i < n; i++) {
		int status = api->add_event(*set, subject->codes[i]);

		if (status != PAPI_OK)
			return refused(api, status, bench_events[i].name, why, size);
	}
	return true;
}

static bool make_group(struct bench_raw *raw, char *why, size_t size)
{
	if (bench_raw_open(raw, bench_events, BENCH_EVENTS, 0))
		return true;
	snprintf(why, size, "perf_event_open: %s", strerror(errno));
	return false;
}

bool bench_subject_open(
	struct bench_subject *subject, const struct bench_api *api, enum bench_needs needs, char *why, size_t size)
{
	bool open;

	memset(subject, 0, sizeof(*subject));
	subject->api = api;
	subject->needs = needs;
	subject->set = subject->other = subject->empty = PAPI_NULL;
	open = !(needs & BENCH_CODES) || find_codes(subject, why, size);
	if (open && (needs & BENCH_SETS) == BENCH_SETS)
		open = make_set(subject, &subject->set, BENCH_EVENTS, why, size) &&
			make_set(subject, &subject->empty, 0, why, size) && make_group(&subject->raw, why, size);
	if (open && (needs & BENCH_TWO) == BENCH_TWO)
		open = make_set(subject, &subject->other, BENCH_EVENTS, why, size) &&
			make_group(&subject->raw_other, why, size);
	if (open && (needs & BENCH_RUNNING) == BENCH_RUNNING) {
		bench_expect(api, api->start(subject->set), "PAPI_start");
		bench_expect(NULL, bench_raw_enable(&subject->raw), "PERF_EVENT_IOC_ENABLE");
	}
	if (!open) {
		subject->needs = BENCH_NOTHING;
		bench_subject_close(subject);
	}
	return open;
}

static void drop_set(const struct bench_api *api, int *set)
{
	if (*set == PAPI_NULL)
		return;
	bench_expect(api, api->cleanup_eventset(*set), "PAPI_cleanup_eventset");
	bench_expect(api, api->destroy_eventset(set), "PAPI_destroy_eventset");
}

void bench_subject_close(struct bench_subject *subject)
{
	const struct bench_api *api = subject->api;

	if ((subject->needs & BENCH_RUNNING) == BENCH_RUNNING) {
		bench_expect(api, api->stop(subject->set, subject->values), "PAPI_stop");
		/* The first event is time, which has passed: a set that was read a million times in vain shows here. */
		if (subject->values[0] <= 0)
			bench_die("the event set has counted nothing");
	}
	drop_set(api, &subject->set);
	drop_set(api, &subject->other);
	drop_set(api, &subject->empty);
	bench_raw_close(&subject->raw);
	bench_raw_close(&subject->raw_other);
}
