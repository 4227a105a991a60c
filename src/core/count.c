/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting: the hot path. Nothing here takes a lock, allocates (but PAPI_write) or makes a system call of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/thread.h"

/* Sums of 64-bit counts may wrap; they must not be undefined. */
static long long wrapping_sum(long long a, long long b)
{
	return (long long)((unsigned long long)a + (unsigned long long)b);
}

long long papi_count_value(const struct papi_eventset *set, unsigned i)
{
	const struct papi_set_event *event = &set->events[i];

	return event->event.formula ? papi_formula_evaluate(event->event.formula, set->counts, event->places)
				    : set->counts[event->places[0]];
}

static long long value_of(const struct papi_eventset *set, unsigned i)
{
	long long value = papi_count_value(set, i);

	return papi_eventset_written(set) ? wrapping_sum(value, set->offsets[i]) : value;
}

/* The user's values from the counts of the natives. */
static void evaluate(const struct papi_eventset *set, long long values[])
{
	if (set->as_counted && !papi_eventset_written(set)) {
		memcpy(values, set->counts, set->n_events * sizeof(values[0]));
		return;
	}
	for (unsigned i = 0; i < set->n_events; i++)
		values[i] = value_of(set, i);
}

static void add_values(const struct papi_eventset *set, long long values[])
{
	bool as_counted = set->as_counted && !papi_eventset_written(set);

	for (unsigned i = 0; i < set->n_events; i++)
		values[i] = wrapping_sum(values[i], as_counted ? set->counts[i] : value_of(set, i));
}

static int read_parts(struct papi_eventset *set, bool rebase)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		const struct papi_part *part = &set->parts[i];
		int status = part->component->read(part->control, set->counts + part->first, rebase);

		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}

static int refresh(const struct papi_part *part, long long values[])
{
	return part->component->unseen ? part->component->unseen->read(part->control, values)
				       : part->component->read(part->control, values, false);
}

int papi_count_refresh(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		int status = refresh(&set->parts[i], set->counts + set->parts[i].first);

		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}

/* ---- Features: core/feature.h -------------------------------------------------------------------------- */

static __attribute__((cold, noinline)) int tell_features(const struct papi_eventset *set, enum papi_phase phase)
{
	return papi_features_tell(set->features, phase, papi_handle_slot(set->handle));
}

static inline int tell(const struct papi_eventset *set, enum papi_phase phase)
{
	return __builtin_expect(set->features != 0, 0) ? tell_features(set, phase) : PAPI_OK;
}

static __attribute__((cold, noinline)) int tell_if_running(
	const struct papi_eventset *set, enum papi_phase phase, int status)
{
	if (set->running)
		tell_features(set, phase);
	return status;
}

/* What matters only to sets that count at the moment, and is no reason for another status. */
static inline int tell_running(const struct papi_eventset *set, enum papi_phase phase, int status)
{
	return __builtin_expect(set->features != 0, 0) ? tell_if_running(set, phase, status) : status;
}

static void forget_written(struct papi_eventset *set)
{
	set->features &= (uint8_t)~PAPI_FEATURE_WRITTEN;
}

/* A run starts from zero, whatever was written before. */
static int prepare_written(struct papi_slot *slot)
{
	forget_written(slot->set);
	return PAPI_OK;
}

const struct papi_feature papi_written_feature = {
	.in[PAPI_PHASE_PREPARE] = prepare_written,
};

/* ---- Starting and stopping ----------------------------------------------------------------------------- */

/* Stops the parts that were started before one that could not be. What they counted means nothing. */
static void abandon_start(struct papi_eventset *set, unsigned n_started)
{
	papi_error_keep();
	while (n_started--)
		set->parts[n_started].component->stop(
			set->parts[n_started].control, set->counts + set->parts[n_started].first);
	memset(set->counts, 0, set->n_natives * sizeof(*set->counts));
	papi_error_restore();
}

static int start_part(const struct papi_part *part, void *frame)
{
	const struct papi_component *component = part->component;

	return __builtin_expect(component->translator != NULL, 0) ? component->translator->start(part->control, frame)
								  : component->start(part->control);
}

int papi_count_start(struct papi_eventset *set, void *frame)
{
	int status;

	if (set->running)
		return papi_error(PAPI_EISRUN, "the EventSet is counting already");
	if (!set->n_events)
		return papi_error(PAPI_EINVAL, "the EventSet is empty: add events before PAPI_start");
	if (set->owner != papi_thread_number()) {
		status = papi_eventset_adopt(set);
		if (status != PAPI_OK)
			return status;
	}
	papi_way_clear(set);
	status = tell(set, PAPI_PHASE_PREPARE);
	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; i < set->n_parts; i++) {
		status = start_part(&set->parts[i], frame);
		if (status == PAPI_OK)
			continue;
		/* With one part, nothing has happened: the values of the last run stay. */
		if (i)
			abandon_start(set, i);
		return status;
	}
	status = tell(set, PAPI_PHASE_STARTED);
	if (status != PAPI_OK) {
		tell(set, PAPI_PHASE_STOPPING);
		abandon_start(set, set->n_parts);
		return status;
	}
	set->running = true;
	papi_way_choose(set);
	return PAPI_OK;
}

static void forget_values(struct papi_eventset *set)
{
	if (set->n_natives)
		memset(set->counts, 0, set->n_natives * sizeof(*set->counts));
	forget_written(set);
}

