/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate/emit.h"

#include "components/vpmu/x86_64/translate/offsets.h"

/* Prefix and opcode bits that several encodings share. */
enum {
	FS = 0x64,
	GS = 0x65,
	ADDRESS_SIZE = 0x67,
	REX = 0x40,
	REX_W = 0x48,
	REX_R = 4,
	REX_X = 2,
	REX_B = 1,
	SIB = 4,
	NO_BASE = 5,
	NO_INDEX = 4,
	TWO_BYTES = 0x0f,
	INT3 = 0xcc,
	NOP = 0x90,
};

/* ModRM's mod: which displacement follows, or that rm is a register. */
enum { NO_DISPLACEMENT, BYTE, FOUR_BYTES, REGISTER };

static void modrm(struct papi_vpmu_emitter *e, unsigned mod, unsigned reg, unsigned rm)
{
	papi_vpmu_emit_byte(e, mod << 6 | (reg & 7) << 3 | (rm & 7));
}

static void sib(struct papi_vpmu_emitter *e, unsigned scale, unsigned index, unsigned base)
{
	papi_vpmu_emit_byte(e, (unsigned)__builtin_ctz(scale) << 6 | (index & 7) << 3 | (base & 7));
}

/* Behind the prefixes: an opcode with an offset from gs. */
static void at_offset(struct papi_vpmu_emitter *e, unsigned opcode, unsigned reg, unsigned offset)
{
	papi_vpmu_emit_byte(e, opcode);
	modrm(e, NO_DISPLACEMENT, reg, SIB);
	sib(e, 1, NO_INDEX, NO_BASE);
	papi_vpmu_emit_32(e, offset);
}

/* opcode reg, gs:[offset] with 64-bit operands */
static void through_gs(struct papi_vpmu_emitter *e, unsigned opcode, unsigned reg, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_R : 0));
	at_offset(e, opcode, reg, offset);
}

void papi_vpmu_emit_constant(struct papi_vpmu_emitter *e, unsigned reg, uint64_t value)
{
	if (value <= UINT32_MAX) { /* mov r32, imm32 clears the upper half */
		if (reg > 7)
			papi_vpmu_emit_byte(e, REX | REX_B);
		papi_vpmu_emit_byte(e, 0xb8 | (reg & 7));
		papi_vpmu_emit_32(e, (uint32_t)value);
		return;
	}
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0xb8 | (reg & 7));
	papi_vpmu_emit_64(e, value);
}

void papi_vpmu_emit_store(struct papi_vpmu_emitter *e, unsigned offset, unsigned reg)
{
	through_gs(e, 0x89, reg, offset);
}

void papi_vpmu_emit_load(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset)
{
	through_gs(e, 0x8b, reg, offset);
}

void papi_vpmu_emit_spill(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_store(e, VPMU_SPILLED + 8 * reg, reg);
}

void papi_vpmu_emit_unspill(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_load(e, reg, VPMU_SPILLED + 8 * reg);
}

void papi_vpmu_emit_store_constant(struct papi_vpmu_emitter *e, unsigned offset, int32_t value)
{
	through_gs(e, 0xc7, 0, offset);
	papi_vpmu_emit_32(e, (uint32_t)value);
}

void papi_vpmu_emit_load_byte(struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, TWO_BYTES);
	papi_vpmu_emit_byte(e, 0xb6);
	modrm(e, FOUR_BYTES, to, base);
	papi_vpmu_emit_32(e, offset);
}

/* ModRM of [base], with the SIB byte that rsp and r12 need. */
static void modrm_base(struct papi_vpmu_emitter *e, unsigned mod, unsigned reg, unsigned base)
{
	modrm(e, mod, reg, base);
	if ((base & 7) == SIB)
		sib(e, 1, NO_INDEX, base);
}

void papi_vpmu_emit_load_at(struct papi_vpmu_emitter *e, unsigned to, unsigned base)
{
	papi_vpmu_emit_byte(e, REX_W | (to > 7 ? REX_R : 0) | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x8b);
	modrm_base(e, NO_DISPLACEMENT, to, base);
}

/* opcode reg, [base + displacement]; 64 bits if wide */
static void through_base(
	struct papi_vpmu_emitter *e, bool wide, unsigned opcode, unsigned reg, unsigned base, int32_t displacement)
{
	bool small = displacement >= -128 && displacement < 128;

