/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/eventset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/library.h"
#include "core/multiplex.h"
#include "core/overflow.h"
#include "core/thread.h"

static int no_memory(void)
{
	return papi_error(PAPI_ENOMEM, "no memory for an EventSet");
}

struct papi_eventset *papi_eventset_create(void)
{
	struct papi_eventset *set = calloc(1, sizeof(*set));

	if (!set) {
		no_memory();
		return NULL;
	}
	set->owner = papi_thread_number();
	set->options = papi_library_defaults();
	set->assigned = -1;
	return set;
}

int papi_eventset_position(const struct papi_eventset *set, int code)
{
	for (unsigned i = 0; i < set->n_events; i++)
		if (set->events[i].event.code == code)
			return (int)i;
	return -1;
}

static int place_of(const struct papi_eventset *set, const struct papi_native *native)
{
	for (unsigned i = 0; i < set->n_natives; i++)
		if (set->natives[i].native == native)
			return (int)i;
	return -1;
}

/* The parts own consecutive runs of places. */
static void lay_out_parts(struct papi_eventset *set)
{
	unsigned next = 0;

	for (unsigned i = 0; i < set->n_parts; i++) {
		set->parts[i].first = next;
		next += set->parts[i].count;
	}
}

/* Finds every event's places again, after natives have come or gone. */
static void plan(struct papi_eventset *set)
{
	unsigned next = 0;

	set->as_counted = set->n_parts == 1 && set->n_events == set->n_natives && !set->multiplex;
	set->way = PAPI_WAY_FULL;
	set->direct = NULL;
	for (unsigned i = 0; i < set->n_events; i++) {
		struct papi_set_event *event = &set->events[i];

		/* A native mostly stands behind the one before it: looking there first keeps large sets linear. */
		for (unsigned j = 0; j < event->event.n_natives; j++) {
			const struct papi_native *native = event->event.natives[j];

			if (next >= set->n_natives || set->natives[next].native != native)
				next = (unsigned)place_of(set, native);
			event->places[j] = next++;
		}
		if (event->event.formula || event->places[0] != i)
			set->as_counted = false;
	}
	if (papi_eventset_armed(set))
		papi_overflow_replan(set);
}

static struct papi_part *part_of(struct papi_eventset *set, const struct papi_component *component)
{
	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component == component)
			return &set->parts[i];
	return NULL;
}

static int check_ranges(const PAPI_component_info_t *info, const struct papi_options *options)
{
	if (papi_range_is_set(&options->data) && !info->data_address_range)
		return papi_error(
			PAPI_ECMP, "component %s cannot restrict its events to a range of data addresses", info->name);
	if (papi_range_is_set(&options->instructions) && !info->instr_address_range)
		return papi_error(PAPI_ECMP,
			"component %s cannot restrict its events to a range of instruction addresses", info->name);
	return PAPI_OK;
}

static int configure_part(const struct papi_part *part, const struct papi_options *options)
{
	int status = check_ranges(part->component->info, options);

	return status == PAPI_OK ? part->component->configure(part->control, options) : status;
}

static int add_part(struct papi_eventset *set, const struct papi_component *component, struct papi_part **added)
{
	struct papi_part *parts = realloc(set->parts, (set->n_parts + 1) * sizeof(*parts));
	struct papi_part *part;
	int status;

	if (!parts)
		return no_memory();
	set->parts = parts;
	part = &parts[set->n_parts];
	*part = (struct papi_part){ .component = component, .first = set->n_natives };
	part->control = calloc(1, component->control_size);
	if (!part->control)
		return no_memory();
	status = configure_part(part, &set->options);
	if (status != PAPI_OK) {
		free(part->control);
		return status;
	}
	set->n_parts++;
	*added = part;
	return PAPI_OK;
}

static void drop_part(struct papi_eventset *set, struct papi_part *part)
{
	part->component->close(part->control);
	free(part->control);
	memmove(part, part + 1, (size_t)(&set->parts[--set->n_parts] - part) * sizeof(*part));
}

