/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counts of a session for Prometheus, in OpenMetrics: those of the last sample, from memory alone.
 *
 * Totals are of all events that are counted, also of those that a metric is made of: a ratio of two of them, over a
 * time that the reader chooses, says more than that of perfometer's last interval. A total that is not known is left
 * out.
 */
#ifndef PAPI_PERFOMETER_OPENMETRICS_H
#define PAPI_PERFOMETER_OPENMETRICS_H

#include <stdbool.h>

#include "session.h"

/* threads: also of each thread that is there, of events that are known for threads. The caller frees it. */
char *papi_openmetrics(struct papi_session *session, bool threads);

#endif
