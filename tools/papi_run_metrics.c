/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_metrics.c - groups of metrics: which are asked for, the events that they need, and the values that the
 * counts of all runs give. How these are printed is in papi_run_metrics_report.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event_names.h"
#include "papi_run.h"
#include "statistics.h"

/* From the best to the worst, as counts of papi_run are. */
static const char *const kinds[] = { "exact", "sampled", "affected", "modelled", "estimated" };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- Which groups ---- */

static void append_name(struct run_list *list, const char *name, size_t length)
{
	list->wanted = papi_run_allocate(list->wanted, list->n_wanted + 1, sizeof(*list->wanted));
	list->wanted[list->n_wanted++] = papi_run_format("%.*s", (int)length, name);
}

void papi_run_metrics_parse(struct run_list *list, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ",");

		if (length == 0)
			papi_tool_usage_error(
				&papi_run_tool, "-g: a group of metrics has a name; papi_run --list-groups lists them");
		append_name(list, text, length);
		if (!text[length])
			return;
		text += length + 1;
	}
}

static void __attribute__((noreturn)) give_up(const char *name)
{
	papi_run_message("-g %s: %s", name, PAPI_error_detail());
	exit(RUN_EXIT_USAGE);
}

/* The place of an event in the list; a new one is appended. */
static size_t place_of(struct run_list *list, const char *name)
{
	for (size_t i = 0; i < list->number; i++)
		if (strcmp(list->events[i].name, name) == 0)
			return i;
	papi_run_events_append(list, name);
	return list->number - 1;
}

static void add_group(struct run_list *list, const char *name, int number)
{
	PAPI_metric_group_info_t info;
	struct run_group *group;
	char event[PAPI_MAX_STR_LEN];

	if (PAPI_metric_group_info(number, &info) != PAPI_OK)
		give_up(name);
	for (size_t i = 0; i < list->n_groups; i++)
		if (list->groups[i].number == number)
			return;
	list->groups = papi_run_allocate(list->groups, list->n_groups + 1, sizeof(*list->groups));
	group = &list->groups[list->n_groups++];
	*group = (struct run_group){ .number = number, .metrics = info.metrics, .events = info.events };
	group->name = papi_run_format("%s", info.name);
	group->places = papi_run_allocate(NULL, (size_t)info.events + 1, sizeof(*group->places));
	for (int i = 0; i < info.events; i++) {
		if (PAPI_metric_event(number, i, event, sizeof(event)) != PAPI_OK)
			give_up(name);
		group->places[i] = place_of(list, event);
	}
}

/* A name with a slash or a dot is none of a group, but that of a file: then all its groups are meant. */
static void add_named(struct run_list *list, const char *name)
{
	int before = PAPI_metric_groups(), number;

	if (!strpbrk(name, "/.")) {
		number = PAPI_metric_group(name);
		if (number < 0)
			give_up(name);
		add_group(list, name, number);
		return;
	}
	if (PAPI_metric_load(name) != PAPI_OK)
		give_up(name);
	if (PAPI_metric_groups() == before) {
		papi_run_message("-g %s: this file has no group of metrics", name);
		exit(RUN_EXIT_USAGE);
	}
	for (number = before; number < PAPI_metric_groups(); number++)
		add_group(list, name, number);
}

static int complain_of_file(int code)
{
	papi_run_message("%s", PAPI_error_detail());
	return code;
}

/* The library reads the file of the environment when a group is first asked for. Its mistakes are told, as with -g. */
static void read_environment(void)
{
	PAPI_option_t option = { .debug = { .level = PAPI_VERB_ECONT, .handler = complain_of_file } }, before;

	if (!getenv("PAPI_METRICS_FILE") || PAPI_get_opt(PAPI_DEBUG, &before) != PAPI_OK ||
		before.debug.level != PAPI_QUIET)
		return;
	if (PAPI_set_opt(PAPI_DEBUG, &option) == PAPI_OK)
		PAPI_metric_groups();
	PAPI_set_opt(PAPI_DEBUG, &before);
}

/* A group of which nothing can be counted is told now, and not by an empty table. */
static void check_group(const struct run_group *group, bool best_effort)
{
	PAPI_metric_info_t metric;

	if (group->events)
		return;
	if (group->metrics == 0 || PAPI_metric_info(group->number, 0, &metric) != PAPI_OK)
		papi_run_message("-g %s: this group has no metrics", group->name);
	else
		papi_run_message("-g %s: nothing of this group can be counted here: %s", group->name, metric.why);
	if (best_effort)
		return;
	papi_run_message("nothing was run or watched; with --best-effort the other groups are counted");
	exit(RUN_EXIT_USAGE);
}

void papi_run_metrics_prepare(struct run_list *list, bool best_effort)
{
	read_environment();
	for (size_t i = 0; i < list->n_wanted; i++)
		add_named(list, list->wanted[i]);
	for (size_t i = 0; i < list->n_groups; i++)
		check_group(&list->groups[i], best_effort);
}

void papi_run_metrics_prepare_all(struct run_list *list)
{
	PAPI_metric_group_info_t info;

	read_environment();
	for (size_t i = 0; i < list->n_wanted; i++)
		add_named(list, list->wanted[i]);
	/* A group that a later one of its name hides is left out. */
	for (int i = 0; !list->n_wanted && i < PAPI_metric_groups(); i++)
		if (PAPI_metric_group_info(i, &info) == PAPI_OK && PAPI_metric_group(info.name) == i)
			add_group(list, info.name, i);
}

/* ---- Values ---- */

