/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose regions are those of PAPI_HL_BEGIN and PAPI_HL_END, in a function, in threads, and in loops that tell
 * what they cost. test_sites.py runs it, and knows what must come out.
 *
 *   sites regions       "outer" twice, with "100% {inner}" three times in each, and "thread" ten times in four threads
 *   sites wait           "outer" once for each byte that comes, which is answered with the names that were evaluated
 *   sites cost NUMBER   instructions of a loop of so many turns with a region in it, and of one with two NOPs
 */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 };

static volatile long sink;

static int outer(void)
{
	int names = 0;

	PAPI_HL_BEGIN("outer");
	for (int i = 0; i < 3; i++) {
		/* Evaluated where somebody looks. */
		PAPI_HL_BEGIN((names++, "100% {inner}"));
		sink = i;
		PAPI_HL_END((names++, "100% {inner}"));
	}
	PAPI_HL_END("outer");
	return names;
}

static void *thread(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10; i++) {
		PAPI_HL_BEGIN("thread");
		sink = i;
		PAPI_HL_END("thread");
	}
	return NULL;
}

static int regions(void)
{
	pthread_t threads[THREADS];
	int names = outer() + outer();

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d names\n", names);
	return 0;
}

static int wait_for_bytes(void)
{
	while (getchar() != EOF) {
		printf("%d names\n", outer());
		fflush(stdout);
	}
	return 0;
}

__attribute__((noinline)) static void with_sites(long turns)
{
	for (long i = 0; i < turns; i++) {
		PAPI_HL_BEGIN("turn");
		sink = i;
		PAPI_HL_END("turn");
	}
}

/* As the other for compilers, which would take several turns at once elsewhere. */
__attribute__((noinline)) static void with_nops(long turns)
{
	for (long i = 0; i < turns; i++) {
		__asm__ goto("nop" : : : : never);
		sink = i;
		__asm__ goto("nop" : : : : never);
	}
never:
	return;
}

static long long count(int set, void (*loop)(long), long turns)
{
	long long instructions;

	if (PAPI_start(set) != PAPI_OK)
		return -1;
	loop(turns);
	return PAPI_stop(set, &instructions) == PAPI_OK ? instructions : -1;
}

static int cost(long turns)
{
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
		PAPI_add_event(set, PAPI_TOT_INS) != PAPI_OK) {
		printf("instructions cannot be counted: %s\n", PAPI_error_detail());
		return 77;
	}
	/* The first of each pays for what is looked up once. */
	for (int i = 0; i < 2; i++)
		printf("%lld %lld\n", count(set, with_sites, turns), count(set, with_nops, turns));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "regions") == 0)
		return regions();
	if (argc == 2 && strcmp(argv[1], "wait") == 0)
		return wait_for_bytes();
	if (argc == 3 && strcmp(argv[1], "cost") == 0)
		return cost(strtol(argv[2], NULL, 10));
	return 2;
}
