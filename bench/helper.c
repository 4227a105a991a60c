/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done in a process of its own: this program runs itself with --helper.
 *
 *	init                     first PAPI_library_init: nanoseconds
 *	first-count              from there to the first event set that counts: nanoseconds
 *	memory                   bytes of event sets (memory.c)
 *	trace init               \ for the tracing parent: an operation, then its baseline
 *	trace CASE               /
 *	instructions CASE TIMES  the operation of a case, for valgrind; "kernel:CASE" is its baseline, "nothing" neither
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "papi.h"

static struct bench_subject subject;

static void open_subject(const struct bench_api *api, enum bench_needs needs)
{
	char why[256];

	if (!bench_subject_open(&subject, api, needs, why, sizeof(why)))
		bench_die("%s", why);
}

void bench_initialize(const struct bench_api *api)
{
	int version = api->library_init(PAPI_VER_CURRENT);

	if (version != PAPI_VER_CURRENT)
		bench_die("PAPI_library_init: %s", bench_api_reason(api, version));
}

static int time_init(const struct bench_api *api)
{
	double begin = bench_now(), end;

	bench_initialize(api);
	end = bench_now();
	printf("%.0f\n", end - begin);
	return EXIT_SUCCESS;
}

static int time_first_count(const struct bench_api *api)
{
	double begin = bench_now(), end;
	int set = PAPI_NULL, status;

	bench_initialize(api);
	status = api->create_eventset(&set);
	for (int i = 0; i < BENCH_EVENTS && status == PAPI_OK; i++) {
		int code;

		status = api->event_name_to_code(bench_events[i].name, &code);
		if (status == PAPI_OK)
			status = api->add_event(set, code);
	}
	if (status == PAPI_OK)
		status = api->start(set);
	end = bench_now();
	bench_expect(api, status, "counting for the first time");
	printf("%.0f\n", end - begin);
	return EXIT_SUCCESS;
}

static int trace_init(const struct bench_api *api)
{
	bench_trace_begin();
	bench_trace_mark();
	api->library_init(PAPI_VER_CURRENT);
	bench_trace_mark();
	bench_trace_mark();
	return EXIT_SUCCESS;
}

static int trace_case(const struct bench_api *api, const struct bench_case *one)
{
	bench_initialize(api);
	open_subject(api, one->needs);
	/* What is done once only, such as growing the heap, is done now. */
	one->operation(&subject, 2);
	one->baseline(&subject, 2);
	bench_trace_begin();
	bench_trace_mark();
	one->operation(&subject, 1);
	bench_trace_mark();
	one->baseline(&subject, 1);
	bench_trace_mark();
	bench_subject_close(&subject);
	return EXIT_SUCCESS;
}

static double do_nothing(struct bench_subject *unused, size_t times)
{
	double begin = bench_now();

	(void)unused;
	(void)times;
	return bench_now() - begin;
}

/* valgrind counts what happens in this function only. */
static __attribute__((noinline)) double bench_instructions_call(bench_operation operation)
{
	return operation(&subject, 1);
}

static int repeat(const struct bench_api *api, const char *name, const char *count)
{
	static const char prefix[] = "kernel:";
	bool kernel = !strncmp(name, prefix, sizeof(prefix) - 1);
	const struct bench_case *one = bench_find_case(kernel ? name + sizeof(prefix) - 1 : name);
	bench_operation operation = do_nothing;
	long times = strtol(count, NULL, 10);
	double sum = 0;

	if (!one && strcmp(name, "nothing") != 0)
		bench_die("there is no case %s", name);
	bench_initialize(api);
	if (one) {
		operation = kernel ? one->baseline : one->operation;
		open_subject(api, one->needs);
		operation(&subject, 2);
	}
	for (long i = 0; i < times; i++)
		sum += bench_instructions_call(operation);
	if (one)
		bench_subject_close(&subject);
	return sum > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int bench_helper(int argc, char **argv, const char *peer_directory)
{
	const struct bench_api *api = &bench_ours;
	const char *mode = argc ? argv[0] : "";
	const struct bench_case *one;
	char why[256];

	if (peer_directory)
		api = bench_api_load(peer_directory, why, sizeof(why));
	if (!api)
		bench_die("%s", why);
	if (!strcmp(mode, "init"))
		return time_init(api);
	if (!strcmp(mode, "first-count"))
		return time_first_count(api);
	if (!strcmp(mode, "memory"))
		return bench_memory_helper(api);
	if (!strcmp(mode, "trace") && argc == 2 && !strcmp(argv[1], "init"))
		return trace_init(api);
	if (!strcmp(mode, "trace") && argc == 2 && (one = bench_find_case(argv[1])))
		return trace_case(api, one);
	if (!strcmp(mode, "instructions") && argc == 3)
		return repeat(api, argv[1], argv[2]);
	bench_die("there is no helper %s", mode);
}
