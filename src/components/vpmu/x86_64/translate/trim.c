/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call of a function of the library consists of, in the program, is not counted: the call, the jump through the
 * procedure linkage table, and the loading of its arguments.
 *
 *	    mov   ebx, 5           counted
 *	    lea   rsi, [rsp + 8]   trimmed
 *	    mov   edi, ebx         trimmed
 *	    call  stub             trimmed       stub:  endbr64                     trimmed
 *	                                                jmp  [rip + x]              trimmed: leads to the library
 */
#include <string.h>

#include "components/vpmu/x86_64/translate/decode.h"
#include "components/vpmu/x86_64/translate/offsets.h"

#define STUB 16 /* bytes, at most */

/* Whether there are so many bytes of code. */
static bool reaches(const struct papi_vpmu_view *view, uint64_t pc, uint64_t size)
{
	uint64_t end = view->executable_until(view, pc);

	return end && end - pc >= size;
}

/* Of a stub of the procedure linkage table: [endbr64] [bnd] jmp [rip + x]. */
static uint64_t slot_of_stub(const struct papi_vpmu_view *view, uint64_t pc)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *start = papi_vpmu_view_bytes(view, pc), *code = start;
	int32_t displacement;
	unsigned i = 0;

	while (i < sizeof(endbr64) && code[i] == endbr64[i])
		i++;
	if (i != 0 && i != sizeof(endbr64))
		return 0;
	code += i;
	if (*code == 0xf2)
		code++;
	if (code[0] != 0xff || code[1] != 0x25)
		return 0;
	memcpy(&displacement, code + 2, 4);
	code += 6;
	return pc + (uint64_t)(code - start) + (uint64_t)(int64_t)displacement;
}

uint64_t papi_vpmu_stub_slot(const struct papi_vpmu_view *view, uint64_t pc)
{
	return reaches(view, pc, STUB) ? slot_of_stub(view, pc) : 0;
}

static bool leads_to_library(const struct papi_vpmu_view *view, const struct papi_vpmu_instruction *instruction)
{
	const struct papi_vpmu_operand *operand = &instruction->operands[0];
	uint64_t target, slot;

	switch (instruction->kind) {
	case PAPI_VPMU_CALL:
		target = papi_vpmu_branch_target(instruction);
		break;
	case PAPI_VPMU_JUMP_INDIRECT: /* the stub itself, or a program that was built without stubs */
	case PAPI_VPMU_CALL_INDIRECT:
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->base != ZYDIS_REGISTER_RIP)
			return false;
		return view->load(view, instruction->pc + instruction->length + (uint64_t)operand->value, &target) &&
			view->is_library(view, target);
	default:
		return false;
	}
	if (view->is_library(view, target))
		return true;
	slot = papi_vpmu_stub_slot(view, target);
	return slot && view->load(view, slot, &target) && view->is_library(view, target);
}

/* Loads of registers that a call destroys have no other use right before it than to pass arguments. */
static bool loads_argument(const struct papi_vpmu_instruction *instruction)
{
	const unsigned destroyed = 1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 1u << R8 | 1u << R9 |
		1u << R10 | 1u << R11;
	const struct papi_vpmu_operand *to = &instruction->operands[0];
	int number;

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	number = papi_vpmu_register_number(to->reg);
	if (number < 0 || !(destroyed >> number & 1))
		return false;
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_LEA:
		return true;
	case ZYDIS_MNEMONIC_XOR:
		return instruction->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			instruction->operands[1].reg == to->reg;
	default:
		return false;
	}
}

static bool is_call(const struct papi_vpmu_instruction *instruction)
{
	return instruction->kind == PAPI_VPMU_CALL || instruction->kind == PAPI_VPMU_CALL_INDIRECT;
}

void papi_vpmu_trim_call(const struct papi_vpmu_view *view, struct papi_vpmu_decoded *decoded)
{
	unsigned i = decoded->count - 1;

	if (!leads_to_library(view, &decoded->instructions[i]))
		return;
	decoded->instructions[i].trimmed = true;
	if (is_call(&decoded->instructions[i])) {
		while (i > 0 && loads_argument(&decoded->instructions[i - 1]))
			decoded->instructions[--i].trimmed = true;
	} else if (i > 0 && decoded->instructions[i - 1].mnemonic == ZYDIS_MNEMONIC_ENDBR64) {
		decoded->instructions[i - 1].trimmed = true;
	}
}
