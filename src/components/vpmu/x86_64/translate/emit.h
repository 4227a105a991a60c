/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoding of the few instructions that the translator adds to the program's own. No other file writes an opcode.
 *
 * None of them but those whose name says "flags" changes a flag. Fields of the thread are gs:[offset]. A function that
 * returns a place emits a jump whose displacement is still to be filled in, by papi_vpmu_emit_land_8() or _32().
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_EMIT_H
#define PAPI_VPMU_X86_64_TRANSLATE_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "components/vpmu/translator/emitter.h"

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

/* ---- moves ---- */

/* mov reg, value */
void papi_vpmu_emit_constant(struct papi_vpmu_emitter *e, unsigned reg, uint64_t value);
/* mov gs:[offset], reg and back */
void papi_vpmu_emit_store(struct papi_vpmu_emitter *e, unsigned offset, unsigned reg);
void papi_vpmu_emit_load(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset);
/* The same with the place that a register has in spilled[]. */
void papi_vpmu_emit_spill(struct papi_vpmu_emitter *e, unsigned reg);
void papi_vpmu_emit_unspill(struct papi_vpmu_emitter *e, unsigned reg);
/* mov qword gs:[offset], value (extended with its sign) */
void papi_vpmu_emit_store_constant(struct papi_vpmu_emitter *e, unsigned offset, int32_t value);
/* movzx to, byte gs:[base + offset] */
void papi_vpmu_emit_load_byte(struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned offset);
/* mov to, [base] */
void papi_vpmu_emit_load_at(struct papi_vpmu_emitter *e, unsigned to, unsigned base);
/* mov to, [base + displacement]; the same of 32 bits, which clears what is above */
void papi_vpmu_emit_load_from(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement);
void papi_vpmu_emit_load_32_from(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement);
/* mov to, gs:[base + offset], and back; mov to, gs:[index * 8 + offset] */
void papi_vpmu_emit_load_indexed(struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned offset);
void papi_vpmu_emit_store_indexed(struct papi_vpmu_emitter *e, unsigned base, unsigned offset, unsigned reg);
void papi_vpmu_emit_load_table(struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned offset);
/* mov to, [...]: all but what comes behind its ModRM byte. That addresses memory as the ModRM byte of another
 * instruction does, with that one's REX (0: it has none), prefix for fs, and prefix for 32-bit addresses. */
void papi_vpmu_emit_load_like(
	struct papi_vpmu_emitter *e, unsigned to, bool fs, bool narrow, unsigned rex, unsigned modrm);
/* mov [base + displacement], reg; vectors, mask and number likewise */
void papi_vpmu_emit_store_at(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg);
/* mov qword [base], value (extended with its sign) */
void papi_vpmu_emit_store_constant_at(struct papi_vpmu_emitter *e, unsigned base, uint32_t value);
/* mov dword [base + displacement], value; the displacement is one of 8 bits, with their sign */
void papi_vpmu_emit_store_constant_32_at(struct papi_vpmu_emitter *e, unsigned base, int displacement, uint32_t value);
/* vmovdqu [base + displacement], 32 bytes of the vector register reg */
void papi_vpmu_emit_store_vector(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg);
/* vmovdqu64 [base + displacement], all of it */
void papi_vpmu_emit_store_vector_large(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg);
/* kmovw [base + displacement], the mask register reg */
void papi_vpmu_emit_store_mask(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg);
/* mov to, from; the same of 32 and of 16 bits, which clear what is above */
void papi_vpmu_emit_move(struct papi_vpmu_emitter *e, unsigned to, unsigned from);
void papi_vpmu_emit_move_32(struct papi_vpmu_emitter *e, unsigned to, unsigned from);
void papi_vpmu_emit_move_16(struct papi_vpmu_emitter *e, unsigned to, unsigned from);
/* push qword [rip + ...]: pushes what papi_vpmu_emit_literal() puts there later. Returns the place of the
 * displacement. */
uint8_t *papi_vpmu_emit_push_literal(struct papi_vpmu_emitter *e);
void papi_vpmu_emit_literal(struct papi_vpmu_emitter *e, uint8_t *place, uint64_t value);

/* ---- calculations ---- */

/* lea to, [base + displacement] */
void papi_vpmu_emit_lea(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement);
/* lea to, [base + index * scale + displacement] */
void papi_vpmu_emit_lea_scaled(
	struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned index, unsigned scale, int32_t displacement);
/* lea to, [index * scale + displacement] */
void papi_vpmu_emit_lea_index(
	struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned scale, int32_t displacement);
/* lea to, [rip + ...]: the address of code where papi_vpmu_emit_land_32() is called later, or that
 * papi_vpmu_emit_lead_32() is told. */
