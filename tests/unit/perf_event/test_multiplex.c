/* SPDX-License-Identifier: BSD-3-Clause */
/* Multiplexed EventSets on the model kernel: groups of one event, and counts scaled to the last digit. */
#include <errno.h>

#include "sets.h"

static void each_event_is_a_group(void **state)
{
	int set = SET_OF("r01", "mem:0x1000"), status;

	(void)state;
	assert_int_equal(PAPI_get_multiplex(set), 0);
	assert_ok(PAPI_set_multiplex(set));
	assert_int_equal(PAPI_get_multiplex(set), 1);
	assert_refused(PAPI_set_multiplex(set), PAPI_EINVAL, "multiplexed already");
	assert_ok(PAPI_state(set, &status));
	assert_int_equal(status, PAPI_STOPPED | PAPI_MULTIPLEXING);
	/* More than the PMU has counters: they take turns. */
	fake_calls_clear();
	ADD(set, "r02", "r03", "r04", "r05", "r06", "r07");
	assert_int_equal(fake.calls[FAKE_OPEN], 6);
	assert_int_equal(fake.n_open, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_ptr_equal(fake_event(i)->leader, fake_event(i));
		assert_int_equal(fake_event(i)->attr.pinned, 0);
		assert_int_equal(fake_event(i)->attr.disabled, 1);
	}
	assert_ok(PAPI_remove_named_event(set, "r01"));
	assert_int_equal(fake.n_open, 7);
	destroy_set(set);
}

static void what_does_not_fit_fits_multiplexed(void **state)
{
	int set = SET_OF("r01", "r02", "r03", "r04");

	(void)state;
	assert_refused(PAPI_add_named_event(set, "r05"), PAPI_ECNFLCT, "PAPI_set_multiplex");
	assert_ok(PAPI_set_multiplex(set));
	ADD(set, "r05");
	destroy_set(set);
}

static int multiplexed(const char *name)
{
	int set = PAPI_NULL;

	assert_ok(PAPI_create_eventset(&set));
	assert_ok(PAPI_set_multiplex(set));
	ADD(set, name);
	return set;
}

/* A counter that ran for part of the time, and what the whole of the time would have counted. */
static void counts_are_scaled_exactly(void **state)
{
	static const struct {
		uint64_t count, enabled, running;
		long long scaled;
	} cases[] = {
		{ 1000, 100, 100, 1000 },
		{ 1000, 200, 100, 2000 },
		{ 10, 7, 3, 23 },
		{ 0, 7, 3, 0 },
		{ 1, 7, 7, 1 },
		/* 2^63 - 1 is 7 x 1317624576693539401: nothing is lost on the way, and nothing overflows. */
		{ UINT64_C(3952873730080618203), 7, 3, INT64_MAX },
		{ UINT64_C(3952873730080618202), 7, 3, INT64_C(9223372036854775804) },
		{ UINT64_C(3952873730080618203), UINT64_C(7000000000000000000), UINT64_C(3000000000000000000),
			INT64_MAX },
		{ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX },
		{ UINT64_C(123456789012345678), 1000000007, 998244353, INT64_C(123673917618989226) },
		{ 1, INT64_MAX, 1, INT64_MAX },
		/* Running longer than enabled does not happen; if it did, the counts would shrink by the ratio. */
		{ 1000, 50, 100, 500 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		int set = multiplexed("r01");
		long long value;

		assert_ok(PAPI_start(set));
		fake_count(cases[i].count);
		fake_run(cases[i].enabled, cases[i].running);
		assert_ok(PAPI_read(set, &value));
		assert_int_equal(value, cases[i].scaled);
		assert_ok(PAPI_stop(set, &value));
		assert_int_equal(value, cases[i].scaled);
		destroy_set(set);
	}
}

/* An estimate beyond what a count can hold is no count. */
static void an_estimate_that_overflows_is_not_negative(void **state)
{
	int set = multiplexed("r01");
	long long value = 0;

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(INT64_MAX);
	fake_run(3, 1);
	if (PAPI_read(set, &value) == PAPI_OK)
		assert_int_equal(value, INT64_MAX);
	else
		assert_says("count");
	assert_int_not_equal(PAPI_stop(set, &value), PAPI_ENOTRUN);
	destroy_set(set);
}

static void the_ratio_is_that_since_the_baseline(void **state)
{
	int set = multiplexed("r01");
	long long value;

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(100);
	fake_run(1000, 10);
	assert_ok(PAPI_read(set, &value));
	assert_int_equal(value, 10000);
	assert_ok(PAPI_reset(set));
	/* From here on it runs half of the time. */
	fake_count(100);
	fake_run(40, 20);
	assert_ok(PAPI_read(set, &value));
	assert_int_equal(value, 200);
	value = 5;
	assert_ok(PAPI_accum(set, &value));
	assert_int_equal(value, 205);
	fake_count(30);
	fake_run(30, 30);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 30);
	assert_ok(PAPI_start(set));
	fake_count(9);
	fake_run(9, 3);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 27);
	destroy_set(set);
}

