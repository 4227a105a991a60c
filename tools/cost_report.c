/* SPDX-License-Identifier: BSD-3-Clause */
/* How measured costs are shown. See cost_report.h. */
#include "cost_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "statistics.h"
#include "terminal.h"

enum {
	BAR_WIDTH = 50,
	DEVIATIONS = 10,
	LAST_PERCENTILE = 99,
};

/* Scripts read all digits; people compare a few. */
static void print_number(const char *label, double number, int decimals)
{
	char text[64];

	papi_terminal_number(text, sizeof(text), number, papi_terminal_is_output() && decimals > 1 ? 1 : decimals);
	printf("%-13s: %s\n", label, text);
}

static void print_percentiles(const struct papi_cost_request *request)
{
	static const int percents[] = { 25, 50, 75, LAST_PERCENTILE };

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		char label[16];

		snprintf(label, sizeof(label), "%d%% cycles", percents[i]);
		print_number(label, papi_statistics_percentile(request->costs, request->iterations, percents[i]), 1);
	}
}

static void print_deviations(const struct papi_cost_request *request, double mean, double deviation)
{
	printf("\nIterations above the mean by\n");
	for (int i = 1; i <= DEVIATIONS; i++)
		printf("%4d std deviation%s (%.1f cycles): %zu\n", i, i == 1 ? " " : "s", mean + i * deviation,
			papi_statistics_above(request->costs, request->iterations, mean + i * deviation));
}

static void print_bar(double from, double to, size_t count, size_t largest)
{
	static const char bar[] = "**************************************************";
	int length = (int)((double)count / (double)largest * BAR_WIDTH);

	/* What happened at all is to be seen. */
	if (length == 0 && count > 0)
		length = 1;
	printf("%9.0f -%9.0f%9zu %.*s\n", from, to, count, length, bar);
}

/*
 * The bins end at the 99th percentile. A few iterations that an interrupt fell into are a thousand times dearer
 * than the rest, and bins as far as those would show all others as a single bar.
 */
static void print_distribution(const struct papi_cost_request *request)
{
	const long long *costs = request->costs;
	size_t *bins = calloc(request->bins, sizeof(*bins));
	size_t largest = 1, inside = 0;

	if (bins == NULL) {
		fprintf(stderr, "papi_cost: no memory for %zu bins; choose fewer with -b\n", request->bins);
		return;
	}
	long long highest = (long long)papi_statistics_percentile(costs, request->iterations, LAST_PERCENTILE);
	double width = papi_statistics_bins(costs, request->iterations, costs[0], highest, bins, request->bins);
	for (size_t i = 0; i < request->bins; i++) {
		inside += bins[i];
		if (bins[i] > largest)
			largest = bins[i];
	}

	printf("\nDistribution (cycles, iterations)\n");
	for (size_t i = 0; i < request->bins; i++)
		print_bar((double)costs[0] + (double)i * width, (double)costs[0] + (double)(i + 1) * width, bins[i],
			largest);
	printf("%22s%9zu\n", "above", request->iterations - inside);
	free(bins);
}

void papi_cost_report(const char *title, const struct papi_cost_request *request)
{
	struct papi_statistics series = papi_statistics_of(request->costs, request->iterations);
	double deviation = papi_statistics_deviation(&series);

	papi_statistics_sort(request->costs, request->iterations);
	printf("\nTotal cost for %s over %zu iterations\n", title, request->iterations);
	/* First what most calls cost: an interrupt within one call moves the mean, and the maximum is little else. */
	print_number("median cycles", papi_statistics_percentile(request->costs, request->iterations, 50), 0);
	print_number("min cycles", (double)series.minimum, 0);
	print_number("max cycles", (double)series.maximum, 0);
	print_number("mean cycles", series.mean, 6);
	print_number("std deviation", deviation, 6);
	if (request->percentiles)
		print_percentiles(request);
	if (request->deviations)
		print_deviations(request, series.mean, deviation);
	if (request->distribution)
		print_distribution(request);
}
