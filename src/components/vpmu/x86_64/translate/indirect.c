/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indirect branches: a jump to a pc that is only known then (rcx, rdx spilled) goes through the table of the thread,
 * and the code it leads to finds out whether it is the right one (papi_vpmu_translation_emit_arrival):
 *
 *	mov  rcx, target                     mov  rdx, -pc
 *	mov  gs:[source], this place         lea  rcx, [rcx + rdx]
 *	movzx edx, cx                        jrcxz it is
 *	jmp  gs:[jumps + rdx * 8]            ... another with the same 16 bits, or the dispatcher
 *
 * Where an indirect branch is the first to come to a pc, that code is right before the block's: a jump taken costs more
 * than its own time, since predictors know of the way to a branch so many jumps only
 * (doc/decisions/arrivals.md).
 *
 * The source is for targets that are no addresses: the processor is to say so at the branch (papi_vpmu_recover_branch).
 */
#include "components/vpmu/x86_64/translate/translate.h"

#include <stddef.h>

static void jump_through_table(struct papi_vpmu_translation *t)
{
	if (!(t->spilled >> RDX & 1))
		papi_vpmu_spill(t, RDX, t->pc);
	papi_vpmu_emit_move_16(&t->e, RDX, RCX);
	papi_vpmu_emit_jump_table(&t->e, RDX, VPMU_JUMPS);
}

/* To what rcx holds, which is spilled. The library's own code asks each time: where it goes to is not always
 * translated. So does a single instruction. */
static void jump_anywhere(struct papi_vpmu_translation *t, enum papi_vpmu_exit exit)
{
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_TARGET);
	papi_vpmu_emit_store_constant(&t->e, VPMU_SOURCE, (int32_t)papi_vpmu_emit_address(&t->e));
	if (!t->request.library && !t->request.step) {
		jump_through_table(t);
		return;
	}
	papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_STORED_TARGET);
	if (t->spilled >> RDX & 1)
		papi_vpmu_unspill(t, RDX, t->pc);
	papi_vpmu_unspill(t, RCX, t->pc);
	papi_vpmu_exit(&t->e, exit);
}

static void end_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	uint8_t *literal;
	bool noted;

	papi_vpmu_spill(t, RCX, last->pc);
	papi_vpmu_copy_target(t, last);
	papi_vpmu_trace_target(t, last->pc);
	noted = papi_vpmu_note_callee(t, last, 0);
	literal = papi_vpmu_emit_push_literal(&t->e);
	if (noted)
		papi_vpmu_open_noted_call(t, 0);
	jump_anywhere(t, PAPI_VPMU_EXIT_INDIRECT);
	papi_vpmu_emit_literal(&t->e, literal, t->decoded.end);
}

static void end_return(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	bool closed;

	papi_vpmu_spill(t, RCX, last->pc);
	papi_vpmu_emit_load_at(&t->e, RCX, RSP);
	papi_vpmu_trace_target(t, last->pc);
	closed = papi_vpmu_close_call(t, last);
	if (!closed)
		papi_vpmu_emit_lea(&t->e, RSP, RSP, (int32_t)papi_vpmu_popped(last));
	jump_anywhere(t, PAPI_VPMU_EXIT_RETURN);
	if (closed)
		papi_vpmu_end_close_call(t, last);
}

static void end_jump(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	papi_vpmu_spill(t, RCX, last->pc);
	papi_vpmu_copy_target(t, last);
	papi_vpmu_trace_target(t, last->pc);
	if (!papi_vpmu_leave_calls(t, last))
		jump_anywhere(t, PAPI_VPMU_EXIT_INDIRECT);
}

void papi_vpmu_end_indirect(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	if (last->kind == PAPI_VPMU_CALL_INDIRECT)
		end_call(t, last);
	else if (last->kind == PAPI_VPMU_RETURN)
		end_return(t, last);
	else
		end_jump(t, last);
}

/* ---- where they arrive ---- */

static void go_back(struct papi_vpmu_translation *t, uint64_t pc)
{
	uint8_t *onward;

	papi_vpmu_emit_constant(&t->e, RDX, pc);
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RCX, RDX, 1, 0);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_TARGET);
	onward = papi_vpmu_emit_jump(&t->e, 0);
	t->block.branch = (uint16_t)((uint64_t)((intptr_t)onward + t->e.to_code) - t->entry);
	papi_vpmu_emit_land_32(&t->e, onward);
	papi_vpmu_emit_jump_through(&t->e, VPMU_JUMP_MISS);
}

void papi_vpmu_translation_emit_arrival(
	struct papi_vpmu_translation *t, const struct papi_vpmu_place *place, uint64_t pc, uint64_t code)
{
	uint8_t *right;

	memset(t, 0, offsetof(struct papi_vpmu_translation, marks));
	t->e = place->e;
	t->pc = t->block.pc = pc;
	t->entry = t->block.code = papi_vpmu_emit_address(&t->e);
	t->spilled = 1u << RCX | 1u << RDX;
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_TARGET);
	papi_vpmu_emit_constant(&t->e, RDX, -pc);
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RCX, RDX, 1, 0);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_DISTANCE);
	right = papi_vpmu_emit_jrcxz(&t->e);
	go_back(t, pc);
	papi_vpmu_emit_land_8(&t->e, right);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RDX, pc);
	papi_vpmu_unspill(t, RCX, pc);
	if (code)
		papi_vpmu_emit_jump(&t->e, code);
	else
		papi_vpmu_emit_to_even(&t->e);
	t->block.n_marks = (uint16_t)t->n_marks;
}
