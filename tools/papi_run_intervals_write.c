/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_intervals_write.c - intervals for people, as CSV and as lines of JSON, each when it has ended; and what the
 * report, which follows, looks like behind them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi_run.h"
#include "terminal.h"
#include "text.h"

#define TIME_WIDTH  10
#define VALUE_WIDTH 22
#define NAME_WIDTH  (PAPI_TEXT_WIDTH - TIME_WIDTH - VALUE_WIDTH - 6) /* " s" and two blanks twice */

static double share_of(const struct run_reading *reading)
{
	return reading->enabled_ns > 0 ? (double)reading->running_ns / (double)reading->enabled_ns : 1;
}

static const char *kind_of(
	const struct run_event *event, const struct run_reading *reading, const struct run_result *result)
{
	if (share_of(reading) < 1)
		return "estimated";
	return result->slowed && !event->is_virtual ? "affected" : event->kind;
}

static double seconds_of(const struct run_slice *slice)
{
	return (double)(slice->end_ns - slice->begin_ns) / 1e9;
}

/* Of an interval in which counting has not made the time longer; else NaN. */
static double rate_of(const struct run_reading *reading, const struct run_slice *slice, const struct run_result *result)
{
	return result->slowed || seconds_of(slice) <= 0 ? (double)NAN : (double)reading->count / seconds_of(slice);
}

/* The values of a group's metrics in an interval, to be freed. */
static double *values_of(const struct run_list *list, const struct run_result *result, const struct run_group *group,
	const struct run_slice *slice)
{
	double *values = papi_run_allocate(NULL, (size_t)group->metrics + 1, sizeof(*values));
	double *counts = papi_run_allocate(NULL, (size_t)group->events + 1, sizeof(*counts));

	for (int i = 0; i < group->events; i++) {
		size_t place = group->places[i];

		counts[i] = list->events[place].error ? (double)NAN : (double)slice->counts[place].count;
	}
	if (PAPI_metric_evaluate(group->number, counts, result->slowed ? 0 : seconds_of(slice), values) != PAPI_OK)
		for (int i = 0; i < group->metrics; i++)
			values[i] = (double)NAN;
	free(counts);
	return values;
}

/* ---- For people ---- */

static size_t name_width(const struct run_list *list)
{
	PAPI_metric_info_t metric;
	size_t width = strlen("Event");

	for (size_t i = 0; i < list->number; i++) {
		size_t length = strlen(list->events[i].name);

		width = length > width && length <= NAME_WIDTH ? length : width;
	}
	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++)
			if (PAPI_metric_info(list->groups[i].number, j, &metric) == PAPI_OK && !*metric.why) {
				size_t length = strlen(metric.name);

				width = length > width && length <= NAME_WIDTH ? length : width;
			}
	return width;
}

static void text_head(FILE *out, bool coloured, const struct run_list *list)
{
	char *head = papi_run_format(
		"%*s    %-*s  %*s", TIME_WIDTH, "Time", (int)name_width(list), "Event", VALUE_WIDTH, "In the interval");

	papi_terminal_print(out, coloured, PAPI_COLOUR_TITLE, head);
	fputc('\n', out);
	free(head);
}

static void text_line(FILE *out, const struct run_slice *slice, size_t width, const char *name, const char *value)
{
	char *shown = papi_run_format("%s", name);

	papi_escape_terminal(shown);
	fprintf(out, "%*.3f s  %-*s", TIME_WIDTH, (double)slice->end_ns / 1e9, (int)width, shown);
	if (strlen(shown) > width)
		fprintf(out, "\n%*s", TIME_WIDTH + 4 + (int)width, "");
	fprintf(out, "  %*s\n", VALUE_WIDTH, value);
	free(shown);
}

