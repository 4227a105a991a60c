/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_data.c - the report for programs: JSON and CSV. The man page lists the keys and columns; they only ever
 * grow.
 */
#include <math.h>
#include <string.h>

#include "common.h"
#include "escape.h"
#include "papi_run.h"

static void json_string_or_null(FILE *out, const char *key, const char *string)
{
	fprintf(out, "\"%s\": ", key);
	if (string)
		papi_escape_json(out, string);
	else
		fputs("null", out);
}

/* A key with a number; JSON has no infinity and no NaN. */
static void json_number(FILE *out, const char *key, double value, bool known)
{
	if (known && isfinite(value))
		fprintf(out, "\"%s\": %.9g", key, value);
	else
		fprintf(out, "\"%s\": null", key);
}

static void json_integer(FILE *out, const char *key, long long value, bool known)
{
	if (known)
		fprintf(out, "\"%s\": %lld", key, value);
	else
		fprintf(out, "\"%s\": null", key);
}

/* A whole number stays one, however large; the mean of several runs gets its fraction. */
static void print_count(FILE *out, const struct run_event *event, size_t runs)
{
	if (runs == 1)
		fprintf(out, "%lld", event->counts[0]);
	else
		fprintf(out, "%.3f", papi_run_report_mean(event->counts, runs));
}

static const char *domain_of(const struct run_event *event)
{
	return event->user_only ? "user" : "user+kernel";
}

static bool has_interval(const struct run_event *event)
{
	return !event->error && event->is_virtual && strcmp(event->kind, "estimated") == 0;
}

static double mean_seconds(const long long *values, const struct run_result *result)
{
	return papi_run_report_mean(values, result->runs) / 1e9;
}

static void json_event(FILE *out, const struct run_event *event, const struct run_result *result)
{
	bool counted = !event->error;

	fputs("    {", out);
	json_string_or_null(out, "name", event->name);
	fputs(", \"count\": ", out);
	if (counted)
		print_count(out, event, result->runs);
	else
		fputs("null", out);
	fputs(", ", out);
	json_string_or_null(out, "unit", event->unit);
	fputs(",\n     ", out);
	json_integer(out, "enabled_ns", event->enabled_ns, counted);
	fputs(", ", out);
	json_integer(out, "running_ns", event->running_ns, counted);
	fputs(", ", out);
	json_number(out, "share", counted ? papi_run_report_share(event) : 0, counted);
	fputs(", ", out);
	json_number(out, "rate", counted ? papi_run_report_rate(event, result) : 0, counted);
	fputs(",\n     ", out);
	json_string_or_null(out, "kind", counted ? papi_run_report_kind(event, result) : NULL);
	fputs(", ", out);
	json_number(out, "interval", papi_run_report_interval(event, result), has_interval(event));
	fputs(", ", out);
	json_string_or_null(out, "domain", counted ? domain_of(event) : NULL);
	fputs(", ", out);
	json_number(out, "rsd_percent", counted ? papi_run_report_deviation(event->counts, result->runs) : 0,
		counted && result->runs > 1);
	fputs(", \"counts\": [", out);
	for (size_t i = 0; counted && i < result->runs; i++)
		fprintf(out, "%s%lld", i ? ", " : "", event->counts[i]);
	fputs("],\n     ", out);
	json_string_or_null(out, "error", event->error);
	fprintf(out, ", \"partial\": %s}", papi_run_report_is_partial(event, result) ? "true" : "false");
}

static void json_notes(FILE *out, const struct run_list *list, const struct run_result *result)
{
	const char *const notes[] = { list->hardware_note, list->kernel_note, result->watch_note, result->tasks.note,
		result->passes_note, result->environment_note, result->roofline_note };
	const char *separator = "";

	fputs("  \"notes\": [", out);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (!notes[i])
			continue;
		fputs(separator, out);
		papi_escape_json(out, notes[i]);
		separator = ", ";
	}
	fputs("],\n", out);
}

