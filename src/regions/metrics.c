/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of regions: the groups that PAPI_METRICS names. Their events are counted beside those of PAPI_EVENTS, and in
 * the results each region has the values of those metrics whose events were counted.
 *
 * Groups go with PAPI_shutdown(), so only their names are kept, and they are looked up again when results are written.
 */
#include "regions/regions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/json.h"
#include "metrics/metrics.h"

static struct {
	char **names;
	unsigned n;
} groups;

/* Alone in the library, with the ways of its metrics chosen; NULL with the reason in the detail. */
static struct papi_metric_group *enter_group(const char *name)
{
	struct papi_metric_group *group;
	int number;

	if (papi_library_enter_alone() != PAPI_OK)
		return NULL;
	papi_metrics_load();
	group = papi_metrics_find(name, &number);
	if (group && papi_metrics_resolve(group) == PAPI_OK)
		return group;
	papi_library_leave();
	return NULL;
}

/* ---- Choosing ---- */

static int keep_name(const char *name)
{
	char **names = realloc(groups.names, (groups.n + 1) * sizeof(*names));

	if (names)
		groups.names = names;
	if (!names || !(names[groups.n] = strdup(name)))
		return papi_error(PAPI_ENOMEM, "no memory for the metrics of regions");
	groups.n++;
	return PAPI_OK;
}

static int choose_group(const char *name, int (*add)(const char *event))
{
	struct papi_metric_group *group = enter_group(name);
	int status;

	if (!group) {
		papi_region_warn("PAPI_METRICS has no effect for %s: %s", name, papi_error_sentence());
		return PAPI_OK;
	}
	status = keep_name(name);
	for (unsigned i = 0; i < group->n_events && status == PAPI_OK; i++)
		status = add(group->events[i].name);
	if (!group->n_events)
		papi_region_warn("PAPI_METRICS: nothing of group %s can be counted here: %s", name,
			group->n_metrics && group->metrics[0].why ? group->metrics[0].why : "it has no metrics");
	papi_library_leave();
	return status;
}

int papi_region_metrics_choose(int (*add)(const char *event))
{
	const char *wanted = secure_getenv("PAPI_METRICS");
	char *copy = wanted ? strdup(wanted) : NULL, *rest = copy, *name;
	int status = PAPI_OK;

	while (status == PAPI_OK && (name = strsep(&rest, ","))) {
		size_t length;

		name += strspn(name, " \t");
		for (length = strlen(name); length && isspace((unsigned char)name[length - 1]);)
			name[--length] = '\0';
		if (length)
			status = choose_group(name, add);
	}
	free(copy);
	return status;
}

void papi_region_metrics_free(void)
{
	for (unsigned i = 0; i < groups.n; i++)
		free(groups.names[i]);
	free(groups.names);
	groups.names = NULL;
	groups.n = 0;
}

/* ---- Results ---- */

/* The number of an event of a group among those of the regions, -1: it is not counted, or does not add up. */
static int position_of(const char *name)
{
	for (unsigned i = 0; i < papi_region_events.n; i++)
		if (strcmp(papi_region_events.events[i].name, name) == 0)
			return papi_region_events.events[i].instant ? -1 : (int)i;
	return -1;
}

/* Whether all that a metric is made of was counted, and what it is worth. Time that counting made longer is none. */
static bool is_counted(const struct papi_metric_group *group, const struct papi_metric *metric, const char **kind)
{
	const struct papi_metric_way *way = &metric->ways[metric->chosen];

	*kind = "exact";
	if (metric->state != PAPI_METRIC_CHOSEN)
		return false;
	for (unsigned i = 0; i < way->n_events; i++) {
		int position;

		if (metric->places[i] == 0) {
			if (papi_region_events.slowed)
				return false;
			continue;
		}
		position = position_of(group->events[metric->places[i] - 1].name);
		if (position < 0)
			return false;
		*kind = papi_metric_worse(*kind, papi_region_events.events[position].kind);
	}
	return true;
}

static void put_name(FILE *stream, const struct papi_metric_group *group, const struct papi_metric *metric, bool first)
{
	char name[2 * PAPI_MIN_STR_LEN + 2];

	snprintf(name, sizeof(name), "%s:%s", group->name, metric->name);
	fputs(first ? "" : ", ", stream);
	papi_json_string(stream, name);
	fputs(": ", stream);
}

void papi_region_metrics_put_definitions(FILE *stream)
{
	bool first = true;

	if (!groups.n)
		return;
	fputs("  \"metric_definitions\": {", stream);
	for (unsigned i = 0; i < groups.n; i++) {
		const struct papi_metric_group *group = enter_group(groups.names[i]);

		for (unsigned j = 0; group && j < group->n_metrics; j++) {
			const struct papi_metric *metric = &group->metrics[j];
			const char *kind;

			if (!is_counted(group, metric, &kind))
				continue;
			fputs(first ? "\n    " : ",\n    ", stream);
			put_name(stream, group, metric, true);
			fputs("{\"units\": ", stream);
			papi_json_string(stream, strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
			fprintf(stream, ", \"kind\": \"%s\"}", kind);
			first = false;
		}
		if (group)
			papi_library_leave();
	}
	fputs(first ? "},\n" : "\n  },\n", stream);
}

static void evaluate(const struct papi_metric_group *group, const struct papi_region *region, double values[])
{
	bool counted = region->sums.instances > region->sums.uncounted;
	double counts[group->n_events + 1];

	for (unsigned i = 0; i < group->n_events; i++) {
		int position = counted ? position_of(group->events[i].name) : -1;

		counts[i] = position < 0 ? (double)NAN : (double)region->sums.values[position];
	}
	if (papi_metrics_evaluate(group, counts, (double)region->sums.real_ns / 1e9, values) != PAPI_OK)
		for (unsigned i = 0; i < group->n_metrics; i++)
			values[i] = (double)NAN;
}

void papi_region_metrics_put(FILE *stream, const struct papi_region *region)
{
	double values[PAPI_METRICS_OF_GROUP];
	bool first = true;

	if (!groups.n)
		return;
	fputs(", \"metrics\": {", stream);
	for (unsigned i = 0; i < groups.n; i++) {
		const struct papi_metric_group *group = enter_group(groups.names[i]);

		if (!group)
			continue;
		evaluate(group, region, values);
		for (unsigned j = 0; j < group->n_metrics; j++) {
			const char *kind;

			if (!is_counted(group, &group->metrics[j], &kind))
				continue;
			put_name(stream, group, &group->metrics[j], first);
			if (isfinite(values[j]))
				fprintf(stream, "%.9g", values[j]);
			else
				fputs("null", stream);
			first = false;
		}
		papi_library_leave();
	}
	putc('}', stream);
}
