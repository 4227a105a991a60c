/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes A64 instructions. No more is here than translation needs: what moves between registers and the thread, adds,
 * and branches. None of it changes a flag.
 *
 * Constants of a block lie behind it, in a pool: they are noted while the block is emitted, and written by
 * papi_a64_emit_pool().
 */
#ifndef PAPI_VPMU_ARM64_TRANSLATE_EMIT_H
#define PAPI_VPMU_ARM64_TRANSLATE_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/arm64/translate/offsets.h"
#include "components/vpmu/translator/emitter.h"

#pragma GCC visibility push(hidden)

/* As many as 64 instructions and what is added to them can have. */
#define PAPI_A64_MAX_CONSTANTS 256

struct papi_a64_pool {
	unsigned n;
	struct {
		uint8_t *place; /* of the load that wants it */
		uint64_t value;
	} constants[PAPI_A64_MAX_CONSTANTS];
};

void papi_a64_emit(struct papi_vpmu_emitter *e, uint32_t word);

/* Between a register and the thread, at that offset from x18. */
void papi_a64_emit_load(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset);
void papi_a64_emit_store(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset);
void papi_a64_emit_load_pair(struct papi_vpmu_emitter *e, unsigned first, unsigned second, unsigned offset);
void papi_a64_emit_store_pair(struct papi_vpmu_emitter *e, unsigned first, unsigned second, unsigned offset);
/* With another register in the place of x18. */
void papi_a64_emit_load_from(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset);
void papi_a64_emit_store_to(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset);

/* Likewise, at the offset that the register index has. */
void papi_a64_emit_load_indexed(struct papi_vpmu_emitter *e, unsigned reg, unsigned index);
void papi_a64_emit_store_indexed(struct papi_vpmu_emitter *e, unsigned reg, unsigned index);

void papi_a64_emit_move(struct papi_vpmu_emitter *e, unsigned to, unsigned from);
void papi_a64_emit_constant(struct papi_vpmu_emitter *e, struct papi_a64_pool *pool, unsigned reg, uint64_t value);
/* to = from + n, or - n where that is less than 0. n fits into 24 bits. */
void papi_a64_emit_add(struct papi_vpmu_emitter *e, unsigned to, unsigned from, int32_t n);
/* to = a - b */
void papi_a64_emit_subtract(struct papi_vpmu_emitter *e, unsigned to, unsigned a, unsigned b);

/* Branches: the place of each, to be made to land where the next instruction comes. */
uint8_t *papi_a64_emit_branch(struct papi_vpmu_emitter *e); /* to behind itself, until then */
uint8_t *papi_a64_emit_branch_if_not_zero(struct papi_vpmu_emitter *e, unsigned reg);
uint8_t *papi_a64_emit_branch_if_negative(struct papi_vpmu_emitter *e, unsigned reg);
void papi_a64_emit_land(struct papi_vpmu_emitter *e, uint8_t *place);
/* Or so many bytes from its place. */
void papi_a64_emit_lead(uint8_t *place, int64_t distance);
/* To that address of code. */
void papi_a64_emit_branch_to(struct papi_vpmu_emitter *e, uint64_t code);
void papi_a64_emit_branch_register(struct papi_vpmu_emitter *e, unsigned reg);
/* x15 = the address where the branch at the place that this returns is made to land. */
uint8_t *papi_a64_emit_address(struct papi_vpmu_emitter *e);

void papi_a64_emit_pool(struct papi_vpmu_emitter *e, const struct papi_a64_pool *pool);

/* The word of a branch over that many bytes. */
uint32_t papi_a64_branch(int64_t distance);

#pragma GCC visibility pop

#endif
