/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - papi_profile report: what counts are of which function, line, module, thread or process. */
#include "report.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "symbols/memory.h"
#include "terminal.h"
#include "text.h"

enum { BY = PAPI_TOOL_LONG_ONLY, TOP, MINIMUM, RATIO, ORDER, JSON, CSV };

/* Of a table in a terminal: the rows, and the columns that names need to be of use. */
enum { TERMINAL_ROWS = 30, NAME_COLUMNS = 24 };

static const struct papi_tool_option options[] = {
	{ BY, "by", "WHAT", "function, line, file, module, thread, process or region (function)" },
	VIEW_OPTIONS,
	{ RATIO, "ratio", "A/B", "a column with event A divided by event B; may be given several times" },
	{ ORDER, "order", "VALUE", "rows by their self or inclusive value of the first event (self)" },
	{ TOP, "top", "N", "this many rows (30 on a terminal, else all)" },
	{ MINIMUM, "min", "PERCENT", "rows with this share of the first event only (0)" },
	{ JSON, "json", NULL, "as JSON, all rows and digits" },
	{ CSV, "csv", NULL, "as comma-separated values" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile report",
	.operands = "[FILE]",
	.purpose = "Shows where the events of a profile happened: the functions, lines, modules or threads, with their "
		   "shares. Self is what happened in a place itself, inclusive also what it has called.",
	.options = options,
};

struct request {
	enum papi_profile_by by;
	long top; /* 0: as many as is usual */
	double minimum;
	const char **ratios;
	size_t n_ratios;
	bool json, csv;
};

static const char *const names_of_by[] = {
	[PAPI_PROFILE_BY_FUNCTION] = "function",
	[PAPI_PROFILE_BY_MODULE] = "module",
	[PAPI_PROFILE_BY_THREAD] = "thread",
	[PAPI_PROFILE_BY_PROCESS] = "process",
	[PAPI_PROFILE_BY_REGION] = "region",
	[PAPI_PROFILE_BY_LINE] = "line",
	[PAPI_PROFILE_BY_FILE] = "file",
};

/* ---- The command line ---- */

static enum papi_profile_by parse_by(const char *text)
{
	for (size_t i = 0; i < sizeof(names_of_by) / sizeof(names_of_by[0]); i++)
		if (strcmp(names_of_by[i], text) == 0)
			return (enum papi_profile_by)i;
	papi_tool_usage_error(&tool, "--by is function, line, file, module, thread, process or region, not '%s'", text);
}

static bool parse_order(const char *text)
{
	if (strcmp(text, "self") != 0 && strcmp(text, "inclusive") != 0)
		papi_tool_usage_error(&tool, "--order is self or inclusive, not '%s'", text);
	return strcmp(text, "inclusive") == 0;
}

static void parse(struct report *report, struct request *request, int argc, char **argv)
{
	int letter;

	request->ratios = papi_memory_grow(NULL, (size_t)argc, sizeof(request->ratios[0]));
	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter == BY)
			request->by = parse_by(optarg);
		else if (letter == TOP)
			request->top = papi_tool_number(&tool, "--top", optarg, 1, 1000000000);
		else if (letter == MINIMUM)
			request->minimum = view_percent(&tool, "--min", optarg);
		else if (letter == RATIO)
			request->ratios[request->n_ratios++] = optarg;
		else if (letter == ORDER)
			report->by_inclusive = parse_order(optarg);
		else if (letter == JSON)
			request->json = true;
		else if (letter == CSV)
			request->csv = true;
		else
			view_take_option(&report->view, letter);
	}
	if (request->json && request->csv)
		papi_tool_usage_error(&tool, "--json and --csv exclude each other");
	if (argc - optind > 1)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much", argv[optind + 1]);
}

