/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_multiplex_cost: what calls on multiplexed EventSets cost, by the number of events, in processor cycles. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "options.h"
#include "papi.h"
#include "statistics.h"
#include "terminal.h"

enum {
	MOST_EVENTS = 384,
	DEFAULT_MOST = 8,
	DEFAULT_ITERATIONS = 100000,
	DEFAULT_SECONDS = 5,
	WARM_UP = 100,
	FEWEST = 100,
	NAME = PAPI_HUGE_STR_LEN,
	COLUMN = 11,
};

static const struct papi_tool_option options[] = {
	{ 'm', "min", "NUM", "how many events to begin with (1 if not given)" },
	{ 'x', "max", "NUM", "how many events to end with (8 if not given)" },
	{ 's', "no-software", NULL, "leave out multiplexing by the library" },
	{ 'k', "no-kernel", NULL, "leave out multiplexing by the kernel" },
	{ 't', "threshold", "THRESHOLD",
		"how many iterations to measure (as many as 5 s allow in all if not given, at most 100000)" },
	{ 'd', "directory", "DIR", "where to put the .dat files (the current directory if not given)" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_multiplex_cost",
	.purpose = "Measures in processor cycles what it costs to start, stop, read, accumulate and reset multiplexed "
		   "EventSets of more and more events.",
	.options = options,
};

enum way { KERNEL, LIBRARY, WAYS };

static struct {
	size_t least, most, iterations;
	long long budget; /* nanoseconds for each measurement; 0: without end */
	bool ways[WAYS];
	const char *directory;
	long long *costs;
} request = {
	.least = 1, .most = DEFAULT_MOST, .iterations = DEFAULT_ITERATIONS, .ways = { true, true }, .directory = "."
};

static char names[MOST_EVENTS][NAME];
static size_t n_names;

/* ---- Events -------------------------------------------------------------------------------------------- */

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < n_names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Takes an event that a multiplexed set can hold beside those there are. */
static void take(int set, const char *name)
{
	if (n_names < request.most && !is_listed(name) && PAPI_add_named_event(set, name) == PAPI_OK)
		snprintf(names[n_names++], NAME, "%s", name);
}

/* Those of the processor, where it has counters: every such event is one counter's work. */
static void take_presets(int set)
{
	int code = PAPI_PRESET_MASK;

	for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
		found = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL)) {
		PAPI_event_info_t event;

		if (PAPI_get_event_info(code, &event) == PAPI_OK && event.count == 1 && event.component_index == 0)
			take(set, event.symbol);
	}
}

/* Else what the kernel counts, and for as many more as are wanted, breakpoints, of which a processor has few. */
static void take_natives(int set)
{
	static volatile long long watched[MOST_EVENTS];
	int code = PAPI_NATIVE_MASK;

	for (int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0); found == PAPI_OK;
		found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 0)) {
		char name[NAME];

		if (PAPI_event_code_to_name(code, name) == PAPI_OK)
			take(set, name);
	}
	for (size_t i = 0; i < request.most; i++) {
		char name[NAME];

		snprintf(name, sizeof(name), "mem:0x%" PRIxPTR "/8:w", (uintptr_t)&watched[i]);
		take(set, name);
	}
}

static void drop_set(int *set)
{
	PAPI_cleanup_eventset(*set);
	PAPI_destroy_eventset(set);
}

/* A multiplexed EventSet of the first n events. */
static int make_set(int *set, enum way way, size_t n)
{
	PAPI_option_t option = { .multiplex = {
					 .flags = way == LIBRARY ? PAPI_MULTIPLEX_FORCE_SW : PAPI_MULTIPLEX_DEFAULT } };
	int result = PAPI_create_eventset(set);

	option.multiplex.eventset = *set;
	if (result == PAPI_OK)
		result = PAPI_set_opt(PAPI_MULTIPLEX, &option);
	for (size_t i = 0; i < n && result == PAPI_OK; i++)
		result = PAPI_add_named_event(*set, names[i]);
	return result;
}

