/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be asked of multiplexing and of ranges of addresses: code, reason, and the set stays what it was. */
#include <limits.h>
#include <string.h>

#include "cells.h"
#include "check.h"

static int set_multiplex(int set, int flags)
{
	/* Programs leave anything in ns; the turn is that of PAPI_DEF_MPX_NS. */
	PAPI_option_t option = { .multiplex = { .eventset = set, .ns = -12345, .flags = flags } };

	return PAPI_set_opt(PAPI_MULTIPLEX, &option);
}

static void of_no_set(void)
{
	static const int handles[] = { PAPI_NULL, 4711, INT_MAX, INT_MIN };

	for (size_t i = 0; i < COUNT_OF(handles); i++) {
		PAPI_option_t option = { .multiplex = { .eventset = handles[i] } };

		EXPECT_ERROR(PAPI_ENOEVST, "EventSet", PAPI_set_multiplex(handles[i]));
		EXPECT_ERROR(PAPI_ENOEVST, "EventSet", PAPI_get_multiplex(handles[i]));
		EXPECT_ERROR(PAPI_ENOEVST, "EventSet", set_multiplex(handles[i], PAPI_MULTIPLEX_FORCE_SW));
		EXPECT_ERROR(PAPI_ENOEVST, "EventSet", PAPI_get_opt(PAPI_MULTIPLEX, &option));
		option.addr = (PAPI_addr_range_option_t){ .eventset = handles[i] };
		EXPECT_ERROR(PAPI_ENOEVST, "EventSet", PAPI_set_opt(PAPI_DATA_ADDRESS, &option));
		EXPECT_ERROR(PAPI_ENOEVST, "EventSet", PAPI_get_opt(PAPI_INSTR_ADDRESS, &option));
	}
}

static void flags_and_turns(void)
{
	static const int flags[] = { 2, 3, 4, 0x100, -1, INT_MIN, INT_MAX };
	static const int turns[] = { 0, -1, -1000000, INT_MIN };
	int set = work_set(work_event(WORK_B), NULL, NULL);
	PAPI_option_t option = { .multiplex = { .eventset = set } }, before;

	for (size_t i = 0; i < COUNT_OF(flags); i++)
		EXPECT_ERROR(PAPI_EINVAL, "PAPI_MULTIPLEX_FORCE_SW", set_multiplex(set, flags[i]));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &before));
	for (size_t i = 0; i < COUNT_OF(turns); i++) {
		option.multiplex.ns = turns[i];
		EXPECT_ERROR(PAPI_EINVAL, "positive", PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
		EXPECT_ERROR(PAPI_EINVAL, "positive", PAPI_set_opt(PAPI_DEF_MPX_USEC, &option));
	}
	EXPECT_EQUAL(0, PAPI_get_multiplex(set));
	option.multiplex.eventset = set;
	EXPECT_EQUAL(0, PAPI_get_opt(PAPI_MULTIPLEX, &option));
	EXPECT(option.multiplex.ns > 0);
	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", set_multiplex(set, PAPI_MULTIPLEX_FORCE_SW));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_set_multiplex(set));
	work_events(5);
	EXPECT_EQUAL(5, work_stop(set));
	EXPECT_EQUAL(0, PAPI_get_multiplex(set));
	/* One nanosecond is what the shortest turn is for; two seconds are as good as any. */
	option.multiplex.ns = 1;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT_OK(set_multiplex(set, PAPI_MULTIPLEX_FORCE_SW));
	option.multiplex.eventset = set;
	EXPECT_EQUAL(1, PAPI_get_opt(PAPI_MULTIPLEX, &option));
	EXPECT_EQUAL(100000, option.multiplex.ns);
	EXPECT_ERROR(PAPI_EINVAL, "already", set_multiplex(set, PAPI_MULTIPLEX_FORCE_SW));
	EXPECT_ERROR(PAPI_EINVAL, "already", PAPI_set_multiplex(set));
	EXPECT_OK(PAPI_start(set));
	work_events(5);
	EXPECT_EQUAL(5, work_stop(set));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	option.multiplex.ns = INT_MAX;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT_OK(set_multiplex(set, PAPI_MULTIPLEX_FORCE_SW));
	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(0, work_stop(set));
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &before));
	work_discard(set);
}

/* The turns of a set are those of its making; the default holds for the sets that come. */
static void the_default_turn(void)
{
	PAPI_option_t before, option;
	int first = PAPI_NULL, second = PAPI_NULL;

	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &before));
	REQUIRE_OK(PAPI_create_eventset(&first));
	REQUIRE_OK(PAPI_create_eventset(&second));
	option.multiplex.us = 3000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_USEC, &option));
	EXPECT_OK(PAPI_set_multiplex(first));
	option.multiplex.ns = 4000000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT_OK(set_multiplex(second, PAPI_MULTIPLEX_FORCE_SW));
	option.multiplex.eventset = first;
	EXPECT_EQUAL(1, PAPI_get_opt(PAPI_MULTIPLEX, &option));
	EXPECT_EQUAL(3000000, option.multiplex.ns);
	EXPECT_EQUAL(PAPI_MULTIPLEX_DEFAULT, option.multiplex.flags);
	option.multiplex.eventset = second;
	EXPECT_EQUAL(1, PAPI_get_opt(PAPI_MULTIPLEX, &option));
	EXPECT_EQUAL(4000000, option.multiplex.ns);
	EXPECT_EQUAL(PAPI_MULTIPLEX_FORCE_SW, option.multiplex.flags);
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &before));
	EXPECT_OK(PAPI_destroy_eventset(&first));
	EXPECT_OK(PAPI_destroy_eventset(&second));
}

