/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/emit.h"

#include "components/vpmu/x86_64/thread.h"

/* Prefix and opcode bits that several encodings share. */
enum { GS = 0x65, REX_W = 0x48, REX_R = 4, REX_X = 2, REX_B = 1, SIB = 4, NO_BASE = 5, NO_INDEX = 4 };

static void modrm(struct papi_vpmu_emitter *e, unsigned mod, unsigned reg, unsigned rm)
{
	papi_vpmu_emit_byte(e, mod << 6 | (reg & 7) << 3 | (rm & 7));
}

static void sib(struct papi_vpmu_emitter *e, unsigned scale, unsigned index, unsigned base)
{
	papi_vpmu_emit_byte(e, (unsigned)__builtin_ctz(scale) << 6 | (index & 7) << 3 | (base & 7));
}

/* opcode reg, gs:[offset] with 64-bit operands */
static void through_gs(struct papi_vpmu_emitter *e, unsigned opcode, unsigned reg, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_R : 0));
	papi_vpmu_emit_byte(e, opcode);
	modrm(e, 0, reg, SIB);
	sib(e, 1, NO_INDEX, NO_BASE);
	papi_vpmu_emit_32(e, offset);
}

void papi_vpmu_emit_constant(struct papi_vpmu_emitter *e, unsigned reg, uint64_t value)
{
	if (value <= UINT32_MAX) { /* mov r32, imm32 clears the upper half */
		if (reg > 7)
			papi_vpmu_emit_byte(e, 0x40 | REX_B);
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

void papi_vpmu_emit_move(struct papi_vpmu_emitter *e, unsigned to, unsigned from)
{
	papi_vpmu_emit_byte(e, REX_W | (from > 7 ? REX_R : 0) | (to > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x89);
	modrm(e, 3, from, to);
}

void papi_vpmu_emit_lea(struct papi_vpmu_emitter *e, unsigned to, unsigned base, int32_t displacement)
{
	papi_vpmu_emit_byte(e, REX_W | (to > 7 ? REX_R : 0) | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x8d);
	modrm(e, 2, to, base);
	if ((base & 7) == SIB)
		sib(e, 1, NO_INDEX, base);
	papi_vpmu_emit_32(e, (uint32_t)displacement);
}

void papi_vpmu_emit_lea_scaled(
	struct papi_vpmu_emitter *e, unsigned to, unsigned base, unsigned index, unsigned scale, int32_t displacement)
{
	papi_vpmu_emit_byte(e, REX_W | (to > 7 ? REX_R : 0) | (index > 7 ? REX_X : 0) | (base > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0x8d);
	modrm(e, 2, to, SIB);
	sib(e, scale, index, base);
	papi_vpmu_emit_32(e, (uint32_t)displacement);
}

void papi_vpmu_emit_not(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_byte(e, REX_W | (reg > 7 ? REX_B : 0));
	papi_vpmu_emit_byte(e, 0xf7);
	modrm(e, 3, 2, reg);
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

void papi_vpmu_emit_jump_through(struct papi_vpmu_emitter *e, unsigned offset)
{
	papi_vpmu_emit_byte(e, GS);
	papi_vpmu_emit_byte(e, 0xff);
	modrm(e, 0, 4, SIB);
	sib(e, 1, NO_INDEX, NO_BASE);
	papi_vpmu_emit_32(e, offset);
}

static uint8_t *relative(struct papi_vpmu_emitter *e, uint64_t target)
{
	uint8_t *place = e->next;

	papi_vpmu_emit_32(e, (uint32_t)(target - (papi_vpmu_emit_address(e) + 4)));
	return place;
}

uint8_t *papi_vpmu_emit_jump(struct papi_vpmu_emitter *e, uint64_t target)
{
	while (((uintptr_t)e->next + 1) % 8 > 4)
		papi_vpmu_emit_byte(e, 0x90);
	papi_vpmu_emit_byte(e, 0xe9);
	return relative(e, target);
}

uint8_t *papi_vpmu_emit_jump_if(struct papi_vpmu_emitter *e, unsigned condition, uint64_t target)
{
	papi_vpmu_emit_byte(e, 0x0f);
	papi_vpmu_emit_byte(e, 0x80 | condition);
	return relative(e, target);
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

void papi_vpmu_emit_land_32(struct papi_vpmu_emitter *e, uint8_t *place)
{
	int32_t distance = (int32_t)(e->next - (place + 4));

	memcpy(place, &distance, 4);
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
	modrm(e, 0, 6, NO_BASE);
	papi_vpmu_emit_32(e, 0);
	return e->next - 4;
}

void papi_vpmu_emit_literal(struct papi_vpmu_emitter *e, uint8_t *place, uint64_t value)
{
	while ((uintptr_t)e->next % 8)
		papi_vpmu_emit_byte(e, 0xcc);
	papi_vpmu_emit_land_32(e, place);
	papi_vpmu_emit_64(e, value);
}