/* Names of events may have slashes themselves: the slash between is the one that has an event on each side. */
static void add_ratio(struct report *report, const char *text)
{
	struct report_ratio *ratio = &report->ratios[report->n_ratios];
	const char *slash = text;

	while ((slash = strchr(slash, '/')) != NULL) {
		char *over = strndup(text, (size_t)(slash - text));

		ratio->over = view_find_event(&report->view, over);
		ratio->under = view_find_event(&report->view, slash + 1);
		free(over);
		if (ratio->over != PAPI_PROFILE_NONE && ratio->under != PAPI_PROFILE_NONE) {
			ratio->name = papi_memory_copy(text);
			report->n_ratios++;
			return;
		}
		slash++;
	}
	papi_tool_usage_error(&tool, "--ratio takes two events of the profile as A/B, not '%s'", text);
}

/* ---- Rows ---- */

static char *label_of_thread(const struct papi_profile *profile, const struct papi_profile_row *row)
{
	const struct papi_profile_process *process = &profile->processes.items[row->process];
	const struct papi_profile_thread *thread = row->thread == PAPI_PROFILE_NONE
		? NULL
		: &profile->threads.items[row->thread];

	if (thread)
		return papi_memory_print("%s, thread %ld of process %ld", thread->name, thread->tid, process->pid);
	return papi_memory_print("%s, process %ld", process->name, process->pid);
}

char *report_label(const struct report *report, const struct papi_profile_row *row)
{
	const struct papi_profile *profile = report->view.profile;

	if (row->process != PAPI_PROFILE_NONE)
		return label_of_thread(profile, row);
	if (row->region != PAPI_PROFILE_NONE)
		return papi_memory_copy(*profile->regions.items[row->region].name
				? profile->regions.items[row->region].name
				: "(outside of regions)");
	if (row->function != PAPI_PROFILE_NONE)
		return papi_memory_copy(profile->functions.items[row->function].name);
	if (row->line)
		return papi_memory_print("%s:%d", row->file, row->line);
	if (row->file)
		return papi_memory_copy(row->file);
	return papi_memory_print(report->sums.by == PAPI_PROFILE_BY_MODULE ? "%s" : "%s, lines not known",
		profile->modules.items[row->module].path);
}

double report_ratio(const struct report *report, const struct papi_profile_row *row, const struct report_ratio *ratio,
	double *error)
{
	const struct papi_profile_sum *over = &row->sums[ratio->over], *under = &row->sums[ratio->under];
	double value = (double)over->value / (double)under->value, squares = 0;

	*error = 0;
	if (under->value == 0)
		return NAN;
	if (view_is_sampled(&report->view, ratio->over) && over->samples > 0)
		squares += 1 / (double)over->samples;
	if (view_is_sampled(&report->view, ratio->under) && under->samples > 0)
		squares += 1 / (double)under->samples;
	*error = value * sqrt(squares);
	return value;
}

static const struct report *sorted;

static int64_t key_of(const struct papi_profile_row *row, size_t event)
{
	const struct papi_profile_sum *sum = &row->sums[sorted->view.events[event]];

	return sorted->by_inclusive ? sum->inclusive_value : sum->value;
}

/* By value, and then by name: the order is the same each time. */
static int compare(const void *left, const void *right)
{
	const struct papi_profile_row *a = left, *b = right;
	int order = 0;

	for (size_t i = 0; i < sorted->view.n_events; i++)
		if (key_of(a, i) != key_of(b, i))
			return key_of(a, i) > key_of(b, i) ? -1 : 1;
	for (size_t i = 0; i < sorted->view.n_events; i++) {
		int64_t x = a->sums[sorted->view.events[i]].inclusive_value;
		int64_t y = b->sums[sorted->view.events[i]].inclusive_value;

		if (x != y)
			return x > y ? -1 : 1;
	}
	char *first = report_label(sorted, a), *second = report_label(sorted, b);

	order = strcmp(first, second);
	free(first);
	free(second);
	return order;
}

