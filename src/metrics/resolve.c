/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way a metric goes on this machine: the first whose terms can all be counted here.
 *
 * Counts by translation do not go together with time, nor with what the kernel counts: the program takes longer for
 * being counted so, and does more. A ratio of the two would tell nothing, and such a way is not taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "events/events.h"
#include "events/parser.h"
#include "metrics/metrics.h"

/* In an order from the best. */
static const char *const kinds[] = { "exact", "sampled", "affected", "modelled", "estimated" };

/* A way on its way to being flat: what its formula becomes, and the events that it needs by then. */
struct flattening {
	const struct papi_formula *inner[PAPI_PARSER_TERMS];
	unsigned *map[PAPI_PARSER_TERMS];
	char *events[PAPI_METRIC_EVENTS];
	unsigned n_events;
};

/* Metrics of metrics of metrics: the deepest that one may be. */
#define DEEPEST 32

static int choose(struct papi_metric_group *group, struct papi_metric *metric, unsigned depth);

static int refuse(const struct papi_metric_group *group, const struct papi_metric_way *way, int column, int status,
	const char *sentence)
{
	char copy[PAPI_HUGE_STR_LEN];

	/* The sentence may be the thread's last error itself. */
	snprintf(copy, sizeof(copy), "%s", sentence);
	if (strcmp(group->file, PAPI_METRIC_BUILT_IN) == 0)
		return papi_error(status, "%s", copy);
	return papi_error(status, "%s:%u:%d: %s", group->file, way->place.line, column, copy);
}

/* ---- Events ---- */

/* "2.3e-10 Joules": the kernel tells what a count is in its unit; nanoseconds count as seconds. */
static double scale_of(const char *unit)
{
	char *end;
	double scale;

	if (strcmp(unit, "ns") == 0)
		return 1e-9;
	scale = strtod(unit, &end);
	return end != unit && scale > 0 ? scale : 1;
}

static int describe(struct papi_metric_event *event, const char *name)
{
	PAPI_event_info_t info = { 0 };
	struct papi_event counted;
	int status = papi_event_code(name, &event->code);

	if (status == PAPI_OK)
		status = papi_event_get(event->code, &counted);
	if (status == PAPI_OK)
		status = papi_event_describe(event->code, &info);
	if (status != PAPI_OK)
		return status;
	event->scale = scale_of(info.units);
	event->kind = papi_event_kind(event->code);
	event->is_virtual = papi_event_is_virtual(event->code);
	return PAPI_OK;
}

/* ---- Flattening ---- */

/* The number of an event among those of the flat formula; -1: there are too many, or no memory. */
static int number_of(struct flattening *flattening, const char *name)
{
	for (unsigned i = 0; i < flattening->n_events; i++)
		if (strcmp(flattening->events[i], name) == 0)
			return (int)i;
	if (flattening->n_events == PAPI_METRIC_EVENTS)
		return papi_error(PAPI_EINVAL, "a metric is made of at most %d events", PAPI_METRIC_EVENTS);
	flattening->events[flattening->n_events] = strdup(name);
	if (!flattening->events[flattening->n_events])
		return papi_error(PAPI_ENOMEM, "no memory for metrics");
	return (int)flattening->n_events++;
}

/* Term k is to be replaced by the events' numbers: of one event, or of the formula of a metric. */
static int map_term(struct flattening *flattening, unsigned k, const struct papi_metric_way *inner, const char *event)
{
	unsigned n = inner ? inner->n_events : 1;

	flattening->map[k] = calloc(n ? n : 1, sizeof(unsigned));
	if (!flattening->map[k])
		return papi_error(PAPI_ENOMEM, "no memory for metrics");
	flattening->inner[k] = inner ? inner->flat : NULL;
	for (unsigned i = 0; i < n; i++) {
		int number = number_of(flattening, inner ? inner->events[i] : event);

		if (number < 0)
			return number;
		flattening->map[k][i] = (unsigned)number;
	}
	return PAPI_OK;
}

