/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow: events that call a function of the program, or count in a histogram, with every threshold counts.
 *
 *	hardware   a component that can (its table overflow) says papi_overflow_pending() when a native has overflowed,
 *		   and keeps what it knows of it until it is fetched. An event that is too fast for that it only keeps,
 *		   and a timer of the thread asks for it (polled)
 *	software   a timer of the thread sends a signal, and the counts of the events are compared with the thresholds
 *
 * A set overflows one way or the other, not both. Events that overflow are in set->sampling, which is there when
 * papi_eventset_armed() says so.
 *
 * In a signal handler nothing waits, allocates or locks. A handler claims the set's slot like a call does
 * (core/handles.h), fetches what has happened into its stack, leaves, and only then calls the program's functions: for
 * these the set is free to be read, reset, stopped and started. Histograms are counted in while inside, so that nobody
 * touches a buffer after PAPI_profil() has turned it off. Is a call inside the set, be it the one that the signal
 * interrupted, what has happened stays where it is, and a timer asks again 50 us later. PAPI_stop() delivers what is
 * left before it returns. What can never be delivered is counted as lost.
 *
 * The program gets on, whatever its functions take: as long as they took, it is left alone afterwards, where more is
 * waiting already.
 *
 * papi_overflow_pending() is async-signal-safe. The others expect to be inside the set.
 */
#ifndef PAPI_CORE_OVERFLOW_H
#define PAPI_CORE_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/eventset.h"
#include "core/profil.h"
#include "core/timer.h"

struct papi_slot;

/* An event that overflows. */
struct papi_sampler {
	int code;
	unsigned event; /* its position in the set, also its bit in the overflow vector */
	unsigned place; /* of its native; in hardware only */
	long long threshold;
	PAPI_overflow_handler_t handler; /* NULL: profil */
	struct papi_profil *profil;
	long long seen,
		progress; /* in software: what it has counted when last looked at, and since its last overflow */
	long long delivered, lost; /* since the last start */
};

struct papi_sampling {
	bool software;
	long interval; /* ns between two looks; 0: the components tell when to look */
	unsigned n;
	struct papi_sampler *samplers;
	struct papi_timer timer; /* for the next look, or to ask again for what could not be fetched at once */
};

/* Looks more often than this would be all that a thread does. */
#define PAPI_OVERFLOW_SHORTEST_NS 100000
/* How long what cannot be fetched at once waits: most calls of the library are over by then; and, where there is more
 * than the thread can take, how long it is left alone at least. */
#define PAPI_OVERFLOW_SOON_NS  50000
#define PAPI_OVERFLOW_LATER_NS 1000000
/* How long, in CPU time, a thread is to run between two looks by timers; if not, they come later. */
#define PAPI_OVERFLOW_WHILE_NS 200000
/* How long, in CPU time, functions of the program are called in a row while there is more. */
#define PAPI_OVERFLOW_SLICE_NS 10000000

/* PAPI_DEF_ITIMER and PAPI_DEF_ITIMER_NS: what software overflow looks by. */
extern _Atomic int papi_option_itimer_num, papi_option_itimer_sig, papi_option_itimer_ns;
void papi_overflow_options_reset(void);

/* The signal of overflow in hardware. */
int papi_overflow_signal(void);

/*
 * Has an event overflow, or in another way than before: with a handler, or a histogram, which belongs to the set once
 * this has succeeded. flags: PAPI_OVERFLOW_FORCE_SW, PAPI_OVERFLOW_HARDWARE, or 0. Errors are those of PAPI_overflow().
 */
int papi_overflow_arm(struct papi_eventset *set, int code, int threshold, int flags, PAPI_overflow_handler_t handler,
	struct papi_profil *profil);
/* The event calls its handler, or counts in its histogram, no longer. PAPI_OK also when it does not. */
int papi_overflow_disarm(struct papi_eventset *set, int code, bool histogram);

/* Whether an event has a handler, or a histogram. */
bool papi_overflow_uses(const struct papi_eventset *set, bool histogram);
/* What has become of the overflows since the last start; PAPI_EINVAL when the event does not overflow. */
int papi_overflow_counts(const struct papi_eventset *set, int code, long long *delivered, long long *lost);

/* An event is about to go; events have come or gone; all are gone. */
void papi_overflow_remove(struct papi_eventset *set, int code);
void papi_overflow_replan(struct papi_eventset *set);
void papi_overflow_forget(struct papi_eventset *set);
/* PAPI_ECNFLCT when an armed set cannot have these options. */
int papi_overflow_check(const struct papi_eventset *set, const struct papi_options *options);

/*
 * A component tells that a native of the control that was armed with this cookie has overflowed. context is the
 * ucontext_t of the thread as it was interrupted. False: somebody is inside the set; the engine will ask again.
 */
bool papi_overflow_pending(int cookie, void *context);

/* The same without hurry: the engine asks after so long, or a little longer, in which the program gets on. For signal
 * handlers. */
void papi_overflow_later(int cookie, long ns);
/* Whether the signal of overflow waits for the calling thread: because it is blocked. */
bool papi_overflow_signal_waits(void);

/* Between the files of the engine. A look: fetches what has happened and delivers it. */
bool papi_overflow_look(struct papi_slot *slot, void *context);
int papi_overflow_rebased(struct papi_slot *slot);
int papi_overflow_stopped(struct papi_slot *slot);
int papi_overflow_left(struct papi_slot *slot);
int papi_overflow_forked(struct papi_slot *slot);
int papi_overflow_timer_make(struct papi_eventset *set);
void papi_overflow_timer_stop(const struct papi_eventset *set);
void papi_overflow_timer_delete(struct papi_eventset *set);
/* It goes off in so long. */
void papi_overflow_timer_again(struct papi_slot *slot, long ns);

#endif
