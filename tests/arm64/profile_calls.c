/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in exact profiles: how many, and what happens in them, of functions of which it is known (calling.S), by their
 * places and by their callers; with tail calls, recursion, longjmp, coroutines, threads, and signals.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"
#include "components/vpmu/counters.h"
#include "profiled.h"
#include "virtual.h"

#define FUNCTION(name) extern const char name##_end[]
uint64_t leaf(uint64_t n), tail(uint64_t n), recurse(uint64_t n), keeps(void);
void call_leaf(uint64_t times), call_tail(uint64_t times), call_pointer(uint64_t times, uint64_t (*function)(uint64_t));
void call_libraries(void);
FUNCTION(call_libraries);
FUNCTION(leaf);
FUNCTION(tail);
FUNCTION(call_leaf);
FUNCTION(call_tail);
FUNCTION(call_pointer);
FUNCTION(recurse);

#define TIMES   1000ull
#define N       12     /* of recurse() */
#define CALLED  465ull /* so often it is then */
#define JUMPS   15
#define SWAPS   15
#define THREADS 4

/* Loads and stores besides. */
#define COUNTERS   (1ull << PAPI_VPMU_INSTRUCTIONS | 1ull << PAPI_VPMU_LOADS | 1ull << PAPI_VPMU_STORES)
#define FROM(name) (const void *)name, name##_end

static uint32_t contexts;

/* Of a process and its parent. */
static struct shared {
	uint64_t rounds, kept;
} * shared;

static void make(void (*work)(void *))
{
	profiled_make(COUNTERS, true, contexts, work, NULL);
}

static void expect_calls(uint64_t expected, const void *start, const void *end, const void *target)
{
	EXPECT_EQUAL((long long)expected, (long long)profiled_calls(start, end, target));
}

static void expect_within(uint64_t expected, const void *start, const void *end, const void *target)
{
	EXPECT_EQUAL((long long)expected, (long long)profiled_within(start, end, target, PAPI_VPMU_INSTRUCTIONS));
}

/* ---- what is known to the instruction ---- */

static void run_simple(void *unused)
{
	(void)unused;
	call_leaf(TIMES);
	call_tail(TIMES);
	call_pointer(TIMES, leaf);
	for (unsigned i = 0; i < 100; i++)
		shared->kept += keeps();
}

static void simple_calls(void)
{
	shared->kept = 0;
	make(run_simple);
	expect_calls(1, NULL, NULL, (const void *)call_leaf);
	expect_within(6 + 5 * TIMES, NULL, NULL, (const void *)call_leaf);
	EXPECT_EQUAL(2, (long long)profiled_within(NULL, NULL, (const void *)call_leaf, PAPI_VPMU_LOADS));
	expect_calls(TIMES, FROM(call_leaf), (const void *)leaf);
	expect_within(2 * TIMES, FROM(call_leaf), (const void *)leaf);
	expect_calls(TIMES, FROM(call_tail), (const void *)tail);
	expect_within(3 * TIMES, FROM(call_tail), (const void *)tail);
	expect_calls(TIMES, FROM(tail), (const void *)leaf);
	expect_within(2 * TIMES, FROM(tail), (const void *)leaf);
	expect_within(6 + 6 * TIMES, NULL, NULL, (const void *)call_tail);
	expect_calls(5 * TIMES, FROM(call_pointer), (const void *)leaf);
	expect_within(10 * TIMES, FROM(call_pointer), (const void *)leaf);
	expect_within(7 + 21 * TIMES, NULL, NULL, (const void *)call_pointer);
	EXPECT_EQUAL(100, (long long)shared->kept);
}

static void run_recursion(void *unused)
{
	(void)unused;
	if (recurse(N) != CALLED)
		abort();
}

static void recursion(void)
{
	make(run_recursion);
	expect_calls(CALLED, NULL, NULL, (const void *)recurse);
	expect_calls(CALLED - 1, FROM(recurse), (const void *)recurse);
	/* It calls nothing else. */
	EXPECT(profiled_in(FROM(recurse), PAPI_VPMU_INSTRUCTIONS) >= 4 * CALLED);
	expect_within(profiled_in(FROM(recurse), PAPI_VPMU_INSTRUCTIONS), NULL, NULL, (const void *)recurse);
}

