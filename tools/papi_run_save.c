/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_save.c - the results of all runs in a file of their own: every count, what it is worth, and
 * all that may explain why the counts of another file are others.
 *
 * Numbers are integers, so that nothing is lost. FORMAT goes up when a reader of the one before would misunderstand.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "components/vpmu/agent.h"
#include "escape.h"
#include "papi_run.h"
#include "program.h"
#include "whole_file.h"

#define FORMAT 1

void papi_run_save_check(const char *path)
{
	char reason[PAPI_HUGE_STR_LEN];

	if (papi_whole_file_check(path, reason, sizeof(reason)))
		return;
	papi_run_message("--save: cannot write '%s': %s; the program was not run", path, reason);
	exit(PAPI_PROGRAM_FAILURE);
}

static void write_string(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\": ", key);
	if (text)
		papi_escape_json(out, text);
	else
		fputs("null", out);
}

static void write_list(FILE *out, const char *key, const long long *values, size_t number)
{
	fprintf(out, "\"%s\": [", key);
	for (size_t i = 0; i < number; i++)
		fprintf(out, "%s%lld", i ? ", " : "", values[i]);
	fputc(']', out);
}

static void write_head(FILE *out)
{
	char version[32], when[32];
	time_t now = time(NULL);
	struct tm utc;

	papi_tool_version(version, sizeof(version));
	fprintf(out, "{\n  \"papi_run_save\": %d,\n  \"papi_version\": \"%s\",\n", FORMAT, version);
	if (gmtime_r(&now, &utc) && strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc))
		fprintf(out, "  \"when\": \"%s\",\n", when);
}

static void write_machine(FILE *out)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	struct utsname system;

	fputs("  \"machine\": {\n    ", out);
	write_string(out, "cpu", hardware ? hardware->model_string : NULL);
	fputs(", ", out);
	write_string(out, "vendor", hardware ? hardware->vendor_string : NULL);
	if (hardware)
		fprintf(out, ",\n    \"family\": %d, \"model\": %d, \"stepping\": %d, \"cpus\": %d",
			hardware->cpuid_family, hardware->cpuid_model, hardware->cpuid_stepping, hardware->totalcpus);
	if (uname(&system) == 0) {
		fputs(",\n    ", out);
		write_string(out, "architecture", system.machine);
		fputs(", ", out);
		write_string(out, "system", system.sysname);
		fputs(", ", out);
		write_string(out, "kernel", system.release);
	}
	fputs("\n  },\n", out);
}

/* What the models of virtual events imitate; null where there are none. */
static void write_models(FILE *out, const struct run_list *list)
{
	bool any = false, sampled;
	char caches[512];

	for (size_t i = 0; i < list->number; i++)
		any |= list->events[i].is_virtual;
	fputs("  \"models\": ", out);
	if (any && papi_agent_geometry(caches, sizeof(caches), &sampled)) {
		fputs("{", out);
		write_string(out, "caches", caches);
		fprintf(out, ", \"sampled\": %s},\n", sampled ? "true" : "false");
	} else {
		fputs("null,\n", out);
	}
}

static void write_program(FILE *out, const struct run_result *result, const struct run_modules *modules)
{
	char *directory = getcwd(NULL, 0);

	fputs("  \"command\": [", out);
	for (size_t i = 0; result->command[i]; i++) {
		fputs(i ? ", " : "", out);
		papi_escape_json(out, result->command[i]);
	}
	fputs("],\n  ", out);
	write_string(out, "directory", directory);
	fprintf(out, ",\n  \"reproducible\": %s,\n  \"environment\": ", papi_run_is_reproducible() ? "true" : "false");
	papi_run_environment_json(out);
	fputs(",\n", out);
	papi_run_modules_json(out, modules);
	free(directory);
}

static void write_runs(FILE *out, const struct run_result *result)
{
	fprintf(out, "  \"repeats\": %zu,\n  \"exit_status\": %d,\n  \"signal\": ", result->runs, result->exit_status);
	if (result->signal)
		fprintf(out, "%d,\n  ", result->signal);
	else
		fputs("null,\n  ", out);
	write_list(out, "elapsed_ns", result->elapsed_ns, result->runs);
	fputs(",\n  ", out);
	write_list(out, "user_ns", result->user_ns, result->runs);
	fputs(",\n  ", out);
	write_list(out, "system_ns", result->system_ns, result->runs);
	fprintf(out, ",\n  \"slowed_by_counting\": %s,\n", result->slowed ? "true" : "false");
	papi_run_processes_json(out, &result->processes);
}

static void write_event(FILE *out, const struct run_event *event, const struct run_result *result)
{
	bool counted = !event->error;
	long long runs = result->runs ? (long long)result->runs : 1;

	fputs("    {", out);
	write_string(out, "name", event->name);
	fputs(", ", out);
	write_string(out, "unit", event->unit);
	fputs(", ", out);
	write_string(out, "kind", counted ? papi_run_report_kind(event, result) : NULL);
	fputs(",\n     ", out);
	write_list(out, "counts", event->counts, counted ? result->runs : 0);
	fprintf(out, ", \"interval\": %lld,\n     ", counted ? (event->interval + runs - 1) / runs : 0);
	write_string(out, "domain", counted ? event->user_only ? "user" : "user+kernel" : NULL);
	fprintf(out, ", \"virtual\": %s, \"rate\": %s, \"enabled_ns\": %lld, \"running_ns\": %lld,\n     ",
		event->is_virtual ? "true" : "false", event->is_rate ? "true" : "false", event->enabled_ns,
		event->running_ns);
	fprintf(out, "\"partial\": %s, ", papi_run_report_is_partial(event, result) ? "true" : "false");
	write_string(out, "error", event->error);
	fputc('}', out);
}

static void write_all(
	FILE *out, const struct run_list *list, const struct run_result *result, const struct run_modules *modules)
{
	write_head(out);
	write_machine(out);
	write_models(out, list);
	write_program(out, result, modules);
	write_runs(out, result);
	papi_run_metrics_json(out, list);
	fputs("  \"events\": [\n", out);
	for (size_t i = 0; i < list->number; i++) {
		write_event(out, &list->events[i], result);
		fputs(i + 1 < list->number ? ",\n" : "\n", out);
	}
	fputs("  ]\n}\n", out);
}

bool papi_run_save(const char *path, const struct run_list *list, const struct run_result *result,
	const struct run_modules *modules)
{
	char reason[PAPI_HUGE_STR_LEN];
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	bool saved = false;

	if (out) {
		write_all(out, list, result, modules);
		saved = fclose(out) == 0;
	}
	if (saved)
		saved = papi_whole_file_write(path, text, length, reason, sizeof(reason));
	else
		snprintf(reason, sizeof(reason), "%s", strerror(errno));
	if (!saved)
		papi_run_message("--save: cannot write '%s': %s; the program itself was not affected", path, reason);
	free(text);
	return saved;
}
