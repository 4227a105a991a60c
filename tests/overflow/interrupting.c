/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers that interrupt anything: the allocator, stdio, and the library in the middle of a call on the very set.
 *
 * The interrupter is a clock of the thread, as fast as it goes. What a handler does must not wait for what it
 * interrupts.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "record.h"

#define CLOCK "perf::TASK-CLOCK"
/* Under a sanitizer a handler takes longer. */
#define PERIOD (work_exact_faults() ? 100000 : 1000000)

static volatile long calls, refusals, backwards, inside_libc;
static volatile long long last;
static char *libc_text, *libc_end;

static void reader(int set, void *address, long long vector, void *context)
{
	long long value = -1;
	int index[2], number = 2;

	(void)context;
	calls++;
	if (PAPI_read(set, &value) != PAPI_OK || PAPI_get_overflow_event_index(set, vector, index, &number) != PAPI_OK)
		refusals++;
	backwards += value < last;
	last = value;
	inside_libc += (char *)address >= libc_text && (char *)address < libc_end;
}

/* The piece of the C library that holds malloc() and printf(). */
static void find_libc(void)
{
	void *inside = dlsym(RTLD_DEFAULT, "fputs");
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long from, to;

	REQUIRE(maps != NULL && inside != NULL);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && (unsigned long)inside >= from &&
			(unsigned long)inside < to) {
			libc_text = (char *)from;
			libc_end = (char *)to;
		}
	}
	fclose(maps);
	REQUIRE(libc_text != NULL);
}

static int interrupted_set(void)
{
	int set = work_set(CLOCK, NULL, NULL);

	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), PERIOD, 0, reader));
	calls = refusals = backwards = inside_libc = 0;
	last = 0;
	return set;
}

/* Blocks of many sizes, each filled with its number: an allocator that was disturbed gives some out twice. */
static bool allocate(unsigned rounds)
{
	static unsigned char *blocks[64];
	static size_t sizes[64];
	unsigned seed = 1;
	bool sound = true;

	for (unsigned i = 0; i < rounds; i++) {
		unsigned k = (seed = seed * 1103515245 + 12345) >> 16 & 63;

		for (size_t j = 0; blocks[k] && j < sizes[k]; j++)
			sound = sound && blocks[k][j] == k;
		free(blocks[k]);
		sizes[k] = (seed >> 8 & 1023) + 1;
		blocks[k] = malloc(sizes[k]);
		REQUIRE(blocks[k] != NULL);
		memset(blocks[k], (int)k, sizes[k]);
	}
	for (unsigned k = 0; k < 64; k++) {
		free(blocks[k]);
		blocks[k] = NULL;
	}
	return sound;
}

static void in_malloc(void)
{
	int set = interrupted_set();

	EXPECT_OK(PAPI_start(set));
	for (unsigned i = 0; i < 200 && calls < 200; i++)
		EXPECT(allocate(2000));
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(calls >= 200);
	EXPECT_EQUAL(0, refusals);
	EXPECT_EQUAL(0, backwards);
	/* Of all that time the allocator has its share; a sanitizer brings its own. */
	if (work_exact_faults())
		EXPECT(inside_libc > 0);
	work_discard(set);
}

static void in_printf(void)
{
	FILE *file = tmpfile();
	unsigned long sum = 0, expected = 0, number;
	int set = interrupted_set();
	unsigned lines = 0;

	REQUIRE(file != NULL);
	EXPECT_OK(PAPI_start(set));
	for (; lines < 2000000 && calls < 400; lines++) {
		fprintf(file, "%08u %20.17g\n", lines, (double)lines / 3);
		expected += lines;
	}
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(calls >= 400);
	EXPECT_EQUAL(0, refusals);
	if (work_exact_faults())
		EXPECT(inside_libc > 0);
	rewind(file);
	for (unsigned i = 0; i < lines; i++) {
		double third;

		if (fscanf(file, "%lu %lg", &number, &third) != 2)
			break;
		sum += number;
	}
	EXPECT_EQUAL((long long)expected, (long long)sum);
	fclose(file);
	work_discard(set);
}

/* The set is somebody's at most moments. What cannot be delivered at once is soon; nothing waits for itself. */
static void in_calls_on_the_set(void)
{
	int set = interrupted_set();
	long long value, errors = 0;

	EXPECT_OK(PAPI_start(set));
	for (unsigned i = 0; i < 3000000 && calls < 300; i++)
		errors += PAPI_read(set, &value) != PAPI_OK;
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(0, errors);
	EXPECT_EQUAL(0, refusals);
	EXPECT_EQUAL(0, backwards);
	EXPECT(calls >= 300);
	work_discard(set);
}

static void in_start_and_stop(void)
{
	int set = interrupted_set();
	long long value = 0, errors = 0;

	for (unsigned i = 0; i < 2000 && calls < 300; i++) {
		errors += PAPI_start(set) != PAPI_OK;
		for (unsigned j = 0; j < 2000; j++) {
			errors += PAPI_reset(set) != PAPI_OK;
			errors += PAPI_accum(set, &value) != PAPI_OK;
		}
		errors += PAPI_stop(set, &value) != PAPI_OK;
	}
	EXPECT_EQUAL(0, errors);
	EXPECT_EQUAL(0, refusals);
	EXPECT(calls >= 300);
	work_discard(set);
}

/* A set is set up, used and destroyed while another one interrupts. */
static void in_the_life_of_another_set(void)
{
	int set = interrupted_set(), other = PAPI_NULL, n = 0;
	long long values[2];

	EXPECT_OK(PAPI_start(set));
	while (calls < 300 && n < 100000) {
		n++;
		REQUIRE_OK(PAPI_create_eventset(&other));
		REQUIRE_OK(PAPI_add_named_event(other, "perf::PAGE-FAULTS"));
		REQUIRE_OK(PAPI_add_named_event(other, "perf::CPU-CLOCK"));
		REQUIRE_OK(PAPI_overflow(other, record_code(other, 0), 1000, 0, record_handler));
		REQUIRE_OK(PAPI_start(other));
		REQUIRE_OK(PAPI_read(other, values));
		REQUIRE_OK(PAPI_stop(other, values));
		REQUIRE_OK(PAPI_cleanup_eventset(other));
		REQUIRE_OK(PAPI_destroy_eventset(&other));
	}
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(calls >= 300);
	EXPECT_EQUAL(0, refusals);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "the allocator", in_malloc },
		{ "stdio", in_printf },
		{ "reads of the set", in_calls_on_the_set },
		{ "start, stop, reset and accum of the set", in_start_and_stop },
		{ "the life of another set", in_the_life_of_another_set },
	};

	work_begin();
	find_libc();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
