/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - the comparison for people: 80 columns where names allow it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "papi_compare.h"
#include "terminal.h"
#include "text.h"

enum { NAME, BEFORE, AFTER, DIFFERENCE, CHANGE, VERDICT, COLUMNS };

static const char *const titles[COLUMNS] = { "Event", "Before", "After", "Difference", "Change", "Verdict" };
static const bool right[COLUMNS] = { [BEFORE] = true, [AFTER] = true, [DIFFERENCE] = true, [CHANGE] = true };

struct row {
	const struct compare_pair *pair;
	char *cells[COLUMNS];
};

static char *clean(char *text)
{
	papi_escape_terminal(text);
	return text;
}

static char *count_of(const struct compare_pair *pair, long long count, bool sign)
{
	char text[64] = "";

	if (pair->counted)
		papi_compare_count_text(text, sizeof(text), count, pair->unit, sign);
	return papi_compare_format("%s", text);
}

/* A count that cannot be compared with the other side is shown, too. */
static char *count_of_side(const struct compare_event *event)
{
	char text[64] = "-";

	if (event && event->runs)
		papi_compare_count_text(text, sizeof(text), event->counts[(event->runs - 1) / 2], event->unit, false);
	return papi_compare_format("%s", text);
}

static void fill(struct row *row, const struct compare_pair *pair)
{
	bool is_time = strcmp(pair->unit, "ns") == 0;
	char change[32];

	papi_compare_change_text(change, sizeof(change), pair);
	row->pair = pair;
	row->cells[NAME] = clean(papi_compare_format("%s%s", pair->name, is_time ? ", ms" : ""));
	row->cells[BEFORE] = count_of_side(pair->before);
	row->cells[AFTER] = count_of_side(pair->after);
	row->cells[DIFFERENCE] = pair->difference ? count_of(pair, pair->difference, true)
						  : papi_compare_format("%s", "");
	row->cells[CHANGE] = papi_compare_format("%s", change);
	row->cells[VERDICT] = clean(papi_compare_verdict_text(pair));
}

static void measure(const struct row rows[], size_t number, size_t widths[COLUMNS])
{
	size_t others = 0, room;

	for (int column = BEFORE; column < COLUMNS; column++) {
		widths[column] = 0;
		for (size_t i = 0; i < number; i++) {
			size_t length = strlen(rows[i].cells[column]);

			widths[column] = length > widths[column] ? length : widths[column];
		}
		if (widths[column] && widths[column] < strlen(titles[column]))
			widths[column] = strlen(titles[column]);
		others += widths[column] ? widths[column] + 2 : 0;
	}
	/* The one column that people can do without. */
	if (others + strlen(titles[NAME]) > PAPI_TEXT_WIDTH && widths[DIFFERENCE]) {
		others -= widths[DIFFERENCE] + 2;
		widths[DIFFERENCE] = 0;
	}
	room = others < PAPI_TEXT_WIDTH ? PAPI_TEXT_WIDTH - others : 0;
	widths[NAME] = strlen(titles[NAME]);
	for (size_t i = 0; i < number; i++) {
		size_t length = strlen(rows[i].cells[NAME]);

		widths[NAME] = length > widths[NAME] && length <= room ? length : widths[NAME];
	}
}

static enum papi_colour colour_of(const struct compare_pair *pair)
{
	switch (pair->verdict) {
	case COMPARE_PAIR_OVER:
	case COMPARE_PAIR_REFUSED:
		return PAPI_COLOUR_ERROR;
	case COMPARE_PAIR_MORE:
	case COMPARE_PAIR_LESS:
		return PAPI_COLOUR_DOUBT;
	default:
		return PAPI_COLOUR_ASIDE;
	}
}

/* One line, without trailing blanks. pair NULL: the titles. */
static void print_line(const char *const cells[], const size_t widths[], const struct compare_pair *pair, bool coloured)
{
	size_t blanks = 0;

	for (int column = 0; column < COLUMNS; column++) {
		size_t length = strlen(cells[column]);
		size_t padding = widths[column] > length ? widths[column] - length : 0;

		if (widths[column] == 0)
			continue;
		if (length == 0) {
			blanks += padding + 2;
			continue;
		}
		printf("%*s", (int)(blanks + (right[column] ? padding : 0)), "");
		papi_terminal_print(stdout, coloured && (!pair || column == VERDICT),
			pair ? colour_of(pair) : PAPI_COLOUR_TITLE, cells[column]);
		blanks = 2 + (right[column] ? 0 : padding);
	}
	putchar('\n');
}

static void print_table(const struct compare_result *result)
{
	struct row *rows = papi_compare_grow(NULL, result->number, sizeof(*rows));
	bool coloured = papi_terminal_has_colours(STDOUT_FILENO);
	size_t widths[COLUMNS];

	for (size_t i = 0; i < result->number; i++)
		fill(&rows[i], &result->pairs[i]);
	measure(rows, result->number, widths);
	print_line(titles, widths, NULL, coloured);
	for (size_t i = 0; i < result->number; i++) {
		const char *cells[COLUMNS];

		for (int column = 0; column < COLUMNS; column++)
			cells[column] = rows[i].cells[column];
		/* A name that is too long for its column has a line of its own. */
		if (strlen(cells[NAME]) > widths[NAME]) {
			puts(cells[NAME]);
			cells[NAME] = "";
		}
		print_line(cells, widths, rows[i].pair, coloured);
		for (int column = 0; column < COLUMNS; column++)
			free(rows[i].cells[column]);
	}
	free(rows);
}

/* On a terminal wrapped, elsewhere one line. */
static void print_remark(const char *text)
{
	char *cleaned = clean(papi_compare_format("%s", text));

	papi_terminal_line("  -", 4, cleaned);
	free(cleaned);
}

static void print_reasons(const struct compare_result *result)
{
	for (size_t i = 0; i < result->number; i++) {
		const struct compare_pair *pair = &result->pairs[i];
		char *text;

		if (!pair->reason)
			continue;
		text = papi_compare_format("%s: %s", pair->name, pair->reason);
		print_remark(text);
		free(text);
	}
}

static void print_functions(const struct compare_pair *pair)
{
	char *name;

	if (!pair->n_functions)
		return;
	name = clean(papi_compare_format("%s", pair->name));
	printf("\n%s, by function:\n", name);
	for (size_t i = 0; i < pair->n_functions; i++) {
		char *text = papi_compare_function_text(pair, &pair->functions[i]);

		print_remark(text);
		free(text);
	}
	free(name);
}

void papi_compare_table(const struct compare_result *result)
{
	char *title = clean(papi_compare_format("%s, then %s", result->before->path, result->after->path)), *conclusion;
	bool reasons = false;

	papi_terminal_line("papi_compare:", 14, title);
	putchar('\n');
	print_table(result);
	for (size_t i = 0; i < result->number; i++) {
		reasons |= result->pairs[i].reason != NULL;
		print_functions(&result->pairs[i]);
	}
	if (reasons || result->n_troubles) {
		puts("\nnot comparable:");
		for (size_t i = 0; i < result->n_troubles; i++)
			print_remark(result->troubles[i]);
		print_reasons(result);
	}
	if (result->n_notes)
		puts("\nwhat else differs:");
	for (size_t i = 0; i < result->n_notes; i++)
		print_remark(result->notes[i]);
	conclusion = papi_compare_conclusion(result);
	printf("\n%s\n", conclusion);
	free(conclusion);
	free(title);
}
