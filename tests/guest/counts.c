/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counts on a PMU that counts exactly: alone, in groups, in several sets, read in every way. */
#include <stdio.h>

#include "check.h"
#include "loop.h"
#include "work.h"

#define N 100000
/* The library's own instructions at the end of a region, when the kernel has moved a counter that it reads by
 * itself. */
#define MORE 600

static const char *const instructions[] = { "perf::INSTRUCTIONS", "PAPI_TOT_INS", "r08", "armv8_pmuv3/inst_retired/" };
static const char *const cycles[] = { "perf::CYCLES", "PAPI_TOT_CYC", "r11", "armv8_pmuv3/cpu_cycles/" };

/* 2n more for n more turns, in every run. */
static void expect_exact(const char *name, long long each)
{
	int set = work_set(name, NULL, NULL);
	long long first, once, most = loop_user_access() ? MORE * each : 0;

	loop_warm_up(set);
	first = loop_counted(set, 1);
	for (int i = 0; i < 10; i++) {
		once = loop_counted(set, N + 1);
		if (!EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS * each, once - first, N * LOOP_INSTRUCTIONS * each + most))
			fprintf(stderr, "\tthat was %s\n", name);
	}
	work_discard(set);
}

static void instructions_are_exact(void)
{
	for (size_t i = 0; i < COUNT_OF(instructions); i++)
		expect_exact(instructions[i], 1);
}

static void cycles_are_exact(void)
{
	for (size_t i = 0; i < COUNT_OF(cycles); i++)
		expect_exact(cycles[i], CYCLES_EACH);
}

/* The counter of cycles and all six others at once. Each name is another event, though the hardware's is the same. */
static int full_set(void)
{
	static const char *const names[] = { "perf::CYCLES", "perf::INSTRUCTIONS", "r08", "armv8_pmuv3/inst_retired/",
		"armv8_pmuv3/event=8/", "armv8_pmuv3/event=0x8/", "armv8_pmuv3/event=0x08/" };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	return set;
}

static void a_group_is_as_exact_as_one(void)
{
	int set = full_set();
	long long once[7], twice[7], most = loop_user_access() ? MORE : 0;
	volatile uint64_t n = N, m = 2 * N;

	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_start(set));
		work_stop_values(set, once, 7);
	}
	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_start(set));
		loop(n);
		work_stop_values(set, once, 7);
		EXPECT_OK(PAPI_start(set));
		loop(m);
		work_stop_values(set, twice, 7);
	}
	EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS * CYCLES_EACH - most, twice[0] - once[0],
		N * LOOP_INSTRUCTIONS * CYCLES_EACH + most * CYCLES_EACH);
	for (int i = 1; i < 7; i++)
		EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS - most, twice[i] - once[i], N * LOOP_INSTRUCTIONS + most);
	work_discard(set);
}

/* One more than there are counters: refused, or an error when it does not count. Never a number that is not the
 * count. */
static void a_group_that_is_too_large_is_an_error(void)
{
	int set = full_set();
	int status = PAPI_add_named_event(set, "r0008");
	long long values[8];

	if (status == PAPI_OK) {
		status = PAPI_start(set);
		loop(N);
		if (status == PAPI_OK)
			status = PAPI_stop(set, values);
	}
	EXPECT_EQUAL(PAPI_ECNFLCT, status);
	work_discard(set);
}

/* This code opens and never gets a counter. */
static void an_event_that_never_counts_is_an_error(void)
{
	int set = PAPI_NULL, status;
	long long value = -1;

	REQUIRE_OK(PAPI_create_eventset(&set));
	status = PAPI_add_named_event(set, "r1e");
	if (status == PAPI_OK) {
		status = PAPI_start(set);
		loop(N);
		if (status == PAPI_OK)
			status = PAPI_stop(set, &value);
		EXPECT_EQUAL(PAPI_ECNFLCT, status);
	}
	EXPECT(status < 0);
	work_discard(set);
}

static void reads_accum_reset_and_write(void)
{
	int set = work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL);
	long long values[2], later[2], sum[2], between, most = loop_user_access() ? MORE : 2;

	for (int round = 0; round < 4; round++) {
		EXPECT_OK(PAPI_start(set));
		work_read_values(set, values, 2);
		work_read_values(set, later, 2);
		between = later[0] - values[0];
		work_read_values(set, values, 2);
		loop(N);
		work_read_values(set, later, 2);
		EXPECT_BETWEEN(
			N * LOOP_INSTRUCTIONS - most, later[0] - values[0] - between - 2, N * LOOP_INSTRUCTIONS + most);
		EXPECT_OK(PAPI_reset(set));
		loop(N);
		work_read_values(set, values, 2);
		EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS, values[0], N * LOOP_INSTRUCTIONS + 2000);
		EXPECT_BETWEEN(CYCLES_EACH * values[0], values[1], CYCLES_EACH * (values[0] + 2000));
		sum[0] = 1000000000;
		sum[1] = 7;
		EXPECT_OK(PAPI_accum(set, sum));
		EXPECT_BETWEEN(1000000000 + values[0], sum[0], 1000000000 + values[0] + 2000);
		work_read_values(set, values, 2);
		EXPECT_BETWEEN(0, values[0], 2000);
		values[0] = 5000000;
		values[1] = 6000000;
		EXPECT_OK(PAPI_write(set, values));
		loop(N);
		work_stop_values(set, values, 2);
		EXPECT_BETWEEN(5000000 + N * LOOP_INSTRUCTIONS, values[0], 5000000 + N * LOOP_INSTRUCTIONS + 2000);
		EXPECT_BETWEEN(6000000 + N * 4, values[1], 6000000 + N * 4 + 4000);
	}
	work_discard(set);
}

/* Any number of sets of a thread may run, as long as the counters suffice; each counts its own region. */
static void several_sets_at_once(void)
{
	int outer = work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL),
	    inner = work_set("perf::INSTRUCTIONS", NULL, NULL);
	long long values[2], value = 0;

	for (int i = 0; i < 6; i++) {
		EXPECT_OK(PAPI_start(outer));
		loop(N);
		EXPECT_OK(PAPI_start(inner));
		loop(N);
		EXPECT_OK(PAPI_stop(inner, &value));
		loop(N);
		work_stop_values(outer, values, 2);
		EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS, value, N * LOOP_INSTRUCTIONS + 2000);
		EXPECT_BETWEEN(3 * N * LOOP_INSTRUCTIONS, values[0], 3 * N * LOOP_INSTRUCTIONS + 6000);
	}
	work_discard(outer);
	work_discard(inner);
}

int main(void)
{
	static const struct test tests[] = {
		{ "instructions are exact", instructions_are_exact },
		{ "cycles are exact", cycles_are_exact },
		{ "a group is as exact as one", a_group_is_as_exact_as_one },
		{ "a group that is too large is an error", a_group_that_is_too_large_is_an_error },
		{ "an event that never counts is an error", an_event_that_never_counts_is_an_error },
		{ "reads, accum, reset and write", reads_accum_reset_and_write },
		{ "several sets at once", several_sets_at_once },
	};

	loop_begin();
	return check_run(tests, COUNT_OF(tests));
}
