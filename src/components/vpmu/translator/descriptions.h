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

/* Room for a description, which is to be written there, and for the places of its block. offset is where. NULL when
 * memory has ended. */
void *papi_vpmu_describe_room(size_t size, uint32_t *offset);

/* From where offsets count. */
const unsigned char *papi_vpmu_descriptions(void);

/* An address of code with the number of its page, which it gets if it has none. 0 when memory has ended. */
uint64_t papi_vpmu_describe_place(uint64_t pc);
/* The same, of a block for whose description there is room. */
uint64_t papi_vpmu_describe_reserved_place(uint64_t pc);

#endif
