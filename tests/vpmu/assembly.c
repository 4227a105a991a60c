/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact events are exact: loops of which every event was counted by hand, regions without anything in them, reads in
 * the middle, and the same numbers in a hundred processes, or as many as the argument says.
 */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly_loops.h"
#include "check.h"
#include "region.h"
#include "virtual.h"

static const char *const events[ALL_EVENTS] = {
	[INS] = "INSTRUCTIONS",
	[LD] = "LOADS",
	[SR] = "STORES",
	[PRE] = "PREFETCHES",
	[CN] = "BRANCHES_CONDITIONAL",
	[TKN] = "BRANCHES_TAKEN",
	[UCN] = "BRANCHES_UNCONDITIONAL",
	[IND] = "BRANCHES_INDIRECT",
	[CAL] = "CALLS",
	[RETURNS] = "RETURNS",
	[SYS] = "SYSTEM_CALLS",
	[INT] = "INTEGER_INSTRUCTIONS",
	[VEC] = "VECTOR_INSTRUCTIONS",
	[VECS] = "VECTOR_SINGLE_INSTRUCTIONS",
	[VECD] = "VECTOR_DOUBLE_INSTRUCTIONS",
	[FPI] = "FP_INSTRUCTIONS",
	[FMA] = "FMA_INSTRUCTIONS",
	[MUL] = "FP_MULTIPLIES",
	[ADD] = "FP_ADDS",
	[DIV] = "FP_DIVIDES",
	[SQR] = "FP_SQUARE_ROOTS",
	[INV] = "FP_INVERSES",
	[HALF] = "FP_OPERATIONS_HALF",
	[SS] = "FP_SCALAR_SINGLE",
	[SD] = "FP_SCALAR_DOUBLE",
	[S128] = "FP_128_SINGLE",
	[D128] = "FP_128_DOUBLE",
	[S256] = "FP_256_SINGLE",
	[D256] = "FP_256_DOUBLE",
	[S512] = "FP_512_SINGLE",
	[D512] = "FP_512_DOUBLE",
	[X87] = "FP_OPERATIONS_X87",
	[FEN] = "FENCES",
	[ATO] = "ATOMICS",
	[LDSR] = "LOADS_AND_STORES",
	[BR] = "BRANCHES",
	[NTK] = "BRANCHES_NOT_TAKEN",
	[OPS] = "FP_OPERATIONS",
	[OPSS] = "FP_OPERATIONS_SINGLE",
	[OPSD] = "FP_OPERATIONS_DOUBLE",
	[SYN] = "SYNCHRONIZATION",
};

static char data[4096] __attribute__((aligned(64)));

static int set_of_all(void)
{
	int set = PAPI_NULL;
	char name[64];

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (unsigned i = 0; i < ALL_EVENTS; i++) {
		snprintf(name, sizeof(name), "vpmu:::%s", events[i]);
		REQUIRE_OK(PAPI_add_named_event(set, name));
	}
	return set;
}

static void expect_loop(const struct loop *loop, long long expected[ALL_EVENTS])
{
	const long long once[SINGLE_EVENTS] = {
		/* mov, call and ret of region(), and the mov that sets the number of turns */
		[INS] = 4,
		[LD] = 1,
		[SR] = 1,
		[UCN] = 2,
		[IND] = 1,
		[CAL] = 1,
		[RETURNS] = 1,
		[TKN] = -1, /* the last jnz */
	};
	const long long each[SINGLE_EVENTS] = { [INS] = 2, [INT] = 1, [CN] = 1, [TKN] = 1 };

	for (unsigned i = 0; i < SINGLE_EVENTS; i++)
		expected[i] = once[i] + TURNS * (each[i] + loop->turn[i]);
	expected[LDSR] = expected[LD] + expected[SR];
	expected[BR] = expected[CN] + expected[UCN];
	expected[NTK] = expected[CN] - expected[TKN];
	expected[OPSS] = expected[SS] + expected[S128] + expected[S256] + expected[S512];
	expected[OPSD] = expected[SD] + expected[D128] + expected[D256] + expected[D512];
	expected[OPS] = expected[OPSS] + expected[OPSD] + expected[HALF] + expected[X87];
	expected[SYN] = expected[FEN] + expected[ATO];
}

