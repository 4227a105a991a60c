/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counting costs: the calls of the kernel that each function makes, and no others. On the model kernel, which also
 * sees how events are opened.
 */
#include "sets.h"

static void assert_calls(unsigned opens, unsigned reads, unsigned ioctls, unsigned closes)
{
	assert_int_equal(fake.calls[FAKE_OPEN], opens);
	assert_int_equal(fake.calls[FAKE_READ], reads);
	assert_int_equal(fake.calls[FAKE_IOCTL], ioctls);
	assert_int_equal(fake.calls[FAKE_CLOSE], closes);
	fake_calls_clear();
}

static void adding_an_event_is_one_open(void **state)
{
	static const char *const names[] = { "r01", "r02", "mem:0x1000", "r03", "r04", "mem:0x2000:w", "mem:0x3000",
		"mem:0x4000" };
	int set = SET_OF("r05");

	(void)state;
	assert_ok(PAPI_remove_named_event(set, "r05"));
	fake_calls_clear();
	for (size_t i = 0; i < LENGTH(names); i++) {
		ADD(set, names[i]);
		assert_calls(1, 0, 0, 0);
	}
	assert_int_equal(fake.n_open, LENGTH(names));
	/* All in one group, whose leader alone waits for the start. */
	for (unsigned i = 0; i < LENGTH(names); i++) {
		const struct perf_event_attr *attr = &fake_event(i)->attr;

		assert_ptr_equal(fake_event(i)->leader, fake_event(0));
		assert_int_equal(attr->disabled, i == 0);
		assert_int_equal(attr->pinned, i == 0);
		assert_int_equal(attr->inherit, 0);
		assert_int_equal(attr->read_format,
			PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
		assert_int_equal(fake_event(i)->pid, 0);
		assert_int_equal(fake_event(i)->cpu, -1);
	}
	destroy_set(set);
	assert_calls(0, 0, 0, LENGTH(names));
}

static void start_and_stop_are_two_ioctls_and_a_read(void **state)
{
	int set = SET_OF("r01", "r02", "mem:0x1000", "mem:0x2000");
	long long values[4];

	(void)state;
	fake_calls_clear();
	for (uint64_t round = 1; round < 4; round++) {
		assert_ok(PAPI_start(set));
		assert_calls(0, 0, 1, 0);
		fake_count(round);
		assert_ok(PAPI_stop(set, values));
		assert_calls(0, 1, 1, 0);
		for (int i = 0; i < 4; i++)
			assert_int_equal(values[i], round);
	}
	destroy_set(set);
}

static void reading_is_one_read(void **state)
{
	int set = SET_OF("r01", "r02", "mem:0x1000", "mem:0x2000");
	long long values[4], cycles;

	(void)state;
	assert_ok(PAPI_start(set));
	fake_calls_clear();
	for (int i = 0; i < 4; i++)
		fake_event((unsigned)i)->count += 1000 + (uint64_t)i;
	assert_ok(PAPI_read(set, values));
	assert_calls(0, 1, 0, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 1000 + i);
	assert_ok(PAPI_read_ts(set, values, &cycles));
	assert_calls(0, 1, 0, 0);
	assert_ok(PAPI_accum(set, values));
	assert_calls(0, 1, 0, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 2 * (1000 + i));
	/* accum has reset them. */
	fake_count(5);
	assert_ok(PAPI_read(set, values));
	assert_calls(0, 1, 0, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 5);
	assert_ok(PAPI_stop(set, NULL));
	destroy_set(set);
}

static void a_reset_is_a_new_baseline(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(100);
	fake_calls_clear();
	assert_ok(PAPI_reset(set));
	assert_calls(0, 1, 0, 0);
	fake_count(7);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 7);
	fake_calls_clear();
	/* A stopped set is not worth a call. */
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[1], 7);
	assert_ok(PAPI_reset(set));
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 0);
	assert_int_equal(values[1], 0);
	values[0] = 40;
	assert_ok(PAPI_write(set, values));
	assert_ok(PAPI_accum(set, values));
	assert_int_equal(values[0], 80);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 0);
	/* What was counted before is not there any more. */
	assert_int_equal(values[1], 0);
	assert_calls(0, 0, 0, 0);
	destroy_set(set);
}

static void written_values_are_counted_on(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2] = { INT64_MAX, -1000 };

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(3);
	fake_calls_clear();
	assert_ok(PAPI_write(set, values));
	assert_calls(0, 1, 0, 0);
	fake_count(5);
	assert_ok(PAPI_read(set, values));
	/* Beyond 63 bits a sum wraps, as the counters of the hardware do. */
	assert_int_equal(values[0], INT64_MIN + 4);
	assert_int_equal(values[1], -995);
	/* Written once more, it is the last that holds. */
	values[0] = 1;
	values[1] = 2;
	assert_ok(PAPI_write(set, values));
	assert_ok(PAPI_write(set, values));
	fake_count(1);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 3);
	assert_ok(PAPI_reset(set));
	fake_count(2);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 2);
	destroy_set(set);
}

static void written_values_move_with_their_events(void **state)
{
	int set = SET_OF("r01", "r02", "r03");
	long long values[4] = { 10, 20, 30 };

	(void)state;
	assert_ok(PAPI_write(set, values));
	assert_ok(PAPI_remove_named_event(set, "r02"));
	ADD(set, "r04");
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 10);
	assert_int_equal(values[1], 30);
	assert_int_equal(values[2], 0);
	/* A start begins at 0. */
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[1], 0);
	assert_ok(PAPI_stop(set, NULL));
	destroy_set(set);
}

