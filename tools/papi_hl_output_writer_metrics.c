/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl_output_writer_metrics.c - metrics of regions: formulas over what was counted, chosen now, when the run is
 * over. A metric is there if all its events were counted.
 */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi.h"
#include "papi_hl_output_writer.h"

/* Events that are missing, and all that a group needs: names with commas. */
struct missing {
	char *all, *absent;
	int metrics;
};

static char *join(char *before, const char *name)
{
	size_t size = (before ? strlen(before) + 1 : 0) + strlen(name) + 1;
	char *text = writer_grow(NULL, size, 1);

	snprintf(text, size, "%s%s%s", before ? before : "", before ? "," : "", name);
	free(before);
	return text;
}

static void __attribute__((noreturn)) refuse(const char *name)
{
	char *text = writer_copy(name), reason[PAPI_HUGE_STR_LEN];

	snprintf(reason, sizeof(reason), "%s", PAPI_error_detail());
	papi_escape_terminal(text);
	papi_escape_terminal(reason);
	fprintf(stderr, "papi_hl_output_writer: -g %s: %s\n", text, reason);
	exit(2);
}

bool writer_metric_is_counted(
	const struct writer_run *run, int group, const PAPI_metric_info_t *metric, const char **kind)
{
	char name[PAPI_MAX_STR_LEN];

	*kind = "exact";
	for (int i = 0; i < metric->n_events; i++) {
		int event = PAPI_metric_event(group, metric->events[i], name, sizeof(name)) == PAPI_OK
			? writer_find_event(run, name)
			: -1;

		if (event < 0 || run->events[event].instant)
			return false;
		*kind = writer_worse(*kind, run->events[event].kind);
	}
	return !metric->needs_seconds || !run->slowed;
}

static void note_missing(const struct writer_run *run, int group, int events, struct missing *missing)
{
	char name[PAPI_MAX_STR_LEN];

	for (int i = 0; i < events; i++) {
		if (PAPI_metric_event(group, i, name, sizeof(name)) != PAPI_OK)
			continue;
		missing->all = join(missing->all, name);
		if (writer_find_event(run, name) < 0)
			missing->absent = join(missing->absent, name);
	}
}

static void add_group(struct writer_run *run, const char *name)
{
	struct missing missing = { NULL, NULL, 0 };
	int group = PAPI_metric_group(name);
	PAPI_metric_group_info_t info;
	PAPI_metric_info_t metric;
	char full[2 * PAPI_MIN_STR_LEN + 2];

	if (group < 0 || PAPI_metric_group_info(group, &info) != PAPI_OK)
		refuse(name);
	for (int i = 0; i < info.metrics; i++) {
		const char *kind;

		if (PAPI_metric_info(group, i, &metric) != PAPI_OK || *metric.why)
			continue;
		if (!writer_metric_is_counted(run, group, &metric, &kind)) {
			missing.metrics++;
			continue;
		}
		snprintf(full, sizeof(full), "%s:%s", info.name, metric.name);
		writer_add_quantity(run,
			(struct writer_quantity){ .what = WRITER_METRIC,
				.name = writer_copy(full),
				.unit = writer_copy(strcmp(metric.unit, "1") == 0 ? "" : metric.unit),
				.kind = kind,
				.event = (unsigned)i,
				.group = group,
				.denominator = metric.needs_seconds ? -1 : 0 });
	}
	note_missing(run, group, info.events, &missing);
	if (missing.metrics && missing.absent)
		fprintf(stderr,
			"papi_hl_output_writer: -g %s: %d of its %d metrics are left out, for %s was not counted; all "
			"are there after a run with PAPI_EVENTS=%s\n",
			name, missing.metrics, info.metrics, missing.absent, missing.all);
	free(missing.all);
	free(missing.absent);
}

void writer_add_metrics(struct writer_run *run, const char *groups)
{
	char *names = writer_copy(groups), *rest = names, *name;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		refuse(groups);
	while ((name = strsep(&rest, ","))) {
		if (!*name)
			papi_tool_usage_error(&writer_tool,
				"-g: a group of metrics has a name; papi_run --list-groups "
				"lists them");
		add_group(run, name);
	}
	run->has_metrics = true;
	free(names);
}

long double writer_metric(const struct writer_run *run, const struct writer_sample *samples, unsigned n,
	const struct writer_quantity *quantity)
{
	double counts[PAPI_METRIC_MOST], values[PAPI_METRIC_MOST], seconds = 0;
	PAPI_metric_group_info_t info;
	char name[PAPI_MAX_STR_LEN];

	if (PAPI_metric_group_info(quantity->group, &info) != PAPI_OK || info.events > PAPI_METRIC_MOST)
		return NAN;
	for (int i = 0; i < info.events; i++) {
		int event = PAPI_metric_event(quantity->group, i, name, sizeof(name)) == PAPI_OK
			? writer_find_event(run, name)
			: -1;

		counts[i] = event < 0 ? (double)NAN : 0;
		for (unsigned k = 0; event >= 0 && k < n; k++)
			if ((unsigned)event < samples[k].n_values && !isnan(samples[k].values[event]))
				counts[i] += (double)samples[k].values[event];
			else if (n == 1)
				counts[i] = (double)NAN;
	}
	for (unsigned k = 0; k < n; k++)
		seconds += isnan(samples[k].seconds) ? 0 : (double)samples[k].seconds;
	if (PAPI_metric_evaluate(quantity->group, counts, run->slowed ? 0 : seconds, values) != PAPI_OK)
		return NAN;
	return values[quantity->event];
}
