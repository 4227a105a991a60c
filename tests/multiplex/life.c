/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets that take turns, through all that happens to EventSets: threads, forks, resets, others, ends at any moment. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cells.h"
#include "check.h"

#define TURN    1000000
#define THREADS 4

static unsigned n_events; /* more than there are registers */

static int turns_set(void)
{
	return cells_set(PAPI_MULTIPLEX_FORCE_SW, TURN, 0, n_events);
}

/* Counts something in all events, which need not be near anything. */
static void run_once(int set)
{
	long long values[CELLS];

	EXPECT_OK(PAPI_start(set));
	cells_work_until_all_ran(set, n_events);
	EXPECT_OK(PAPI_stop(set, values));
	for (unsigned i = 0; i < n_events; i++)
		EXPECT(values[i] > 0);
}

static void again_and_again(void)
{
	int set = turns_set();
	long long values[CELLS], sums[CELLS] = { 0 }, before[CELLS];

	for (int round = 0; round < 20; round++)
		run_once(set);
	/* Too short for a turn each: an error, not zeros; and the next run is not the worse for it. */
	EXPECT_OK(PAPI_start(set));
	cells_work(1);
	EXPECT_ERROR(PAPI_ECNFLCT, "turn", PAPI_read(set, values));
	EXPECT_ERROR(PAPI_ECNFLCT, "turn", PAPI_accum(set, sums));
	EXPECT_EQUAL(0, sums[0]);
	EXPECT_OK(PAPI_reset(set));
	cells_work(1);
	EXPECT_ERROR(PAPI_ECNFLCT, "turn", PAPI_stop(set, values));
	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(set, values));
	run_once(set);
	/* What is added up is never less than what was there; write puts any number on top. */
	EXPECT_OK(PAPI_start(set));
	for (int round = 0; round < 5; round++) {
		cells_work_until_all_ran(set, n_events);
		memcpy(before, sums, sizeof(before));
		EXPECT_OK(PAPI_accum(set, sums));
		for (unsigned i = 0; i < n_events; i++)
			EXPECT(sums[i] > before[i]);
	}
	cells_work_until_all_ran(set, n_events);
	for (unsigned i = 0; i < n_events; i++)
		values[i] = -1000000000;
	EXPECT_OK(PAPI_write(set, values));
	EXPECT_OK(PAPI_read(set, sums));
	for (unsigned i = 0; i < n_events; i++)
		EXPECT_BETWEEN(-1000000000, sums[i], -999000000);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

static void events_come_and_go(void)
{
	int set = cells_empty_set(PAPI_MULTIPLEX_FORCE_SW, TURN);
	unsigned all = n_events;

	/* One by one to and fro over the number of registers. */
	for (n_events = 1; n_events <= all; n_events++) {
		REQUIRE_OK(PAPI_add_named_event(set, cells_event(n_events - 1)));
		run_once(set);
	}
	for (n_events = all - 1; n_events; n_events--) {
		EXPECT_OK(PAPI_remove_named_event(set, cells_event(all - n_events - 1)));
		run_once(set);
	}
	n_events = all;
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_EQUAL(0, PAPI_get_multiplex(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static void *thread_with_its_own(void *unused)
{
	int set = turns_set();

	(void)unused;
	for (int round = 0; round < 5; round++)
		run_once(set);
	work_discard(set);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, thread_with_its_own, NULL));
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_join(thread[i], NULL));
}

static struct {
	int set;
	_Atomic bool ready, done;
} shared;

static void *thread_that_is_read(void *unused)
{
	(void)unused;
	EXPECT_OK(PAPI_start(shared.set));
	cells_work_until_all_ran(shared.set, n_events);
	atomic_store(&shared.ready, true);
	while (!atomic_load(&shared.done))
		cells_work(1);
	return NULL;
}