static int choose_events(void)
{
	int set = PAPI_NULL, result = make_set(&set, KERNEL, 0);

	if (result != PAPI_OK) {
		papi_tool_complain("no multiplexed EventSet", result);
		return EXIT_FAILURE;
	}
	take_presets(set);
	take_natives(set);
	drop_set(&set);
	if (n_names < request.most)
		fprintf(stderr, "%s: only %zu events can be counted here, of %zu\n", tool.name, n_names, request.most);
	request.most = n_names < request.most ? n_names : request.most;
	return n_names >= request.least ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- Measuring ----------------------------------------------------------------------------------------- */

struct subject {
	int set;
	long long values[MOST_EVENTS];
	long long cycles;
};

static int do_read(struct subject *subject)
{
	return PAPI_read(subject->set, subject->values);
}

static int do_read_ts(struct subject *subject)
{
	return PAPI_read_ts(subject->set, subject->values, &subject->cycles);
}

static int do_accum(struct subject *subject)
{
	return PAPI_accum(subject->set, subject->values);
}

static int do_reset(struct subject *subject)
{
	return PAPI_reset(subject->set);
}

static int do_start_stop(struct subject *subject)
{
	int result = PAPI_start(subject->set);

	return result == PAPI_OK ? PAPI_stop(subject->set, subject->values) : result;
}

static const struct test {
	const char *name, *file;
	int (*function)(struct subject *subject);
	bool while_running;
} tests[] = {
	{ "PAPI_read", "papi_read.dat", do_read, true },
	{ "PAPI_read_ts", "papi_read_ts.dat", do_read_ts, true },
	{ "PAPI_accum", "papi_accum.dat", do_accum, true },
	{ "PAPI_reset", "papi_reset.dat", do_reset, true },
	{ "PAPI_start/stop", "papi_startstop.dat", do_start_stop, false },
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

/* That an event had no turn in so short a time is an answer, which costs what it costs. */
static int answer(int result)
{
	return result == PAPI_ECNFLCT ? PAPI_OK : result;
}

/* The first turns are over before reads are measured. */
static int await_turns(struct subject *subject)
{
	long long end = PAPI_get_real_usec() + 10000000;
	int result = PAPI_ECNFLCT;

	while (result == PAPI_ECNFLCT && PAPI_get_real_usec() < end)
		result = PAPI_read(subject->set, subject->values);
	return result;
}

/* Asked for seldom, since it takes time itself. */
static bool is_over(size_t done, long long end)
{
	return end && done >= FEWEST && done % 16 == 0 && PAPI_get_real_nsec() >= end;
}

/* *done: how many iterations it was. */
static int measure(const struct test *test, struct subject *subject, size_t *done)
{
	int result = test->while_running ? PAPI_start(subject->set) : PAPI_OK;
	long long end;

	if (result == PAPI_OK && test->while_running)
		result = await_turns(subject);
	for (size_t i = 0; i < WARM_UP && result == PAPI_OK; i++)
		result = answer(test->function(subject));
	end = request.budget ? PAPI_get_real_nsec() + request.budget : 0;
	for (*done = 0; *done < request.iterations && result == PAPI_OK && !is_over(*done, end); ++*done) {
		long long before = PAPI_get_real_cyc();

		result = answer(test->function(subject));
		request.costs[*done] = PAPI_get_real_cyc() - before;
	}
	if (test->while_running) {
		int stopped = answer(PAPI_stop(subject->set, subject->values));

		result = result == PAPI_OK ? stopped : result;
	}
	return result;
}

/* ---- Reports ------------------------------------------------------------------------------------------- */

static FILE *files[TESTS];

static int open_files(void)
{
	for (size_t i = 0; i < TESTS; i++) {
		char path[4096];
		int length = snprintf(path, sizeof(path), "%s/%s", request.directory, tests[i].file);

		files[i] = length < (int)sizeof(path) ? fopen(path, "w") : NULL;
		if (files[i] == NULL) {
			fprintf(stderr, "%s: %s cannot be written: %s\n", tool.name, path, strerror(errno));
			return EXIT_FAILURE;
		}
		fprintf(files[i], "###Multiplexed %s()\n#number of events", tests[i].name);
		if (request.ways[KERNEL])
			fprintf(files[i], "\tmin cycles\tmax cycles\tmean cycles\tstd deviation");
		if (request.ways[LIBRARY])
			fprintf(files[i], "\tsw min cycles\tsw max cycles\tsw avg cycles\tsw std dev");
		fprintf(files[i], "\n");
	}
	return EXIT_SUCCESS;
}

static int close_files(int status)
{
	for (size_t i = 0; i < TESTS; i++) {
		if (files[i] == NULL)
			continue;
		bool failed = ferror(files[i]);
		if (fclose(files[i]) != 0 || failed) {
			fprintf(stderr, "%s: %s could not be written completely\n", tool.name, tests[i].file);
			status = EXIT_FAILURE;
		}
	}
	return status;
}

/* One way of multiplexing for one number of events: a part of a row in each file, a row on standard output. */
static int run_way(enum way way, size_t n)
{
	static struct subject subject;
	int result = PAPI_OK;

	subject.set = PAPI_NULL;
	printf("%6zu %-8s", n, way == KERNEL ? "kernel" : "library");
	result = make_set(&subject.set, way, n);
	for (size_t i = 0; i < TESTS && result == PAPI_OK; i++) {
		size_t iterations;
		char mean[32];

		result = measure(&tests[i], &subject, &iterations);
		if (result != PAPI_OK)
			break;
		struct papi_statistics series = papi_statistics_of(request.costs, iterations);
		fprintf(files[i], "\t%10lld\t%10lld\t%10f\t%10f", series.minimum, series.maximum, series.mean,
			papi_statistics_deviation(&series));
		papi_terminal_number(mean, sizeof(mean), series.mean, 0);
		printf(" %*s", COLUMN, mean);
		fflush(stdout);
	}
	printf("\n");
	if (result != PAPI_OK) {
		char what[64];

		snprintf(what, sizeof(what), "%zu events multiplexed by the %s", n,
			way == KERNEL ? "kernel" : "library");
		papi_tool_complain(what, result);
	}
	if (subject.set != PAPI_NULL)
		drop_set(&subject.set);
	return result == PAPI_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_all(void)
{
	int status = open_files();

	if (status == EXIT_SUCCESS) {
		printf("Mean cycles of calls on multiplexed EventSets, over ");
		if (request.budget)
			printf("at most %zu iterations\nor %lld ms each.\n", request.iterations,
				request.budget / 1000000);
		else
			printf("%zu iterations.\n", request.iterations);
		printf("First event: %s\nLast event:  %s\n\n", names[0], names[request.most - 1]);
		printf("events by      ");
		/* Without the "PAPI_" that they all have. */
		for (size_t i = 0; i < TESTS; i++)
			printf(" %*s", COLUMN, tests[i].name + strlen("PAPI_"));
		printf("\n");
	}
	for (size_t n = request.least; n <= request.most && status == EXIT_SUCCESS; n++) {
		for (size_t i = 0; i < TESTS; i++)
			fprintf(files[i], "%20zu", n);
		for (int way = 0; way < WAYS && status == EXIT_SUCCESS; way++)
			if (request.ways[way])
				status = run_way((enum way)way, n);
		for (size_t i = 0; i < TESTS; i++)
			fprintf(files[i], "\n");
	}
	return close_files(status);
}

/* Every number of events and every call has the same share of the time. */
static void share_time(void)
{
	size_t ways = (size_t)request.ways[KERNEL] + (size_t)request.ways[LIBRARY];

	request.budget = DEFAULT_SECONDS * 1000000000LL /
		(long long)((request.most - request.least + 1) * ways * TESTS);
}

static void parse(int argc, char **argv)
{
	bool limited = true;
	int letter;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'm':
			request.least = (size_t)papi_tool_number(&tool, "-m", optarg, 1, MOST_EVENTS);
			break;
		case 'x':
			request.most = (size_t)papi_tool_number(&tool, "-x", optarg, 1, MOST_EVENTS);
			break;
		case 's':
			request.ways[LIBRARY] = false;
			break;
		case 'k':
			request.ways[KERNEL] = false;
			break;
		case 't':
			request.iterations = (size_t)papi_tool_number(&tool, "-t", optarg, 1, 100000000);
			limited = false;
			break;
		case 'd':
			request.directory = optarg;
			break;
		}
	}
	if (!request.ways[KERNEL] && !request.ways[LIBRARY])
		papi_tool_usage_error(&tool, "-s and -k together leave nothing to measure");
	if (request.least > request.most)
		papi_tool_usage_error(&tool, "-m %zu is more than -x %zu", request.least, request.most);
	if (limited)
		share_time();
}

int main(int argc, char **argv)
{
	papi_tool_begin();
	parse(argc, argv);
	papi_tool_init();
	request.costs = calloc(request.iterations, sizeof(*request.costs));
	if (request.costs == NULL) {
		fprintf(stderr, "%s: no memory for %zu measurements; choose fewer with -t\n", tool.name,
			request.iterations);
		return papi_tool_finish(EXIT_FAILURE);
	}
	int status = choose_events();
	if (status == EXIT_SUCCESS)
		status = run_all();
	free(request.costs);
	return papi_tool_finish(status);
}
