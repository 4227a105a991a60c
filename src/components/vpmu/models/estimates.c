/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/estimates.h"

#include <math.h>

/* The first group is what the others leave. */
static uint64_t of_group(uint64_t counters[][PAPI_VPMU_COUNTERS], unsigned groups, unsigned group, unsigned counter)
{
	uint64_t left = counters[0][counter];

	if (group)
		return counters[group][counter];
	for (unsigned i = 1; i < groups; i++)
		left -= counters[i][counter];
	return left;
}

void papi_vpmu_estimates_without(const struct papi_vpmu_choice *choice, unsigned group,
	uint64_t counters[][PAPI_VPMU_COUNTERS], uint64_t without[PAPI_VPMU_COUNTERS])
{
	for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++) {
		uint64_t left = counters[0][i];

		if (papi_vpmu_counter_is_sampled(i)) {
			left -= of_group(counters, choice->groups, group, i);
			left += left / (choice->groups - 1);
		}
		without[i] = left;
	}
}

/* Student's t for 95 % and three degrees of freedom. Of eight groups, too: they are pairs of neighbours, which often
 * have the lines of the same objects, so that there is not more to learn from them than from four. */
#define QUANTILE 3.182

/* Of what is not negative. */
static long long round_up(double value)
{
	long long below = (long long)value;

	return below + ((double)below < value);
}

long long papi_vpmu_estimates_interval(
	const struct papi_vpmu_choice *choice, const long long without[PAPI_VPMU_GROUPS_MAX])
{
	double groups = choice->groups, mean = 0, squares = 0;

	for (unsigned i = 0; i < choice->groups; i++)
		mean += (double)without[i] / groups;
	for (unsigned i = 0; i < choice->groups; i++)
		squares += ((double)without[i] - mean) * ((double)without[i] - mean);
	squares *= (groups - 1) / groups * (1 - groups / choice->classes);
	return round_up(QUANTILE * sqrt(squares));
}