static void each_event_has_its_own_ratio(void **state)
{
	int set = multiplexed("r01");
	long long values[3], enabled[3], running[3];

	(void)state;
	ADD(set, "r02", "r03");
	assert_ok(PAPI_start(set));
	for (unsigned i = 0; i < 3; i++) {
		fake_event(i)->count += 60;
		fake_event(i)->enabled_time += 600;
		fake_event(i)->running_time += UINT64_C(100) * (i + 1);
	}
	assert_ok(PAPI_read(set, values));
	assert_ok(PAPI_get_event_times(set, enabled, running));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(values[i], 60 * 6 / (i + 1));
		assert_int_equal(enabled[i], 600);
		assert_int_equal(running[i], 100 * (i + 1));
	}
	assert_ok(PAPI_stop(set, NULL));
	assert_ok(PAPI_get_event_times(set, NULL, running));
	assert_int_equal(running[2], 300);
	destroy_set(set);
}

static void an_event_that_had_no_turn_is_an_error(void **state)
{
	int set = multiplexed("r01");
	long long values[2];

	(void)state;
	ADD(set, "r02");
	assert_ok(PAPI_start(set));
	/* Nothing has passed at all: that is a count of 0. */
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[1], 0);
	fake_event(0)->count = 10;
	fake_event(0)->enabled_time = fake_event(1)->enabled_time = 100;
	fake_event(0)->running_time = 100;
	assert_refused(PAPI_read(set, values), PAPI_ECNFLCT, "never got its turn on the counters");
	assert_says("count for longer, or fewer events");
	/* Then its turn comes. */
	fake_event(1)->count = 1;
	fake_event(1)->running_time = 1;
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 10);
	assert_int_equal(values[1], 100);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[1], 100);
	/* Neither does a stop make a count of nothing. */
	assert_ok(PAPI_start(set));
	fake_run(100, 0);
	assert_refused(PAPI_stop(set, values), PAPI_ECNFLCT, "never got its turn on the counters");
	assert_ok(PAPI_start(set));
	fake_count(5);
	fake_run(100, 50);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 10);
	assert_int_equal(values[1], 10);
	destroy_set(set);
}

/* Without multiplexing a share of the time is not made up for: the group is pinned, and ran whenever its thread did. */
static void other_sets_are_not_scaled(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(10);
	fake_run(100, 50);
	assert_ok(PAPI_read(set, &value));
	assert_int_equal(value, 10);
	fake_run(100, 0);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 10);
	destroy_set(set);
}

static void the_times_of_other_sets_can_be_had_too(void **state)
{
	int set = SET_OF("r01", "mem:0x1000");
	long long enabled[2], running[2];

	(void)state;
	assert_ok(PAPI_start(set));
	fake_run(1000, 900);
	assert_ok(PAPI_get_event_times(set, enabled, running));
	assert_int_equal(enabled[1], 1000);
	assert_int_equal(running[1], 900);
	assert_ok(PAPI_reset(set));
	fake_run(70, 50);
	assert_ok(PAPI_stop(set, NULL));
	assert_ok(PAPI_get_event_times(set, enabled, running));
	assert_int_equal(enabled[0], 70);
	assert_int_equal(running[0], 50);
	/* Of a stopped set they are those of its last run. */
	assert_ok(PAPI_get_event_times(set, enabled, running));
	assert_int_equal(enabled[0], 70);
	assert_ok(PAPI_start(set));
	fake_run(5, 5);
	assert_ok(PAPI_stop(set, NULL));
	assert_ok(PAPI_get_event_times(set, enabled, NULL));
	assert_int_equal(enabled[0], 5);
	destroy_set(set);
}

