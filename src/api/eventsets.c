/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_create_eventset, PAPI_destroy_eventset, PAPI_cleanup_eventset, PAPI_add_event(s),
 * PAPI_remove_event(s), PAPI_list_events, PAPI_num_events, PAPI_state.
 */
#include "api/api.h"

#include "core/overflow.h"
#include "core/thread.h"

static int create(int *EventSet)
{
	struct papi_eventset *set;
	int status;

	if (!EventSet)
		return papi_null_argument("PAPI_create_eventset", "EventSet");
	if (*EventSet != PAPI_NULL)
		return papi_error(PAPI_EINVAL,
			"PAPI_create_eventset wants *EventSet to be PAPI_NULL, and it is %d; a handle "
			"that is overwritten can never be destroyed",
			*EventSet);
	status = papi_thread_register();
	if (status != PAPI_OK)
		return status;
	set = papi_eventset_create();
	if (!set)
		return PAPI_ENOMEM;
	status = papi_handle_create(set, EventSet);
	if (status != PAPI_OK)
		papi_eventset_free(set);
	return status;
}

int PAPI_create_eventset(int *EventSet)
{
	int status = papi_library_enter();

	if (status == PAPI_OK) {
		status = create(EventSet);
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_cleanup_eventset(int EventSet)
{
	struct papi_slot *slot;
	int status = papi_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		if (slot->set->running)
			status = papi_error(
				PAPI_EISRUN, "the EventSet is counting: stop it before PAPI_cleanup_eventset");
		else
			papi_eventset_clean(slot->set);
		papi_leave(slot);
	}
	return papi_result(status);
}

static int destroy(int *EventSet, struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;
	int status = PAPI_OK;

	if (set->running)
		status = papi_error(PAPI_EISRUN, "the EventSet is counting: stop it before PAPI_destroy_eventset");
	else if (set->n_events)
		status = papi_error(PAPI_EINVAL,
			"the EventSet holds %u events: PAPI_cleanup_eventset comes before "
			"PAPI_destroy_eventset",
			set->n_events);
	if (status != PAPI_OK) {
		papi_handle_leave(slot);
		return status;
	}
	papi_handle_destroy(slot);
	papi_eventset_free(set);
	*EventSet = PAPI_NULL;
	return PAPI_OK;
}

int PAPI_destroy_eventset(int *EventSet)
{
	struct papi_slot *slot;
	int status;

	if (!EventSet)
		return papi_result(papi_null_argument("PAPI_destroy_eventset", "EventSet"));
	status = papi_enter(*EventSet, &slot);
	if (status == PAPI_OK) {
		status = destroy(EventSet, slot);
		papi_library_leave();
	}
	return papi_result(status);
}

static int change(int EventSet, int code, int (*operation)(struct papi_eventset *set, int code))
{
	struct papi_slot *slot;
	int status = papi_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		status = operation(slot->set, code);
		papi_leave(slot);
	}
	return status;
}

/* The same for an array: how many succeeded before the first failure, or that failure when it was the first. */
static int change_all(
	int EventSet, const int codes[], int number, int (*operation)(struct papi_eventset *set, int code))
{
	if (!codes || number <= 0)
		return papi_error(PAPI_EINVAL, "an array of at least one event code is needed");
	for (int i = 0; i < number; i++) {
		int status = change(EventSet, codes[i], operation);

		if (status != PAPI_OK)
			return i ? i : status;
	}
	return PAPI_OK;
}

static int change_named(int EventSet, const char *name, int (*operation)(struct papi_eventset *set, int code))
{
	struct papi_slot *slot;
	int code, status;

	if (!name)
		return papi_error(PAPI_EINVAL, "the name of the event is a null pointer");
	status = papi_enter(EventSet, &slot);
	if (status != PAPI_OK)
		return status;
	status = papi_event_code(name, &code);
	if (status == PAPI_OK)
		status = operation(slot->set, code);
	papi_leave(slot);
	return status;
}

int PAPI_add_event(int EventSet, int Event)
{
	return papi_result(change(EventSet, Event, papi_eventset_add));
}