/* The reference has PAPI_multiplex_init come first; nothing here depends on it, nor on how often it is called. */
static void without_multiplex_init(void)
{
	PAPI_shutdown();
	EXPECT_ERROR(PAPI_ENOINIT, "PAPI_library_init", PAPI_multiplex_init());
	EXPECT_ERROR(PAPI_ENOINIT, "PAPI_library_init", PAPI_set_multiplex(1));
	EXPECT_ERROR(PAPI_ENOINIT, "PAPI_library_init", set_multiplex(1, PAPI_MULTIPLEX_FORCE_SW));
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	for (int round = 0; round < 3; round++) {
		int set = work_set(work_event(WORK_B), NULL, NULL);

		EXPECT_OK(set_multiplex(set, PAPI_MULTIPLEX_FORCE_SW));
		EXPECT_OK(PAPI_start(set));
		work_events(6);
		EXPECT_EQUAL(6, work_stop(set));
		work_discard(set);
		EXPECT_OK(PAPI_multiplex_init());
	}
}

static void mixed_sets(void)
{
	int set = cells_empty_set(PAPI_MULTIPLEX_FORCE_SW, 1000000);
	unsigned n = cells_registers() + 1;
	long long values[CELLS + 2], enabled[CELLS + 2], running[CELLS + 2], waited = 0;

	/* Some take turns, some count all the time, some are of another component. */
	EXPECT_OK(PAPI_add_named_event(set, "rusage:::realtime"));
	for (unsigned i = 0; i < n; i++)
		EXPECT_OK(PAPI_add_named_event(set, cells_event(i)));
	EXPECT_OK(PAPI_add_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_OK(PAPI_start(set));
	for (unsigned waiting = 1; waiting;) {
		cells_work(10);
		EXPECT_OK(PAPI_get_event_times(set, enabled, running));
		waiting = 0;
		for (unsigned i = 0; i < n + 2; i++)
			waiting += running[i] < 1000000;
	}
	EXPECT_EQUAL(enabled[0], running[0]);
	EXPECT_EQUAL(enabled[n + 1], running[n + 1]);
	for (unsigned i = 1; i <= n; i++)
		waited += enabled[i] - running[i];
	EXPECT(waited > 0);
	EXPECT_OK(PAPI_stop(set, values));
	for (unsigned i = 0; i < n + 2; i++)
		EXPECT(values[i] > 0);
	work_discard(set);
}

static int set_range(int option, int set, const volatile void *start, const volatile void *end)
{
	PAPI_option_t value;

	memset(&value, 0, sizeof(value));
	value.addr.eventset = set;
	value.addr.start = (vptr_t)(size_t)start;
	value.addr.end = (vptr_t)(size_t)end;
	return PAPI_set_opt(option, &value);
}

static void ranges(void)
{
	static struct work_cell cell;
	const volatile char *start = (const volatile char *)&cell;
	char name[WORK_NAME];
	int set, clock = work_set("perf::TASK-CLOCK", NULL, NULL), usage = work_set("rusage:::minflt", NULL, NULL);

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	for (int option = PAPI_DATA_ADDRESS; option; option = option == PAPI_DATA_ADDRESS ? PAPI_INSTR_ADDRESS : 0) {
		EXPECT_ERROR(PAPI_EINVAL, "behind", set_range(option, set, start, start));
		EXPECT_ERROR(PAPI_EINVAL, "behind", set_range(option, set, start + 1, start));
		EXPECT_ERROR(PAPI_EINVAL, "behind", set_range(option, set, start, NULL));
		EXPECT_ERROR(PAPI_ECMP, "breakpoints", set_range(option, clock, start, start + 8));
		EXPECT_ERROR(PAPI_ECMP, "rusage", set_range(option, usage, start, start + 8));
	}
	EXPECT_ERROR(PAPI_ECMP, "instructions", set_range(PAPI_INSTR_ADDRESS, set, start, start + 8));
	EXPECT_ERROR(PAPI_ECNFLCT, "outside", set_range(PAPI_DATA_ADDRESS, set, start + 8, start + 16));
	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", set_range(PAPI_DATA_ADDRESS, set, start, start + 4));
	work_store(&cell, 9);
	EXPECT_EQUAL(9, work_stop(set));
	work_discard(set);
	work_discard(clock);
	work_discard(usage);
}

int main(void)
{
	static const struct test tests[] = {
		{ "of no set", of_no_set },
		{ "flags and turns", flags_and_turns },
		{ "the default turn", the_default_turn },
		{ "mixed sets", mixed_sets },
		{ "ranges", ranges },
		{ "without multiplex init", without_multiplex_init },
	};

	work_begin();
	cells_registers();
	work_events(10);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
