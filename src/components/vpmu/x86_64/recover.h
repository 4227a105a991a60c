/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread's program is that was interrupted in translated code, or by where that led it. */
#ifndef PAPI_VPMU_X86_64_RECOVER_H
#define PAPI_VPMU_X86_64_RECOVER_H

#include "components/vpmu/translator/thread.h"
#include "components/vpmu/x86_64/translate/recover.h"

/* The state holds what the processor did, and becomes the program's. False when that code was made by nobody. Takes the
 * lock of the cache: not to be called while the thread is in the runtime. */
bool papi_vpmu_recover(struct papi_vpmu_thread *thread, struct papi_vpmu_state *state);

/* Adds what one execution of an instruction counts; it was run by other means. */
void papi_vpmu_recover_count(struct papi_vpmu_thread *thread, const uint8_t *bytes, uint64_t size, uint64_t pc);

#endif