/* Of one run, or of the mean of all runs where run is that of none. */
static double count_of(const struct run_event *event, const struct run_result *result, size_t run)
{
	if (event->error || !event->counts)
		return (double)NAN;
	return run < result->runs ? (double)event->counts[run] : papi_run_report_mean(event->counts, result->runs);
}

static double seconds_of(const struct run_result *result, size_t run)
{
	/* The time that counting has made longer is not the program's. */
	if (result->slowed)
		return 0;
	return (run < result->runs ? (double)result->elapsed_ns[run]
				   : papi_run_report_mean(result->elapsed_ns, result->runs)) /
		1e9;
}

static void evaluate(const struct run_list *list, const struct run_result *result, const struct run_group *group,
	size_t run, double values[])
{
	double *counts = papi_run_allocate(NULL, (size_t)group->events + 1, sizeof(*counts));

	for (int i = 0; i < group->events; i++)
		counts[i] = count_of(&list->events[group->places[i]], result, run);
	if (PAPI_metric_evaluate(group->number, counts, seconds_of(result, run), values) != PAPI_OK)
		for (int i = 0; i < group->metrics; i++)
			values[i] = (double)NAN;
	free(counts);
}

/* How far the runs differ, in percent of the mean; NaN where one of them has no value. */
static void deviations(
	const struct run_list *list, const struct run_result *result, const struct run_group *group, double deviation[])
{
	double values[PAPI_METRIC_MOST], sums[PAPI_METRIC_MOST] = { 0 }, squares[PAPI_METRIC_MOST] = { 0 };
	double runs = (double)result->runs;

	for (size_t run = 0; run < result->runs; run++) {
		evaluate(list, result, group, run, values);
		for (int i = 0; i < group->metrics; i++) {
			/* Welford's way: no difference of large squares. */
			double before = values[i] - sums[i];

			sums[i] += before / (double)(run + 1);
			squares[i] += before * (values[i] - sums[i]);
		}
	}
	for (int i = 0; i < group->metrics; i++)
		deviation[i] = runs < 2 ? (double)NAN
			: sums[i] == 0  ? 0
					: 100 * sqrt(squares[i] / (runs - 1)) / fabs(sums[i]);
}

static size_t rank_of(const char *kind)
{
	size_t rank = 0;

	while (rank + 1 < KINDS && strcmp(kinds[rank], kind) != 0)
		rank++;
	return rank;
}

/* What the metric is worth: the worst of its events. Or why it has no value. */
static void judge(const struct run_list *list, const struct run_result *result, const struct run_group *group,
	const PAPI_metric_info_t *info, struct run_metric *metric)
{
	size_t worst = 0, passes = 0;

	for (int i = 0; i < info->n_events; i++) {
		const struct run_event *event = &list->events[group->places[info->events[i]]];
		size_t rank = event->error ? 0 : rank_of(papi_run_report_kind(event, result));

		if (event->error && !metric->why)
			metric->why = papi_run_format("%s: %s", event->name, event->error);
		worst = rank > worst ? rank : worst;
		metric->partial |= papi_run_report_is_partial(event, result);
		passes |= (size_t)1 << event->pass;
	}
	metric->worth = kinds[worst];
	metric->passes = (size_t)__builtin_popcountll(passes);
	if (!metric->why && isnan(metric->value))
		metric->why = papi_run_format("%s",
			info->needs_seconds && result->slowed
				? "counting made the program slower, so that the elapsed time is not its own"
				: "it divides by a count of 0");
}

static void fill(const struct run_list *list, const struct run_result *result, const struct run_group *group)
{
	double deviation[PAPI_METRIC_MOST];
	PAPI_metric_info_t info;

	evaluate(list, result, group, result->runs, group->values);
	deviations(list, result, group, deviation);
	for (int i = 0; i < group->metrics; i++) {
		struct run_metric *metric = &group->results[i];

		if (PAPI_metric_info(group->number, i, &info) != PAPI_OK)
			continue;
		metric->name = papi_run_format("%s", info.name);
		metric->unit = papi_run_format("%s", strcmp(info.unit, "1") == 0 ? "" : info.unit);
		metric->title = papi_run_format("%s", info.short_descr);
		metric->description = papi_run_format("%s", info.long_descr);
		metric->possible = !*info.why;
		metric->value = group->values[i];
		metric->deviation = deviation[i];
		PAPI_metric_text(group->number, i, metric->value, metric->text, sizeof(metric->text));
		if (!metric->possible)
			metric->why = papi_run_format("%s", info.why);
		judge(list, result, group, &info, metric);
	}
}

void papi_run_metrics_compute(struct run_list *list, const struct run_result *result)
{
	for (size_t i = 0; i < list->n_groups; i++) {
		struct run_group *group = &list->groups[i];
		size_t number = (size_t)group->metrics + 1;

		group->values = papi_run_allocate(NULL, number, sizeof(*group->values));
		group->results = papi_run_allocate(NULL, number, sizeof(*group->results));
		memset(group->results, 0, number * sizeof(*group->results));
		fill(list, result, group);
	}
}

void papi_run_metrics_free(struct run_list *list)
{
	for (size_t i = 0; i < list->n_groups; i++) {
		struct run_group *group = &list->groups[i];

		for (int j = 0; group->results && j < group->metrics; j++) {
			free(group->results[j].name);
			free(group->results[j].unit);
			free(group->results[j].title);
			free(group->results[j].description);
			free(group->results[j].why);
		}
		free(group->name);
		free(group->places);
		free(group->values);
		free(group->results);
	}
	for (size_t i = 0; i < list->n_wanted; i++)
		free(list->wanted[i]);
	free(list->groups);
	free(list->wanted);
}
