/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The beginning of blocks, and jumps between them (translator/processor.h):
 *
 *	       mov  qword gs:[exit], link
 *	       jmp  gs:[dispatch]
 *	       int3 ...                       so that the stub has its size
 *	       ...                            where indirect branches arrive, if there are any (translate/indirect.c)
 *	entry  jmp  stub                      two bytes: once the block is stale
 */
#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/x86_64/translate/emit.h"
#include "components/vpmu/x86_64/translate/offsets.h"

#define STUB            24
#define SHORT_JUMP_BACK 0xebu

const unsigned papi_vpmu_processor_stub = STUB;

void papi_vpmu_processor_begin_block(struct papi_vpmu_emitter *e, int32_t link)
{
	uint8_t *start;

	papi_vpmu_emit_traps(e, papi_vpmu_emit_to_alignment(e, 8));
	start = e->next;
	papi_vpmu_emit_store_constant(e, VPMU_EXIT, link);
	papi_vpmu_emit_jump_through(e, VPMU_DISPATCH);
	papi_vpmu_emit_traps(e, (unsigned)(start + STUB - e->next));
}

/* Entries are aligned: other threads see the old bytes or the new. */
void papi_vpmu_processor_make_stale(uint8_t *entry, intptr_t to_code, unsigned before)
{
	const uint16_t jump = (uint16_t)(SHORT_JUMP_BACK | (0x100 - STUB - before - 2) << 8);

	(void)to_code;
	__atomic_store_n((uint16_t *)(void *)entry, jump, __ATOMIC_RELEASE);
}

/* All ways in pass by the entry. */
const bool papi_vpmu_processor_disconnects = false;

void papi_vpmu_processor_disconnect(const struct papi_vpmu_link *link)
{
	(void)link;
}

/* The 32 bits of a jump's displacement, which lie within 8 aligned bytes. */
void papi_vpmu_processor_connect(const struct papi_vpmu_link *link, uint64_t code)
{
	int64_t distance = (int64_t)(code - ((uint64_t)((intptr_t)link->place + link->to_code) + 4));

	if (distance == (int32_t)distance)
		__atomic_store_n((int32_t *)(void *)link->place, (int32_t)distance, __ATOMIC_RELEASE);
}
