/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counts of other threads and processes, and of the modes of the processor. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "loop.h"
#include "work.h"

#define N     100000
#define ABOUT 20000 /* instructions of a thread's or process's own way to the loop and back */

static void work(void *argument)
{
	(void)argument;
	loop(N);
}

static void expect_one_loop(long long got)
{
	EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS, got, N * LOOP_INSTRUCTIONS + ABOUT);
}

static void count_target(struct work_child *child)
{
	int set = work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL);
	long long values[2];

	EXPECT_OK(PAPI_attach(set, (unsigned long)child->id));
	for (int i = 0; i < 5; i++) {
		EXPECT_OK(PAPI_start(set));
		loop(10 * N);
		work_child_go(child);
		loop(10 * N);
		work_stop_values(set, values, 2);
		expect_one_loop(values[0]);
		EXPECT_BETWEEN(CYCLES_EACH * values[0], values[1], CYCLES_EACH * values[0] + ABOUT);
	}
	work_discard(set);
}

static void attached_to_a_process(void)
{
	struct work_child child;

	work_child_fork(&child, work, NULL);
	count_target(&child);
	work_child_end(&child);
}

static void attached_to_a_thread(void)
{
	struct work_child child;

	work_child_thread(&child, work, NULL);
	count_target(&child);
	work_child_end(&child);
}

static void *loop_in_thread(void *argument)
{
	loop(*(uint64_t *)argument);
	return NULL;
}

static void in_child(void)
{
	loop(N);
}

/* What the counted thread makes counts for it, or does not. */
static void inherited_or_not(void)
{
	for (int inherit = 0; inherit < 2; inherit++) {
		int set = work_set("perf::INSTRUCTIONS", NULL, NULL);
		PAPI_option_t option = { .inherit = { .eventset = set,
						 .inherit = inherit ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE } };
		uint64_t n = N;
		long long value;

		EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
		work_in_thread(loop_in_thread, &n);
		EXPECT_OK(PAPI_start(set));
		work_in_thread(loop_in_thread, &n);
		EXPECT_EQUAL(0, work_in_process(in_child));
		loop(N);
		value = work_stop(set);
		/* A thread's and a process's own beginnings and ends are in it. */
		EXPECT_BETWEEN((inherit ? 3 : 1) * N * LOOP_INSTRUCTIONS, value,
			(inherit ? 3 : 1) * N * LOOP_INSTRUCTIONS + 150000);
		work_discard(set);
	}
}

static void *count_itself(void *argument)
{
	uint64_t n = *(uint64_t *)argument;
	int set = work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL);
	long long values[2];

	for (int i = 0; i < 20; i++) {
		EXPECT_OK(PAPI_start(set));
		loop(n);
		work_stop_values(set, values, 2);
		EXPECT_BETWEEN((long long)n * LOOP_INSTRUCTIONS, values[0], (long long)n * LOOP_INSTRUCTIONS + 3000);
		usleep(100);
	}
	work_discard(set);
	return NULL;
}

/* On one CPU they take turns; none counts what another does. */
static void threads_count_themselves(void)
{
	pthread_t threads[8];
	uint64_t n[8];

	for (unsigned i = 0; i < COUNT_OF(threads); i++) {
		n[i] = (i + 1) * N;
		REQUIRE(pthread_create(&threads[i], NULL, count_itself, &n[i]) == 0);
	}
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
}

static long long counted_in(int domain, int calls)
{
	int set = work_set("perf::INSTRUCTIONS", NULL, NULL);
	PAPI_option_t option = { .domain = { .eventset = set, .domain = domain } };
	long long value = 0;

	EXPECT_OK(PAPI_set_opt(PAPI_DOMAIN, &option));
	for (int round = 0; round < 4; round++) {
		EXPECT_OK(PAPI_start(set));
		loop(N);
		for (int i = 0; i < calls; i++)
			getppid();
		value = work_stop(set);
	}
	work_discard(set);
	return value;
}

/* What a mode counts of 1000 system calls and a loop; both modes together count the sum. */
static void modes_add_up(void)
{
	long long user = counted_in(PAPI_DOM_USER, 1000), kernel = counted_in(PAPI_DOM_KERNEL, 1000);
	long long all = counted_in(PAPI_DOM_USER | PAPI_DOM_KERNEL, 1000), quiet = counted_in(PAPI_DOM_KERNEL, 0);

	EXPECT_BETWEEN(N * LOOP_INSTRUCTIONS, user, N * LOOP_INSTRUCTIONS + 30000);
	EXPECT(kernel - quiet > 1000 * 20);
	EXPECT(kernel - quiet < 1000 * 10000);
	/* Ticks of the kernel's timer fall into some runs and not into others. */
	EXPECT_BETWEEN(user + kernel - 60000, all, user + kernel + 60000);
}

int main(void)
{
	static const struct test tests[] = {
		{ "attached to a process", attached_to_a_process },
		{ "attached to a thread", attached_to_a_thread },
		{ "inherited or not", inherited_or_not },
		{ "threads count themselves", threads_count_themselves },
		{ "modes add up", modes_add_up },
	};

	loop_begin();
	return check_run(tests, COUNT_OF(tests));
}