static void text_event(FILE *out, const struct run_slice *slice, size_t width, const struct run_event *event,
	const struct run_reading *reading)
{
	bool time = strcmp(event->unit, "ns") == 0;
	char *number = time ? papi_run_format("%.3f", (double)reading->count / 1e6)
			    : papi_run_format("%lld", reading->count);
	char grouped[64], *value;

	papi_text_group(grouped, sizeof(grouped), number);
	value = papi_run_format("%s%s%s%s", share_of(reading) < 1 ? "~" : "", grouped, *event->unit ? " " : "",
		time ? "ms" : event->unit);
	papi_escape_terminal(value);
	text_line(out, slice, width, event->name, event->error ? "not counted" : value);
	free(number);
	free(value);
}

/* ---- For programs ---- */

static void json_event(FILE *out, const struct run_slice *slice, const struct run_event *event,
	const struct run_reading *reading, const struct run_result *result)
{
	double rate = rate_of(reading, slice, result);

	fprintf(out, "{\"begin_s\": %.9f, \"end_s\": %.9f, \"event\": ", (double)slice->begin_ns / 1e9,
		(double)slice->end_ns / 1e9);
	papi_escape_json(out, event->name);
	if (event->error) {
		fputs(", \"count\": null, \"unit\": ", out);
		papi_escape_json(out, event->unit);
		fputs(", \"share\": null, \"rate\": null, \"kind\": null}\n", out);
		return;
	}
	fprintf(out, ", \"count\": %lld, \"unit\": ", reading->count);
	papi_escape_json(out, event->unit);
	fprintf(out, ", \"share\": %.9g, ", share_of(reading));
	fprintf(out, isfinite(rate) ? "\"rate\": %.9g, " : "\"rate\": null, ", rate);
	fputs("\"kind\": ", out);
	papi_escape_json(out, kind_of(event, reading, result));
	fputs("}\n", out);
}

static void json_metric(FILE *out, const struct run_slice *slice, const struct run_group *group,
	const PAPI_metric_info_t *metric, double value)
{
	fprintf(out, "{\"begin_s\": %.9f, \"end_s\": %.9f, \"group\": ", (double)slice->begin_ns / 1e9,
		(double)slice->end_ns / 1e9);
	papi_escape_json(out, group->name);
	fputs(", \"metric\": ", out);
	papi_escape_json(out, metric->name);
	fprintf(out, isfinite(value) ? ", \"value\": %.9g" : ", \"value\": null", value);
	fputs(", \"unit\": ", out);
	papi_escape_json(out, strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
	fputs("}\n", out);
}

/* The columns are those of the report, behind the two of the time. */
static void csv_event(FILE *out, const struct run_slice *slice, const struct run_event *event,
	const struct run_reading *reading, const struct run_result *result)
{
	double rate = rate_of(reading, slice, result);

	fprintf(out, "%.9f,%.9f,", (double)slice->begin_ns / 1e9, (double)slice->end_ns / 1e9);
	papi_run_data_csv_string(out, event->name);
	if (event->error) {
		fputs(",,", out);
		papi_run_data_csv_string(out, event->unit);
		fputs(",,,,,,,,", out);
		papi_run_data_csv_string(out, event->error);
		fputs(",,\n", out);
		return;
	}
	fprintf(out, ",%lld,", reading->count);
	papi_run_data_csv_string(out, event->unit);
	fprintf(out, ",%.9g,", share_of(reading));
	if (isfinite(rate))
		fprintf(out, "%.9g", rate);
	fprintf(out, ",%s,,%lld,%lld,,,,\n", kind_of(event, reading, result), reading->enabled_ns, reading->running_ns);
}

static void csv_metric(FILE *out, const struct run_slice *slice, const struct run_group *group,
	const PAPI_metric_info_t *metric, double value)
{
	fprintf(out, "%.9f,%.9f,%s:%s,", (double)slice->begin_ns / 1e9, (double)slice->end_ns / 1e9, group->name,
		metric->name);
	if (isfinite(value))
		fprintf(out, "%.9g", value);
	fprintf(out, ",%s,,,,,,,,,,\n", strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
}

/* ---- All of them ---- */

static void write_event(struct run_intervals_out *to, FILE *out, const struct run_list *list,
	const struct run_result *result, const struct run_slice *slice, size_t number)
{
	const struct run_event *event = &list->events[number];
	const struct run_reading *reading = &slice->counts[number];

	if (to->format == RUN_FORMAT_JSON)
		json_event(out, slice, event, reading, result);
	else if (to->format == RUN_FORMAT_CSV)
		csv_event(out, slice, event, reading, result);
	else
		text_event(out, slice, name_width(list), event, reading);
}

static void write_group(struct run_intervals_out *to, FILE *out, const struct run_list *list,
	const struct run_result *result, const struct run_slice *slice, const struct run_group *group)
{
	double *values = values_of(list, result, group, slice);
	PAPI_metric_info_t metric;
	char value[64];

	for (int i = 0; i < group->metrics; i++) {
		if (PAPI_metric_info(group->number, i, &metric) != PAPI_OK || *metric.why)
			continue;
		if (to->format == RUN_FORMAT_JSON) {
			json_metric(out, slice, group, &metric, values[i]);
		} else if (to->format == RUN_FORMAT_CSV) {
			csv_metric(out, slice, group, &metric, values[i]);
		} else {
			PAPI_metric_text(group->number, i, values[i], value, sizeof(value));
			text_line(out, slice, name_width(list), metric.name, value);
		}
	}
	free(values);
}

/* In one piece. After a failure nothing more is tried. */
static void hand_on(struct run_intervals_out *to, FILE *out, char **text, size_t *length)
{
	if (fclose(out) != 0)
		to->error = errno;
	if (!to->error && to->descriptor >= 0)
		to->error = papi_run_report_write_all(to->descriptor, *text, *length);
	free(*text);
}

void papi_run_intervals_write_head(struct run_intervals_out *to, const struct run_list *list)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out) {
		to->error = errno;
		return;
	}
	if (to->format == RUN_FORMAT_CSV)
		fputs("begin_s,end_s," RUN_CSV_COLUMNS "\n", out);
	else if (to->format == RUN_FORMAT_TEXT)
		text_head(out, papi_terminal_has_colours(to->descriptor), list);
	hand_on(to, out, &text, &length);
}

