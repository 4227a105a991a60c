/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_cost: measures what the functions that control and read counters cost, in processor cycles. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "cost_report.h"
#include "events.h"
#include "options.h"
#include "papi.h"
#include "statistics.h"

enum {
	EVENTS = 2,
	DEFAULT_ITERATIONS = 100000,
	DEFAULT_BINS = 100,
	WARM_UP = 1000,
};

static const struct papi_tool_option options[] = {
	{ 'b', "bins", "BINS", "how many bins -d draws (100 if not given)" },
	{ 'd', "distribution", NULL, "draw the distribution of each cost" },
	{ 's', "std", NULL, "count the iterations beyond 1 to 10 standard deviations above the mean" },
	{ 'p', "percentiles", NULL, "show the 25th, 50th, 75th and 99th percentile of each cost" },
	{ 't', "threshold", "THRESHOLD", "how many iterations to measure (100000 if not given)" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_cost",
	.purpose = "Measures in processor cycles what it costs to start, stop, read, accumulate and reset counters.",
	.options = options,
};

/* What one measured function works on. */
struct subject {
	int set;
	long long values[EVENTS];
	long long cycles;
};

static int do_nothing(struct subject *subject)
{
	(void)subject;
	return PAPI_OK;
}

static int do_start_stop(struct subject *subject)
{
	int result = PAPI_start(subject->set);

	return result == PAPI_OK ? PAPI_stop(subject->set, subject->values) : result;
}

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

/* Every test runs through the same pointer call, so the loop latency holds all that the others have on top. */
static const struct test {
	const char *name;
	int (*function)(struct subject *);
	bool while_running;
} tests[] = {
	{ "PAPI_start/stop", do_start_stop, false },
	{ "PAPI_read", do_read, true },
	{ "PAPI_read_ts", do_read_ts, true },
	{ "PAPI_accum", do_accum, true },
	{ "PAPI_reset", do_reset, true },
};

/* Fills costs with the cycles of each call; returns the code of the first call that failed. */
static int measure(int (*function)(struct subject *), struct subject *subject, long long *costs, size_t count)
{
	int result = PAPI_OK;

	for (size_t i = 0; i < WARM_UP && result == PAPI_OK; i++)
		result = function(subject);
	for (size_t i = 0; i < count && result == PAPI_OK; i++) {
		long long before = PAPI_get_real_cyc();
		result = function(subject);
		costs[i] = PAPI_get_real_cyc() - before;
	}
	return result;
}

/* Measures one test on an EventSet and reports it. Returns the exit status. */
static int run_test(const struct test *test, const char *what, int set, const struct papi_cost_request *request)
{
	struct subject subject = { .set = set };
	char title[256];
	int result = test->while_running ? PAPI_start(set) : PAPI_OK;

	snprintf(title, sizeof(title), "%s%s", test->name, what);
	if (result == PAPI_OK)
		result = measure(test->function, &subject, request->costs, request->iterations);
	if (result != PAPI_OK) {
		papi_tool_complain(title, result);
		return EXIT_FAILURE;
	}
	if (test->while_running && (result = PAPI_stop(set, subject.values)) != PAPI_OK) {
		papi_tool_complain(title, result);
		return EXIT_FAILURE;
	}
	papi_cost_report(title, request);
	return EXIT_SUCCESS;
}

/* An EventSet of the named events, or the code of the refusal. */
static int make_set(int *set, const char *const *names, size_t count)
{
	int result = PAPI_create_eventset(set);

	for (size_t i = 0; i < count && result == PAPI_OK; i++)
		result = PAPI_add_named_event(*set, names[i]);
	return result;
}

static void drop_set(int *set)
{
	if (*set == PAPI_NULL)
		return;
	PAPI_cleanup_eventset(*set);
	PAPI_destroy_eventset(set);
}

/* The two counters of most tests: of the processor where there are any, else of the kernel. */
static int make_plain_set(int *set)
{
	static const char *const hardware[EVENTS] = { "PAPI_TOT_CYC", "PAPI_TOT_INS" };
	static const char *const software[EVENTS] = { "perf::TASK-CLOCK", "perf::PAGE-FAULTS" };

	if (make_set(set, hardware, EVENTS) == PAPI_OK) {
		printf("Counters: %s and %s.\n", hardware[0], hardware[1]);
		return EXIT_SUCCESS;
	}
	drop_set(set);
	*set = PAPI_NULL;

	int result = make_set(set, software, EVENTS);
	if (result != PAPI_OK) {
		papi_tool_complain("neither hardware nor software events can be counted", result);
		return EXIT_FAILURE;
	}
	papi_event_explain_missing();
	printf("Counters: %s and %s (counted by the kernel).\n", software[0], software[1]);
	return EXIT_SUCCESS;
}

/* What a derived event adds to a read: the first event of the table that has the type and can be counted. */
static int run_derived(const char *const *types, const char *label, const struct papi_cost_request *request)
{
	static const struct test read_test = { "PAPI_read", do_read, true };
	static const int tables[] = { PAPI_PRESET_MASK, PAPI_UE_MASK };
	PAPI_event_info_t event;

	for (size_t table = 0; table < sizeof(tables) / sizeof(tables[0]); table++) {
		int code = tables[table];

		for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
			found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
			if (PAPI_get_event_info(code, &event) != PAPI_OK || !papi_event_has_type(&event, types))
				continue;

			const char *const names[] = { event.symbol };
			int set = PAPI_NULL;
			int status = -1;
			if (make_set(&set, names, 1) == PAPI_OK) {
				printf("\nDerived event: %s (%s).\n", event.symbol, event.derived);
				status = run_test(&read_test, label, set, request);
			}
			drop_set(&set);
			if (status >= 0)
				return status;
		}
	}
	printf("\nPAPI_read%s: no such event can be counted here.\n", label);
	return EXIT_SUCCESS;
}

