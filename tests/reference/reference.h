/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The examples of the reference's pages, adapted: a file for each, whose function example() does what the page shows
 * and expects what its text says. The name of the file is that of the page.
 *
 * Presets are those of tests/highlevel/presets.h, so that every count is known where there are no hardware counters:
 * one instruction for each of the events of do_100events(). The library is not initialised when an example begins.
 */
#ifndef PAPI_TEST_REFERENCE_H
#define PAPI_TEST_REFERENCE_H

#include "check.h"
#include "presets.h"
#include "work.h"

#define EVENTS 100

void example(void);

/* What the pages call by this name: a hundred of every event. */
void do_100events(void);

/* As examples begin: the library, and a set with PAPI_TOT_INS. */
int reference_set(void);
void reference_discard(int *EventSet);

#endif
