/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets that are stopped and started again and again: where the program can read counters by itself, the library keeps
 * them counting meanwhile (core/direct.h). None of that may show, but in how long it takes. These hold without it too.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "loop.h"
#include "work.h"

#define N     100000
#define ABOUT 3000 /* instructions that may be around the loop */

static void expect_about(long long expected, long long got)
{
	EXPECT_BETWEEN(expected, got, expected + ABOUT);
}

static int pair(void)
{
	return work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL);
}

/* So often that it is kept from now on. */
static void run_often(int set)
{
	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(set));
		EXPECT_OK(PAPI_stop(set, NULL));
	}
}

static void what_happens_between_is_not_counted(void)
{
	int set = pair();
	long long values[2], again[2];

	run_often(set);
	for (int i = 0; i < 10; i++) {
		loop(10 * N);
		EXPECT_OK(PAPI_start(set));
		loop(N);
		work_stop_values(set, values, 2);
		expect_about(N * LOOP_INSTRUCTIONS, values[0]);
		expect_about(N * LOOP_INSTRUCTIONS * CYCLES_EACH, values[1]);
		loop(10 * N);
		/* Read from a stopped set, they are those of its last run. */
		work_read_values(set, again, 2);
		EXPECT_EQUAL(values[0], again[0]);
		EXPECT_EQUAL(values[1], again[1]);
	}
	work_discard(set);
}

/* 2 ns for each instruction: the time between start and stop, and nothing of that outside. */
static void times_are_those_of_the_run(void)
{
	int set = pair();
	long long enabled[2], running[2];

	run_often(set);
	for (int i = 0; i < 5; i++) {
		loop(20 * N);
		EXPECT_OK(PAPI_start(set));
		loop(N);
		EXPECT_OK(PAPI_stop(set, NULL));
		loop(20 * N);
		EXPECT_OK(PAPI_get_event_times(set, enabled, running));
		EXPECT_BETWEEN(4 * N, enabled[0], 4 * N + 1500000);
		EXPECT_EQUAL(enabled[0], running[0]);
		EXPECT_OK(PAPI_start(set));
		loop(N);
		EXPECT_OK(PAPI_get_event_times(set, enabled, running));
		EXPECT_BETWEEN(4 * N, enabled[1], 4 * N + 1500000);
		EXPECT_OK(PAPI_reset(set));
		EXPECT_OK(PAPI_get_event_times(set, enabled, running));
		EXPECT_BETWEEN(0, enabled[1], 1500000);
		EXPECT_OK(PAPI_stop(set, NULL));
	}
	work_discard(set);
}

static int six(void)
{
	static const char *const names[] = { "perf::INSTRUCTIONS", "r08", "armv8_pmuv3/inst_retired/",
		"armv8_pmuv3/event=8/", "armv8_pmuv3/event=0x8/", "armv8_pmuv3/event=0x08/" };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	return set;
}

static void count_six(int set)
{
	long long values[6];

	EXPECT_OK(PAPI_start(set));
	loop(N);
	work_stop_values(set, values, 6);
	for (int i = 0; i < 6; i++)
		expect_about(N * LOOP_INSTRUCTIONS, values[i]);
}

/* Another set that wants all counters gets them. */
static void another_set_gets_the_counters(void)
{
	int first = six(), second = six(), third = pair();

	for (int i = 0; i < 5; i++) {
		run_often(first);
		count_six(second);
		run_often(third);
		count_six(first);
		run_often(second);
		count_six(second);
		count_six(first);
	}
	work_discard(first);
	work_discard(second);
	work_discard(third);
}

static void *count_in_thread(void *argument)
{
	count_six(*(int *)argument);
	run_often(*(int *)argument);
	return NULL;
}

/* Started by another thread it counts that one, also when it is kept in the first. */
static void it_moves_to_another_thread(void)
{
	int set = six(), other = six();

	for (int i = 0; i < 3; i++) {
		run_often(set);
		work_in_thread(count_in_thread, &set);
		count_six(set);
		count_six(other);
	}
	work_discard(set);
	work_discard(other);
}

struct target {
	pthread_barrier_t barrier;
	volatile pid_t id;
	int set;
};

static void *keep_a_set(void *argument)
{
	struct target *target = argument;

	target->set = six();
	run_often(target->set);
	target->id = gettid();
	pthread_barrier_wait(&target->barrier);
	pthread_barrier_wait(&target->barrier);
	loop(N);
	pthread_barrier_wait(&target->barrier);
	pthread_barrier_wait(&target->barrier);
	count_six(target->set);
	work_discard(target->set);
	return NULL;
}

/* A set attached to a thread that keeps all of its counters. */
static void attached_to_a_thread_that_keeps_one(void)
{
	static struct target target;
	int set = six();
	pthread_t thread;
	long long values[6];

	pthread_barrier_init(&target.barrier, NULL, 2);
	REQUIRE(pthread_create(&thread, NULL, keep_a_set, &target) == 0);
	pthread_barrier_wait(&target.barrier);
	EXPECT_OK(PAPI_attach(set, (unsigned long)target.id));
	EXPECT_OK(PAPI_start(set));
	pthread_barrier_wait(&target.barrier);
	pthread_barrier_wait(&target.barrier);
	work_stop_values(set, values, 6);
	for (int i = 0; i < 6; i++)
		EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS, values[i], N * LOOP_INSTRUCTIONS + 50000);
	pthread_barrier_wait(&target.barrier);
	pthread_join(thread, NULL);
	work_discard(set);
}

