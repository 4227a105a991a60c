/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From where a thread was interrupted in translated code to where its program is: the pc, the registers and the flags,
 * as the blocks' marks tell. The counters then hold what was executed before that pc, whatever the block had added by
 * then.
 */
#ifndef PAPI_VPMU_X86_64_RECOVER_H
#define PAPI_VPMU_X86_64_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/x86_64/thread.h"

struct papi_vpmu_state {
	uint64_t registers[16];
	uint64_t pc;
	uint64_t flags;
};

/* The state holds what the processor did, and becomes the program's. False when that code was made by nobody. Takes the
 * lock of the cache: not to be called while the thread is in the runtime. */
bool papi_vpmu_recover(struct papi_vpmu_thread *thread, struct papi_vpmu_state *state);

/* From the thread's pc, where an indirect branch has led it, back to that branch. False when its code is gone. Under
 * the lock of the cache. */
bool papi_vpmu_recover_branch(struct papi_vpmu_thread *thread);

/* Adds what one execution of an instruction counts; it was run by other means. */
void papi_vpmu_recover_count(struct papi_vpmu_thread *thread, const uint8_t *bytes, uint64_t size, uint64_t pc);

#endif
