/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that their own thread reads by itself, described for the engine (core/direct.h), and kept counting between
 * runs.
 *
 * It is for controls of one group whose events all have pages. The description of a counter holds what user_read.h
 * finds in its page: the register, the width, and a baseline from which the kernel's offset is taken off. The kernel
 * announces any change by the page's lock. What the engine has done on the direct way, the control does not know;
 * settle() catches up with it, and all operations that look at bases or times of a control that is enabled begin with
 * it.
 *
 * Kept is a control that is enabled (in the kernel) while the engine has it stopped. Keeping starts with the second
 * run, so that a set that ran once does not occupy the hardware, and needs a page that tells the times.
 */
#ifndef PAPI_PERF_DIRECT_H
#define PAPI_PERF_DIRECT_H

#include "components/perf_event/control.h"

/* Describes the counters that have just been mapped; where that cannot be, there is no description. */
void papi_perf_direct_make(struct papi_perf_control *control);
void papi_perf_direct_free(struct papi_perf_control *control);

/* Before the counters of a stopped control change: lets go of them and of their description. */
void papi_perf_direct_end(struct papi_perf_control *control);

/* Brings bases and times up to what the engine did on the direct way. */
void papi_perf_direct_settle(struct papi_perf_control *control);

/*
 * Reads a control that has a description, from its own thread; values are the counts since the baseline, and signs
 * their signs, or-ed. False if a counter is in no hardware counter at this moment. The description is right afterwards.
 */
bool papi_perf_direct_read(struct papi_perf_control *control, long long values[], long long *signs);

/* After the baseline has moved. */
void papi_perf_direct_rebase(struct papi_perf_control *control);

/* Operations of the component (base/component.h). */
struct papi_direct *papi_perf_direct(void *control);
void papi_perf_let_go(void *control);

#endif
