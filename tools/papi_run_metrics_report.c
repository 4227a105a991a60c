/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_run_metrics_report.c - metrics as a table for people, as JSON and as CSV; what stands out; which groups are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi_run.h"
#include "terminal.h"
#include "text.h"

/* As many sentences as one reads. */
#define MOST_FINDINGS 3

/* One rule that holds. */
struct finding {
	double beyond;
	char sentence[PAPI_HUGE_STR_LEN];
};

/* ---- The table ---- */

struct widths {
	size_t name, value, worth;
};

static size_t larger(size_t one, size_t other)
{
	return one > other ? one : other;
}

/* "modelled", "exact, 2 runs": to be freed. */
static char *worth_of(const struct run_metric *metric)
{
	char runs[32] = "";

	if (!isfinite(metric->value))
		return papi_run_format("%s", "");
	if (metric->passes > 1)
		snprintf(runs, sizeof(runs), ", %zu runs", metric->passes);
	return papi_run_format("%s%s%s", metric->worth, metric->partial ? ", partial" : "", runs);
}

static struct widths measure(const struct run_list *list)
{
	struct widths widths = { strlen("Metric"), strlen("Value"), strlen("Worth") };

	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++) {
			const struct run_metric *metric = &list->groups[i].results[j];
			char *worth = worth_of(metric);

			if (metric->possible) {
				widths.name = larger(widths.name, strlen(metric->name));
				widths.value = larger(widths.value, strlen(metric->text));
				widths.worth = larger(widths.worth, strlen(worth));
			}
			free(worth);
		}
	return widths;
}

/* A text that may have come from the user's file, and what pads it. */
static void print_title(FILE *out, const struct run_metric *metric, const struct run_result *result)
{
	char *title = papi_run_format("%s", metric->title);

	papi_escape_terminal(title);
	if (result->runs > 1 && isfinite(metric->deviation) && isfinite(metric->value))
		fprintf(out, "+- %.2f%%", metric->deviation);
	else if (result->runs == 1)
		fputs(title, out);
	fputc('\n', out);
	free(title);
}

static void print_metric(FILE *out, bool coloured, const struct run_metric *metric, const struct widths *widths,
	const struct run_result *result)
{
	char *worth = worth_of(metric);
	bool none = !isfinite(metric->value);

	fprintf(out, "%-*s  %*s", (int)widths->name, metric->name, (int)(widths->value - strlen(metric->text)), "");
	papi_terminal_print(out, coloured && none, PAPI_COLOUR_ERROR, metric->text);
	fputs("  ", out);
	papi_terminal_print(out, coloured && strcmp(worth, "exact") != 0, PAPI_COLOUR_DOUBT, worth);
	fprintf(out, "%*s  ", (int)(widths->worth - strlen(worth)), "");
	print_title(out, metric, result);
	free(worth);
}

/* "not here: retiring, frontend_bound; papi_run --list-groups says why" */
static void print_impossible(FILE *out, const struct run_list *list)
{
	char *names = NULL;

	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++) {
			const struct run_metric *metric = &list->groups[i].results[j];
			char *before = names;

			if (metric->possible)
				continue;
			names = papi_run_format("%s%s%s", before ? before : "", before ? ", " : "", metric->name);
			free(before);
		}
	if (names) {
		char *text = papi_run_format("%s; papi_run --list-groups says why", names);

		fputc('\n', out);
		papi_text_wrap(out, "not here:", 10, text);
		free(text);
	}
	free(names);
}

/* Why metrics that could be counted have no value. */
static void print_reasons(FILE *out, const struct run_list *list)
{
	bool any = false;

	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++) {
			const struct run_metric *metric = &list->groups[i].results[j];
			char *text;

			if (!metric->possible || isfinite(metric->value))
				continue;
			text = papi_run_format("%s: %s", metric->name, metric->why);
			papi_escape_terminal(text);
			if (!any)
				fputc('\n', out);
			any = true;
			papi_text_wrap(out, "n/a:", 5, text);
			free(text);
		}
}

void papi_run_metrics_text(FILE *out, bool coloured, const struct run_list *list, const struct run_result *result)
{
	const struct widths widths = measure(list);
	char *head;

	if (!list->n_groups)
		return;
	head = papi_run_format("%-*s  %*s  %-*s  %s", (int)widths.name, "Metric", (int)widths.value, "Value",
		(int)widths.worth, "Worth", result->runs > 1 ? "Deviation" : "What it is");
	fputc('\n', out);
	papi_terminal_print(out, coloured, PAPI_COLOUR_TITLE, head);
	fputc('\n', out);
	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++)
			if (list->groups[i].results[j].possible)
				print_metric(out, coloured, &list->groups[i].results[j], &widths, result);
	print_reasons(out, list);
	print_impossible(out, list);
	free(head);
}

/* ---- What stands out ---- */