static int add_native(struct papi_eventset *set, const struct papi_native *native)
{
	const struct papi_component *component = papi_components[native->component];
	struct papi_part *part = part_of(set, component);
	struct papi_set_native *natives;
	long long *counts;
	int place = place_of(set, native), status = PAPI_OK;
	unsigned at;

	if (place >= 0) {
		set->natives[place].uses++;
		return PAPI_OK;
	}
	natives = realloc(set->natives, (set->n_natives + 1) * sizeof(*natives));
	if (natives)
		set->natives = natives;
	counts = realloc(set->counts, (set->n_natives + 1) * sizeof(*counts));
	if (counts)
		set->counts = counts;
	if (!natives || !counts)
		return no_memory();
	if (!part)
		status = add_part(set, component, &part);
	if (status != PAPI_OK)
		return status;
	status = component->add(part->control, native->encoding);
	if (status != PAPI_OK) {
		papi_error_prefix(status, "%s", native->name);
		if (!part->count)
			drop_part(set, part);
		return status;
	}
	at = part->first + part->count++;
	memmove(&natives[at + 1], &natives[at], (set->n_natives - at) * sizeof(*natives));
	memmove(&counts[at + 1], &counts[at], (set->n_natives - at) * sizeof(*counts));
	natives[at] = (struct papi_set_native){ .native = native, .uses = 1 };
	counts[at] = 0;
	set->n_natives++;
	lay_out_parts(set);
	return PAPI_OK;
}

static void remove_native(struct papi_eventset *set, const struct papi_native *native)
{
	struct papi_part *part = part_of(set, papi_components[native->component]);
	unsigned place = (unsigned)place_of(set, native);

	if (--set->natives[place].uses)
		return;
	if (part->count == 1)
		drop_part(set, part);
	else {
		part->component->remove(part->control, place - part->first);
		part->count--;
	}
	set->n_natives--;
	memmove(&set->natives[place], &set->natives[place + 1], (set->n_natives - place) * sizeof(*set->natives));
	memmove(&set->counts[place], &set->counts[place + 1], (set->n_natives - place) * sizeof(*set->counts));
	lay_out_parts(set);
}

bool papi_eventset_takes(int assigned, int component)
{
	return assigned < 0 || component == assigned || (assigned == 0 && component == papi_component_stand_in());
}

static int check_assigned(const struct papi_eventset *set, const struct papi_event *event)
{
	for (unsigned i = 0; i < event->n_natives; i++)
		if (!papi_eventset_takes(set->assigned, event->natives[i]->component))
			return papi_error(PAPI_ECMP, "%s belongs to component %d, and the EventSet was assigned to %d",
				event->natives[i]->name, event->natives[i]->component, set->assigned);
	return PAPI_OK;
}

/* Room for one more event; its places too. */
static int make_room(struct papi_eventset *set, const struct papi_event *event)
{
	struct papi_set_event *events = realloc(set->events, (set->n_events + 1) * sizeof(*events));
	struct papi_set_event *added;

	if (!events)
		return no_memory();
	for (unsigned i = 0; i < set->n_events; i++)
		if (events[i].event.n_natives == 1)
			events[i].places = &events[i].place;
	set->events = events;
	if (set->offsets) {
		long long *offsets = realloc(set->offsets, (set->n_events + 1) * sizeof(*offsets));

		if (!offsets)
			return no_memory();
		offsets[set->n_events] = 0;
		set->offsets = offsets;
	}
	added = &events[set->n_events];
	*added = (struct papi_set_event){ .event = *event, .places = &added->place };
	if (event->n_natives > 1)
		added->places = calloc(event->n_natives, sizeof(*added->places));
	return added->places ? PAPI_OK : no_memory();
}

static void free_slots(struct papi_set_event *event)
{
	if (event->places != &event->place)
		free(event->places);
}

int papi_eventset_add(struct papi_eventset *set, int code)
{
	struct papi_event event;
	unsigned added = 0;
	int status;

	if (set->running)
		return papi_error(PAPI_EISRUN, "the EventSet is counting: stop it before adding events");
	status = papi_event_get(code, &event);
	if (status != PAPI_OK)
		return status;
	if (papi_eventset_position(set, code) >= 0)
		return papi_error(PAPI_ECNFLCT, "%s is in the EventSet already", papi_event_name(code));
	status = check_assigned(set, &event);
	if (status == PAPI_OK)
		status = papi_eventset_adopt(set);
	if (status == PAPI_OK)
		status = make_room(set, &event);
	if (status != PAPI_OK)
		return status;
	while (status == PAPI_OK && added < event.n_natives) {
		status = add_native(set, event.natives[added]);
		added += status == PAPI_OK;
	}
	if (status != PAPI_OK) {
		while (added)
			remove_native(set, event.natives[--added]);
		free_slots(&set->events[set->n_events]);
		plan(set);
		return status;
	}
	set->n_events++;
	papi_event_hold(&event, 1);
	plan(set);
	return PAPI_OK;
}