/* What no event has counted yet, nobody loses: the array is as it was, and the next accum has all of it. */
static void accum_is_all_or_nothing(void **state)
{
	int set = multiplexed("r01");
	long long values[2] = { 1000, 1000 };

	(void)state;
	ADD(set, "r02");
	assert_ok(PAPI_start(set));
	fake_event(0)->count = 10;
	fake_event(0)->enabled_time = fake_event(1)->enabled_time = 100;
	fake_event(0)->running_time = 100;
	assert_refused(PAPI_accum(set, values), PAPI_ECNFLCT, "never got its turn on the counters");
	assert_int_equal(values[0], 1000);
	fake_event(1)->count = 7;
	fake_event(1)->running_time = 100;
	assert_ok(PAPI_accum(set, values));
	assert_int_equal(values[0], 1010);
	assert_int_equal(values[1], 1007);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 0);
	destroy_set(set);
}

/* Nobody asks a reset for a count. */
static void reset_needs_no_turn(void **state)
{
	int set = multiplexed("r01");
	long long values[2], enabled[2], running[2];

	(void)state;
	ADD(set, "r02");
	assert_ok(PAPI_start(set));
	fake_event(0)->count = 10;
	fake_event(0)->enabled_time = fake_event(1)->enabled_time = 100;
	fake_event(0)->running_time = 100;
	assert_ok(PAPI_reset(set));
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 0);
	fake_event(0)->enabled_time = fake_event(1)->enabled_time = 150;
	/* The times are there to see who had no turn. */
	assert_ok(PAPI_get_event_times(set, enabled, running));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(enabled[i], 50);
		assert_int_equal(running[i], 0);
	}
	assert_refused(PAPI_read(set, values), PAPI_ECNFLCT, "never got its turn");
	assert_refused(PAPI_stop(set, values), PAPI_ECNFLCT, "never got its turn");
	/* The same descriptors go on. */
	fake_calls_clear();
	assert_ok(PAPI_start(set));
	assert_int_equal(fake.calls[FAKE_OPEN], 0);
	fake_count(3);
	fake_run(10, 5);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[1], 6);
	destroy_set(set);
}

/* The share that ran grows while it runs, and the estimate of what did not happen shrinks; but counts do not. */
static void estimates_never_decrease(void **state)
{
	static const struct {
		uint64_t count, enabled, running;
		long long shown;
	} steps[] = { { 100, 100, 10, 1000 }, { 0, 10, 10, 1000 }, { 0, 1000, 1000, 1000 }, { 1000, 0, 0, 1197 },
		{ 0, 1000, 0, 2275 }, { 0, 1000, 1000, 2275 } };
	int set = multiplexed("r01");
	long long value;

	(void)state;
	assert_ok(PAPI_start(set));
	for (size_t i = 0; i < LENGTH(steps); i++) {
		fake_count(steps[i].count);
		fake_run(steps[i].enabled, steps[i].running);
		assert_ok(PAPI_read(set, &value));
		assert_int_equal(value, steps[i].shown);
	}
	/* A reset forgets that, too. */
	assert_ok(PAPI_reset(set));
	fake_run(10, 10);
	assert_ok(PAPI_read(set, &value));
	assert_int_equal(value, 0);
	assert_ok(PAPI_stop(set, &value));
	destroy_set(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(each_event_is_a_group),
		test_on_model(what_does_not_fit_fits_multiplexed),
		test_on_model(counts_are_scaled_exactly),
		test_on_model(an_estimate_that_overflows_is_not_negative),
		test_on_model(the_ratio_is_that_since_the_baseline),
		test_on_model(each_event_has_its_own_ratio),
		test_on_model(an_event_that_had_no_turn_is_an_error),
		test_on_model(other_sets_are_not_scaled),
		test_on_model(the_times_of_other_sets_can_be_had_too),
		test_on_model(accum_is_all_or_nothing),
		test_on_model(reset_needs_no_turn),
		test_on_model(estimates_never_decrease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
