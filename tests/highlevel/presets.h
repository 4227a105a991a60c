/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Presets for tests of the high level, which counts presets only and must be tested where there are no hardware
 * counters.
 *
 * They are defined over one event whose count is known beforehand (work_event(WORK_A) of work.h): N rounds of
 * presets_work() are N of every instruction and operation, 2 N cycles of the constant clock and 4 N of the core.
 */
#ifndef PAPI_TEST_PRESETS_H
#define PAPI_TEST_PRESETS_H

#include <papi.h>
#include <stdbool.h>
#include <stddef.h>

#define PRESETS_CORE      4
#define PRESETS_REFERENCE 2

/*
 * Makes the presets and lets go of the library again, so that the test may see who initialises it. Ends with 77 and the
 * reason where the event cannot be counted.
 */
void presets_begin(void);
/* Whether anything is left open. Returns status, or 1 if so. */
int presets_end(int status);

/* From the next initialisation on the presets are these lines, or with NULL the usual ones. */
void presets_define(const char *lines);

/* n of the event, in the main thread. */
void presets_work(size_t n);
/* The same in any number of threads at once, each with its own pages. */
struct presets_worker {
	char *pages;
};
#define PRESETS_MOST 1000
void presets_worker_begin(struct presets_worker *worker);
void presets_worker_do(struct presets_worker *worker, size_t n);
void presets_worker_end(struct presets_worker *worker);

/* False under ThreadSanitizer, to which the child of a fork still has the locks that the parent took for it. */
bool presets_can_fork(void);

/* Every function once, so that what follows counts no page faults of their code, and the counters are stopped. */
void presets_warm_up(void);

#endif
