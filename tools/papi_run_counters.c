/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_counters.c - EventSets attached to one process or thread, inherited by all that it starts.
 *
 * Software events share EventSets: each gets the first set that takes it, for those that conflict with each other do
 * not fit in one. An event that takes a counter of the CPU has a set of its own, multiplexed, so that more events than
 * counters take turns, and one that never gets a turn takes no other with it. All sets run at once, and each has one
 * component and one domain: the kernel may refuse to count some events in kernel mode and allow them in user mode.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "papi_run.h"

/* An empty EventSet for a component and a domain, attached and inherited. A PAPI code. */
static int set_create(struct run_set *set, pid_t tid, int component, int domain)
{
	PAPI_option_t option;
	int error;

	memset(set, 0, sizeof(*set));
	set->eventset = PAPI_NULL;
	set->component = component;
	set->domain = domain;
	if (component < 0)
		return component;
	error = PAPI_create_eventset(&set->eventset);
	if (error != PAPI_OK)
		return error;
	error = PAPI_assign_eventset_component(set->eventset, component);
	if (error == PAPI_OK) {
		memset(&option, 0, sizeof(option));
		option.domain.eventset = set->eventset;
		option.domain.domain = domain;
		error = PAPI_set_opt(PAPI_DOMAIN, &option);
	}
	if (error == PAPI_OK) {
		memset(&option, 0, sizeof(option));
		option.inherit.eventset = set->eventset;
		option.inherit.inherit = PAPI_INHERIT_ALL;
		error = PAPI_set_opt(PAPI_INHERIT, &option);
	}
	if (error == PAPI_OK)
		error = PAPI_attach(set->eventset, (unsigned long)tid);
	return error;
}

static void set_destroy(struct run_set *set)
{
	if (set->eventset != PAPI_NULL) {
		PAPI_stop(set->eventset, NULL); /* it may run, when another of the thread could not be started */
		PAPI_cleanup_eventset(set->eventset);
		PAPI_destroy_eventset(&set->eventset);
	}
	free(set->members);
	free(set->values);
	free(set->enabled_ns);
	free(set->running_ns);
}

static void set_remember(struct run_set *set, size_t member)
{
	size_t number = set->number + 1;

	set->members = papi_run_allocate(set->members, number, sizeof(*set->members));
	set->values = papi_run_allocate(set->values, number, sizeof(*set->values));
	set->enabled_ns = papi_run_allocate(set->enabled_ns, number, sizeof(*set->enabled_ns));
	set->running_ns = papi_run_allocate(set->running_ns, number, sizeof(*set->running_ns));
	set->values[set->number] = set->enabled_ns[set->number] = set->running_ns[set->number] = 0;
	set->members[set->number++] = member;
}

/* Puts an event into the first set of its component and domain that takes it. A PAPI code: PAPI_ECNFLCT if none. */
static int place_beside_others(struct run_counters *counters, size_t member, int code, int domain)
{
	int component = PAPI_get_event_component(code);

	for (size_t i = 0; i < counters->number; i++) {
		struct run_set *set = &counters->sets[i];
		int error;

		if (set->alone || set->component != component || set->domain != domain)
			continue;
		error = PAPI_add_event(set->eventset, code);
		if (error == PAPI_OK)
			set_remember(set, member);
		if (error != PAPI_ECNFLCT)
			return error;
	}
	return PAPI_ECNFLCT;
}

/* Puts an event into a new set. A PAPI code; the set stays with the caller when it is an error. */
static int place_in_new_set(
	struct run_counters *counters, struct run_set *set, size_t member, int code, int domain, bool alone)
{
	int error = set_create(set, counters->tid, PAPI_get_event_component(code), domain);

	set->alone = alone;
	/* Where the library cannot multiplex, the events that come first have the counters. */
	if (error == PAPI_OK && alone)
		PAPI_set_multiplex(set->eventset);
	if (error == PAPI_OK)
		error = PAPI_add_event(set->eventset, code);
	if (error != PAPI_OK)
		return error;
	set_remember(set, member);
	counters->sets = papi_run_allocate(counters->sets, counters->number + 1, sizeof(*counters->sets));
	counters->sets[counters->number++] = *set;
	return PAPI_OK;
}

/* A PAPI code, and on error the reason, for the caller to free. */
static int place_in_domain(
	struct run_counters *counters, const struct run_list *list, size_t member, int domain, char **reason)
{
	const struct run_event *event = &list->events[member];
	bool alone = papi_event_takes_counter(event->name);
	struct run_set set = { .eventset = PAPI_NULL };
	int code;
	int error = PAPI_event_name_to_code(event->name, &code);

