/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls and returns of a profile (components/vpmu/call_frame.h). No flag changes but where nobody needs them; all is
 * behind the call or return, so that what a signal interrupts can be finished (papi_vpmu_call_step).
 *
 *	push return address                        mov  rdx, gs:[top]
 *	mov  rcx, gs:[top]                         mov  rcx, [rdx - size]          the slot of the last frame
 *	mov  [rcx], rsp                            not  rcx
 *	mov  dword [rcx + 8], pair                 lea  rcx, [rsp + rcx + 1]
 *	mov  dword [rcx + 12], active              jrcxz on                        else the runtime looks for it
 *	mov  rdx, gs:[instructions]            on: lea  rsp, [rsp + 8]
 *	mov  [rcx + 16], rdx                       lea  rdx, [rdx - size]
 *	lea  rcx, [rcx + size]                     mov  gs:[top], rdx              the frame is closed
 *	mov  gs:[top], rcx     it is open          gs:[[rdx + 12]] less 1
 *	gs:[pair], gs:[active] more 1              if that is 0:
 *	jecxz full                                 gs:[[rdx + 8] + 8] more gs:[instructions] - [rdx + 16]
 *
 * Where simulators count for calls, a note is added behind "it is open" and before what happened is added, which needs
 * no step of its own: to do with their counters what it says twice is to do it once. Whether there is room for another
 * is asked in the end, as "full" is, and before another frame is closed.
 *
 * A function that jumps to another as its last act leaves that a frame with the same slot: the return closes both.
 * All that is profiled is counted in one lane: that is the clock. A function that is active twice is not counted in
 * what it calls but by the outermost call.
 */
#include "components/vpmu/x86_64/translate/translate.h"

#include <stddef.h>

#include "components/vpmu/call_frame.h"

#define ALL_SPILLED (1u << RAX | 1u << RCX | 1u << RDX)

#define SLOT   ((int32_t)offsetof(struct papi_vpmu_call_frame, slot))
#define PAIR   ((int32_t)offsetof(struct papi_vpmu_call_frame, pair))
#define ACTIVE ((int32_t)offsetof(struct papi_vpmu_call_frame, active))
#define CLOCKS ((int32_t)offsetof(struct papi_vpmu_call_frame, clocks))

static int32_t frame_size(const struct papi_vpmu_translation *t)
{
	return (int32_t)papi_vpmu_call_frame_size(t->request.wants->profile | t->request.wants->modelled);
}

static bool has_calls(const struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	return t->request.wants->calls && !t->request.library && last->counted && t->block.profile;
}

uint64_t papi_vpmu_call_slot(const struct papi_vpmu_view *view, uint64_t target)
{
	return view->is_no_stub && view->is_no_stub(view, target) ? 0 : papi_vpmu_stub_slot(view, target);
}

bool papi_vpmu_is_call(const struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	const struct papi_vpmu_view *view = t->request.view;
	uint64_t target;

	if (last->kind != PAPI_VPMU_JUMP)
		return last->kind == PAPI_VPMU_CALL;
	target = papi_vpmu_branch_target(last);
	return view->begins_another &&
		(papi_vpmu_call_slot(view, target) || view->begins_another(view, last->pc, target));
}

static void reach(struct papi_vpmu_translation *t, enum papi_vpmu_call_step step)
{
	t->call = step;
	papi_vpmu_mark(t, t->pc);
}

/* ---- notes ---- */

#define NOTE_TRACE  ((int32_t)offsetof(struct papi_vpmu_call_note, trace))
#define NOTE_FRAME  ((int32_t)offsetof(struct papi_vpmu_call_note, frame))
#define NOTE_PAIR   ((int32_t)offsetof(struct papi_vpmu_call_note, pair))
#define NOTE_WITHIN ((int32_t)offsetof(struct papi_vpmu_call_note, within))

/* The note's place is in a register, and all else is in it. */
static void add_note(struct papi_vpmu_translation *t, unsigned note, unsigned scratch)
{
	papi_vpmu_emit_load(&t->e, scratch, VPMU_TRACE_NEXT);
	papi_vpmu_emit_store_at(&t->e, note, NOTE_TRACE, scratch);
	papi_vpmu_emit_lea(&t->e, note, note, sizeof(struct papi_vpmu_call_note));
	papi_vpmu_emit_store(&t->e, VPMU_NOTES_NEXT, note);
}