	papi_vpmu_emit_byte(e, (wide ? REX_W : REX) | (reg > 7 ? REX_R : 0) | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, opcode);
	modrm_base(e, small ? BYTE : FOUR_BYTES, reg, base);
	if (small)
		papi_vpmu_emit_byte(e, (unsigned)displacement & 0xff);
	else
		papi_vpmu_emit_32(e, (uint32_t)displacement);
}

void papi_vpmu_emit_load_from(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement)
{
	through_base(e, true, 0x8b, to, base, displacement);
}

void papi_vpmu_emit_load_32_from(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement)
{
	through_base(e, false, 0x8b, to, base, displacement);
}

/* opcode reg, gs:[base + offset] with 64-bit operands */
static void through_indexed(struct papi_vpmu_emitter *e, unsigned opcode, unsigned reg, unsigned base, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	through_base(e, true, opcode, reg, base, (int32_t)offset);
}

void papi_vpmu_emit_load_indexed(struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned offset)
{
	through_indexed(e, 0x8b, to, base, offset);
}

void papi_vpmu_emit_store_indexed(struct papi_vpmu_emitter *e, unsigned base, unsigned offset, unsigned reg)
{
	through_indexed(e, 0x89, reg, base, offset);
}

/* opcode reg, gs:[index * 8 + offset] with 64-bit operands */
static void through_table(struct papi_vpmu_emitter *e, unsigned opcode, unsigned reg, unsigned index, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_R : 0) | (index > 7 ? REX_X : 0));
	papi_vpmu_emit_byte(e, opcode);
	modrm(e, NO_DISPLACEMENT, reg, SIB);
	sib(e, 8, index, NO_BASE);
	papi_vpmu_emit_32(e, offset);
}

void papi_vpmu_emit_load_table(struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned offset)
{
	through_table(e, 0x8b, to, index, offset);
}

void papi_vpmu_emit_load_like(
	struct papi_vpmu_emitter *e, unsigned to, bool fs, bool narrow, unsigned rex, unsigned like)
{
	if (fs)
		papi_vpmu_emit_byte(e, FS);
	if (narrow)
		papi_vpmu_emit_byte(e, ADDRESS_SIZE);
	papi_vpmu_emit_byte(e, REX_W | (rex & (REX_X | REX_B)));
	papi_vpmu_emit_byte(e, 0x8b);
	modrm(e, like >> 6, to, like);
}

void papi_vpmu_emit_store_at(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg)
{
	bool small = displacement < 128;

	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_R : 0) | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x89);
	modrm_base(e, small ? BYTE : FOUR_BYTES, reg, base);
	if (small)
		papi_vpmu_emit_byte(e, displacement);
	else
		papi_vpmu_emit_32(e, displacement);
}

void papi_vpmu_emit_store_constant_at(struct papi_vpmu_emitter *e, unsigned base, uint32_t value)
{
	papi_vpmu_emit_byte(e, REX_W | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0xc7);
	modrm_base(e, BYTE, 0, base);
	papi_vpmu_emit_byte(e, 0);
	papi_vpmu_emit_32(e, value);
}

void papi_vpmu_emit_store_constant_32_at(struct papi_vpmu_emitter *e, unsigned base, int displacement, uint32_t value)
{
	if (base > 7)
		papi_vpmu_emit_byte(e, REX | REX_B);
	papi_vpmu_emit_byte(e, 0xc7);
	modrm_base(e, BYTE, 0, base);
	papi_vpmu_emit_byte(e, (uint8_t)displacement);
	papi_vpmu_emit_32(e, value);
}

/* The bits of a VEX or EVEX prefix that make registers high ones are inverted: set, they say a low one. */
enum { VEX_LOW_REG = 0x80, VEX_NO_INDEX = 0x40, VEX_LOW_BASE = 0x20, EVEX_LOW_REG = 0x10, MAP_0F = 1 };

static unsigned vector_prefix(unsigned base, unsigned reg)
{
	return (reg & 8 ? 0u : VEX_LOW_REG) | VEX_NO_INDEX | (base & 8 ? 0u : VEX_LOW_BASE) | MAP_0F;
}

