/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexed EventSets: who is on the counters when, and what follows from the share of time that each event was.
 *
 * By the kernel. Every event is a group of its own, all are enabled, and the kernel puts as many as fit on the
 * counters, others next. It tells how long each was enabled and how long it ran.
 *
 * By the library (take_turns). Groups that share a resource form a rota; the operation next moves a window over it:
 *
 *	a PMU         places 1   [g0] g1  g2             a turn is a group of as many events as have counters at once,
 *	                          g0 [g1] g2             one ioctl takes it off and one puts the next one on
 *
 *	breakpoints   places 4   [g0  g1  g2  g3] g4     there are no more descriptors than registers, so a turn
 *	                         [g0  g1  g2] g3 [g4]    moves a descriptor: one ioctl gives it another address
 *
 * Breakpoints take turns in all multiplexed sets, as the kernel does not multiplex them. The kernel's software events
 * count all the time and are in no rota.
 *
 * A waiting breakpoint has its count, and how long it ran, in its base: a descriptor that comes to it from another one
 * shows raw values r; base += r when it comes and base -= r when it goes, so that raw - base is always the count, with
 * a raw value of 0 while there is no descriptor.
 *
 * Each group was enabled for as long as its rota: the sum of the times of its members, divided by the places. An
 * estimate is count x enabled / running in 128 bits, and never less than the one before, whatever the last turn was
 * like.
 */
#ifndef PAPI_PERF_MULTIPLEX_H
#define PAPI_PERF_MULTIPLEX_H

#include "components/perf_event/control.h"

struct papi_perf_rota {
	unsigned places, n;
	unsigned first;    /* of the window */
	unsigned *members; /* n groups of the control */
};

struct papi_perf_rotas {
	unsigned n;
	int error; /* errno of a turn that failed, and which call it was */
	const char *call;
	struct papi_perf_rota rota[];
};

/* Finds out what a new group may have to share, and whether it has to wait for its turn. */
void papi_perf_multiplex_classify(const struct papi_perf_control *control, struct papi_perf_group *group);

/* A breakpoint for which there is no register left shares those of others. 0, or an errno: ENOSPC, there are none. */
int papi_perf_multiplex_join(struct papi_perf_control *control, unsigned native, pid_t pid, int cpu);

/* Whether a group, whose last counter is new, gets onto the counters as a whole. Where that cannot be tried: true. */
bool papi_perf_multiplex_fits(struct papi_perf_group *group);

/* Whether any group has no place at this moment. */
bool papi_perf_multiplex_waits(const struct papi_perf_control *control);

/* Before counting: who takes turns with whom. PAPI_ENOMEM. */
int papi_perf_multiplex_arrange(struct papi_perf_control *control);
void papi_perf_multiplex_forget(struct papi_perf_control *control);

/* Estimates of a multiplexed control. PAPI_ECNFLCT, and the baseline stays, when one has had no turn yet. */
int papi_perf_multiplex_read(struct papi_perf_control *control, long long values[], bool rebase);

/* Operations of the component (base/component.h). */
bool papi_perf_takes_turns(const void *control);
void papi_perf_next_turn(void *control);
int papi_perf_rebase(void *control);

#endif
