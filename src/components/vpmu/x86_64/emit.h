/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoding of the few instructions that the translator adds to the program's own.
 *
 * None of them but those whose name says "flags" changes a flag. Fields of the thread are gs:[offset].
 */
#ifndef PAPI_VPMU_X86_64_EMIT_H
#define PAPI_VPMU_X86_64_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Code is written through one mapping and runs in another; addresses are those of the second. */
struct papi_vpmu_emitter {
	uint8_t *next;    /* where the next byte is written */
	intptr_t to_code; /* from a place of writing to the address where it runs */
};

/* What a block may take at most, by far. */
#define PAPI_VPMU_EMIT_MARGIN 65536

static inline uint64_t papi_vpmu_emit_address(const struct papi_vpmu_emitter *e)
{
	return (uint64_t)((intptr_t)e->next + e->to_code);
}

static inline void papi_vpmu_emit_byte(struct papi_vpmu_emitter *e, unsigned byte)
{
	*e->next++ = (uint8_t)byte;
}

static inline void papi_vpmu_emit_32(struct papi_vpmu_emitter *e, uint32_t value)
{
	memcpy(e->next, &value, 4);
	e->next += 4;
}

static inline void papi_vpmu_emit_64(struct papi_vpmu_emitter *e, uint64_t value)
{
	memcpy(e->next, &value, 8);
	e->next += 8;
}

static inline void papi_vpmu_emit_bytes(struct papi_vpmu_emitter *e, const uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		*e->next++ = bytes[i];
}

/* mov reg, value */
void papi_vpmu_emit_constant(struct papi_vpmu_emitter *e, unsigned reg, uint64_t value);
/* mov gs:[offset], reg and back */
void papi_vpmu_emit_store(struct papi_vpmu_emitter *e, unsigned offset, unsigned reg);
void papi_vpmu_emit_load(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset);
/* The same with the slot that a register has in spilled[]. */
void papi_vpmu_emit_spill(struct papi_vpmu_emitter *e, unsigned reg);
void papi_vpmu_emit_unspill(struct papi_vpmu_emitter *e, unsigned reg);
/* mov qword gs:[offset], value (extended with its sign) */
void papi_vpmu_emit_store_constant(struct papi_vpmu_emitter *e, unsigned offset, int32_t value);
/* mov to, from */
void papi_vpmu_emit_move(struct papi_vpmu_emitter *e, unsigned to, unsigned from);
/* lea to, [base + displacement] */
void papi_vpmu_emit_lea(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement);
/* lea to, [base + index * scale + displacement] */
void papi_vpmu_emit_lea_scaled(
	struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned index, unsigned scale, int32_t displacement);
/* not reg */
void papi_vpmu_emit_not(struct papi_vpmu_emitter *e, unsigned reg);
/* add qword gs:[offset], value: changes flags */
void papi_vpmu_emit_add_flags(struct papi_vpmu_emitter *e, unsigned offset, int32_t value);
/* jmp gs:[offset] */
void papi_vpmu_emit_jump_through(struct papi_vpmu_emitter *e, unsigned offset);
/* jmp target, with 32 bits of displacement that lie within 8 aligned bytes, so that they can be replaced while threads
 * run over them. Returns where they are. */
uint8_t *papi_vpmu_emit_jump(struct papi_vpmu_emitter *e, uint64_t target);
/* The same for a conditional jump of that condition code; not to be replaced. */
uint8_t *papi_vpmu_emit_jump_if(struct papi_vpmu_emitter *e, unsigned condition, uint64_t target);
uint8_t *papi_vpmu_emit_jrcxz(struct papi_vpmu_emitter *e);
/* A jump of 8 or 32 bits that was emitted before ends here. */
void papi_vpmu_emit_land_8(struct papi_vpmu_emitter *e, uint8_t *place);
void papi_vpmu_emit_land_32(struct papi_vpmu_emitter *e, uint8_t *place);
/* Saves the flags in rax, which has to be spilled, and brings them back. Changes flags in between. */
void papi_vpmu_emit_flags_save(struct papi_vpmu_emitter *e);
void papi_vpmu_emit_flags_restore(struct papi_vpmu_emitter *e);
/* push qword [rip + ...]: pushes what papi_vpmu_emit_literal() puts there later. Returns the place of the
 * displacement. */
uint8_t *papi_vpmu_emit_push_literal(struct papi_vpmu_emitter *e);
void papi_vpmu_emit_literal(struct papi_vpmu_emitter *e, uint8_t *place, uint64_t value);

#endif
