/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of calls and returns (components/vpmu/call_record.h):
 *
 *	mov  rax, gs:[calls_next]          the flags are the program's
 *	mov  [rax], site
 *	mov  [rax + 8], rsp
 *	mov  [rax + 16], target
 *	mov  rdx, gs:[instructions]        all that is profiled is counted in one lane: that is the clock
 *	mov  [rax + 24], rdx
 *	lea  rax, [rax + 32]
 *	mov  gs:[calls_next], rax          from here to the push, recovery takes the record back
 *	movzx ecx, ax
 *	push return address                from here on the program is at the target
 *	jrcxz full
 */
#include "components/vpmu/x86_64/translate/translate.h"

#include "components/vpmu/call_record.h"

static void record_clocks(struct papi_vpmu_translation *t, unsigned scratch)
{
	unsigned at = 24;

	for (uint64_t left = t->request.wants->profile; left; left &= left - 1, at += 8) {
		papi_vpmu_emit_load(&t->e, scratch, VPMU_COUNTERS + 8 * (unsigned)__builtin_ctzll(left));
		papi_vpmu_emit_store_at(&t->e, RAX, at, scratch);
	}
}

/* Where the stub of a library's function leads to is known when it is called. */
static void load_target(struct papi_vpmu_translation *t, uint64_t target)
{
	uint64_t slot = papi_vpmu_stub_slot(t->request.view, target);

	papi_vpmu_emit_constant(&t->e, RCX, slot ? slot : target);
	if (slot)
		papi_vpmu_emit_load_at(&t->e, RCX, RCX);
}

bool papi_vpmu_record_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last, uint64_t target)
{
	bool returns = last->kind == PAPI_VPMU_RETURN;

	if (!t->request.wants->calls || t->request.library || !last->counted || !t->block.profile)
		return false;
	papi_vpmu_spill(t, RAX, last->pc);
	papi_vpmu_spill(t, target ? RCX : RDX, last->pc);
	papi_vpmu_emit_load(&t->e, RAX, VPMU_CALLS_NEXT);
	papi_vpmu_emit_store_constant_at(&t->e, RAX, returns ? 0 : t->block.profile);
	papi_vpmu_emit_store_at(&t->e, RAX, 8, RSP);
	if (target)
		load_target(t, target);
	papi_vpmu_emit_store_at(&t->e, RAX, 16, RCX);
	record_clocks(t, target ? RCX : RDX);
	papi_vpmu_emit_lea(&t->e, RAX, RAX, 8 * (int32_t)papi_vpmu_call_words(t->request.wants->profile));
	papi_vpmu_emit_store(&t->e, VPMU_CALLS_NEXT, RAX);
	t->added |= PAPI_VPMU_ADDED_CALL;
	papi_vpmu_mark(t, last->pc);
	if (!target)
		papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	papi_vpmu_emit_move_16(&t->e, RCX, RAX);
	return true;
}

uint8_t *papi_vpmu_recorded_call(struct papi_vpmu_translation *t, bool target_in_rcx)
{
	uint8_t *full;

	t->added &= ~PAPI_VPMU_ADDED_CALL;
	papi_vpmu_mark_as(t, t->pc, target_in_rcx ? PAPI_VPMU_MARK_STORED_TARGET : PAPI_VPMU_MARK_BRANCH);
	full = papi_vpmu_emit_jrcxz(&t->e);
	if (target_in_rcx) {
		papi_vpmu_emit_load(&t->e, RCX, VPMU_PC);
		papi_vpmu_unspill(t, RDX, t->pc);
	} else {
		papi_vpmu_unspill(t, RCX, t->pc);
	}
	papi_vpmu_unspill(t, RAX, t->pc);
	return full;
}

void papi_vpmu_end_recorded_call(struct papi_vpmu_translation *t, uint8_t *full, uint64_t target)
{
	papi_vpmu_emit_land_8(&t->e, full);
	t->spilled = 1u << RAX | 1u << RCX | (target ? 0 : 1u << RDX);
	papi_vpmu_mark_as(t, t->pc, target ? PAPI_VPMU_MARK_BRANCH : PAPI_VPMU_MARK_STORED_TARGET);
	if (target) {
		papi_vpmu_emit_constant(&t->e, RCX, target);
		papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	} else {
		papi_vpmu_unspill(t, RDX, t->pc);
	}
	papi_vpmu_unspill(t, RAX, t->pc);
	papi_vpmu_unspill(t, RCX, t->pc);
	papi_vpmu_exit(&t->e, PAPI_VPMU_EXIT_CALLS);
}