static int flatten_term(struct papi_metric_group *group, struct flattening *flattening, unsigned k,
	const struct papi_metric_term *term, unsigned depth)
{
	struct papi_metric_event event;
	struct papi_metric_group *owner;
	struct papi_metric *metric = papi_metrics_lookup(group, term->name, &owner);
	int status;

	if (metric) {
		status = choose(owner, metric, depth + 1);
		if (status == PAPI_OK)
			status = map_term(flattening, k, &metric->ways[metric->chosen], NULL);
		return status;
	}
	if (strcmp(term->name, PAPI_METRIC_SECONDS) != 0) {
		status = describe(&event, term->name);
		if (status != PAPI_OK)
			return status;
	}
	return map_term(flattening, k, NULL, term->name);
}

/* Counts of the kernel, or time, beside what is counted by translation. */
static int check_mixture(const struct flattening *flattening)
{
	const char *slow = NULL, *other = NULL;

	for (unsigned i = 0; i < flattening->n_events; i++) {
		struct papi_metric_event event;
		const char *name = flattening->events[i];

		if (strcmp(name, PAPI_METRIC_SECONDS) != 0 && describe(&event, name) == PAPI_OK && event.is_virtual)
			slow = name;
		else
			other = name;
	}
	if (!slow || !other)
		return PAPI_OK;
	return papi_error(PAPI_ENOEVNT,
		"%s is counted by translation here, which makes the program slower, and does not go together with %s",
		slow, other);
}

static int take_flat(struct papi_metric_way *way, struct flattening *flattening)
{
	int status = papi_formula_inline(
		way->formula, flattening->inner, (const unsigned *const *)flattening->map, &way->flat);

	if (status != PAPI_OK)
		return status;
	way->events = calloc(flattening->n_events ? flattening->n_events : 1, sizeof(*way->events));
	if (!way->events) {
		free(way->flat);
		way->flat = NULL;
		return papi_error(PAPI_ENOMEM, "no memory for metrics");
	}
	memcpy(way->events, flattening->events, flattening->n_events * sizeof(flattening->events[0]));
	way->n_events = flattening->n_events;
	flattening->n_events = 0;
	return PAPI_OK;
}

/* PAPI_OK: the way can be gone. Else why not, with its place. */
static int try_way(struct papi_metric_group *group, struct papi_metric_way *way, unsigned depth)
{
	struct flattening flattening = { .n_events = 0 };
	int status = PAPI_OK, column = way->place.column;

	for (unsigned k = 0; status == PAPI_OK && k < way->n_terms; k++) {
		column = way->terms[k].column;
		status = flatten_term(group, &flattening, k, &way->terms[k], depth);
	}
	if (status == PAPI_OK) {
		column = way->place.column;
		status = check_mixture(&flattening);
	}
	if (status == PAPI_OK)
		status = take_flat(way, &flattening);
	for (unsigned i = 0; i < flattening.n_events; i++)
		free(flattening.events[i]);
	for (unsigned k = 0; k < way->n_terms; k++)
		free(flattening.map[k]);
	return status == PAPI_OK ? PAPI_OK : refuse(group, way, column, status, papi_error_sentence());
}

/* ---- Choosing ---- */

static int choose(struct papi_metric_group *group, struct papi_metric *metric, unsigned depth)
{
	if (metric->state == PAPI_METRIC_CHOSEN)
		return PAPI_OK;
	if (metric->state == PAPI_METRIC_ON_THE_WAY)
		return papi_error(PAPI_EINVAL, "the metric %s is made of itself", metric->name);
	if (metric->state == PAPI_METRIC_IMPOSSIBLE)
		return papi_error(PAPI_ENOEVNT, "%s", metric->why ? metric->why : "it cannot be counted here");
	if (depth > DEEPEST)
		return papi_error(PAPI_EINVAL, "metrics are made of metrics at most %d deep", DEEPEST);
	metric->state = PAPI_METRIC_ON_THE_WAY;
	for (unsigned i = 0; i < metric->n_ways; i++) {
		int status = try_way(group, &metric->ways[i], depth);

		if (status == PAPI_OK) {
			metric->chosen = i;
			metric->state = PAPI_METRIC_CHOSEN;
			free(metric->why);
			metric->why = NULL;
			return PAPI_OK;
		}
		/* The first way is what the author had in mind. */
		if (!metric->why)
			metric->why = strdup(papi_error_sentence());
	}
	metric->state = PAPI_METRIC_IMPOSSIBLE;
	return papi_error(PAPI_ENOEVNT, "%s", metric->why ? metric->why : "it cannot be counted here");
}

