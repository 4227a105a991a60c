/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far estimates of sampled models may be off.
 *
 * The groups of lines that are simulated are a choice of all groups, and how much they differ tells how much those that
 * are not simulated may. An event may be any formula of counters, so it is evaluated again without one group
 * at a time, as if there had been one fewer: from how these values differ comes the interval (the jackknife, corrected
 * for a choice out of few). It is the one that holds what the full models count 19 times in 20.
 */
#ifndef PAPI_VPMU_MODELS_ESTIMATES_H
#define PAPI_VPMU_MODELS_ESTIMATES_H

#include <stdint.h>

#include "components/vpmu/models/choice.h"

/* The first lane of counters as it would be without that group. Lanes are as in sampled.h. */
void papi_vpmu_estimates_without(const struct papi_vpmu_choice *choice, unsigned group,
	uint64_t counters[][PAPI_VPMU_COUNTERS], uint64_t without[PAPI_VPMU_COUNTERS]);

/* Half of the interval, from the values without each of the groups. */
long long papi_vpmu_estimates_interval(
	const struct papi_vpmu_choice *choice, const long long without[PAPI_VPMU_GROUPS_MAX]);

#endif
