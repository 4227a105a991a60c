/* SPDX-License-Identifier: BSD-3-Clause */
/* What this machine can count, as JSON. */
#ifndef PAPI_PERFOMETER_AVAILABLE_H
#define PAPI_PERFOMETER_AVAILABLE_H

#include "session.h"

/* A list of events and metrics, with what they mean, what a count is worth, and why one cannot be counted. The caller
 * frees it. */
char *papi_available_json(const struct papi_session *session);

#endif
