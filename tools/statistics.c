/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a series of measurements. See statistics.h. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void papi_statistics_add(struct papi_statistics *series, long long value)
{
	if (series->count == 0 || value < series->minimum)
		series->minimum = value;
	if (series->count == 0 || value > series->maximum)
		series->maximum = value;
	series->count++;

	double before = (double)value - series->mean;
	series->mean += before / (double)series->count;
	series->squares += before * ((double)value - series->mean);
}

double papi_statistics_deviation(const struct papi_statistics *series)
{
	if (series->count < 2)
		return 0.0;
	return sqrt(series->squares / (double)series->count);
}

struct papi_statistics papi_statistics_of(const long long *values, size_t count)
{
	struct papi_statistics series = { 0 };

	for (size_t i = 0; i < count; i++)
		papi_statistics_add(&series, values[i]);
	return series;
}

static int compare(const void *left, const void *right)
{
	long long a = *(const long long *)left, b = *(const long long *)right;

	return (a > b) - (a < b);
}

void papi_statistics_sort(long long *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
}

double papi_statistics_percentile(const long long *sorted, size_t count, double percent)
{
	if (count == 0)
		return 0.0;

	double position = percent / 100.0 * (double)(count - 1);
	size_t below = (size_t)position;
	if (below + 1 >= count)
		return (double)sorted[count - 1];

	double share = position - (double)below;
	return (double)sorted[below] * (1.0 - share) + (double)sorted[below + 1] * share;
}

double papi_statistics_bins(
	const long long *sorted, size_t count, long long lowest, long long highest, size_t *bins, size_t bin_count)
{
	double width = ((double)highest - (double)lowest) / (double)bin_count;

	memset(bins, 0, bin_count * sizeof(*bins));
	for (size_t i = 0; i < count; i++) {
		if (sorted[i] < lowest || sorted[i] > highest)
			continue;
		/* The highest value itself would start a bin of its own; it belongs to the last. */
		size_t bin = width > 0.0 ? (size_t)(((double)sorted[i] - (double)lowest) / width) : 0;
		bins[bin < bin_count ? bin : bin_count - 1]++;
	}
	return width;
}

size_t papi_statistics_above(const long long *sorted, size_t count, double limit)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if ((double)sorted[middle] > limit)
			high = middle;
		else
			low = middle + 1;
	}
	return count - low;
}