int PAPI_add_events(int EventSet, int *Events, int number)
{
	return papi_result(change_all(EventSet, Events, number, papi_eventset_add));
}

int PAPI_add_named_event(int EventSet, const char *EventName)
{
	return papi_result(change_named(EventSet, EventName, papi_eventset_add));
}

int PAPI_remove_event(int EventSet, int EventCode)
{
	return papi_result(change(EventSet, EventCode, papi_eventset_remove));
}

int PAPI_remove_events(int EventSet, int *Events, int number)
{
	return papi_result(change_all(EventSet, Events, number, papi_eventset_remove));
}

int PAPI_remove_named_event(int EventSet, const char *EventName)
{
	return papi_result(change_named(EventSet, EventName, papi_eventset_remove));
}

int PAPI_list_events(int EventSet, int *Events, int *number)
{
	struct papi_slot *slot;
	int status;

	if (!number || *number < 0 || (!Events && *number))
		return papi_result(
			papi_error(PAPI_EINVAL, "PAPI_list_events needs an array and, in *number, its length"));
	status = papi_handle_enter(EventSet, &slot);
	if (status == PAPI_OK) {
		for (int i = 0; i < *number && (unsigned)i < slot->set->n_events; i++)
			Events[i] = slot->set->events[i].event.code;
		*number = (int)slot->set->n_events;
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

int PAPI_num_events(int EventSet)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		status = (int)slot->set->n_events;
		papi_handle_leave(slot);
	}
	return papi_result(status);
}

static int state_of(const struct papi_eventset *set)
{
	int state = set->running ? PAPI_RUNNING : PAPI_STOPPED;

	if (papi_overflow_uses(set, false))
		state |= PAPI_OVERFLOWING;
	if (papi_overflow_uses(set, true))
		state |= PAPI_PROFILING;
	if (set->options.multiplex)
		state |= PAPI_MULTIPLEXING;
	if (set->options.attach)
		state |= PAPI_ATTACHED;
	if (set->options.cpu >= 0)
		state |= PAPI_CPU_ATTACHED;
	return state;
}

int PAPI_state(int EventSet, int *status)
{
	struct papi_slot *slot;
	int result;

	if (!status)
		return papi_result(papi_null_argument("PAPI_state", "status"));
	result = papi_handle_enter(EventSet, &slot);
	if (result == PAPI_OK) {
		*status = state_of(slot->set);
		papi_handle_leave(slot);
	}
	return papi_result(result);
}

/* A set belongs to a component that it was assigned to, or whose events it holds. */
static int assign(struct papi_eventset *set, const struct papi_component *component)
{
	int cidx = component->info->CmpIdx, status = papi_component_check(component);

	/* The CPU can be counted as long as one component can. */
	if (status != PAPI_OK && (cidx || papi_component_stand_in() < 0))
		return status;
	for (unsigned i = 0; i < set->n_parts; i++)
		if (!papi_eventset_takes(cidx, set->parts[i].component->info->CmpIdx))
			return papi_error(PAPI_EINVAL, "the EventSet has a component already: it holds events of %s",
				set->parts[i].component->info->name);
	if (set->assigned >= 0 && set->assigned != cidx)
		return papi_error(
			PAPI_EINVAL, "the EventSet has a component already: it was assigned to %d", set->assigned);
	set->assigned = cidx;
	return PAPI_OK;
}

int PAPI_assign_eventset_component(int EventSet, int cidx)
{
	const struct papi_component *component = papi_component_get(cidx);
	struct papi_slot *slot;
	int status = component ? papi_enter(EventSet, &slot) : PAPI_ENOCMP;

	if (status == PAPI_OK) {
		status = assign(slot->set, component);
		papi_leave(slot);
	}
	return papi_result(status);
}

int PAPI_get_eventset_component(int EventSet)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		const struct papi_eventset *set = slot->set;

		if (set->assigned >= 0)
			status = set->assigned;
		else if (set->n_parts)
			status = set->parts[0].component->info->CmpIdx;
		else
			status = papi_error(
				PAPI_ENOCMP, "the EventSet is empty and no component has been assigned to it");
		papi_handle_leave(slot);
	}
	return papi_result(status);
}
