/* SPDX-License-Identifier: BSD-3-Clause */
/* core/eventset.h: EventSets of several components, of derived events, and of several threads. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "definitions.h"
#include "sets.h"

#define MILLISECOND 1000000L

/* Time passes, which is what tells rusage:::realtime from events that nobody causes here. */
static void pass_time(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2 * MILLISECOND }, NULL);
}

static void assert_is_time(long long value)
{
	assert_true(value >= 2 * MILLISECOND);
}

/* Blocks written and major faults: hardly any, and by far not a million. */
static void assert_is_rare(long long value)
{
	assert_in_range(value, 0, MILLISECOND / 2);
}

/* Starts, lets the model count and time pass, stops. */
static void count_into(int set, uint64_t amount, long long values[])
{
	assert_ok(PAPI_start(set));
	fake_count(amount);
	pass_time();
	assert_ok(PAPI_stop(set, values));
}

static void values_come_in_the_order_of_adding(void **state)
{
	int set = SET_OF("r01", "rusage:::realtime", "r02", "rusage:::oublock", "mem:0x1000");
	long long values[5];

	(void)state;
	assert_ok(PAPI_start(set));
	fake_event(0)->count += 11;
	fake_event(1)->count += 22;
	fake_event(2)->count += 33;
	pass_time();
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 11);
	assert_is_time(values[1]);
	assert_int_equal(values[2], 22);
	assert_is_rare(values[3]);
	assert_int_equal(values[4], 33);
	assert_ok(PAPI_stop(set, NULL));
	/* Taking one out moves the later ones up, in both components. */
	assert_ok(PAPI_remove_named_event(set, "r01"));
	assert_ok(PAPI_remove_named_event(set, "rusage:::realtime"));
	assert_ok(PAPI_start(set));
	fake_event(0)->count += 5;
	fake_event(1)->count += 6;
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 5);
	assert_is_rare(values[1]);
	assert_int_equal(values[2], 6);
	destroy_set(set);
}

static void removing_a_mixed_event_leaves_the_others_right(void **state)
{
	static const char *const mixed[][2] = {
		{ "rusage:::realtime", "r02" },
		{ "r02", "rusage:::realtime" },
	};
	long long values[3];

	(void)state;
	for (size_t i = 0; i < LENGTH(mixed); i++) {
		const char *name = i ? "MIXED_B" : "MIXED_A";
		int set;

		assert_ok(define(name, PAPI_DERIVED_ADD, NULL, mixed[i][0], mixed[i][1]));
		/* The part of the CPU comes first, or last. */
		for (int cpu_first = 0; cpu_first < 2; cpu_first++) {
			set = cpu_first ? SET_OF("r01", "rusage:::oublock") : SET_OF("rusage:::oublock", "r01");
			ADD(set, name);
			count_into(set, 7, values);
			assert_int_equal(values[!cpu_first], 7);
			assert_is_rare(values[cpu_first]);
			assert_is_time(values[2]);
			assert_ok(PAPI_remove_named_event(set, name));
			count_into(set, 9, values);
			assert_int_equal(values[!cpu_first], 9);
			assert_is_rare(values[cpu_first]);
			destroy_set(set);
		}
		/* Here the removal makes a whole part go. */
		set = SET_OF(name, "rusage:::oublock");
		assert_ok(PAPI_remove_named_event(set, name));
		count_into(set, 9, values);
		assert_is_rare(values[0]);
		destroy_set(set);
	}
}

/* A term in the middle cannot be added: what came before it goes again, from the right places. */
static void a_mixed_event_that_does_not_fit_leaves_no_trace(void **state)
{
	long long values[4];
	int set;

	(void)state;
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW, .counters = 2 });
	set = SET_OF("r01", "rusage:::oublock");
	assert_ok(define(
		"MIXED", PAPI_DERIVED_INFIX, "N0+N1+N2+N3", "rusage:::realtime", "r02", "rusage:::majflt", "r03"));
	assert_refused(PAPI_add_named_event(set, "MIXED"), PAPI_ECNFLCT, "another EventSet");
	assert_says("r03");
	assert_int_equal(PAPI_num_events(set), 2);
	count_into(set, 7, values);
	assert_int_equal(values[0], 7);
	assert_is_rare(values[1]);
	/* The room is free again, and the definition is not held. */
	ADD(set, "r02", "rusage:::realtime");
	count_into(set, 8, values);
	assert_int_equal(values[0], 8);
	assert_is_rare(values[1]);
	assert_int_equal(values[2], 8);
	assert_is_time(values[3]);
	assert_ok(define("MIXED", PAPI_NOT_DERIVED, NULL, "r01"));
	destroy_set(set);
}

static void natives_are_counted_once_however_often_they_are_used(void **state)
{
	long long values[4];
	int set;

	(void)state;
	assert_ok(define("SUM", PAPI_DERIVED_ADD, NULL, "r01", "r02"));
	assert_ok(define("DIFFERENCE", PAPI_DERIVED_SUB, NULL, "r02", "r01"));
	set = SET_OF("SUM", "r02", "DIFFERENCE", "r01");
	assert_int_equal(fake.n_open, 2);
	assert_int_equal(PAPI_num_events(set), 4);
	assert_ok(PAPI_start(set));
	fake_event(0)->count = 100;
	fake_event(1)->count = 42;
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 142);
	assert_int_equal(values[1], 42);
	assert_int_equal(values[2], -58);
	assert_int_equal(values[3], 100);
	/* The last user takes the native with it. */
	assert_ok(PAPI_remove_named_event(set, "SUM"));
	assert_ok(PAPI_remove_named_event(set, "r01"));
	assert_int_equal(fake.n_open, 2);
	assert_ok(PAPI_remove_named_event(set, "DIFFERENCE"));
	assert_int_equal(fake.n_open, 1);
	assert_int_equal(fake_event(0)->attr.config, 2);
	assert_ok(PAPI_start(set));
	fake_count(3);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 3);
	destroy_set(set);
}

