/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of vectors of any length in records. Those of whole registers are like any other, once the length is known.
 * Which elements of the others are active, and where they are, only registers tell: these are stored, as they are.
 *
 *	ldr  x15, [x18, trace_next];  str x0, [x15, #8]                   the base, as of others
 *	ldr  x15, [x18, trace_next];  add x15, x15, #16;  str p0, [x15]   in as many words as it takes
 *	ldr  x15, [x18, trace_next];  add x15, x15, #24;  str z1, [x15]   offsets, or addresses
 *	ld1d {z0.d}, p0/z, [x0, z1.d]
 *
 * How many words that are is known when a block is translated. So a block that has such accesses begins with the
 * question whether vectors are as long as they were then:
 *
 *	rdvl x15, #1;  sub x15, x15, #64;  cbnz x15, changed
 */
#include "components/vpmu/arm64/translate/translate.h"

#define WORD 8u

/* In words. */
static unsigned room_of_predicate(unsigned vector)
{
	return (vector / 8 + WORD - 1) / WORD;
}

bool papi_a64_is_chosen(const struct papi_a64_instruction *instruction)
{
	const struct papi_a64_operand *operand = &instruction->operand;

	return operand->is_scalable && operand->active.predicate != PAPI_A64_NO_REGISTER;
}

unsigned papi_a64_words_of(const struct papi_a64_instruction *instruction, unsigned vector)
{
	const struct papi_a64_operand *operand = &instruction->operand;

	if (!papi_a64_is_chosen(instruction))
		return 1;
	return (operand->base != PAPI_A64_NO_REGISTER) + room_of_predicate(vector) +
		(operand->active.vector != PAPI_A64_NO_REGISTER ? vector / WORD : 0);
}

/* How many there may be. */
static unsigned elements_of(const struct papi_a64_active *active, unsigned vector)
{
	return active->elements ? active->elements : vector >> active->element;
}

unsigned papi_a64_size_of(const struct papi_a64_operand *operand, unsigned vector)
{
	return operand->is_scalable ? vector >> operand->active.shift : operand->size;
}

int64_t papi_a64_displacement_of(const struct papi_a64_operand *operand, unsigned vector)
{
	const struct papi_a64_active *active = &operand->active;
	unsigned unit = 1;

	if (operand->is_scalable && active->by_length)
		unit = active->size ? active->size * elements_of(active, vector) : papi_a64_size_of(operand, vector);
	return (int64_t)operand->displacement * unit;
}

struct papi_vpmu_active papi_a64_describe_active(const struct papi_a64_operand *operand, unsigned vector)
{
	const struct papi_a64_active *active = &operand->active;
	unsigned how = active->shift;

	if (operand->base == PAPI_A64_NO_REGISTER)
		how |= PAPI_VPMU_ACTIVE_NO_BASE;
	if (active->vector != PAPI_A64_NO_REGISTER)
		how |= PAPI_VPMU_ACTIVE_INDEXED;
	if (active->is_wide)
		how |= PAPI_VPMU_ACTIVE_WIDE;
	if (active->is_signed)
		how |= PAPI_VPMU_ACTIVE_SIGNED;
	if (active->is_any)
		how |= PAPI_VPMU_ACTIVE_ANY;
	if (active->stops)
		how |= PAPI_VPMU_ACTIVE_STOPS;
	return (struct papi_vpmu_active){ .displacement = (int32_t)papi_a64_displacement_of(operand, vector),
		.last = (uint8_t)(elements_of(active, vector) - 1),
		.size = active->size,
		.stride = active->element,
		.how = (uint8_t)how };
}

/* ---- code ---- */

/* str z or p, to that word of the record */
static void store_register(struct papi_a64_translation *t, uint32_t str, unsigned reg, unsigned word)
{
	papi_a64_emit_load(&t->e, A64_BORROWED, A64_TRACE_NEXT);
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, (int32_t)(WORD * word));
	papi_a64_emit(&t->e, str | A64_BORROWED << 5 | reg);
}

void papi_a64_trace_store_active(struct papi_a64_translation *t, const struct papi_a64_value *value, unsigned word)
{
	store_register(t, 0xe5800000, value->predicate, word);
	if (value->vector != PAPI_A64_NO_REGISTER)
		store_register(t, 0xe5804000, value->vector, word + room_of_predicate(t->plan.vector));
}

void papi_a64_check_length(struct papi_a64_translation *t)
{
	t->length_changed = NULL;
	if (!t->plan.measures)
		return;
	papi_a64_emit(&t->e, 0x04bf5020u | A64_BORROWED); /* rdvl */
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, -(int32_t)t->plan.vector);
	t->length_changed = papi_a64_emit_branch_if_not_zero(&t->e, A64_BORROWED);
}

void papi_a64_end_length(struct papi_a64_translation *t)
{
	if (!t->length_changed)
		return;
	papi_a64_emit_land(&t->e, t->length_changed);
	t->spilled = 0;
	t->added = 0;
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	papi_a64_exit_to_step(t);
}

void papi_a64_cut_at_room(const struct papi_a64_request *request, struct papi_a64_block *decoded)
{
	unsigned words = 2; /* what describes it, and where it goes */

	for (unsigned i = 0; i < decoded->count; i++) {
		words += papi_a64_words_of(&decoded->instructions[i], request->vector);
		if (words > PAPI_VPMU_RECORD_WORDS_MAX && i)
			decoded->count = i;
	}
}
