/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops in assembly (loops_*.S) of which it is known what each instruction does in the models: how often their events
 * overflow, at which instruction, and what has been counted by then.
 */
#include <stdint.h>

#include "check.h"
#include "twins.h"

/* Sixteen lines of data, four pages. */
#define GEOMETRY "L1I=4K/2/64,L1D=1K/2/64,L2=8K/4/64,L3=none,ITLB=4/4,DTLB=4/4,ITLB2=16/4,DTLB2=16/4"

#define LINE 64
#define PAGE 4096

/* walk(from, n, stride): one load for each step. leave(n): a return to where no call came from.
 * string(to, from, n). straight(): 512 lines of instructions that do nothing. turn(n): a loop of two instructions. */
void walk(const char *from, uint64_t n, uint64_t stride);
void leave(uint64_t n);
void string(char *to, const char *from, uint64_t n);
void straight(void);
void turn(uint64_t n);
extern const char walk_load[], walk_next[], leave_return[], leave_back[], string_move[], string_next[], straight_end[],
	turn_again[];

static _Alignas(PAGE) char data[256 * PAGE];
static struct twin_outcome *outcome;

static void count(const char *event, int threshold, void (*work)(void))
{
	const struct twin_run run = { .event = event, .threshold = threshold, .geometry = GEOMETRY, .work = work };

	twins_count(&run, outcome);
	EXPECT_EQUAL(outcome->total / threshold, outcome->calls);
	EXPECT_EQUAL(outcome->calls, outcome->delivered);
	EXPECT_EQUAL(0, outcome->lost);
}

/* What the ways to the loop and from there may add. */
#define STRAYS 10

/* n events of that instruction, behind which the program goes on at next; one at a time. */
static void expect_at(const char *address, const char *next, long long n, int threshold)
{
	EXPECT_BETWEEN(n, outcome->total, n + STRAYS);
	for (long i = 0; i < outcome->calls; i++) {
		long long nth = (long long)(i + 1) * threshold;

		EXPECT_EQUAL(nth, outcome->points[i].count);
		if (nth <= STRAYS || nth > n)
			continue;
		EXPECT(outcome->points[i].address == address);
		EXPECT(outcome->points[i].next == next);
	}
}

static long calls_at(const char *address)
{
	long calls = 0;

	for (long i = 0; i < outcome->calls; i++)
		calls += outcome->points[i].address == address;
	return calls;
}

/* ---- data ---- */

static void walk_lines(void)
{
	walk(data, 2000, LINE);
}

/* As many lines more than there is room for, around and around: none is there when it is wanted again. */
static void walk_around(void)
{
	for (unsigned i = 0; i < 50; i++)
		walk(data, 32, LINE);
}

static void walk_pages(void)
{
	for (unsigned i = 0; i < 50; i++)
		walk(data, 8, PAGE);
}

static void data_misses(void)
{
	static const int thresholds[] = { 1, 2, 10, 999, 1000 };

	for (size_t i = 0; i < COUNT_OF(thresholds); i++) {
		count("vpmu:::L1D_READ_MISSES", thresholds[i], walk_lines);
		expect_at(walk_load, walk_next, 2000, thresholds[i]);
		count("vpmu:::L2D_READ_MISSES", thresholds[i], walk_lines);
		expect_at(walk_load, walk_next, 2000, thresholds[i]);
	}
	count("vpmu:::L1D_READ_MISSES", 1, walk_around);
	EXPECT_EQUAL(50L * 32, calls_at(walk_load));
}

static void page_misses(void)
{
	count("vpmu:::DTLB_MISSES", 1, walk_pages);
	EXPECT_EQUAL(50L * 8, calls_at(walk_load));
	/* All fit into the second level. */
	count("vpmu:::DTLB_WALKS", 1, walk_pages);
	EXPECT_EQUAL(8, calls_at(walk_load));
}

static void walk_across(void)
{
	walk(data + PAGE - 4, 100, 2 * PAGE);
}

/* Two pages for each load. */
static void loads_across_pages(void)
{
	count("vpmu:::DTLB_MISSES", 3, walk_across);
	EXPECT_BETWEEN(200, outcome->total, 200 + STRAYS);
	for (long i = 0; i < outcome->calls; i++) {
		long long count_there = outcome->points[i].count, nth = (i + 1) * 3LL;

		EXPECT_BETWEEN(nth, count_there, nth + 1);
		if (nth <= STRAYS || nth > 200)
			continue;
		EXPECT(outcome->points[i].address == walk_load);
		EXPECT(outcome->points[i].next == walk_next);
	}
}

/* No other processor has one instruction that moves many bytes. */
#ifdef __x86_64__
static void move(void)
{
	string(data + 40 * PAGE, data, 100L * LINE);
}

/* A hundred lines read and a hundred written by one instruction: it is asked when it is done, once for each
 * multiple. */
