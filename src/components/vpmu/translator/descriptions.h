/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptions of all blocks that make records (models/trace.h), for as long as the process lives: a thread may not
 * have looked at its trace yet. Under the lock of the cache.
 */
#ifndef PAPI_VPMU_TRANSLATOR_DESCRIPTIONS_H
#define PAPI_VPMU_TRANSLATOR_DESCRIPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/models/frames.h"
#include "components/vpmu/models/trace.h"

/* Room for the places of a block that needs no description. False when memory has ended. */
bool papi_vpmu_describe_reserve(void);
/* Room for a description, which is to be written there, and for the places of its block. offset is where. NULL when
 * memory has ended. */
void *papi_vpmu_describe_room(size_t size, uint32_t *offset);

/* From where offsets count. */
const unsigned char *papi_vpmu_descriptions(void);

/* An address of code with the number of its page, which it gets if it has none. 0 when memory has ended. */
uint64_t papi_vpmu_describe_place(uint64_t pc);
/* The same, of a block for which there is room. */
uint64_t papi_vpmu_describe_reserved_place(uint64_t pc);

/* The lines of L1I, each 1 << shift bytes, that code within one page of such a block is in: the first, and how many. */
uint8_t papi_vpmu_describe_lines(uint64_t pc, uint64_t end, unsigned shift, uint64_t *first);
/* Where such a block is in the models, up to end, with the branch last. */
void papi_vpmu_describe_block(struct papi_vpmu_description *block, uint64_t last, uint64_t end, unsigned shift);

#endif
