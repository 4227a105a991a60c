/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptions of all blocks that make records (models/trace.h), for as long as the process lives: a thread may not
 * have looked at its trace yet. Under the lock of the cache.
 */
#ifndef PAPI_VPMU_X86_64_DESCRIPTIONS_H
#define PAPI_VPMU_X86_64_DESCRIPTIONS_H

#include <stddef.h>

#include "components/vpmu/models/frames.h"
#include "components/vpmu/x86_64/translate/trace_plan.h"

/* Puts the plan's description where threads find it: offset is where. following: of the block that its record stands
 * for as well, or NULL. False when memory has ended. */
bool papi_vpmu_describe(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_trace_plan *following,
	bool with_sources, uint32_t *offset);

/* From where offsets count. */
const unsigned char *papi_vpmu_descriptions(void);

/* An address of code with the number of its page, which it gets if it has none. 0 when memory has ended. */
uint64_t papi_vpmu_describe_place(uint64_t pc);

/* papi_vpmu_memory (models/frames.h) without libc: it may be called between two instructions of the program. */
void *papi_vpmu_change_memory(void *memory, size_t old, size_t new);

#endif
