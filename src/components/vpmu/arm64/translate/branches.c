/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ends of blocks. An exit to a known pc is a branch that at first leads to the dispatcher, right behind it, and
 * later to the translation:
 *
 *	      b    behind                          b    translation
 *	behind: str x15, [x18, count]           where x15 has that
 *	        ldr x15, number of the link
 *	      str  x15, [x18, exit]
 *	      ldr  x15, [x18, dispatch]
 *	      br   x15
 *
 * Indirect branches end in indirect.c, system calls in system_call.c.
 */
#include "components/vpmu/arm64/translate/translate.h"

/* Of a conditional branch to code, by far less than it has. */
#define REACH 16384

void papi_a64_exit(struct papi_a64_translation *t, int64_t exit)
{
	unsigned spilled = t->spilled;

	papi_a64_borrow(t, t->pc + t->marks[t->n_marks - 1].pc);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, (uint64_t)exit);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_EXIT);
	papi_a64_emit_load(&t->e, A64_BORROWED, A64_DISPATCH);
	papi_a64_emit_branch_register(&t->e, A64_BORROWED);
	t->spilled = spilled;
}

void papi_a64_exit_to_step(struct papi_a64_translation *t)
{
	papi_a64_borrow(t, t->pc);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, t->pc);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_PC);
	papi_a64_exit(t, PAPI_VPMU_EXIT_STEP);
}

/* The code of pc; 0: it has not been translated. */
static uint64_t find(const struct papi_a64_translation *t, uint64_t pc)
{
	return t->request.step || !t->place.find ? 0 : t->place.find(t->place.translated, pc);
}

void papi_a64_link_to(struct papi_a64_translation *t, uint64_t pc)
{
	uint8_t *place = papi_a64_emit_branch(&t->e);

	papi_a64_exit(t, papi_a64_new_link(t, pc, t->request.step ? NULL : place, t->e.to_code));
}

/* ---- conditional branches ---- */

static unsigned tested_register(const struct papi_a64_instruction *instruction)
{
	bool by_flags = (instruction->word & 0xff000000) == 0x54000000;

	return by_flags ? 31 : instruction->word & 31;
}

/* The same branch, to be made to land: of x15, which is borrowed for that, where it tests a stolen register. Returns
 * its place. */
static uint8_t *branch_if(struct papi_a64_translation *t, const struct papi_a64_instruction *instruction, uint64_t pc)
{
	unsigned tested = tested_register(instruction);
	uint32_t word = instruction->word;

	if (papi_a64_is_stolen(tested)) {
		papi_a64_borrow(t, pc);
		papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_home(tested));
		word = (word & ~31u) | A64_BORROWED;
	}
	papi_a64_emit(&t->e, word);
	return t->e.next - 4;
}

/* Where a loop that is the block goes to begin anew. It may pass over the place where a stale block leaves only while
 * nothing but itself is in the memory that it was made of: no thread stays in it for longer than in the program's. */
static uint64_t start_of_loop(const struct papi_a64_translation *t)
{
	return t->entry + (t->request.view->may_change(t->request.view, t->pc) ? A64_ENTRY : A64_START);
}

static bool is_loop(const struct papi_a64_translation *t, uint64_t target)
{
	return target == t->pc && !t->request.step;
}

/* Whether the branch is no more than that when it is taken, and its target's code is in reach: that of tbz is the
 * shortest. */
static bool leads_directly(const struct papi_a64_translation *t, uint64_t target, bool borrowed, uint64_t *code)
{
	int64_t distance;

	if (borrowed || papi_a64_tells_anything(t) || papi_vpmu_is_wanted(t->request.wants, PAPI_VPMU_BRANCHES_TAKEN) ||
		papi_a64_profiles_taken(t->request.wants))
		return false;
	*code = is_loop(t, target) ? start_of_loop(t) : find(t, target);
	if (*code && !is_loop(t, target))
		*code += A64_ENTRY;
	distance = (int64_t)(*code - papi_vpmu_emit_address(&t->e));
	return *code && distance > -REACH && distance < REACH;
}

/* Behind a branch that has been taken, at the target: x15 is given back if that was borrowed there. */
static void land(struct papi_a64_translation *t, uint64_t pc, bool borrowed, enum papi_vpmu_mark_kind kind)
{
	t->spilled = t->lone && !borrowed ? PAPI_A64_COUNT_15 : 0;
	papi_a64_mark_as(t, pc, kind);
	if (borrowed)
		papi_a64_give_back(t, pc);
}

