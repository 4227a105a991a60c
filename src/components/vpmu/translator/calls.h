/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in an exact profile. Translated code records each call and return (components/vpmu/call_record.h); the runtime
 * makes pairs of them, a call's place and what it called, each with the number of calls and with all that happened in
 * between: the difference of the thread's counters.
 *
 * The shadow stack holds a frame for each call that has not returned, by the place of its return address. A return
 * ends the frame of its place; frames below it are dead, however that has come: by longjmp, by an exception. Another
 * stack, a megabyte away or more, has a shadow stack of its own, whose time stands still while it is left: those of
 * coroutines and of signals. A function that is active already, further out, is not counted again in what it called.
 *
 * Records in memory are lost with a thread that is killed, up to two thousand, and so are frames that are open then.
 */
#ifndef PAPI_VPMU_TRANSLATOR_CALLS_H
#define PAPI_VPMU_TRANSLATOR_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct papi_vpmu_thread;

/* Memory for the records of a thread that is about to count. False: there is none. */
bool papi_vpmu_calls_begin(struct papi_vpmu_thread *thread);
/* Makes pairs of what it has recorded. In the thread itself, or when nobody runs it. Under the lock of the cache. */
void papi_vpmu_calls_drain(struct papi_vpmu_thread *thread);
/* The thread ends: its frames are closed, and the memory is given back. Likewise. */
void papi_vpmu_calls_end(struct papi_vpmu_thread *thread);
/* The same, and what open frames have done by now is counted: the process may be about to end. */
void papi_vpmu_calls_settle(struct papi_vpmu_thread *thread);
/* The last record is not to be: the call has not been done yet. */
void papi_vpmu_calls_take_back(struct papi_vpmu_thread *thread);
/* The child of a fork begins without frames; in others than that of the forking thread nobody runs. */
void papi_vpmu_calls_forked(struct papi_vpmu_thread *self);

#pragma GCC visibility pop

#endif
