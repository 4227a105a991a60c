/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For each register the planner follows by how much it has changed since a value of it was stored, as long as it
 * changes by constants: all that a function does on its stack, pushes, pops, calls and locals, needs one value.
 */
#include "components/vpmu/x86_64/translate/offsets.h"
#include "components/vpmu/x86_64/translate/trace_plan.h"

static void change(struct papi_vpmu_known registers[], int number)
{
	registers[number].epoch++;
	registers[number].delta = 0;
}

/* Whether an instruction changes this register by a constant alone: that is done. */
static bool add_constant(
	struct papi_vpmu_known registers[], const struct papi_vpmu_instruction *instruction, int number)
{
	const struct papi_vpmu_operand *operands = instruction->operands;
	bool is_stack = number == RSP;

	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		registers[number].delta -= is_stack ? instruction->operand_width / 8 : 0;
		return is_stack;
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_POPFQ:
		registers[number].delta += is_stack ? instruction->operand_width / 8 : 0;
		return is_stack && papi_vpmu_register_number(operands[0].reg) != RSP;
	default:
		break;
	}
	if (instruction->operand_width != 64 || operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		papi_vpmu_register_number(operands[0].reg) != number)
		return false;
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_INC:
		registers[number].delta++;
		return true;
	case ZYDIS_MNEMONIC_DEC:
		registers[number].delta--;
		return true;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return false;
		registers[number].delta += instruction->mnemonic == ZYDIS_MNEMONIC_ADD ? operands[1].value
										       : -operands[1].value;
		return true;
	case ZYDIS_MNEMONIC_LEA:
		if (papi_vpmu_register_number(operands[1].base) != number || operands[1].index != ZYDIS_REGISTER_NONE ||
			instruction->address_width != 64)
			return false;
		registers[number].delta += operands[1].value;
		return true;
	default:
		return false;
	}
}

void papi_vpmu_trace_follow(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction)
{
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const struct papi_vpmu_operand *operand = &instruction->operands[i];
		int number;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
			!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		number = papi_vpmu_register_number(operand->reg);
		if (number >= 0 && !add_constant(plan->registers, instruction, number))
			change(plan->registers, number);
	}
}