static void vector_operands(
	struct papi_vpmu_emitter *e, unsigned opcode, unsigned base, unsigned displacement, unsigned reg)
{
	papi_vpmu_emit_byte(e, opcode);
	modrm_base(e, FOUR_BYTES, reg, base);
	papi_vpmu_emit_32(e, displacement);
}

void papi_vpmu_emit_store_vector(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg)
{
	papi_vpmu_emit_byte(e, 0xc4);
	papi_vpmu_emit_byte(e, vector_prefix(base, reg));
	papi_vpmu_emit_byte(e, 0x7e);
	vector_operands(e, 0x7f, base, displacement, reg);
}

void papi_vpmu_emit_store_vector_large(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg)
{
	papi_vpmu_emit_byte(e, 0x62);
	papi_vpmu_emit_byte(e, vector_prefix(base, reg) | (reg & 16 ? 0u : EVEX_LOW_REG));
	papi_vpmu_emit_byte(e, 0xfe);
	papi_vpmu_emit_byte(e, 0x48);
	vector_operands(e, 0x7f, base, displacement, reg);
}

void papi_vpmu_emit_store_mask(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg)
{
	papi_vpmu_emit_byte(e, 0xc4);
	papi_vpmu_emit_byte(e, vector_prefix(base, reg));
	papi_vpmu_emit_byte(e, 0x78);
	vector_operands(e, 0x91, base, displacement, reg);
}

void papi_vpmu_emit_move(struct papi_vpmu_emitter *e, unsigned to, unsigned from)
{
	papi_vpmu_emit_byte(e, REX_W | (from > 7 ? REX_R : 0) | (to > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x89);
	modrm(e, REGISTER, from, to);
}

void papi_vpmu_emit_move_32(struct papi_vpmu_emitter *e, unsigned to, unsigned from)
{
	papi_vpmu_emit_byte(e, REX | (from > 7 ? REX_R : 0) | (to > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x89);
	modrm(e, REGISTER, from, to);
}

void papi_vpmu_emit_move_16(struct papi_vpmu_emitter *e, unsigned to, unsigned from)
{
	papi_vpmu_emit_byte(e, TWO_BYTES);
	papi_vpmu_emit_byte(e, 0xb7);
	modrm(e, REGISTER, to, from);
}

void papi_vpmu_emit_lea(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement)
{
	through_base(e, true, 0x8d, to, base, displacement);
}

void papi_vpmu_emit_lea_scaled(
	struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned index, unsigned scale, int32_t displacement)
{
	papi_vpmu_emit_byte(e, REX_W | (to > 7 ? REX_R : 0) | (index > 7 ? REX_X : 0) | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x8d);
	modrm(e, FOUR_BYTES, to, SIB);
	sib(e, scale, index, base);
	papi_vpmu_emit_32(e, (uint32_t)displacement);
}

void papi_vpmu_emit_lea_index(
	struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned scale, int32_t displacement)
{
	papi_vpmu_emit_byte(e, REX_W | (to > 7 ? REX_R : 0) | (index > 7 ? REX_X : 0));
	papi_vpmu_emit_byte(e, 0x8d);
	modrm(e, NO_DISPLACEMENT, to, SIB);
	sib(e, scale, index, NO_BASE);
	papi_vpmu_emit_32(e, (uint32_t)displacement);
}

void papi_vpmu_emit_swap_bytes(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_byte(e, REX_W);
	papi_vpmu_emit_byte(e, 0x0f);
	papi_vpmu_emit_byte(e, 0xc8 | reg);
}

void papi_vpmu_emit_not(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0xf7);
	modrm(e, REGISTER, 2, reg);
}

void papi_vpmu_emit_add_flags(struct papi_vpmu_emitter *e, unsigned offset, int32_t value)
{
	bool small = value >= -128 && value < 128;

	through_gs(e, small ? 0x83 : 0x81, 0, offset);
	if (small)
		papi_vpmu_emit_byte(e, (unsigned)value & 0xff);
	else
		papi_vpmu_emit_32(e, (uint32_t)value);
}

void papi_vpmu_emit_add_indexed_flags(struct papi_vpmu_emitter *e, unsigned base, int value)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, REX_W);
	papi_vpmu_emit_byte(e, 0x83);
	modrm_base(e, NO_DISPLACEMENT, 0, base);
	papi_vpmu_emit_byte(e, (unsigned)value & 0xff);
}