static int run_all(const struct papi_cost_request *request)
{
	static const char *const sums[] = { "DERIVED_ADD", "DERIVED_SUB", NULL };
	static const char *const postfixes[] = { "DERIVED_POSTFIX", "DERIVED_INFIX", NULL };
	static const struct test empty = { "loop latency", do_nothing, false };
	int set = PAPI_NULL;
	int status = make_plain_set(&set);

	if (status == EXIT_SUCCESS)
		status = run_test(&empty, "", set, request);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]) && status == EXIT_SUCCESS; i++)
		status = run_test(&tests[i], " (2 counters)", set, request);
	drop_set(&set);
	if (status == EXIT_SUCCESS)
		status = run_derived(sums, " (1 derived_[add|sub] counter)", request);
	if (status == EXIT_SUCCESS)
		status = run_derived(postfixes, " (1 derived_postfix counter)", request);
	return status;
}

static struct papi_cost_request parse(int argc, char **argv)
{
	struct papi_cost_request request = { .iterations = DEFAULT_ITERATIONS, .bins = DEFAULT_BINS };
	int letter;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'b':
			request.bins = (size_t)papi_tool_number(&tool, "-b", optarg, 1, 10000);
			request.distribution = true;
			break;
		case 'd':
			request.distribution = true;
			break;
		case 's':
			request.deviations = true;
			break;
		case 'p':
			request.percentiles = true;
			break;
		case 't':
			request.iterations = (size_t)papi_tool_number(&tool, "-t", optarg, 1, 100000000);
			break;
		}
	}
	return request;
}

int main(int argc, char **argv)
{
	papi_tool_begin();
	struct papi_cost_request request = parse(argc, argv);

	papi_tool_init();
	request.costs = calloc(request.iterations, sizeof(*request.costs));
	if (request.costs == NULL) {
		fprintf(stderr, "%s: no memory for %zu measurements; choose fewer with -t\n", tool.name,
			request.iterations);
		return papi_tool_finish(EXIT_FAILURE);
	}
	printf("Cost of starting, stopping, reading, accumulating and resetting counters.\n");
	int status = run_all(&request);
	free(request.costs);
	return papi_tool_finish(status);
}
