/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime offers to the rest of the engine. */
#ifndef PAPI_VPMU_TRANSLATOR_RUNTIME_H
#define PAPI_VPMU_TRANSLATOR_RUNTIME_H

#include "components/vpmu/translator/thread.h"

/* The code for the program's pc of the thread. */
uint64_t papi_vpmu_runtime_continue(struct papi_vpmu_thread *thread);

/* The thread leaves for good, and its count is no count any more, for that reason: signals, stacks and return addresses
 * are as if nobody had been here. Returns the program's pc, to go on at in the place of code. In the runtime. */
uint64_t papi_vpmu_runtime_go_native(struct papi_vpmu_thread *thread, const char *reason);

#pragma GCC visibility push(hidden)

/* For dispatch.S: where to go on, an address of code, or of the program when it is to go on natively. */
uint64_t papi_vpmu_runtime_dispatch(struct papi_vpmu_thread *thread);

#pragma GCC visibility pop

#endif