/* The place of an event in the group, from 1; 0 and no memory. */
static unsigned place_of(struct papi_metric_group *group, const char *name)
{
	struct papi_metric_event *events;
	struct papi_metric_event event = { 0 };

	for (unsigned i = 0; i < group->n_events; i++)
		if (strcmp(group->events[i].name, name) == 0)
			return i + 1;
	events = realloc(group->events, (group->n_events + 1) * sizeof(*events));
	if (events)
		group->events = events;
	event.name = strdup(name);
	if (!events || !event.name || describe(&event, name) != PAPI_OK) {
		free(event.name);
		return 0;
	}
	events[group->n_events++] = event;
	return group->n_events;
}

const char *papi_metric_worse(const char *one, const char *other)
{
	size_t i = 0;

	while (i + 1 < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[i], one) != 0 && strcmp(kinds[i], other) != 0)
		i++;
	return strcmp(kinds[i], one) == 0 ? other : one;
}

static int place_events(struct papi_metric_group *group, struct papi_metric *metric)
{
	const struct papi_metric_way *way = &metric->ways[metric->chosen];

	metric->places = calloc(way->n_events ? way->n_events : 1, sizeof(*metric->places));
	if (!metric->places)
		return papi_error(PAPI_ENOMEM, "no memory for metrics");
	for (unsigned i = 0; i < way->n_events; i++) {
		if (strcmp(way->events[i], PAPI_METRIC_SECONDS) == 0)
			continue;
		metric->places[i] = place_of(group, way->events[i]);
		if (!metric->places[i])
			return papi_error(PAPI_ENOMEM, "no memory for metrics");
		metric->worth = papi_metric_worse(metric->worth, group->events[metric->places[i] - 1].kind);
	}
	return PAPI_OK;
}

int papi_metrics_resolve(struct papi_metric_group *group)
{
	int status = PAPI_OK;

	if (group->resolved)
		return PAPI_OK;
	papi_error_keep();
	for (unsigned i = 0; status == PAPI_OK && i < group->n_metrics; i++)
		if (choose(group, &group->metrics[i], 0) == PAPI_OK && !group->metrics[i].places)
			status = place_events(group, &group->metrics[i]);
	if (status == PAPI_OK) {
		papi_error_restore();
		group->resolved = true;
	} else {
		papi_error_drop();
	}
	return status;
}

/* ---- Circles ---- */

/* Whether one of the ways of a metric leads to the goal; *found and *column are where it first turns there. */
static bool leads_to(struct papi_metric_group *group, struct papi_metric *metric, const struct papi_metric *goal,
	unsigned depth, const struct papi_metric_way **found, int *column)
{
	metric->seen = goal;
	for (unsigned i = 0; depth < DEEPEST && i < metric->n_ways; i++) {
		const struct papi_metric_way *way = &metric->ways[i];

		for (unsigned k = 0; k < way->n_terms; k++) {
			const struct papi_metric_way *deeper;
			struct papi_metric_group *owner;
			struct papi_metric *next = papi_metrics_lookup(group, way->terms[k].name, &owner);
			int unused;

			if (!next || (next != goal && next->seen == goal))
				continue;
			if (next != goal && !leads_to(owner, next, goal, depth + 1, &deeper, &unused))
				continue;
			*found = way;
			*column = way->terms[k].column;
			return true;
		}
	}
	return false;
}

bool papi_metrics_is_circular(struct papi_metric_group *group, struct papi_metric *metric)
{
	const struct papi_metric_way *way;
	char sentence[PAPI_HUGE_STR_LEN];
	int column;

	if (!leads_to(group, metric, metric, 0, &way, &column))
		return false;
	snprintf(sentence, sizeof(sentence), "the metric %s is made of itself: leave it out of its own parts",
		metric->name);
	refuse(group, way, column, PAPI_EINVAL, sentence);
	if (!metric->why)
		metric->why = strdup(papi_error_sentence());
	metric->state = PAPI_METRIC_IMPOSSIBLE;
	return true;
}
