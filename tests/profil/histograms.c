/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms of events whose places are known: every sample is in its bucket, and nowhere else. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "record.h"

#define FAULTS "perf::PAGE-FAULTS"

/* Around the small functions of work.c and record.c that do everything. */
#define FAULTS_OF_A_TURN 100
#define REGION           256

static struct work_cell cell, other;

static int watch(const struct work_cell *which)
{
	char name[WORK_NAME];

	work_name(name, which, "/8:w");
	return work_set(name, NULL, NULL);
}

static long long sum_16(const unsigned short buckets[], size_t n, size_t *used)
{
	long long sum = 0;

	*used = 0;
	for (size_t i = 0; i < n; i++) {
		sum += buckets[i];
		*used += buckets[i] != 0;
	}
	return sum;
}

static void *code_of(void (*function)(struct work_cell *cell, unsigned long times))
{
	return (void *)(uintptr_t)function;
}

static void one_function(void)
{
	static unsigned short buckets[REGION], elsewhere[REGION];
	int set = watch(&cell), code = record_code(set, 0), state;
	size_t used;

	EXPECT_OK(PAPI_profil(buckets, sizeof(buckets), code_of(work_store), 131072, set, code, 10, 0));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_PROFILING, state);
	for (int run = 1; run <= 3; run++) {
		EXPECT_OK(PAPI_start(set));
		work_store(&cell, 1000);
		EXPECT_EQUAL(1000, work_stop(set));
		/* They add up over the runs, at the instruction behind the store. */
		EXPECT_EQUAL(100 * run, sum_16(buckets, REGION, &used));
		EXPECT_EQUAL(1, (long long)used);
		EXPECT_EQUAL(100, record_delivered(set));
	}
	/* Another buffer from now on: the first one is not touched any more. */
	EXPECT_OK(PAPI_profil(elsewhere, sizeof(elsewhere), code_of(work_store), 65536, set, code, 20, 0));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 1000);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(300, sum_16(buckets, REGION, &used));
	EXPECT_EQUAL(50, sum_16(elsewhere, REGION, &used));
	/* Off: neither. */
	EXPECT_OK(PAPI_profil(elsewhere, sizeof(elsewhere), code_of(work_store), 65536, set, code, 0, 0));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 1000);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(300, sum_16(buckets, REGION, &used));
	EXPECT_EQUAL(50, sum_16(elsewhere, REGION, &used));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	work_discard(set);
}

/* As in the example of the reference: two regions, and a bucket for all the rest. */
static void several_regions(void)
{
	static uint32_t stores[REGION], touches[REGION], rest;
	PAPI_sprofil_t prof[3] = {
		{ stores, sizeof(stores), code_of(work_store), 0x20000 },
		{ touches, sizeof(touches), (void *)(uintptr_t)record_touch, 0x20000 },
		{ &rest, 1, NULL, 2 },
	};
	char name[WORK_NAME], *pages = work_pages(100);
	long long in_stores = 0, in_touches = 0, faults;
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set(name, FAULTS, NULL);
	/* Two events at once, in one histogram. */
	EXPECT_OK(PAPI_sprofil(prof, 3, set, record_code(set, 0), 5, PAPI_PROFIL_BUCKET_32));
	EXPECT_OK(PAPI_sprofil(prof, 3, set, record_code(set, 1), 10, PAPI_PROFIL_BUCKET_32));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 50);
	record_touch(pages, 100);
	/* By another way than work_store. */
	for (int i = 0; i < 25; i++)
		cell.value = 1;
	EXPECT_OK(PAPI_stop(set, (long long[]){ 0, 0 }));
	for (size_t i = 0; i < REGION; i++) {
		in_stores += stores[i];
		in_touches += touches[i];
	}
	EXPECT_EQUAL(10, in_stores);
	if (work_exact_faults()) {
		EXPECT_EQUAL(10, in_touches);
		EXPECT_EQUAL(5, rest);
	} else {
		EXPECT(rest >= 5);
	}
	EXPECT_OK(PAPI_get_overflow_counts(set, record_code(set, 1), &faults, NULL));
	EXPECT_EQUAL(15 + faults, in_stores + in_touches + rest);
	work_unmap(pages, 100);
	work_discard(set);
}

