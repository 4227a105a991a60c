/* SPDX-License-Identifier: BSD-3-Clause */
/* How papi_cost and its kin show a series of measured costs. */
#ifndef PAPI_TOOLS_COST_REPORT_H
#define PAPI_TOOLS_COST_REPORT_H

#include <stdbool.h>
#include <stddef.h>

struct papi_cost_request {
	size_t iterations;
	size_t bins; /* of the distribution */
	bool distribution;
	bool deviations;
	bool percentiles;
	long long *costs; /* one for each iteration, in cycles */
};

/* Prints the summary of the costs, and what else was asked for. Sorts the costs. */
void papi_cost_report(const char *title, const struct papi_cost_request *request);

#endif
