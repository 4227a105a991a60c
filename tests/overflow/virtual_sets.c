/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EventSets on the virtual PMU with several events that overflow, exact and modelled; in threads one after the other
 * and all at once, over a fork, in a range of addresses, and with handlers that use their set.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"
#include "record.h"
#include "twins.h"

#define LINE  64
#define LINES 1024

#define STOPPED 200   /* sets, by another thread than the one that counts */
#define STOPS   10000 /* of one set, likewise */
#define ENDS    3000  /* of threads that count */
#define LEFT    1000L /* bytes for each of them that memory may grow by: of a run, there are some thousand */

static _Alignas(4096) volatile char data[LINES * LINE], others[LINES * LINE];

/* One load for each of n lines. */
static WORK_PLAIN void walk(volatile char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)from[i * LINE];
}

/* Writes to lines of the stack. */
static WORK_PLAIN unsigned climb(unsigned n)
{
	volatile unsigned char place[LINE];

	place[0] = (unsigned char)n;
	return n ? climb(n - 1) + place[0] : 0;
}

static unsigned long thread_id(void)
{
	return (unsigned long)pthread_self();
}

static void begin(void)
{
	setenv("PAPI_VPMU_CACHE", "L1I=4K/2/64,L1D=1K/2/64,L2=8K/4/64,L3=none,DTLB=4/4", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_thread_init(thread_id));
}

static int new_set(const char *event, int threshold, PAPI_overflow_handler_t handler)
{
	int set = work_set(event, NULL, NULL);

	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), threshold, PAPI_OVERFLOW_HARDWARE, handler));
	record_clear();
	return set;
}

/* Stops the set: a call for each threshold passed. */
static void expect_all(int set, int threshold)
{
	long long count = work_stop(set);

	EXPECT_EQUAL(count / threshold, record.calls);
	EXPECT_EQUAL(record.calls, record_delivered(set));
	EXPECT_EQUAL(0, record_lost(set));
}

/* ---- several events ---- */

struct tally {
	long calls;
	int position, threshold;
	long wrong;
};

static struct tally tallies[3];

/* Each event is at a multiple of its threshold when its bit comes. */
static void tally(int set, void *address, long long vector, void *context)
{
	long long values[3];

	(void)address;
	(void)context;
	PAPI_read(set, values);
	for (int i = 0; i < 3; i++) {
		if (!(vector >> i & 1))
			continue;
		tallies[i].calls++;
		tallies[i].wrong += values[i] != tallies[i].calls * tallies[i].threshold;
	}
}

static void several_events(void)
{
	static const int thresholds[3] = { 100, 7, 50 };
	long long values[3], delivered, lost;
	int set;

	begin();
	set = work_set("vpmu:::INSTRUCTIONS", "vpmu:::L1D_READ_MISSES", "vpmu:::BRANCHES_TAKEN");
	for (int i = 0; i < 3; i++) {
		tallies[i].threshold = thresholds[i];
		EXPECT_OK(PAPI_overflow(set, record_code(set, i), thresholds[i], PAPI_OVERFLOW_HARDWARE, tally));
	}
	EXPECT_OK(PAPI_start(set));
	walk(data, LINES);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_BETWEEN(LINES, values[1], LINES + 10);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQUAL(values[i] / thresholds[i], tallies[i].calls);
		EXPECT_EQUAL(0, tallies[i].wrong);
		EXPECT_OK(PAPI_get_overflow_counts(set, record_code(set, i), &delivered, &lost));
		EXPECT_EQUAL(tallies[i].calls, delivered);
		EXPECT_EQUAL(0, lost);
	}
	/* Off, one after the other. */
	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_overflow(set, record_code(set, i), 0, 0, NULL));
		memset(tallies, 0, sizeof(tallies));
		for (int j = 0; j < 3; j++)
			tallies[j].threshold = thresholds[j];
		EXPECT_OK(PAPI_start(set));
		walk(data, LINES);
		EXPECT_OK(PAPI_stop(set, values));
		for (int j = 0; j < 3; j++) {
			EXPECT_EQUAL(j > i ? values[j] / thresholds[j] : 0, tallies[j].calls);
			EXPECT_EQUAL(0, tallies[j].wrong);
		}
	}
	work_discard(set);
}

