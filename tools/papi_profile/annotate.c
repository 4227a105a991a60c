/* SPDX-License-Identifier: BSD-3-Clause */
/* annotate.c - papi_profile annotate: source lines with what happened in each. */
#include "annotate.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "source.h"
#include "symbols/memory.h"
#include "terminal.h"
#include "text.h"

enum { ASM = PAPI_TOOL_LONG_ONLY };

/* Lines that are shown around one with counts. */
enum { AROUND = 4 };

static const struct papi_tool_option options[] = {
	{ ASM, "asm", NULL, "instructions instead of lines" },
	VIEW_OPTIONS,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile annotate",
	.operands = "FUNCTION|SOURCE [FILE]",
	.purpose =
		"Shows the lines of a function, or of a source file, with what happened in each. Code that was inlined "
		"into a function counts for the line from which it was called.",
	.options = options,
};

/* What happened in one line, as counts come; then all of it. */
struct line {
	const char *file;
	int number;
	int64_t *samples, *values; /* of each event */
};

struct lines {
	struct line *lines;
	size_t n, room;
};

/* ---- Counts of lines ---- */

static bool is_file(const char *path, const char *wanted)
{
	size_t length = strlen(path), end = strlen(wanted);

	if (length < end || end == 0 || strcmp(path + length - end, wanted) != 0)
		return false;
	return length == end || path[length - end - 1] == '/';
}

/* The place of a count that is of what is shown: the innermost one of the function, or the one in the file. */
static const struct papi_profile_place *place_of(
	const struct annotation *annotation, const struct papi_profile_count *count)
{
	const struct papi_profile *profile = annotation->view.profile;
	const struct papi_profile_address *address = &profile->addresses.items[count->address];

	for (uint32_t i = 0; i < address->n; i++) {
		const struct papi_profile_place *place = &profile->places[address->first + i];

		if (annotation->functions && annotation->functions[place->function])
			return place;
		if (!annotation->functions)
			return place->file && is_file(place->file, annotation->file) ? place : NULL;
	}
	return NULL;
}

static int compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->file != b->file)
		return !a->file ? 1 : !b->file ? -1 : strcmp(a->file, b->file);
	return a->number < b->number ? -1 : a->number > b->number;
}

static struct line *line_of(struct lines *lines, const struct papi_profile_place *place, size_t n_events)
{
	struct line key = { .file = place->file, .number = place->line };
	size_t low = 0, high = lines->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(&lines->lines[middle], &key);

		if (order == 0)
			return &lines->lines[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	lines->lines = papi_memory_extend(lines->lines, lines->n, &lines->room, sizeof(lines->lines[0]));
	memmove(&lines->lines[low + 1], &lines->lines[low], (lines->n - low) * sizeof(lines->lines[0]));
	lines->n++;
	key.samples = papi_memory_zero(n_events, sizeof(key.samples[0]));
	key.values = papi_memory_zero(n_events, sizeof(key.values[0]));
	lines->lines[low] = key;
	return &lines->lines[low];
}

/* The lines with counts, sorted. */
static void collect(const struct annotation *annotation, struct lines *lines)
{
	const struct papi_profile *profile = annotation->view.profile;

	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];
		const struct papi_profile_place *place = place_of(annotation, count);
		struct line *line;

		if (!place)
			continue;
		line = line_of(lines, place, profile->events.n);
		line->samples[count->event] += count->samples;
		line->values[count->event] += count->value;
	}
}

/* ---- The table ---- */

struct view_table *annotate_table(const struct annotation *annotation, const char *title)
{
	size_t n = annotation->view.n_events;
	struct view_table *table = view_table_new(3 * n + 1);

	view_table_begin_row(table);
	for (size_t i = 0; i < n; i++) {
		view_table_group(table, 3 * i, annotation->view.profile->events.items[annotation->view.events[i]].name);
		view_table_add(table, papi_memory_copy("Self"));
		view_table_add(table, papi_memory_copy(""));
		view_table_add(table, papi_memory_copy("Share"));
	}
	view_table_group(table, 3 * n, "");
	view_table_add(table, papi_memory_copy(title));
	return table;
}

void annotate_row(
	struct view_table *table, const struct annotation *annotation, const int64_t *samples, const int64_t *values)
{
	view_table_begin_row(table);
	for (size_t i = 0; i < annotation->view.n_events; i++) {
		uint32_t event = annotation->view.events[i];

		if (values && (values[event] || samples[event])) {
			view_table_add_numbers(table, &annotation->view, event, samples[event], values[event]);
			continue;
		}
		for (int j = 0; j < 3; j++)
			view_table_add(table, papi_memory_copy(""));
	}
}

void annotate_text(struct view_table *table, char *text)
{
	char *clean = view_clean(text);

	free(text);
	view_table_add(table, clean);
}

