/* SPDX-License-Identifier: BSD-3-Clause */
/* The high level in several threads: each has a measurement of its own, and ends at any time. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"
#include "presets.h"
#include "work.h"

#define THREADS 6
#define ROUNDS  50

static int two[] = { PAPI_TOT_INS, PAPI_TOT_CYC };
static pthread_barrier_t barrier;

static void meet(void)
{
	int status = pthread_barrier_wait(&barrier);

	REQUIRE(status == 0 || status == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void run_threads(size_t n, void *(*function)(void *argument))
{
	pthread_t threads[THREADS];

	REQUIRE(n <= THREADS);
	for (size_t i = 0; i < n; i++)
		REQUIRE(pthread_create(&threads[i], NULL, function, (void *)(i + 1)) == 0);
	for (size_t i = 0; i < n; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
}

static void count(struct presets_worker *worker, size_t n)
{
	long long values[2] = { -7, -7 };

	EXPECT_OK(PAPI_start_counters(two, 2));
	presets_worker_do(worker, n);
	EXPECT_OK(PAPI_read_counters(values, 2));
	EXPECT_EQUAL((long long)n, values[0]);
	presets_worker_do(worker, n);
	presets_worker_do(worker, n);
	EXPECT_OK(PAPI_accum_counters(values, 2));
	EXPECT_EQUAL(3 * (long long)n, values[0]);
	EXPECT_EQUAL(3 * (long long)n * PRESETS_CORE, values[1]);
	presets_worker_do(worker, n);
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL((long long)n, values[0]);
}

static void measure(struct presets_worker *worker, size_t n)
{
	long long got = -7;
	float times[2], rate = -7;

	EXPECT_OK(PAPI_ipc(&times[0], &times[1], &got, &rate));
	EXPECT_EQUAL(0, got);
	for (int i = 1; i <= 3; i++) {
		presets_worker_do(worker, n);
		EXPECT_OK(PAPI_ipc(&times[0], &times[1], &got, &rate));
		EXPECT_EQUAL(i * (long long)n, got);
		EXPECT(rate == 1.0F / PRESETS_CORE);
	}
	EXPECT_OK(PAPI_rate_stop());
}

/* Counts of its own, different ones in each thread, and counters in one while rates run in the next. */
static void *count_and_measure(void *argument)
{
	size_t n = (size_t)argument * 10;
	struct presets_worker worker;

	presets_worker_begin(&worker);
	/* All first calls at once: one of them initialises the library. */
	meet();
	presets_warm_up();
	presets_worker_do(&worker, PRESETS_MOST);
	for (size_t i = 0; i < ROUNDS; i++)
		((n / 10 + i) % 2 ? count : measure)(&worker, n);
	presets_worker_end(&worker);
	return NULL;
}

static void several_at_once(void)
{
	presets_warm_up();
	PAPI_shutdown();
	REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
	run_threads(THREADS, count_and_measure);
	pthread_barrier_destroy(&barrier);
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
}

static void *nothing_runs_here(void *argument)
{
	long long values[2];

	(void)argument;
	EXPECT_ERROR(PAPI_ENOTRUN, "in this thread", PAPI_read_counters(values, 2));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(values, 2));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_rate_stop());
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
	return NULL;
}

/* What runs in one thread is nothing to another. */
static void one_beside_another(void)
{
	long long values[2];

	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(two, 2));
	run_threads(1, nothing_runs_here);
	EXPECT_OK(PAPI_read_counters(values, 2));
	presets_work(100);
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100, values[0]);
}

static __attribute__((noinline)) void begin_something(bool counters)
{
	float times[2], rate;
	long long n;

	if (counters)
		EXPECT_OK(PAPI_start_counters(two, 2));
	else
		EXPECT_OK(PAPI_ipc(&times[0], &times[1], &n, &rate));
}

/* Without variables, nor inlined ones: AddressSanitizer watches those of a cancelled function for ever. */
static void *end_while_counting(void *argument)
{
	begin_something((size_t)argument % 2);
	if ((size_t)argument % 3 == 0)
		pthread_exit(NULL);
	if ((size_t)argument % 3 == 1) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	return NULL;
}

