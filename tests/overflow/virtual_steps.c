/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every event of the virtual PMU overflows at the instruction that brings it there. What each instruction adds is found
 * out by looking after each; where overflows must be follows from that, for every threshold, and is compared with where
 * they are. Nothing that is counted depends on whether something overflows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "twins.h"

/* Small enough for all of it to miss. In the second one fetches and data get in each other's way all the time. */
#define SMALL   "L1I=512/2/64,L1D=1K/2/64,L2=4K/4/64,L3=16K/4/64,ITLB=2/2,DTLB=4/4,ITLB2=4/4,DTLB2=16/4"
#define ONE_WAY "L1I=256/1/32,L1D=256/1/32,L2=512/1/64,L3=2K/1/64,ITLB=2/1,DTLB=2/1,ITLB2=4/1,DTLB2=4/1"

static const char *geometry = SMALL;

/* ---- work of all kinds ---- */

static uint32_t state;
static unsigned char memory[64 << 10];

static uint32_t next_random(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static unsigned climb(unsigned n)
{
	volatile unsigned char place[96];

	place[n % 96] = (unsigned char)n;
	return n ? climb(n - 1) + place[n % 96] : 0;
}

static unsigned add(unsigned x)
{
	return x + memory[x % sizeof(memory)];
}

static unsigned turn(unsigned x)
{
	return (x << 7 | x >> 25) ^ memory[x * 64 % sizeof(memory)];
}

static unsigned write_some(unsigned x)
{
	/* Across lines and pages, too. */
	for (unsigned i = 0; i < 3; i++)
		memcpy(memory + (x + i * 4093) % (sizeof(memory) - 16), &x, sizeof(x));
	return x * 5;
}

static void move_string(size_t n)
{
	void *from = memory + 100, *to = memory + sizeof(memory) / 2 + 17;

#ifdef __x86_64__
	__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
#else
	memmove(to, from, n);
#endif
}

static volatile unsigned sink;

static void work(void)
{
	static unsigned (*const functions[])(unsigned) = { add, turn, write_some };
	uint32_t numbers[150];
	unsigned x = 1;

	state = 12345;
	for (unsigned i = 0; i < 400; i++) {
		uint32_t random = next_random();

		x = functions[random % 3](x + i);
		if (random & 0x40)
			x ^= 77;
		if ((random & 0xff00) == 0)
			x += climb(random % 20);
	}
	for (unsigned i = 0; i < 150; i++)
		numbers[i] = next_random();
	qsort(numbers, 150, sizeof(numbers[0]), compare);
	move_string(3000);
	memset(memory + 5, (int)x, 2000);
	move_string(0);
	for (unsigned i = 0; i < sizeof(memory); i += 4096)
		__builtin_prefetch(memory + i);
	sink = x + numbers[7] + climb(30);
}

/* ---- where overflows must be ---- */

static struct twin_outcome *plain, *steps, *expected, *got, *again;

/* From what had been counted after each instruction. */
static void derive(int threshold)
{
	long long before = 0;

	expected->calls = 0;
	for (long i = 0; i < steps->calls && i < TWIN_POINTS; i++) {
		long long count = steps->points[i].count;

		for (; before < count / threshold; before++) {
			if (expected->calls < TWIN_POINTS)
				expected->points[expected->calls] = steps->points[i];
			expected->calls++;
		}
	}
}

static void one_threshold(const char *event, int threshold)
{
	const struct twin_run run = { .event = event, .threshold = threshold, .geometry = geometry, .work = work };

	derive(threshold);
	twins_count(&run, got);
	if (!EXPECT_EQUAL(plain->total, got->total) || !twins_same(expected, got))
		printf("  %s, threshold %d\n", event, threshold);
	EXPECT_EQUAL(plain->total / threshold, got->calls);
	EXPECT_EQUAL(got->calls, got->delivered);
	EXPECT_EQUAL(0, got->lost);
}

static void one_event(const char *event, long long least)
{
	const struct twin_run without = { .event = event, .geometry = geometry, .work = work },
			      each = { .event = event, .each = true, .geometry = geometry, .work = work };
	static const int thresholds[] = { 1, 7, 100, 1000, 30000 };

	twins_count(&without, plain);
	if (plain->total < least)
		printf("  %s\n", event);
	EXPECT(plain->total >= least);
	twins_count(&each, steps);
	EXPECT_EQUAL(plain->total, steps->total);
	REQUIRE(steps->calls > 5000 && steps->calls < TWIN_POINTS);
	for (size_t i = 0; i < COUNT_OF(thresholds); i++)
		if (thresholds[i] == 1 || thresholds[i] <= plain->total)
			one_threshold(event, thresholds[i]);
}

static void exact(void)
{
	one_event("vpmu:::INSTRUCTIONS", 10000);
	one_event("vpmu:::LOADS", 1000);
	one_event("vpmu:::LOADS_AND_STORES", 1000);
	one_event("vpmu:::BRANCHES_TAKEN", 100);
	one_event("vpmu:::BRANCHES_NOT_TAKEN", 100);
}

static void caches(void)
{
	one_event("vpmu:::L1D_READ_MISSES", 100);
	one_event("vpmu:::L1D_WRITE_MISSES", 100);
	one_event("vpmu:::L1I_MISSES", 100);
	one_event("vpmu:::PREFETCH_MISSES", 10);
	one_event("vpmu:::L1D_HITS", 1000);
	one_event("vpmu:::L2_MISSES", 100);
	one_event("vpmu:::L3_MISSES", 100);
}

static void pages(void)
{
	one_event("vpmu:::DTLB_MISSES", 100);
	one_event("vpmu:::DTLB_WALKS", 5);
	one_event("vpmu:::ITLB_MISSES", 100);
	one_event("vpmu:::TLB_WALKS", 5);
}

static void branches(void)
{
	one_event("vpmu:::BRANCHES_MISPREDICTED", 100);
	one_event("vpmu:::BRANCHES_PREDICTED", 100);
	one_event("vpmu:::TARGETS_MISPREDICTED", 10);
}

static void cycles(void)
{
	one_event("vpmu:::CYCLES", 10000);
	one_event("vpmu:::STALL_CYCLES", 10000);
	one_event("vpmu:::MEMORY_STALL_CYCLES", 10000);
	one_event("vpmu:::FULL_CYCLES", 1000);
}

static void one_way(void)
{
	geometry = ONE_WAY;
	one_event("vpmu:::L1_MISSES", 100);
	one_event("vpmu:::L2_MISSES", 100);
	one_event("vpmu:::L3_MISSES", 100);
	one_event("vpmu:::TLB_WALKS", 100);
	one_event("vpmu:::CYCLES", 10000);
	geometry = SMALL;
}

static void twice_the_same(void)
{
	const struct twin_run run = { .event = "vpmu:::CYCLES", .threshold = 97, .geometry = geometry, .work = work };

	twins_count(&run, got);
	twins_count(&run, again);
	EXPECT(got->calls > 100);
	EXPECT(twins_same(got, again));
	EXPECT_EQUAL(got->total, again->total);
}

int main(void)
{
	static const struct test tests[] = {
		{ "exact events", exact },
		{ "misses of caches", caches },
		{ "misses of TLBs", pages },
		{ "predictions", branches },
		{ "cycles", cycles },
		{ "caches of one way", one_way },
		{ "twice the same", twice_the_same },
	};

	twins_need();
	work(); /* what is bound when it is first called has been, then, whatever a run calls besides */
	plain = twins_outcome();
	steps = twins_outcome();
	expected = twins_outcome();
	got = twins_outcome();
	again = twins_outcome();
	return check_run(tests, COUNT_OF(tests));
}