/* ---- frames that are left behind ---- */

static jmp_buf back;

/* Always there; the compiler is not to know. */
static volatile bool jumps_back = true;

__attribute__((noinline)) static void jump_back(unsigned depth)
{
	if (depth)
		jump_back(depth - 1);
	else if (jumps_back)
		longjmp(back, 1);
	leaf(0); /* no tail call */
}

static void run_jumps(void *unused)
{
	(void)unused;
	for (volatile unsigned i = 0; i < JUMPS; i++) {
		if (!setjmp(back))
			jump_back(i % 7);
		call_leaf(TIMES);
	}
	call_leaf(TIMES);
}

static void jumps(void)
{
	uint64_t calls = 0;

	make(run_jumps);
	for (unsigned depth = 0; depth < 7; depth++)
		calls += JUMPS / 7 * (depth + 1) + (depth < JUMPS % 7 ? depth + 1 : 0);
	expect_calls(calls, NULL, NULL, (const void *)jump_back);
	/* Nothing that comes behind them is taken for a part of what they have left. */
	expect_calls(JUMPS + 1, NULL, NULL, (const void *)call_leaf);
	expect_within((JUMPS + 1) * (6 + 5 * TIMES), NULL, NULL, (const void *)call_leaf);
	EXPECT_BETWEEN(20 * JUMPS,
		(long long)profiled_within(NULL, NULL, (const void *)jump_back, PAPI_VPMU_INSTRUCTIONS),
		2 * (long long)TIMES * JUMPS);
}

/* ---- coroutines ---- */

static ucontext_t main_context, other_context;

__attribute__((noinline)) static void swap(void)
{
	leaf(0);
	swapcontext(&other_context, &main_context);
	leaf(0);
}

static void run_other(void)
{
	for (;;)
		swap();
}

static void run_coroutines(void *unused)
{
	static char stack[65536];

	(void)unused;
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof(stack);
	makecontext(&other_context, run_other, 0);
	for (unsigned i = 0; i < SWAPS; i++) {
		swapcontext(&main_context, &other_context);
		call_leaf(TIMES);
	}
}

static void coroutines(void)
{
	make(run_coroutines);
	expect_calls(SWAPS, NULL, NULL, (const void *)swap);
	expect_calls(SWAPS, NULL, NULL, (const void *)call_leaf);
	expect_within(SWAPS * (6 + 5 * TIMES), NULL, NULL, (const void *)call_leaf);
	/* While it is left, time stands still. */
	EXPECT_BETWEEN(10 * SWAPS, (long long)profiled_within(NULL, NULL, (const void *)swap, PAPI_VPMU_INSTRUCTIONS),
		4 * (long long)TIMES * SWAPS);
}

/* ---- functions that are bound when they are called ---- */

static void run_libraries(void *unused)
{
	(void)unused;
	call_libraries();
}

/* Where that bl leads: the linker's stub. */
static const void *target_of(const uint32_t *branch)
{
	int32_t words = (int32_t)(*branch << 6) >> 6;

	return branch + words;
}

/* The first call of each goes to the dynamic linker, by way of code that they all share. */
static void bound_late(void)
{
	const uint32_t *code = (const uint32_t *)(uintptr_t)call_libraries;

	if (getenv("LD_BIND_NOW")) {
		printf("   not here: LD_BIND_NOW\n");
		return;
	}
	make(run_libraries);
	expect_calls(1, FROM(call_libraries), target_of(code + 2));
	expect_calls(1, FROM(call_libraries), dlsym(RTLD_DEFAULT, "lrand48"));
	expect_calls(1, FROM(call_libraries), target_of(code + 4));
	expect_calls(0, FROM(call_libraries), dlsym(RTLD_DEFAULT, "mrand48"));
	EXPECT(profiled_within(FROM(call_libraries), target_of(code + 4), PAPI_VPMU_INSTRUCTIONS) > 100);
}

