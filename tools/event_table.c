/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of presets and user events. See event_table.h. */
#include "event_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "terminal.h"

void papi_event_table_titles(const struct papi_event_table *table)
{
	char titles[80];

	snprintf(titles, sizeof(titles), "    Name        Code    %sDeriv Description (Note)",
		table->with_availability ? "Avail " : "");
	papi_terminal_print(stdout, papi_terminal_has_colours(STDOUT_FILENO), PAPI_COLOUR_TITLE, titles);
	printf("\n");
}

/* The number of a note; 0 if there is no memory for it. */
static size_t number_of(struct papi_event_table *table, const char *note)
{
	for (size_t i = 0; i < table->n_notes; i++)
		if (strcmp(table->notes[i], note) == 0)
			return i + 1;

	char **larger = realloc(table->notes, (table->n_notes + 1) * sizeof(*larger));
	if (larger == NULL)
		return 0;
	table->notes = larger;
	table->notes[table->n_notes] = strdup(note);
	return table->notes[table->n_notes] != NULL ? ++table->n_notes : 0;
}

void papi_event_table_row(struct papi_event_table *table, const PAPI_event_info_t *event, bool available)
{
	char first[PAPI_HUGE_STR_LEN + 64], text[2 * PAPI_HUGE_STR_LEN + 16];
	size_t note = available && event->note[0] != '\0' ? number_of(table, event->note) : 0;
	int length = snprintf(first, sizeof(first), "%-12s 0x%08x  ", event->symbol, event->event_code);

	if (table->with_availability)
		length += snprintf(first + length, sizeof(first) - (size_t)length, "%-6s", available ? "Yes" : "No");
	/* An event that nothing stands behind is derived from nothing. */
	length += snprintf(first + length, sizeof(first) - (size_t)length, "%-5s",
		available && papi_event_is_derived(event) ? "Yes" : "No");
	if (note > 0)
		snprintf(text, sizeof(text), "%s (%zu)", event->long_descr, note);
	else
		snprintf(text, sizeof(text), "%s", event->long_descr);

	bool faint = !available && papi_terminal_has_colours(STDOUT_FILENO);
	if (faint)
		printf("\033[2m");
	/* A long name moves its description. */
	papi_terminal_line(first, length <= 48 ? length : 35, text);
	if (faint)
		printf("\033[0m");
}

void papi_event_table_legend(struct papi_event_table *table)
{
	if (table->n_notes > 0)
		printf("\n");
	for (size_t i = 0; i < table->n_notes; i++) {
		char number[32];

		snprintf(number, sizeof(number), "(%zu)", i + 1);
		papi_terminal_line(number, 5, table->notes[i]);
		free(table->notes[i]);
	}
	free(table->notes);
	table->notes = NULL;
	table->n_notes = 0;
}