/* On a terminal the last column has what the others leave. */
void annotate_print(struct view_table *table)
{
	size_t width = view_table_width(table);

	for (size_t i = 0; papi_terminal_is_output() && i < table->n; i++)
		view_cut(table->rows[i][table->n_columns - 1], width < PAPI_TEXT_WIDTH ? PAPI_TEXT_WIDTH - width : 1);
	view_table_print(table);
	view_table_free(table);
}

/* ---- Source ---- */

static void add_line(struct view_table *table, const struct annotation *annotation, const struct source *source,
	const struct line *line, int number)
{
	annotate_row(table, annotation, line ? line->samples : NULL, line ? line->values : NULL);
	if (number == 0)
		annotate_text(table, papi_memory_copy("    ?  code without a line"));
	else
		annotate_text(table,
			papi_memory_print(
				"%5d  %s", number, (size_t)number <= source->n ? source->lines[number - 1] : ""));
}

/* The lines of one file from begin on, up to end: with those around them, and a mark where some are left out. */
static void add_file(struct view_table *table, const struct annotation *annotation, const struct source *source,
	const struct line *begin, const struct line *end)
{
	int next = 1; /* the first line that was not shown yet */

	for (const struct line *line = begin; line < end; line++) {
		int number = line->number > AROUND ? line->number - AROUND : 1, last = line->number + AROUND;

		if (line->number == 0) {
			add_line(table, annotation, source, line, 0);
			continue;
		}
		if (line + 1 < end && last >= line[1].number)
			last = line[1].number - 1;
		if (number > next && next > 1) {
			annotate_row(table, annotation, NULL, NULL);
			annotate_text(table, papi_memory_copy("  ..."));
		}
		for (number = number > next ? number : next; number <= last; number++)
			if (number == line->number || (size_t)number <= source->n)
				add_line(table, annotation, source, number == line->number ? line : NULL, number);
		next = last + 1;
	}
}

static void print_file(const struct annotation *annotation, const struct line *begin, const struct line *end)
{
	struct source source = { 0 };
	const char *trouble = begin->file ? source_read(annotation->view.profile, begin->file, &source) : NULL;
	char *path = view_clean(begin->file ? begin->file : "code without lines");
	struct view_table *table = annotate_table(annotation, " Line");

	printf("\n%s\n", path);
	if (trouble && source.n == 0)
		printf("the source is not here (%s), so there are only the numbers of its lines\n", trouble);
	else if (trouble)
		printf("%s\n", trouble);
	add_file(table, annotation, &source, begin, end);
	annotate_print(table);
	source_free(&source);
	free(path);
}

static void print_lines(const struct annotation *annotation)
{
	struct lines lines = { 0 };

	collect(annotation, &lines);
	for (size_t i = 0, end; i < lines.n; i = end) {
		for (end = i + 1; end < lines.n && lines.lines[end].file == lines.lines[i].file; end++)
			;
		print_file(annotation, &lines.lines[i], &lines.lines[end]);
	}
	for (size_t i = 0; i < lines.n; i++) {
		free(lines.lines[i].samples);
		free(lines.lines[i].values);
	}
	free(lines.lines);
}

/* ---- The command ---- */

static bool has_file(const struct annotation *annotation)
{
	const struct papi_profile *profile = annotation->view.profile;

	for (size_t i = 0; i < profile->n_files; i++)
		if (is_file(profile->files[i], annotation->file))
			return true;
	return false;
}

static void choose(struct annotation *annotation, const char *what, bool instructions)
{
	annotation->functions = view_match(&annotation->view, what);
	annotation->file = what;
	if (annotation->functions)
		return;
	if (!has_file(annotation))
		view_refuse_function(&annotation->view, what);
	if (instructions)
		papi_tool_usage_error(&tool, "--asm shows a function, not a file");
}

int papi_profile_annotate(int argc, char **argv)
{
	struct annotation annotation = { .view = { .tool = &tool } };
	bool instructions = false;
	int letter;

	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter == ASM)
			instructions = true;
		else
			view_take_option(&annotation.view, letter);
	}
	if (argc - optind < 1)
		papi_tool_usage_error(&tool, "which function, or which source file?");
	if (argc - optind > 2)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much", argv[optind + 2]);
	view_open(&annotation.view, optind + 1 < argc ? argv[optind + 1] : NULL);
	choose(&annotation, argv[optind], instructions);
	/* Lines of a terminal have room for one event and the source. */
	if (papi_terminal_is_output() && !annotation.view.wanted_events)
		annotation.view.n_events = 1;
	view_print_heading(&annotation.view);
	if (instructions)
		annotate_instructions(&annotation);
	else
		print_lines(&annotation);
	free(annotation.functions);
	view_close(&annotation.view);
	return papi_tool_finish(EXIT_SUCCESS);
}
