/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of presets and user events of papi_avail and papi_event_chooser: a row for each event, and below it a
 * legend with the notes, each of which stands there once. A row has the number of its note in brackets.
 */
#ifndef PAPI_TOOLS_EVENT_TABLE_H
#define PAPI_TOOLS_EVENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "papi.h"

struct papi_event_table {
	bool with_availability; /* a column that says whether an event is available */
	char **notes;           /* in the order of their numbers, from 1 */
	size_t n_notes;
};

void papi_event_table_titles(const struct papi_event_table *table);

/* A note is about how the event is counted: that of an event that is not available is left out. */
void papi_event_table_row(struct papi_event_table *table, const PAPI_event_info_t *event, bool available);

/* Nothing, if there was no note. The table is as new then. */
void papi_event_table_legend(struct papi_event_table *table);

#endif
