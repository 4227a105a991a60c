/* SPDX-License-Identifier: BSD-3-Clause */
/* The signal mask of the calling thread, as the kernel has it: 64 bits, the lowest for signal 1. Calls no libc. */
#ifndef PAPI_VPMU_TRANSLATOR_MASKS_H
#define PAPI_VPMU_TRANSLATOR_MASKS_H

#include <stdint.h>

/* All signals but those whose cause is an instruction, which are fatal when blocked. */
extern const uint64_t papi_vpmu_all_signals __attribute__((visibility("hidden")));

static inline uint64_t papi_vpmu_mask_of(uint64_t number)
{
	return (uint64_t)1 << (number - 1);
}

/* The mask becomes new; what it was before is returned. */
uint64_t papi_vpmu_mask_set(uint64_t new);
/* how: SIG_BLOCK or SIG_UNBLOCK. */
void papi_vpmu_mask_change(int how, uint64_t signals);

/* Blocks all but faults. Returns the mask before that, for papi_vpmu_signals_unblock(). */
uint64_t papi_vpmu_signals_block(void);
void papi_vpmu_signals_unblock(uint64_t mask);

#endif
