/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that others bring into translated code and out of it: what moved.c offers to the rest of the engine. */
#ifndef PAPI_VPMU_TRANSLATOR_MOVED_H
#define PAPI_VPMU_TRANSLATOR_MOVED_H

#include "components/vpmu/translator/thread.h"

#pragma GCC visibility push(hidden)

/* For dispatch.S, in the runtime: the thread goes native, at the code that this returns. It has lost nothing. */
uint64_t papi_vpmu_departing(struct papi_vpmu_thread *thread);

/* Whether the thread, which is in the runtime, is to do so by itself. */
bool papi_vpmu_moved_retreats(const struct papi_vpmu_thread *thread);
/* No more. */
void papi_vpmu_moved_stay(void);

#pragma GCC visibility pop

#endif