static void end_conditional(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	uint8_t *place = branch_if(t, last, pc);
	bool borrowed = t->lone && !(t->spilled & PAPI_A64_COUNT_15);
	uint64_t code;

	papi_a64_mark(t, pc + 4);
	if (leads_directly(t, t->block.target, borrowed, &code)) {
		papi_a64_emit_lead(place, (int64_t)(code - papi_vpmu_emit_address(&t->e)) + 4);
		papi_a64_link_to(t, pc + 4);
		return;
	}
	if (borrowed)
		papi_a64_give_back(t, pc + 4);
	papi_a64_trace_leave(t, false);
	papi_a64_link_to(t, pc + 4);
	papi_a64_emit_land(&t->e, place);
	land(t, pc, borrowed, PAPI_VPMU_MARK_TAKEN);
	if (papi_a64_is_counted(t, t->decoded.count - 1))
		papi_a64_count_taken(t, pc);
	papi_a64_mark_as(t, pc, PAPI_VPMU_MARK_BRANCH);
	papi_a64_trace_leave(t, true);
	if (is_loop(t, t->block.target))
		papi_a64_emit_branch_to(&t->e, start_of_loop(t));
	else
		papi_a64_link_to(t, t->block.target);
}

void papi_a64_lead_aside(struct papi_a64_translation *t, unsigned branch)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[branch];
	uint64_t pc = papi_a64_pc_of(&t->decoded, branch), code;
	struct papi_a64_aside *aside = &t->asides[t->n_asides++];
	bool backward = instruction->offset <= 0;

	if (backward)
		papi_a64_count_up_to(t, branch);
	aside->instruction = branch;
	aside->added = t->added;
	aside->place = branch_if(t, instruction, pc);
	aside->borrowed = t->lone && !(t->spilled & PAPI_A64_COUNT_15);
	papi_a64_mark(t, pc + 4);
	if (backward && leads_directly(t, papi_a64_target(pc, instruction), aside->borrowed, &code)) {
		papi_a64_emit_lead(aside->place, (int64_t)(code - papi_vpmu_emit_address(&t->e)) + 4);
		t->n_asides--;
	}
	if (aside->borrowed)
		papi_a64_give_back(t, pc + 4);
}

void papi_a64_end_asides(struct papi_a64_translation *t)
{
	for (unsigned i = 0; i < t->n_asides; i++) {
		unsigned branch = t->asides[i].instruction;
		uint64_t pc = papi_a64_pc_of(&t->decoded, branch);

		papi_a64_emit_land(&t->e, t->asides[i].place);
		t->added = t->asides[i].added;
		land(t, pc + 4, t->asides[i].borrowed, PAPI_VPMU_MARK_ASIDE_TAKEN);
		papi_a64_trace_leave_aside(t, i);
		papi_a64_count_aside(t, branch);
		papi_a64_link_to(t, papi_a64_target(pc, &t->decoded.instructions[branch]));
	}
}

/* ---- others ---- */

/* b, bl: behind the load of the link register, the program is at the target. */
static void end_direct(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	bool calls = papi_a64_note_callee(t, last, pc);

	if (last->kind == PAPI_A64_CALL)
		papi_a64_emit_constant(&t->e, &t->pool, 30, pc + 4);
	if (calls)
		t->call = PAPI_VPMU_CALL_MADE_NOTED;
	papi_a64_mark_as(t, pc, PAPI_VPMU_MARK_BRANCH);
	papi_a64_trace_leave(t, true);
	if (calls)
		papi_a64_exit_for_call(t);
	else
		papi_a64_link_to(t, t->block.target);
	t->call = PAPI_VPMU_CALL_DONE;
}

void papi_a64_end_block(struct papi_a64_translation *t)
{
	unsigned n = t->decoded.count - 1;
	const struct papi_a64_instruction *last = &t->decoded.instructions[n];
	uint64_t pc = papi_a64_pc_of(&t->decoded, n);

	t->block.branch = (uint16_t)(pc - t->pc);
	switch (last->kind) {
	case PAPI_A64_CONDITIONAL:
		t->block.target = papi_a64_target(pc, last);
		end_conditional(t, last, pc);
		break;
	case PAPI_A64_JUMP:
	case PAPI_A64_CALL:
		t->block.target = papi_a64_target(pc, last);
		end_direct(t, last, pc);
		break;
	case PAPI_A64_JUMP_INDIRECT:
	case PAPI_A64_CALL_INDIRECT:
	case PAPI_A64_RETURN:
		papi_a64_end_indirect(t);
		break;
	case PAPI_A64_SYSTEM_CALL:
		papi_a64_trace_leave(t, false);
		papi_a64_end_system_call(t);
		break;
	default:
		papi_a64_trace_before(t, n + 1);
		papi_a64_trace_leave(t, false);
		papi_a64_link_to(t, pc + 4);
	}
}