void papi_run_data_json(FILE *out, const struct run_list *list, const struct run_result *result)
{
	bool child = !result->watched;
	char version[32];

	papi_tool_version(version, sizeof(version));
	fputs("{\n  ", out);
	json_string_or_null(out, "version", version);
	fputs(",\n  \"command\": [", out);
	for (size_t i = 0; result->command[i]; i++) {
		fputs(i ? ", " : "", out);
		papi_escape_json(out, result->command[i]);
	}
	fputs("],\n  ", out);
	json_integer(out, "pid", result->watched, !child);
	fprintf(out, ",\n  \"repeats\": %zu,\n  ", result->runs);
	json_integer(out, "exit_status", result->exit_status, child);
	fputs(",\n  ", out);
	json_integer(out, "signal", result->signal, result->signal != 0);
	fputs(",\n  ", out);
	json_number(out, "elapsed_s", mean_seconds(result->elapsed_ns, result), true);
	fputs(",\n  ", out);
	json_number(out, "elapsed_rsd_percent", papi_run_report_deviation(result->elapsed_ns, result->runs),
		result->runs > 1);
	fputs(",\n  ", out);
	json_number(out, "user_s", mean_seconds(result->user_ns, result), child);
	fputs(",\n  ", out);
	json_number(out, "system_s", mean_seconds(result->system_ns, result), child);
	fprintf(out, ",\n  \"slowed_by_counting\": %s", result->slowed ? "true" : "false");
	fputs(",\n", out);
	json_notes(out, list, result);
	papi_run_processes_json(out, &result->processes);
	papi_run_tasks_json(out, list, &result->tasks);
	papi_run_metrics_json(out, list);
	if (result->profiled)
		papi_run_profile_json(out);
	fputs("  \"events\": [\n", out);
	for (size_t i = 0; i < list->number; i++) {
		json_event(out, &list->events[i], result);
		fputs(i + 1 < list->number ? ",\n" : "\n", out);
	}
	fputs("  ]\n}\n", out);
}

/* A field of CSV (RFC 4180): in quotes where it must be, quotes inside doubled. */
void papi_run_data_csv_string(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_event(FILE *out, const struct run_event *event, const struct run_result *result)
{
	papi_run_data_csv_string(out, event->name);
	fputc(',', out);
	if (event->error) {
		fputc(',', out);
		papi_run_data_csv_string(out, event->unit);
		fputs(",,,,,,,,", out);
		papi_run_data_csv_string(out, event->error);
		fputs(",,", out);
	} else {
		double rate = papi_run_report_rate(event, result);

		print_count(out, event, result->runs);
		fputc(',', out);
		papi_run_data_csv_string(out, event->unit);
		fprintf(out, ",%.9g,", papi_run_report_share(event));
		if (isfinite(rate))
			fprintf(out, "%.9g", rate);
		fprintf(out, ",%s,%s,%lld,%lld,", papi_run_report_kind(event, result), domain_of(event),
			event->enabled_ns, event->running_ns);
		if (result->runs > 1)
			fprintf(out, "%.9g", papi_run_report_deviation(event->counts, result->runs));
		fprintf(out, ",,%s,", papi_run_report_is_partial(event, result) ? "partial" : "");
		if (has_interval(event))
			fprintf(out, "%.9g", papi_run_report_interval(event, result));
	}
	fputc('\n', out);
}

static void csv_time(
	FILE *out, const char *name, const long long *values, const char *kind, const struct run_result *result)
{
	fprintf(out, "%s,%.9g,s,,,%s,,,,", name, mean_seconds(values, result), result->slowed ? "slowed" : kind);
	if (result->runs > 1)
		fprintf(out, "%.9g", papi_run_report_deviation(values, result->runs));
	fputs(",,,\n", out);
}

void papi_run_data_csv(FILE *out, const struct run_list *list, const struct run_result *result)
{
	fputs(RUN_CSV_COLUMNS "\n", out);
	for (size_t i = 0; i < list->number; i++)
		csv_event(out, &list->events[i], result);
	papi_run_metrics_csv(out, list);
	csv_time(out, "elapsed", result->elapsed_ns, "exact", result);
	if (result->watched)
		return;
	/* The kernel divides CPU time by what its timer interrupts. */
	csv_time(out, "user", result->user_ns, "sampled", result);
	csv_time(out, "system", result->system_ns, "sampled", result);
	papi_run_processes_csv(out, &result->processes);
}
