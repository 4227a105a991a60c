/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions counted by the virtual PMU, for tests that run hard things in them. */
#ifndef PAPI_TEST_VIRTUAL_H
#define PAPI_TEST_VIRTUAL_H

#include <papi.h>
#include <stdbool.h>

enum { INSTRUCTIONS, LOADS, STORES, TAKEN, CALLS, EVENTS };

struct counts {
	long long of[EVENTS];
};

/* Initialises the library. False, with a line that says why, when the virtual PMU cannot count here. */
bool virtual_begin(void);

/* The calling thread's set of those events; made by its first call. */
int virtual_set(void);
/* From now on it has INSTRUCTIONS alone, and the other counts are 0; or all again. */
void virtual_count_alone(bool alone);
/* The thread needs it no longer. */
void virtual_forget(void);

/* What one call of work(argument) counts; the call itself and its preparation are included. */
struct counts virtual_count(void (*work)(void *), void *argument);

/* Whether all are the same; prints both when they are not. */
bool virtual_same(const char *what, struct counts expected, struct counts got);

/* Whether work(argument) counts the same twice, once all that happens only the first time has happened; prints as
 * above. */
bool virtual_count_twice(const char *what, void (*work)(void *), void *argument);

/* Of the argument list: how many seconds to take, 0 when nothing is said. */
double virtual_seconds(int count, char **arguments);

#endif
