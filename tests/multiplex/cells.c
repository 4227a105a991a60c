/* SPDX-License-Identifier: BSD-3-Clause */
#include "cells.h"

#include <stdio.h>
#include <stdlib.h>

#include "sanitizers.h"
#include "check.h"

/* About a tenth of a millisecond, and not for a compiler to see through. */
#define SPINS 60000

static struct work_cell cells[CELLS];

static char names[CELLS][WORK_NAME];

const char *cells_event(unsigned cell)
{
	return names[cell];
}

bool cells_prompt_signals(void)
{
	return !THREAD_SANITIZER;
}

int cells_empty_set(int flags, int ns)
{
	PAPI_option_t option, before;
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &before));
	option.multiplex = (PAPI_multiplex_option_t){ .ns = ns ? ns : before.multiplex.ns };
	REQUIRE_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	option.multiplex = (PAPI_multiplex_option_t){ .eventset = set, .flags = flags, .ns = -1 };
	REQUIRE_OK(PAPI_set_opt(PAPI_MULTIPLEX, &option));
	REQUIRE_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &before));
	return set;
}

int cells_set(int flags, int ns, unsigned first, unsigned n)
{
	int set = cells_empty_set(flags, ns);

	for (unsigned i = first; i < first + n; i++)
		REQUIRE_OK(PAPI_add_named_event(set, cells_event(i)));
	return set;
}

static WORK_PLAIN unsigned long spin(unsigned long seed)
{
	for (unsigned long i = 0; i < SPINS; i++)
		seed = seed * 2862933555777941757ul + 3037000493ul;
	return seed;
}

WORK_PLAIN void cells_work(unsigned long rounds)
{
	static volatile unsigned long sink;

	for (unsigned long round = 0; round < rounds; round++) {
		sink = spin(sink);
		for (unsigned i = 0; i < CELLS; i++)
			for (long long n = cells_writes(i); n > 0; n--)
				cells[i].value = round;
	}
}

unsigned long cells_work_until_all_ran(int set, unsigned n)
{
	unsigned long rounds = 0;

	for (unsigned waiting = 1; waiting && rounds < 1000000;) {
		long long enabled[CELLS], running[CELLS];

		cells_work(20);
		rounds += 20;
		REQUIRE_OK(PAPI_get_event_times(set, enabled, running));
		waiting = 0;
		for (unsigned i = 0; i < n; i++)
			waiting += running[i] <= 3 * enabled[i] / (long long)rounds;
	}
	return rounds;
}

bool cells_near(unsigned long rounds, unsigned first, unsigned n, const long long values[], int percent)
{
	double errors = 0;
	bool near = true;

	for (unsigned i = 0; i < n; i++) {
		long long truth = (long long)rounds * cells_writes(first + i);

		near = near && llabs(values[i] - truth) <= truth * percent / 100;
		errors += (double)llabs(values[i] - truth) / (double)truth;
	}
	near = near && errors / n * 100 * 2.5 <= percent;
	if (!near)
		fprintf(stderr, "%u estimates are off by %.1f %% on average\n", n, errors / n * 100);
	return near;
}

void cells_expect_near(bool (*estimate)(unsigned), unsigned argument)
{
	bool near = false;

	for (unsigned i = 0; i < CELLS_TRIES && !near; i++)
		near = estimate(argument);
	EXPECT(near);
}

unsigned cells_registers(void)
{
	int set = PAPI_NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < CELLS; i++)
		work_name(names[i], &cells[i], "/8:w");
	REQUIRE_OK(PAPI_create_eventset(&set));
	while (n < CELLS && PAPI_add_named_event(set, cells_event(n)) == PAPI_OK)
		n++;
	if (n == 0 || n == CELLS) {
		printf("%u breakpoints can be had at once: %s\n", n, n ? "that is no shortage" : PAPI_error_detail());
		exit(77);
	}
	work_discard(set);
	return n;
}