static void a_part_that_cannot_start_stops_the_others(void **state)
{
	int set = SET_OF("rusage:::realtime", "r01"), status;
	long long values[2];

	(void)state;
	fake_fail(FAKE_IOCTL, 1, EIO);
	assert_refused(PAPI_start(set), PAPI_ESYS, "PERF_EVENT_IOC_ENABLE");
	assert_ok(PAPI_state(set, &status));
	assert_int_equal(status, PAPI_STOPPED);
	assert_refused(PAPI_stop(set, values), PAPI_ENOTRUN, "not counting");
	count_into(set, 4, values);
	assert_is_time(values[0]);
	assert_int_equal(values[1], 4);
	destroy_set(set);
}

static void a_component_that_refuses_an_option_keeps_the_others_from_it(void **state)
{
	int set = SET_OF("r01", "rusage:::realtime"), status;
	long long values[2];

	(void)state;
	assert_refused(
		PAPI_attach(set, (unsigned long)getpid()), PAPI_ECMP, "rusage events count the calling thread only");
	assert_ok(PAPI_state(set, &status));
	assert_int_equal(status, PAPI_STOPPED);
	assert_int_equal(fake.n_open, 1);
	assert_int_equal(fake_event(0)->pid, 0);
	count_into(set, 6, values);
	assert_int_equal(values[0], 6);
	assert_is_time(values[1]);
	destroy_set(set);
	/* Neither can it join a set that has the option. */
	set = SET_OF("r01");
	assert_ok(PAPI_attach(set, (unsigned long)getpid()));
	assert_refused(PAPI_add_named_event(set, "rusage:::realtime"), PAPI_ECMP, "calling thread only");
	assert_int_equal(PAPI_num_events(set), 1);
	destroy_set(set);
}

static void *start_and_count(void *argument)
{
	static long long values[2];
	int set = *(int *)argument;

	if (PAPI_start(set) != PAPI_OK)
		return NULL;
	fake_count(21);
	return PAPI_stop(set, values) == PAPI_OK ? values : NULL;
}

/* A set counts the thread that starts it: for another one its events are opened again. */
static void a_set_moves_to_the_thread_that_starts_it(void **state)
{
	int set = SET_OF("r01", "r02"), first = fake_event(0)->fd;
	pthread_t thread;
	void *value;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, start_and_count, &set), 0);
	pthread_join(thread, &value);
	assert_non_null(value);
	assert_int_equal(*(long long *)value, 21);
	assert_int_equal(fake.n_open, 2);
	assert_int_not_equal(fake_event(0)->fd, first);
	/* Back again; and not once more for the same thread. */
	fake_calls_clear();
	assert_non_null(start_and_count(&set));
	assert_int_equal(fake.calls[FAKE_OPEN], 2);
	assert_int_equal(fake.calls[FAKE_CLOSE], 2);
	fake_calls_clear();
	assert_non_null(start_and_count(&set));
	assert_int_equal(fake.calls[FAKE_OPEN], 0);
	destroy_set(set);
}

static void an_attached_set_does_not_move(void **state)
{
	int set = SET_OF("r01"), first;
	pthread_t thread;
	void *value;

	(void)state;
	assert_ok(PAPI_attach(set, (unsigned long)getpid()));
	first = fake_event(0)->fd;
	assert_int_equal(fake_event(0)->pid, getpid());
	assert_int_equal(pthread_create(&thread, NULL, start_and_count, &set), 0);
	pthread_join(thread, &value);
	assert_non_null(value);
	assert_int_equal(*(long long *)value, 21);
	assert_int_equal(fake_event(0)->fd, first);
	destroy_set(set);
}

static void an_assigned_set_takes_events_of_its_component(void **state)
{
	int set = PAPI_NULL, rusage = PAPI_get_component_index("rusage");

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_refused(PAPI_get_eventset_component(set), PAPI_ENOCMP, "no component has been assigned");
	assert_ok(PAPI_assign_eventset_component(set, rusage));
	assert_int_equal(PAPI_get_eventset_component(set), rusage);
	assert_refused(PAPI_add_named_event(set, "r01"), PAPI_ECMP, "assigned");
	ADD(set, "rusage:::majflt");
	assert_refused(PAPI_assign_eventset_component(set, 0), PAPI_EINVAL, "component already");
	destroy_set(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(values_come_in_the_order_of_adding),
		test_on_model(removing_a_mixed_event_leaves_the_others_right),
		test_on_model(a_mixed_event_that_does_not_fit_leaves_no_trace),
		test_on_model(natives_are_counted_once_however_often_they_are_used),
		test_on_model(a_part_that_cannot_start_stops_the_others),
		test_on_model(a_component_that_refuses_an_option_keeps_the_others_from_it),
		test_on_model(a_set_moves_to_the_thread_that_starts_it),
		test_on_model(an_attached_set_does_not_move),
		test_on_model(an_assigned_set_takes_events_of_its_component),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
