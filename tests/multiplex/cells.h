/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More watched variables than a processor has registers for them: a shortage that every machine has.
 *
 * One round of work writes each variable a known number of times and computes for long enough that the debug exceptions
 * of those that are watched at the moment hardly change how long a round takes. So what a turn of some rounds counts,
 * all rounds would, and an estimate can be held against the truth.
 */
#ifndef PAPI_TEST_CELLS_H
#define PAPI_TEST_CELLS_H

#include "work.h"

#define CELLS 12 /* three times the four registers that are common */

/* How often a round writes a cell. */
static inline long long cells_writes(unsigned cell)
{
	return cell % 3 + 1;
}

/* The event of a cell, in a place that stays. */
const char *cells_event(unsigned cell);

/* False under ThreadSanitizer, which keeps signals back: turns do not end in time there. */
bool cells_prompt_signals(void);

/* A new EventSet, multiplexed with turns of ns (0: the default) and flags, of n cells from first on. */
int cells_set(int flags, int ns, unsigned first, unsigned n);
int cells_empty_set(int flags, int ns);

/* Work on all cells. */
void cells_work(unsigned long rounds);
/* The same until each of the n events of a set that was just started or reset has run for some rounds; their number. */
unsigned long cells_work_until_all_ran(int set, unsigned n);

/*
 * Whether n values from values on are within percent of what so many rounds write to the cells from first on, and off
 * by not more than two fifths of that on average. A machine that others use does not work at the same speed in each
 * turn.
 */
bool cells_near(unsigned long rounds, unsigned first, unsigned n, const long long values[], int percent);

/* Each may be far off where others have the processor for a while: one of so many estimates has to be near. */
#define CELLS_TRIES 5
void cells_expect_near(bool (*estimate)(unsigned), unsigned argument);

/* How many breakpoints one thread can have; the test ends with 77 where that is none, or CELLS. Before all else. */
unsigned cells_registers(void);

#endif
