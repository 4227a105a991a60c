/* SPDX-License-Identifier: BSD-3-Clause */
#include "known_groups.h"

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

void known_give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, PAPI_error_detail());
	exit(EXIT_FAILURE);
}

int known_group_in(int *set, const char *file, const char *name)
{
	int group;

	if (PAPI_metric_load(file) != PAPI_OK || (group = PAPI_metric_group(name)) < 0)
		known_give_up(file);
	if (PAPI_create_eventset(set) != PAPI_OK || PAPI_metric_add(group, *set) != PAPI_OK)
		known_give_up(name);
	return group;
}

void known_print_metrics(int group, int set, const long long *counts, double seconds)
{
	double values[PAPI_METRIC_MOST];
	PAPI_metric_group_info_t info;

	if (PAPI_metric_values(group, set, counts, seconds, values) != PAPI_OK ||
		PAPI_metric_group_info(group, &info) != PAPI_OK)
		known_give_up("PAPI_metric_values");
	for (int i = 0; i < info.metrics; i++) {
		static PAPI_metric_info_t metric;

		if (PAPI_metric_info(group, i, &metric) != PAPI_OK)
			known_give_up("PAPI_metric_info");
		if (*metric.why)
			printf("%s - %s\n", metric.name, metric.why);
		else
			printf("%s %.17g\n", metric.name, values[i]);
	}
}
