/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime offers to the rest of the engine. */
#ifndef PAPI_VPMU_X86_64_RUNTIME_H
#define PAPI_VPMU_X86_64_RUNTIME_H

#include "components/vpmu/x86_64/thread.h"

/* The code for the program's pc of the thread. */
uint64_t papi_vpmu_runtime_continue(struct papi_vpmu_thread *thread);

/* The thread leaves for good, and its count is no count any more, for that reason: signals, stacks and return addresses
 * are as if nobody had been here. Returns the program's pc, to go on at in the place of code. In the runtime. */
uint64_t papi_vpmu_runtime_go_native(struct papi_vpmu_thread *thread, const char *reason);

#endif
