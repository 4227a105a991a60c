/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways that PAPI_start, PAPI_stop and PAPI_read can go with an EventSet.
 *
 *	full     through core/count.c: for whatever a set is and does, several components, formulas, features
 *	short    one call of the set's only component, whose values are those of the program
 *	direct   no call at all: the thread reads the counters by itself (core/direct.h)
 *
 * A start that goes the full way chooses the way of its set (papi_way_choose()). What goes the full way opens the one
 * that was chosen for the thread that it counts: the slot of the handle table then tells that this thread may go it
 * (papi_way_open()). Every other entry to the set closes it again, so that nothing else has to know about ways.
 *
 * The counters of the direct way may be *kept* counting when the program stops the set: so starting it again is to note
 * what they show then. A component keeps those of a set that was started before, where nothing else speaks against it.
 * They are let go before another set of the thread starts, since it may need the same hardware, before the set is
 * changed, and with the set. A thread keeps one set at most.
 *
 * All functions expect to be inside the set. Signal-safe.
 */
#ifndef PAPI_CORE_WAY_H
#define PAPI_CORE_WAY_H

#include <stdbool.h>
#include <stdint.h>

struct papi_direct_counter;
struct papi_eventset;
struct papi_slot;

enum papi_way { PAPI_WAY_FULL, PAPI_WAY_SHORT, PAPI_WAY_DIRECT };

/* In the slot of a set: who may go another way than the full one. */
struct papi_open_way {
	/* papi_way_key() of the thread while the set is counting, or while it is stopped; 0: nobody's. */
	uint64_t counting, stopped;
	struct papi_direct_counter *direct; /* of the direct way; NULL: the open one is the short way */
};

/* A thread and a set. */
static inline uint64_t papi_way_key(uint64_t thread, int handle)
{
	return (uint64_t)(uint32_t)handle << 32 | thread;
}

/* The handle, plus 1, of the set that the calling thread keeps; 0: none. */
extern _Thread_local int papi_way_kept __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A set that has just been started in full: the way to go from now on. */
void papi_way_choose(struct papi_eventset *set);
/* It has just been stopped in full: are its counters kept? */
void papi_way_settle(struct papi_eventset *set);
/* Opens the way of a set that has just been started, read while it counts, or stopped, in full. */
void papi_way_open(struct papi_slot *slot);

/* Before a set starts in full: lets go of what is kept and may have the counters that it needs. */
void papi_way_clear(struct papi_eventset *set);

#endif
