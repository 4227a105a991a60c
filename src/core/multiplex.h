/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexing by the library: the clock that tells components when the next natives get their turn on the counters.
 *
 * Each running EventSet with more natives than counters has a timer (core/timer.h), which sends a signal to the thread
 * that started the set. The signal's handler claims the slot of the set like a call does; a signal that comes late
 * finds it empty, or stopped. If a call is inside, the one that the signal interrupted or another thread's, the handler
 * only notes that a turn is due, and that call takes it before it leaves: nobody waits for anybody.
 *
 * For a set that counts its own thread, time is the CPU time of the thread: a thread that sleeps is not woken, and each
 * turn lasts for as much of what is counted. For all others (attached, CPUs, inherited) it is real time.
 *
 * The signal is a real-time signal that the program did not use when it first asked for such multiplexing; see
 * core/signals.h.
 *
 * papi_multiplex_expired() is async-signal-safe. The others are called inside the set.
 */
#ifndef PAPI_CORE_MULTIPLEX_H
#define PAPI_CORE_MULTIPLEX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/handles.h"
#include "core/timer.h"

/* Turns shorter than this would be spent on taking turns. */
#define PAPI_MULTIPLEX_SHORTEST_NS 100000

struct papi_multiplex {
	struct papi_timer timer;
	bool runs; /* the timer */
};

/* What a multiplexed set needs beside its counters. PAPI_ENOMEM, PAPI_ESYS. */
int papi_multiplex_prepare(struct papi_eventset *set);

/* Gives everything back. */
void papi_multiplex_free(struct papi_eventset *set);

/* What the signal does: the next turn of the set in that slot. */
void papi_multiplex_expired(struct papi_slot *slot);

/* The signal, 0 before it was first needed. */
int papi_multiplex_signal(void);

#endif
