/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that are no branches. Most are copied as they are. Where x15 or x18 is named, the program's own comes
 * back for the moment: x15 by a load before it and a store behind; x18 by way of another register, which stands in.
 *
 *	str  v, [x18, spilled v]         v: any register that it does not name
 *	mov  v, x18
 *	ldr  x18, [v, home of x18]
 *	...  the instruction ...
 *	str  x18, [v, home of x18]
 *	mov  x18, v
 *	ldr  v, [x18, spilled v]
 *
 * What an instruction has as its prefix (movprfx) comes right before it, behind all that.
 */
#include "components/vpmu/arm64/translate/translate.h"

#define X15 (1u << A64_BORROWED)
#define X18 (1u << A64_THREAD)

/* ---- what depends on the pc ---- */

/* The value of x15 becomes that of the register, which may be one of the stolen ones. */
static void put_into(struct papi_a64_translation *t, unsigned reg)
{
	if (papi_a64_is_stolen(reg))
		papi_a64_emit_store(&t->e, A64_BORROWED, papi_a64_home(reg));
	else
		papi_a64_emit_move(&t->e, reg, A64_BORROWED);
}

static void copy_address(struct papi_a64_translation *t, const struct papi_a64_instruction *instruction, uint64_t pc)
{
	unsigned to = instruction->word & 31;
	uint64_t base = instruction->word >> 31 ? pc & ~(uint64_t)0xfff : pc;

	if (to == 31) /* nothing, or no instruction at all */
		return;
	if (!papi_a64_is_stolen(to)) {
		papi_a64_emit_constant(&t->e, &t->pool, to, papi_a64_target(base, instruction));
		return;
	}
	papi_a64_borrow(t, pc);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, papi_a64_target(base, instruction));
	put_into(t, to);
	papi_a64_mark(t, pc + 4);
	papi_a64_give_back(t, pc + 4);
}

/* The same load or prefetch, of [x15]. */
static uint32_t without_literal(uint32_t word, unsigned to)
{
	static const uint32_t general[] = { 0xb9400000, 0xf9400000, 0xb9800000, 0xf9800000 };
	static const uint32_t vector[] = { 0xbd400000, 0xfd400000, 0x3dc00000, 0 };
	uint32_t opcode = word >> 26 & 1 ? vector[word >> 30] : general[word >> 30];

	return opcode | A64_BORROWED << 5 | to;
}

static void copy_literal(struct papi_a64_translation *t, const struct papi_a64_instruction *instruction, uint64_t pc)
{
	unsigned to = instruction->word & 31;
	bool stolen = instruction->writes & (X15 | X18);

	papi_a64_borrow(t, pc);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, papi_a64_target(pc, instruction));
	papi_a64_emit(&t->e, without_literal(instruction->word, stolen ? A64_BORROWED : to));
	if (stolen)
		put_into(t, to);
	papi_a64_mark(t, pc + 4);
	papi_a64_give_back(t, pc + 4);
}

/* ---- what names a stolen register ---- */

static void give_15(struct papi_a64_translation *t, unsigned base, uint64_t pc)
{
	papi_a64_emit_load_from(&t->e, A64_BORROWED, base, papi_a64_home(A64_BORROWED));
	t->spilled |= PAPI_A64_GIVEN_15;
	papi_a64_mark(t, pc);
}

static void take_15(struct papi_a64_translation *t, unsigned base, bool written, uint64_t pc)
{
	if (written)
		papi_a64_emit_store_to(&t->e, A64_BORROWED, base, papi_a64_home(A64_BORROWED));
	t->spilled &= ~PAPI_A64_GIVEN_15;
	papi_a64_mark(t, pc);
}

