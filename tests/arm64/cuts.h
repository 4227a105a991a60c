/* SPDX-License-Identifier: BSD-3-Clause */
/* What cuts the blocks of a program (modelled.h) anywhere: the pages of its arena are taken away all the time, so that
 * its accesses fault, and timers go off. */
#ifndef PAPI_TESTS_ARM64_CUTS_H
#define PAPI_TESTS_ARM64_CUTS_H

/* How many there have been, in this process and those that it makes. */
struct cuts {
	unsigned faults, timers;
};
extern struct cuts *cuts;

void cuts_make(void);
/* slowness: intervals of timers are so much longer than a processor needs. The program is to be RESTARTABLE. */
void cuts_begin(long slowness);
void cuts_end(void);

#endif