/* rcx is the frame that is to be opened. Returns whether a note of it is begun, in scratch. */
static bool begin_note(struct papi_vpmu_translation *t, unsigned scratch)
{
	if (!t->request.wants->modelled)
		return false;
	papi_vpmu_emit_load(&t->e, scratch, VPMU_NOTES_NEXT);
	papi_vpmu_emit_store_at(&t->e, scratch, NOTE_FRAME, RCX);
	papi_vpmu_emit_store_constant_32_at(&t->e, scratch, NOTE_PAIR, 0);
	papi_vpmu_emit_store_constant_32_at(&t->e, scratch, NOTE_WITHIN, 0);
	papi_vpmu_emit_store_constant_32_at(&t->e, scratch, NOTE_WITHIN + 4, 0);
	return true;
}

/* rdx is a frame that has been closed, and rax how often its function is open still. */
static void note_closed(struct papi_vpmu_translation *t)
{
	if (!t->request.wants->modelled)
		return;
	papi_vpmu_emit_load(&t->e, RCX, VPMU_NOTES_NEXT);
	papi_vpmu_emit_store_at(&t->e, RCX, NOTE_FRAME, RDX);
	papi_vpmu_emit_store_at(&t->e, RCX, NOTE_WITHIN, RAX);
	papi_vpmu_emit_load_32_from(&t->e, RAX, RDX, PAIR);
	papi_vpmu_emit_store_at(&t->e, RCX, NOTE_PAIR, RAX);
	add_note(t, RCX, RAX);
	papi_vpmu_emit_load_from(&t->e, RAX, RCX, NOTE_WITHIN - (int32_t)sizeof(struct papi_vpmu_call_note));
}

/* Jumps if there is no room for another note; NULL: there are none. */
static uint8_t *ask_for_room(struct papi_vpmu_translation *t)
{
	if (!t->request.wants->modelled)
		return NULL;
	papi_vpmu_emit_load(&t->e, RCX, VPMU_NOTES_NEXT);
	papi_vpmu_emit_move_16(&t->e, RCX, RCX);
	return papi_vpmu_emit_jrcxz(&t->e);
}

static void land(struct papi_vpmu_translation *t, uint8_t *jump)
{
	if (jump)
		papi_vpmu_emit_land_8(&t->e, jump);
}

/* ---- calls ---- */

/* rcx is the place of the frame. */
static void store_clocks(struct papi_vpmu_translation *t, unsigned scratch)
{
	unsigned at = CLOCKS;

	for (uint64_t left = t->request.wants->profile; left; left &= left - 1, at += 8) {
		papi_vpmu_emit_load(&t->e, scratch, VPMU_COUNTERS + 8 * (unsigned)__builtin_ctzll(left));
		papi_vpmu_emit_store_at(&t->e, RCX, at, scratch);
	}
}

static void commit_frame(struct papi_vpmu_translation *t, unsigned scratch)
{
	bool noted = begin_note(t, scratch);

	papi_vpmu_emit_lea(&t->e, RCX, RCX, frame_size(t));
	papi_vpmu_emit_store(&t->e, VPMU_CALLS_TOP, RCX);
	reach(t, PAPI_VPMU_CALL_OPENED);
	if (!noted)
		return;
	add_note(t, scratch, RCX);
	papi_vpmu_emit_load(&t->e, RCX, VPMU_CALLS_TOP);
}

static void add_one(struct papi_vpmu_translation *t, uint32_t offset, bool flags_free)
{
	if (flags_free) {
		papi_vpmu_emit_add_flags(&t->e, offset, 1);
		return;
	}
	papi_vpmu_emit_load(&t->e, RDX, offset);
	papi_vpmu_emit_lea(&t->e, RDX, RDX, 1);
	papi_vpmu_emit_store(&t->e, offset, RDX);
}

static void open_pair(struct papi_vpmu_translation *t, bool flags_free)
{
	papi_vpmu_emit_load(&t->e, RCX, VPMU_CALLS_TOP);
	papi_vpmu_emit_store_at(&t->e, RCX, SLOT, RSP);
	papi_vpmu_emit_store_constant_32_at(&t->e, RCX, PAIR, t->place.pair);
	papi_vpmu_emit_store_constant_32_at(&t->e, RCX, ACTIVE, t->place.active);
	store_clocks(t, RDX);
	commit_frame(t, RDX);
	add_one(t, t->place.pair, flags_free);
	reach(t, PAPI_VPMU_CALL_COUNTED);
	add_one(t, t->place.active, flags_free);
	reach(t, PAPI_VPMU_CALL_DONE);
}

