/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics: an extension of this library (papi_metrics.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "core/eventset.h"
#include "events/events.h"
#include "metrics/metrics.h"

_Static_assert(PAPI_METRICS_OF_GROUP == PAPI_METRIC_MOST, "programs have arrays of that size");

/* Enters the library alone, with the groups read. */
static int enter(void)
{
	int status = papi_library_enter_alone();

	if (status == PAPI_OK)
		papi_metrics_load();
	return status;
}

/* And with what can be counted of the group chosen. On an error nothing is entered. */
static int enter_group(int number, struct papi_metric_group **group)
{
	int status = enter();

	if (status != PAPI_OK)
		return status;
	*group = papi_metrics_group(number);
	status = *group ? papi_metrics_resolve(*group) : PAPI_EINVAL;
	if (status != PAPI_OK)
		papi_library_leave();
	return status;
}

/* A text for the caller: cut and PAPI_EBUF when there is not the room. NULL is an empty text. */
static int give(const char *text, char *target, size_t size)
{
	const char *source = text ? text : "";
	size_t length = strlen(source), given = length < size ? length : size - 1;

	memcpy(target, source, given);
	target[given] = '\0';
	if (given == length)
		return PAPI_OK;
	return papi_error(PAPI_EBUF, "a text of %zu bytes does not fit into %zu", length + 1, size);
}

static int check_number(const char *what, int number, unsigned n, const struct papi_metric_group *group)
{
	if (number >= 0 && (unsigned)number < n)
		return PAPI_OK;
	return papi_error(
		PAPI_EINVAL, "the group %s has no %s with the number %d: it has %u", group->name, what, number, n);
}

int PAPI_metric_load(const char *file)
{
	int status = file ? enter() : papi_null_argument("PAPI_metric_load", "file");

	if (status == PAPI_OK) {
		status = papi_metrics_read(file);
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_metric_groups(void)
{
	int status = enter();

	if (status == PAPI_OK) {
		status = (int)papi_metrics_number();
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_metric_group(const char *name)
{
	int status = name ? enter() : papi_null_argument("PAPI_metric_group", "name");

	if (status == PAPI_OK) {
		if (!papi_metrics_find(name, &status))
			status = PAPI_ENOEVNT;
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_metric_group_info(int number, PAPI_metric_group_info_t *info)
{
	struct papi_metric_group *group = NULL;
	int status = info ? enter_group(number, &group) : papi_null_argument("PAPI_metric_group_info", "info");

	if (status == PAPI_OK) {
		*info = (PAPI_metric_group_info_t){
			.metrics = (int)group->n_metrics, .events = (int)group->n_events, .rules = (int)group->n_rules
		};
		give(group->name, info->name, sizeof(info->name));
		give(group->description, info->description, sizeof(info->description));
		give(group->file, info->file, sizeof(info->file));
		papi_library_leave();
	}
	return papi_result(status);
}

/* "PAPI_TOT_INS, seconds", as far as there is room. */
static void give_terms(const struct papi_metric_way *way, char *target, size_t size)
{
	size_t used = 0;

	*target = '\0';
	for (unsigned i = 0; i < way->n_terms && used < size; i++) {
		if (i)
			give(", ", target + used, size - used);
		used += strlen(target + used);
		give(way->terms[i].name, target + used, size - used);
		used += strlen(target + used);
	}
}

static void describe(const struct papi_metric *metric, PAPI_metric_info_t *info)
{
	const struct papi_metric_way *way = &metric->ways[metric->chosen];

	memset(info, 0, sizeof(*info));
	give(metric->name, info->name, sizeof(info->name));
	give(metric->unit, info->unit, sizeof(info->unit));
	give(metric->title, info->short_descr, sizeof(info->short_descr));
	give(metric->description, info->long_descr, sizeof(info->long_descr));
	give(way->text, info->formula, sizeof(info->formula));
	give_terms(way, info->terms, sizeof(info->terms));
	give(metric->why, info->why, sizeof(info->why));
	if (metric->state != PAPI_METRIC_CHOSEN)
		return;
	give(metric->worth, info->worth, sizeof(info->worth));
	for (unsigned i = 0; i < way->n_events; i++) {
		if (metric->places[i])
			info->events[info->n_events++] = (int)metric->places[i] - 1;
		else
			info->needs_seconds = 1;
	}
}

int PAPI_metric_info(int number, int metric, PAPI_metric_info_t *info)
{
	struct papi_metric_group *group = NULL;
	int status = info ? enter_group(number, &group) : papi_null_argument("PAPI_metric_info", "info");

	if (status == PAPI_OK) {
		status = check_number("metric", metric, group->n_metrics, group);
		if (status == PAPI_OK)
			describe(&group->metrics[metric], info);
		papi_library_leave();
	}
	return papi_result(status);
}

static int check_text(const char *function, const char *text, int length)
{
	if (!text)
		return papi_null_argument(function, "the text");
	return length > 0 ? PAPI_OK : papi_error(PAPI_EINVAL, "%s: a text has no room in %d bytes", function, length);
}

int PAPI_metric_event(int number, int event, char *name, int length)
{
	struct papi_metric_group *group = NULL;
	int status = check_text("PAPI_metric_event", name, length);

	if (status == PAPI_OK)
		status = enter_group(number, &group);
	if (status == PAPI_OK) {
		status = check_number("event", event, group->n_events, group);
		if (status == PAPI_OK)
			status = give(group->events[event].name, name, (size_t)length);
		papi_library_leave();
	}
	return papi_result(status);
}

/* ---- With event sets ---- */

/* Takes out again what was put in, from the last. */
static void take_back(struct papi_eventset *set, const struct papi_metric_group *group, const bool added[], unsigned n)
{
	papi_error_keep();
	while (n-- > 0)
		if (added[n])
			papi_eventset_remove(set, group->events[n].code);
	papi_error_restore();
}

static int add_events(struct papi_eventset *set, const struct papi_metric_group *group)
{
	bool *added = calloc(group->n_events + 1, sizeof(*added));
	int status = added ? PAPI_OK : papi_error(PAPI_ENOMEM, "no memory for the events of metrics");
	unsigned n = 0;

	for (; status == PAPI_OK && n < group->n_events; n++) {
		if (papi_eventset_position(set, group->events[n].code) >= 0)
			continue;
		status = papi_eventset_add(set, group->events[n].code);
		added[n] = status == PAPI_OK;
		if (status != PAPI_OK)
			papi_error_prefix(status, "%s", group->events[n].name);
	}
	if (added && status != PAPI_OK)
		take_back(set, group, added, n);
	free(added);
	return status;
}

int PAPI_metric_add(int number, int EventSet)
{
	struct papi_metric_group *group = NULL;
	struct papi_slot *slot;
	int status = enter_group(number, &group);

	if (status != PAPI_OK)
		return papi_result(status);
	if (!group->n_events)
		status = papi_error(PAPI_ENOEVNT, "nothing of the group %s can be counted here%s%s", group->name,
			group->n_metrics && group->metrics[0].why ? ": " : "",
			group->n_metrics && group->metrics[0].why ? group->metrics[0].why : "");
	if (status == PAPI_OK)
		status = papi_handle_enter(EventSet, &slot);
	if (status == PAPI_OK) {
		status = add_events(slot->set, group);
		papi_handle_leave(slot);
	}
	papi_library_leave();
	return papi_result(status);
}

/* The group's counts, from those of a set. */
static int counts_of(int EventSet, const struct papi_metric_group *group, const long long *values, double counts[])
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; i < group->n_events; i++) {
		int position = papi_eventset_position(slot->set, group->events[i].code);

		counts[i] = position >= 0 ? (double)values[position] : (double)NAN;
	}
	papi_handle_leave(slot);
	return PAPI_OK;
}

static double known(double seconds)
{
	return seconds > 0 ? seconds : (double)NAN;
}

int PAPI_metric_values(int number, int EventSet, const long long *values, double seconds, double *metrics)
{
	struct papi_metric_group *group = NULL;
	double *counts;
	int status;

	if (!values || !metrics)
		return papi_result(papi_null_argument("PAPI_metric_values", values ? "metrics" : "values"));
	status = enter_group(number, &group);
	if (status != PAPI_OK)
		return papi_result(status);
	counts = malloc((group->n_events + 1) * sizeof(*counts));
	status = counts ? counts_of(EventSet, group, values, counts)
			: papi_error(PAPI_ENOMEM, "no memory for the counts of metrics");
	if (status == PAPI_OK)
		status = papi_metrics_evaluate(group, counts, known(seconds), metrics);
	papi_library_leave();
	free(counts);
	return papi_result(status);
}

int PAPI_metric_evaluate(int number, const double *counts, double seconds, double *metrics)
{
	struct papi_metric_group *group = NULL;
	int status;

	if (!counts || !metrics)
		return papi_result(papi_null_argument("PAPI_metric_evaluate", counts ? "metrics" : "counts"));
	status = enter_group(number, &group);
	if (status == PAPI_OK) {
		status = papi_metrics_evaluate(group, counts, known(seconds), metrics);
		papi_library_leave();
	}
	return papi_result(status);
}

/* ---- For people ---- */

int PAPI_metric_text(int number, int metric, double value, char *text, int length)
{
	char whole[PAPI_HUGE_STR_LEN];
	struct papi_metric_group *group = NULL;
	int status = check_text("PAPI_metric_text", text, length);

	if (status == PAPI_OK)
		status = enter_group(number, &group);
	if (status == PAPI_OK) {
		status = check_number("metric", metric, group->n_metrics, group);
		if (status == PAPI_OK) {
			papi_metric_text(&group->metrics[metric], value, whole, sizeof(whole));
			status = give(whole, text, (size_t)length);
		}
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_metric_finding(int number, int rule, const double *metrics, double *beyond, char *sentence, int length)
{
	char whole[2 * PAPI_HUGE_STR_LEN] = "";
	struct papi_metric_group *group = NULL;
	int status = check_text("PAPI_metric_finding", sentence, length);

	if (status == PAPI_OK && (!metrics || !beyond))
		status = papi_null_argument("PAPI_metric_finding", metrics ? "beyond" : "metrics");
	if (status == PAPI_OK)
		status = enter_group(number, &group);
	if (status == PAPI_OK) {
		status = check_number("rule", rule, group->n_rules, group);
		if (status == PAPI_OK) {
			*beyond = papi_metric_finding(group, &group->rules[rule], metrics, whole, sizeof(whole));
			status = give(whole, sentence, (size_t)length);
		}
		papi_library_leave();
	}
	return papi_result(status);
}
