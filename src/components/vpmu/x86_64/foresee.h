/* SPDX-License-Identifier: BSD-3-Clause */
/* What a block will add, by what it is about to touch. */
#ifndef PAPI_VPMU_X86_64_FORESEE_H
#define PAPI_VPMU_X86_64_FORESEE_H

#include "components/vpmu/x86_64/block.h"
#include "components/vpmu/x86_64/thread.h"

/* The most that a pass through the block brings any overflow nearer if it runs now: its weight, or less. The thread is
 * about to run it, and has nothing in its trace. */
int32_t papi_vpmu_foresee(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block);

#endif