static int by_beyond(const void *one, const void *other)
{
	double difference = ((const struct finding *)other)->beyond - ((const struct finding *)one)->beyond;

	return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/* All that hold, those first that stand out most. Gives how many rules were asked. */
static size_t find(const struct run_list *list, struct finding **findings, size_t *number)
{
	size_t rules = 0;

	*findings = NULL;
	*number = 0;
	for (size_t i = 0; i < list->n_groups; i++) {
		const struct run_group *group = &list->groups[i];
		PAPI_metric_group_info_t info;

		if (PAPI_metric_group_info(group->number, &info) != PAPI_OK)
			continue;
		rules += (size_t)info.rules;
		for (int rule = 0; rule < info.rules; rule++) {
			struct finding *finding;

			*findings = papi_run_allocate(*findings, *number + 1, sizeof(**findings));
			finding = &(*findings)[*number];
			if (PAPI_metric_finding(group->number, rule, group->values, &finding->beyond, finding->sentence,
				    sizeof(finding->sentence)) == PAPI_OK &&
				finding->beyond > 0)
				++*number;
		}
	}
	if (*number)
		qsort(*findings, *number, sizeof(**findings), by_beyond);
	return rules;
}

void papi_run_metrics_explain(FILE *out, const struct run_list *list)
{
	struct finding *findings;
	size_t number, rules = find(list, &findings, &number);

	fputc('\n', out);
	if (!number) {
		char *text = papi_run_format(
			"Nothing stands out: no value is beyond the threshold of one of the %zu rules of %s.", rules,
			list->n_groups == 1 ? "this group" : "these groups");

		papi_text_wrap(out, "", 0, text);
		free(text);
	}
	for (size_t i = 0; i < number && i < MOST_FINDINGS; i++) {
		papi_escape_terminal(findings[i].sentence);
		papi_text_wrap(out, "-", 2, findings[i].sentence);
	}
	free(findings);
}

/* ---- For programs ---- */

static void json_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\": ", key);
	if (text)
		papi_escape_json(out, text);
	else
		fputs("null", out);
}

static void json_number(FILE *out, const char *key, double value)
{
	if (isfinite(value))
		fprintf(out, "\"%s\": %.9g", key, value);
	else
		fprintf(out, "\"%s\": null", key);
}

static void json_metric(FILE *out, const struct run_group *group, const struct run_metric *metric)
{
	bool none = !isfinite(metric->value);

	fputs("    {", out);
	json_text(out, "group", group->name);
	fputs(", ", out);
	json_text(out, "name", metric->name);
	fputs(", ", out);
	json_number(out, "value", metric->value);
	fputs(", ", out);
	json_text(out, "unit", metric->unit);
	fputs(", ", out);
	json_text(out, "kind", none ? NULL : metric->worth);
	fprintf(out, ", \"partial\": %s,\n     ", metric->partial ? "true" : "false");
	json_number(out, "rsd_percent", metric->deviation);
	fprintf(out, ", \"passes\": %zu, ", metric->passes);
	json_text(out, "description", metric->description);
	fputs(", ", out);
	json_text(out, "error", none ? metric->why : NULL);
	fputc('}', out);
}

void papi_run_metrics_json(FILE *out, const struct run_list *list)
{
	struct finding *findings;
	const char *separator = "\n";
	size_t number;

	fputs("  \"metrics\": [", out);
	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++) {
			fputs(separator, out);
			separator = ",\n";
			json_metric(out, &list->groups[i], &list->groups[i].results[j]);
		}
	fputs(list->n_groups ? "\n  ],\n  \"findings\": [" : "],\n  \"findings\": [", out);
	find(list, &findings, &number);
	for (size_t i = 0; i < number; i++) {
		fputs(i ? ", " : "", out);
		papi_escape_json(out, findings[i].sentence);
	}
	fputs("],\n", out);
	free(findings);
}

void papi_run_metrics_csv(FILE *out, const struct run_list *list)
{
	for (size_t i = 0; i < list->n_groups; i++)
		for (int j = 0; j < list->groups[i].metrics; j++) {
			const struct run_metric *metric = &list->groups[i].results[j];
			bool none = !isfinite(metric->value);

			fprintf(out, "%s:%s,", list->groups[i].name, metric->name);
			if (!none)
				fprintf(out, "%.9g", metric->value);
			fprintf(out, ",%s,,,%s,,,,", metric->unit, none ? "" : metric->worth);
			if (isfinite(metric->deviation))
				fprintf(out, "%.9g", metric->deviation);
			fputc(',', out);
			if (none)
				papi_run_data_csv_string(out, metric->why);
			fprintf(out, ",%s,\n", metric->partial ? "partial" : "");
		}
}

/* ---- What there is ---- */

static void list_metric(int group, int number)
{
	PAPI_metric_info_t metric;
	char *text, first[PAPI_MIN_STR_LEN + 8];

	if (PAPI_metric_info(group, number, &metric) != PAPI_OK)
		return;
	if (*metric.why)
		text = papi_run_format("not here: %s", metric.why);
	else
		text = papi_run_format("%s (%s, %s): %s = %s", metric.short_descr,
			strcmp(metric.unit, "1") == 0 ? "a number" : metric.unit, metric.worth, metric.formula,
			metric.terms);
	papi_escape_terminal(text);
	snprintf(first, sizeof(first), "  %s", metric.name);
	papi_terminal_line(first, 28, text);
	free(text);
}

void papi_run_metrics_list(const struct run_list *list)
{
	PAPI_metric_group_info_t info;

	for (size_t i = 0; i < list->n_groups; i++) {
		char *text;

		if (PAPI_metric_group_info(list->groups[i].number, &info) != PAPI_OK)
			continue;
		text = papi_run_format("%s", info.description);
		papi_escape_terminal(text);
		papi_terminal_line(info.name, (int)strlen(info.name) + 2, text);
		for (int j = 0; j < info.metrics; j++)
			list_metric(list->groups[i].number, j);
		free(text);
	}
}
