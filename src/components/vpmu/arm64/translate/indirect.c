/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indirect branches: a jump to a pc that is only known then (x16, which is spilled) goes through the table of the
 * thread, and the code it leads to finds out whether it is the right one (papi_a64_translation_emit_indirect_entry):
 *
 *	str  x16, [x18, spilled x16]         ldr  x15, pc
 *	mov  x16, target                     sub  x15, x15, x16
 *	and  x15, x16, #0xffff               cbnz x15, another
 *	add  x15, x18, x15, lsl #3           ldr  x16, [x18, spilled x16]
 *	add  x15, x15, #15, lsl #12          b    the block
 *	ldr  x15, [x15, #512]                another: ... with the same 16 bits, or the dispatcher
 *	br   x15
 *
 * One that authenticates its target does so in x16, with the program's own modifier.
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

static void jump_through_table(struct papi_a64_translation *t)
{
	papi_a64_emit(&t->e, 0x92403e0f); /* and x15, x16, #0xffff */
	papi_a64_emit(&t->e, 0x8b0f0e4f); /* add x15, x18, x15, lsl #3 */
	papi_a64_emit(&t->e, 0x91403def); /* add x15, x15, #15, lsl #12 */
	papi_a64_emit(&t->e, 0xf94101ef); /* ldr x15, [x15, #512] */
	papi_a64_emit_branch_register(&t->e, A64_BORROWED);
}

/* The library's own code asks each time: where it goes to is not always translated. So does a single instruction. */
static void ask(struct papi_a64_translation *t, const struct papi_a64_instruction *last)
{
	papi_a64_emit_store(&t->e, 16, A64_PC);
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_STORED_TARGET);
	papi_a64_unspill(t, 16, t->pc);
	papi_a64_exit(t, last->kind == PAPI_A64_RETURN ? PAPI_VPMU_EXIT_RETURN : PAPI_VPMU_EXIT_INDIRECT);
}

void papi_a64_end_indirect(struct papi_a64_translation *t)
{
	const struct papi_a64_instruction *last = &t->decoded.instructions[t->decoded.count - 1];
	uint64_t pc = papi_a64_pc_of(&t->decoded, t->decoded.count - 1);

	papi_a64_spill(t, 16, pc);
	fetch_target(t, last);
	if (last->kind == PAPI_A64_CALL_INDIRECT)
		papi_a64_emit_constant(&t->e, &t->pool, 30, pc + 4);
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_TARGET);
	if (t->request.library || t->request.step)
		ask(t, last);
	else
		jump_through_table(t);
}