/* What one event has instrumented is not taken for what the next one needs. */
static void one_after_the_other(void)
{
	static const char *const events[] = { "vpmu:::PREFETCHES", "vpmu:::L1D_READ_MISSES", "vpmu:::L2D_READ_MISSES",
		"vpmu:::DTLB_MISSES", "vpmu:::L1D_WRITE_MISSES", "vpmu:::INSTRUCTIONS", "vpmu:::L1I_HITS" };

	begin();
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		int set = new_set(events[i], 3, tally);
		long long count;

		tallies[0] = (struct tally){ .threshold = 3 };
		EXPECT_OK(PAPI_start(set));
		for (int j = 0; j < 3; j++) {
			walk(data, LINES);
			climb(60);
		}
		count = work_stop(set);
		EXPECT(i == 0 || count >= 6);
		EXPECT_EQUAL(count / 3, tallies[0].calls);
		EXPECT_EQUAL(0, tallies[0].wrong);
		work_discard(set);
	}
}

/* Two sets of a thread, started one after the other, and stopped in the same order. */
static void two_sets(void)
{
	long long first_count, second_count;
	long first_calls;
	int first, second;

	begin();
	first = new_set("vpmu:::L1D_READ_MISSES", 10, record_handler);
	second = new_set("vpmu:::LOADS", 16, tally);
	tallies[0].threshold = 16;
	EXPECT_OK(PAPI_start(first));
	walk(data, 500);
	EXPECT_OK(PAPI_start(second));
	walk(others, 500);
	first_count = work_stop(first);
	first_calls = record.calls;
	walk(data, 500);
	second_count = work_stop(second);
	EXPECT_BETWEEN(1000, first_count, 1040);
	EXPECT_EQUAL(first_count / 10, first_calls);
	EXPECT_EQUAL(first_calls, record.calls);
	EXPECT_BETWEEN(1000, second_count, 1100);
	EXPECT_EQUAL(second_count / 16, tallies[0].calls);
	EXPECT_EQUAL(0, tallies[0].wrong);
	work_discard(first);
	work_discard(second);
}

/* ---- signals ---- */

static volatile sig_atomic_t signals;

static void on_alarm(int number)
{
	(void)number;
	signals++;
	walk(others, 40);
	climb(20);
}

/* They come anywhere, and their handlers count, too: overflows are where they should be. */
static void signals_in_between(void)
{
	static const char *const events[] = { "vpmu:::L1D_READ_MISSES", "vpmu:::L1D_WRITE_MISSES",
		"vpmu:::INSTRUCTIONS", "vpmu:::BRANCHES_MISPREDICTED" };
	const struct itimerval soon = { .it_value = { 0, 300 } };
	struct sigaction action = { .sa_handler = on_alarm };

	begin();
	REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		int set = new_set(events[i], 7, tally), seen = -1;
		long long count;

		tallies[0] = (struct tally){ .threshold = 7 };
		signals = 0;
		EXPECT_OK(PAPI_start(set));
		/* One behind the other: a slow machine must come to something between them. */
		for (unsigned j = 0; signals < 100; j++) {
			if (signals != seen) {
				seen = signals;
				REQUIRE(setitimer(ITIMER_REAL, &soon, NULL) == 0);
			}
			walk(data, 5 + j % 60);
			climb(10 + j % 40);
		}
		count = work_stop(set);
		EXPECT(count >= 100);
		EXPECT_EQUAL(count / 7, tallies[0].calls);
		EXPECT_EQUAL(0, tallies[0].wrong);
		work_discard(set);
	}
}

/* ---- ranges ---- */

static void range_of_data(void)
{
	static const char *const events[] = { "vpmu:::LOADS", "vpmu:::L1D_READ_MISSES" };
	PAPI_option_t option = { 0 };

	begin();
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		int set = new_set(events[i], 9, record_handler);

		option.addr.eventset = set;
		option.addr.start = (vptr_t)(char *)(uintptr_t)data;
		option.addr.end = (vptr_t)((char *)(uintptr_t)data + 100 * LINE);
		REQUIRE_OK(PAPI_set_opt(PAPI_DATA_ADDRESS, &option));
		EXPECT_OK(PAPI_start(set));
		walk(others, 300);
		EXPECT_EQUAL(0, record.calls);
		walk(data, 300);
		EXPECT_EQUAL(11, record.calls);
		walk(others, 300);
		EXPECT_EQUAL(100, work_stop(set));
		EXPECT_EQUAL(11, record.calls);
		/* All at the load of the loop, of which a compiler may have made several. */
		EXPECT((uintptr_t)record.lowest >= (uintptr_t)walk);
		EXPECT((uintptr_t)record.highest < (uintptr_t)walk + 256);
		EXPECT_EQUAL(0, record_lost(set));
		work_discard(set);
	}
}