/* Rows of the events that were chosen, sorted, and how many of them are shown. */
static void choose_rows(struct report *report, const struct request *request)
{
	double whole = (double)report->view.profile->events.items[view_event(&report->view)].value;
	size_t n = 0, limit = request->top ? (size_t)request->top : SIZE_MAX;

	for (size_t i = 0; i < report->sums.n; i++) {
		struct papi_profile_row row = report->sums.rows[i];
		bool any = false;

		for (size_t j = 0; j < report->view.n_events; j++)
			any |= row.sums[report->view.events[j]].inclusive_samples > 0 ||
				row.sums[report->view.events[j]].inclusive_value > 0;
		if (!any) {
			free(row.sums);
			continue;
		}
		report->sums.rows[n++] = row;
	}
	report->sums.n = n;
	sorted = report;
	qsort(report->sums.rows, n, sizeof(report->sums.rows[0]), compare);
	if (!request->top && papi_terminal_is_output() && !request->json && !request->csv)
		limit = TERMINAL_ROWS;
	while (report->n_shown < n && report->n_shown < limit &&
		100 * (double)key_of(&report->sums.rows[report->n_shown], 0) >= request->minimum * whole)
		report->n_shown++;
}

/* ---- The table ---- */

static void add_titles(struct view_table *table, const struct report *report, size_t first, size_t end, bool ratios)
{
	size_t column = 0;

	view_table_begin_row(table);
	for (size_t i = first; i < end; i++) {
		const char *self[] = { "Self", "", "Share", "Incl.", "", "Share" };

		view_table_group(table, column, report->view.profile->events.items[report->view.events[i]].name);
		for (size_t j = 0; j < (report->inclusive ? 6 : 3); j++, column++)
			view_table_add(table, papi_memory_copy(self[j]));
	}
	for (size_t i = 0; ratios && i < report->n_ratios; i++, column += 2) {
		view_table_group(table, column, report->ratios[i].name);
		view_table_add(table, papi_memory_copy("Ratio"));
		view_table_add(table, papi_memory_copy(""));
	}
	view_table_group(table, column, "");
	view_table_add(table, papi_memory_copy(report->by));
}

static void add_ratios(struct view_table *table, const struct report *report, const struct papi_profile_row *row)
{
	for (size_t i = 0; i < report->n_ratios; i++) {
		double error, value = report_ratio(report, row, &report->ratios[i], &error);

		view_table_add(table, isnan(value) ? papi_memory_copy("-") : papi_memory_print("%.4g", value));
		view_table_add(table, error > 0 ? papi_memory_print("±%.2g", error) : papi_memory_copy(""));
	}
}

static void add_row(struct view_table *table, const struct report *report, const struct papi_profile_row *row,
	size_t first, size_t end, bool ratios)
{
	view_table_begin_row(table);
	for (size_t i = first; i < end; i++) {
		uint32_t event = report->view.events[i];
		const struct papi_profile_sum *sum = &row->sums[event];

		view_table_add_numbers(table, &report->view, event, sum->samples, sum->value);
		if (report->inclusive)
			view_table_add_numbers(
				table, &report->view, event, sum->inclusive_samples, sum->inclusive_value);
	}
	if (ratios)
		add_ratios(table, report, row);
}

static char *name_of(const struct report *report, const struct papi_profile_row *row, size_t columns)
{
	const struct papi_profile *profile = report->view.profile;
	char *label = report_label(report, row), *name;

	if (columns && row->file && !row->function)
		name = view_shorten(view_base(label), columns);
	else if (columns)
		name = view_shorten(report->sums.by == PAPI_PROFILE_BY_FUNCTION || papi_profile_by_whom(report->sums.by)
				? label
				: view_base(label),
			columns);
	else if (row->function != PAPI_PROFILE_NONE)
		name = papi_memory_print("%s  (%s)", label, profile->modules.items[row->module].path);
	else
		name = papi_memory_copy(label);
	free(label);
	label = view_clean(name);
	free(name);
	return label;
}

/* The table with the events from first up to end, and the ratios, if they are wanted. */
static struct view_table *make_table(const struct report *report, size_t first, size_t end, bool ratios)
{
	size_t columns = (end - first) * (report->inclusive ? 6 : 3) + (ratios ? 2 * report->n_ratios : 0) + 1, width;
	struct view_table *table = view_table_new(columns);