/* Another thread reads and resets while the turns go on, and stops the set when its thread is gone. */
static void of_a_thread_that_others_read(void)
{
	long long values[CELLS];
	pthread_t thread;

	shared.set = turns_set();
	atomic_store(&shared.ready, false);
	atomic_store(&shared.done, false);
	REQUIRE(!pthread_create(&thread, NULL, thread_that_is_read, NULL));
	while (!atomic_load(&shared.ready))
		usleep(1000);
	for (int i = 0; i < 20000; i++)
		REQUIRE_OK(PAPI_read(shared.set, values));
	atomic_store(&shared.done, true);
	pthread_join(thread, NULL);
	EXPECT_OK(PAPI_stop(shared.set, values));
	for (unsigned i = 0; i < n_events; i++)
		EXPECT(values[i] > 0);
	/* It counts this thread next, with a timer for it. */
	run_once(shared.set);
	work_discard(shared.set);
}

static int parents_set;

static void child(void)
{
	int own, state;

	EXPECT_OK(PAPI_state(parents_set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_MULTIPLEXING, state);
	/* No timer came along to tell anybody anything. */
	cells_work(100);
	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(parents_set, NULL));
	run_once(parents_set);
	/* What it holds now is this process's own, and short. */
	work_discard(parents_set);
	own = turns_set();
	run_once(own);
	work_discard(own);
}

static void forks(void)
{
	long long values[CELLS];

	parents_set = turns_set();
	for (int round = 0; round < 3; round++) {
		EXPECT_OK(PAPI_start(parents_set));
		cells_work(20);
		EXPECT_EQUAL(0, work_in_process(child));
		cells_work_until_all_ran(parents_set, n_events);
		EXPECT_OK(PAPI_stop(parents_set, values));
	}
	work_discard(parents_set);
}

/* Others may be running in the thread: each has its own timer and its own turns. */
static void several_sets(void)
{
	int first = cells_set(PAPI_MULTIPLEX_FORCE_SW, TURN, 0, 1), second = turns_set();
	long long values[CELLS];

	/* One register is taken: the others share what is left. */
	EXPECT_OK(PAPI_start(first));
	EXPECT_OK(PAPI_start(second));
	cells_work(100);
	cells_work_until_all_ran(second, n_events);
	EXPECT_OK(PAPI_stop(second, values));
	EXPECT_OK(PAPI_stop(first, values));
	EXPECT(values[0] >= 100);
	work_discard(first);
	run_once(second);
	work_discard(second);
}

static void sets_end_while_their_timers_run(void)
{
	for (int i = 0; i < 50; i++) {
		int set = turns_set();

		EXPECT_OK(PAPI_start(set));
		cells_work((unsigned long)i % 7);
		PAPI_stop(set, NULL);
		work_discard(set);
	}
}

static void shut_down_in_the_middle(void)
{
	for (int i = 0; i < 10; i++) {
		int set = turns_set();

		EXPECT_OK(PAPI_start(set));
		cells_work(10);
		PAPI_shutdown();
		cells_work(10);
		EXPECT_ERROR(PAPI_ENOINIT, "not initialised", PAPI_read(set, &(long long){ 0 }));
		REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	}
}

/* A pending signal must not end the program that is run next. */
static void exec_with_a_timer(void)
{
	int set = turns_set();

	EXPECT_OK(PAPI_start(set));
	cells_work(10);
	execl("/bin/true", "true", (char *)NULL);
	_exit(9);
}

static void execs(void)
{
	for (int i = 0; i < 5; i++)
		EXPECT_EQUAL(0, work_in_process(exec_with_a_timer));
}

int main(void)
{
	static const struct test tests[] = {
		{ "again and again", again_and_again },
		{ "events come and go", events_come_and_go },
		{ "threads", threads },
		{ "of a thread that others read", of_a_thread_that_others_read },
		{ "forks", forks },
		{ "several sets", several_sets },
		{ "sets end while their timers run", sets_end_while_their_timers_run },
		{ "shut down in the middle", shut_down_in_the_middle },
		{ "execs", execs },
	};

	work_begin();
	n_events = cells_registers() + 2;
	cells_work(1);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