/* ---- threads ---- */

static void *run_thread(void *unused)
{
	run_simple(unused);
	run_recursion(unused);
	return NULL;
}

static void run_threads(void *unused)
{
	pthread_t threads[THREADS];

	(void)unused;
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread, NULL))
			abort();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void threads_of_calls(void)
{
	make(run_threads);
	expect_calls(THREADS * TIMES, FROM(call_leaf), (const void *)leaf);
	expect_within(THREADS * 3 * TIMES, FROM(call_tail), (const void *)tail);
	expect_within(THREADS * (7 + 21 * TIMES), NULL, NULL, (const void *)call_pointer);
	expect_calls(THREADS * CALLED, NULL, NULL, (const void *)recurse);
	expect_within(profiled_in(FROM(recurse), PAPI_VPMU_INSTRUCTIONS), NULL, NULL, (const void *)recurse);
}

/* ---- signals ---- */

static void run_round(void)
{
	run_simple(NULL);
	run_recursion(NULL);
	shared->rounds++;
}

static void run_interrupted(void *unused)
{
	(void)unused;
	profiled_interrupted(run_round, 300);
}

/* In calls of that each round is known, and at most so much comes to it. */
static void expect_more(uint64_t round, const void *target, uint64_t most)
{
	uint64_t got = profiled_within(NULL, NULL, target, PAPI_VPMU_INSTRUCTIONS);

	EXPECT_BETWEEN(0, (long long)(got - shared->rounds * round), (long long)most);
}

/* What has begun when one comes is finished. What the handler does is a part of what it has interrupted. */
static void signals_in_calls(void)
{
	const char *handler = (const char *)count_tick;
	uint64_t rounds, more, most;

	shared->rounds = shared->kept = 0;
	make(run_interrupted);
	rounds = shared->rounds;
	EXPECT_EQUAL((long long)(100 * rounds), (long long)shared->kept);
	expect_calls(rounds, NULL, NULL, (const void *)call_leaf);
	expect_calls(rounds, NULL, NULL, (const void *)call_tail);
	expect_calls(rounds, NULL, NULL, (const void *)call_pointer);
	expect_calls(rounds * TIMES, FROM(call_leaf), (const void *)leaf);
	expect_calls(rounds * TIMES, FROM(call_tail), (const void *)tail);
	expect_calls(rounds * TIMES, FROM(tail), (const void *)leaf);
	expect_calls(rounds * 5 * TIMES, FROM(call_pointer), (const void *)leaf);
	expect_calls(rounds * CALLED, NULL, NULL, (const void *)recurse);
	/* And the two of the kernel's return. */
	most = profiled_in(handler, handler + 20, PAPI_VPMU_INSTRUCTIONS) / 5 * 7;
	EXPECT(most >= 7 * PROFILED_TICKS);
	expect_more(6 + 5 * TIMES, (const void *)call_leaf, most);
	expect_more(2 * 7 * TIMES + 200, (const void *)leaf, most);
	expect_more(3 * TIMES, (const void *)tail, most);
	expect_more(6 + 6 * TIMES, (const void *)call_tail, most);
	expect_more(7 + 21 * TIMES, (const void *)call_pointer, most);
	more = profiled_within(NULL, NULL, (const void *)recurse, PAPI_VPMU_INSTRUCTIONS) -
		profiled_in(FROM(recurse), PAPI_VPMU_INSTRUCTIONS);
	EXPECT_BETWEEN(0, (long long)more, (long long)most);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "calls, last ones, and those by pointers", simple_calls },
		{ "recursion", recursion },
		{ "longjmp", jumps },
		{ "coroutines", coroutines },
		{ "functions that are bound when they are called", bound_late },
		{ "threads", threads_of_calls },
		{ "signals between any two instructions", signals_in_calls },
	};
	int failed;

	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	if (count > 1)
		profiled_slowness = atol(arguments[1]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(shared != MAP_FAILED);
	failed = check_run(tests, COUNT_OF(tests));
	printf("-- by callers\n");
	contexts = 1000;
	return check_run(tests, COUNT_OF(tests)) | failed;
}
