/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes before a block where it is needed. Code that can change without anybody telling, in memory that is not of
 * a file or is writable, is compared each time with the words it was made of; and where events overflow, the thread has
 * to have a budget for what the block weighs (translator/overflow.c).
 *
 *	ldr  x16, pc                                   ldr  x15, [x18, budget]
 *	ldr  x15, [x16]                                sub  x15, x15, weight
 *	ldr  x17, both words as they were              tbnz x15, #63, spent
 *	sub  x15, x15, x17                             str  x15, [x18, budget]
 *	cbnz x15, changed
 */
#include "components/vpmu/arm64/translate/translate.h"

#define MAX_COMPARISONS ((PAPI_A64_BLOCK_LENGTH + 1) / 2)

/* Where no bound is known: such a block is run only if no overflow is anywhere near. */
#define UNKNOWN INT32_MAX
/* In bytes: the architecture knows no longer ones. */
#define LONGEST_VECTOR 256
/* What an addition takes at once. */
#define LARGEST (1 << 24)

static void give_registers_back(struct papi_a64_translation *t)
{
	papi_a64_unspill(t, 17, t->pc);
	papi_a64_unspill(t, 16, t->pc);
}

/* Eight bytes; four at the end. */
static uint8_t *compare(struct papi_a64_translation *t, unsigned offset, unsigned size)
{
	const uint8_t *words = papi_vpmu_view_bytes(t->request.view, t->pc) + offset;
	uint64_t value = 0;

	__builtin_memcpy(&value, words, size);
	if (size == 8)
		papi_a64_emit(&t->e, 0xf8400000u | offset << 12 | 16 << 5 | A64_BORROWED); /* ldur x15 */
	else
		papi_a64_emit(&t->e, 0xb8400000u | offset << 12 | 16 << 5 | A64_BORROWED); /* ldur w15 */
	papi_a64_emit_constant(&t->e, &t->pool, 17, value);
	papi_a64_emit_subtract(&t->e, A64_BORROWED, A64_BORROWED, 17);
	return papi_a64_emit_branch_if_not_zero(&t->e, A64_BORROWED);
}

void papi_a64_check_unchanged(struct papi_a64_translation *t)
{
	unsigned size = 4 * t->decoded.count, n = 0;
	uint8_t *changed[MAX_COMPARISONS], *unchanged;

	papi_a64_borrow(t, t->pc);
	papi_a64_spill(t, 16, t->pc);
	papi_a64_spill(t, 17, t->pc);
	papi_a64_emit_constant(&t->e, &t->pool, 16, t->pc);
	for (unsigned offset = 0; offset < size; offset += 8)
		changed[n++] = compare(t, offset, size - offset < 8 ? 4 : 8);
	unchanged = papi_a64_emit_branch(&t->e);

	for (unsigned i = 0; i < n; i++)
		papi_a64_emit_land(&t->e, changed[i]);
	give_registers_back(t);
	papi_a64_exit(t, papi_a64_new_link(t, t->pc, NULL, PAPI_VPMU_LINK_CHANGED));

	papi_a64_emit_land(&t->e, unchanged);
	t->spilled = PAPI_A64_SPILLED_16 | PAPI_A64_SPILLED_17;
	papi_a64_mark(t, t->pc);
	give_registers_back(t);
	papi_a64_give_back(t, t->pc);
}

/* ---- overflow ---- */

static uint64_t weight_of(const struct papi_a64_translation *t, enum papi_vpmu_counter counter)
{
	return t->request.wants->weights[counter];
}

/* The operations that it may do in all elements of the longest vectors that there are. */
static uint64_t weigh_active(const struct papi_a64_translation *t, unsigned n)
{
	const struct papi_a64_instruction *instruction = &t->decoded.instructions[n];
	unsigned counter;

	if (!papi_a64_counts_active(t, n, &counter))
		return 0;
	return (uint64_t)(LONGEST_VECTOR >> instruction->element) * instruction->operations * weight_of(t, counter);
}

/* What the instructions are, and which way the branch may go. */
static uint64_t weigh_exact(const struct papi_a64_translation *t)
{
	const struct papi_a64_block *decoded = &t->decoded;
	uint64_t weight = 0;

	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		weight += t->sums[i] * weight_of(t, i);
	for (unsigned i = 0; i < decoded->count; i++)
		weight += weigh_active(t, i);
	if (decoded->instructions[decoded->count - 1].kind == PAPI_A64_CONDITIONAL)
		weight += weight_of(t, PAPI_VPMU_BRANCHES_TAKEN);
	return weight;
}