/* ---- handlers ---- */

static long stop_at;
static long long stopped_at;

static void stopper(int set, void *address, long long vector, void *context)
{
	record_handler(set, address, vector, context);
	if (record.calls == stop_at)
		PAPI_stop(set, &stopped_at);
}

static void stopping_handlers(void)
{
	static const char *const events[] = { "vpmu:::L1D_READ_MISSES", "vpmu:::INSTRUCTIONS", "vpmu:::CYCLES" };

	begin();
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		int set = new_set(events[i], 20, stopper), state;

		stop_at = 5;
		EXPECT_OK(PAPI_start(set));
		walk(data, LINES);
		EXPECT_EQUAL(5, record.calls);
		EXPECT_BETWEEN(100, stopped_at, i == 2 ? 100 + 600 : 100);
		EXPECT_OK(PAPI_state(set, &state));
		EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
		/* Once more, to the end. */
		stop_at = 0;
		record_clear();
		EXPECT_OK(PAPI_start(set));
		walk(others, LINES);
		expect_all(set, 20);
		work_discard(set);
	}
}

/* ---- threads ---- */

static void *count_here(void *misses)
{
	int set = new_set("vpmu:::L1D_READ_MISSES", 8, record_handler);

	EXPECT_OK(PAPI_start(set));
	walk(data, LINES);
	*(long long *)misses = work_stop(set);
	EXPECT_EQUAL(*(long long *)misses / 8, record.calls);
	work_discard(set);
	EXPECT_OK(PAPI_unregister_thread());
	return NULL;
}

/* A thread begins with empty caches, also where it gets what an ended one has left. */
static void threads_in_turn(void)
{
	long long misses[6];

	begin();
	for (size_t i = 0; i < COUNT_OF(misses); i++) {
		pthread_t thread;

		REQUIRE(pthread_create(&thread, NULL, count_here, &misses[i]) == 0);
		REQUIRE(pthread_join(thread, NULL) == 0);
		EXPECT_EQUAL(misses[0], misses[i]);
	}
	EXPECT_BETWEEN(LINES, misses[0], LINES + 20);
}

static void threads_at_once(void)
{
	long long misses[8];
	pthread_t threads[8];

	begin();
	for (size_t i = 0; i < COUNT_OF(misses); i++)
		REQUIRE(pthread_create(&threads[i], NULL, count_here, &misses[i]) == 0);
	for (size_t i = 0; i < COUNT_OF(misses); i++) {
		REQUIRE(pthread_join(threads[i], NULL) == 0);
		EXPECT_BETWEEN(LINES, misses[i], LINES + 20);
	}
}

static _Atomic int handed_over = PAPI_NULL;

static void *stop_for_another(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < STOPPED; i++) {
		int set;

		while ((set = atomic_exchange(&handed_over, PAPI_NULL)) == PAPI_NULL)
			sched_yield();
		EXPECT_EQUAL(PAPI_ECMP, PAPI_stop(set, NULL));
		work_discard(set);
	}
	return NULL;
}

/* What another thread has stopped overflows no longer, and takes no room: there is some for 64 events of a thread. */
static void stopped_by_another(void)
{
	pthread_t thread;
	int last;

	begin();
	REQUIRE(pthread_create(&thread, NULL, stop_for_another, NULL) == 0);
	for (unsigned i = 0; i < STOPPED; i++) {
		int set = new_set("vpmu:::LOADS", 100, record_handler);

		if (!EXPECT_OK(PAPI_start(set)))
			break;
		walk(data, LINES);
		EXPECT(record.calls >= LINES / 100);
		atomic_store(&handed_over, set);
		while (atomic_load(&handed_over) != PAPI_NULL)
			sched_yield();
	}
	REQUIRE(pthread_join(thread, NULL) == 0);
	last = new_set("vpmu:::LOADS", 100, record_handler);
	EXPECT_OK(PAPI_start(last));
	walk(data, LINES);
	expect_all(last, 100);
	work_discard(last);
}

