/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics by their names, in whatever group they are. */
#ifndef PAPI_PERFOMETER_METRICS_H
#define PAPI_PERFOMETER_METRICS_H

#include <stdbool.h>

/* False: there is no metric of that name. Of several, that which this machine can count, or else the first. */
bool papi_perfometer_metric(const char *name, int *group, int *metric);

#endif
