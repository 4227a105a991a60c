/* SPDX-License-Identifier: BSD-3-Clause */
/* More events than counters: each runs for a part of the time, and its count is an estimate within known bounds. */
#include <stdio.h>

#include "check.h"
#include "loop.h"
#include "work.h"

#define EVENTS 12
#define N      20000000LL

/* Names of one and the same event, each of which the library takes for another. */
static int large_set(int multiplex)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "perf::INSTRUCTIONS"));
	if (multiplex)
		REQUIRE_OK(PAPI_set_multiplex(set));
	for (int i = 1; i < EVENTS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "armv8_pmuv3/event=0x%0*d/", i, 8);
		REQUIRE_OK(PAPI_add_named_event(set, name));
	}
	return set;
}

static void shares_and_estimates(void)
{
	int set = large_set(1);
	long long values[EVENTS], enabled[EVENTS], running[EVENTS];

	for (int round = 0; round < 3; round++) {
		EXPECT_OK(PAPI_start(set));
		loop(N);
		work_stop_values(set, values, EVENTS);
		EXPECT_OK(PAPI_get_event_times(set, enabled, running));
		for (int i = 0; i < EVENTS; i++) {
			/* Six or seven counters for twelve. */
			EXPECT_BETWEEN(enabled[i] * 40 / 100, running[i], enabled[i] * 65 / 100);
			EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS * 98 / 100, values[i], N * LOOP_INSTRUCTIONS * 102 / 100);
		}
	}
	work_discard(set);
}

/* The estimate of a loop twice as long is twice as large, also when it is read in the middle. */
static void reads_in_the_middle(void)
{
	int set = large_set(1);
	long long values[EVENTS], later[EVENTS];

	EXPECT_OK(PAPI_start(set));
	loop(N);
	work_read_values(set, values, EVENTS);
	loop(N);
	work_read_values(set, later, EVENTS);
	for (int i = 0; i < EVENTS; i++)
		EXPECT_BETWEEN(values[i] * 195 / 100, later[i], values[i] * 205 / 100);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

static void fewer_than_counters_run_always(void)
{
	int set = work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL);
	long long values[2], enabled[2], running[2];

	EXPECT_OK(PAPI_set_multiplex(set));
	EXPECT_OK(PAPI_start(set));
	loop(N);
	work_stop_values(set, values, 2);
	EXPECT_OK(PAPI_get_event_times(set, enabled, running));
	EXPECT_EQUAL(enabled[0], running[0]);
	EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS, values[0], N * LOOP_INSTRUCTIONS + 10000);
	EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS * CYCLES_EACH, values[1], N * LOOP_INSTRUCTIONS * CYCLES_EACH + 20000);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "shares and estimates", shares_and_estimates },
		{ "reads in the middle", reads_in_the_middle },
		{ "fewer than counters run always", fewer_than_counters_run_always },
	};

	loop_begin();
	EXPECT_OK(PAPI_multiplex_init());
	return check_run(tests, COUNT_OF(tests));
}