static bool is_expected(const char *what, const long long *expected, const long long *got)
{
	for (unsigned i = 0; i < ALL_EVENTS; i++)
		if (!EXPECT_EQUAL(expected[i], got[i]))
			printf("    that is %s of %s\n", events[i], what);
	return !memcmp(expected, got, ALL_EVENTS * sizeof(*got));
}

static void test_loops(void)
{
	int set = set_of_all();

	for (size_t i = 0; i < n_loops; i++) {
		long long expected[ALL_EVENTS], values[ALL_EVENTS] = { 0 };

		if (loops[i].can && !loops[i].can())
			continue;
		expect_loop(&loops[i], expected);
		/* The first time it is translated, the second time it is there. */
		for (int round = 0; round < 2; round++) {
			memset(data, 0, sizeof(data));
			region(set, values, loops[i].run, data);
			is_expected(loops[i].name, expected, values);
		}
	}
}

/* What is wanted decides what is instrumented: an event alone is the same as among all others. */
static void test_one_by_one(void)
{
	for (unsigned event = 0; event < ALL_EVENTS; event++) {
		int set = PAPI_NULL;
		char name[64];

		REQUIRE_OK(PAPI_create_eventset(&set));
		snprintf(name, sizeof(name), "vpmu:::%s", events[event]);
		REQUIRE_OK(PAPI_add_named_event(set, name));
		for (size_t i = 0; i < n_loops; i++) {
			long long expected[ALL_EVENTS], value = 0;

			if (loops[i].can && !loops[i].can())
				continue;
			expect_loop(&loops[i], expected);
			memset(data, 0, sizeof(data));
			region(set, &value, loops[i].run, data);
			if (!EXPECT_EQUAL(expected[event], value))
				printf("    that is %s of %s, alone\n", events[event], loops[i].name);
		}
		EXPECT_OK(PAPI_cleanup_eventset(set));
		EXPECT_OK(PAPI_destroy_eventset(&set));
	}
}

/* A function of its own, or the compiler moves something of the loop around it between the two. */
static __attribute__((noinline)) void start_and_stop(int set, long long *values)
{
	PAPI_start(set);
	PAPI_stop(set, values);
	__asm__ volatile("" ::: "memory"); /* no jump to PAPI_stop behind the end of the frame */
}

/* From the very first time on, and whatever the EventSet has. */
static void test_empty(void)
{
	static const long long zeros[ALL_EVENTS];
	int set = set_of_all();

	for (int i = 0; i < 1000; i++) {
		long long values[ALL_EVENTS];

		memset(values, 0xff, sizeof(values));
		start_and_stop(set, values);
		if (!is_expected("an empty region", zeros, values))
			break;
	}
}

/*
 * script(set, values): counts of 10 nops, of 20 more, and of 5 more by accum, which starts anew; of 3 nops behind a
 * reset, and of 2 more. values has five rows of ROW numbers. Nothing between the calls counts but the nops.
 */
#define ROW 64
void script(int set, long long *values);
__asm__(".text\n"
	"script:\n\t"
	"push %rbx\n\t"
	"push %r12\n\t"
	"sub $8, %rsp\n\t"
	"mov %edi, %ebx\n\t"
	"mov %rsi, %r12\n\t"
	"call PAPI_start@PLT\n\t"
	".rept 10\n\tnop\n\t.endr\n\t"
	"mov %ebx, %edi\n\t"
	"mov %r12, %rsi\n\t"
	"call PAPI_read@PLT\n\t"
	".rept 20\n\tnop\n\t.endr\n\t"
	"mov %ebx, %edi\n\t"
	"lea 512(%r12), %rsi\n\t"
	"call PAPI_read@PLT\n\t"
	".rept 5\n\tnop\n\t.endr\n\t"
	"mov %ebx, %edi\n\t"
	"lea 1024(%r12), %rsi\n\t"
	"call PAPI_accum@PLT\n\t"
	".rept 7\n\tnop\n\t.endr\n\t"
	"mov %ebx, %edi\n\t"
	"call PAPI_reset@PLT\n\t"
	".rept 3\n\tnop\n\t.endr\n\t"
	"mov %ebx, %edi\n\t"
	"lea 1536(%r12), %rsi\n\t"
	"call PAPI_read@PLT\n\t"
	"nop\n\t"
	"nop\n\t"
	"mov %ebx, %edi\n\t"
	"lea 2048(%r12), %rsi\n\t"
	"call PAPI_stop@PLT\n\t"
	"add $8, %rsp\n\t"
	"pop %r12\n\t"
	"pop %rbx\n\t"
	"ret\n");