	add_titles(table, report, first, end, ratios);
	for (size_t i = 0; i < report->n_shown; i++)
		add_row(table, report, &report->sums.rows[i], first, end, ratios);
	width = view_table_width(table);
	for (size_t i = 0; i < report->n_shown; i++)
		table->rows[i + 1][columns - 1] = name_of(report, &report->sums.rows[i],
			!papi_terminal_is_output()                       ? 0
				: width + NAME_COLUMNS > PAPI_TEXT_WIDTH ? NAME_COLUMNS
									 : PAPI_TEXT_WIDTH - width);
	return table;
}

static bool is_too_wide(const struct view_table *table)
{
	return papi_terminal_is_output() && view_table_width(table) + NAME_COLUMNS > PAPI_TEXT_WIDTH;
}

static void print_table(struct view_table *table)
{
	putchar('\n');
	view_table_print(table);
	view_table_free(table);
}

/* Beside each other as many events as a line has room for; the others, and ratios, below with the same rows. */
static void print_tables(const struct report *report)
{
	size_t n = report->view.n_events;
	struct view_table *table = make_table(report, 0, n, true);

	if (!is_too_wide(table)) {
		print_table(table);
		return;
	}
	view_table_free(table);
	for (size_t first = 0, end; first < n; first = end) {
		end = n;
		table = make_table(report, first, end, false);
		while (end - first > 1 && is_too_wide(table)) {
			view_table_free(table);
			table = make_table(report, first, --end, false);
		}
		print_table(table);
	}
	if (report->n_ratios)
		print_table(make_table(report, n, n, true));
}

/* What the table does not show is said, so that nobody takes it for everything. */
static void print_rest(const struct report *report)
{
	uint32_t event = view_event(&report->view);
	int64_t rest = 0;
	char *share;

	for (size_t i = report->n_shown; i < report->sums.n; i++)
		rest += report->sums.rows[i].sums[event].value;
	if (report->n_shown < report->sums.n) {
		share = view_share((double)rest, (double)report->view.profile->events.items[event].value);
		printf("\n%zu more with %s together; --top N shows more\n", report->sums.n - report->n_shown, share);
		free(share);
	}
}

/* An order by values that are not there would be another one. */
static void refuse_order(const struct report *report)
{
	if (!report->view.profile->n_calls)
		view_need_contexts(&report->view);
	fprintf(stderr, "%s: the profile has no inclusive values by %s: --order inclusive is for functions\n",
		tool.name, report->by);
	exit(EXIT_FAILURE);
}

int papi_profile_report(int argc, char **argv)
{
	struct report report = { .view = { .tool = &tool } };
	struct request request = { 0 };

	parse(&report, &request, argc, argv);
	view_open(&report.view, optind < argc ? argv[optind] : NULL);
	report.ratios = papi_memory_zero(request.n_ratios, sizeof(report.ratios[0]));
	for (size_t i = 0; i < request.n_ratios; i++)
		add_ratio(&report, request.ratios[i]);
	report.by = names_of_by[request.by];
	papi_profile_sums_make(report.view.profile, request.by, !report.view.outermost, &report.sums);
	report.inclusive = ((papi_profile_has_contexts(report.view.profile) && !report.view.profile->n_calls) ||
				   (report.view.profile->n_calls && request.by == PAPI_PROFILE_BY_FUNCTION)) &&
		!papi_profile_by_whom(request.by);
	if (report.by_inclusive && !report.inclusive)
		refuse_order(&report);
	choose_rows(&report, &request);
	if (request.json) {
		report_print_json(&report);
	} else if (request.csv) {
		report_print_csv(&report);
	} else {
		view_print_heading(&report.view);
		print_tables(&report);
		print_rest(&report);
	}
	for (size_t i = 0; i < report.n_ratios; i++)
		free(report.ratios[i].name);
	free(report.ratios);
	free(request.ratios);
	papi_profile_sums_free(&report.sums);
	view_close(&report.view);
	return papi_tool_finish(EXIT_SUCCESS);
}
