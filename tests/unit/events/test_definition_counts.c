/* SPDX-License-Identifier: BSD-3-Clause */
/* User events over the software events of the real kernel: page faults, which a program can cause one by one. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "definitions.h"
#include "unit.h"

#define PAGES 200

/* A sanitizer would touch pages of its own for each of ours. */
__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"))) static void touch(
	volatile char *pages, long size)
{
	for (long i = 0; i < PAGES; i++)
		pages[i * size] = 1;
}

/* Writes to so many pages for the first time, between start and stop. */
static void fault_into(int set, long long values[])
{
	long size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, (size_t)(PAGES * size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise(pages, (size_t)(PAGES * size), MADV_NOHUGEPAGE);
	assert_ok(PAPI_start(set));
	touch(pages, size);
	assert_ok(PAPI_stop(set, values));
	munmap(pages, (size_t)(PAGES * size));
}

static int make_set(const char *const names[], size_t n)
{
	int set = PAPI_NULL;

	assert_ok(PAPI_create_eventset(&set));
	for (size_t i = 0; i < n; i++)
		assert_ok(PAPI_add_named_event(set, names[i]));
	return set;
}

#define SET_OF(...) make_set(TERM_LIST(__VA_ARGS__), LENGTH(TERM_LIST(__VA_ARGS__)))

/*
 * Until two counts running agree: code and stack of what runs in between are there after the first, and what else takes
 * faults now and then (a sanitizer gives pages of its own back in the background) does not do so alike twice.
 */
static void count_into(int set, long long values[], size_t n)
{
	long long before[5];

	assert_true(n <= LENGTH(before));
	fault_into(set, values);
	for (int i = 0; i < 20; i++) {
		memcpy(before, values, n * sizeof(*values));
		fault_into(set, values);
		if (memcmp(before, values, n * sizeof(*values)) == 0)
			return;
	}
	fail_msg("no two counts of page faults agree");
}

static void a_pair_is_counted_exactly(void **state)
{
	long long values[3];
	int set;

	(void)state;
	assert_ok(define("FAULT_PAIR", PAPI_DERIVED_ADD, NULL, "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS"));
	set = SET_OF("FAULT_PAIR", "perf::MAJOR-FAULTS", "perf::PAGE-FAULTS");
	count_into(set, values, LENGTH(values));
	assert_int_equal(values[0], PAGES);
	assert_int_equal(values[1], 0);
	assert_int_equal(values[2], PAGES);
	assert_ok(PAPI_cleanup_eventset(set));
	assert_ok(PAPI_destroy_eventset(&set));
}

static void formulas_apply_to_counts(void **state)
{
	long long values[5];
	int set;

	(void)state;
	assert_ok(define("TRIPLE", PAPI_DERIVED_POSTFIX, "N0|3|*|", "perf::PAGE-FAULTS"));
	assert_ok(define("OF_TRIPLE", PAPI_DERIVED_INFIX, "(N0 - N1) / 4.0", "TRIPLE", "perf::MINOR-FAULTS"));
	assert_ok(define("ALIAS", PAPI_NOT_DERIVED, NULL, "perf::PAGE-FAULTS"));
	assert_ok(define("PAPI_FP_OPS", PAPI_DERIVED_SUB, NULL, "perf::MAJOR-FAULTS", "perf::PAGE-FAULTS"));
	set = SET_OF("TRIPLE", "OF_TRIPLE", "ALIAS", "perf::PAGE-FAULTS", "PAPI_FP_OPS");
	count_into(set, values, LENGTH(values));
	assert_int_equal(values[0], 3 * PAGES);
	assert_int_equal(values[1], PAGES / 2);
	assert_int_equal(values[2], PAGES);
	assert_int_equal(values[3], PAGES);
	assert_int_equal(values[4], -PAGES);
	assert_ok(PAPI_cleanup_eventset(set));
	assert_ok(PAPI_destroy_eventset(&set));
}

/* Two accounts of the same thing, in one event. */
static void components_agree(void **state)
{
	long long value;
	int set;

	(void)state;
	assert_ok(define("DISAGREEMENT", PAPI_DERIVED_SUB, NULL, "perf::MINOR-FAULTS", "rusage:::minflt"));
	set = SET_OF("DISAGREEMENT");
	count_into(set, &value, 1);
	/* Between the two starts there may be faults of the library itself: by now there are none. */
	assert_int_equal(value, 0);
	assert_ok(PAPI_cleanup_eventset(set));
	assert_ok(PAPI_destroy_eventset(&set));
}

static int give_up(const char *reason)
{
	fprintf(stderr, "skipped: %s\n", reason);
	return 77;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_is_counted_exactly),
		cmocka_unit_test(formulas_apply_to_counts),
		cmocka_unit_test(components_agree),
	};
	int failed;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	if (PAPI_query_named_event("perf::PAGE-FAULTS") != PAPI_OK)
		return give_up(PAPI_error_detail());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	PAPI_shutdown();
	return failed;
}
