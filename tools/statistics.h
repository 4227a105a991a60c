/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of a series of measurements.
 *
 * The summary is kept with Welford's recurrence: the mean moves by a share of each new deviation and the squares are
 * of deviations from the mean, so a million values near 10^15 that differ by a few units lose nothing. (The textbook
 * difference of two sums of squares would.) The deviation is that of the population: the values are all there are,
 * not a sample of a larger series.
 *
 * Percentiles and histograms need the values themselves, in ascending order.
 */
#ifndef PAPI_TOOLS_STATISTICS_H
#define PAPI_TOOLS_STATISTICS_H

#include <stddef.h>

struct papi_statistics {
	size_t count;
	long long minimum;
	long long maximum;
	double mean;
	double squares; /* sum of the squared deviations from the mean */
};

/* A series starts as a structure of zeros. */
void papi_statistics_add(struct papi_statistics *series, long long value);

/* 0 for fewer than two values. */
double papi_statistics_deviation(const struct papi_statistics *series);

/* The summary of an array at once. */
struct papi_statistics papi_statistics_of(const long long *values, size_t count);

void papi_statistics_sort(long long *values, size_t count);

/*
 * The value below which percent of the sorted values lie, interpolated between the two nearest of them: the 50th
 * percentile of 1, 2 is 1.5. 0 for no values.
 */
double papi_statistics_percentile(const long long *sorted, size_t count, double percent);

/*
 * Counts the sorted values in bins of equal width from lowest to highest, both included. Values outside are in no
 * bin. Returns the width of a bin; the sum of the counts is what lies in the range.
 */
double papi_statistics_bins(
	const long long *sorted, size_t count, long long lowest, long long highest, size_t *bins, size_t bin_count);

/* How many of the sorted values are above the limit. */
size_t papi_statistics_above(const long long *sorted, size_t count, double limit);

#endif
