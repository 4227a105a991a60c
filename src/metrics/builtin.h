/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups of data/metrics as the build has embedded them. */
#ifndef PAPI_METRICS_BUILTIN_H
#define PAPI_METRICS_BUILTIN_H

#include <stddef.h>

extern const char papi_builtin_metrics[];
size_t papi_builtin_metrics_length(void);

#endif
