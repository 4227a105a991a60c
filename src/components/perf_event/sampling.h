/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow of perf events: a signal for each, and the addresses of all in a ring that the kernel writes to.
 *
 * A native that overflows is opened with its threshold as sample period, on the processor's precise mechanism where it
 * has one. Each of its counters has a ring, and tells of samples by a signal to the thread that started the control
 * (overflow_signals.h).
 *
 * A clock that is faster than signals can be sends none: then the kernel would do nothing else, and neither the program
 * nor the handler, which could turn them off, would ever get on. Its ring is looked at by a timer.
 *
 * Signals are a wake-up only: what happened is what is in the rings. Samples are lost when a ring is full, because
 * nobody could read it for so long, and when the kernel throttles the event. The kernel tells of the former; the rest
 * shows when the counter stands still: it must have passed as many thresholds as there were samples.
 *
 * Functions here expect to be inside the control.
 */
#ifndef PAPI_PERF_SAMPLING_H
#define PAPI_PERF_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "components/perf_event/control.h"

/* Of a counter that overflows. */
struct papi_perf_ring {
	int fd;
	unsigned native;
	struct perf_event_mmap_page *pages;
	size_t size;            /* bytes of samples, a power of two */
	uint64_t first;         /* raw count at start */
	uint64_t seen;          /* samples fetched since start */
	uint64_t lost;          /* that the kernel has told of and that have not been passed on yet */
	uint64_t lost_all;      /* since start */
	uint64_t settled_early; /* lost that were counted at stop; the kernel may tell of them with its next sample */
	bool polled;            /* it sends no signals */
	bool countable;         /* its count tells how often it must have overflowed: not so with clocks */
	bool settled;           /* what is missing since start has been told */
};

struct papi_perf_sampling {
	int cookie;
	uint32_t thread;  /* papi_thread_number() of the one that gets the signals; 0: nobody yet */
	unsigned precise; /* that the processor knows, as perf_event_attr.precise_ip */
	bool stopped;
	long long *thresholds; /* per native of the control; 0: does not overflow */
	unsigned n_rings;
	struct papi_perf_ring *rings;
};

/* Operations of the component (base/component.h). */
int papi_perf_arm(void *control, unsigned position, long long threshold, int cookie);
unsigned papi_perf_overflows(void *control, struct papi_overflow taken[], unsigned n);
bool papi_perf_overflows_polled(const void *control);

/* The part of a counter's attr that makes it overflow, if its native does. */
void papi_perf_sampling_apply(const struct papi_perf_control *control, const struct papi_perf_encoding *encoding,
	struct perf_event_attr *attr);
/* Whether an attr that was refused is worth another attempt with less precision, which it has after this. */
bool papi_perf_sampling_less_precise(
	struct papi_perf_control *control, const struct papi_perf_encoding *encoding, int error);

/* Rings come with the counters and go with them. */
int papi_perf_sampling_open(struct papi_perf_control *control);
void papi_perf_sampling_close(struct papi_perf_control *control);
/* In the child of a fork: the memory of rings is not copied. */
void papi_perf_sampling_forked(struct papi_perf_control *control);
/* A native has come, at the end of the list; one has gone; all of them. */
int papi_perf_sampling_added(struct papi_perf_control *control);
void papi_perf_sampling_removed(struct papi_perf_control *control, unsigned position);
void papi_perf_sampling_forget(struct papi_perf_control *control);

/* Before the counters are enabled, and after they were disabled and read. */
int papi_perf_sampling_start(struct papi_perf_control *control);
void papi_perf_sampling_stop(struct papi_perf_control *control);

#endif
