/* SPDX-License-Identifier: BSD-3-Clause */
/* Touching N fresh pages is N page faults: counted for this thread, and for each of several threads at once. */
#include <pthread.h>

#include "check.h"
#include "work.h"

#define ROUNDS 50

static int set; /* PAGE-FAULTS, MINOR-FAULTS, MAJOR-FAULTS of the main thread */

static void count(long long values[3], size_t n)
{
	char *pages = work_pages(n);

	EXPECT_OK(PAPI_start(set));
	work_touch(pages, n);
	work_stop_values(set, values, 3);
	work_unmap(pages, n);
}

static void every_page_is_one_fault(void)
{
	static const size_t sizes[] = { 1, 2, 7, 100, 1000, 4096 };
	long long values[3];

	count(values, 1);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			count(values, sizes[i]);
			EXPECT_EQUAL((long long)sizes[i], values[0]);
			EXPECT_EQUAL((long long)sizes[i], values[1]);
			EXPECT_EQUAL(0, values[2]);
		}
	}
}

static void no_page_is_no_fault(void)
{
	long long values[3];

	count(values, 1);
	for (int round = 0; round < ROUNDS; round++) {
		char *pages = work_pages(10);

		/* Touched before: nothing is left to fault. */
		work_touch(pages, 10);
		EXPECT_OK(PAPI_start(set));
		work_touch(pages, 10);
		work_stop_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL(0, values[0]);
		EXPECT_EQUAL(0, values[1]);
		work_unmap(pages, 10);
	}
}

static void reads_see_every_page_so_far(void)
{
	char *pages = work_pages(ROUNDS * 3);
	long long values[3];

	count(values, 1);
	EXPECT_OK(PAPI_start(set));
	for (size_t round = 0; round < ROUNDS; round++) {
		work_touch(pages + work_bytes(round * 3), 3);
		work_read_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL((long long)(round + 1) * 3, values[0]);
		EXPECT_EQUAL((long long)(round + 1) * 3, values[1]);
	}
	EXPECT_OK(PAPI_stop(set, NULL));
	work_unmap(pages, ROUNDS * 3);
}

#define THREADS 8

struct worker {
	pthread_t thread;
	size_t n;
	long long value;
};

static pthread_barrier_t barrier;

/* All touch at once, each its own number of pages, and each has its own EventSet. */
static void *count_in_thread(void *argument)
{
	struct worker *worker = argument;
	int own = work_set("perf::PAGE-FAULTS", NULL, NULL);

	for (int round = 0; round < ROUNDS; round++) {
		char *pages = work_pages(worker->n);

		pthread_barrier_wait(&barrier);
		EXPECT_OK(PAPI_start(own));
		work_touch(pages, worker->n);
		worker->value = work_stop(own);
		/* The first round makes code and stack ready. */
		EXPECT(round == 0 || worker->value == (long long)worker->n);
		work_unmap(pages, worker->n);
	}
	work_discard(own);
	return NULL;
}

static void each_thread_counts_its_own(void)
{
	struct worker workers[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .n = 50 + 10 * i };
		REQUIRE(pthread_create(&workers[i].thread, NULL, count_in_thread, &workers[i]) == 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		REQUIRE(pthread_join(workers[i].thread, NULL) == 0);
		EXPECT_EQUAL((long long)workers[i].n, workers[i].value);
	}
	pthread_barrier_destroy(&barrier);
}

static void touch_50(void *pages)
{
	work_touch(pages, 50);
}

static void other_threads_do_not_count(void)
{
	char *pages = work_pages(50), *own = work_pages(20);
	struct work_child thread;
	long long values[3];

	work_child_thread(&thread, touch_50, work_pages(50));
	work_unmap(thread.argument, 50);
	thread.argument = pages;
	count(values, 1);
	EXPECT_OK(PAPI_start(set));
	work_touch(own, 20);
	work_child_go(&thread);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(20, values[0]);
	work_child_end(&thread);
	work_unmap(pages, 50);
	work_unmap(own, 20);
}

/* The set goes with whoever starts it: page faults of this thread, although main made it and filled it. */
static void *start_here(void *argument)
{
	size_t *n = argument;

	for (int round = 0; round < 3; round++) {
		long long values[3];

		count(values, *n);
		EXPECT(round == 0 || values[0] == (long long)*n);
	}
	return NULL;
}

static void a_set_counts_the_thread_that_starts_it(void)
{
	size_t n = 77;
	long long values[3];

	work_in_thread(start_here, &n);
	/* And comes back. */
	count(values, 1);
	count(values, 33);
	EXPECT_EQUAL(33, values[0]);
}

int main(void)
{
	static const struct test tests[] = {
		{ "every page is one fault", every_page_is_one_fault },
		{ "no page is no fault", no_page_is_no_fault },
		{ "reads see every page so far", reads_see_every_page_so_far },
		{ "each thread counts its own", each_thread_counts_its_own },
		{ "other threads do not count", other_threads_do_not_count },
		{ "a set counts the thread that starts it", a_set_counts_the_thread_that_starts_it },
	};
	int status;

	work_begin();
	set = work_set("perf::PAGE-FAULTS", "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS");
	status = check_run(tests, COUNT_OF(tests));
	work_discard(set);
	return work_end(status);
}