/* A histogram for one event, a handler for another. */
static void beside_a_handler(void)
{
	static unsigned long long buckets[REGION];
	char name[WORK_NAME], other_name[WORK_NAME];
	long long sum = 0;
	int set, state;

	work_name(name, &cell, "/8:w");
	work_name(other_name, &other, "/8:w");
	set = work_set(name, other_name, NULL);
	EXPECT_OK(PAPI_profil(buckets, sizeof(buckets), code_of(work_store), 131072, set, record_code(set, 0), 4,
		PAPI_PROFIL_BUCKET_64));
	EXPECT_OK(PAPI_overflow(set, record_code(set, 1), 10, 0, record_handler));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_PROFILING | PAPI_OVERFLOWING, state);
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 100);
	work_store(&other, 100);
	EXPECT_OK(PAPI_stop(set, (long long[]){ 0, 0 }));
	for (size_t i = 0; i < REGION; i++)
		sum += (long long)buckets[i];
	EXPECT_EQUAL(25, sum);
	EXPECT_EQUAL(10, record.calls);
	EXPECT_EQUAL(2, record.vectors);
	work_discard(set);
}

/* Cleanup and shutdown end it, also of a set that counts: the program may free its buffer after them. */
static void ended_by_cleanup(void)
{
	unsigned short *buckets = calloc(REGION, sizeof(*buckets));
	int set = watch(&cell), code = record_code(set, 0);

	EXPECT_OK(PAPI_profil(buckets, REGION * 2, code_of(work_store), 131072, set, code, 1, 0));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 10);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	free(buckets);
	EXPECT_OK(PAPI_add_event(set, code));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 100);
	EXPECT_EQUAL(100, work_stop(set));
	work_discard(set);
}

static void ended_by_shutdown(void)
{
	unsigned short *buckets = calloc(REGION, sizeof(*buckets));
	size_t used;
	int set = watch(&cell);

	EXPECT_OK(PAPI_profil(buckets, REGION * 2, code_of(work_store), 131072, set, record_code(set, 0), 1, 0));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 10);
	PAPI_shutdown();
	work_store(&cell, 10);
	EXPECT_EQUAL(10, sum_16(buckets, REGION, &used));
	free(buckets);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

/* By timer: weighted, the buckets hold all thresholds that were passed, not only those that were noticed. */
static void weighted_by_timer(void)
{
	static uint32_t plain, weighted;
	PAPI_sprofil_t into_plain = { &plain, 4, NULL, 2 }, into_weighted = { &weighted, 4, NULL, 2 };
	int set = work_set(FAULTS, "perf::MINOR-FAULTS", NULL), flags = PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_FORCE_SW;
	long long counts[2], delivered, lost;

	EXPECT_OK(PAPI_sprofil(&into_plain, 1, set, record_code(set, 0), 10, flags));
	EXPECT_OK(PAPI_sprofil(&into_weighted, 1, set, record_code(set, 1), 10, flags | PAPI_PROFIL_WEIGHTED));
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < 200 && plain < 5; i++) {
		record_faults(FAULTS_OF_A_TURN);
		record_spin(5);
	}
	EXPECT_OK(PAPI_stop(set, counts));
	EXPECT(plain >= 5);
	EXPECT_OK(PAPI_get_overflow_counts(set, record_code(set, 0), &delivered, &lost));
	EXPECT_EQUAL(delivered, plain);
	EXPECT_OK(PAPI_get_overflow_counts(set, record_code(set, 1), &delivered, &lost));
	/* What the last look has not seen is counted as lost, but in no bucket: at most the faults of the last turn. */
	EXPECT_BETWEEN(delivered + lost - FAULTS_OF_A_TURN / 10 - 2, weighted, delivered + lost);
	EXPECT(weighted > plain);
	EXPECT_BETWEEN(1, weighted, counts[1] / 10);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "one function", RECORD_WATCHED(one_function) },
		{ "several regions and events", RECORD_WATCHED(several_regions) },
		{ "beside a handler", RECORD_WATCHED(beside_a_handler) },
		{ "ended by cleanup", RECORD_WATCHED(ended_by_cleanup) },
		{ "ended by shutdown", RECORD_WATCHED(ended_by_shutdown) },
		{ "weighted, by timer", weighted_by_timer },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
