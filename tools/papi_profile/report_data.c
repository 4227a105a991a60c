/* SPDX-License-Identifier: BSD-3-Clause */
/* report_data.c - the report for programs: JSON, and comma-separated values (RFC 4180). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "report.h"

/* ---- JSON ---- */

static void put_member(const char *name, const char *text)
{
	printf("\"%s\": ", name);
	if (text)
		papi_escape_json(stdout, text);
	else
		printf("null");
}

static void put_run(const struct papi_profile_run *run)
{
	printf("  \"run\": {");
	put_member("command", run->command);
	printf(", ");
	put_member("directory", run->directory);
	printf(", ");
	put_member("started", run->started);
	printf(", \"seconds\": %.6f, ", isfinite(run->seconds) ? run->seconds : 0);
	put_member("source", run->source);
	printf(", \"lost\": %" PRId64 "},\n", run->lost);
}

static void put_events(const struct report *report)
{
	printf("  \"events\": [");
	for (size_t i = 0; i < report->view.n_events; i++) {
		const struct papi_profile_event *event = &report->view.profile->events.items[report->view.events[i]];

		printf("%s\n    {", i ? "," : "");
		put_member("name", event->name);
		printf(", ");
		put_member("unit", event->unit);
		printf(", ");
		put_member("kind", event->kind);
		printf(", \"samples\": %" PRId64 ", \"value\": %" PRId64 ", ", event->samples, event->value);
		put_member("note", event->note);
		putchar('}');
	}
	printf("\n  ],\n");
}

static void put_values(const struct report *report, const struct papi_profile_row *row)
{
	printf(", \"values\": [");
	for (size_t i = 0; i < report->view.n_events; i++) {
		uint32_t event = report->view.events[i];
		const struct papi_profile_sum *sum = &row->sums[event];

		printf("%s{\"samples\": %" PRId64 ", \"value\": %" PRId64 ", \"error\": %.6g", i ? ", " : "",
			sum->samples, sum->value, view_error(&report->view, event, sum->samples, sum->value));
		if (report->inclusive)
			printf(", \"inclusive_samples\": %" PRId64 ", \"inclusive_value\": %" PRId64
			       ", \"inclusive_error\": %.6g",
				sum->inclusive_samples, sum->inclusive_value,
				view_error(&report->view, event, sum->inclusive_samples, sum->inclusive_value));
		putchar('}');
	}
	putchar(']');
}

static void put_ratios(const struct report *report, const struct papi_profile_row *row)
{
	printf(", \"ratios\": [");
	for (size_t i = 0; i < report->n_ratios; i++) {
		double error, value = report_ratio(report, row, &report->ratios[i], &error);

		printf("%s{", i ? ", " : "");
		put_member("name", report->ratios[i].name);
		if (isnan(value))
			printf(", \"value\": null, \"error\": null}");
		else
			printf(", \"value\": %.9g, \"error\": %.6g}", value, error);
	}
	putchar(']');
}

static void put_row(const struct report *report, const struct papi_profile_row *row)
{
	const struct papi_profile *profile = report->view.profile;
	char *label = report_label(report, row);

	printf("{");
	put_member("name", label);
	if (row->function != PAPI_PROFILE_NONE) {
		const struct papi_profile_function *function = &profile->functions.items[row->function];

		printf(", ");
		put_member("linkage", function->linkage);
		printf(", ");
		put_member("file", function->file);
		printf(", \"line\": %d", function->line);
	} else if (row->file) {
		printf(", ");
		put_member("file", row->file);
		if (row->line)
			printf(", \"line\": %d", row->line);
	}
	if (row->module != PAPI_PROFILE_NONE) {
		printf(", ");
		put_member("module", profile->modules.items[row->module].path);
	}
	put_values(report, row);
	if (report->n_ratios)
		put_ratios(report, row);
	printf("}");
	free(label);
}

void report_print_json(const struct report *report)
{
	printf("{\n  \"schema\": 1,\n");
	put_run(&report->view.profile->run);
	printf("  ");
	put_member("by", report->by);
	printf(",\n");
	put_events(report);
	printf("  \"rows\": [");
	for (size_t i = 0; i < report->n_shown; i++) {
		printf("%s\n    ", i ? "," : "");
		put_row(report, &report->sums.rows[i]);
	}
	printf("\n  ]\n}\n");
}

/* ---- Comma-separated values ---- */

static void put_title(const char *event, const char *what)
{
	size_t length = strlen(event) + strlen(what) + 2;
	char *title = malloc(length);

	if (!title)
		return;
	snprintf(title, length, "%s %s", event, what);
	putchar(',');
	view_print_field(title);
	free(title);
}

static void put_titles(const struct report *report)
{
	static const char *const titles[] = { "samples", "value", "error", "inclusive samples", "inclusive value",
		"inclusive error" };

	view_print_field(report->by);
	printf(",\"module\",\"file\",\"line\"");
	for (size_t i = 0; i < report->view.n_events; i++)
		for (size_t j = 0; j < (report->inclusive ? 6 : 3); j++)
			put_title(report->view.profile->events.items[report->view.events[i]].name, titles[j]);
	for (size_t i = 0; i < report->n_ratios; i++) {
		put_title(report->ratios[i].name, "ratio");
		put_title(report->ratios[i].name, "error");
	}
	printf("\r\n");
}

static void put_place(const struct report *report, const struct papi_profile_row *row)
{
	const struct papi_profile *profile = report->view.profile;
	const struct papi_profile_function *function = row->function == PAPI_PROFILE_NONE
		? NULL
		: &profile->functions.items[row->function];
	const char *file = function ? function->file : row->file;
	int line = function ? function->line : row->line;
	char *label = report_label(report, row);

	view_print_field(label);
	putchar(',');
	view_print_field(row->module == PAPI_PROFILE_NONE ? "" : profile->modules.items[row->module].path);
	putchar(',');
	view_print_field(file ? file : "");
	putchar(',');
	if (line)
		printf("%d", line);
	free(label);
}

static void put_numbers(const struct report *report, const struct papi_profile_row *row)
{
	for (size_t i = 0; i < report->view.n_events; i++) {
		uint32_t event = report->view.events[i];
		const struct papi_profile_sum *sum = &row->sums[event];

		printf(",%" PRId64 ",%" PRId64 ",%.6g", sum->samples, sum->value,
			view_error(&report->view, event, sum->samples, sum->value));
		if (report->inclusive)
			printf(",%" PRId64 ",%" PRId64 ",%.6g", sum->inclusive_samples, sum->inclusive_value,
				view_error(&report->view, event, sum->inclusive_samples, sum->inclusive_value));
	}
	for (size_t i = 0; i < report->n_ratios; i++) {
		double error, value = report_ratio(report, row, &report->ratios[i], &error);

		if (isnan(value))
			printf(",,");
		else
			printf(",%.9g,%.6g", value, error);
	}
}

void report_print_csv(const struct report *report)
{
	put_titles(report);
	for (size_t i = 0; i < report->n_shown; i++) {
		put_place(report, &report->sums.rows[i]);
		put_numbers(report, &report->sums.rows[i]);
		printf("\r\n");
	}
}
