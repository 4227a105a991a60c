/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For each register the planner follows by how much it has changed since a value of it was stored, as long as it
 * changes by constants: all that a function does on its stack needs one value, and so does a loop that moves pointers.
 */
#include "components/vpmu/arm64/translate/trace_plan.h"

#include "components/vpmu/arm64/translate/offsets.h"

static void change(struct papi_a64_known *reg)
{
	reg->epoch++;
	reg->delta = 0;
}

/* add, sub of a constant, all 64 bits, to the register itself. */
static bool adds_constant(uint32_t word, unsigned reg, int64_t *constant)
{
	int64_t amount = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);

	*constant = word >> 30 & 1 ? -amount : amount;
	return (word & 0x9f800000) == 0x91000000 && (word & 31) == reg && (word >> 5 & 31) == reg;
}

/* The decoder does not tell, since sp is no general register: additions, logic and tags name it in the place of a
 * result, unless they set flags. */
static bool writes_stack_pointer(const struct papi_a64_instruction *i)
{
	uint32_t word = i->word;
	bool adds = (word & 0x3f800000) == 0x11000000 || (word & 0x3fe00000) == 0x0b200000;
	bool logic = (word & 0x1f800000) == 0x12000000 && (word & 0x60000000) != 0x60000000;
	bool tags = (word & 0x3f800000) == 0x11800000 || (word & 0xffe0fc00) == 0x9ac01000;

	return !i->known || ((adds || logic || tags) && (word & 31) == A64_SP) ||
		(i->operand.moves && i->operand.base == A64_SP);
}

bool papi_a64_trace_changes(const struct papi_a64_instruction *i, unsigned reg)
{
	if (reg == A64_SP)
		return writes_stack_pointer(i);
	/* An instruction that is not known may write whatever it names. */
	return (i->writes | (i->known ? 0 : i->reads)) >> reg & 1;
}

static void follow(struct papi_a64_known *known, const struct papi_a64_instruction *i, unsigned reg)
{
	int64_t constant;

	if (i->operand.moves && i->operand.base == reg && !i->operand.moves_by_register)
		known->delta += i->operand.moved;
	else if (i->known && adds_constant(i->word, reg, &constant))
		known->delta += constant;
	else
		change(known);
}

void papi_a64_trace_follow(struct papi_a64_known registers[32], const struct papi_a64_instruction *instruction)
{
	for (unsigned reg = 0; reg < 32; reg++)
		if (papi_a64_trace_changes(instruction, reg))
			follow(&registers[reg], instruction, reg);
}