int papi_count_lost(struct papi_eventset *set, int status)
{
	forget_values(set);
	return status;
}

static int stop(struct papi_eventset *set, long long values[])
{
	int status = PAPI_OK;

	if (!set->running)
		return papi_error(PAPI_ENOTRUN, "the EventSet is not counting");
	tell(set, PAPI_PHASE_STOPPING);
	/* In the opposite order of start, so that the first component sees the whole region; all of them, come what
	 * may. */
	for (unsigned i = set->n_parts; i-- > 0;) {
		const struct papi_part *part = &set->parts[i];
		int stopped = part->component->stop(part->control, set->counts + part->first);

		if (status == PAPI_OK)
			status = stopped;
	}
	set->running = false;
	papi_way_settle(set);
	if (status != PAPI_OK)
		forget_values(set);
	else if (values)
		evaluate(set, values);
	tell(set, PAPI_PHASE_STOPPED);
	return status;
}

int papi_count_stop_and_leave(struct papi_slot *slot, long long values[])
{
	unsigned used = slot->set->features;
	int status = stop(slot->set, values);

	if (status == PAPI_OK)
		papi_way_open(slot);
	papi_handle_leave(slot);
	if (__builtin_expect(used != 0, 0))
		papi_features_tell(used, PAPI_PHASE_LEFT, slot);
	return status;
}

int papi_count_read_full(struct papi_eventset *set, long long values[])
{
	int status = set->running ? read_parts(set, false) : PAPI_OK;

	if (status == PAPI_OK)
		evaluate(set, values);
	return tell_running(set, PAPI_PHASE_READ, status);
}

/* All or nothing: where a native of a later part has had no turn yet, an earlier part must not lose its counts. */
static int read_and_rebase(struct papi_eventset *set)
{
	int status = set->multiplex && set->n_parts > 1 ? read_parts(set, false) : PAPI_OK;

	return status == PAPI_OK ? read_parts(set, true) : status;
}

int papi_count_accum(struct papi_eventset *set, long long values[])
{
	if (set->running) {
		int status = tell_running(set, PAPI_PHASE_READ, read_and_rebase(set));

		if (status != PAPI_OK)
			return status;
	}
	add_values(set, values);
	tell_running(set, PAPI_PHASE_REBASED, PAPI_OK);
	forget_values(set);
	return PAPI_OK;
}

/* Nobody asks what the events have counted: that a multiplexed one has had no turn is no obstacle. */
static int rebase_part(const struct papi_eventset *set, const struct papi_part *part)
{
	const struct papi_component *component = part->component;

	if (component->unseen)
		return component->unseen->rebase(part->control);
	if (set->multiplex && component->turns)
		return component->turns->rebase(part->control);
	return component->read(part->control, set->counts + part->first, true);
}

static int rebase_parts(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		int status = rebase_part(set, &set->parts[i]);

		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}

int papi_count_reset(struct papi_eventset *set)
{
	if (set->running) {
		int status = tell_running(set, PAPI_PHASE_READ, rebase_parts(set));

		if (status != PAPI_OK)
			return status;
	}
	tell_running(set, PAPI_PHASE_REBASED, PAPI_OK);
	forget_values(set);
	return PAPI_OK;
}

/* Counters are not written: what the next read shows is a matter of an offset. */
int papi_count_write(struct papi_eventset *set, const long long values[])
{
	int status;

	if (!set->offsets)
		set->offsets = calloc(set->n_events, sizeof(*set->offsets));
	if (!set->offsets)
		return papi_error(PAPI_ENOMEM, "no memory for the values of an EventSet");
	forget_written(set);
	status = papi_count_read(set, set->offsets);
	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; i < set->n_events; i++)
		set->offsets[i] = (long long)((unsigned long long)values[i] - (unsigned long long)set->offsets[i]);
	set->features |= PAPI_FEATURE_WRITTEN;
	return PAPI_OK;
}

/* That an event of a multiplexed set has had no turn is an answer here, not an obstacle. */
static int bring_times_up_to_date(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		const struct papi_part *part = &set->parts[i];
		int status = refresh(part, set->counts + part->first);

		if (status != PAPI_OK && !(set->multiplex && status == PAPI_ECNFLCT))
			return status;
	}
	return PAPI_OK;
}

/* An event that needs several natives has counted for the time that all of them did: the least. */
int papi_count_times(struct papi_eventset *set, long long enabled[], long long running[])
{
	int status = set->running ? bring_times_up_to_date(set) : PAPI_OK;

	status = tell_running(set, PAPI_PHASE_READ, status);
	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; i < set->n_events; i++) {
		const struct papi_set_event *event = &set->events[i];
		long long least_enabled = 0, least_running = 0;

		for (unsigned j = 0; j < event->event.n_natives; j++) {
			const struct papi_part *part = set->parts;
			long long e = 0, r = 0;

			while (event->places[j] >= part->first + part->count)
				part++;
			part->component->times(part->control, event->places[j] - part->first, &e, &r, set->running);
			if (!j || r < least_running) {
				least_enabled = e;
				least_running = r;
			}
		}
		if (enabled)
			enabled[i] = least_enabled;
		if (running)
			running[i] = least_running;
	}
	return PAPI_OK;
}
