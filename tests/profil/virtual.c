/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop of which every instruction is known, profiled on the virtual PMU: which instruction each sample falls on, and
 * with that every bucket of every histogram, is computed here from the loop's text alone.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "record.h"
#include "twins.h"

#define TURNS 3000 /* as there */
#define LINE  64

/* known_*.S. The counted region: two instructions, TURNS times the nine of the loop, and the call of PAPI_stop(), which
 * is none. */
void known_region(int set, long long *values);
extern const char *const known_addresses[];
_Alignas(4096) char known_data[8 * (TURNS + 2)];

enum { COUNTER, DATA, LOAD, ADVANCE, NOTHING, LOAD_BEFORE, LOAD_NEXT, PUSH, POP, DOWN, AGAIN, KNOWN };

/* ---- what is expected ---- */

enum event { INSTRUCTIONS, LOADS, STORES, TAKEN, READ_MISSES, EVENTS };

static const char *const names[EVENTS] = { "vpmu:::INSTRUCTIONS", "vpmu:::LOADS", "vpmu:::STORES",
	"vpmu:::BRANCHES_TAKEN", "vpmu:::L1D_READ_MISSES" };

/* How often an event occurs in an instruction of a turn of the loop; the first two instructions are before turn 0. */
static int occurs(enum event event, int instruction, unsigned turn)
{
	switch (event) {
	case INSTRUCTIONS:
		return 1;
	case LOADS:
		return instruction == LOAD || instruction == LOAD_BEFORE || instruction == LOAD_NEXT ||
			instruction == POP;
	case STORES:
		return instruction == PUSH;
	case TAKEN:
		return instruction == AGAIN && turn + 1 < TURNS;
	case READ_MISSES:
		/* Each line is first touched by the load of what comes next; only the very first by LOAD. */
		return (instruction == LOAD && turn == 0) || (instruction == LOAD_NEXT && (turn + 1) * 8 % LINE == 0);
	default:
		return 0;
	}
}

struct expected {
	enum event event;
	int period;
	long long count;
	uint64_t samples[KNOWN]; /* of each instruction */
};

static void expect(struct expected *expected, int instruction, unsigned turn)
{
	if (!occurs(expected->event, instruction, turn))
		return;
	expected->count++;
	expected->samples[instruction] += expected->count % expected->period == 0;
}

static struct expected expect_region(enum event event, int period)
{
	struct expected expected = { .event = event, .period = period };

	expect(&expected, COUNTER, 0);
	expect(&expected, DATA, 0);
	for (unsigned turn = 0; turn < TURNS; turn++)
		for (int instruction = LOAD; instruction <= AGAIN; instruction++)
			expect(&expected, instruction, turn);
	return expected;
}

/* ---- histograms ---- */

#define BUCKETS 256

struct shape {
	unsigned scale;
	int flags;
	int before; /* bytes from the beginning of the region to the first instruction */
};

static uint64_t buckets[BUCKETS]; /* of any width */

static unsigned width_of(const struct shape *shape)
{
	return shape->flags & PAPI_PROFIL_BUCKET_64 ? 8 : shape->flags & PAPI_PROFIL_BUCKET_32 ? 4 : 2;
}

static uint64_t bucket(unsigned width, size_t i)
{
	uint16_t narrow;
	uint32_t middle;

	memcpy(&narrow, (char *)buckets + i * sizeof(narrow), sizeof(narrow));
	memcpy(&middle, (char *)buckets + i * sizeof(middle), sizeof(middle));
	return width == 8 ? buckets[i] : width == 4 ? middle : narrow;
}

static const char *start_of(const struct shape *shape)
{
	return known_addresses[COUNTER] - shape->before;
}

