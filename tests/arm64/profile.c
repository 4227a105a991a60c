/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact profiles: the sum over all instructions is what is counted, and each instruction of what is known has run as
 * often as it must. As "profile print", for witnesses: how often each instruction of a kernel ran.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "components/vpmu/counters.h"
#include "kernels.h"
#include "profiled.h"
#include "scalable.h"
#include "virtual.h"

#define ROUNDS  60000
#define ALL     ((1ull << PAPI_AGENT_EXACT) - 1)
#define THREADS 4

/* known.S: a round of the loop is 33 instructions, the last of them its branch. */
void known(uint64_t rounds);
extern const char known_loop[], known_end[];
#define IN_LOOP 32

/* Of a process and its parent. */
static struct shared {
	uint64_t ticks, calls;
} * shared;

static void run_kernels(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < n_kernels; i++)
		kernels[i].run();
}

static void expect_counters(const uint64_t expected[PROFILED_COUNTERS], const uint64_t got[PROFILED_COUNTERS])
{
	for (unsigned i = 0; i < PROFILED_COUNTERS; i++)
		if (expected[i] != got[i]) {
			printf("counter %u\n", i);
			EXPECT_EQUAL((long long)expected[i], (long long)got[i]);
		}
}

/* The same work, counted and profiled. */
static void sums_are_counts(void)
{
	uint64_t counted[PROFILED_COUNTERS], profiled[PROFILED_COUNTERS];

	profiled_run(&(struct papi_agent_plan){ .counters = ALL }, run_kernels, NULL, counted);
	profiled_make(ALL, false, 0, run_kernels, NULL);
	profiled_sums(profiled);
	EXPECT(counted[PAPI_VPMU_INSTRUCTIONS] > 100000);
	expect_counters(counted, profiled);
}

/* ---- a loop of which all is known ---- */

static void run_known(void *rounds)
{
	known(*(const uint64_t *)rounds);
}

static void expect_loop(uint64_t rounds, uint64_t calls)
{
	for (const char *at = known_loop; at < known_end; at += 4)
		if (!EXPECT_EQUAL((long long)rounds, (long long)profiled_in(at, at + 4, PAPI_VPMU_INSTRUCTIONS)))
			break;
	EXPECT_EQUAL(IN_LOOP, (known_end - known_loop) / 4);
	EXPECT_EQUAL(
		(long long)(rounds - calls), (long long)profiled_in(known_loop, known_end, PAPI_VPMU_BRANCHES_TAKEN));
	EXPECT_EQUAL(
		(long long)(rounds * 1), (long long)profiled_in(known_loop, known_end, PAPI_VPMU_BRANCHES_CONDITIONAL));
	/* What is before the loop, and behind it. */
	EXPECT_EQUAL((long long)calls,
		(long long)profiled_in((const char *)known, (const char *)known + 4, PAPI_VPMU_INSTRUCTIONS));
	EXPECT_EQUAL((long long)calls, (long long)profiled_in(known_end + 24, known_end + 28, PAPI_VPMU_RETURNS));
}

static void each_instruction(void)
{
	uint64_t rounds = ROUNDS;

	profiled_make(ALL, false, 0, run_known, &rounds);
	expect_loop(ROUNDS, 1);
}

/* Of events that need no branches, ways are others. */
static void instructions_alone(void)
{
	uint64_t rounds = ROUNDS;

	profiled_make(1, false, 0, run_known, &rounds);
	for (const char *at = known_loop; at < known_end; at += 4)
		EXPECT_EQUAL(ROUNDS, (long long)profiled_in(at, at + 4, PAPI_VPMU_INSTRUCTIONS));
}

/* ---- signals ---- */

static void run_round(void)
{
	known(ROUNDS / 16);
	shared->calls++;
}

/* In translated code whose ways they interrupt anywhere. */
static void run_interrupted(void *unused)
{
	(void)unused;
	profiled_interrupted(run_round, 400);
	shared->ticks = ticks;
}

static void signals_between(void)
{
	const char *handler = (const char *)count_tick;

	shared->calls = 0;
	profiled_make(ALL, false, 0, run_interrupted, NULL);
	expect_loop(shared->calls * (ROUNDS / 16), shared->calls);
	EXPECT(shared->ticks >= PROFILED_TICKS);
	for (unsigned i = 0; i < 5; i++)
		EXPECT_EQUAL((long long)shared->ticks,
			(long long)profiled_in(handler + 4 * i, handler + 4 * i + 4, PAPI_VPMU_INSTRUCTIONS));
}

