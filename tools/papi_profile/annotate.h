/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_profile annotate inside: annotate.c has the command and the source, annotate_asm.c the instructions. */
#ifndef PAPI_PROFILE_ANNOTATE_H
#define PAPI_PROFILE_ANNOTATE_H

#include "views.h"

struct annotation {
	struct view view;
	bool *functions;  /* those to be shown; NULL: a file is */
	const char *file; /* its name as on the command line */
};

/* A table with three columns for each event, for papi_profile annotate. */
struct view_table *annotate_table(const struct annotation *annotation, const char *title);

/* A row of counts of all events, by event; what was counted nowhere has empty cells. */
void annotate_row(
	struct view_table *table, const struct annotation *annotation, const int64_t *samples, const int64_t *values);

/* The last cell of a row; takes the text over. */
void annotate_text(struct view_table *table, char *text);

/* Prints a table, which fits a terminal then, and frees it. */
void annotate_print(struct view_table *table);

void annotate_instructions(const struct annotation *annotation);

#endif