uint8_t *papi_vpmu_emit_lea_code(struct papi_vpmu_emitter *e, unsigned to);
/* bswap reg: the bytes of one of the lower eight in the opposite order */
void papi_vpmu_emit_swap_bytes(struct papi_vpmu_emitter *e, unsigned reg);
/* not reg */
void papi_vpmu_emit_not(struct papi_vpmu_emitter *e, unsigned reg);
/* add qword gs:[offset], value: changes flags */
void papi_vpmu_emit_add_flags(struct papi_vpmu_emitter *e, unsigned offset, int32_t value);
/* add qword gs:[base], value, of one of the lower eight; add to, gs:[index * 8 + offset]: change flags */
void papi_vpmu_emit_add_indexed_flags(struct papi_vpmu_emitter *e, unsigned base, int value);
void papi_vpmu_emit_add_table_flags(struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned offset);
/* shr reg, 32: changes flags */
void papi_vpmu_emit_upper_half_flags(struct papi_vpmu_emitter *e, unsigned reg);
/* cmp reg, gs:[offset]: changes flags */
void papi_vpmu_emit_compare_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset);
/* cmp reg, value; and reg, mask of 32 bits, which clears what is above; add reg, gs:[offset]; add and sub reg,
 * gs:[base + offset]: change flags */
void papi_vpmu_emit_compare_constant_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned value);
void papi_vpmu_emit_and_32_flags(struct papi_vpmu_emitter *e, unsigned reg, uint32_t mask);
void papi_vpmu_emit_add_load_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset);
void papi_vpmu_emit_add_load_indexed_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset);
void papi_vpmu_emit_subtract_indexed_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset);
/* cmp dword gs:[offset], value: changes flags */
void papi_vpmu_emit_compare_memory_32_flags(struct papi_vpmu_emitter *e, unsigned offset, uint32_t value);
/* cmp [base + displacement], the constant of width (1 or 4) bytes at bytes: changes flags */
void papi_vpmu_emit_compare_bytes_flags(
	struct papi_vpmu_emitter *e, unsigned base, uint32_t displacement, const uint8_t *bytes, unsigned width);
/* test byte [rsp + displacement], mask: changes flags */
void papi_vpmu_emit_test_stack_flags(struct papi_vpmu_emitter *e, unsigned displacement, unsigned mask);
/* Saves the flags in rax, which has to be spilled, and brings them back. Changes flags in between. */
void papi_vpmu_emit_flags_save(struct papi_vpmu_emitter *e);
void papi_vpmu_emit_flags_restore(struct papi_vpmu_emitter *e);

/* ---- jumps ---- */

/* Condition codes, as the processor numbers them. */
enum papi_vpmu_condition {
	PAPI_VPMU_IF_EQUAL = 4,
	PAPI_VPMU_IF_NOT_EQUAL = 5,
	PAPI_VPMU_IF_ABOVE = 7,
	PAPI_VPMU_IF_SIGN = 8,
};

/* jmp gs:[offset] */
void papi_vpmu_emit_jump_through(struct papi_vpmu_emitter *e, unsigned offset);
/* jmp gs:[offset + index * 8] */
void papi_vpmu_emit_jump_table(struct papi_vpmu_emitter *e, unsigned index, unsigned offset);
/* jmp reg, one of the lower eight */
void papi_vpmu_emit_jump_register(struct papi_vpmu_emitter *e, unsigned reg);
/* jmp target, with 32 bits of displacement that lie within 8 aligned bytes, so that they can be replaced while threads
 * run over them. Returns where they are. No instruction of one byte comes before it. */
uint8_t *papi_vpmu_emit_jump(struct papi_vpmu_emitter *e, uint64_t target);
/* jmp forward, of a fixed length: 5 bytes. It is not to be replaced. */
uint8_t *papi_vpmu_emit_jump_forward(struct papi_vpmu_emitter *e);
#define PAPI_VPMU_JUMP_FORWARD 5
/* jmp over that many bytes, 2 bytes long */
void papi_vpmu_emit_jump_over(struct papi_vpmu_emitter *e, unsigned bytes);
#define PAPI_VPMU_JUMP_OVER 2
/* A conditional jump forward; not to be replaced. */
uint8_t *papi_vpmu_emit_jump_if(struct papi_vpmu_emitter *e, unsigned condition);
uint8_t *papi_vpmu_emit_jrcxz(struct papi_vpmu_emitter *e);
uint8_t *papi_vpmu_emit_jecxz(struct papi_vpmu_emitter *e);
/* A jump of 8 or 32 bits that was emitted before ends here. */
void papi_vpmu_emit_land_8(struct papi_vpmu_emitter *e, uint8_t *place);
void papi_vpmu_emit_land_32(struct papi_vpmu_emitter *e, uint8_t *place);
/* Or there, where something has been written before. */
void papi_vpmu_emit_lead_32(uint8_t *place, const uint8_t *target);
void papi_vpmu_emit_syscall(struct papi_vpmu_emitter *e);

/* ---- what is no instruction of its own ---- */

/* A prefix that changes nothing: the next instruction becomes one byte longer. */
void papi_vpmu_emit_empty_prefix(struct papi_vpmu_emitter *e);
/* How many bytes there are to the next address that is aligned. */
unsigned papi_vpmu_emit_to_alignment(const struct papi_vpmu_emitter *e, unsigned alignment);
void papi_vpmu_emit_to_even(struct papi_vpmu_emitter *e);
/* That many bytes of int3: nothing runs there. */
void papi_vpmu_emit_traps(struct papi_vpmu_emitter *e, unsigned count);

#endif
