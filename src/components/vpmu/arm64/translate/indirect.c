/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indirect branches: a jump to a pc that is only known then goes through the table of the thread, whose places have two
 * words, a target and its code. A target has two places: by its bits 2 to 13, and by those with the ones 12 further
 * mixed in, where it goes when another one comes to the first.
 *
 *	stp  x16, x17, [x18, branching]
 *	add  x17, x18, #16, lsl #12           the table is aligned so that all bits below are the place's
 *	bfi  x17, target, #2, #14
 *	ldp  x16, x17, [x17]
 *	sub  x16, x16, target
 *	cbnz x16, the other place, and then the dispatcher
 *	br   x17                              x16 and x17 are taken back there
 *
 * A target that is in x16 or x17, or has to be authenticated with the program's own modifier, is fetched into x16, with
 * x15 for the comparison.
 */
#include "components/vpmu/arm64/translate/translate.h"

#define SP_OR_ZERO 31

/* x16 becomes what the register holds; x16 is spilled, and as it was. */
static void read_register(struct papi_a64_translation *t, unsigned reg)
{
	if (papi_a64_is_stolen(reg))
		papi_a64_emit_load(&t->e, 16, papi_a64_home(reg));
	else if (reg == 31)
		papi_a64_emit(&t->e, 0xd2800010); /* mov x16, #0 */
	else if (reg != 16)
		papi_a64_emit_move(&t->e, 16, reg);
}

/* Before x16 changes: a modifier that would be lost is kept in x15. Returns the register that holds it. */
static unsigned keep_modifier(struct papi_a64_translation *t, unsigned modifier)
{
	if (papi_a64_is_stolen(modifier))
		papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_home(modifier));
	else if (modifier == 16)
		papi_a64_emit_move(&t->e, A64_BORROWED, 16);
	else
		return modifier;
	return A64_BORROWED;
}

/* autia, autib, autiza, autizb of x16 */
static void authenticate(
	struct papi_a64_translation *t, const struct papi_a64_instruction *instruction, unsigned modifier)
{
	uint32_t key = instruction->key == PAPI_A64_KEY_B ? 1u << 10 : 0;
	uint32_t opcode = instruction->zero_modifier ? 0xdac13000 : 0xdac11000;

	papi_a64_emit(&t->e, opcode | key | modifier << 5 | 16);
}

static void fetch_target(struct papi_a64_translation *t, const struct papi_a64_instruction *last)
{
	bool returns = last->kind == PAPI_A64_RETURN && last->key;
	unsigned target = returns ? 30 : last->word >> 5 & 31;
	unsigned modifier = returns || last->zero_modifier ? SP_OR_ZERO : last->word & 31;

	if (last->key)
		modifier = keep_modifier(t, modifier);
	read_register(t, target);
	if (last->key)
		authenticate(t, last, modifier);
}

/* ---- the table ---- */

/* x16, or x15 where the target is in x16, becomes 0 if that place of the table is about the target: then x17 is its
 * code. Returns the place of the branch if it is not. */
static uint8_t *look_at(struct papi_a64_translation *t, unsigned target, unsigned key)
{
	papi_a64_emit(&t->e, 0xa9400000u | 17 << 10 | 17 << 5 | key); /* ldp key, x17, [x17] */
	papi_a64_emit_subtract(&t->e, key, key, target);
	return papi_a64_emit_branch_if_not_zero(&t->e, key);
}

static uint8_t *look_first(struct papi_a64_translation *t, unsigned target, unsigned key)
{
	papi_a64_emit(&t->e, 0x91404251);               /* add x17, x18, #16, lsl #12 */
	papi_a64_emit(&t->e, 0xb37e3411 | target << 5); /* bfi x17, target, #2, #14 */
	return look_at(t, target, key);
}

static uint8_t *look_again(struct papi_a64_translation *t, unsigned target, unsigned key)
{
	papi_a64_emit(&t->e, 0xca403000u | target << 16 | target << 5 | key); /* eor key, target, target, lsr #12 */
	papi_a64_emit(&t->e, 0xd342fc00u | key << 5 | key);                   /* lsr key, key, #2 */
	papi_a64_emit(&t->e, 0x91408251);                                     /* add x17, x18, #32, lsl #12 */
	papi_a64_emit(&t->e, 0xb37c2c11 | key << 5);                          /* bfi x17, key, #4, #12 */
	return look_at(t, target, key);
}

/* The program is at the target, which that register has. */
static void arrive(struct papi_a64_translation *t, unsigned target)
{
	t->spilled |= target << 8;
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_TARGET);
}

