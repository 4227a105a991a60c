/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be told of a session as a whole: JSON of all that this machine can count, and the counts for Prometheus. */
#ifndef PAPI_PERFOMETER_AVAILABLE_H
#define PAPI_PERFOMETER_AVAILABLE_H

#include "session.h"

/* A list of events and metrics, with what they mean, what a count is worth, and why one cannot be counted. The caller
 * frees both. */
char *papi_available_json(const struct papi_session *session);
/* OpenMetrics: the totals of the last sample. */
char *papi_available_openmetrics(const struct papi_session *session);

#endif
