/* SPDX-License-Identifier: BSD-3-Clause */
/* report_json.c - what was counted, for programs: a JSON object, with --interval one for each, a line each. */
#include <inttypes.h>

#include "escape.h"
#include "papi_probe.h"

static void print_seconds(FILE *file, const char *key, double ticks, double rate, bool known)
{
	fprintf(file, ", \"%s\": ", key);
	if (known)
		fprintf(file, "%.12f", ticks / rate);
	else
		fputs("null", file);
}

static void print_translated(FILE *file, const struct papi_probe_value *value, bool known)
{
	if (known)
		fprintf(file, ": {\"inclusive\": %" PRIu64, value->inclusive);
	else
		fputs(": {\"inclusive\": null", file);
	fprintf(file, ", \"exclusive\": %" PRIu64 ", \"least\": null, \"mean\": null, \"most\": null}",
		value->exclusive);
}

static void print_events(FILE *file, const struct probe_options *options, const struct papi_probe_counts *counts)
{
	const uint64_t returns = counts->returns - counts->unread;

	fputs(", \"events\": {", file);
	for (size_t i = 0; i < options->n_events; i++) {
		const struct papi_probe_value *value = &counts->values[1 + i];

		fputs(i ? ", " : "", file);
		papi_escape_json(file, options->events[i].name);
		if (options->way == PROBE_TRANSLATE)
			print_translated(file, value, returns > 0);
		else if (returns)
			fprintf(file,
				": {\"inclusive\": %" PRIu64 ", \"exclusive\": %" PRIu64 ", \"least\": %" PRIu64
				", \"mean\": %.3f, \"most\": %" PRIu64 "}",
				value->inclusive, value->exclusive, value->least, (double)value->sum / (double)returns,
				value->most);
		else
			fputs(": null", file);
	}
	fputc('}', file);
}

static void print_counts(FILE *file, const struct probe_options *options, const struct probe_session *session,
	const struct papi_probe_counts *counts)
{
	const struct papi_probe_value *time = &counts->values[0];
	const double rate = session->ticks_per_second;
	const bool timed = options->way != PROBE_TRANSLATE, known = timed && counts->returns > 0;

	fprintf(file,
		"\"calls\": %" PRIu64 ", \"timed\": %" PRIu64 ", \"left\": %" PRIu64 ", \"untimed\": %" PRIu64
		", \"unread\": %" PRIu64,
		counts->calls, timed ? counts->returns : 0, counts->left, counts->untimed, counts->unread);
	print_seconds(file, "inclusive_s", (double)time->inclusive, rate, known);
	print_seconds(file, "exclusive_s", (double)time->exclusive, rate, known);
	print_seconds(file, "least_s", (double)time->least, rate, known);
	print_seconds(file, "mean_s", known ? (double)time->sum / (double)counts->returns : 0, rate, known);
	print_seconds(file, "most_s", (double)time->most, rate, known);
	print_events(file, options, counts);
}

static void print_threads(FILE *file, const struct probe_options *options, const struct probe_session *session,
	const struct papi_probe_counts rows[], uint32_t n)
{
	const char *comma = "";

	fputs(", \"threads\": [", file);
	for (uint32_t row = 0; row < n; row++) {
		const struct papi_probe_row *whose = &session->table->rows[row];
		struct probe_sum sum;

		probe_report_sum(session, &rows[row], 1, &sum);
		if (!sum.counts.calls)
			continue;
		fprintf(file, "%s{\"pid\": %d, \"tid\": %d, \"shared\": %u, ", comma,
			(int)probe_report_process(session, whose), (int)whose->tid, (unsigned)whose->shared);
		print_counts(file, options, session, &sum.counts);
		fputc('}', file);
		comma = ", ";
	}
	fputc(']', file);
}

static void print_function(FILE *file, const struct probe_options *options, const struct probe_session *session,
	const struct probe_function *function, bool first)
{
	struct papi_probe_counts rows[PAPI_PROBE_ROWS];
	struct probe_sum sum;
	uint32_t n;

	fputs(first ? "{\"name\": " : ", {\"name\": ", file);
	papi_escape_json(file, function->name);
	fputs(", \"linkage\": ", file);
	papi_escape_json(file, function->linkage);
	fputs(", \"module\": ", file);
	papi_escape_json(file, session->list.modules[function->module].path);
	if (!function->probed) {
		const char *refusal = probe_functions_refusal(function, options->way);

		fputs(", \"way\": null, \"reason\": ", file);
		papi_escape_json(file, refusal ? refusal : "a jump could not be written there");
		fputc('}', file);
		return;
	}
	fprintf(file, ", \"way\": \"%s\", \"reason\": null, ", probe_way_name(options->way));
	n = probe_report_look(session, function->number, rows);
	probe_report_sum(session, rows, n, &sum);
	print_counts(file, options, session, &sum.counts);
	print_threads(file, options, session, rows, n);
	fputc('}', file);
}

void probe_report_json(const struct probe_options *options, const struct probe_session *session)
{
	FILE *file = options->file;
	const char *comma = "";

	fprintf(file, "{\"version\": 1, \"pid\": %d, \"command\": [", (int)session->pid);
	for (char **word = options->command; word && *word; word++) {
		fputs(comma, file);
		papi_escape_json(file, *word);
		comma = ", ";
	}
	fprintf(file, "], \"seconds\": %.6f, \"calls_only\": %s, \"unseen\": %" PRIu64 ", \"functions\": [",
		session->seconds, options->calls ? "true" : "false", (uint64_t)session->table->unseen);
	for (size_t i = 0; i < session->list.n_functions; i++)
		print_function(file, options, session, &session->list.functions[i], i == 0);
	fputs("], ", file);
	probe_list_print_inlined_json(file, &session->list);
	fputs("}\n", file);
}