/* ---- direct calls with contexts ---- */

static uint64_t sum_of(const struct papi_vpmu_translation *t, uint64_t target)
{
	return target + papi_vpmu_call_salt(t->block.profile);
}

/* rdx = what the table has for the call: all of its key but the caller's pair is known. */
static void find_known(struct papi_vpmu_translation *t, uint64_t sum, bool flags_free)
{
	uint8_t *hit;

	papi_vpmu_emit_load(&t->e, RDX, VPMU_CALLS_TOP);
	papi_vpmu_emit_load_32_from(&t->e, RCX, RDX, PAIR - frame_size(t));
	papi_vpmu_emit_move_16(&t->e, RDX, RCX);
	papi_vpmu_emit_lea_index(&t->e, RDX, RDX, 8, 0);
	papi_vpmu_emit_lea_index(&t->e, RDX, RDX, 4, (int32_t)papi_vpmu_context_word(0, sum));
	papi_vpmu_emit_swap_bytes(&t->e, RCX);
	papi_vpmu_emit_constant(&t->e, RAX, sum);
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RCX, RAX, 1, 0);
	if (flags_free) {
		papi_vpmu_emit_add_table_flags(&t->e, RCX, RDX, VPMU_PAIR_KEYS);
		t->call_missed = papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_NOT_EQUAL);
	} else {
		papi_vpmu_emit_load_table(&t->e, RAX, RDX, VPMU_PAIR_KEYS);
		papi_vpmu_emit_lea_scaled(&t->e, RCX, RCX, RAX, 1, 0);
		hit = papi_vpmu_emit_jrcxz(&t->e);
		t->call_missed = papi_vpmu_emit_jump_forward(&t->e);
		papi_vpmu_emit_land_8(&t->e, hit);
	}
	papi_vpmu_emit_load_table(&t->e, RDX, RDX, VPMU_PAIR_KEYS + 8);
}

/* One more at the offset in ecx. */
static void add_to(struct papi_vpmu_translation *t, int32_t more)
{
	papi_vpmu_emit_load_indexed(&t->e, RAX, RCX, 0);
	papi_vpmu_emit_lea(&t->e, RAX, RAX, more);
	papi_vpmu_emit_store_indexed(&t->e, RCX, 0, RAX);
}

/* rdx has both offsets. Leaves the top in rcx. */
static void open_found(struct papi_vpmu_translation *t, bool flags_free)
{
	papi_vpmu_emit_load(&t->e, RCX, VPMU_CALLS_TOP);
	papi_vpmu_emit_store_at(&t->e, RCX, SLOT, RSP);
	papi_vpmu_emit_store_at(&t->e, RCX, PAIR, RDX);
	store_clocks(t, RAX);
	commit_frame(t, RAX);
	if (flags_free) {
		papi_vpmu_emit_move_32(&t->e, RAX, RDX);
		papi_vpmu_emit_add_indexed_flags(&t->e, RAX, 1);
		reach(t, PAPI_VPMU_CALL_COUNTED);
		papi_vpmu_emit_upper_half_flags(&t->e, RDX);
		papi_vpmu_emit_add_indexed_flags(&t->e, RDX, 1);
		reach(t, PAPI_VPMU_CALL_DONE);
	} else {
		papi_vpmu_emit_move_32(&t->e, RCX, RDX);
		papi_vpmu_emit_load(&t->e, RDX, VPMU_CALLS_TOP);
		add_to(t, 1);
		reach(t, PAPI_VPMU_CALL_COUNTED);
		papi_vpmu_emit_load_32_from(&t->e, RCX, RDX, ACTIVE - frame_size(t));
		add_to(t, 1);
		reach(t, PAPI_VPMU_CALL_DONE);
		papi_vpmu_emit_move(&t->e, RCX, RDX);
	}
}

bool papi_vpmu_open_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last, uint64_t target)
{
	bool contexts = t->request.wants->contexts, flags_free;

	if (!has_calls(t, last) || !(contexts || t->place.pair) || !papi_vpmu_is_call(t, last))
		return false;
	flags_free = papi_vpmu_flags_unused(t->request.view, target);
	reach(t, PAPI_VPMU_CALL_MADE);
	papi_vpmu_spill(t, RCX, t->pc);
	papi_vpmu_spill(t, RDX, t->pc);
	if (contexts) {
		papi_vpmu_spill(t, RAX, t->pc);
		find_known(t, sum_of(t, target), flags_free);
		open_found(t, flags_free);
	} else {
		open_pair(t, flags_free);
	}
	t->call_full = papi_vpmu_emit_jecxz(&t->e);
	t->notes_full = ask_for_room(t);
	if (contexts)
		papi_vpmu_unspill(t, RAX, t->pc);
	papi_vpmu_unspill(t, RDX, t->pc);
	papi_vpmu_unspill(t, RCX, t->pc);
	return true;
}

