/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts for Prometheus, in OpenMetrics: those of the last sample, from memory alone. A total that is not known is left
 * out. One thread.
 */
#ifndef PAPI_PERFOMETER_OPENMETRICS_H
#define PAPI_PERFOMETER_OPENMETRICS_H

#include <stdbool.h>

#include "session.h"
#include "source.h"

/*
 * Of a program that is counted here: all events that are counted, also those that a metric is made of, for a ratio of
 * two of them, over a time that the reader chooses, says more than that of perfometer's last interval. threads: also of
 * each thread that is there, of events that are known for threads. The caller frees it.
 */
char *papi_openmetrics(struct papi_session *session, bool threads);

/* Of those that others count. Labels tell them apart: the rank, where there is one, and the lane of each. */
struct papi_openmetrics_sources {
	const struct papi_session *session; /* has the events */
	struct papi_source *const *lists[2];
	size_t numbers[2];
};
/* The same of them; what metrics are made of comes with them. */
char *papi_openmetrics_sources(const struct papi_openmetrics_sources *sources, bool threads);

/* ---- openmetrics.c, for openmetrics_sources.c ---- */

/* What says which the families of series are. */
enum papi_openmetrics_family { PAPI_OPENMETRICS_RUNNING, PAPI_OPENMETRICS_TOTALS, PAPI_OPENMETRICS_THREADS };
void papi_openmetrics_head(FILE *out, enum papi_openmetrics_family family);
/* A label; any text. */
void papi_openmetrics_label(FILE *out, const char *name, const char *value);
/* Those of an event, and a comma. */
void papi_openmetrics_event(FILE *out, const struct papi_session_event *event);

#endif
