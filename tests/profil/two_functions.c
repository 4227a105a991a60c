/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of a program with two functions, of which one does twice the work of the other: at least 95 % of the samples
 * are in the two, at 2 to 1 within 3 % of all, and none is outside the text of the program and its libraries.
 *
 * The functions take turns of less than a millisecond, so that a processor that changes its speed does so for both; of
 * a length that changes, so that samples meet no part of them more often than another. On a busy machine the attempt is
 * made up to three times: what another process does to the cache is not what is tested.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "record.h"

#define CLOCK   "perf::TASK-CLOCK"
#define PERIOD  100000 /* ns */
#define SAMPLES 4000

/* The same instructions, and lie alike: the same speed. */
#define LOOP(n)                                            \
	do {                                               \
		for (unsigned long i = 0; i < (n); i++)    \
			__asm__ volatile("" ::: "memory"); \
	} while (0)

__attribute__((section("text_more"), aligned(64))) static WORK_PLAIN void more(unsigned long n)
{
	LOOP(n);
}

__attribute__((section("text_less"), aligned(64))) static WORK_PLAIN void less(unsigned long n)
{
	LOOP(n);
}

extern char __start_text_more[], __stop_text_more[], __start_text_less[], __stop_text_less[];

#define BUCKETS 512

#define LIBRARIES  16
#define COARSE     4    /* a scale: a bucket for 32768 addresses */
#define IN_LIBRARY 1024 /* buckets for one */

static uint32_t in_more[BUCKETS], in_less[BUCKETS], in_program[1 << 16], in_libraries[LIBRARIES * IN_LIBRARY], outside;

static long long sum(const uint32_t buckets[], size_t n)
{
	long long total = 0;

	for (size_t i = 0; i < n; i++)
		total += buckets[i];
	return total;
}

static unsigned region_bytes(const char *start, const char *stop)
{
	REQUIRE(stop - start <= BUCKETS);
	return (unsigned)(stop - start) * 4;
}

static PAPI_sprofil_t coarse_region(const PAPI_address_map_t *map, uint32_t buckets[], size_t most)
{
	size_t length = (size_t)((char *)map->text_end - (char *)map->text_start), needed = length / 32768 + 1;

	REQUIRE(needed <= most);
	return (PAPI_sprofil_t){ buckets, (unsigned)needed * 4, map->text_start, COARSE };
}

/* A bucket for each address of the functions, few for the rest of the program and for libraries, one for what
 * remains. */
static void profile(int set, int code)
{
	const PAPI_exe_info_t *program = PAPI_get_executable_info();
	const PAPI_shlib_info_t *libraries = PAPI_get_shared_lib_info();
	PAPI_sprofil_t prof[4 + LIBRARIES];
	int n = 0;

	REQUIRE(program != NULL && libraries != NULL && libraries->count <= LIBRARIES);
	prof[n++] = (PAPI_sprofil_t){ in_more, region_bytes(__start_text_more, __stop_text_more), __start_text_more,
		131072 };
	prof[n++] = (PAPI_sprofil_t){ in_less, region_bytes(__start_text_less, __stop_text_less), __start_text_less,
		131072 };
	prof[n++] = coarse_region(&program->address_info, in_program, COUNT_OF(in_program));
	for (int i = 0; i < libraries->count; i++)
		prof[n++] = coarse_region(&libraries->map[i], &in_libraries[i * IN_LIBRARY], IN_LIBRARY);
	prof[n++] = (PAPI_sprofil_t){ &outside, 4, NULL, 2 };
	REQUIRE_OK(PAPI_sprofil(prof, n, set, code, PERIOD, PAPI_PROFIL_BUCKET_32));
}

struct outcome {
	long long more, less, rest, libraries, outside, all;
};

static struct outcome attempt(int set)
{
	struct outcome outcome = { 0 };

	memset(in_more, 0, sizeof(in_more));
	memset(in_less, 0, sizeof(in_less));
	memset(in_program, 0, sizeof(in_program));
	memset(in_libraries, 0, sizeof(in_libraries));
	outside = 0;
	REQUIRE_OK(PAPI_start(set));
	for (int i = 0; i < 200000 && outcome.more + outcome.less < SAMPLES; i++) {
		unsigned long n = 50000 + (unsigned long)i * 7919 % 100000;

		more(2 * n);
		less(n);
		if (i % 64)
			continue;
		outcome.more = sum(in_more, BUCKETS);
		outcome.less = sum(in_less, BUCKETS);
	}
	REQUIRE_OK(PAPI_stop(set, NULL));
	outcome.more = sum(in_more, BUCKETS);
	outcome.less = sum(in_less, BUCKETS);
	outcome.rest = sum(in_program, COUNT_OF(in_program));
	outcome.libraries = sum(in_libraries, COUNT_OF(in_libraries));
	outcome.outside = outside;
	outcome.all = outcome.more + outcome.less + outcome.rest + outcome.libraries + outcome.outside;
	return outcome;
}

static bool as_it_should_be(const struct outcome *outcome)
{
	double share = (double)outcome->more / (double)(outcome->more + outcome->less);

	return (double)(outcome->more + outcome->less) >= 0.95 * (double)outcome->all && share > 2. / 3 - 0.03 &&
		share < 2. / 3 + 0.03;
}

static void two_to_one(void)
{
	int set = work_set(CLOCK, NULL, NULL);
	struct outcome outcome;

	profile(set, record_code(set, 0));
	for (int tries = 0; tries < 3; tries++) {
		outcome = attempt(set);
		EXPECT(outcome.more + outcome.less >= SAMPLES);
		EXPECT_EQUAL(outcome.all, record_delivered(set));
		EXPECT_EQUAL(0, outcome.outside);
		if (as_it_should_be(&outcome))
			break;
	}
	EXPECT(as_it_should_be(&outcome));
	printf("%lld samples: %lld + %lld in the two functions, %lld elsewhere in the program, %lld in libraries, "
	       "%lld outside\n",
		outcome.all, outcome.more, outcome.less, outcome.rest, outcome.libraries, outcome.outside);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = { { "two to one", two_to_one } };

	record_need_prompt_signals();
	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