static void give_18(struct papi_a64_translation *t, unsigned base, uint64_t pc)
{
	papi_a64_emit_store(&t->e, base, A64_SPILLED + 8 * base);
	t->spilled |= PAPI_A64_HAS_BASE | base << 8;
	papi_a64_mark(t, pc);
	papi_a64_emit_move(&t->e, base, A64_THREAD);
	papi_a64_emit_load_from(&t->e, A64_THREAD, base, papi_a64_home(A64_THREAD));
	t->spilled |= PAPI_A64_GIVEN_18;
	papi_a64_mark(t, pc);
}

static void take_18(struct papi_a64_translation *t, unsigned base, uint64_t pc)
{
	papi_a64_emit_store_to(&t->e, A64_THREAD, base, papi_a64_home(A64_THREAD));
	papi_a64_emit_move(&t->e, A64_THREAD, base);
	t->spilled &= ~PAPI_A64_GIVEN_18;
	papi_a64_mark(t, pc);
	papi_a64_emit_load(&t->e, base, A64_SPILLED + 8 * base);
	t->spilled &= ~(PAPI_A64_HAS_BASE | 31u << 8);
	papi_a64_mark(t, pc);
}

/* A register that the instruction cannot name. */
static unsigned stand_in(uint32_t named)
{
	unsigned reg = 0;

	while (named >> reg & 1 || papi_a64_is_stolen(reg))
		reg++;
	return reg;
}

static bool has_prefix(const struct papi_a64_translation *t, unsigned n)
{
	const struct papi_a64_block *decoded = &t->decoded;

	return n > 0 && n < decoded->count && decoded->instructions[n - 1].is_prefix &&
		decoded->instructions[n].is_scalable && !decoded->instructions[n].is_prefix;
}

/* With the prefix that belongs to it, if there is one: nothing may come between the two. */
static void emit_whole(struct papi_a64_translation *t, unsigned n)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];

	if (has_prefix(t, n)) {
		papi_a64_emit(&t->e, instruction[-1].word);
		papi_a64_mark(t, papi_a64_pc_of(&t->decoded, n));
	}
	papi_a64_emit(&t->e, instruction->word);
}

static void copy_with_stolen(struct papi_a64_translation *t, unsigned n, uint64_t pc)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];
	uint64_t next = papi_a64_pc_of(&t->decoded, n + 1);
	uint32_t named = instruction->reads | instruction->writes;
	bool wants_18 = named & X18, wants_15 = named & X15;
	/* An instruction that is not known may have written. */
	bool writes_15 = instruction->writes & X15 || !instruction->known;
	unsigned base = wants_18 ? stand_in(named) : A64_THREAD;

	if (wants_15)
		papi_a64_borrow(t, pc);
	if (wants_18)
		give_18(t, base, pc);
	if (wants_15)
		give_15(t, base, pc);
	emit_whole(t, n);
	papi_a64_mark(t, next);
	if (wants_15)
		take_15(t, base, writes_15, next);
	if (wants_18)
		take_18(t, base, next);
	if (wants_15)
		papi_a64_give_back(t, next);
}

static void copy_active(struct papi_a64_translation *t, unsigned n)
{
	emit_whole(t, n);
	papi_a64_end_active(t, papi_a64_pc_of(&t->decoded, n + 1));
}

void papi_a64_copy(struct papi_a64_translation *t, unsigned n)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];
	uint64_t pc = papi_a64_pc_of(&t->decoded, has_prefix(t, n) ? n - 1 : n);

	if (has_prefix(t, n + 1))
		return; /* comes right before the next */
	if (instruction->kind == PAPI_A64_ADDRESS)
		copy_address(t, instruction, pc);
	else if (instruction->kind == PAPI_A64_LITERAL)
		copy_literal(t, instruction, pc);
	else if ((instruction->reads | instruction->writes) & (X15 | X18))
		copy_with_stolen(t, n, pc);
	else if (papi_a64_count_active(t, n, pc))
		copy_active(t, n);
	else
		emit_whole(t, n);
	papi_a64_mark(t, papi_a64_pc_of(&t->decoded, n + 1));
}