void papi_vpmu_emit_add_table_flags(struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned offset)
{
	through_table(e, 0x03, to, index, offset);
}

void papi_vpmu_emit_upper_half_flags(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0xc1);
	modrm(e, REGISTER, 5, reg);
	papi_vpmu_emit_byte(e, 32);
}

void papi_vpmu_emit_compare_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset)
{
	through_gs(e, 0x3b, reg, offset);
}

/* The constant of one of those operations whose number ModRM has. */
static void with_constant(struct papi_vpmu_emitter *e, bool wide, unsigned operation, unsigned reg, uint32_t value)
{
	bool small = value < 128;

	papi_vpmu_emit_byte(e, (wide ? REX_W : REX) | (reg > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, small ? 0x83 : 0x81);
	modrm(e, REGISTER, operation, reg);
	if (small)
		papi_vpmu_emit_byte(e, value);
	else
		papi_vpmu_emit_32(e, value);
}

void papi_vpmu_emit_compare_constant_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned value)
{
	with_constant(e, true, 7, reg, value);
}

void papi_vpmu_emit_and_32_flags(struct papi_vpmu_emitter *e, unsigned reg, uint32_t mask)
{
	with_constant(e, false, 4, reg, mask);
}

void papi_vpmu_emit_add_load_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset)
{
	through_gs(e, 0x03, reg, offset);
}

void papi_vpmu_emit_add_load_indexed_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset)
{
	through_indexed(e, 0x03, reg, base, offset);
}

void papi_vpmu_emit_subtract_indexed_flags(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset)
{
	through_indexed(e, 0x2b, reg, base, offset);
}

void papi_vpmu_emit_compare_memory_32_flags(struct papi_vpmu_emitter *e, unsigned offset, uint32_t value)
{
	papi_vpmu_emit_byte(e, GS);
	at_offset(e, 0x81, 7, offset);
	papi_vpmu_emit_32(e, value);
}

void papi_vpmu_emit_compare_bytes_flags(
	struct papi_vpmu_emitter *e, unsigned base, uint32_t displacement, const uint8_t *bytes, unsigned width)
{
	papi_vpmu_emit_byte(e, width == 4 ? 0x81 : 0x80);
	modrm(e, FOUR_BYTES, 7, base);
	papi_vpmu_emit_32(e, displacement);
	papi_vpmu_emit_bytes(e, bytes, width);
}

void papi_vpmu_emit_test_stack_flags(struct papi_vpmu_emitter *e, unsigned displacement, unsigned mask)
{
	papi_vpmu_emit_byte(e, 0xf6);
	modrm_base(e, BYTE, 0, RSP);
	papi_vpmu_emit_byte(e, displacement);
	papi_vpmu_emit_byte(e, mask);
}

void papi_vpmu_emit_jump_through(struct papi_vpmu_emitter *e, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	at_offset(e, 0xff, 4, offset);
}

void papi_vpmu_emit_jump_table(struct papi_vpmu_emitter *e, unsigned index, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, 0xff);
	modrm(e, NO_DISPLACEMENT, 4, SIB);
	sib(e, 8, index, NO_BASE);
	papi_vpmu_emit_32(e, offset);
}

void papi_vpmu_emit_jump_register(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_byte(e, 0xff);
	modrm(e, REGISTER, 4, reg);
}

static uint8_t *relative(struct papi_vpmu_emitter *e, uint64_t target)
{
	uint8_t *place = e->next;

	papi_vpmu_emit_32(e, (uint32_t)(target - (papi_vpmu_emit_address(e) + 4)));
	return place;
}

/* One missing byte is a prefix of the jump, more are one NOP: a block may begin with it, and nobody may stand between
 * the first two bytes of a block (copy.c). */
uint8_t *papi_vpmu_emit_jump(struct papi_vpmu_emitter *e, uint64_t target)
{
	static const uint8_t padding[][3] = { { REX }, { 0x66, NOP }, { TWO_BYTES, 0x1f, 0x00 } };
	unsigned place = ((uintptr_t)e->next + 1) % 8;

	if (place > 4)
		papi_vpmu_emit_bytes(e, padding[7 - place], 8 - place);
	papi_vpmu_emit_byte(e, 0xe9);
	return relative(e, target);
}

