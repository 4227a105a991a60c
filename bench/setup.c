/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes before counting costs: making event sets, adding events to them, finding events by name. */
#include <errno.h>
#include <string.h>

#include "bench.h"
#include "papi.h"

static int add_all(const struct bench_subject *subject)
{
	int status = 0;

	for (int i = 0; i < BENCH_ADDED; i++)
		status |= subject->api->add_event(subject->empty, subject->codes[i]);
	return status;
}

static int open_all(struct bench_raw *raw)
{
	return bench_raw_open(raw, bench_events, BENCH_ADDED, 0) ? 0 : -1;
}

/* Which half of filling and emptying is timed. */
enum part { FILLING = 1, EMPTYING = 2 };

static double fill_and_empty(struct bench_subject *subject, size_t times, unsigned parts)
{
	double spent = 0;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		double begin = bench_now(), middle, end;

		status |= add_all(subject);
		middle = bench_now();
		status |= subject->api->cleanup_eventset(subject->empty);
		end = bench_now();
		spent += (parts & FILLING ? middle - begin : 0) + (parts & EMPTYING ? end - middle : 0);
	}
	bench_expect(subject->api, status, "PAPI_add_event or PAPI_cleanup_eventset");
	return spent;
}

static double open_and_close(struct bench_subject *subject, size_t times, unsigned parts)
{
	/* The subject's own group must stay open beside it. */
	static struct bench_raw raw;
	double spent = 0;
	int status = 0;

	(void)subject;
	for (size_t i = 0; i < times; i++) {
		double begin = bench_now(), middle, end;

		status |= open_all(&raw);
		middle = bench_now();
		bench_raw_close(&raw);
		end = bench_now();
		spent += (parts & FILLING ? middle - begin : 0) + (parts & EMPTYING ? end - middle : 0);
	}
	bench_expect(NULL, status, "perf_event_open");
	return spent;
}

static double fill(struct bench_subject *subject, size_t times)
{
	return fill_and_empty(subject, times, FILLING);
}

static double open_group(struct bench_subject *subject, size_t times)
{
	return open_and_close(subject, times, FILLING);
}

static double empty(struct bench_subject *subject, size_t times)
{
	return fill_and_empty(subject, times, EMPTYING);
}

static double close_group(struct bench_subject *subject, size_t times)
{
	return open_and_close(subject, times, EMPTYING);
}

static double fill_then_empty(struct bench_subject *subject, size_t times)
{
	return fill_and_empty(subject, times, FILLING | EMPTYING);
}

static double open_then_close(struct bench_subject *subject, size_t times)
{
	return open_and_close(subject, times, FILLING | EMPTYING);
}

static double create_destroy(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		int set = PAPI_NULL;

		status |= subject->api->create_eventset(&set);
		status |= subject->api->destroy_eventset(&set);
	}
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_create_eventset or PAPI_destroy_eventset");
	return spent;
}

/* In turn all names, so that no branch predictor learns one of them by heart. */
static double name_to_code(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0, code;

	for (size_t i = 0; i < times; i++)
		status |= subject->api->event_name_to_code(subject->names[i % BENCH_EVENTS], &code);
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_event_name_to_code");
	return spent;
}

static double code_to_name(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++)
		status |= subject->api->event_code_to_name(subject->codes[i % BENCH_EVENTS], subject->name);
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_event_code_to_name");
	return spent;
}

const struct bench_case bench_setup_cases[] = {
	{ "add-8", "PAPI_add_event, 8 times", "perf_event_open, 8 times", fill, open_group, BENCH_SETS, .limit = 1.2 },
	{ "add-cleanup-8", "the same and PAPI_cleanup_eventset", "the same and close(2)", fill_then_empty,
		open_then_close, BENCH_SETS, .limit = 1.2 },
	{ "cleanup-8", "PAPI_cleanup_eventset alone", "close(2), 8 times", empty, close_group, BENCH_SETS, .limit = 0 },
	{ "name-to-code", "PAPI_event_name_to_code, seen", "clock_gettime", name_to_code, bench_unit, BENCH_CODES,
		.limit = 100, .absolute = true },
	{ "code-to-name", "PAPI_event_code_to_name", "clock_gettime", code_to_name, bench_unit, BENCH_CODES,
		.limit = 0 },
	{ "create-destroy", "PAPI_create_, destroy_eventset", "clock_gettime", create_destroy, bench_unit,
		BENCH_NOTHING, .limit = 0 },
	{ 0 },
};
