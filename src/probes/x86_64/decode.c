/* SPDX-License-Identifier: BSD-3-Clause */
#include "probes/x86_64/decode.h"

#include <pthread.h>

static ZydisDecoder decoder;

static void make_decoder(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static bool is_conditional(const ZydisDecodedInstruction *instruction)
{
	return instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT
		? (instruction->opcode & 0xf0) == 0x70
		: instruction->opcode_map == ZYDIS_OPCODE_MAP_0F && (instruction->opcode & 0xf0) == 0x80;
}

static enum papi_probe_kind kind_of_branch(
	const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand)
{
	const bool direct = operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative;

	if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return PAPI_PROBE_ODD;
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		return direct ? PAPI_PROBE_CALL : PAPI_PROBE_CALL_INDIRECT;
	case ZYDIS_MNEMONIC_JMP:
		return direct ? PAPI_PROBE_JMP : PAPI_PROBE_JMP_INDIRECT;
	default:
		return direct && is_conditional(instruction) ? PAPI_PROBE_JCC : PAPI_PROBE_ODD;
	}
}

static enum papi_probe_kind kind_of(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand)
{
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
		return kind_of_branch(instruction, operand);
	case ZYDIS_CATEGORY_RET:
		return instruction->mnemonic == ZYDIS_MNEMONIC_RET &&
				instruction->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR
			? PAPI_PROBE_RETURN
			: PAPI_PROBE_ODD;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSTEM:
		return PAPI_PROBE_ODD;
	default:
		return instruction->mnemonic == ZYDIS_MNEMONIC_UD2 || instruction->mnemonic == ZYDIS_MNEMONIC_XBEGIN ||
				instruction->mnemonic == ZYDIS_MNEMONIC_HLT
			? PAPI_PROBE_ODD
			: PAPI_PROBE_PLAIN;
	}
}

static bool uses_stack_pointer(const ZydisDecodedOperand *operand)
{
	const ZydisRegister uses[] = { operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? operand->reg.value
										    : ZYDIS_REGISTER_NONE,
		operand->type == ZYDIS_OPERAND_TYPE_MEMORY ? operand->mem.base : ZYDIS_REGISTER_NONE };

	return uses[0] == ZYDIS_REGISTER_RSP || uses[1] == ZYDIS_REGISTER_RSP;
}

static void look_at_operands(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands,
	uint64_t address, struct papi_probe_instruction *found)
{
	ZyanU64 target;

	if (found->kind == PAPI_PROBE_CALL_INDIRECT && instruction->opcode == 0xff && !uses_stack_pointer(&operands[0]))
		found->operand = instruction->raw.modrm.offset;
	for (unsigned i = 0; i < instruction->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative &&
			ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(instruction, operand, address, &target))) {
			found->has_target = true;
			found->target = target;
		}
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.base == ZYDIS_REGISTER_RIP &&
			ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(instruction, operand, address, &target))) {
			found->relative = instruction->raw.disp.offset;
			found->refers = target;
		}
		/* Of 32 bits: nothing has addresses like that. */
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.base == ZYDIS_REGISTER_EIP)
			found->kind = PAPI_PROBE_ODD;
	}
}

/* Hints and bounds, which a branch in another form would lose. */
static bool has_prefixes(const ZydisDecodedInstruction *instruction)
{
	for (unsigned i = 0; i < instruction->raw.prefix_count; i++)
		if ((instruction->raw.prefixes[i].value & 0xf0) != 0x40)
			return true;
	return false;
}

static bool changes_form(enum papi_probe_kind kind)
{
	return kind == PAPI_PROBE_JCC || kind == PAPI_PROBE_JMP || kind == PAPI_PROBE_CALL ||
		kind == PAPI_PROBE_CALL_INDIRECT;
}

bool papi_probe_decode(const unsigned char *bytes, size_t size, uint64_t address, struct papi_probe_instruction *found)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;

	pthread_once(&once, make_decoder);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &instruction, operands)))
		return false;
	*found = (struct papi_probe_instruction){ .length = instruction.length };
	found->kind = kind_of(&instruction, &operands[0]);
	found->condition = instruction.opcode & 0x0f;
	found->is_filling = instruction.meta.category == ZYDIS_CATEGORY_NOP ||
		instruction.meta.category == ZYDIS_CATEGORY_WIDENOP || instruction.mnemonic == ZYDIS_MNEMONIC_INT3;
	look_at_operands(&instruction, operands, address, found);
	if (changes_form(found->kind) && has_prefixes(&instruction))
		found->kind = PAPI_PROBE_ODD;
	return true;
}
