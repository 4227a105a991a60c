/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread's program is that was interrupted in translated code. */
#ifndef PAPI_VPMU_ARM64_RECOVER_H
#define PAPI_VPMU_ARM64_RECOVER_H

#include "components/vpmu/arm64/translate/recover.h"
#include "components/vpmu/translator/thread.h"

#pragma GCC visibility push(hidden)

/* The state holds what the processor did, and becomes the program's. False when that code was made by nobody. Takes the
 * lock of the cache: not to be called while the thread is in the runtime. */
bool papi_a64_recover_thread(struct papi_vpmu_thread *thread, struct papi_a64_state *state);

uint64_t papi_a64_departing(struct papi_vpmu_thread *thread);

#pragma GCC visibility pop

#endif
