/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every thread at once: each gets its own overflows, in its own thread, and all of them.
 *
 * Usage: threads [SECONDS]: how long 16 threads overflow a thousand times a second each. Default: 1.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "record.h"

#define THREADS   16
#define THRESHOLD 10
#define BATCH     10 /* overflows, then a pause: a thousand in a second */
#define PAUSE_NS  10000000

static int seconds = 1;
static _Atomic long strangers; /* calls in a thread other than the one that counts */
static _Thread_local int own_set;
static _Atomic long long all_delivered, all_lost, all_expected;

static void handler(int set, void *address, long long vector, void *context)
{
	if (set != own_set)
		atomic_fetch_add(&strangers, 1);
	record_handler(set, address, vector, context);
}

static void pause_until(struct timespec *next)
{
	next->tv_nsec += PAUSE_NS;
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

/* Software events alone: there are not breakpoints for 16 threads on every machine. */
static void *thousand_a_second(void *unused)
{
	char *pages = work_pages(THRESHOLD * BATCH);
	struct timespec next;
	long long count;

	own_set = work_set("perf::PAGE-FAULTS", NULL, NULL);
	EXPECT_OK(PAPI_overflow(own_set, record_code(own_set, 0), THRESHOLD, 0, handler));
	record_clear();
	clock_gettime(CLOCK_MONOTONIC, &next);
	EXPECT_OK(PAPI_start(own_set));
	for (int i = 0; i < seconds * 100; i++) {
		record_touch(pages, THRESHOLD * BATCH);
		work_unmap(pages, THRESHOLD * BATCH);
		pages = work_pages(THRESHOLD * BATCH);
		pause_until(&next);
	}
	count = work_stop(own_set);
	EXPECT(count >= seconds * 100LL * THRESHOLD * BATCH);
	EXPECT_EQUAL(record.calls, record_delivered(own_set));
	/* ThreadSanitizer holds signals back: the last one may come after the region. */
	EXPECT_BETWEEN(count / THRESHOLD - (work_exact_faults() ? 0 : 2),
		record_delivered(own_set) + record_lost(own_set), count / THRESHOLD);
	atomic_fetch_add(&all_delivered, record_delivered(own_set));
	atomic_fetch_add(&all_lost, record_lost(own_set));
	atomic_fetch_add(&all_expected, count / THRESHOLD);
	work_unmap(pages, THRESHOLD * BATCH);
	work_discard(own_set);
	return unused;
}

static void all_at_once(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&threads[i], NULL, thousand_a_second, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQUAL(0, atomic_load(&strangers));
	if (work_exact_faults())
		EXPECT_EQUAL(atomic_load(&all_expected), atomic_load(&all_delivered) + atomic_load(&all_lost));
	printf("%d threads, %d s: %lld overflows, %lld delivered, %lld lost\n", THREADS, seconds,
		atomic_load(&all_expected), atomic_load(&all_delivered), atomic_load(&all_lost));
}

/* The same by timer: every thread has one of its own, which goes by the CPU time of that thread. */
static void *by_timer(void *unused)
{
	own_set = work_set("perf::TASK-CLOCK", NULL, NULL);
	EXPECT_OK(PAPI_overflow(own_set, record_code(own_set, 0), 1000000, PAPI_OVERFLOW_FORCE_SW, handler));
	record_clear();
	EXPECT_OK(PAPI_start(own_set));
	for (int i = 0; i < 100 && record.calls < 5; i++)
		record_spin(20);
	EXPECT_OK(PAPI_stop(own_set, NULL));
	EXPECT(record.calls >= 5);
	work_discard(own_set);
	return unused;
}

static void timers_at_once(void)
{
	pthread_t threads[THREADS];

	atomic_store(&strangers, 0);
	for (int i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&threads[i], NULL, by_timer, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQUAL(0, atomic_load(&strangers));
}

/* A set goes with the thread that starts it: so do its signals. */
static int moved;

static void *start_elsewhere(void *flags)
{
	own_set = moved;
	record_clear();
	EXPECT_OK(PAPI_start(moved));
	if (flags)
		for (int i = 0; i < 100 && record.calls < 3; i++)
			record_spin(20);
	else
		record_faults(100);
	EXPECT_OK(PAPI_stop(moved, NULL));
	EXPECT(record.calls >= 3);
	EXPECT_EQUAL(record.calls, record_delivered(moved));
	return NULL;
}

static void moves_between_threads(void)
{
	int flags[2] = { 0, PAPI_OVERFLOW_FORCE_SW };
	const char *events[2] = { "perf::PAGE-FAULTS", "perf::TASK-CLOCK" };

	for (int i = 0; i < 2; i++) {
		pthread_t thread;

		atomic_store(&strangers, 0);
		moved = work_set(events[i], NULL, NULL);
		EXPECT_OK(PAPI_overflow(moved, record_code(moved, 0), i ? 1000000 : 10, flags[i], handler));
		start_elsewhere(i ? &moved : NULL);
		REQUIRE(pthread_create(&thread, NULL, start_elsewhere, i ? &moved : NULL) == 0);
		pthread_join(thread, NULL);
		start_elsewhere(i ? &moved : NULL);
		EXPECT_EQUAL(0, atomic_load(&strangers));
		work_discard(moved);
	}
}

/* Stopped, emptied and destroyed by another thread at any moment of its handlers. */
static atomic_int shared, ready, done;
static atomic_bool over;

static void reading_handler(int set, void *address, long long vector, void *context)
{
	long long value;

	(void)address;
	(void)vector;
	(void)context;
	PAPI_read(set, &value);
}

static void *overflow_all_the_time(void *unused)
{
	for (int round = 0; !atomic_load(&over); round++) {
		int set = PAPI_NULL;

		REQUIRE_OK(PAPI_create_eventset(&set));
		REQUIRE_OK(PAPI_add_named_event(set, "perf::MINOR-FAULTS"));
		REQUIRE_OK(PAPI_overflow(
			set, record_code(set, 0), 1, round % 2 ? PAPI_OVERFLOW_FORCE_SW : 0, reading_handler));
		REQUIRE_OK(PAPI_start(set));
		atomic_store(&shared, set);
		atomic_store(&ready, round + 1);
		while (atomic_load(&done) <= round && !atomic_load(&over))
			record_faults(10);
	}
	return unused;
}

static void destroyed_by_another_thread(void)
{
	pthread_t thread;

	REQUIRE(pthread_create(&thread, NULL, overflow_all_the_time, NULL) == 0);
	for (int round = 0; round < 300; round++) {
		int set;

		while (atomic_load(&ready) <= round)
			sched_yield();
		set = atomic_load(&shared);
		EXPECT_OK(PAPI_stop(set, NULL));
		EXPECT_OK(PAPI_cleanup_eventset(set));
		EXPECT_OK(PAPI_destroy_eventset(&set));
		atomic_store(&done, round + 1);
	}
	/* The last one that is still there goes with the library. */
	atomic_store(&over, true);
	pthread_join(thread, NULL);
}

int main(int argc, char *argv[])
{
	static const struct test tests[] = {
		{ "a thousand a second in every thread", all_at_once },
		{ "timers in every thread", timers_at_once },
		{ "a set that moves", moves_between_threads },
		{ "a set that another thread destroys", destroyed_by_another_thread },
	};

	if (argc > 1)
		seconds = atoi(argv[1]);
	work_begin();
	work_bytes(1);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
