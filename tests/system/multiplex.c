/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexed EventSets of events that need no counter: the kernel has nothing to let take turns, so every event runs
 * all the time and its value is the count itself, as in a set that is not multiplexed.
 */
#include "check.h"
#include "work.h"

static int multiplexed_set(const char *first, const char *second, const char *third)
{
	int set = work_set(first, second, third);

	REQUIRE_OK(PAPI_set_multiplex(set));
	return set;
}

static void expect_always_running(int set, int n)
{
	long long enabled[8], running[8];

	EXPECT_OK(PAPI_get_event_times(set, enabled, running));
	for (int i = 0; i < n; i++) {
		EXPECT(enabled[i] > 0);
		EXPECT_EQUAL(enabled[i], running[i]);
	}
}

static void counts_are_exact(void)
{
	int set = multiplexed_set(work_event(WORK_A), work_event(WORK_B), "perf::TASK-CLOCK");

	for (size_t n = 1; n < 1000; n = n * 3 + 1) {
		long long values[3];

		EXPECT_OK(PAPI_start(set));
		work_events(n);
		work_read_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL((long long)n, values[0]);
		EXPECT_EQUAL((long long)n, values[1]);
		expect_always_running(set, 3);
		work_events(n);
		work_stop_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL(2 * (long long)n, values[0]);
		EXPECT_EQUAL(2 * (long long)n, values[1]);
		EXPECT(values[2] > 0);
		expect_always_running(set, 3);
	}
	work_discard(set);
}

/* The one beside the other, over the same region. */
static void as_without_multiplexing(void)
{
	int multiplexed = multiplexed_set(work_event(WORK_A), work_event(WORK_B), NULL);
	int plain = work_set(work_event(WORK_A), work_event(WORK_B), NULL);

	for (size_t round = 0; round < 20; round++) {
		long long first[2], second[2];

		EXPECT_OK(PAPI_start(multiplexed));
		EXPECT_OK(PAPI_start(plain));
		work_events(10 * round);
		work_stop_values(plain, second, COUNT_OF(second));
		work_stop_values(multiplexed, first, COUNT_OF(first));
		EXPECT_EQUAL(second[0], first[0]);
		EXPECT_EQUAL(second[1], first[1]);
		EXPECT_EQUAL(10 * (long long)round, first[0]);
	}
	work_discard(multiplexed);
	work_discard(plain);
}

static void made_multiplexed_before_it_is_filled(void)
{
	int set = multiplexed_set(NULL, NULL, NULL);
	long long values[2];

	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	EXPECT_OK(PAPI_add_named_event(set, "perf::MAJOR-FAULTS"));
	EXPECT_OK(PAPI_start(set));
	work_events(12);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(12, values[0]);
	/* The first event goes, and nothing else depends on it. */
	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_A)));
	EXPECT_OK(PAPI_remove_named_event(set, work_event(WORK_B)));
	EXPECT_OK(PAPI_start(set));
	work_events(13);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(0, values[0]);
	EXPECT_EQUAL(13, values[1]);
	/* Until it is emptied: then it can be asked for again, with other flags too. */
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_EQUAL(0, PAPI_get_multiplex(set));
	EXPECT_OK(PAPI_set_multiplex(set));
	EXPECT_ERROR(PAPI_EINVAL, "already", PAPI_set_multiplex(set));
	work_discard(set);
}

static void accum_reset_and_write(void)
{
	int set = multiplexed_set(work_event(WORK_A), work_event(WORK_B), NULL);
	long long values[2] = { 5, 5 };

	EXPECT_OK(PAPI_start(set));
	work_events(10);
	EXPECT_OK(PAPI_accum(set, values));
	EXPECT_EQUAL(15, values[0]);
	EXPECT_EQUAL(15, values[1]);
	work_events(20);
	EXPECT_OK(PAPI_reset(set));
	expect_always_running(set, 2);
	work_events(3);
	values[0] = values[1] = 1000;
	EXPECT_OK(PAPI_write(set, values));
	work_events(4);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(1004, values[0]);
	EXPECT_EQUAL(1004, values[1]);
	work_discard(set);
}

static void with_another_component(void)
{
	int set = multiplexed_set(work_event(WORK_A), "rusage:::majflt", work_event(WORK_B));
	long long values[3];

	EXPECT_OK(PAPI_start(set));
	work_events(25);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(25, values[0]);
	EXPECT_EQUAL(0, values[1]);
	EXPECT_EQUAL(25, values[2]);
	expect_always_running(set, 3);
	work_discard(set);
}

static void store_33(void *cell)
{
	work_store(cell, 33);
}

static void attached_and_inherited(void)
{
	static struct work_cell cell;
	PAPI_option_t option = { .inherit = { .inherit = PAPI_INHERIT_ALL } };
	struct work_child child;
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = multiplexed_set(name, NULL, NULL);
	work_child_fork(&child, store_33, &cell);
	EXPECT_OK(PAPI_attach(set, (unsigned long)child.id));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&child);
	EXPECT_EQUAL(33, work_stop(set));
	work_child_end(&child);
	EXPECT_OK(PAPI_detach(set));
	option.inherit.eventset = set;
	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT_OK(PAPI_start(set));
	work_child_fork(&child, store_33, &cell);
	work_child_end(&child);
	EXPECT_EQUAL(33, work_stop(set));
	work_discard(set);
}

static void by_the_library(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL);
	PAPI_option_t option = { .multiplex = { .eventset = set, .flags = PAPI_MULTIPLEX_FORCE_SW } };

	EXPECT_OK(PAPI_set_opt(PAPI_MULTIPLEX, &option));
	EXPECT(PAPI_get_multiplex(set) > 0);
	EXPECT_OK(PAPI_start(set));
	work_events(7);
	EXPECT_EQUAL(7, work_stop(set));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "counts are exact", counts_are_exact },
		{ "as without multiplexing", as_without_multiplexing },
		{ "made multiplexed before it is filled", made_multiplexed_before_it_is_filled },
		{ "accum, reset and write", accum_reset_and_write },
		{ "with another component", with_another_component },
		{ "attached and inherited", attached_and_inherited },
		{ "by the library", by_the_library },
	};

	work_begin();
	work_need_breakpoints();
	work_events(4000);
	counts_are_exact();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
