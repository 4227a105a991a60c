/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls with random handles, codes, names and options, from several threads at once. Nothing may crash, every
 * answer is a code that has a meaning to the caller, every failure leaves a sentence, and after PAPI_shutdown() no
 * descriptor is open that was not open before.
 *
 *	random [SEED [CALLS]]      or PAPI_TEST_SEED, PAPI_TEST_CALLS in the environment
 *
 * The same seed makes each thread do the same calls; in which order those of several threads meet is the scheduler's.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "random.h"
#include "work.h"

#define THREADS 4

/* What a function that returns a code may return. PAPI_EBUG would be the library's own admission of a mistake. */
static void expect_meaning(struct dice *dice, int status)
{
	bool known = status > -PAPI_NUM_ERRORS && status != PAPI_EBUG && status != PAPI_ENOIMPL;
	bool told = status >= 0 || (*PAPI_error_detail() && !check_planted());

	if (EXPECT(known) && EXPECT(told))
		return;
	fprintf(stderr, "\tthat was %s in thread %u, call %lu, with %d (%s)\n", dice->doing, dice->thread, dice->call,
		status, check_symbol(status));
}

static unsigned long calls = 4000;
static uint64_t seed = 20260101;

static atomic_ulong succeeded;

static void *throw_calls(void *argument)
{
	struct dice *dice = argument;

	for (dice->call = 0; dice->call < calls && check_failures() < 20; dice->call++) {
		int status;

		check_plant();
		status = random_call(dice);
		expect_meaning(dice, status);
		if (status >= 0)
			atomic_fetch_add(&succeeded, 1);
	}
	return NULL;
}

static void random_calls(void)
{
	static struct dice dice[THREADS];
	pthread_t threads[THREADS];

	random_begin();
	for (unsigned i = 0; i < THREADS; i++) {
		random_dice(&dice[i], seed, i, true);
		REQUIRE(pthread_create(&threads[i], NULL, throw_calls, &dice[i]) == 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	printf("%lu of the calls succeeded\n", atomic_load(&succeeded));
	/* Dice that only make nonsense, or none, test nothing. */
	EXPECT_BETWEEN((long long)(THREADS * calls / 4), (long long)atomic_load(&succeeded),
		(long long)(THREADS * calls * 9 / 10));
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "random calls", random_calls },
	};
	const char *from_environment = getenv("PAPI_TEST_SEED"), *more = getenv("PAPI_TEST_CALLS");

	if (from_environment)
		seed = strtoull(from_environment, NULL, 0);
	if (more)
		calls = strtoul(more, NULL, 0);
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		calls = strtoul(argv[2], NULL, 0);
	printf("seed %llu, %lu calls in each of %d threads\n", (unsigned long long)seed, calls, THREADS);
	fflush(stdout);
	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
