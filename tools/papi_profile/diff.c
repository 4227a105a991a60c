/* SPDX-License-Identifier: BSD-3-Clause */
/* diff.c - papi_profile diff: what has changed between two profiles, and where. */
#include "diff.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "escape.h"
#include "symbols/memory.h"
#include "terminal.h"
#include "text.h"

enum { BY = PAPI_TOOL_LONG_ONLY, INCLUSIVE, TOP, MINIMUM, JSON, CSV };

enum { TERMINAL_ROWS = 30, NAME_COLUMNS = 20 };

static const struct papi_tool_option options[] = {
	{ BY, "by", "WHAT", "function, line, file or module (function)" },
	{ INCLUSIVE, "inclusive", NULL, "compare what was counted in a place and all that it called" },
	VIEW_OPTIONS,
	{ TOP, "top", "N", "this many rows (30 on a terminal, else all)" },
	{ MINIMUM, "min", "PERCENT", "rows that have changed by this share of all that the old profile has (0)" },
	{ JSON, "json", NULL, "as JSON, with all digits" },
	{ CSV, "csv", NULL, "as comma-separated values" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile diff",
	.operands = "OLD NEW",
	.purpose = "Shows what has changed from one profile to another: the functions, lines, files or modules, those "
		   "first that have changed most. What may be chance, since it was sampled, is marked with ~.",
	.options = options,
};

struct request {
	const char *events; /* as on the command line; NULL: all */
	long top;
	double minimum;
	bool json, csv;
};

static const char *const side_names[] = { "old", "new" };

/* ---- The command line ---- */

static enum papi_profile_by parse_by(const char *text, const char **name)
{
	static const struct {
		const char *name;
		enum papi_profile_by by;
	} known[] = {
		{ "function", PAPI_PROFILE_BY_FUNCTION },
		{ "module", PAPI_PROFILE_BY_MODULE },
		{ "line", PAPI_PROFILE_BY_LINE },
		{ "file", PAPI_PROFILE_BY_FILE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, text) == 0) {
			*name = known[i].name;
			return known[i].by;
		}
	papi_tool_usage_error(&tool, "--by is function, line, file or module, not '%s'", text);
}

static void parse(struct diff *diff, struct request *request, int argc, char **argv)
{
	int letter;

	diff->by_name = "function";
	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter == BY)
			diff->by = parse_by(optarg, &diff->by_name);
		else if (letter == INCLUSIVE)
			diff->inclusive = true;
		else if (letter == TOP)
			request->top = papi_tool_number(&tool, "--top", optarg, 1, 1000000000);
		else if (letter == MINIMUM)
			request->minimum = view_percent(&tool, "--min", optarg);
		else if (letter == JSON)
			request->json = true;
		else if (letter == CSV)
			request->csv = true;
		else
			view_take_option(&diff->views[DIFF_OLD], letter);
	}
	if (request->json && request->csv)
		papi_tool_usage_error(&tool, "--json and --csv exclude each other");
	if (argc - optind != 2)
		papi_tool_usage_error(&tool, "two profiles are compared, OLD and NEW, not %d", argc - optind);
	/* The list applies to events that both have, so that each profile may have others, too. */
	request->events = diff->views[DIFF_OLD].wanted_events;
	diff->views[DIFF_OLD].wanted_events = NULL;
	diff->views[DIFF_NEW] = diff->views[DIFF_OLD];
}

/* ---- Events ---- */

static bool is_wanted(const char *list, const char *name)
{
	size_t length = strlen(name);

	if (!list || strcasecmp(list, name) == 0)
		return true;
	for (;; list++) {
		size_t word = strcspn(list, ",");

		if (word == length && strncasecmp(list, name, length) == 0)
			return true;
		list += word;
		if (!*list)
			return false;
	}
}

static void list_events(const struct view *view)
{
	for (size_t i = 0; i < view->profile->events.n; i++) {
		char *clean = view_clean(view->profile->events.items[i].name);

		fprintf(stderr, "%s%s", i ? ", " : " ", clean);
		free(clean);
	}
}