	if (error == PAPI_OK) {
		error = alone ? PAPI_ECNFLCT : place_beside_others(counters, member, code, domain);
		if (error == PAPI_ECNFLCT)
			error = place_in_new_set(counters, &set, member, code, domain, alone);
	}
	if (error == PAPI_OK)
		return PAPI_OK;
	/* Asked for before the clean-up, which calls the library, too. */
	*reason = papi_run_format("%s", papi_run_events_reason(event->name, error));
	set_destroy(&set);
	return error;
}

/* Counts an event in user and kernel mode, or in user mode only when the kernel allows no more. */
static void place(struct run_counters *counters, struct run_list *list, size_t member)
{
	struct run_event *event = &list->events[member];
	char *refusal = NULL, *reason = NULL;
	int error = place_in_domain(counters, list, member, PAPI_DOM_USER | PAPI_DOM_KERNEL, &refusal);

	if (error == PAPI_OK)
		return;
	if (error != PAPI_EPERM) {
		papi_run_events_refuse(event, "%s", refusal);
	} else {
		error = place_in_domain(counters, list, member, PAPI_DOM_USER, &reason);
		if (error == PAPI_OK) {
			event->user_only = true;
			if (!list->kernel_note)
				list->kernel_note = papi_run_format("%s", refusal);
		} else {
			/* Refused again for want of permission: that is nearer to the cause than the first refusal. */
			papi_run_events_refuse(event, "%s", error == PAPI_EPERM ? reason : refusal);
		}
	}
	free(refusal);
	free(reason);
}

/*
 * Attaches counters to a process or thread for all events of this pass that are not given up yet. An event that cannot
 * be counted there is given up for good: a sum over threads with one of them missing would be wrong.
 */
void papi_run_counters_open(struct run_counters *counters, struct run_list *list, pid_t tid)
{
	memset(counters, 0, sizeof(*counters));
	counters->tid = tid;
	for (size_t i = 0; i < list->number; i++)
		if (!list->events[i].error && !list->events[i].is_virtual && !list->events[i].is_apart &&
			list->events[i].pass == list->pass)
			place(counters, list, i);
}

static void refuse_all(struct run_list *list, const struct run_set *set, int error)
{
	for (size_t i = 0; i < set->number; i++) {
		struct run_event *event = &list->events[set->members[i]];

		papi_run_events_refuse(event, "%s", papi_run_events_reason(event->name, error));
	}
}

void papi_run_counters_start(struct run_counters *counters, struct run_list *list)
{
	for (size_t i = 0; i < counters->number; i++) {
		int error = PAPI_start(counters->sets[i].eventset);

		if (error != PAPI_OK)
			refuse_all(list, &counters->sets[i], error);
	}
}

static void set_collect(const struct run_set *set, struct run_list *list, size_t run)
{
	for (size_t i = 0; i < set->number; i++) {
		struct run_event *event = &list->events[set->members[i]];

		if (event->error)
			continue;
		if (set->enabled_ns[i] > 0 && set->running_ns[i] == 0) {
			papi_run_events_refuse(event,
				"it never got a hardware counter, others held them all the time: "
				"ask for fewer events at once");
			continue;
		}
		event->counts[run] += set->values[i];
		event->enabled_ns += set->enabled_ns[i];
		event->running_ns += set->running_ns[i];
	}
}

/* Stops all sets, then adds what they counted to the given run of their events: a thread adds to those before it. */
void papi_run_counters_stop(struct run_counters *counters, struct run_list *list, size_t run)
{
	for (size_t i = 0; i < counters->number; i++) {
		struct run_set *set = &counters->sets[i];
		int error = PAPI_stop(set->eventset, set->values);

		if (error == PAPI_OK)
			error = PAPI_get_event_times(set->eventset, set->enabled_ns, set->running_ns);
		if (error == PAPI_OK)
			set_collect(set, list, run);
		else
			refuse_all(list, set, error);
	}
}

void papi_run_counters_read(struct run_counters *counters, const struct run_list *list, struct run_reading *readings)
{
	for (size_t i = 0; i < counters->number; i++) {
		struct run_set *set = &counters->sets[i];

		/* Of what cannot be read just now, the values are those of the last time. */
		if (PAPI_read(set->eventset, set->values) == PAPI_OK)
			PAPI_get_event_times(set->eventset, set->enabled_ns, set->running_ns);
		for (size_t k = 0; k < set->number; k++) {
			struct run_reading *reading = &readings[set->members[k]];

			if (list->events[set->members[k]].error)
				continue;
			reading->count += set->values[k];
			reading->enabled_ns += set->enabled_ns[k];
			reading->running_ns += set->running_ns[k];
		}
	}
}

void papi_run_counters_close(struct run_counters *counters)
{
	for (size_t i = 0; i < counters->number; i++)
		set_destroy(&counters->sets[i]);
	free(counters->sets);
	memset(counters, 0, sizeof(*counters));
}