static bool same_buckets(const struct expected *expected, const struct shape *shape)
{
	static uint64_t wanted[BUCKETS];
	bool same = true;

	memset(wanted, 0, sizeof(wanted));
	for (int i = 0; i < KNOWN; i++) {
		uint64_t distance = (uint64_t)(known_addresses[i] - start_of(shape));

		wanted[distance * shape->scale / 131072] += expected->samples[i];
	}
	for (size_t i = 0; i < BUCKETS; i++)
		same = EXPECT_EQUAL((long long)wanted[i], (long long)bucket(width_of(shape), i)) && same;
	return same;
}

static struct expected expected;
static struct shape shape;

static void profile_here(void)
{
	long long count = -1;
	int set;

	setenv("PAPI_VPMU_CACHE", "L1D=1K/2/64", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	set = work_set(names[expected.event], NULL, NULL);
	memset(buckets, 0, sizeof(buckets));
	REQUIRE_OK(PAPI_profil(buckets, BUCKETS * width_of(&shape), (vptr_t)(uintptr_t)start_of(&shape), shape.scale,
		set, record_code(set, 0), expected.period, shape.flags));
	known_region(set, &count);
	EXPECT_EQUAL(expected.count, count);
	EXPECT_EQUAL(expected.count / expected.period, record_delivered(set));
	EXPECT_EQUAL(0, record_lost(set));
	if (!same_buckets(&expected, &shape))
		printf("  %s, every %d; scale %u, flags %#x, %d before\n", names[expected.event], expected.period,
			shape.scale, (unsigned)shape.flags, shape.before);
}

static void profile(enum event event, int period, struct shape how)
{
	expected = expect_region(event, period);
	shape = how;
	EXPECT_EQUAL(0, work_in_process(profile_here));
}

/* ---- tests ---- */

static void every_event(void)
{
	static const int periods[] = { 1, 2, 7, 9, 10, 100, 997 };
	const struct shape how = { 131072, PAPI_PROFIL_POSIX, 0 };

	for (enum event event = 0; event < EVENTS; event++)
		for (size_t i = 0; i < COUNT_OF(periods); i++)
			profile(event, periods[i], how);
}

static void every_shape(void)
{
	static const unsigned scales[] = { 131072, 65536, 32768, 16384, 8192, 100000, 43690, 4 };
	static const int widths[] = { PAPI_PROFIL_BUCKET_16, PAPI_PROFIL_BUCKET_32, PAPI_PROFIL_BUCKET_64 },
			 before[] = { 0, 1, 3, 64 };

	for (size_t i = 0; i < COUNT_OF(scales); i++)
		for (size_t j = 0; j < COUNT_OF(widths); j++)
			profile(INSTRUCTIONS, 7,
				(struct shape){ scales[i], widths[j], before[(i + j) % COUNT_OF(before)] });
}

/* Nothing is lost, so that every sample weighs one. */
static void weighted(void)
{
	profile(INSTRUCTIONS, 11, (struct shape){ 65536, PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_BUCKET_32, 0 });
	profile(LOADS, 5, (struct shape){ 131072, PAPI_PROFIL_WEIGHTED, 0 });
}

/* That the expectation is one: a period that does not divide the turn falls on all instructions alike, one that does on
 * one. */
static void what_is_expected(void)
{
	struct expected all = expect_region(INSTRUCTIONS, 10), one = expect_region(INSTRUCTIONS, 9);

	EXPECT_EQUAL(2 + 9L * TURNS, all.count);
	for (int i = LOAD; i <= AGAIN; i++) {
		EXPECT_BETWEEN(TURNS / 10 - 1, (long long)all.samples[i], TURNS / 10 + 1);
		EXPECT_EQUAL(i == POP ? TURNS : 0, (long long)one.samples[i]);
	}
	EXPECT_EQUAL(4L * TURNS, expect_region(LOADS, 1).count);
	EXPECT_EQUAL(1 + TURNS * 8 / LINE, expect_region(READ_MISSES, 1).count);
}

int main(void)
{
	static const struct test tests[] = {
		{ "what is expected", what_is_expected },
		{ "every event", every_event },
		{ "every shape", every_shape },
		{ "weighted", weighted },
	};

	twins_need();
	return check_run(tests, COUNT_OF(tests));
}
