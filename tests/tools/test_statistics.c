/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit tests of tools/statistics.c: known series, and series that simpler formulas get wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <math.h>

#include "statistics.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_close(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-12 * fmax(1.0, fabs(expected)));
}

static void test_known_series(void **state)
{
	static const long long values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct papi_statistics series = papi_statistics_of(values, COUNT(values));

	(void)state;
	assert_int_equal(series.count, 8);
	assert_int_equal(series.minimum, 2);
	assert_int_equal(series.maximum, 9);
	assert_close(series.mean, 5.0);
	assert_close(papi_statistics_deviation(&series), 2.0);
}

static void test_short_series(void **state)
{
	static const long long value = -7;
	struct papi_statistics empty = papi_statistics_of(NULL, 0), single = papi_statistics_of(&value, 1);

	(void)state;
	assert_int_equal(empty.count, 0);
	assert_close(papi_statistics_deviation(&empty), 0.0);
	assert_close(papi_statistics_percentile(NULL, 0, 50), 0.0);
	assert_int_equal(single.minimum, -7);
	assert_int_equal(single.maximum, -7);
	assert_close(single.mean, -7.0);
	assert_close(papi_statistics_deviation(&single), 0.0);
	assert_close(papi_statistics_percentile(&value, 1, 99), -7.0);
}

/* The squares of these do not fit in the digits of a double; their differences do. */
static void test_large_values_keep_their_spread(void **state)
{
	static const long long base = 1000000000000000;
	struct papi_statistics series = { 0 };

	(void)state;
	for (int i = 0; i < 300000; i++)
		papi_statistics_add(&series, base + i % 3);
	assert_true(fabs(series.mean - ((double)base + 1.0)) < 0.25);
	assert_true(fabs(papi_statistics_deviation(&series) - sqrt(2.0 / 3.0)) < 1e-3);
}

static void test_sort_extremes(void **state)
{
	long long values[] = { 3, LLONG_MIN, 0, LLONG_MAX, -1 };
	static const long long expected[] = { LLONG_MIN, -1, 0, 3, LLONG_MAX };

	(void)state;
	papi_statistics_sort(values, COUNT(values));
	assert_memory_equal(values, expected, sizeof(expected));
}

static void test_percentiles(void **state)
{
	static const long long sorted[] = { 10, 20, 30, 40, 50 };

	(void)state;
	assert_close(papi_statistics_percentile(sorted, 5, 0), 10.0);
	assert_close(papi_statistics_percentile(sorted, 5, 25), 20.0);
	assert_close(papi_statistics_percentile(sorted, 5, 50), 30.0);
	assert_close(papi_statistics_percentile(sorted, 5, 90), 46.0);
	assert_close(papi_statistics_percentile(sorted, 5, 100), 50.0);
	assert_close(papi_statistics_percentile(sorted, 2, 50), 15.0);
}

static void test_bins(void **state)
{
	static const long long sorted[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 500 };
	size_t bins[5];

	(void)state;
	assert_close(papi_statistics_bins(sorted, COUNT(sorted), 0, 10, bins, 5), 2.0);
	assert_int_equal(bins[0], 2);
	assert_int_equal(bins[3], 2);
	/* 8, 9 and the upper bound itself; 500 is outside. */
	assert_int_equal(bins[4], 3);
}

static void test_bins_of_equal_values(void **state)
{
	static const long long sorted[] = { 4, 4, 4 };
	size_t bins[2];

	(void)state;
	assert_close(papi_statistics_bins(sorted, COUNT(sorted), 4, 4, bins, 2), 0.0);
	assert_int_equal(bins[0], 3);
	assert_int_equal(bins[1], 0);
}

static void test_above(void **state)
{
	static const long long sorted[] = { 1, 2, 2, 3 };

	(void)state;
	assert_int_equal(papi_statistics_above(sorted, 4, 0.5), 4);
	assert_int_equal(papi_statistics_above(sorted, 4, 2.0), 1);
	assert_int_equal(papi_statistics_above(sorted, 4, 1.9), 3);
	assert_int_equal(papi_statistics_above(sorted, 4, 3.0), 0);
	assert_int_equal(papi_statistics_above(sorted, 0, 0.0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_series),
		cmocka_unit_test(test_short_series),
		cmocka_unit_test(test_large_values_keep_their_spread),
		cmocka_unit_test(test_sort_extremes),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_bins_of_equal_values),
		cmocka_unit_test(test_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
