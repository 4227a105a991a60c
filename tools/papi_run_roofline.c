/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_roofline.c - the program under the roofs of this machine (--roofline).
 *
 * What it does is counted as group roofline. How long it takes is the elapsed time; where events are counted by
 * translation, that of one more run, in which nothing is counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papi_roofline/picture.h"
#include "papi_run.h"
#include "program.h"

#define GROUP   "roofline"
#define AT_WORK 1.1 /* CPUs: with more, the roofs are those of all */

static const struct papi_roofline *peaks;

static void __attribute__((noreturn)) give_up(const char *path, const char *reason)
{
	papi_run_message("--roofline %s: %s; the program was not run", path, reason);
	exit(PAPI_PROGRAM_FAILURE);
}

void papi_run_roofline_parse(struct run_list *list, const char *path)
{
	char reason[PAPI_HUGE_STR_LEN];

	if (!papi_roofline_check_file(path, reason, sizeof(reason)))
		give_up(path, reason);
	papi_run_metrics_parse(list, GROUP);
}

static const struct run_group *find_group(const struct run_list *list)
{
	for (size_t i = 0; i < list->n_groups; i++)
		if (strcmp(list->groups[i].name, GROUP) == 0)
			return &list->groups[i];
	return NULL;
}

void papi_run_roofline_prepare(const struct run_list *list, const char *path)
{
	const struct run_group *group = find_group(list);
	char reason[2 * PAPI_HUGE_STR_LEN];
	PAPI_metric_info_t metric;

	/* Without the library there is none, and that has been told. */
	if (group && (PAPI_metric_info(group->number, 0, &metric) != PAPI_OK || *metric.why)) {
		snprintf(reason, sizeof(reason), "no floating-point operations can be counted here: %s", metric.why);
		give_up(path, reason);
	}
	peaks = papi_roofline_peaks(papi_run_tool.name);
	if (!peaks)
		give_up(path, "there are no roofs to draw");
}

static const struct run_metric *find_metric(const struct run_group *group, const char *name)
{
	for (int i = 0; group && i < group->metrics; i++)
		if (group->results[i].name && strcmp(group->results[i].name, name) == 0)
			return &group->results[i];
	return NULL;
}

static double value_of(const struct run_group *group, const char *name, const char **worth)
{
	const struct run_metric *metric = find_metric(group, name);

	if (!metric || !metric->possible || isnan(metric->value))
		return (double)NAN;
	if (worth)
		*worth = metric->partial ? "partial" : metric->worth;
	return metric->value;
}

/* Nanoseconds of the mean of all runs: elapsed, and on CPUs. */
static void take_times(const struct run_result *result, double *elapsed, double *busy)
{
	if (result->alone_ns) {
		*elapsed = (double)result->alone_ns / (double)result->alone_runs;
		*busy = (double)result->alone_cpu_ns / (double)result->alone_runs;
		return;
	}
	*elapsed = papi_run_report_mean(result->elapsed_ns, result->runs);
	*busy = papi_run_report_mean(result->user_ns, result->runs) +
		papi_run_report_mean(result->system_ns, result->runs);
}

static char *join_words(char *const *words)
{
	char *text = papi_run_format("%s", "");

	for (size_t i = 0; words[i]; i++) {
		char *longer = papi_run_format("%s%s%s", text, i ? " " : "", words[i]);

		free(text);
		text = longer;
	}
	return text;
}

static void fill(struct papi_roofline_point *point, const struct run_group *group)
{
	static const char *const below[] = { "bytes_below_l1", "bytes_below_l2", "bytes_below_l3" };

	point->worth[0] = point->worth[1] = "n/a";
	point->operations = value_of(group, "operations", &point->worth[0]);
	point->single = value_of(group, "single_operations", NULL);
	for (size_t i = 0; i < PAPI_ROOFLINE_LEVELS; i++)
		point->below[i] = value_of(group, below[i], &point->worth[1]);
}

bool papi_run_roofline_draw(const char *path, const struct run_list *list, struct run_result *result)
{
	struct papi_roofline_point point = { .name = result->command[0] };
	struct papi_roofline_picture picture = { .peaks = peaks, .points = &point, .n = 1 };
	char said[PAPI_ROOFLINE_SAID], reason[PAPI_HUGE_STR_LEN], note[128] = "";
	double elapsed = 0, busy = 0;
	char *title;
	bool drawn;

	fill(&point, find_group(list));
	take_times(result, &elapsed, &busy);
	point.seconds = elapsed / 1e9;
	picture.all = busy > AT_WORK * elapsed;
	if (result->alone_ns)
		snprintf(note, sizeof(note), "times are of a run in which nothing was counted");
	picture.note = *note ? note : NULL;
	picture.title = title = join_words(result->command);
	papi_roofline_say(said, sizeof(said), &picture, &point);
	drawn = papi_roofline_draw(path, &picture, reason, sizeof(reason));
	if (drawn)
		result->roofline_note = papi_run_format("%s (%s, %.6f s%s); drawn in %s", said,
			picture.all ? "all CPUs" : "one CPU", point.seconds,
			result->alone_ns ? " in a run without counting" : "", path);
	else
		papi_run_message("--roofline: cannot write '%s': %s", path, reason);
	free(title);
	return drawn;
}