static void link_return(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	if (last->kind == PAPI_A64_CALL_INDIRECT)
		papi_a64_emit_constant(&t->e, &t->pool, 30, pc + 4);
}

/* Until the end, the program has not executed its branch. */
static void jump_by_register(
	struct papi_a64_translation *t, const struct papi_a64_instruction *last, unsigned target, uint64_t pc)
{
	unsigned spilled = t->spilled;
	uint8_t *not_here = look_first(t, target, 16);

	for (unsigned i = 0; i < 2; i++) {
		link_return(t, last, pc);
		arrive(t, target);
		papi_a64_emit_branch_register(&t->e, 17);
		papi_a64_emit_land(&t->e, not_here);
		t->spilled = spilled;
		papi_a64_mark_as(t, pc, PAPI_VPMU_MARK_AT);
		if (!i)
			not_here = look_again(t, target, 16);
	}
	papi_a64_borrow(t, pc);
	papi_a64_emit_move(&t->e, 16, target);
	link_return(t, last, pc);
	arrive(t, 16);
}

/* The target is fetched first, and x15 borrowed: x16 may be what it comes from, or what signs it. */
static void jump_by_16(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	uint8_t *not_here;
	unsigned spilled;

	papi_a64_borrow(t, pc);
	fetch_target(t, last);
	link_return(t, last, pc);
	arrive(t, 16);
	papi_a64_trace_leave(t, true);
	spilled = t->spilled;
	not_here = look_first(t, 16, A64_BORROWED);
	for (unsigned i = 0; i < 2; i++) {
		papi_a64_give_back(t, t->pc);
		papi_a64_emit_branch_register(&t->e, 17);
		papi_a64_emit_land(&t->e, not_here);
		t->spilled = spilled;
		papi_a64_mark(t, t->pc);
		if (!i)
			not_here = look_again(t, 16, A64_BORROWED);
	}
}

static bool is_borrowed(unsigned reg)
{
	return reg == A64_BORROWED || (reg >= 16 && reg <= A64_THREAD) || reg == SP_OR_ZERO;
}

static void jump_through_table(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	unsigned target = last->word >> 5 & 31;

	papi_a64_emit_store_pair(&t->e, 16, 17, A64_BRANCHING);
	t->spilled |= PAPI_A64_SPILLED_16 | PAPI_A64_SPILLED_17;
	papi_a64_mark(t, pc);
	if (last->key || papi_a64_tells_anything(t) || is_borrowed(target) ||
		(target == 30 && last->kind == PAPI_A64_CALL_INDIRECT))
		jump_by_16(t, last, pc);
	else
		jump_by_register(t, last, target, pc);
	papi_a64_emit_load(&t->e, 17, A64_JUMP_MISS);
	papi_a64_emit_branch_register(&t->e, 17);
}

/* The library's own code asks each time: where it goes to is not always translated. So does a single instruction; and
 * what a profile's frames have to be told of. */
static void ask(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc)
{
	enum papi_a64_turn turn = papi_a64_turn_of(t, last);

	papi_a64_spill(t, 16, pc);
	fetch_target(t, last);
	if (turn == PAPI_A64_TURN_CALL)
		papi_a64_emit_store(&t->e, 16, A64_CALLEE);
	link_return(t, last, pc);
	if (turn)
		t->call = turn == PAPI_A64_TURN_CALL ? PAPI_VPMU_CALL_MADE_NOTED : PAPI_VPMU_CALL_RETURNED;
	arrive(t, 16);
	papi_a64_trace_leave(t, true);
	papi_a64_emit_store(&t->e, 16, A64_PC);
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_STORED_TARGET);
	papi_a64_unspill(t, 16, t->pc);
	if (turn)
		papi_a64_exit_for_turn(t, turn);
	else
		papi_a64_exit(t, last->kind == PAPI_A64_RETURN ? PAPI_VPMU_EXIT_RETURN : PAPI_VPMU_EXIT_INDIRECT);
	t->call = PAPI_VPMU_CALL_DONE;
}

void papi_a64_end_indirect(struct papi_a64_translation *t)
{
	const struct papi_a64_instruction *last = &t->decoded.instructions[t->decoded.count - 1];
	uint64_t pc = papi_a64_pc_of(&t->decoded, t->decoded.count - 1);

	if (t->request.library || t->request.step || papi_a64_turn_of(t, last))
		ask(t, last, pc);
	else
		jump_through_table(t, last, pc);
}
