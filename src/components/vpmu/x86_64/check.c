/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that can change without anybody telling: in memory that is not of a file, or is writable. Each time before such
 * a block runs, the program's bytes are compared with those it was made of:
 *
 *	mov  rcx, pc
 *	cmp  dword [rcx], the first four bytes
 *	jne  changed
 *	...                                             changed: the block is stale; the dispatcher makes a new one
 */
#include "components/vpmu/x86_64/translate.h"

/* A block has 64 instructions of 15 bytes at most. */
#define MAX_COMPARISONS 256

/* cmp dword [rcx + offset], imm32, or the same with a byte; jne */
static uint8_t *compare(struct papi_vpmu_emitter *e, const uint8_t *bytes, uint32_t offset, unsigned width)
{
	const unsigned not_equal = 5;

	papi_vpmu_emit_byte(e, width == 4 ? 0x81 : 0x80);
	papi_vpmu_emit_byte(e, 0xb9);
	papi_vpmu_emit_32(e, offset);
	papi_vpmu_emit_bytes(e, bytes + offset, width);
	return papi_vpmu_emit_jump_if(e, not_equal, 0);
}

static void give_registers_back(struct papi_vpmu_translation *t)
{
	papi_vpmu_unspill(t, RCX, t->pc);
	papi_vpmu_emit_flags_restore(&t->e);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RAX, t->pc);
}

void papi_vpmu_check_unchanged(struct papi_vpmu_translation *t)
{
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)t->pc;
	uint32_t size = (uint32_t)(t->decoded->end - t->pc), offset = 0;
	uint8_t *changed[MAX_COMPARISONS], *unchanged;
	unsigned n = 0;
	int64_t link;

	papi_vpmu_spill(t, RAX, t->pc);
	papi_vpmu_emit_flags_save(&t->e);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	papi_vpmu_spill(t, RCX, t->pc);
	papi_vpmu_emit_constant(&t->e, RCX, t->pc);
	/* No more than is aligned at once: the program may have set AC. */
	while (offset < size) {
		unsigned width = (t->pc + offset) % 4 || offset + 4 > size ? 1 : 4;

		changed[n++] = compare(&t->e, bytes, offset, width);
		offset += width;
	}
	unchanged = papi_vpmu_emit_jump(&t->e, 0);

	for (unsigned i = 0; i < n; i++)
		papi_vpmu_emit_land_32(&t->e, changed[i]);
	give_registers_back(t);
	link = papi_vpmu_cache_new_link(t->pc, NULL, PAPI_VPMU_LINK_CHANGED);
	papi_vpmu_emit_store_constant(&t->e, VPMU_EXIT, (int32_t)link);
	papi_vpmu_emit_jump_through(&t->e, VPMU_DISPATCH);

	papi_vpmu_emit_land_32(&t->e, unchanged);
	t->spilled = 1u << RAX | 1u << RCX;
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	give_registers_back(t);
}
