/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_report.c - what the counts of all runs come to, and the table for people.
 *
 * The whole report is made in memory and written in one go, so that it stays in one piece among the output of others
 * and one place sees a full disk.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "kinds.h"
#include "papi_run.h"
#include "statistics.h"
#include "terminal.h"
#include "text.h"

#define LONGEST_COMMAND 69 /* with what stands before it, a line of 79 */

/* The table: a column for each of these; those in which no row has anything are left out. */
enum { NAME, COUNT, UNIT, WORTH, RATE, DEVIATION, COLUMNS };

#define MEANING_OF_ESTIMATED \
	"simulated for a part of the caches and scaled up; that of the whole caches is as near 19 times in 20"

static const char *const titles[COLUMNS] = { "Event", "Count", "Unit", "Worth", "Per second", "Deviation" };
static const bool right[COLUMNS] = { [COUNT] = true, [RATE] = true, [DEVIATION] = true };

struct row {
	const struct run_event *event;
	char *name;
	char cells[COLUMNS][PAPI_MIN_STR_LEN]; /* the name is not here */
};

/* The report on its way to a descriptor. */
struct page {
	FILE *out;
	bool coloured;
};

double papi_run_report_mean(const long long *values, size_t runs)
{
	return papi_statistics_of(values, runs).mean;
}

/* Standard deviation in percent of the mean. The runs are a sample of all that could be made, hence the - 1. */
double papi_run_report_deviation(const long long *values, size_t runs)
{
	struct papi_statistics series = papi_statistics_of(values, runs);

	if (runs < 2 || series.mean == 0)
		return 0;
	return 100 * sqrt(series.squares / (double)(runs - 1)) / fabs(series.mean);
}

/* Share of the time that the event was really counted, from 0 to 1. What never ran missed nothing. */
double papi_run_report_share(const struct run_event *event)
{
	if (event->enabled_ns <= 0)
		return 1;
	return (double)event->running_ns / (double)event->enabled_ns;
}

/*
 * Counts in a second of real time; NaN when no time has passed, when counting has made the time longer than it is, and
 * for what is a rate already.
 */
double papi_run_report_rate(const struct run_event *event, const struct run_result *result)
{
	double elapsed_s = papi_run_report_mean(result->elapsed_ns, result->runs) / 1e9;

	if (elapsed_s <= 0 || result->slowed || event->is_rate)
		return (double)NAN;
	return papi_run_report_mean(event->counts, result->runs) / elapsed_s;
}

/* Of an estimate, in the mean of the runs: how far what it estimates may be, and is 19 times in 20. */
double papi_run_report_interval(const struct run_event *event, const struct run_result *result)
{
	return result->runs ? (double)event->interval / (double)result->runs : 0;
}

/* What the count is worth. Beside an agent in the program the kernel counts the work of the agent, too. */
const char *papi_run_report_kind(const struct run_event *event, const struct run_result *result)
{
	if (papi_run_report_share(event) < 1)
		return "estimated";
	if (result->slowed && !event->is_virtual)
		return "affected";
	return event->kind;
}

/* The count of an event that is not counted in every process is a part of the sum, whatever it is worth. */
bool papi_run_report_is_partial(const struct run_event *event, const struct run_result *result)
{
	return event->is_virtual && result->processes.missing && !event->error;
}

/* Nanoseconds in a second are best read as seconds: 0.998 s/s is a CPU busy nearly all the time. */
static void format_rate(char *text, size_t size, double rate, const char *unit)
{
	static const char prefixes[] = " kMGTPE";
	size_t i = 0;

	if (!isfinite(rate)) {
		*text = '\0';
		return;
	}
	if (strcmp(unit, "ns") == 0) {
		snprintf(text, size, "%.3f s/s", rate / 1e9);
		return;
	}
	while (fabs(rate) >= 1000 && prefixes[i + 1]) {
		rate /= 1000;
		i++;
	}
	snprintf(text, size, "%.3f %c/s", rate, prefixes[i]);
}

/* Small means of several runs need their fraction, large ones do not. Nanoseconds are shown as milliseconds. */
static void format_count(char *text, size_t size, const struct run_event *event, size_t runs)
{
	double average = papi_run_report_mean(event->counts, runs);
	char number[64];

	if (strcmp(event->unit, "ns") == 0)
		snprintf(number, sizeof(number), "%.3f", average / 1e6);
	else if (runs > 1 && fabs(average) < 1000)
		snprintf(number, sizeof(number), "%.1f", average);
	else
		snprintf(number, sizeof(number), "%lld", runs == 1 ? event->counts[0] : llround(average));
	papi_text_group(text, size, number);
}

