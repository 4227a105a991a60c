/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More events than the PMU of the cores has counters: multiplexing by the kernel, by the library, and the exact count
 * of the same loop, held against each other. All events count instructions, by the processor's own code for them, which
 * as many names have as there are ways to write a number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "work.h"

#define EVENTS  24
#define TURN    4000000
#define PERCENT 5

/* INST_RETIRED of Intel and AMD; of Arm. */
static const char *const codes[] = { "c0", "8" };

static char names[EVENTS][48];

/* What is neither known before nor thrown away cannot be computed elsewhere. */
static volatile unsigned long sink;

static WORK_PLAIN void loop(unsigned long n)
{
	unsigned long sum = sink;

	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + i;
	sink = sum;
}

#define LOOP 20000000ul

static long long count_alone(const char *name)
{
	int set = work_set(name, NULL, NULL);
	long long count;

	EXPECT_OK(PAPI_start(set));
	loop(LOOP);
	count = work_stop(set);
	work_discard(set);
	return count;
}

/* The code that counts instructions here: some for each round of the loop, and the same number twice. */
static bool find_code(void)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(codes); i++) {
		char name[48];
		long long first;
		bool known;

		snprintf(name, sizeof(name), "r%s", codes[i]);
		known = PAPI_add_named_event(set, name) == PAPI_OK;
		PAPI_cleanup_eventset(set);
		if (!known)
			continue;
		first = count_alone(name);
		if (first < 2 * (long long)LOOP || llabs(first - count_alone(name)) > first / 100)
			continue;
		for (int j = 0; j < EVENTS; j++)
			snprintf(names[j], sizeof(names[j]), "r%0*d%s", j + 1, 0, codes[i]);
		work_discard(set);
		return true;
	}
	printf("instructions cannot be counted here: %s\n", PAPI_error_detail());
	return false;
}

static int multiplexed(int flags)
{
	PAPI_option_t option = { .multiplex = { .ns = TURN } };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	option.multiplex = (PAPI_multiplex_option_t){ .eventset = set, .flags = flags };
	REQUIRE_OK(PAPI_set_opt(PAPI_MULTIPLEX, &option));
	for (int i = 0; i < EVENTS; i++)
		REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	return set;
}

static void kernel_and_library_agree(void)
{
	long long exact = count_alone(names[0]);

	for (int flags = PAPI_MULTIPLEX_DEFAULT; flags <= PAPI_MULTIPLEX_FORCE_SW; flags++) {
		int set = multiplexed(flags);
		long long values[EVENTS], enabled[EVENTS], running[EVENTS];
		int shared = 0;

		EXPECT_OK(PAPI_start(set));
		loop(LOOP);
		loop(LOOP);
		EXPECT_OK(PAPI_stop(set, values));
		EXPECT_OK(PAPI_get_event_times(set, enabled, running));
		for (int i = 0; i < EVENTS; i++) {
			EXPECT_BETWEEN(2 * exact - exact * PERCENT / 50, values[i], 2 * exact + exact * PERCENT / 50);
			shared += running[i] < enabled[i] * 9 / 10;
		}
		printf("%s: the first of %d instead of %lld: %lld; it ran %.1f %% of the time\n",
			flags == PAPI_MULTIPLEX_DEFAULT ? "kernel" : "library", EVENTS, 2 * exact, values[0],
			(double)running[0] * 100 / (double)enabled[0]);
		/* Or there was no shortage, and the test said nothing. */
		EXPECT(shared > 0);
		work_discard(set);
	}
}

static void too_short(void)
{
	int set = multiplexed(PAPI_MULTIPLEX_FORCE_SW);
	long long values[EVENTS];

	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_ECNFLCT, "turn", PAPI_read(set, values));
	EXPECT_OK(PAPI_reset(set));
	EXPECT_ERROR(PAPI_ECNFLCT, "turn", PAPI_stop(set, values));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "kernel and library agree", kernel_and_library_agree },
		{ "too short", too_short },
	};

	work_begin();
	if (!find_code())
		return work_end(77);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
