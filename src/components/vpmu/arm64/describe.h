/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of records (models/trace.h), from their plans. Under the lock of the cache. */
#ifndef PAPI_VPMU_ARM64_DESCRIBE_H
#define PAPI_VPMU_ARM64_DESCRIBE_H

#include <stddef.h>

#include "components/vpmu/arm64/translate/trace_plan.h"

#pragma GCC visibility push(hidden)

/* The logarithm of what dc zva clears, in bytes. */
static inline unsigned papi_a64_zero_shift(void)
{
	uint64_t id;

	__asm__("mrs %0, dczid_el0" : "=r"(id));
	return (unsigned)(id & 15) + 2;
}

/* Origins of as many accesses and lines as a block may have, of its branches, and of its end. */
#define PAPI_A64_ORIGINS_SIZE \
	(sizeof(struct papi_vpmu_origins) + 2 * PAPI_A64_BLOCK_LENGTH + PAPI_VPMU_BRANCHES_OF_RECORD + sizeof(uint32_t))

/* The largest there is. */
struct papi_a64_description {
	struct papi_vpmu_description block;
	struct papi_vpmu_access accesses[PAPI_A64_BLOCK_LENGTH];
	/* As many are copied from where they are; origins are right behind those that there are. */
	uint32_t branches[2 * PAPI_VPMU_BRANCHES_OF_RECORD + PAPI_A64_ORIGINS_SIZE / sizeof(uint32_t)];
};

/* That of a part of a block whose pages have their numbers, as it lies at that offset. Returns its size. */
size_t papi_a64_describe_part(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, uint32_t offset, struct papi_a64_description *description);
/* Puts it where threads find it. False when memory has ended. */
bool papi_a64_describe(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, uint32_t *offset);
/* The conditional branches of the part as the stream has them. Returns how many. */
unsigned papi_a64_describe_branches(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, uint32_t branches[PAPI_VPMU_BRANCHES_OF_RECORD]);

#pragma GCC visibility pop

#endif