/* Beside an estimate stands how far it may be off. */
static void worth_fill(struct row *row, const struct run_event *event, const struct run_result *result)
{
	double share = papi_run_report_share(event), interval = papi_run_report_interval(event, result),
	       average = papi_run_report_mean(event->counts, result->runs);
	size_t size = sizeof(row->cells[0]);
	char within[32] = "";

	if (share < 1) {
		snprintf(row->cells[WORTH], size, "~%.1f%%", 100 * share);
		return;
	}
	if (interval > 0 && average > 0)
		snprintf(within, sizeof(within), " +- %.2g%%", 100 * interval / average);
	snprintf(row->cells[WORTH], size, "%s%s%s", papi_run_report_kind(event, result), within,
		papi_run_report_is_partial(event, result) ? ", partial" : "");
}

static void row_fill(struct row *row, const struct run_event *event, const struct run_result *result)
{
	size_t size = sizeof(row->cells[0]);

	memset(row, 0, sizeof(*row));
	row->event = event;
	row->name = papi_run_format("%s", event->name);
	papi_escape_terminal(row->name);
	if (event->error) {
		snprintf(row->cells[COUNT], size, "not counted");
		return;
	}
	format_count(row->cells[COUNT], size, event, result->runs);
	snprintf(row->cells[UNIT], size, "%s", strcmp(event->unit, "ns") == 0 ? "ms" : event->unit);
	papi_escape_terminal(row->cells[UNIT]);
	worth_fill(row, event, result);
	format_rate(row->cells[RATE], size, papi_run_report_rate(event, result), event->unit);
	if (result->runs > 1)
		snprintf(row->cells[DEVIATION], size, "+- %.2f%%",
			papi_run_report_deviation(event->counts, result->runs));
}

/* Titles, what is missing, and what is worth less than it looks. row NULL: the titles. */
static bool is_coloured(const struct row *row, int column, enum papi_colour *colour)
{
	*colour = !row ? PAPI_COLOUR_TITLE : column == COUNT ? PAPI_COLOUR_ERROR : PAPI_COLOUR_DOUBT;
	if (!row)
		return true;
	return (column == COUNT && row->event->error) || (column == WORTH && strcmp(row->cells[WORTH], "exact") != 0);
}

/* One line, without trailing blanks. Columns without a width are left out. */
static void line_print(const struct page *page, const struct row *row, const char *const cells[], const size_t widths[])
{
	size_t blanks = 0;

	for (int column = 0; column < COLUMNS; column++) {
		size_t length = strlen(cells[column]);
		size_t padding = widths[column] > length ? widths[column] - length : 0;
		enum papi_colour colour;
		bool coloured = is_coloured(row, column, &colour) && page->coloured;

		if (widths[column] == 0)
			continue;
		if (length > 0)
			fprintf(page->out, "%*s", (int)(blanks + (right[column] ? padding : 0)), "");
		papi_terminal_print(page->out, coloured, colour, cells[column]);
		blanks = length == 0 ? blanks + padding + 2 : 2 + (right[column] ? 0 : padding);
	}
	fputc('\n', page->out);
}

/* The widths of the columns: of names as wide as 80 columns leave room for, and no wider than they are. */
static void measure(const struct row rows[], size_t number, size_t widths[COLUMNS])
{
	size_t others = 0, room;

	for (int column = COUNT; column < COLUMNS; column++) {
		widths[column] = 0;
		for (size_t i = 0; i < number; i++) {
			size_t length = strlen(rows[i].cells[column]);

			widths[column] = length > widths[column] ? length : widths[column];
		}
		if (widths[column] > 0 && widths[column] < strlen(titles[column]))
			widths[column] = strlen(titles[column]);
		others += widths[column] > 0 ? widths[column] + 2 : 0;
	}
	room = others < PAPI_TEXT_WIDTH ? PAPI_TEXT_WIDTH - others : 0;
	widths[NAME] = strlen(titles[NAME]);
	for (size_t i = 0; i < number; i++) {
		size_t length = strlen(rows[i].name);

		widths[NAME] = length > widths[NAME] && length <= room ? length : widths[NAME];
	}
}