static void threads_that_end_while_counting(void)
{
	int descriptors;

	presets_warm_up();
	descriptors = work_descriptors();
	for (int i = 0; i < ROUNDS; i++)
		run_threads(THREADS, end_while_counting);
	EXPECT_EQUAL(descriptors, work_descriptors());
}

/* The main thread shuts down between the first two meetings, and initialises again before the third. */
static void *lose_the_library(void *argument)
{
	bool rates = (size_t)argument % 2 == 0, ends_early = (size_t)argument > 4;
	long long values[2] = { -7, -7 }, n = -7;
	struct presets_worker worker;
	float times[2], rate;

	presets_worker_begin(&worker);
	presets_warm_up();
	if (rates)
		EXPECT_OK(PAPI_ipc(&times[0], &times[1], &n, &rate));
	else
		EXPECT_OK(PAPI_start_counters(two, 2));
	meet();
	meet();
	/* Ending while the library is shut down, and after it has been initialised again. */
	if (ends_early) {
		meet();
	} else {
		if (rates)
			EXPECT_STATUS(PAPI_ENOTRUN, PAPI_rate_stop());
		else
			EXPECT_STATUS(PAPI_ENOTRUN, PAPI_read_counters(values, 2));
		meet();
		count(&worker, 10);
	}
	presets_worker_end(&worker);
	return NULL;
}

static void shutdown_by_another_thread(void)
{
	pthread_t threads[THREADS];
	long long values[2];

	presets_warm_up();
	REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
	for (size_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&threads[i], NULL, lose_the_library, (void *)(i + 1)) == 0);
	meet();
	PAPI_shutdown();
	meet();
	EXPECT_OK(PAPI_start_counters(two, 2));
	meet();
	for (size_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	EXPECT_OK(PAPI_read_counters(values, 2));
	presets_work(100);
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100, values[0]);
	pthread_barrier_destroy(&barrier);
}

static atomic_bool enough;

static bool lost(int status)
{
	return status == PAPI_ENOTRUN || status == PAPI_ENOINIT || status == PAPI_ENOEVST;
}

/* Nothing but the loss of the library goes wrong while it comes and goes. */
static void *count_whatever_happens(void *argument)
{
	long long values[2], n;
	float times[2], rate;
	int status;

	(void)argument;
	while (!atomic_load(&enough)) {
		status = PAPI_start_counters(two, 2);
		if (!EXPECT(status == PAPI_OK || lost(status)))
			break;
		status = PAPI_read_counters(values, 2);
		EXPECT(status == PAPI_OK || lost(status));
		status = PAPI_stop_counters(values, 2);
		EXPECT(status == PAPI_OK || lost(status));
		status = PAPI_ipc(&times[0], &times[1], &n, &rate);
		EXPECT(status == PAPI_OK || lost(status));
		status = PAPI_rate_stop();
		EXPECT(status == PAPI_OK || lost(status));
	}
	return NULL;
}

static void shutdown_at_any_time(void)
{
	pthread_t threads[2];

	presets_warm_up();
	atomic_store(&enough, false);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_create(&threads[i], NULL, count_whatever_happens, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < 20; j++)
			sched_yield();
		PAPI_shutdown();
	}
	atomic_store(&enough, true);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	presets_warm_up();
}

static void child_of_threads(void)
{
	presets_warm_up();
	nothing_runs_here(NULL);
	PAPI_shutdown();
	presets_warm_up();
}

/* A fork at any moment of a measurement that another thread begins or ends. */
static void forks_while_others_count(void)
{
	pthread_t threads[2];

	if (!work_exact_faults()) {
		check_skip("sanitizers do not support forks of processes with several threads");
		return;
	}
	presets_warm_up();
	atomic_store(&enough, false);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_create(&threads[i], NULL, count_whatever_happens, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_EQUAL(0, work_in_process(child_of_threads));
	atomic_store(&enough, true);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
	static const struct test tests[] = {
		{ "several at once", several_at_once },
		{ "one beside another", one_beside_another },
		{ "threads that end while counting", threads_that_end_while_counting },
		{ "shutdown by another thread", shutdown_by_another_thread },
		{ "shutdown at any time", shutdown_at_any_time },
		{ "forks while others count", forks_while_others_count },
	};

	presets_begin();
	return presets_end(check_run(tests, COUNT_OF(tests)));
}
