/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that a counted thread makes. They begin in the runtime, with a block of their own, for the code of the cache
 * that made the system call may be gone before they run. When the EventSet is inherited (PAPI_INHERIT) they run
 * translated from their first instruction on, and what they count belongs to the thread whose EventSet it is, the heir;
 * else natively.
 */
#ifndef PAPI_VPMU_TRANSLATOR_CLONE_H
#define PAPI_VPMU_TRANSLATOR_CLONE_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/thread.h"

/* The system call clone, clone3 or fork of the thread's registers, if that makes a thread, or a process that an agent
 * is to know of: true, and the kernel's result. Else the call is still to be made. In the runtime. */
bool papi_vpmu_clone(struct papi_vpmu_thread *thread, uint64_t *result);

/* Adds what the heir's threads have counted so far to its own counters. */
void papi_vpmu_clone_gather(struct papi_vpmu_thread *heir);

/* A thread is about to end, or its block is to be used by another: under the lock of the cache. */
void papi_vpmu_clone_forget(struct papi_vpmu_thread *thread);

#pragma GCC visibility push(hidden)

/* For dispatch.S: where the new thread goes on, to the code that this returns. */
uint64_t papi_vpmu_clone_newborn(struct papi_vpmu_thread *thread);

#pragma GCC visibility pop

#endif