static void table_print(const struct page *page, const struct run_list *list, const struct run_result *result)
{
	struct row *rows = papi_run_allocate(NULL, list->number + 1, sizeof(*rows));
	size_t widths[COLUMNS];

	for (size_t i = 0; i < list->number; i++)
		row_fill(&rows[i], &list->events[i], result);
	measure(rows, list->number, widths);
	line_print(page, NULL, titles, widths);
	for (size_t i = 0; i < list->number; i++) {
		bool alone = strlen(rows[i].name) > widths[NAME];
		const char *cells[COLUMNS];

		cells[NAME] = alone ? "" : rows[i].name;
		for (int column = COUNT; column < COLUMNS; column++)
			cells[column] = rows[i].cells[column];
		if (alone)
			fprintf(page->out, "%s\n", rows[i].name);
		line_print(page, &rows[i], cells, widths);
		free(rows[i].name);
	}
	free(rows);
}

/* The command on one line that cannot disturb a terminal, cut to fit; a word with blanks goes into quotes. */
static char *command_text(const struct run_result *result)
{
	char *text = papi_run_format("%s", "");
	size_t length;

	for (size_t i = 0; result->command[i]; i++) {
		const char *word = result->command[i];
		const char *quote = !*word || strpbrk(word, " \t\n") ? "'" : "";
		char *longer = papi_run_format("%s%s%s%s%s", text, i ? " " : "", quote, word, quote);

		free(text);
		text = longer;
	}
	length = strlen(text);
	if (length > LONGEST_COMMAND) {
		length = LONGEST_COMMAND - 3;
		/* Not in the middle of a UTF-8 character. */
		while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
		memcpy(text + length, "...", 4);
	}
	papi_escape_terminal(text);
	return text;
}

static void head_print(FILE *out, const struct run_result *result)
{
	char *command = command_text(result);

	fprintf(out, "\npapi_run: %s\n", command);
	if (result->watched)
		fprintf(out, "watched process %d\n", (int)result->watched);
	else if (result->signal)
		fprintf(out, "killed by signal %d (%s)\n", result->signal, strsignal(result->signal));
	else if (result->exit_status)
		fprintf(out, "exit status %d\n", result->exit_status);
	if (result->runs > 1)
		fprintf(out, "means of %zu runs, with their relative standard deviation\n", result->runs);
	fputc('\n', out);
	free(command);
}

static void time_print(FILE *out, const char *name, const long long *values, const struct run_result *result)
{
	fprintf(out, "%14.6f s  %s%s", papi_run_report_mean(values, result->runs) / 1e9, name,
		result->slowed ? ", slowed by counting" : "");
	if (result->runs > 1)
		fprintf(out, "  +- %.2f%%", papi_run_report_deviation(values, result->runs));
	fputc('\n', out);
}

static void times_print(FILE *out, const struct run_result *result)
{
	fputc('\n', out);
	time_print(out, "elapsed", result->elapsed_ns, result);
	/* Only a parent is told what a process used. */
	if (result->watched)
		return;
	time_print(out, "user", result->user_ns, result);
	time_print(out, "system", result->system_ns, result);
}

/* The names of all events for which wanted() holds, as one text with commas, for the caller to free; NULL: none. */
static char *names_of(
	const struct run_list *list, bool (*wanted)(const struct run_event *event, const char *what), const char *what)
{
	char *names = NULL;

	for (size_t i = 0; i < list->number; i++) {
		char *before = names;

		if (!wanted(&list->events[i], what))
			continue;
		names = papi_run_format("%s%s%s", before ? before : "", before ? ", " : "", list->events[i].name);
		free(before);
	}
	if (names)
		papi_escape_terminal(names);
	return names;
}

static bool has_reason(const struct run_event *event, const char *reason)
{
	return event->error && strcmp(event->error, reason) == 0;
}

static bool is_user_only(const struct run_event *event, const char *unused)
{
	(void)unused;
	return event->user_only && !event->is_virtual && !event->error;
}

static bool told_before(const struct run_list *list, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (has_reason(&list->events[i], list->events[number].error))
			return true;
	return false;
}

/* The events that are not counted: those that have one reason, and the reason below them. */
static void reasons_print(const struct page *page, const struct run_list *list)
{
	bool title = false;

	for (size_t i = 0; i < list->number; i++) {
		const char *reason = list->events[i].error;
		char *names;

		if (!reason)
			continue;
		if (!title) {
			fputc('\n', page->out);
			papi_terminal_print(page->out, page->coloured, PAPI_COLOUR_ERROR, "not counted:");
			fputc('\n', page->out);
		}
		title = true;
		if (told_before(list, i))
			continue;
		names = names_of(list, has_reason, reason);
		papi_text_wrap(page->out, "", 2, names);
		papi_text_wrap(page->out, "", 4, reason);
		free(names);
	}
}