/* To the runtime, at the target, or at the thread's pc where that is 0. */
static void exit_for(struct papi_vpmu_translation *t, int32_t site, unsigned spilled, uint64_t target)
{
	papi_vpmu_emit_store_constant(&t->e, VPMU_CALL_SITE, site);
	if (target) {
		papi_vpmu_emit_constant(&t->e, RCX, target);
		papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	}
	for (unsigned reg = RAX; reg <= RDX; reg++)
		if (spilled >> reg & 1)
			papi_vpmu_unspill(t, reg, t->pc);
	papi_vpmu_exit(&t->e, PAPI_VPMU_EXIT_CALLS);
	t->call = PAPI_VPMU_CALL_DONE;
}

void papi_vpmu_end_open_call(struct papi_vpmu_translation *t, uint64_t target)
{
	bool contexts = t->request.wants->contexts;

	papi_vpmu_emit_land_8(&t->e, t->call_full);
	land(t, t->notes_full);
	t->spilled = contexts ? ALL_SPILLED : 1u << RCX | 1u << RDX;
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_BRANCH);
	exit_for(t, -1, t->spilled, target);
	if (!contexts)
		return;
	papi_vpmu_emit_land_32(&t->e, t->call_missed);
	t->spilled = ALL_SPILLED;
	reach(t, PAPI_VPMU_CALL_MADE);
	papi_vpmu_emit_constant(&t->e, RCX, target);
	papi_vpmu_emit_store(&t->e, VPMU_CALLEE, RCX);
	exit_for(t, (int32_t)t->block.profile, t->spilled, target);
}

/* ---- calls whose targets are known when they are made ---- */

bool papi_vpmu_note_callee(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last, uint64_t target)
{
	uint64_t slot = target ? papi_vpmu_call_slot(t->request.view, target) : 0;

	if (!has_calls(t, last) || (target && !(slot && papi_vpmu_is_call(t, last))))
		return false;
	if (slot) {
		papi_vpmu_spill(t, RCX, last->pc);
		papi_vpmu_emit_constant(&t->e, RCX, slot);
		papi_vpmu_emit_load_at(&t->e, RCX, RCX);
	} else {
		papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	}
	papi_vpmu_emit_store(&t->e, VPMU_CALLEE, RCX);
	return true;
}

/* rcx is a sum: rax becomes the key of papi_vpmu_context_key(), and rdx papi_vpmu_context_word(). */
static void find_context(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_load(&t->e, RAX, VPMU_CALLS_TOP);
	papi_vpmu_emit_load_32_from(&t->e, RAX, RAX, PAIR - frame_size(t));
	papi_vpmu_emit_move_16(&t->e, RDX, RAX);
	papi_vpmu_emit_lea_index(&t->e, RDX, RDX, 8, 0);
	papi_vpmu_emit_lea_index(&t->e, RDX, RDX, 4, 0);
	papi_vpmu_emit_swap_bytes(&t->e, RAX);
	papi_vpmu_emit_lea_scaled(&t->e, RAX, RCX, RAX, 1, 0);
	papi_vpmu_emit_move_16(&t->e, RCX, RCX);
	papi_vpmu_emit_lea_scaled(&t->e, RDX, RDX, RCX, 2, 0);
}

/* rdx = what the table has for the callee in rcx. */
static void find_pair(struct papi_vpmu_translation *t)
{
	bool contexts = t->request.wants->contexts;
	uint8_t *hit;

	papi_vpmu_emit_constant(&t->e, RAX, papi_vpmu_call_salt(t->block.profile));
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RCX, RAX, 1, 0);
	if (contexts) {
		find_context(t);
		papi_vpmu_emit_move(&t->e, RCX, RAX);
	} else {
		papi_vpmu_emit_move_16(&t->e, RDX, RCX);
	}
	papi_vpmu_emit_load_table(&t->e, RAX, RDX, VPMU_PAIR_KEYS);
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RCX, RAX, 1, 0);
	hit = papi_vpmu_emit_jrcxz(&t->e);
	t->call_missed = papi_vpmu_emit_jump_forward(&t->e);
	papi_vpmu_emit_land_8(&t->e, hit);
	papi_vpmu_emit_load_table(&t->e, RDX, RDX, contexts ? VPMU_PAIR_KEYS + 8 : VPMU_PAIR_VALUES);
}