static void changes_to_the_set(void)
{
	int set = pair();
	long long values[3];

	run_often(set);
	EXPECT_OK(PAPI_add_named_event(set, "r08"));
	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(set));
		loop(N);
		work_stop_values(set, values, 3);
		expect_about(N * LOOP_INSTRUCTIONS, values[0]);
		expect_about(N * LOOP_INSTRUCTIONS, values[2]);
	}
	EXPECT_OK(PAPI_remove_named_event(set, "perf::INSTRUCTIONS"));
	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(set));
		loop(N);
		work_stop_values(set, values, 2);
		expect_about(N * LOOP_INSTRUCTIONS * CYCLES_EACH, values[0]);
		expect_about(N * LOOP_INSTRUCTIONS, values[1]);
	}
	work_discard(set);
}

static void changes_to_its_domain(void)
{
	int set = work_set("perf::INSTRUCTIONS", NULL, NULL);
	PAPI_option_t option = { .domain = { .eventset = set, .domain = PAPI_DOM_KERNEL } };

	run_often(set);
	EXPECT_OK(PAPI_set_opt(PAPI_DOMAIN, &option));
	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(set));
		getppid();
		EXPECT_BETWEEN(20, work_stop(set), 200000);
	}
	option.domain.domain = PAPI_DOM_USER;
	EXPECT_OK(PAPI_set_opt(PAPI_DOMAIN, &option));
	for (int i = 0; i < 4; i++)
		expect_about(N * LOOP_INSTRUCTIONS, loop_counted(set, N));
	work_discard(set);
}

/* The child's copy shows the last values, and counts anew. */
static void child(void);
static int inherited;

static void a_fork_in_between(void)
{
	long long values[2];

	inherited = pair();
	run_often(inherited);
	EXPECT_EQUAL(0, work_in_process(child));
	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_start(inherited));
		loop(N);
		work_stop_values(inherited, values, 2);
		expect_about(N * LOOP_INSTRUCTIONS, values[0]);
	}
	/* And while it runs. */
	EXPECT_OK(PAPI_start(inherited));
	loop(N);
	EXPECT_EQUAL(0, work_in_process(child));
	loop(N);
	work_stop_values(inherited, values, 2);
	EXPECT_BETWEEN(2 * N * LOOP_INSTRUCTIONS, values[0], 2 * N * LOOP_INSTRUCTIONS + 200000);
	work_discard(inherited);
}

static void child(void)
{
	long long values[2];

	work_read_values(inherited, values, 2);
	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(inherited));
		loop(N);
		work_stop_values(inherited, values, 2);
		expect_about(N * LOOP_INSTRUCTIONS, values[0]);
	}
}

/* Switched out and in, a counter may be in another place: nothing is lost or counted twice. */
static void sleeping_moves_counters(void)
{
	int set = pair();
	long long values[2];

	run_often(set);
	for (int i = 0; i < 10; i++) {
		usleep(1000);
		EXPECT_OK(PAPI_start(set));
		loop(N);
		usleep(1000);
		work_read_values(set, values, 2);
		expect_about(N * LOOP_INSTRUCTIONS, values[0]);
		usleep(1000);
		loop(N);
		work_stop_values(set, values, 2);
		expect_about(2 * N * LOOP_INSTRUCTIONS, values[0]);
	}
	work_discard(set);
}

/* Of 32 bits, the counter of cycles has its overflow interrupt after half of them: here, once in two to three runs. */
#define MANY (1LL << 27)

static void counters_wrap(void)
{
	int set = pair();
	long long values[2];

	run_often(set);
	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(set));
		loop(MANY / 2);
		work_read_values(set, values, 2);
		expect_about(MANY / 2 * LOOP_INSTRUCTIONS, values[0]);
		loop(MANY / 2);
		work_stop_values(set, values, 2);
		EXPECT_BETWEEN(MANY * LOOP_INSTRUCTIONS, values[0], MANY * LOOP_INSTRUCTIONS + 2 * ABOUT);
		EXPECT_BETWEEN(MANY * LOOP_INSTRUCTIONS * CYCLES_EACH, values[1],
			(MANY * LOOP_INSTRUCTIONS + 2 * ABOUT) * CYCLES_EACH);
	}
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "what happens between is not counted", what_happens_between_is_not_counted },
		{ "times are those of the run", times_are_those_of_the_run },
		{ "another set gets the counters", another_set_gets_the_counters },
		{ "it moves to another thread", it_moves_to_another_thread },
		{ "attached to a thread that keeps one", attached_to_a_thread_that_keeps_one },
		{ "changes to the set", changes_to_the_set },
		{ "changes to its domain", changes_to_its_domain },
		{ "a fork in between", a_fork_in_between },
		{ "sleeping moves counters", sleeping_moves_counters },
		{ "counters wrap", counters_wrap },
	};

	loop_begin();
	return check_run(tests, COUNT_OF(tests));
}
