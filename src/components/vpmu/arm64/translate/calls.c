/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls and returns of a profile (components/vpmu/call_frame.h): the runtime opens and closes their frames, and goes on
 * where they lead. All is behind the branch, so that what a signal interrupts can be finished (papi_vpmu_call_step).
 *
 *	ldr  x15, callee                          where that is known; of a stub, what its slot holds
 *	str  x15, [x18, callee]
 *	ldr  x30, return address
 *	ldr  x15, target                          ldr  x16, target of an indirect branch or return
 *	str  x15, [x18, pc]                       str  x16, [x18, pc]
 *	ldr  x15, block                           0 of a return
 *	str  x15, [x18, call site]
 *	... to the dispatcher
 *
 * A call leaves its return address in a register. That of a frame has a place nevertheless, right below the stack of
 * what calls: so frames are in the order of their places, and a return closes those below its stack.
 */
#include "components/vpmu/arm64/translate/translate.h"

#define SP 31

static bool has_calls(const struct papi_a64_translation *t)
{
	return t->request.wants->calls && t->block.profile && papi_a64_is_counted(t, t->decoded.count - 1);
}

/* The slot by which a linker's stub leads on that is called or jumped to; 0: it is none. */
static uint64_t call_slot(const struct papi_vpmu_view *view, uint64_t target)
{
	return view->is_no_stub && view->is_no_stub(view, target) ? 0 : papi_a64_stub_slot(view, target);
}

/* Whether a direct branch calls something: also as the last act of its function. */
static bool is_call(
	const struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc, uint64_t target)
{
	const struct papi_vpmu_view *view = t->request.view;

	if (last->kind == PAPI_A64_CALL)
		return true;
	return view->begins_another && (call_slot(view, target) || view->begins_another(view, pc, target));
}

bool papi_a64_note_callee(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	uint64_t target = t->block.target, slot;

	if (!has_calls(t) || !is_call(t, last, pc, target))
		return false;
	slot = call_slot(t->request.view, target);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, slot ? slot : target);
	if (slot)
		papi_a64_emit_load_from(&t->e, A64_BORROWED, A64_BORROWED, 0);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_CALLEE);
	return true;
}

static void exit_for(struct papi_a64_translation *t, uint64_t site)
{
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, site);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_CALL_SITE);
	papi_a64_exit(t, PAPI_VPMU_EXIT_CALLS);
}

void papi_a64_exit_for_call(struct papi_a64_translation *t)
{
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, t->block.target);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_PC);
	exit_for(t, t->block.profile);
}

/* ---- indirect ones ---- */

/* As longjmp does, and functions that switch from one coroutine to another. */
static bool moves_stack(const struct papi_a64_block *decoded)
{
	for (unsigned i = 0; i < decoded->count; i++) {
		uint32_t word = decoded->instructions[i].word;
		bool adds = (word & 0xbf800000) == 0x91000000;      /* add or sub of a number */
		bool registers = (word & 0xbfe00000) == 0x8b200000; /* or of an extended register */

		if ((adds || registers) && (word & 31) == SP && (word >> 5 & 31) != SP)
			return true;
	}
	return false;
}

enum papi_a64_turn papi_a64_turn_of(const struct papi_a64_translation *t, const struct papi_a64_instruction *last)
{
	if (!has_calls(t))
		return PAPI_A64_TURN_NONE;
	if (last->kind == PAPI_A64_CALL_INDIRECT)
		return PAPI_A64_TURN_CALL;
	return last->kind == PAPI_A64_RETURN || moves_stack(&t->decoded) ? PAPI_A64_TURN_RETURN : PAPI_A64_TURN_NONE;
}

void papi_a64_exit_for_turn(struct papi_a64_translation *t, enum papi_a64_turn turn)
{
	exit_for(t, turn == PAPI_A64_TURN_CALL ? t->block.profile : 0);
}
