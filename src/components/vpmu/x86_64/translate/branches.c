/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ends of blocks. An exit to a known pc is a jump that at first leads to the dispatcher, right behind it, and later
 * to the translation:
 *
 *	      jmp  behind                          jmp  translation
 *	behind: mov gs:[exit], number of the link
 *	      jmp  gs:[dispatch]
 *
 * Indirect branches end in indirect.c.
 */
#include "components/vpmu/x86_64/translate/translate.h"

void papi_vpmu_exit(struct papi_vpmu_emitter *e, int64_t exit)
{
	papi_vpmu_emit_store_constant(e, VPMU_EXIT, (int32_t)exit);
	papi_vpmu_emit_jump_through(e, VPMU_DISPATCH);
}

static void link_to(struct papi_vpmu_translation *t, uint64_t pc)
{
	bool step = t->request.step;
	uint64_t code = step || !t->place.find ? 0 : t->place.find(t->place.translated, pc);
	uint8_t *place = papi_vpmu_emit_jump(&t->e, code);

	if (code)
		return;
	papi_vpmu_emit_land_32(&t->e, place);
	papi_vpmu_exit(&t->e, papi_vpmu_new_link(t, pc, step ? NULL : place, t->e.to_code));
}

/* A direct call or jump. */
static void go_to(struct papi_vpmu_translation *t, uint64_t pc)
{
	if (t->following)
		papi_vpmu_emit_jump(&t->e, t->following);
	else
		link_to(t, pc);
}

static bool counts_taken(const struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	return last->counted &&
		(t->request.wants->counters >> PAPI_VPMU_BRANCHES_TAKEN & 1 ||
			papi_vpmu_profiles_taken(t->request.wants));
}

static void end_conditional(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	uint64_t target = papi_vpmu_branch_target(last), next = t->decoded.end;
	unsigned spilled = t->spilled;
	uint8_t *place;

	if (last->kind == PAPI_VPMU_LOOP) {
		papi_vpmu_copy_loop(t, last, PAPI_VPMU_JUMP_OVER);
		papi_vpmu_mark(t, next);
		papi_vpmu_emit_jump_over(&t->e, PAPI_VPMU_JUMP_FORWARD);
		papi_vpmu_mark_as(t, target, counts_taken(t, last) ? PAPI_VPMU_MARK_TAKEN : PAPI_VPMU_MARK_BRANCH);
		place = papi_vpmu_emit_jump_forward(&t->e);
		t->kind = PAPI_VPMU_MARK_AT;
	} else {
		place = papi_vpmu_emit_jump_if(&t->e, last->opcode & 15u);
	}
	papi_vpmu_mark(t, next);
	papi_vpmu_trace_outcome(t, false, next);
	link_to(t, next);
	papi_vpmu_emit_land_32(&t->e, place);
	t->spilled = spilled;
	if (counts_taken(t, last)) {
		papi_vpmu_mark_as(t, target, PAPI_VPMU_MARK_TAKEN);
		papi_vpmu_count_taken(t, target);
	}
	papi_vpmu_mark_as(t, target, PAPI_VPMU_MARK_BRANCH);
	papi_vpmu_trace_outcome(t, true, target);
	if (target == t->pc && !t->again && !t->request.step && !t->block.follows)
		papi_vpmu_emit_jump(&t->e, t->entry);
	else if (!t->again)
		link_to(t, target);
}

void papi_vpmu_lead_aside(struct papi_vpmu_translation *t, unsigned branch)
{
	const struct papi_vpmu_instruction *instruction = &t->decoded.instructions[branch];

	t->asides[t->n_asides++] = (struct papi_vpmu_aside){
		.place = papi_vpmu_emit_jump_if(&t->e, instruction->opcode & 15u),
		.instruction = branch,
		.lane = t->lane,
		.copy = t->copy,
		.spilled = t->spilled,
	};
	papi_vpmu_mark(t, instruction->pc + instruction->length);
}

void papi_vpmu_end_asides(struct papi_vpmu_translation *t)
{
	for (unsigned i = 0; i < t->n_asides; i++) {
		const struct papi_vpmu_aside *aside = &t->asides[i];
		const struct papi_vpmu_instruction *branch = &t->decoded.instructions[aside->instruction];
		uint64_t behind = branch->pc + branch->length;

		papi_vpmu_emit_land_32(&t->e, aside->place);
		t->lane = aside->lane;
		t->copy = aside->copy;
		t->spilled = aside->spilled;
		t->added = 0;
		papi_vpmu_mark_as(t, behind, PAPI_VPMU_MARK_ASIDE_TAKEN);
		papi_vpmu_trace_leave_aside(t, i, behind);
		papi_vpmu_count_aside(t, aside->instruction);
		link_to(t, papi_vpmu_branch_target(branch));
	}
}

/* A direct call, or a jump. */
static void end_direct(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	uint64_t target = papi_vpmu_branch_target(last);
	bool noted = papi_vpmu_note_callee(t, last, target), open;
	uint8_t *literal = last->kind == PAPI_VPMU_CALL ? papi_vpmu_emit_push_literal(&t->e) : NULL;

	papi_vpmu_mark_as(t, last->pc, PAPI_VPMU_MARK_BRANCH);
	if (noted)
		papi_vpmu_open_noted_call(t, target);
	open = !noted && papi_vpmu_open_call(t, last, target);
	go_to(t, target);
	if (open)
		papi_vpmu_end_open_call(t, target);
	if (literal)
		papi_vpmu_emit_literal(&t->e, literal, t->decoded.end);
}

