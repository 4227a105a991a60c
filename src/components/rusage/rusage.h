/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rusage component: what the operating system accounts for every thread anyway, by getrusage(2).
 *
 *	rusage:::utime  rusage:::stime  rusage:::minflt  rusage:::majflt  rusage:::inblock  rusage:::oublock
 *	rusage:::nvcsw  rusage:::nivcsw  and rusage:::realtime, the clock beside them
 *
 * It works where perf_event_open(2) is refused, as in most containers, and it is the smallest example of a component.
 * Counts are those of the calling thread in all modes, and only that thread can read them.
 */
#ifndef PAPI_RUSAGE_H
#define PAPI_RUSAGE_H

#include "base/component.h"

extern const struct papi_component papi_rusage_component;

#endif
