/* SPDX-License-Identifier: BSD-3-Clause */
/* diff_data.c - what two profiles differ in, for programs: JSON, and comma-separated values (RFC 4180). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "diff.h"
#include "escape.h"
#include "symbols/memory.h"

static const char *const sides[] = { "old", "new" };

/* ---- JSON ---- */

static void put_member(const char *name, const char *text)
{
	printf("\"%s\": ", name);
	if (text)
		papi_escape_json(stdout, text);
	else
		printf("null");
}

static void put_run(const struct view *view, const char *side)
{
	const struct papi_profile_run *run = &view->profile->run;

	printf("  \"%s\": {", side);
	put_member("file", view->profile->path);
	printf(", ");
	put_member("command", run->command);
	printf(", ");
	put_member("started", run->started);
	printf(", ");
	put_member("machine", run->machine);
	printf(", \"seconds\": %.6f, \"lost\": %" PRId64 "},\n", isfinite(run->seconds) ? run->seconds : 0, run->lost);
}

static void put_counts(const struct diff *diff, size_t event, const struct diff_count counts[DIFF_SIDES])
{
	struct diff_change change = diff_change(diff, event, counts);

	for (int side = 0; side < DIFF_SIDES; side++)
		printf("\"%s\": %" PRId64 ", \"%s_samples\": %" PRId64 ", ", sides[side], counts[side].value,
			sides[side], counts[side].samples);
	printf("\"difference\": %" PRId64 ", \"error\": %.6g, \"significant\": %s", change.by, change.error,
		change.significant ? "true" : "false");
}

static void put_row(const struct diff *diff, const struct diff_row *row)
{
	printf("{");
	put_member("name", row->name);
	printf(", ");
	put_member("linkage", row->linkage);
	printf(", ");
	put_member("module", row->module);
	printf(", ");
	put_member("file", row->file);
	printf(", \"line\": %d, \"in\": \"%s\", \"values\": [", row->line,
		!row->is_in[DIFF_OLD]          ? "new"
			: row->is_in[DIFF_NEW] ? "both"
					       : "old");
	for (size_t i = 0; i < diff->n_events; i++) {
		printf(i ? ", {" : "{");
		put_counts(diff, i, row->counts[i]);
		printf("}");
	}
	printf("]}");
}

void diff_print_json(const struct diff *diff, size_t n_shown)
{
	printf("{\n  \"schema\": 1,\n");
	for (int side = 0; side < DIFF_SIDES; side++)
		put_run(&diff->views[side], sides[side]);
	printf("  ");
	put_member("by", diff->by_name);
	printf(", \"inclusive\": %s,\n  \"events\": [", diff->inclusive ? "true" : "false");
	for (size_t i = 0; i < diff->n_events; i++) {
		const struct papi_profile_event *event =
			&diff->views[DIFF_NEW].profile->events.items[diff->events[i][DIFF_NEW]];
		struct diff_count totals[DIFF_SIDES];

		diff_totals(diff, i, totals);
		printf("%s\n    {", i ? "," : "");
		put_member("name", event->name);
		printf(", ");
		put_member("unit", event->unit);
		printf(", ");
		put_counts(diff, i, totals);
		printf("}");
	}
	printf("\n  ],\n  \"rows\": [");
	for (size_t i = 0; i < n_shown; i++) {
		printf("%s\n    ", i ? "," : "");
		put_row(diff, &diff->rows[i]);
	}
	printf("\n  ]\n}\n");
}

/* ---- Comma-separated values ---- */

static void put_titles(const struct diff *diff)
{
	static const char *const titles[] = { "old", "new", "difference", "error", "significant" };

	view_print_field(diff->by_name);
	printf(",\"module\",\"file\",\"line\",\"in\"");
	for (size_t i = 0; i < diff->n_events; i++)
		for (size_t j = 0; j < sizeof(titles) / sizeof(titles[0]); j++) {
			const struct papi_profile *profile = diff->views[DIFF_NEW].profile;
			char *title = papi_memory_print(
				"%s %s", profile->events.items[diff->events[i][DIFF_NEW]].name, titles[j]);

			putchar(',');
			view_print_field(title);
			free(title);
		}
	printf("\r\n");
}

void diff_print_csv(const struct diff *diff, size_t n_shown)
{
	put_titles(diff);
	for (size_t i = 0; i < n_shown; i++) {
		const struct diff_row *row = &diff->rows[i];

		view_print_field(row->name);
		putchar(',');
		view_print_field(row->module ? row->module : "");
		putchar(',');
		view_print_field(row->file ? row->file : "");
		putchar(',');
		if (row->line)
			printf("%d", row->line);
		printf(",%s", !row->is_in[DIFF_OLD] ? "new" : row->is_in[DIFF_NEW] ? "both" : "old");
		for (size_t j = 0; j < diff->n_events; j++) {
			struct diff_change change = diff_change(diff, j, row->counts[j]);

			printf(",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.6g,%d", row->counts[j][DIFF_OLD].value,
				row->counts[j][DIFF_NEW].value, change.by, change.error, change.significant);
		}
		printf("\r\n");
	}
}