/* In how many pages it may be: elements in a row are in two at most. */
static unsigned pages_of(const struct papi_vpmu_access *access)
{
	bool anywhere = access->form == PAPI_VPMU_FORM_ACTIVE && access->active.how & PAPI_VPMU_ACTIVE_INDEXED;

	return anywhere ? 2 * (access->active.last + 1u) : 2;
}

/* The weight of an access that misses everything, in all its pages; and that it is counted by the simulators. */
static uint64_t weigh_access(const struct papi_a64_translation *t, const struct papi_vpmu_access *access)
{
	unsigned kind = access->is_write; /* write counters follow those of reads */

	if (access->kind == PAPI_VPMU_PREFETCH)
		return (access->form == PAPI_VPMU_FORM_ACTIVE ? access->active.last + 1u : 1) *
			weight_of(t, PAPI_VPMU_PREFETCH_MISSES);
	return weight_of(t, PAPI_VPMU_L1D_READ_MISSES + kind) + weight_of(t, PAPI_VPMU_L2D_READ_MISSES + kind) +
		weight_of(t, PAPI_VPMU_L3D_READ_MISSES + kind) +
		pages_of(access) *
		(weight_of(t, PAPI_VPMU_DTLB_READ_MISSES + kind) + weight_of(t, PAPI_VPMU_DTLB_READ_WALKS + kind)) +
		(t->request.wants->data_end ? weight_of(t, PAPI_VPMU_LOADS) + weight_of(t, PAPI_VPMU_STORES) : 0);
}

/* Each access may miss, each line and page of code, and each branch may be predicted wrong. */
static uint64_t weigh_models(const struct papi_a64_translation *t)
{
	const struct papi_a64_part all = { t->decoded.count, false };
	uint64_t lines = (((papi_a64_block_end(&t->decoded) - 1) >> t->request.line_shift) -
				 (t->pc >> t->request.line_shift)) +
		1;
	uint64_t weight = lines *
		(weight_of(t, PAPI_VPMU_L1I_MISSES) + weight_of(t, PAPI_VPMU_L2I_MISSES) +
			weight_of(t, PAPI_VPMU_L3I_MISSES));

	weight += 2 * (weight_of(t, PAPI_VPMU_ITLB_MISSES) + weight_of(t, PAPI_VPMU_ITLB_WALKS));
	for (unsigned i = 0; i < t->plan.n_accesses; i++)
		weight += weigh_access(t, &t->plan.accesses[i]);
	weight += weight_of(t, PAPI_VPMU_INDIRECT_MISPREDICTED) + weight_of(t, PAPI_VPMU_RETURNS_MISPREDICTED);
	return weight + papi_a64_part_branches(&t->decoded, all) * weight_of(t, PAPI_VPMU_CONDITIONAL_MISPREDICTED);
}

void papi_a64_weigh(struct papi_a64_translation *t)
{
	uint64_t weight = weigh_exact(t);

	if (papi_a64_tells_anything(t))
		weight += weigh_models(t);
	t->block.weight = t->decoded.alone || weight >= LARGEST ? UNKNOWN : (int32_t)weight;
	t->block.least_weight = t->block.weight;
}

void papi_a64_spend_budget(struct papi_a64_translation *t)
{
	uint8_t *spent, *enough;

	if (t->block.weight == UNKNOWN) {
		papi_a64_exit(t, papi_a64_new_link(t, t->pc, NULL, PAPI_VPMU_LINK_BUDGET));
		return;
	}
	papi_a64_emit_load(&t->e, A64_BORROWED, A64_BUDGET);
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, -t->block.weight);
	spent = papi_a64_emit_branch_if_negative(&t->e, A64_BORROWED);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_BUDGET);
	enough = papi_a64_emit_branch(&t->e);
	papi_a64_emit_land(&t->e, spent);
	papi_a64_exit(t, papi_a64_new_link(t, t->pc, NULL, PAPI_VPMU_LINK_BUDGET));
	papi_a64_emit_land(&t->e, enough);
}