static bool any_of_kind(const struct run_list *list, const struct run_result *result, const char *kind)
{
	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];

		if (event->error)
			continue;
		if (strcmp(papi_run_report_kind(event, result), kind) == 0)
			return true;
		if (papi_run_report_is_partial(event, result) && strcmp("partial", kind) == 0)
			return true;
	}
	return false;
}

static bool any_share(const struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++)
		if (!list->events[i].error && papi_run_report_share(&list->events[i]) < 1)
			return true;
	return false;
}

/* What the words in the column Worth mean, each once. */
static void legend_print(const struct page *page, const struct run_list *list, const struct run_result *result)
{
	bool first = true;

	for (const struct papi_kind *kind = papi_kinds; kind->name; kind++) {
		bool is_estimated = strcmp(kind->name, "estimated") == 0, is_share = is_estimated && any_share(list);
		char mark[16];

		if (!any_of_kind(list, result, kind->name))
			continue;
		if (first)
			fputc('\n', page->out);
		first = false;
		snprintf(mark, sizeof(mark),
			is_estimated && !is_share ? "%s:" : "%8s:", is_share ? "~share" : kind->name);
		papi_text_wrap(page->out, mark, 10,
			is_share               ? "estimated: counted for that share of the time and scaled up"
				: is_estimated ? MEANING_OF_ESTIMATED
					       : kind->meaning);
	}
}

static void note_print(const struct page *page, const char *note)
{
	fputc('\n', page->out);
	papi_text_wrap(page->out, "note:", 6, note);
}

static void notes_print(const struct page *page, const struct run_list *list, const struct run_result *result)
{
	char *names = names_of(list, is_user_only, NULL);

	if (list->hardware_note)
		note_print(page, list->hardware_note);
	if (list->kernel_note && names) {
		char *note = papi_run_format("counted in user mode only: %s; %s", names, list->kernel_note);

		note_print(page, note);
		free(note);
	}
	if (result->roofline_note) {
		char *note = papi_run_format("%s", result->roofline_note);

		papi_escape_terminal(note);
		fputc('\n', page->out);
		papi_text_wrap(page->out, "roofline:", 10, note);
		free(note);
	}
	if (result->watch_note)
		note_print(page, result->watch_note);
	if (result->tasks.note)
		note_print(page, result->tasks.note);
	if (result->passes_note)
		note_print(page, result->passes_note);
	if (result->environment_note)
		note_print(page, result->environment_note);
	free(names);
}

int papi_run_report_write_all(int descriptor, const char *text, size_t length)
{
	struct pollfd ready = { .fd = descriptor, .events = POLLOUT };

	while (length > 0) {
		ssize_t written = write(descriptor, text, length);

		/* Standard error may be shared with a program that made it non-blocking. */
		if (written < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		if (written < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (written < 0)
			return errno;
		text += written;
		length -= (size_t)written;
	}
	return 0;
}

static int write_folded(const struct run_list *list, const struct run_result *result, enum run_format format,
	const char *report, int descriptor)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int error;

	if (!out)
		return errno;
	papi_run_intervals_fold(out, list, result, format, report);
	error = fclose(out) != 0 ? errno : papi_run_report_write_all(descriptor, text, length);
	free(text);
	return error;
}

/* Writes the report of all runs to a descriptor; 0, or an errno. */
int papi_run_report_write(
	const struct run_list *list, const struct run_result *result, enum run_format format, int descriptor)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int error;

	if (!out)
		return errno;
	if (format == RUN_FORMAT_JSON) {
		papi_run_data_json(out, list, result);
	} else if (format == RUN_FORMAT_CSV) {
		papi_run_data_csv(out, list, result);
	} else {
		const struct page page = { .out = out, .coloured = papi_terminal_has_colours(descriptor) };

		head_print(out, result);
		table_print(&page, list, result);
		papi_run_metrics_text(out, page.coloured, list, result);
		papi_run_tasks_text(out, page.coloured, list, &result->tasks);
		times_print(out, result);
		if (list->explain)
			papi_run_metrics_explain(out, list);
		reasons_print(&page, list);
		legend_print(&page, list, result);
		notes_print(&page, list, result);
		papi_run_processes_text(out, &result->processes);
	}
	error = fclose(out) != 0 ? errno : 0;
	if (!error && (papi_run_intervals_wanted() || result->tasks.kind != RUN_TASKS_NONE))
		error = write_folded(list, result, format, text, descriptor);
	else if (!error)
		error = papi_run_report_write_all(descriptor, text, length);
	free(text);
	return error;
}