/* What the process has in memory. */
static long resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	REQUIRE(file && fscanf(file, "%*d %ld", &pages) == 1);
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static void *stop_again_and_again(void *unused)
{
	for (unsigned i = 0; i < STOPS; i++) {
		int set;

		while ((set = atomic_load(&handed_over)) == PAPI_NULL)
			sched_yield();
		EXPECT_EQUAL(PAPI_ECMP, PAPI_stop(set, NULL));
		atomic_store(&handed_over, PAPI_NULL);
	}
	return unused;
}

/* It overflows again when it is started again, and leaves nothing behind. */
static void stopped_again_and_again(void)
{
	pthread_t thread;
	long before = 0;
	int set;

	begin();
	REQUIRE(pthread_create(&thread, NULL, stop_again_and_again, NULL) == 0);
	set = new_set("vpmu:::LOADS", 100, record_handler);
	for (unsigned i = 0; i < STOPS; i++) {
		if (i == STOPS / 10)
			before = resident();
		record_clear();
		REQUIRE_OK(PAPI_start(set));
		walk(data, 200);
		EXPECT_BETWEEN(2, record.calls, 3);
		atomic_store(&handed_over, set);
		while (atomic_load(&handed_over) != PAPI_NULL)
			sched_yield();
	}
	EXPECT(resident() < before + LEFT * (STOPS - STOPS / 10));
	REQUIRE(pthread_join(thread, NULL) == 0);
	record_clear();
	EXPECT_OK(PAPI_start(set));
	walk(data, LINES);
	expect_all(set, 100);
	work_discard(set);
}

static void *count_and_end(void *unused)
{
	int set = new_set("vpmu:::LOADS", 100, record_handler);

	EXPECT_OK(PAPI_start(set));
	walk(data, 200);
	EXPECT_BETWEEN(2, record.calls, 3);
	atomic_store(&handed_over, set);
	return unused;
}

/* By another, when the thread that it counted has ended without a word. */
static void stopped_too_late(void)
{
	long before = 0;

	begin();
	for (unsigned i = 0; i < ENDS; i++) {
		pthread_t thread;
		int set;

		if (i == ENDS / 10)
			before = resident();
		REQUIRE(pthread_create(&thread, NULL, count_and_end, NULL) == 0);
		REQUIRE(pthread_join(thread, NULL) == 0);
		set = atomic_exchange(&handed_over, PAPI_NULL);
		EXPECT_EQUAL(PAPI_ECMP, PAPI_stop(set, NULL));
		work_discard(set);
	}
	EXPECT(resident() < before + LEFT * (ENDS - ENDS / 10));
}

static _Atomic bool may_go_on;

/* The thread that counts is kept here. */
static void keeper(int set, void *address, long long vector, void *context)
{
	record_handler(set, address, vector, context);
	if (atomic_load(&may_go_on))
		return;
	atomic_store(&handed_over, set);
	while (!atomic_load(&may_go_on))
		sched_yield();
}

static void *count_until_kept(void *unused)
{
	EXPECT_OK(PAPI_start(new_set("vpmu:::LOADS", 100, keeper)));
	walk(data, LINES);
	EXPECT_EQUAL(1, record.calls);
	return unused;
}

/* What the other thread still holds has to be replaced: where that cannot be, the set does not count in silence. */
static void without_memory(void)
{
	struct rlimit before, none;
	pthread_t thread;
	int set;

	begin();
	set = new_set("vpmu:::LOADS", 100, record_handler);
	EXPECT_OK(PAPI_start(set));
	work_stop(set);
	work_discard(set);
	REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
	none = (struct rlimit){ .rlim_cur = 4096, .rlim_max = before.rlim_max };
	REQUIRE(pthread_create(&thread, NULL, count_until_kept, NULL) == 0);
	while ((set = atomic_load(&handed_over)) == PAPI_NULL)
		sched_yield();
	REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
	EXPECT_EQUAL(PAPI_ECMP, PAPI_stop(set, NULL));
	EXPECT_EQUAL(PAPI_ENOMEM, PAPI_start(set));
	EXPECT(strstr(PAPI_error_detail(), "overflows of an EventSet") != NULL);
	REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
	atomic_store(&may_go_on, true);
	REQUIRE(pthread_join(thread, NULL) == 0);
	record_clear();
	EXPECT_OK(PAPI_start(set));
	walk(data, LINES);
	expect_all(set, 100);
	EXPECT(record.calls >= LINES / 100);
	work_discard(set);
}

