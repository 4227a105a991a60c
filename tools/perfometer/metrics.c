/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics.h"

#include <string.h>

#include "papi.h"

static bool find_in(const char *name, int group, int *metric, bool *countable)
{
	PAPI_metric_group_info_t info;
	PAPI_metric_info_t one;

	if (PAPI_metric_group_info(group, &info) != PAPI_OK || PAPI_metric_group(info.name) != group)
		return false;
	for (int i = 0; i < info.metrics; i++) {
		if (PAPI_metric_info(group, i, &one) != PAPI_OK || strcmp(one.name, name) != 0)
			continue;
		*metric = i;
		*countable = !*one.why;
		return true;
	}
	return false;
}

bool papi_perfometer_metric(const char *name, int *group, int *metric)
{
	bool found = false, countable = false;

	for (int i = 0; !countable && i < PAPI_metric_groups(); i++) {
		int here;
		bool better;

		if (!find_in(name, i, &here, &better) || (found && !better))
			continue;
		*group = i;
		*metric = here;
		found = true;
		countable = better;
	}
	return found;
}
