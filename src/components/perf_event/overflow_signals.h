/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signals of perf events that overflow: who gets them, and what keeps them from being too many.
 *
 * The signal is not a real-time one (core/overflow.h): the kernel keeps one of it for a thread, whatever has happened,
 * finds room for it where the user's queue of signals is full, and drops it when one is waiting already. So it says no
 * more than that something has happened, and its handler looks at every EventSet of the thread that overflows. A table
 * from descriptor to cookie leads there; it has room for any number of descriptors and never loses a page, so that a
 * handler may look into it at any time.
 *
 * An event that overflows while handlers run would interrupt the program again before its next instruction, for ever.
 * So the signals of a thread's events are turned off when one is waiting at the end of the handler, for at least as
 * long as that took, and a timer looks at the rings instead; nothing but that turns them on again, or a start.
 */
#ifndef PAPI_PERF_OVERFLOW_SIGNALS_H
#define PAPI_PERF_OVERFLOW_SIGNALS_H

/* Room for a descriptor in the table. PAPI_ENOMEM, PAPI_ECOUNT. */
int papi_perf_signals_prepare(int fd);
/* The handler is there, also if the program has put its own in its place. */
int papi_perf_signals_claim(void);
/* Overflows of the descriptor are told to the calling thread, those of the EventSet with that cookie. */
int papi_perf_signals_direct(int fd, int cookie);
/* Turned on again, if they were off. */
void papi_perf_signals_unmute(int fd);
/* Before the descriptor is closed; in the child of a fork. */
void papi_perf_signals_end(int fd);
void papi_perf_signals_forked(int fd);

#endif
