/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime offers to the rest of the engine. */
#ifndef PAPI_VPMU_X86_64_RUNTIME_H
#define PAPI_VPMU_X86_64_RUNTIME_H

#include "components/vpmu/x86_64/thread.h"

/* The code for the program's pc of the thread. */
uint64_t papi_vpmu_runtime_continue(struct papi_vpmu_thread *thread);

#endif
