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
#include "components/vpmu/x86_64/translate/translate.h"

/* A block has 64 instructions of 15 bytes at most. */
#define MAX_COMPARISONS 256

static void give_registers_back(struct papi_vpmu_translation *t)
{
	papi_vpmu_unspill(t, RCX, t->pc);
	papi_vpmu_emit_flags_restore(&t->e);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RAX, t->pc);
}

void papi_vpmu_check_unchanged(struct papi_vpmu_translation *t)
{
	const uint8_t *bytes = papi_vpmu_view_bytes(t->request.view, t->pc);
	uint32_t size = (uint32_t)(t->decoded.end - t->pc), offset = 0;
	uint8_t *changed[MAX_COMPARISONS], *unchanged;
	unsigned n = 0;

	papi_vpmu_spill(t, RAX, t->pc);
	papi_vpmu_emit_flags_save(&t->e);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	papi_vpmu_spill(t, RCX, t->pc);
	papi_vpmu_emit_constant(&t->e, RCX, t->pc);
	/* No more than is aligned at once: the program may have set AC. */
	while (offset < size) {
		unsigned width = (t->pc + offset) % 4 || offset + 4 > size ? 1 : 4;

		papi_vpmu_emit_compare_bytes_flags(&t->e, RCX, offset, bytes + offset, width);
		changed[n++] = papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_NOT_EQUAL);
		offset += width;
	}
	unchanged = papi_vpmu_emit_jump(&t->e, 0);

	for (unsigned i = 0; i < n; i++)
		papi_vpmu_emit_land_32(&t->e, changed[i]);
	give_registers_back(t);
	papi_vpmu_exit(&t->e, papi_vpmu_new_link(t, t->pc, NULL, PAPI_VPMU_LINK_CHANGED));

	papi_vpmu_emit_land_32(&t->e, unchanged);
	t->spilled = 1u << RAX | 1u << RCX;
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	give_registers_back(t);
}
