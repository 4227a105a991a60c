/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls, by their kind (enum papi_vpmu_syscall_kind):
 *
 *	lsr  w15, w8, #9;  cbnz x15, in place               a number that nobody knows
 *	and  w15, w8, #511;  add x15, x18, x15;  ldrb w15, [x15, kinds];  cbnz x15, others
 *	in place: svc
 *
 * A child is another process, or another thread, which nobody counts: it goes on natively, from a frame that it makes
 * on its own stack (papi_vpmu_dispatch).
 */
#include "components/vpmu/arm64/translate/translate.h"

/* The call itself, and behind it. */
static void make_call(struct papi_a64_translation *t, uint32_t word, uint64_t end)
{
	papi_a64_emit(&t->e, word);
	papi_a64_mark(t, end);
}

/* The runtime comes back behind this when it finds that the call is none of its own, as to the code of a block. */
static void ask_runtime(struct papi_a64_translation *t, uint64_t end)
{
	uint8_t *in_place;

	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, end);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_PC);
	in_place = papi_a64_emit_address(&t->e);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_CODE);
	papi_a64_exit(t, PAPI_VPMU_EXIT_SYSCALL);
	papi_a64_emit_land(&t->e, in_place);
	t->spilled |= PAPI_A64_SPILLED_16 | PAPI_A64_SPILLED_17;
	papi_a64_mark(t, end - 4);
	papi_a64_emit_load_pair(&t->e, 16, 17, A64_BRANCHING);
	t->spilled &= ~(PAPI_A64_SPILLED_16 | PAPI_A64_SPILLED_17);
	papi_a64_mark(t, end - 4);
}

static void make_process(struct papi_a64_translation *t, uint32_t word, uint64_t end)
{
	uint8_t *parent;

	make_call(t, word, end);
	parent = papi_a64_emit_branch_if_not_zero(&t->e, 0);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, end);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_PC);
	papi_a64_exit(t, PAPI_VPMU_EXIT_CHILD);
	papi_a64_emit_land(&t->e, parent);
	papi_a64_give_back(t, end);
	papi_a64_link_to(t, end);
}

void papi_a64_end_system_call(struct papi_a64_translation *t)
{
	uint64_t end = papi_a64_block_end(&t->decoded), pc = end - 4;
	uint32_t word = t->decoded.instructions[t->decoded.count - 1].word;
	uint8_t *unknown, *others, *clone;

	papi_a64_borrow(t, pc);
	papi_a64_emit(&t->e, 0x53097d0f); /* lsr w15, w8, #9 */
	unknown = papi_a64_emit_branch_if_not_zero(&t->e, A64_BORROWED);
	papi_a64_emit(&t->e, 0x1200210f);                                           /* and w15, w8, #511 */
	papi_a64_emit(&t->e, 0x8b0f024f);                                           /* add x15, x18, x15 */
	papi_a64_emit(&t->e, 0x39400000u | A64_SYSCALL_KINDS << 10 | 15 << 5 | 15); /* ldrb w15, [x15, kinds] */
	others = papi_a64_emit_branch_if_not_zero(&t->e, A64_BORROWED);
	papi_a64_emit_land(&t->e, unknown);
	make_call(t, word, end);
	papi_a64_give_back(t, end);
	papi_a64_link_to(t, end);

	t->spilled &= PAPI_A64_TOLD_BRANCHES | PAPI_A64_TOLD_RECORD;
	papi_a64_emit_land(&t->e, others);
	papi_a64_mark(t, pc);
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, -1);
	clone = papi_a64_emit_branch_if_not_zero(&t->e, A64_BORROWED);
	ask_runtime(t, end);
	papi_a64_emit_land(&t->e, clone);
	make_process(t, word, end);
}