static void end_noted_call(struct papi_vpmu_translation *t, uint64_t target, unsigned spilled)
{
	papi_vpmu_emit_land_32(&t->e, t->call_missed);
	t->spilled = spilled;
	reach(t, PAPI_VPMU_CALL_MADE_NOTED);
	exit_for(t, (int32_t)t->block.profile, spilled, target);
	papi_vpmu_emit_land_32(&t->e, t->call_full);
	t->spilled = spilled;
	papi_vpmu_mark(t, t->pc);
	exit_for(t, -1, spilled, target);
}

void papi_vpmu_open_noted_call(struct papi_vpmu_translation *t, uint64_t target)
{
	uint8_t *full, *notes_full, *on;

	t->kind = target ? PAPI_VPMU_MARK_BRANCH : PAPI_VPMU_MARK_STORED_TARGET;
	reach(t, PAPI_VPMU_CALL_MADE_NOTED);
	papi_vpmu_spill(t, RAX, t->pc);
	papi_vpmu_spill(t, RDX, t->pc);
	find_pair(t);
	open_found(t, false);
	full = papi_vpmu_emit_jecxz(&t->e);
	notes_full = ask_for_room(t);
	on = papi_vpmu_emit_jump_forward(&t->e);
	papi_vpmu_emit_land_8(&t->e, full);
	land(t, notes_full);
	t->call_full = papi_vpmu_emit_jump_forward(&t->e);
	end_noted_call(t, target, ALL_SPILLED);
	papi_vpmu_emit_land_32(&t->e, on);
	t->spilled = ALL_SPILLED;
	papi_vpmu_mark(t, t->pc);
	papi_vpmu_unspill(t, RAX, t->pc);
	if (!target) {
		papi_vpmu_emit_load(&t->e, RCX, VPMU_PC);
		return;
	}
	papi_vpmu_unspill(t, RDX, t->pc);
	papi_vpmu_unspill(t, RCX, t->pc);
}

/* ---- returns ---- */

/* rdx is the last frame: jumps if its slot is another. */
static void find_frame(struct papi_vpmu_translation *t)
{
	uint8_t *right;

	papi_vpmu_emit_load(&t->e, RDX, VPMU_CALLS_TOP);
	papi_vpmu_emit_load_from(&t->e, RCX, RDX, SLOT - frame_size(t));
	papi_vpmu_emit_not(&t->e, RCX);
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RSP, RCX, 1, 1);
	right = papi_vpmu_emit_jrcxz(&t->e);
	t->call_missed = papi_vpmu_emit_jump_forward(&t->e);
	papi_vpmu_emit_land_8(&t->e, right);
}

/* rdx is the frame; offset: from how often the pair was called to the first of the counters. */
static void add_clocks(struct papi_vpmu_translation *t, unsigned offset)
{
	unsigned n = 0;

	for (uint64_t left = t->request.wants->profile; left; left &= left - 1, n++) {
		papi_vpmu_emit_load_32_from(&t->e, RCX, RDX, PAIR);
		papi_vpmu_emit_load_indexed(&t->e, RAX, RCX, offset + 8 * n);
		papi_vpmu_emit_load(&t->e, RCX, VPMU_COUNTERS + 8 * (unsigned)__builtin_ctzll(left));
		papi_vpmu_emit_lea_scaled(&t->e, RAX, RAX, RCX, 1, 0);
		papi_vpmu_emit_load_from(&t->e, RCX, RDX, CLOCKS + 8 * (int32_t)n);
		papi_vpmu_emit_not(&t->e, RCX);
		papi_vpmu_emit_lea_scaled(&t->e, RAX, RAX, RCX, 1, 1);
		papi_vpmu_emit_load_32_from(&t->e, RCX, RDX, PAIR);
		papi_vpmu_emit_store_indexed(&t->e, RCX, offset + 8 * n, RAX);
		reach(t, PAPI_VPMU_CALL_SPENT + n + 1);
	}
}

