/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_profile export inside: export.c has the command line and the file that is written, export_folded.c,
 * export_callgrind.c, export_pprof.c and export_speedscope.c a form each. Names in a store may be anything: each form
 * gets them in a way that keeps it whole.
 *
 * The forms write to a stream whose errors export.c looks at. One thread.
 */
#ifndef PAPI_PROFILE_EXPORT_H
#define PAPI_PROFILE_EXPORT_H

#include <stdio.h>

#include "views.h"

/* The first event alone: a line for each path of calls. */
void export_folded(const struct view *view, FILE *out);

/* All events that were chosen. */
void export_callgrind(const struct view *view, FILE *out);
void export_pprof(const struct view *view, FILE *out);
void export_speedscope(const struct view *view, FILE *out);

/* For each event of the profile its place among those chosen; NONE: it was not. To be freed. */
uint32_t *export_columns(const struct view *view);

#endif