void papi_run_intervals_write(struct run_intervals_out *to, const struct run_list *list,
	const struct run_result *result, const struct run_slice *slice)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = to->error ? NULL : open_memstream(&text, &length);

	if (!out)
		return;
	if (to->format == RUN_FORMAT_TEXT && slice->begin_ns > 0 && list->number > 1)
		fputc('\n', out);
	for (size_t i = 0; i < list->number; i++)
		write_event(to, out, list, result, slice, i);
	for (size_t i = 0; i < list->n_groups; i++)
		write_group(to, out, list, result, slice, &list->groups[i]);
	hand_on(to, out, &text, &length);
}

/* ---- The report ---- */

/* As one line: what is between its lines is blanks, for JSON has no line ends in strings. */
static void fold_json(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text != '\n') {
			fputc(*text, out);
			continue;
		}
		while (text[1] == ' ')
			text++;
	}
	fputc('\n', out);
}

/* Its rows are those of no interval, or of no task; what stands before them is empty. */
static void fold_csv(FILE *out, const char *text, const char *before)
{
	bool quoted = false, begins = true;

	for (text = strchr(text, '\n') + 1; *text; text++) {
		if (begins)
			fputs(before, out);
		fputc(*text, out);
		quoted ^= *text == '"';
		begins = *text == '\n' && !quoted;
	}
}

void papi_run_intervals_fold(FILE *out, const struct run_list *list, const struct run_result *result,
	enum run_format format, const char *text)
{
	if (format == RUN_FORMAT_JSON && papi_run_intervals_wanted()) {
		fold_json(out, text);
	} else if (format == RUN_FORMAT_CSV && papi_run_intervals_wanted()) {
		fold_csv(out, text, ",,");
	} else if (format == RUN_FORMAT_CSV) {
		fputs("pid,tid,name," RUN_CSV_COLUMNS "\n", out);
		papi_run_tasks_csv(out, list, &result->tasks);
		fold_csv(out, text, ",,,");
	} else {
		fputs(text, out);
	}
}