static void emit_syscall(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_syscall(&t->e);
	papi_vpmu_mark(t, t->decoded.end);
}

/* The kernel leaves the address of the next instruction in rcx: the program's, as far as it can tell. */
static void go_on_after_syscall(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_constant(&t->e, RCX, t->decoded.end);
	link_to(t, t->decoded.end);
}

/* By the kind of the call, which changes rcx before the kernel does:
 *
 *	movzx ecx, ax;  movzx ecx, byte gs:[rcx + kinds];  jrcxz in place;  lea rcx, [rcx - 1];  jrcxz runtime
 */
static void end_syscall(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	uint8_t *in_place, *runtime, *others, *child, *in_place_address;

	papi_vpmu_emit_move_16(&t->e, RCX, RAX);
	papi_vpmu_emit_load_byte(&t->e, RCX, RCX, VPMU_SYSCALL_KINDS);
	in_place = papi_vpmu_emit_jrcxz(&t->e);
	others = papi_vpmu_emit_jump(&t->e, 0);
	papi_vpmu_emit_land_8(&t->e, in_place);
	emit_syscall(t);
	go_on_after_syscall(t);

	papi_vpmu_emit_land_32(&t->e, others);
	papi_vpmu_mark(t, last->pc);
	papi_vpmu_emit_lea(&t->e, RCX, RCX, -1);
	runtime = papi_vpmu_emit_jrcxz(&t->e);
	others = papi_vpmu_emit_jump(&t->e, 0);
	papi_vpmu_emit_land_8(&t->e, runtime);
	papi_vpmu_emit_constant(&t->e, RCX, t->decoded.end);
	papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	in_place_address = papi_vpmu_emit_lea_code(&t->e, RCX);
	papi_vpmu_emit_store(&t->e, VPMU_CODE, RCX);
	papi_vpmu_exit(&t->e, PAPI_VPMU_EXIT_SYSCALL);

	/* The runtime comes back to here when it finds that the call is of this sort. */
	papi_vpmu_emit_land_32(&t->e, in_place_address);
	/* A child is another process, or another thread, which nobody counts: it goes on natively. */
	papi_vpmu_emit_land_32(&t->e, others);
	emit_syscall(t);
	papi_vpmu_emit_move(&t->e, RCX, RAX);
	child = papi_vpmu_emit_jrcxz(&t->e);
	others = papi_vpmu_emit_jump(&t->e, 0);
	papi_vpmu_emit_land_8(&t->e, child);
	papi_vpmu_emit_constant(&t->e, RCX, t->decoded.end);
	papi_vpmu_emit_jump_register(&t->e, RCX);
	papi_vpmu_emit_land_32(&t->e, others);
	go_on_after_syscall(t);
}

void papi_vpmu_exit_to_step(struct papi_vpmu_translation *t)
{
	papi_vpmu_spill(t, RCX, t->decoded.pc);
	papi_vpmu_emit_constant(&t->e, RCX, t->decoded.pc);
	papi_vpmu_emit_store(&t->e, VPMU_PC, RCX);
	papi_vpmu_unspill(t, RCX, t->pc);
	papi_vpmu_exit(&t->e, PAPI_VPMU_EXIT_STEP);
}

/* popf leaves no flag as it was: they are free for a look at what it is about to load.
 *
 *	testb [rsp + 1], 1;  je on
 */
void papi_vpmu_look_for_trap_flag(struct papi_vpmu_translation *t)
{
	uint8_t *on;

	papi_vpmu_emit_test_stack_flags(&t->e, 1, 1);
	on = papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_EQUAL);
	papi_vpmu_exit_to_step(t);
	papi_vpmu_emit_land_32(&t->e, on);
}

void papi_vpmu_end_block(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last)
{
	t->block.branch = (uint16_t)(last->pc - t->decoded.pc);
	switch (last->kind) {
	case PAPI_VPMU_PLAIN:
		link_to(t, t->decoded.end);
		break;
	case PAPI_VPMU_CONDITIONAL:
	case PAPI_VPMU_LOOP:
		t->block.target = papi_vpmu_branch_target(last);
		end_conditional(t, last);
		break;
	case PAPI_VPMU_TRANSACTION:
		papi_vpmu_emit_constant(&t->e, RAX, 0); /* aborted, for no reason that a retry could help */
							/* fall through */
	case PAPI_VPMU_CALL:
	case PAPI_VPMU_JUMP:
		t->block.target = papi_vpmu_branch_target(last);
		end_direct(t, last);
		break;
	case PAPI_VPMU_CALL_INDIRECT:
	case PAPI_VPMU_JUMP_INDIRECT:
	case PAPI_VPMU_RETURN:
		papi_vpmu_end_indirect(t, last);
		break;
	case PAPI_VPMU_SYSCALL:
		end_syscall(t, last);
		break;
	case PAPI_VPMU_STEP:
		papi_vpmu_exit_to_step(t);
		break;
	}
}