static void alternating_two_sets_opens_nothing(void **state)
{
	int a = SET_OF("r01", "mem:0x1000"), b = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	fake_calls_clear();
	for (uint64_t round = 1; round < 5; round++) {
		assert_ok(PAPI_start(a));
		fake_count(round);
		assert_ok(PAPI_stop(a, values));
		assert_int_equal(values[0], round);
		assert_ok(PAPI_start(b));
		fake_count(10 * round);
		assert_ok(PAPI_stop(b, values));
		assert_int_equal(values[1], 10 * round);
		assert_calls(0, 2, 4, 0);
	}
	/* And both at once. */
	assert_ok(PAPI_start(a));
	fake_count(1);
	assert_ok(PAPI_start(b));
	fake_count(2);
	assert_ok(PAPI_stop(a, values));
	assert_int_equal(values[0], 3);
	fake_count(4);
	assert_ok(PAPI_stop(b, values));
	assert_int_equal(values[0], 6);
	assert_calls(0, 2, 4, 0);
	destroy_set(a);
	destroy_set(b);
}

static void removing_a_follower_is_one_close(void **state)
{
	int set = SET_OF("r01", "r02", "r03", "mem:0x1000");
	long long values[4];

	(void)state;
	fake_calls_clear();
	assert_ok(PAPI_remove_named_event(set, "r02"));
	assert_calls(0, 0, 0, 1);
	assert_ok(PAPI_start(set));
	fake_event(0)->count += 1;
	fake_event(1)->count += 3;
	fake_event(2)->count += 4;
	assert_ok(PAPI_stop(set, values));
	assert_calls(0, 1, 2, 0);
	assert_int_equal(values[0], 1);
	assert_int_equal(values[1], 3);
	assert_int_equal(values[2], 4);
	/* The freed place is used again. */
	ADD(set, "r02", "r04");
	assert_calls(2, 0, 0, 0);
	destroy_set(set);
}

/* The kernel dissolves a group whose leader goes. */
static void removing_the_leader_opens_the_rest_again(void **state)
{
	int set = SET_OF("r01", "r02", "r03");
	long long values[3];

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(50);
	assert_ok(PAPI_stop(set, NULL));
	fake_calls_clear();
	assert_ok(PAPI_remove_named_event(set, "r01"));
	assert_calls(2, 0, 0, 3);
	assert_int_equal(fake.n_open, 2);
	assert_ptr_equal(fake_event(1)->leader, fake_event(0));
	assert_ok(PAPI_start(set));
	fake_event(0)->count += 2;
	fake_event(1)->count += 3;
	assert_ok(PAPI_stop(set, values));
	assert_calls(0, 1, 2, 0);
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 3);
	assert_ok(PAPI_remove_named_event(set, "r02"));
	assert_ok(PAPI_remove_named_event(set, "r03"));
	assert_int_equal(fake.n_open, 0);
	assert_refused(PAPI_start(set), PAPI_EINVAL, "empty");
	ADD(set, "r04");
	assert_ok(PAPI_start(set));
	fake_count(9);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 9);
	destroy_set(set);
}

static void failed_calls_cost_nothing(void **state)
{
	int set = SET_OF("r01"), code;
	long long values[1];

	(void)state;
	assert_ok(PAPI_event_name_to_code("r01", &code));
	fake_calls_clear();
	assert_refused(PAPI_stop(set, values), PAPI_ENOTRUN, "not counting");
	assert_refused(PAPI_add_event(set, code), PAPI_ECNFLCT, "in the EventSet already");
	assert_refused(PAPI_remove_named_event(set, "r02"), PAPI_ENOEVNT, "not in the EventSet");
	assert_ok(PAPI_start(set));
	fake_calls_clear();
	assert_refused(PAPI_start(set), PAPI_EISRUN, "counting already");
	assert_refused(PAPI_add_named_event(set, "r02"), PAPI_EISRUN, "stop it before adding");
	assert_refused(PAPI_remove_event(set, code), PAPI_EISRUN, "stop it before removing");
	assert_refused(PAPI_cleanup_eventset(set), PAPI_EISRUN, "PAPI_cleanup_eventset");
	assert_refused(PAPI_destroy_eventset(&(int){ set }), PAPI_EISRUN, "PAPI_destroy_eventset");
	assert_refused(PAPI_set_multiplex(set), PAPI_EISRUN, "options");
	assert_refused(PAPI_read(set, NULL), PAPI_EINVAL, "null pointer");
	assert_refused(PAPI_accum(set, NULL), PAPI_EINVAL, "null pointer");
	assert_refused(PAPI_write(set, NULL), PAPI_EINVAL, "null pointer");
	assert_refused(PAPI_read_ts(set, values, NULL), PAPI_EINVAL, "null pointer");
	assert_int_equal(fake_calls_all(), 0);
	assert_ok(PAPI_stop(set, values));
	destroy_set(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(adding_an_event_is_one_open),
		test_on_model(start_and_stop_are_two_ioctls_and_a_read),
		test_on_model(reading_is_one_read),
		test_on_model(a_reset_is_a_new_baseline),
		test_on_model(written_values_are_counted_on),
		test_on_model(written_values_move_with_their_events),
		test_on_model(alternating_two_sets_opens_nothing),
		test_on_model(removing_a_follower_is_one_close),
		test_on_model(removing_the_leader_opens_the_rest_again),
		test_on_model(failed_calls_cost_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
