/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - tables whose columns are as wide as they have to be. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/memory.h"
#include "terminal.h"
#include "text.h"
#include "views.h"

enum { GAP = 2, LONGEST_GROUP = 36 };

struct view_table *view_table_new(size_t n_columns)
{
	struct view_table *table = papi_memory_zero(1, sizeof(*table));

	table->n_columns = n_columns;
	table->groups = papi_memory_zero(n_columns, sizeof(table->groups[0]));
	return table;
}

void view_table_group(struct view_table *table, size_t column, const char *name)
{
	table->groups[column] = papi_terminal_is_output() ? view_shorten(name, LONGEST_GROUP) : view_clean(name);
}

void view_table_begin_row(struct view_table *table)
{
	table->rows = papi_memory_extend(table->rows, table->n, &table->room, sizeof(table->rows[0]));
	table->rows[table->n++] = papi_memory_zero(table->n_columns, sizeof(char *));
}

void view_table_add(struct view_table *table, char *text)
{
	char **row = table->rows[table->n - 1];
	size_t i = 0;

	while (row[i])
		i++;
	row[i] = text;
}

/* Of numbers and titles, which have one column for each byte but for the sign of an error, which has two bytes. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; text && *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t width_of_column(const struct view_table *table, size_t column)
{
	size_t width = 0;

	for (size_t i = 0; i < table->n; i++)
		if (width_of(table->rows[i][column]) > width)
			width = width_of(table->rows[i][column]);
	return width;
}

size_t view_table_width(const struct view_table *table)
{
	size_t width = 0;

	for (size_t i = 0; i + 1 < table->n_columns; i++)
		width += width_of_column(table, i) + GAP;
	return width;
}

/* The first column of a group whose name is wider than the group takes the rest. */
static void widen_groups(const struct view_table *table, size_t *widths)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		size_t width = table->groups[i] ? widths[i] : 0, j = i + 1;

		if (!table->groups[i])
			continue;
		for (; j < table->n_columns && !table->groups[j]; j++)
			width += GAP + widths[j];
		if (width_of(table->groups[i]) > width)
			widths[i] += width_of(table->groups[i]) - width;
	}
}

/* Without the blanks at its end. */
static void print_line(char *line, bool coloured)
{
	size_t length = strlen(line);

	while (length > 0 && line[length - 1] == ' ')
		line[--length] = '\0';
	papi_terminal_print(stdout, coloured, PAPI_COLOUR_TITLE, line);
	putchar('\n');
	free(line);
}

static void print_groups(const struct view_table *table, const size_t *widths, bool coloured)
{
	char *line = papi_memory_copy(""), *longer;
	size_t pending = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		size_t width = widths[i], j = i + 1;

		if (!table->groups[i])
			continue;
		for (; j < table->n_columns && !table->groups[j]; j++)
			width += GAP + widths[j];
		/* The last column has no room that ends anywhere. */
		width = width > width_of(table->groups[i]) ? width - width_of(table->groups[i]) : 0;
		longer = papi_memory_print("%s%*s%*s%s", line, pending ? GAP : 0, "",
			j < table->n_columns || *table->groups[i] ? (int)width : 0, "", table->groups[i]);
		free(line);
		line = longer;
		pending = 1;
	}
	print_line(line, coloured);
}

static void print_row(const struct view_table *table, char *const *row, const size_t *widths, bool title)
{
	size_t last = table->n_columns - 1;
	char *line = papi_memory_copy(""), *longer;

	for (size_t i = 0; i < table->n_columns; i++) {
		size_t width = width_of(row[i]), blanks = i < last && widths[i] > width ? widths[i] - width : 0;

		longer = papi_memory_print(
			"%s%*s%s%*s", line, (int)blanks, "", row[i] ? row[i] : "", i < last ? GAP : 0, "");
		free(line);
		line = longer;
	}
	print_line(line, title && papi_terminal_has_colours(STDOUT_FILENO));
}

void view_table_print(const struct view_table *table)
{
	size_t *widths = papi_memory_zero(table->n_columns, sizeof(widths[0]));
	bool grouped = false;

	for (size_t i = 0; i < table->n_columns; i++) {
		widths[i] = width_of_column(table, i);
		grouped |= table->groups[i] != NULL;
	}
	widen_groups(table, widths);
	if (grouped)
		print_groups(table, widths, papi_terminal_has_colours(STDOUT_FILENO));
	for (size_t i = 0; i < table->n; i++)
		print_row(table, table->rows[i], widths, i == 0);
	free(widths);
}

void view_table_free(struct view_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		free(table->groups[i]);
	for (size_t i = 0; i < table->n; i++) {
		for (size_t j = 0; j < table->n_columns; j++)
			free(table->rows[i][j]);
		free(table->rows[i]);
	}
	free(table->rows);
	free(table->groups);
	free(table);
}
