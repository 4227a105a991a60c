/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An L3 that the threads of a process share: one thread finds what another has brought in, one alone counts what it
 * counts with an L3 of its own, and several at once, of which some fork, neither wait for ever nor count nonsense.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "virtual.h"

#define LINE     64
#define LINES    32768 /* 2 MiB: eight times L2, half of L3 */
#define THREADS  4
#define ROUNDS   4
#define CHILDREN 20

#define CACHES "L1D=32K/8/64,L2=256K/8/64,L3=4M/16/64,DTLB=64/4,DTLB2=1536/12"

enum { L1, L2, L3, INSTRUCTION, COUNTS };

static _Alignas(4096) volatile char data[LINES * LINE];

static void touch_all(void)
{
	for (size_t i = 0; i < LINES; i++)
		data[i * LINE];
}

static void count_touching(long long counts[COUNTS])
{
	static const char *const names[] = { "vpmu:::L1D_READ_MISSES", "vpmu:::L2D_READ_MISSES",
		"vpmu:::L3D_READ_MISSES", "vpmu:::INSTRUCTIONS" };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (unsigned i = 0; i < COUNTS; i++)
		REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	REQUIRE_OK(PAPI_start(set));
	touch_all();
	EXPECT_OK(PAPI_stop(set, counts));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static void *in_thread(void *counts)
{
	count_touching(counts);
	return NULL;
}

static void begin(const char *caches)
{
	setenv("PAPI_VPMU_CACHE", caches, 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_thread_init((unsigned long (*)(void))pthread_self));
}

/* ---- each in a process of its own, which initialises the library --------------------------------------------- */

static void one_after_the_other(const char *caches, long long counts[][COUNTS])
{
	begin(caches);
	for (unsigned i = 0; i < 2; i++) {
		pthread_t thread;

		REQUIRE(pthread_create(&thread, NULL, in_thread, counts[i]) == 0);
		REQUIRE(pthread_join(thread, NULL) == 0);
	}
}

static void *count_often(void *sum)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		long long counts[COUNTS];

		count_touching(counts);
		*(long long *)sum += counts[L3];
	}
	return NULL;
}

/* A child counts with what it has of its parent's models, whatever the other threads were doing. */
static void make_children(void)
{
	for (unsigned i = 0; i < CHILDREN; i++) {
		int status = -1;
		pid_t child = fork();

		REQUIRE(child >= 0);
		if (child == 0) {
			int before = check_failures();
			long long counts[COUNTS];

			alarm(60);
			count_touching(counts);
			EXPECT_BETWEEN(LINES - 64, counts[L2], LINES + 64);
			EXPECT(counts[L3] <= LINES + 64);
			_exit(check_failures() > before);
		}
		REQUIRE(waitpid(child, &status, 0) == child);
		EXPECT_EQUAL(0, status);
	}
}

static void all_at_once(const char *caches, long long counts[][COUNTS])
{
	long long sums[THREADS] = { 0 }, all = 0;
	pthread_t threads[THREADS];

	begin(caches);
	count_touching(counts[0]);
	for (unsigned i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&threads[i], NULL, count_often, &sums[i]) == 0);
	make_children();
	for (unsigned i = 0; i < THREADS; i++) {
		REQUIRE(pthread_join(threads[i], NULL) == 0);
		all += sums[i];
	}
	/* The first brought all in, and nothing drives it out. */
	EXPECT_BETWEEN(0, all, THREADS * ROUNDS * 64);
}

/* What it has counted, in that geometry. */
static void in_child(void (*work)(const char *, long long[][COUNTS]), const char *caches, long long counts[][COUNTS])
{
	int ends[2], status = -1;
	pid_t child;

	REQUIRE(pipe(ends) == 0);
	child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		int before = check_failures();

		work(caches, counts);
		if (write(ends[1], counts, 2 * sizeof(counts[0])) < 0)
			_exit(1);
		_exit(check_failures() > before);
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(status == 0);
	REQUIRE(read(ends[0], counts, 2 * sizeof(counts[0])) == (ssize_t)(2 * sizeof(counts[0])));
	close(ends[0]);
	close(ends[1]);
}

static void test_in_turn(void)
{
	long long own[2][COUNTS] = { { 0 } }, shared[2][COUNTS] = { { 0 } };

	in_child(one_after_the_other, CACHES, own);
	in_child(one_after_the_other, CACHES ",L3=shared", shared);
	for (unsigned i = 0; i < 2; i++) {
		EXPECT_BETWEEN(LINES, own[i][L3], LINES + 64);
		EXPECT_EQUAL(own[i][INSTRUCTION], shared[i][INSTRUCTION]);
		EXPECT_EQUAL(own[i][L1], shared[i][L1]);
		EXPECT_EQUAL(own[i][L2], shared[i][L2]);
	}
	EXPECT_EQUAL(own[0][L3], shared[0][L3]);
	EXPECT_BETWEEN(0, shared[1][L3], 64);
}

static void test_at_once(void)
{
	long long counts[2][COUNTS] = { { 0 } };

	in_child(all_at_once, CACHES ",L3=shared", counts);
	EXPECT_BETWEEN(LINES, counts[0][L3], LINES + 64);
}

/* In a child: here the library is not to be initialised. */
static bool can_count(void)
{
	int status = -1;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (child == 0) {
		bool begun = virtual_begin();

		fflush(stdout);
		_exit(begun ? 0 : 77);
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	return status == 0;
}

int main(void)
{
	static const struct test tests[] = {
		{ "threads in turn", test_in_turn },
		{ "threads at once, and forks", test_at_once },
	};

	if (!can_count())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