/* ---- operations of vectors of any length ---- */

#define ELEMENTS 1001

static void run_scalable(void)
{
	static const double x[ELEMENTS];
	static double y[ELEMENTS];
	static const float z[ELEMENTS];

	daxpy(y, x, ELEMENTS, 2);
	EXPECT(sum(z, ELEMENTS) == 0);
	shared->calls++;
}

static void run_scalable_interrupted(void *unused)
{
	(void)unused;
	profiled_interrupted(run_scalable, 400);
}

/* Of instructions of a function, whatever width vectors have. */
static long long operations_of(const void *function, unsigned first, unsigned n, bool of_doubles)
{
	const char *start = (const char *)function + (size_t)4 * first;
	long long all = 0;

	for (unsigned i = PAPI_VPMU_FP_128_SINGLE + of_doubles; i <= PAPI_VPMU_FP_512_DOUBLE; i += 2)
		all += (long long)profiled_in(start, start + (size_t)4 * n, i);
	return all;
}

/* Signals come where operations are counted, but not done yet, too. */
static void operations_of_active_elements(void)
{
	long long calls, in_vector, in_pieces;

	shared->calls = 0;
	profiled_make(ALL, false, 0, run_scalable_interrupted, NULL);
	calls = (long long)shared->calls;
	in_vector = (long long)vector_length() / 4 * calls;
	in_pieces = (ELEMENTS * calls + in_vector - 1) / in_vector * in_vector;
	EXPECT(calls > 0);
	EXPECT_EQUAL(2 * ELEMENTS * calls, operations_of(daxpy, 5, 1, true));
	EXPECT_EQUAL(2 * ELEMENTS * calls, operations_of(daxpy, 0, 11, true));
	EXPECT_EQUAL(0, operations_of(daxpy, 0, 11, false));
	EXPECT_EQUAL(1 * ELEMENTS * calls, operations_of(sum, 6, 1, false)); /* its square root */
	EXPECT_EQUAL(2 * ELEMENTS * calls, operations_of(sum, 8, 1, false)); /* fused */
	EXPECT_EQUAL(in_pieces, operations_of(sum, 9, 1, false));
	EXPECT_EQUAL(in_pieces, operations_of(sum, 10, 1, false));
	EXPECT_EQUAL(in_vector, operations_of(sum, 14, 1, false));
	EXPECT_EQUAL(3 * ELEMENTS * calls + 2 * in_pieces + in_vector, operations_of(sum, 0, 16, false));
}

/* ---- threads ---- */

static void *run_thread(void *unused)
{
	(void)unused;
	known(ROUNDS);
	return NULL;
}

static void run_threads(void *unused)
{
	pthread_t threads[THREADS];

	(void)unused;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, run_thread, NULL))
				abort();
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
}

static void all_threads(void)
{
	profiled_make(ALL, false, 0, run_threads, NULL);
	expect_loop(3ull * THREADS * ROUNDS, 3ull * THREADS);
}

/* ---- for witnesses ---- */

extern const char __executable_start[], etext[];

static void run_named(void *name)
{
	for (unsigned i = 0; i < n_kernels; i++)
		if (!strcmp(kernels[i].name, name))
			kernels[i].run();
}

static int print(const char *mode, char *kernel)
{
	printf("base %p\n", (const void *)__executable_start);
	if (!strcmp(mode, "print")) {
		profiled_make(1, false, 0, run_named, kernel);
		profiled_print(__executable_start, etext);
	} else {
		run_named(kernel);
	}
	return check_failures() > 0;
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "the sum over all instructions is what is counted", sums_are_counts },
		{ "each instruction of a loop", each_instruction },
		{ "where instructions alone are profiled", instructions_alone },
		{ "with signals between any two instructions", signals_between },
		{ "of all threads", all_threads },
		{ "operations of active elements", operations_of_active_elements },
	};
	bool scalable = getauxval(AT_HWCAP) & HWCAP_SVE;

	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	if (count > 2)
		return print(arguments[1], arguments[2]);
	if (count > 1)
		profiled_slowness = atol(arguments[1]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(shared != MAP_FAILED);
	kernels_begin();
	return check_run(tests, COUNT_OF(tests) - !scalable);
}
