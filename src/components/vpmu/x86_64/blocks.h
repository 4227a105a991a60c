/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translations of blocks, made and filed: what translate/ needs of the process comes from here, and what it makes goes
 * into the cache and the descriptions. All under the lock of the cache, in the runtime.
 */
#ifndef PAPI_VPMU_X86_64_BLOCKS_H
#define PAPI_VPMU_X86_64_BLOCKS_H

#include "components/vpmu/x86_64/cache.h"

/* The block at pc, translated. NULL when the cache is full. */
struct papi_vpmu_block *papi_vpmu_translate(struct papi_vpmu_flavour *flavour, uint64_t pc);

/* One that runs the instruction at pc natively, alone; nothing is read there. */
struct papi_vpmu_block *papi_vpmu_translate_step(struct papi_vpmu_flavour *flavour, uint64_t pc);

/* Code where indirect branches to a block go: they arrive with the target in rcx; rcx and rdx are spilled. If the
 * target is another, they go on to the code otherwise (0: the dispatcher). Returns its address, 0 when the cache is
 * full. */
uint64_t papi_vpmu_translate_indirect_entry(struct papi_vpmu_block *block, uint64_t otherwise);

#endif
