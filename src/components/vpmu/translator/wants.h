/* SPDX-License-Identifier: BSD-3-Clause */
/* What running EventSets want instrumented (engine.h), and the code that a thread runs for it. */
#ifndef PAPI_VPMU_TRANSLATOR_WANTS_H
#define PAPI_VPMU_TRANSLATOR_WANTS_H

#include "components/vpmu/translator/thread.h"

/* all becomes what it was and wants together, which count in the same ranges of addresses. */
void papi_vpmu_wants_join(struct papi_vpmu_wants *all, const struct papi_vpmu_wants *wants);
bool papi_vpmu_wants_same_ranges(const struct papi_vpmu_wants *a, const struct papi_vpmu_wants *b);
bool papi_vpmu_wants_are_same(const struct papi_vpmu_wants *a, const struct papi_vpmu_wants *b);

/* From now on the thread runs code of that sort; its stack is where that address is. PAPI_OK, or PAPI_ENOMEM with its
 * sentence. */
int papi_vpmu_thread_use(struct papi_vpmu_thread *thread, const struct papi_vpmu_wants *wants, uint64_t stack);
/* The same wants, and whether with L1D alone code makes a trace: of a thread that is in the runtime, whose trace is
 * empty; under the lock of the cache. Nothing happens without memory for it. */
void papi_vpmu_thread_trace(struct papi_vpmu_thread *thread, bool traces);

#endif
