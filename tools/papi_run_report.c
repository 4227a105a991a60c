/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_report.c - what the counts of all runs come to, and the table for people.
 *
 * The whole report is made in memory and written in one go, so that it stays in one piece among the output of others
 * and one place sees a full disk.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papi_run.h"
#include "statistics.h"
#include "text.h"

/* Names longer than this get a line of their own: the table fits 80 columns, with and without deviations. */
#define LONGEST_NAME          28
#define LONGEST_NAME_REPEATED 23
#define LONGEST_COMMAND       68

struct row {
	char count[40];
	char share[16];
	char rate[32];
	char deviation[32];
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

/* Counts in a second of real time; NaN when no time has passed. */
double papi_run_report_rate(const struct run_event *event, const struct run_result *result)
{
	double elapsed_s = papi_run_report_mean(result->elapsed_ns, result->runs) / 1e9;

	return elapsed_s > 0 ? papi_run_report_mean(event->counts, result->runs) / elapsed_s : (double)NAN;
}

/* 1234567 becomes 1,234,567. */
static void format_count(char *text, size_t size, long long count)
{
	char digits[32];
	size_t length, used = 0;

	length = (size_t)snprintf(digits, sizeof(digits), "%lld", count);
	for (size_t i = 0; i < length && used + 2 < size; i++) {
		text[used++] = digits[i];
		if (digits[i] != '-' && i + 1 < length && (length - 1 - i) % 3 == 0)
			text[used++] = ',';
	}
	text[used] = '\0';
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

static void row_fill(struct row *row, const struct run_event *event, const struct run_result *result)
{
	double average, share;
	size_t runs = result->runs;

	memset(row, 0, sizeof(*row));
	if (event->error) {
		snprintf(row->count, sizeof(row->count), "not counted");
		return;
	}
	average = papi_run_report_mean(event->counts, runs);
	share = papi_run_report_share(event);
	/* Small means of several runs need their fraction, large ones do not. */
	if (runs > 1 && average < 1000)
		snprintf(row->count, sizeof(row->count), "%.1f", average);
	else
		format_count(row->count, sizeof(row->count), runs == 1 ? event->counts[0] : llround(average));
	snprintf(row->share, sizeof(row->share), "%s%.1f%%", share < 1 ? "~" : "", 100 * share);
	format_rate(row->rate, sizeof(row->rate), papi_run_report_rate(event, result), event->unit);
	if (runs > 1)
		snprintf(row->deviation, sizeof(row->deviation), "+- %.2f%%",
			papi_run_report_deviation(event->counts, runs));
}

/* Without trailing blanks. */
static void line_print(FILE *out, const char *text)
{
	size_t length = strlen(text);

	while (length && text[length - 1] == ' ')
		length--;
	fprintf(out, "%.*s\n", (int)length, text);
}

static void table_print(FILE *out, const struct run_list *list, const struct run_result *result)
{
	struct row *rows = papi_run_allocate(NULL, list->number + 1, sizeof(*rows));
	size_t longest = result->runs > 1 ? LONGEST_NAME_REPEATED : LONGEST_NAME;
	size_t name = 5, count = 5, unit = 4;
	char *line;

	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];
		size_t length = strlen(event->name);

		row_fill(&rows[i], event, result);
		name = length > name && length <= longest ? length : name;
		count = strlen(rows[i].count) > count ? strlen(rows[i].count) : count;
		unit = strlen(event->unit) > unit ? strlen(event->unit) : unit;
	}
	line = papi_run_format("%-*s  %*s  %-*s  %7s  %11s  %10s", (int)name, "Event", (int)count, "Count", (int)unit,
		"Unit", "Counted", "Per second", result->runs > 1 ? "Deviation" : "");
	line_print(out, line);
	free(line);
	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];
		bool alone = strlen(event->name) > name;

		if (alone)
			fprintf(out, "%s\n", event->name);
		line = papi_run_format("%-*s  %*s  %-*s  %7s  %11s  %10s", (int)name, alone ? "" : event->name,
			(int)count, rows[i].count, (int)unit, event->unit, rows[i].share, rows[i].rate,
			rows[i].deviation);
		line_print(out, line);
		free(line);
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
	for (size_t i = 0; text[i]; i++)
		if (iscntrl((unsigned char)text[i]))
			text[i] = '?';
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

static void time_print(FILE *out, const char *name, const long long *values, size_t runs)
{
	fprintf(out, "%14.6f s  %s", papi_run_report_mean(values, runs) / 1e9, name);
	if (runs > 1)
		fprintf(out, "  +- %.2f%%", papi_run_report_deviation(values, runs));
	fputc('\n', out);
}

static void times_print(FILE *out, const struct run_result *result)
{
	fputc('\n', out);
	time_print(out, "elapsed", result->elapsed_ns, result->runs);
	/* Only a parent is told what a process used. */
	if (result->watched)
		return;
	time_print(out, "user", result->user_ns, result->runs);
	time_print(out, "system", result->system_ns, result->runs);
}

/* The events that have one reason, and the reason below them. */
static void reason_print(FILE *out, const struct run_list *list, const char *reason)
{
	char *names = NULL;

	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];
		char *before = names;

		if (!event->error || strcmp(event->error, reason) != 0)
			continue;
		names = papi_run_format("%s%s%s", before ? before : "", before ? ", " : "", event->name);
		free(before);
	}
	papi_text_wrap(out, "", 2, names);
	papi_text_wrap(out, "", 4, reason);
	free(names);
}

/* Which counts are of user mode only, and why. */
static void kernel_note_print(FILE *out, const struct run_list *list)
{
	const char *separator = "";

	fputs("note: counted in user mode only: ", out);
	for (size_t i = 0; i < list->number; i++) {
		if (!list->events[i].user_only || list->events[i].error)
			continue;
		fprintf(out, "%s%s", separator, list->events[i].name);
		separator = ", ";
	}
	fprintf(out, "; %s\n", list->kernel_note);
}

static void notes_print(FILE *out, const struct run_list *list, const struct run_result *result, bool estimated)
{
	if (estimated || list->hardware_note || list->kernel_note || result->watch_note)
		fputc('\n', out);
	if (estimated)
		fputs("note: ~ marks an estimate: counted for that share of the time and scaled up\n", out);
	if (list->hardware_note)
		fprintf(out, "note: %s\n", list->hardware_note);
	if (list->kernel_note)
		kernel_note_print(out, list);
	if (result->watch_note)
		fprintf(out, "note: %s\n", result->watch_note);
}

static bool told_before(const struct run_list *list, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (list->events[i].error && strcmp(list->events[i].error, list->events[number].error) == 0)
			return true;
	return false;
}

static void reasons_print(FILE *out, const struct run_list *list, const struct run_result *result)
{
	bool title = false, estimated = false;

	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];

		if (!event->error) {
			estimated = estimated || papi_run_report_share(event) < 1;
			continue;
		}
		if (!title)
			fputs("\nnot counted:\n", out);
		title = true;
		if (!told_before(list, i))
			reason_print(out, list, event->error);
	}
	notes_print(out, list, result, estimated);
}

/* 0, or an errno. */
static int write_all(int descriptor, const char *text, size_t length)
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
		head_print(out, result);
		table_print(out, list, result);
		times_print(out, result);
		reasons_print(out, list, result);
	}
	error = fclose(out) != 0 ? errno : write_all(descriptor, text, length);
	free(text);
	return error;
}
