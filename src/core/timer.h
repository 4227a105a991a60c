/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timer of an EventSet: what happens in a set by time happens by a signal to the thread that started the set.
 *
 * A timer carries the address of the set's slot (core/handles.h), which outlives the set: a signal that comes late
 * finds a slot without the set, or with another one, and whoever gets it looks before it does anything. The signal is
 * shared with the program (core/signals.h): papi_timer_slot() tells from a siginfo whether it is the library's.
 *
 * Timers come straight from the kernel: the C library's functions may allocate, and hide the number that counts against
 * the limit of the user. The child of a fork has no timers: there a set forgets its own.
 *
 * papi_timer_set() and papi_timer_slot() are async-signal-safe. The others expect to be inside the set.
 */
#ifndef PAPI_CORE_TIMER_H
#define PAPI_CORE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/signals.h"

struct papi_slot;

struct papi_timer {
	bool made;
	int number; /* the kernel's */
	int clock, signal;
	uint32_t thread; /* papi_thread_number() of the thread that it tells */
};

/* What a timer is to be, and who deals with its signal. */
struct papi_timer_plan {
	int clock, signal;
	papi_signal_claimant claimant;
	const char *purpose; /* for the sentence of an error */
};

/*
 * Claims the signal, again if the program has taken it away since, and makes the timer for the calling thread, unless
 * it is already as it is planned. It does not run yet. Errors of papi_signal_claim(), and PAPI_ESYS.
 */
int papi_timer_make(struct papi_timer *timer, struct papi_slot *slot, const struct papi_timer_plan *plan);

/* The timer goes off in ns, and with again every ns; 0: not any more. number: the kernel's. False: not possible. */
bool papi_timer_set(int number, long ns, bool again);

void papi_timer_delete(struct papi_timer *timer);
/* In the child of a fork, where the number may be the one of a timer of the program. */
void papi_timer_forget(struct papi_timer *timer);

/* The slot that a signal carries, of a timer or queued by the library in its place; NULL: it is not the library's. */
struct papi_slot *papi_timer_slot(const siginfo_t *info);

#endif