/* ---- forks ---- */

static void forks(void)
{
	int failures = check_failures();
	static const char *const events[] = { "vpmu:::LOADS", "vpmu:::L1D_READ_MISSES" };
	int set, state;
	long before;
	pid_t child;

	begin();
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		set = new_set(events[i], 10, record_handler);
		EXPECT_OK(PAPI_start(set));
		walk(data, 100);
		before = record.calls;
		EXPECT(before >= 10);
		child = fork();
		if (child == 0) {
			/* It runs natively, and its sets are stopped. */
			record_clear();
			walk(data, 500);
			EXPECT_EQUAL(0, record.calls);
			EXPECT_OK(PAPI_state(set, &state));
			EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
			EXPECT_OK(PAPI_start(set));
			walk(data, LINES);
			expect_all(set, 10);
			EXPECT(record.calls >= LINES / 10);
			work_discard(set);
			_exit(check_failures() > failures);
		}
		walk(data, 100);
		EXPECT(record.calls >= before + 10);
		EXPECT_EQUAL(0, work_wait(child));
		expect_all(set, 10);
		work_discard(set);
	}
}

static volatile pid_t forked;

/* The child comes out of the handler into a program that runs natively. */
static void returning_forker(int set, void *address, long long vector, void *context)
{
	record_handler(set, address, vector, context);
	if (record.calls == 5)
		forked = fork();
}

static void forks_in_handlers(void)
{
	int failures = check_failures();
	int set, state;

	begin();
	set = new_set("vpmu:::L1D_READ_MISSES", 10, record_forking_handler);
	EXPECT_OK(PAPI_start(set));
	walk(data, LINES);
	expect_all(set, 10);
	work_discard(set);

	set = new_set("vpmu:::L1D_READ_MISSES", 10, returning_forker);
	EXPECT_OK(PAPI_start(set));
	walk(others, 60);
	walk(others, LINES);
	if (forked == 0) {
		EXPECT_EQUAL(5, record.calls);
		EXPECT_OK(PAPI_state(set, &state));
		EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
		_exit(check_failures() > failures);
	}
	EXPECT_EQUAL(0, work_wait(forked));
	expect_all(set, 10);
	work_discard(set);
}

static void apart(void (*test)(void))
{
	EXPECT_EQUAL(0, work_in_process(test));
}

#define APART(test)                    \
	static void test##_apart(void) \
	{                              \
		apart(test);           \
	}

APART(several_events)
APART(one_after_the_other)
APART(two_sets)
APART(signals_in_between)
APART(range_of_data)
APART(stopping_handlers)
APART(threads_in_turn)
APART(threads_at_once)
APART(stopped_by_another)
APART(stopped_again_and_again)
APART(stopped_too_late)
APART(without_memory)
APART(forks)
APART(forks_in_handlers)

int main(void)
{
	static const struct test tests[] = {
		{ "several events of a set", several_events_apart },
		{ "one event after the other", one_after_the_other_apart },
		{ "two sets", two_sets_apart },
		{ "signals in between", signals_in_between_apart },
		{ "a range of data", range_of_data_apart },
		{ "handlers that stop", stopping_handlers_apart },
		{ "threads, one after the other", threads_in_turn_apart },
		{ "threads at once", threads_at_once_apart },
		{ "stopped by another thread", stopped_by_another_apart },
		{ "stopped by another thread again and again", stopped_again_and_again_apart },
		{ "stopped when the thread has ended", stopped_too_late_apart },
		{ "stopped by another thread, and no memory", without_memory_apart },
		{ "forks", forks_apart },
		{ "forks in handlers", forks_in_handlers_apart },
	};

	twins_need();
	return check_run(tests, COUNT_OF(tests));
}
