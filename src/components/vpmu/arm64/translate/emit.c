/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/translate/emit.h"

void papi_a64_emit(struct papi_vpmu_emitter *e, uint32_t word)
{
	__builtin_memcpy(e->next, &word, sizeof(word));
	e->next += sizeof(word);
}

/* ---- loads and stores ---- */

void papi_a64_emit_load_from(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset)
{
	papi_a64_emit(e, 0xf9400000u | offset / 8 << 10 | base << 5 | reg);
}

void papi_a64_emit_store_to(struct papi_vpmu_emitter *e, unsigned reg, unsigned base, unsigned offset)
{
	papi_a64_emit(e, 0xf9000000u | offset / 8 << 10 | base << 5 | reg);
}

void papi_a64_emit_load(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset)
{
	papi_a64_emit_load_from(e, reg, A64_THREAD, offset);
}

void papi_a64_emit_store(struct papi_vpmu_emitter *e, unsigned reg, unsigned offset)
{
	papi_a64_emit_store_to(e, reg, A64_THREAD, offset);
}

void papi_a64_emit_load_indexed(struct papi_vpmu_emitter *e, unsigned reg, unsigned index)
{
	papi_a64_emit(e, 0xf8606800u | index << 16 | A64_THREAD << 5 | reg);
}

void papi_a64_emit_store_indexed(struct papi_vpmu_emitter *e, unsigned reg, unsigned index)
{
	papi_a64_emit(e, 0xf8206800u | index << 16 | A64_THREAD << 5 | reg);
}

void papi_a64_emit_load_pair(struct papi_vpmu_emitter *e, unsigned first, unsigned second, unsigned offset)
{
	papi_a64_emit(e, 0xa9400000u | offset / 8 << 15 | second << 10 | A64_THREAD << 5 | first);
}

void papi_a64_emit_store_pair(struct papi_vpmu_emitter *e, unsigned first, unsigned second, unsigned offset)
{
	papi_a64_emit(e, 0xa9000000u | offset / 8 << 15 | second << 10 | A64_THREAD << 5 | first);
}

/* ---- values ---- */

void papi_a64_emit_move(struct papi_vpmu_emitter *e, unsigned to, unsigned from)
{
	papi_a64_emit(e, 0xaa0003e0u | from << 16 | to); /* orr to, xzr, from */
}

void papi_a64_emit_constant(struct papi_vpmu_emitter *e, struct papi_a64_pool *pool, unsigned reg, uint64_t value)
{
	if (value >> 16 == 0) {
		papi_a64_emit(e, 0xd2800000u | (uint32_t)value << 5 | reg); /* movz */
	} else if (~value >> 16 == 0) {
		papi_a64_emit(e, 0x92800000u | (uint32_t)~value << 5 | reg); /* movn */
	} else {
		if (pool->n == PAPI_A64_MAX_CONSTANTS)
			__builtin_trap(); /* no block has that many */
		pool->constants[pool->n].place = e->next;
		pool->constants[pool->n++].value = value;
		papi_a64_emit(e, 0x58000000u | reg); /* ldr, of what comes behind the block */
	}
}

void papi_a64_emit_add(struct papi_vpmu_emitter *e, unsigned to, unsigned from, int32_t n)
{
	uint32_t operation = n < 0 ? 0xd1000000u : 0x91000000u, amount = n < 0 ? -(uint32_t)n : (uint32_t)n;

	if (amount & 0xfff || !amount) {
		papi_a64_emit(e, operation | (amount & 0xfff) << 10 | from << 5 | to);
		from = to;
	}
	if (amount >> 12)
		papi_a64_emit(e, operation | 1u << 22 | (amount >> 12 & 0xfff) << 10 | from << 5 | to);
}

void papi_a64_emit_subtract(struct papi_vpmu_emitter *e, unsigned to, unsigned a, unsigned b)
{
	papi_a64_emit(e, 0xcb000000u | b << 16 | a << 5 | to);
}

/* ---- branches ---- */

uint32_t papi_a64_branch(int64_t distance)
{
	return 0x14000000u | ((uint32_t)(distance / 4) & 0x3ffffff);
}

uint8_t *papi_a64_emit_branch(struct papi_vpmu_emitter *e)
{
	papi_a64_emit(e, papi_a64_branch(4));
	return e->next - 4;
}

uint8_t *papi_a64_emit_branch_if_not_zero(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_a64_emit(e, 0xb5000000u | reg); /* cbnz */
	return e->next - 4;
}

uint8_t *papi_a64_emit_branch_if_negative(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_a64_emit(e, 0xb7f80000u | reg); /* tbnz reg, #63 */
	return e->next - 4;
}

uint8_t *papi_a64_emit_address(struct papi_vpmu_emitter *e)
{
	papi_a64_emit(e, 0x10000000u | A64_BORROWED); /* adr */
	return e->next - 4;
}

/* The distance goes to where the instruction has one. */
static uint32_t with_distance(uint32_t word, int64_t distance)
{
	uint32_t words = (uint32_t)(distance / 4);

	if ((word & 0x7c000000) == 0x14000000) /* b */
		return (word & ~0x3ffffffu) | (words & 0x3ffffff);
	if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return (word & ~(0x3fffu << 5)) | (words & 0x3fff) << 5;
	return (word & ~(0x7ffffu << 5)) | (words & 0x7ffff) << 5; /* b.cond, cbz, cbnz, adr of words, ldr */
}

void papi_a64_emit_lead(uint8_t *place, int64_t distance)
{
	uint32_t word;

	__builtin_memcpy(&word, place, sizeof(word));
	word = with_distance(word, distance);
	__builtin_memcpy(place, &word, sizeof(word));
}

void papi_a64_emit_land(struct papi_vpmu_emitter *e, uint8_t *place)
{
	papi_a64_emit_lead(place, e->next - place);
}

void papi_a64_emit_branch_to(struct papi_vpmu_emitter *e, uint64_t code)
{
	papi_a64_emit(e, papi_a64_branch((int64_t)(code - papi_vpmu_emit_address(e))));
}

void papi_a64_emit_branch_register(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_a64_emit(e, 0xd61f0000u | reg << 5);
}

/* ---- constants ---- */

void papi_a64_emit_pool(struct papi_vpmu_emitter *e, const struct papi_a64_pool *pool)
{
	if (pool->n && papi_vpmu_emit_address(e) % 8)
		papi_a64_emit(e, 0);
	for (unsigned i = 0; i < pool->n; i++) {
		papi_a64_emit_land(e, pool->constants[i].place);
		__builtin_memcpy(e->next, &pool->constants[i].value, sizeof(uint64_t));
		e->next += sizeof(uint64_t);
	}
}
