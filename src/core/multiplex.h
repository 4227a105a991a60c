/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexing by the library: the clock that tells components when the next natives get their turn on the counters.
 *
 * Each running EventSet with more natives than counters has a POSIX timer, which sends a signal to the thread that
 * started the set. The timer tells the handler the slot of the set (core/handles.h), which is there for ever, and the
 * handler claims the slot like a call does; a signal that comes late finds it empty, or stopped. If a call is inside,
 * the one that the signal interrupted or another thread's, the handler only notes that a turn is due, and that call
 * takes it before it leaves: nobody waits for anybody.
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

/* Turns shorter than this would be spent on taking turns. */
#define PAPI_MULTIPLEX_SHORTEST_NS 100000

struct papi_multiplex {
	bool has_timer, armed;
	int timer;       /* the kernel's number of it */
	int clock;       /* what it counts */
	uint32_t thread; /* papi_thread_number() of the one it tells */
};

/* What a multiplexed set needs beside its counters. PAPI_ENOMEM, PAPI_ESYS. */
int papi_multiplex_prepare(struct papi_eventset *set);

/* At the end of a call inside a running multiplexed set: the turn that came due meanwhile. */
void papi_multiplex_catch_up(struct papi_eventset *set);

/* Gives the timer back; with the set itself, everything. */
void papi_multiplex_close(struct papi_eventset *set);
void papi_multiplex_free(struct papi_eventset *set);
/* The child of a fork: timers are not copied. */
void papi_multiplex_forked(struct papi_eventset *set);

/* What the signal does: the next turn of the set in that slot. */
void papi_multiplex_expired(struct papi_slot *slot);

/* The signal, 0 before it was first needed. */
int papi_multiplex_signal(void);

#endif
