/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_passes.c - which events of groups can be counted at once.
 *
 * A ratio of two counts means something if both are of the same time. Events that take turns on the counters are not,
 * so those of groups are counted at once or not at all, unless the user allows several runs of the program, the passes.
 * The events of one metric come into one pass wherever they fit into one.
 *
 * What fits is found by trying, with EventSets of papi_run itself; the kernel looks at each group of events as a whole.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "papi_run.h"

/* Nobody waits for more, and a number of bits holds them. */
#define MOST_PASSES 32

/* A set for each pass, with all events that it has by now. */
struct passes {
	int sets[MOST_PASSES];
	size_t number;
};

static bool is_planned(const struct run_event *event)
{
	return !event->error && !event->is_virtual && papi_event_takes_counter(event->name);
}

static bool add(int set, const struct run_event *event)
{
	return PAPI_add_named_event(set, event->name) == PAPI_OK;
}

/* A new pass; false when there are too many. */
static bool begin_pass(struct passes *passes)
{
	int set = PAPI_NULL;

	if (passes->number == MOST_PASSES || PAPI_create_eventset(&set) != PAPI_OK)
		return false;
	passes->sets[passes->number++] = set;
	return true;
}

/* Puts those of the events that are not in a pass yet into this one, all of them or none. */
static bool take_all(struct run_list *list, struct passes *passes, size_t pass, const size_t places[], size_t number)
{
	size_t done = 0;

	for (; done < number; done++) {
		struct run_event *event = &list->events[places[done]];

		if (!event->is_placed && is_planned(event) && !add(passes->sets[pass], event))
			break;
	}
	/* Backwards, so that the first of a group goes last. */
	for (size_t i = done; i-- > 0;) {
		struct run_event *event = &list->events[places[i]];

		if (event->is_placed || !is_planned(event))
			continue;
		if (done < number) {
			PAPI_remove_named_event(passes->sets[pass], event->name);
			continue;
		}
		event->pass = pass;
		event->is_placed = true;
	}
	return done == number;
}

static bool place_together(struct run_list *list, struct passes *passes, const size_t places[], size_t number)
{
	for (size_t pass = 0; pass < passes->number; pass++)
		if (take_all(list, passes, pass, places, number))
			return true;
	if (!begin_pass(passes))
		return false;
	if (take_all(list, passes, passes->number - 1, places, number))
		return true;
	PAPI_destroy_eventset(&passes->sets[--passes->number]);
	return false;
}

/* An event that no set takes alone fails when it is counted, with its reason. */
static void place_one_by_one(struct run_list *list, struct passes *passes, const size_t places[], size_t number)
{
	for (size_t i = 0; i < number; i++)
		place_together(list, passes, &places[i], 1);
}

static void place_metric(struct run_list *list, struct passes *passes, const struct run_group *group, int metric)
{
	size_t places[PAPI_METRIC_EVENTS];
	PAPI_metric_info_t info;

	if (PAPI_metric_info(group->number, metric, &info) != PAPI_OK)
		return;
	for (int i = 0; i < info.n_events; i++)
		places[i] = group->places[info.events[i]];
	if (!place_together(list, passes, places, (size_t)info.n_events))
		place_one_by_one(list, passes, places, (size_t)info.n_events);
}

static bool needs_another_pass(const struct run_list *list, const struct run_group *group)
{
	for (int i = 0; i < group->events; i++)
		if (list->events[group->places[i]].pass > 0)
			return true;
	return false;
}

/* The groups that do not fit beside those before them; and whether there are such before them. */
static char *names_to_drop(const struct run_list *list, bool *others)
{
	char *names = NULL;

	*others = false;
	for (size_t i = 0; i < list->n_groups; i++) {
		char *before = names;

		if (!needs_another_pass(list, &list->groups[i])) {
			*others = true;
			continue;
		}
		names = papi_run_format("%s%s%s", before ? before : "", before ? "," : "", list->groups[i].name);
		free(before);
	}
	return names;
}

static void __attribute__((noreturn)) refuse(const struct run_list *list)
{
	bool others;
	char *names = names_to_drop(list, &others);

	papi_run_message("not all events of these groups fit into the processor's counters at once: %s%s, or have the "
			 "program run %zu times with --passes, each time with a part of the events",
		others ? "drop " : "ask for less than ", names ? names : "what -e names", list->passes);
	exit(RUN_EXIT_USAGE);
}

void papi_run_passes_plan(struct run_list *list, bool allowed)
{
	struct passes passes = { .number = 0 };

	list->passes = 1;
	if (!list->n_groups || !begin_pass(&passes))
		return;
	for (size_t i = 0; i < list->n_groups; i++)
		for (int metric = 0; metric < list->groups[i].metrics; metric++)
			place_metric(list, &passes, &list->groups[i], metric);
	for (size_t i = 0; i < list->number; i++)
		place_one_by_one(list, &passes, &i, 1);
	list->passes = passes.number;
	for (size_t pass = 0; pass < passes.number; pass++) {
		PAPI_cleanup_eventset(passes.sets[pass]);
		PAPI_destroy_eventset(&passes.sets[pass]);
	}
	if (list->passes > 1 && !allowed)
		refuse(list);
}

void papi_run_passes_conclude(struct run_list *list, size_t completed)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].pass >= completed)
			papi_run_events_refuse(&list->events[i],
				"a signal has ended papi_run before the run that would have counted it");
}
