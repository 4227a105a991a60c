/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breakpoints in a virtual machine. Some hypervisors put an old value into the debug status register just before the
 * kernel reads it, about once in a million hits, and then many in a row. The kernel finds that none of its breakpoints
 * was hit: it counts nothing and sends the program a SIGTRAP, as for the instruction int1, which ends it.
 */
#ifndef PAPI_PERF_BREAKPOINTS_H
#define PAPI_PERF_BREAKPOINTS_H

/*
 * From now on such a signal does nothing in this process (its hit stays uncounted); any other SIGTRAP does what it
 * would have done. Nothing is changed where there is no hypervisor. Errors of papi_signal_claim().
 */
int papi_perf_breakpoints_guard(void);

#endif
