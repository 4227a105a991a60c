/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What overflow handlers of tests keep, and work whose overflows are known beforehand.
 *
 * A handler runs in a signal: it only stores. Each thread has a record of its own, since a handler runs in the thread
 * that counts.
 */
#ifndef PAPI_TEST_RECORD_H
#define PAPI_TEST_RECORD_H

#include <papi.h>
#include <stdbool.h>
#include <stddef.h>

#include "work.h"

#define RECORD_KEPT 64

struct record {
	volatile long calls;
	volatile long long vectors; /* all, or-ed */
	volatile int set;
	volatile int contexts; /* calls with a context */
	void *volatile lowest, *volatile highest;
	void *volatile addresses[RECORD_KEPT]; /* of the first calls */
};

extern _Thread_local struct record record;

/* Ends the test with 77 where signals do not arrive at once: ThreadSanitizer keeps them until the next system call. */
void record_need_prompt_signals(void);

/*
 * Whether breakpoints can overflow in the thread that they count. On arm64 their signals would come before the access,
 * which is begun, and counted, again then. A test that needs it is in its table as RECORD_WATCHED(test). Elsewhere it
 * is skipped, and that the library refuses it is what is tested.
 */
#ifdef __aarch64__
#define RECORD_WATCHES_OVERFLOW false
#else
#define RECORD_WATCHES_OVERFLOW true
#endif
#define RECORD_WATCHED(test) (RECORD_WATCHES_OVERFLOW ? (test) : record_refuse_watched)
void record_refuse_watched(void);
/* That the last call was refused for it. */
#define RECORD_REFUSED_WATCH "in the thread that they count"

void record_clear(void);
/* The overflow handler: keeps its arguments. */
void record_handler(int set, void *address, long long vector, void *context);

/* The same, and forks the first three times: a child that ends at once. */
void record_forking_handler(int set, void *address, long long vector, void *context);

/* A new EventSet with one event that overflows into record_handler(); the test ends when that cannot be. */
int record_set(const char *event, int threshold, int flags);
/* The code of event number position of a set. */
int record_code(int set, int position);

/* Writes to each of n pages; its code lies between record_touch and record_touch_end. */
void record_touch(char *pages, size_t n);
bool record_in_touch(const void *address);
/* Counts n new page faults of record_touch() with a running set. */
void record_faults(size_t n);

/* What PAPI_get_overflow_counts() says of the first event of a set. */
long long record_delivered(int set);
long long record_lost(int set);

/* Uses up CPU time: about so many milliseconds. Its code lies between record_spin and record_spin_end. */
void record_spin(int ms);

#endif