static void test_reads(void)
{
	static const int nops[] = { 10, 30, 35, 3, 5 };
	int set = set_of_all();

	for (int round = 0; round < 100; round++) {
		long long values[5][ROW] = { { 0 } };

		script(set, values[0]);
		for (int i = 0; i < 5; i++) {
			const long long expected[ALL_EVENTS] = { [INS] = nops[i] };

			if (!is_expected("reads, accum and reset", expected, values[i]))
				return;
		}
	}
}

/* ---- process by process ---- */

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(uint32_t));
}

/* What a program does: the C library, pointers, memory that the kernel gives. Nothing that depends on addresses. */
static void work(void *argument)
{
	static uint32_t numbers[1000];
	uint32_t random = 1;
	/* Not on the stack: how strlen steps depends on where in a vector a string begins. */
	static char text[200] __attribute__((aligned(64)));

	(void)argument;
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		numbers[i] = random = random * 1664525 + 1013904223;
	qsort(numbers, COUNT_OF(numbers), sizeof(numbers[0]), compare);
	for (int i = 0; i < 50; i++) {
		char *memory = malloc(1000 * (size_t)i);

		snprintf(text, sizeof(text), "%d %g %s", i, i / 3.0, memory ? "yes" : "no");
		if (memory)
			memory[0] = (char)strlen(text);
		free(memory);
	}
}

static int run_once(void)
{
	int set = set_of_all();
	long long values[ALL_EVENTS];

	region(set, values, work, NULL);
	printf("%p", (void *)values);
	for (unsigned i = 0; i < ALL_EVENTS; i++)
		printf(" %lld", values[i]);
	printf("\n");
	return 0;
}

/* What run_once() prints in a process of its own; where its stack is goes to place. */
static bool run_process(char *place, char *line, size_t size)
{
	FILE *pipe = popen("exec \"$VPMU_TEST_ITSELF\" once", "re");
	char text[2000], *counts;
	bool good = pipe && fgets(text, sizeof(text), pipe);

	if (pipe && pclose(pipe) != 0)
		good = false;
	counts = good ? strchr(text, ' ') : NULL;
	if (!counts)
		return false;
	snprintf(line, size, "%s", counts);
	*counts = '\0';
	snprintf(place, 32, "%.31s", text);
	return true;
}

static int processes = 100;

static void test_processes(void)
{
	char first[2000], line[2000], first_place[32], place[32];
	int moved = 0;

	REQUIRE(run_process(first_place, first, sizeof(first)));
	EXPECT(strtoll(first, NULL, 10) > 100000);
	for (int i = 1; i < processes; i++) {
		REQUIRE(run_process(place, line, sizeof(line)));
		if (!EXPECT_TEXT(first, line))
			break;
		moved += strcmp(first_place, place) != 0;
	}
	if (!moved && !check_failures())
		check_skip("addresses are the same in all processes here: they say little");
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "an empty region", test_empty },
		{ "loops", test_loops },
		{ "events one by one", test_one_by_one },
		{ "reads, accum and reset", test_reads },
		{ "the same in all processes", test_processes },
	};

	if (!virtual_begin())
		return 77;
	if (count > 1 && !strcmp(arguments[1], "once"))
		return run_once();
	if (count > 1)
		processes = (int)strtol(arguments[1], NULL, 10);
	setenv("VPMU_TEST_ITSELF", arguments[0], 1);
	return check_run(tests, COUNT_OF(tests));
}