static void string_instruction(void)
{
	long long first;

	count("vpmu:::L1D_MISSES", 30, move);
	EXPECT_BETWEEN(200, outcome->total, 209);
	REQUIRE(outcome->calls == 6);
	first = outcome->points[0].count;
	EXPECT_BETWEEN(200, first, outcome->total);
	for (long i = 0; i < 6; i++) {
		EXPECT(outcome->points[i].address == string_move);
		EXPECT(outcome->points[i].next == string_next);
		EXPECT_EQUAL(first, outcome->points[i].count);
	}
	count("vpmu:::LOADS", 1000, move);
	REQUIRE(outcome->calls == 6);
	for (long i = 0; i < 6; i++) {
		EXPECT(outcome->points[i].address == string_move);
		EXPECT_EQUAL(outcome->points[0].count, outcome->points[i].count);
	}
}
#endif

/* ---- code ---- */

static unsigned first_line;

static void straight_on(void)
{
	void (*from)(void) = (void (*)(void))((uintptr_t)straight + (uintptr_t)first_line * LINE);

	from();
}

/* Each line misses once, at its first instruction. */
static void fetch_from(unsigned line, int threshold)
{
	const char *last = NULL;
	long inside = 0, n = 512 - (long)line;

	first_line = line;
	count("vpmu:::L1I_MISSES", threshold, straight_on);
	EXPECT_BETWEEN(n, outcome->total, n + STRAYS);
	for (long j = 0; j < outcome->calls; j++) {
		const char *address = outcome->points[j].address;

		if (address < (const char *)(uintptr_t)straight || address >= straight_end)
			continue;
		EXPECT_EQUAL((j + 1) * threshold, outcome->points[j].count);
		EXPECT_EQUAL(0, (address - (const char *)(uintptr_t)straight) % LINE);
		EXPECT(!last || address - last == LINE * threshold);
		last = address;
		inside++;
	}
	EXPECT_BETWEEN(n / threshold - 1, inside, n / threshold + 1);
}

/* Wherever blocks of 64 instructions then are in pages. */
static void fetches(void)
{
	static const int thresholds[] = { 1, 3, 10, 128 };

	for (size_t i = 0; i < COUNT_OF(thresholds); i++)
		for (unsigned line = 0; line < 8; line++)
			fetch_from(line, thresholds[i]);
	first_line = 0;
	count("vpmu:::ITLB_MISSES", 1, straight_on);
	/* Eight pages, and where it begins in the first one. */
	EXPECT_BETWEEN(8, outcome->total, 8 + STRAYS);
	for (long j = 1; j + 1 < outcome->calls; j++)
		if (outcome->points[j].address > (const char *)(uintptr_t)straight &&
			outcome->points[j].address < straight_end)
			EXPECT_EQUAL(0, (long long)((uintptr_t)outcome->points[j].address % PAGE));
}

static void leave_often(void)
{
	leave(700);
}

/* What the predictor made of it is known as soon as it is known where the return went, not an instruction later. */
static void predictions(void)
{
	static const int thresholds[] = { 1, 7, 350 };

	for (size_t i = 0; i < COUNT_OF(thresholds); i++) {
		count("vpmu:::RETURNS_MISPREDICTED", thresholds[i], leave_often);
		expect_at(leave_return, leave_back, 700, thresholds[i]);
	}
}

static void turn_often(void)
{
	turn(10000);
}

static bool is_in_turn(const char *address)
{
	return address == (const char *)(uintptr_t)turn || address == turn_again;
}

/* Four instructions are a cycle: the two overflow together. */
static void full_cycles(void)
{
	struct twin_outcome *instructions = twins_outcome(), *swap;

	count("vpmu:::INSTRUCTIONS", 4 * 25, turn_often);
	EXPECT_BETWEEN(20000, outcome->total, 20099);
	swap = outcome;
	outcome = instructions;
	count("vpmu:::FULL_CYCLES", 25, turn_often);
	EXPECT_EQUAL(swap->calls, outcome->calls);
	for (long i = 0; i < outcome->calls; i++) {
		EXPECT_EQUAL((i + 1) * 100, swap->points[i].count);
		EXPECT_EQUAL((i + 1) * 25, outcome->points[i].count);
		EXPECT(swap->points[i].address == outcome->points[i].address);
	}
	EXPECT(is_in_turn(outcome->points[5].address));
}

/* Once the loop is warm it waits for nothing: a thousand cycles are four thousand instructions, and there are 20000. */
static void cycles(void)
{
	long exact = 0;

	count("vpmu:::CYCLES", 1000, turn_often);
	for (long i = 0; i < outcome->calls; i++)
		exact += is_in_turn(outcome->points[i].address) && outcome->points[i].count == (i + 1) * 1000;
	EXPECT_BETWEEN(4, exact, 5);
}

int main(void)
{
	static const struct test tests[] = {
		{ "misses of data", data_misses },
		{ "misses of pages", page_misses },
		{ "loads across pages", loads_across_pages },
#ifdef __x86_64__
		{ "a string instruction", string_instruction },
#endif
		{ "misses of code", fetches },
		{ "wrong predictions", predictions },
		{ "full cycles", full_cycles },
		{ "cycles", cycles },
	};

	twins_need();
	outcome = twins_outcome();
	return check_run(tests, COUNT_OF(tests));
}