bool papi_vpmu_close_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	uint8_t *outermost, *again, *on;

	if (!has_calls(t, last))
		return false;
	papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	papi_vpmu_spill(t, RDX, last->pc);
	papi_vpmu_spill(t, RAX, last->pc);
	find_frame(t);
	papi_vpmu_emit_lea(&t->e, RSP, RSP, (int32_t)papi_vpmu_popped(last));
	t->kind = PAPI_VPMU_MARK_STORED_TARGET;
	reach(t, PAPI_VPMU_CALL_RETURNED);
	t->call_again = papi_vpmu_emit_address(&t->e);
	papi_vpmu_emit_lea(&t->e, RDX, RDX, -frame_size(t));
	papi_vpmu_emit_store(&t->e, VPMU_CALLS_TOP, RDX);
	reach(t, PAPI_VPMU_CALL_CLOSED);
	papi_vpmu_emit_load_32_from(&t->e, RCX, RDX, ACTIVE);
	add_to(t, -1);
	reach(t, PAPI_VPMU_CALL_SPENT);
	note_closed(t);
	papi_vpmu_emit_move(&t->e, RCX, RAX);
	outermost = papi_vpmu_emit_jrcxz(&t->e);
	if (t->request.wants->contexts) {
		again = papi_vpmu_emit_jump_forward(&t->e);
		papi_vpmu_emit_land_8(&t->e, outermost);
		add_clocks(t, 8);
		on = papi_vpmu_emit_jump_forward(&t->e);
		papi_vpmu_emit_land_32(&t->e, again);
		reach(t, PAPI_VPMU_CALL_SPENT);
		add_clocks(t, (unsigned)frame_size(t) - 8);
	} else {
		on = papi_vpmu_emit_jump_forward(&t->e);
		papi_vpmu_emit_land_8(&t->e, outermost);
		add_clocks(t, 8);
	}
	papi_vpmu_emit_land_32(&t->e, on);
	reach(t, PAPI_VPMU_CALL_AGAIN);
	t->notes_full = ask_for_room(t);
	papi_vpmu_emit_load_from(&t->e, RCX, RDX, SLOT - frame_size(t));
	papi_vpmu_emit_not(&t->e, RCX);
	papi_vpmu_emit_lea_scaled(&t->e, RCX, RSP, RCX, 1, 1 - (int32_t)papi_vpmu_popped(last));
	t->call_full = papi_vpmu_emit_jrcxz(&t->e);
	reach(t, PAPI_VPMU_CALL_DONE);
	papi_vpmu_unspill(t, RAX, t->pc);
	papi_vpmu_emit_load(&t->e, RCX, VPMU_PC);
	return true;
}

void papi_vpmu_end_close_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	papi_vpmu_emit_land_8(&t->e, t->call_full);
	t->spilled = ALL_SPILLED;
	t->kind = PAPI_VPMU_MARK_STORED_TARGET;
	reach(t, PAPI_VPMU_CALL_AGAIN);
	papi_vpmu_emit_jump(&t->e, t->call_again);
	if (t->notes_full) {
		papi_vpmu_emit_land_8(&t->e, t->notes_full);
		papi_vpmu_mark(t, t->pc);
		exit_for(t, 0, t->spilled, 0);
		t->spilled = ALL_SPILLED;
	}
	papi_vpmu_emit_land_32(&t->e, t->call_missed);
	t->call = PAPI_VPMU_CALL_DONE;
	papi_vpmu_mark_as(t, last->pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_emit_lea(&t->e, RSP, RSP, (int32_t)papi_vpmu_popped(last));
	t->kind = PAPI_VPMU_MARK_STORED_TARGET;
	reach(t, PAPI_VPMU_CALL_RETURNED);
	exit_for(t, 0, t->spilled, 0);
}

/* ---- jumps ---- */

/* As longjmp does, and functions that switch from one coroutine to another. */
static bool moves_stack(const struct papi_vpmu_decoded *decoded)
{
	for (unsigned i = 0; i < decoded->count; i++) {
		const struct papi_vpmu_instruction *instruction = &decoded->instructions[i];
		ZydisMnemonic mnemonic = instruction->mnemonic;

		if ((mnemonic == ZYDIS_MNEMONIC_MOV || mnemonic == ZYDIS_MNEMONIC_XCHG ||
			    mnemonic == ZYDIS_MNEMONIC_POP) &&
			instruction->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			papi_vpmu_register_number(instruction->operands[0].reg) == RSP)
			return true;
	}
	return false;
}

bool papi_vpmu_leave_calls(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	if (!has_calls(t, last) || !moves_stack(&t->decoded))
		return false;
	papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	t->kind = PAPI_VPMU_MARK_STORED_TARGET;
	reach(t, PAPI_VPMU_CALL_RETURNED);
	exit_for(t, 0, t->spilled, 0);
	return true;
}