static void remove_at(struct papi_eventset *set, unsigned position)
{
	struct papi_set_event removed = set->events[position];

	if (removed.places == &set->events[position].place)
		removed.places = NULL;
	for (unsigned i = 0; i < removed.event.n_natives; i++)
		remove_native(set, removed.event.natives[i]);
	free(removed.places);
	papi_event_hold(&removed.event, -1);
	set->n_events--;
	for (unsigned i = position; i < set->n_events; i++) {
		set->events[i] = set->events[i + 1];
		if (set->events[i].event.n_natives == 1)
			set->events[i].places = &set->events[i].place;
		if (set->offsets)
			set->offsets[i] = set->offsets[i + 1];
	}
	plan(set);
}

int papi_eventset_remove(struct papi_eventset *set, int code)
{
	int position = papi_eventset_position(set, code);

	if (set->running)
		return papi_error(PAPI_EISRUN, "the EventSet is counting: stop it before removing events");
	if (position < 0)
		return papi_error(PAPI_ENOEVNT, "event 0x%08x is not in the EventSet", (unsigned)code);
	if (papi_eventset_armed(set))
		papi_overflow_remove(set, code);
	remove_at(set, (unsigned)position);
	return PAPI_OK;
}

void papi_eventset_clean(struct papi_eventset *set)
{
	papi_multiplex_free(set);
	set->options.multiplex = set->options.take_turns = false;
	papi_overflow_forget(set);
	/* All parts at once: taking events out one by one would reopen groups whose leaders go. */
	for (unsigned i = 0; i < set->n_parts; i++) {
		set->parts[i].component->close(set->parts[i].control);
		free(set->parts[i].control);
	}
	for (unsigned i = 0; i < set->n_events; i++) {
		free_slots(&set->events[i]);
		papi_event_hold(&set->events[i].event, -1);
	}
	free(set->parts);
	free(set->events);
	free(set->natives);
	free(set->counts);
	free(set->offsets);
	set->parts = NULL;
	set->events = NULL;
	set->natives = NULL;
	set->counts = set->offsets = NULL;
	set->n_parts = set->n_events = set->n_natives = 0;
	set->as_counted = false;
	set->way = PAPI_WAY_FULL;
	set->direct = NULL;
	set->features = 0;
}

void papi_eventset_free(struct papi_eventset *set)
{
	papi_eventset_clean(set);
	free(set);
}

static int configure_parts(struct papi_eventset *set, const struct papi_options *options)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		int status = configure_part(&set->parts[i], options);

		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}

int papi_eventset_configure(struct papi_eventset *set, const struct papi_options *options)
{
	int status = papi_eventset_armed(set) ? papi_overflow_check(set, options) : PAPI_OK;

	if (status == PAPI_OK && options->multiplex && !set->multiplex)
		status = papi_multiplex_prepare(set);
	if (status != PAPI_OK)
		return status;
	status = configure_parts(set, options);
	if (status == PAPI_OK) {
		set->options = *options;
		set->owner = papi_thread_number();
		plan(set);
		return PAPI_OK;
	}
	/* The parts that took the new options take the old ones back; the reason to tell is the first one. */
	papi_error_keep();
	configure_parts(set, &set->options);
	if (!set->options.multiplex)
		papi_multiplex_free(set);
	papi_error_restore();
	return status;
}

void papi_eventset_range_offsets(const struct papi_eventset *set, bool data, int *start, int *end)
{
	*start = *end = 0;
	for (unsigned i = 0; i < set->n_parts; i++) {
		int before = 0, behind = 0;

		if (!set->parts[i].component->range_offsets)
			continue;
		set->parts[i].component->range_offsets(set->parts[i].control, data, &before, &behind);
		*start = before > *start ? before : *start;
		*end = behind > *end ? behind : *end;
	}
}

int papi_eventset_adopt(struct papi_eventset *set)
{
	if (set->owner == papi_thread_number())
		return PAPI_OK;
	if (set->options.attach || set->options.cpu >= 0) {
		set->owner = papi_thread_number();
		return PAPI_OK;
	}
	return papi_eventset_configure(set, &set->options);
}

void papi_eventset_forking(struct papi_eventset *set)
{
	for (unsigned i = 0; set->running && i < set->n_parts; i++) {
		const struct papi_part *part = &set->parts[i];

		part->component->read(part->control, set->counts + part->first, false);
	}
}

void papi_eventset_orphaned(struct papi_eventset *set)
{
	papi_features_tell(set->features, PAPI_PHASE_FORKED, papi_handle_slot(set->handle));
	set->running = false;
	set->owner = 0;
}

void papi_eventset_forked(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component->forked)
			set->parts[i].component->forked(set->parts[i].control);
	papi_eventset_orphaned(set);
}
