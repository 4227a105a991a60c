/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EventSets: a list of events that are counted together.
 *
 *	events    PAPI_TOT_INS      DERIVED            (what the user added)
 *	             |             /       \
 *	natives   place 0      place 1       place 2      (what is counted, each once, however many events use it)
 *	          \_____________/            |
 *	parts      perf_event             rusage       (a component and its control; owns a run of places)
 *
 * A part owns the places first .. first+count-1, so a component reads straight into the array of counts. Adding and
 * removing rebuilds the plan (the places of each event); start, read and stop only follow it. Where each event i is
 * place i itself and there is one part, values are as counted: a read goes straight into the caller's array.
 *
 * A set belongs to the thread that made it or last started it (owner): without attach, its counters count that thread.
 * Started by another thread, it moves there.
 *
 * All functions here expect to be inside the set (core/handles.h); those that add and remove also expect the library
 * lock, since they look at names.
 */
#ifndef PAPI_CORE_EVENTSET_H
#define PAPI_CORE_EVENTSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/component.h"
#include "core/direct.h"
#include "core/feature.h"
#include "core/way.h"
#include "events/events.h"
#include "events/formula.h"

struct papi_set_event {
	struct papi_event event;
	unsigned *places; /* of the event's natives; points at place where there is one */
	unsigned place;
};

struct papi_set_native {
	const struct papi_native *native;
	unsigned uses; /* by events of the set */
};

struct papi_part {
	const struct papi_component *component;
	void *control;
	unsigned first, count;
};

struct papi_eventset {
	struct papi_part *parts;
	unsigned n_parts;
	unsigned n_events, n_natives;
	bool running;
	bool as_counted;    /* value i is count i, of the one part */
	uint8_t features;   /* that it uses (core/feature.h) */
	enum papi_way way;  /* of the last start (core/way.h) */
	uint32_t owner;     /* papi_thread_number() of the thread it counts */
	long long *counts;  /* per place: scratch of reads; the last counts once stopped */
	long long *offsets; /* per event, from PAPI_write() */
	struct papi_set_event *events;
	struct papi_set_native *natives;
	struct papi_options options;
	int assigned; /* component of PAPI_assign_eventset_component, -1: none */
	int handle;
	struct papi_direct *direct;       /* core/direct.h, as of the last start or stop; NULL: none */
	struct papi_multiplex *multiplex; /* of a multiplexed set (core/multiplex.h), else NULL */
	struct papi_sampling *sampling;   /* of an armed set (core/overflow.h), else NULL */
};

/* Whether its values are what PAPI_write() asked for, and what was counted since: until the next start or reset. */
static inline bool papi_eventset_written(const struct papi_eventset *set)
{
	return set->features & PAPI_FEATURE_WRITTEN;
}

/* Whether events of the set overflow. */
static inline bool papi_eventset_armed(const struct papi_eventset *set)
{
	return set->features & PAPI_FEATURE_OVERFLOW;
}

struct papi_slot;

struct papi_eventset *papi_eventset_create(void);
/* Stops, empties and frees. For shutdown too: never fails. */
void papi_eventset_free(struct papi_eventset *set);

int papi_eventset_add(struct papi_eventset *set, int code);
int papi_eventset_remove(struct papi_eventset *set, int code);
/* Removes all events. */
void papi_eventset_clean(struct papi_eventset *set);

/* Whether a set that was assigned to a component (-1: to none) holds events of a component: those of component 0 are
 * the CPU's, whichever component counts them. */
bool papi_eventset_takes(int assigned, int component);

/* The position of an event in the set, -1 if it is not there. */
int papi_eventset_position(const struct papi_eventset *set, int code);

/* Counts under other options; on failure the old ones are in force again. */
int papi_eventset_configure(struct papi_eventset *set, const struct papi_options *options);

/* How far the range of addresses that is counted reaches beyond the one asked for, at either end, in bytes. */
void papi_eventset_range_offsets(const struct papi_eventset *set, bool data, int *start, int *end);

/* Makes the calling thread the owner, when the set is not attached to anything. */
int papi_eventset_adopt(struct papi_eventset *set);

/* Before a fork: keeps the values of a running set, which the child's copy will show. */
void papi_eventset_forking(struct papi_eventset *set);
/* The child of a fork: lets go of the parent's counters. */
void papi_eventset_forked(struct papi_eventset *set);
/* The same without touching its components: the next start opens them anew. */
void papi_eventset_orphaned(struct papi_eventset *set);

/* Counting (core/count.c). values has one element per event. */
/* frame: of the function that the program has called for it. */
int papi_count_start(struct papi_eventset *set, void *frame);
/* Leaves the set, too: only then is there a way for what was left over. */
int papi_count_stop_and_leave(struct papi_slot *place, long long values[]);
int papi_count_read_full(struct papi_eventset *set, long long values[]);
int papi_count_accum(struct papi_eventset *set, long long values[]);
int papi_count_reset(struct papi_eventset *set);
int papi_count_write(struct papi_eventset *set, const long long values[]);
/* After a stop that failed: there are no values. Returns status. */
int papi_count_lost(struct papi_eventset *set, int status) __attribute__((cold));
/* Brings the counts of a running set up to date; then the value of an event without what PAPI_write() has put on
 * top. */
int papi_count_refresh(struct papi_eventset *set);
long long papi_count_value(const struct papi_eventset *set, unsigned event);
/* Either array may be NULL. */
int papi_count_times(struct papi_eventset *set, long long enabled[], long long running[]);

/* The short way: there is nothing else to do than to tell the component. */
static inline int papi_count_start_short(struct papi_eventset *set)
{
	int status = set->parts[0].component->start(set->parts[0].control);

	set->running = status == PAPI_OK;
	return status;
}

static inline int papi_count_stop_short(struct papi_eventset *set, long long values[])
{
	int status = set->parts[0].component->stop(set->parts[0].control, set->counts);

	set->running = false;
	if (__builtin_expect(status != PAPI_OK, 0))
		return papi_count_lost(set, status);
	if (values)
		for (const long long *one = set->counts, *end = one + set->n_events; one < end;)
			*values++ = *one++;
	return PAPI_OK;
}

/* Most sets have nothing else to be read: every call less counts. */
static inline int papi_count_read(struct papi_eventset *set, long long values[])
{
	if (__builtin_expect(set->running && set->as_counted && !papi_eventset_written(set), 1))
		return set->parts[0].component->read(set->parts[0].control, values, false);
	return papi_count_read_full(set, values);
}

#endif