static void match_events(struct diff *diff, const char *wanted)
{
	const struct view *old = &diff->views[DIFF_OLD], *new = &diff->views[DIFF_NEW];

	diff->events = papi_memory_zero(old->profile->events.n, sizeof(diff->events[0]));
	for (size_t i = 0; i < old->profile->events.n; i++) {
		const char *name = old->profile->events.items[i].name;
		uint32_t found = view_find_event(new, name);

		if (found == PAPI_PROFILE_NONE || !is_wanted(wanted, name))
			continue;
		diff->events[diff->n_events][DIFF_OLD] = (uint32_t)i;
		diff->events[diff->n_events++][DIFF_NEW] = found;
	}
	if (diff->n_events)
		return;
	fprintf(stderr, "%s: no event%s is in both profiles: the old one has", tool.name,
		wanted ? " that was asked for" : "");
	list_events(old);
	fputs("; the new one has", stderr);
	list_events(new);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

/* ---- Order ---- */

static const struct diff *sorted;
static size_t sorted_event;

static int compare(const void *left, const void *right)
{
	const struct diff_row *a = left, *b = right;
	int64_t x = llabs(diff_change(sorted, sorted_event, a->counts[sorted_event]).by);
	int64_t y = llabs(diff_change(sorted, sorted_event, b->counts[sorted_event]).by);
	int64_t all_x = a->counts[sorted_event][DIFF_NEW].value, all_y = b->counts[sorted_event][DIFF_NEW].value;

	if (x != y)
		return x > y ? -1 : 1;
	if (all_x != all_y)
		return all_x > all_y ? -1 : 1;
	return strcmp(a->key, b->key);
}

static bool is_counted(const struct diff_row *row, size_t event)
{
	return row->counts[event][DIFF_OLD].value || row->counts[event][DIFF_NEW].value ||
		row->counts[event][DIFF_OLD].samples || row->counts[event][DIFF_NEW].samples;
}

static bool is_any_counted(const struct diff *diff, const struct diff_row *row)
{
	for (size_t i = 0; i < diff->n_events; i++)
		if (is_counted(row, i))
			return true;
	return false;
}

/* Sorts the rows by an event, those that count for it first; how many of them are to be shown. */
static size_t choose_rows(struct diff *diff, const struct request *request, size_t event, bool *more)
{
	size_t n = 0, limit = request->top ? (size_t)request->top : SIZE_MAX;
	struct diff_count totals[DIFF_SIDES];
	bool for_programs = request->json || request->csv;

	diff_totals(diff, event, totals);
	sorted = diff;
	sorted_event = event;
	qsort(diff->rows, diff->n, sizeof(diff->rows[0]), compare);
	if (!request->top && papi_terminal_is_output() && !for_programs)
		limit = TERMINAL_ROWS;
	while (n < diff->n &&
		(for_programs ? is_any_counted(diff, &diff->rows[n]) : is_counted(&diff->rows[n], event)) &&
		100 * fabs((double)diff_change(diff, event, diff->rows[n].counts[event]).by) >=
			request->minimum * (double)totals[DIFF_OLD].value) {
		if (n == limit) {
			*more = true;
			break;
		}
		n++;
	}
	return n;
}

/* ---- What is shown ---- */

static void print_difference(const char *what, const char *old, const char *new)
{
	char *line;

	if (strcmp(old, new) == 0)
		return;
	line = papi_memory_print("the %s differ: %s; %s", what, *old ? old : "not known", *new ? new : "not known");
	papi_escape_terminal(line);
	papi_terminal_line("", 0, line);
	free(line);
}

static void print_events_of_one(const struct diff *diff, int side)
{
	const struct papi_profile *profile = diff->views[side].profile;

	for (size_t i = 0; i < profile->events.n; i++) {
		char *clean = view_clean(profile->events.items[i].name);

		if (view_find_event(&diff->views[!side], profile->events.items[i].name) == PAPI_PROFILE_NONE)
			printf("event %s is in the %s profile only\n", clean, side_names[side]);
		free(clean);
	}
}

static void print_event_differences(const struct diff *diff, size_t event)
{
	const struct papi_profile_event *of[DIFF_SIDES];
	char *clean, *kinds;

	for (int side = 0; side < DIFF_SIDES; side++)
		of[side] = &diff->views[side].profile->events.items[diff->events[event][side]];
	clean = view_clean(of[DIFF_OLD]->name);
	if (of[DIFF_OLD]->kernel != of[DIFF_NEW]->kernel || of[DIFF_OLD]->user != of[DIFF_NEW]->user)
		printf("event %s: modes differ: %s%s; %s%s\n", clean, of[DIFF_OLD]->user ? "user" : "",
			of[DIFF_OLD]->kernel ? " and kernel" : "", of[DIFF_NEW]->user ? "user" : "",
			of[DIFF_NEW]->kernel ? " and kernel" : "");
	kinds = papi_memory_print("kinds of counts of %s", clean);
	print_difference(kinds, of[DIFF_OLD]->kind, of[DIFF_NEW]->kind);
	free(kinds);
	free(clean);
}

static void print_heading(const struct diff *diff)
{
	char *commands[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct papi_profile_run *run = &diff->views[side].profile->run;
		char *line;

		commands[side] = view_command(&diff->views[side]);
		line = papi_memory_print("%s: %s, %.3f s", side_names[side], commands[side], run->seconds);
		papi_terminal_line("", 0, line);
		free(line);
		if (run->lost > 0)
			printf("%lld samples of the %s profile were lost\n", (long long)run->lost, side_names[side]);
	}
	if (strcmp(commands[DIFF_OLD], commands[DIFF_NEW]) != 0)
		puts("the commands differ");
	print_difference(
		"machines", diff->views[DIFF_OLD].profile->run.machine, diff->views[DIFF_NEW].profile->run.machine);
	print_events_of_one(diff, DIFF_OLD);
	print_events_of_one(diff, DIFF_NEW);
	for (size_t i = 0; i < diff->n_events; i++)
		print_event_differences(diff, i);
	for (int side = 0; side < DIFF_SIDES; side++)
		free(commands[side]);
}

static char *signed_number(const struct diff *diff, size_t event, int64_t value)
{
	char *number = view_number(&diff->views[DIFF_NEW], diff->events[event][DIFF_NEW], fabs((double)value));
	char *text = papi_memory_print("%s%s", value < 0 ? "-" : value > 0 ? "+" : "", number);

	free(number);
	return text;
}

/* Six cells: both values, the change, its error, its share of all that was, and what is to be known of it. */
static void add_counts(struct view_table *table, const struct diff *diff, size_t event,
	const struct diff_count counts[DIFF_SIDES], const bool is_in[DIFF_SIDES])
{
	struct diff_change change = diff_change(diff, event, counts);
	struct diff_count totals[DIFF_SIDES];
	char *error = view_number(&diff->views[DIFF_NEW], diff->events[event][DIFF_NEW], change.error);

	diff_totals(diff, event, totals);
	for (int side = 0; side < DIFF_SIDES; side++)
		view_table_add(table,
			is_in[side]
				? view_number(&diff->views[side], diff->events[event][side], (double)counts[side].value)
				: papi_memory_copy("-"));
	view_table_add(table, signed_number(diff, event, change.by));
	view_table_add(table, change.error > 0 ? papi_memory_print("±%s", error) : papi_memory_copy(""));
	view_table_add(table,
		totals[DIFF_OLD].value
			? papi_memory_print("%+.2f%%", 100 * (double)change.by / (double)totals[DIFF_OLD].value)
			: papi_memory_copy("-"));
	view_table_add(table,
		papi_memory_print("%s%s",
			!is_in[DIFF_OLD]           ? "new"
				: !is_in[DIFF_NEW] ? "gone"
						   : "",
			change.by && !change.significant ? "~" : ""));
	free(error);
}

static char *name_of(const struct diff *diff, const struct diff_row *row, size_t columns)
{
	char *name, *clean;

	if (columns)
		name = view_shorten(diff->by == PAPI_PROFILE_BY_FUNCTION ? row->name : view_base(row->name), columns);
	else if (diff->by == PAPI_PROFILE_BY_FUNCTION)
		name = papi_memory_print("%s  (%s)", row->name, row->module ? row->module : "");
	else
		name = papi_memory_print(
			diff->by != PAPI_PROFILE_BY_MODULE && !row->file ? "%s, lines not known" : "%s", row->name);
	clean = view_clean(name);
	free(name);
	return clean;
}

static void add_titles(struct view_table *table, const struct diff *diff, size_t event)
{
	static const char *const titles[] = { "Old", "New", "Change", "", "Share", "" };
	const struct papi_profile *profile = diff->views[DIFF_NEW].profile;

	view_table_group(table, 0, profile->events.items[diff->events[event][DIFF_NEW]].name);
	view_table_group(table, 6, "");
	view_table_begin_row(table);
	for (size_t i = 0; i < 6; i++)
		view_table_add(table, papi_memory_copy(titles[i]));
	view_table_add(table, papi_memory_copy(diff->by_name));
}

static void print_table(const struct diff *diff, size_t event, size_t n)
{
	static const bool both[] = { true, true };
	struct view_table *table = view_table_new(7);
	struct diff_count totals[DIFF_SIDES];
	size_t width, room;

	add_titles(table, diff, event);
	diff_totals(diff, event, totals);
	view_table_begin_row(table);
	add_counts(table, diff, event, totals, both);
	view_table_add(table, papi_memory_copy("(all)"));
	for (size_t i = 0; i < n; i++) {
		view_table_begin_row(table);
		add_counts(table, diff, event, diff->rows[i].counts[event], diff->rows[i].is_in);
	}
	width = view_table_width(table);
	room = width + NAME_COLUMNS > PAPI_TEXT_WIDTH ? NAME_COLUMNS : PAPI_TEXT_WIDTH - width;
	for (size_t i = 0; i < n; i++)
		table->rows[i + 2][6] = name_of(diff, &diff->rows[i], papi_terminal_is_output() ? room : 0);
	putchar('\n');
	view_table_print(table);
	view_table_free(table);
}

static void print_tables(struct diff *diff, const struct request *request)
{
	bool more = false, chance = false;

	print_heading(diff);
	for (size_t i = 0; i < diff->n_events; i++) {
		print_table(diff, i, choose_rows(diff, request, i, &more));
		chance |= view_is_sampled(&diff->views[DIFF_OLD], diff->events[i][DIFF_OLD]) ||
			view_is_sampled(&diff->views[DIFF_NEW], diff->events[i][DIFF_NEW]);
	}
	if (chance || more)
		putchar('\n');
	if (chance)
		puts("~ within two standard errors: may be chance");
	if (more)
		puts("There are more rows; --top N shows more");
}

int papi_profile_diff(int argc, char **argv)
{
	struct diff diff = { .views = { { .tool = &tool } } };
	struct request request = { 0 };
	bool more;

	parse(&diff, &request, argc, argv);
	for (int side = 0; side < DIFF_SIDES; side++) {
		diff.views[side].region = diff.views[DIFF_OLD].region;
		view_open(&diff.views[side], argv[optind + side]);
		if (diff.inclusive)
			view_need_contexts(&diff.views[side]);
	}
	match_events(&diff, request.events);
	diff_rows_make(&diff);
	if (request.json)
		diff_print_json(&diff, choose_rows(&diff, &request, 0, &more));
	else if (request.csv)
		diff_print_csv(&diff, choose_rows(&diff, &request, 0, &more));
	else
		print_tables(&diff, &request);
	diff_rows_free(&diff);
	free(diff.events);
	for (int side = 0; side < DIFF_SIDES; side++)
		view_close(&diff.views[side]);
	return papi_tool_finish(EXIT_SUCCESS);
}