/* Where a displacement of 32 bits is filled in later. */
static uint8_t *to_be_filled(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_32(e, 0);
	return e->next - 4;
}

uint8_t *papi_vpmu_emit_jump_forward(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_byte(e, 0xe9);
	return to_be_filled(e);
}

void papi_vpmu_emit_jump_over(struct papi_vpmu_emitter *e, unsigned bytes)
{
	papi_vpmu_emit_byte(e, 0xeb);
	papi_vpmu_emit_byte(e, bytes);
}

uint8_t *papi_vpmu_emit_jump_if(struct papi_vpmu_emitter *e, unsigned condition)
{
	papi_vpmu_emit_byte(e, TWO_BYTES);
	papi_vpmu_emit_byte(e, 0x80 | condition);
	return to_be_filled(e);
}

uint8_t *papi_vpmu_emit_jecxz(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_byte(e, ADDRESS_SIZE);
	return papi_vpmu_emit_jrcxz(e);
}

uint8_t *papi_vpmu_emit_jrcxz(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_byte(e, 0xe3);
	papi_vpmu_emit_byte(e, 0);
	return e->next - 1;
}

void papi_vpmu_emit_land_8(struct papi_vpmu_emitter *e, uint8_t *place)
{
	*place = (uint8_t)(e->next - (place + 1));
}

void papi_vpmu_emit_lead_32(uint8_t *place, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (place + 4));

	memcpy(place, &distance, 4);
}

void papi_vpmu_emit_land_32(struct papi_vpmu_emitter *e, uint8_t *place)
{
	papi_vpmu_emit_lead_32(place, e->next);
}

/* lahf leaves the overflow flag out: seto keeps it in al, from where adding 0x7f brings it back. */
void papi_vpmu_emit_flags_save(struct papi_vpmu_emitter *e)
{
	static const uint8_t lahf_seto_al[] = { 0x9f, 0x0f, 0x90, 0xc0 };

	papi_vpmu_emit_bytes(e, lahf_seto_al, sizeof(lahf_seto_al));
}

void papi_vpmu_emit_flags_restore(struct papi_vpmu_emitter *e)
{
	static const uint8_t add_al_0x7f_sahf[] = { 0x04, 0x7f, 0x9e };

	papi_vpmu_emit_bytes(e, add_al_0x7f_sahf, sizeof(add_al_0x7f_sahf));
}

/* One store of eight bytes: a return that follows soon gets them forwarded, which two halves would prevent. */
uint8_t *papi_vpmu_emit_push_literal(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_byte(e, 0xff);
	modrm(e, NO_DISPLACEMENT, 6, NO_BASE);
	return to_be_filled(e);
}

void papi_vpmu_emit_literal(struct papi_vpmu_emitter *e, uint8_t *place, uint64_t value)
{
	papi_vpmu_emit_traps(e, papi_vpmu_emit_to_alignment(e, 8));
	papi_vpmu_emit_land_32(e, place);
	papi_vpmu_emit_64(e, value);
}

uint8_t *papi_vpmu_emit_lea_code(struct papi_vpmu_emitter *e, unsigned to)
{
	papi_vpmu_emit_byte(e, REX_W | (to > 7 ? REX_R : 0));
	papi_vpmu_emit_byte(e, 0x8d);
	modrm(e, NO_DISPLACEMENT, to, NO_BASE);
	return to_be_filled(e);
}

void papi_vpmu_emit_syscall(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_byte(e, TWO_BYTES);
	papi_vpmu_emit_byte(e, 0x05);
}

void papi_vpmu_emit_empty_prefix(struct papi_vpmu_emitter *e)
{
	papi_vpmu_emit_byte(e, REX);
}

unsigned papi_vpmu_emit_to_alignment(const struct papi_vpmu_emitter *e, unsigned alignment)
{
	return (unsigned)(-(uintptr_t)e->next % alignment);
}

void papi_vpmu_emit_to_even(struct papi_vpmu_emitter *e)
{
	if (papi_vpmu_emit_to_alignment(e, 2))
		papi_vpmu_emit_byte(e, NOP);
}

void papi_vpmu_emit_traps(struct papi_vpmu_emitter *e, unsigned count)
{
	while (count-- > 0)
		papi_vpmu_emit_byte(e, INT3);
}
