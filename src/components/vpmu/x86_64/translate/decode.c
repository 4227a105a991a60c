/* SPDX-License-Identifier: BSD-3-Clause */
/* From bytes of the program to decoded blocks. */
#include "components/vpmu/x86_64/translate/decode.h"

#include "components/vpmu/x86_64/translate/zydis.h"

/* How far to look for an instruction that sets the flags anew. */
#define LOOKAHEAD 16

/* Made anew each time, which is a few stores: nothing is kept here. */
static bool make_decoder(ZydisDecoder *decoder)
{
	return ZYAN_SUCCESS(papi_vpmu_zydis.init(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

bool papi_vpmu_decode_works(void)
{
	ZydisDecoder decoder;

	return make_decoder(&decoder);
}

int papi_vpmu_register_number(ZydisRegister reg)
{
	ZydisRegister whole = papi_vpmu_zydis.largest_enclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (int)whole - (int)ZYDIS_REGISTER_RAX : -1;
}

uint64_t papi_vpmu_branch_target(const struct papi_vpmu_instruction *instruction)
{
	return instruction->pc + instruction->decoded.length + (uint64_t)instruction->decoded.raw.imm[0].value.s;
}

uint64_t papi_vpmu_popped(const struct papi_vpmu_instruction *instruction)
{
	const ZydisDecodedInstruction *decoded = &instruction->decoded;

	return 8 + (decoded->raw.imm[0].size ? decoded->raw.imm[0].value.u : 0);
}

/* To flags: a shift by nothing leaves them alone, and the number in cl is not known here. A division leaves them
 * undefined, which some processors take for: as they were. */
static bool may_do_nothing(const ZydisDecodedInstruction *decoded)
{
	if (decoded->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		return true;
	switch (decoded->mnemonic) {
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return true;
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHRD:
		return !decoded->raw.imm[0].size || !(decoded->raw.imm[0].value.u & 0x1f);
	default:
		return false;
	}
}

static void find_flags(const ZydisDecodedInstruction *decoded, unsigned *read, unsigned *set)
{
	const ZydisAccessedFlags *flags = decoded->cpu_flags;

	/* The processor puts them into r11, and the kernel back from there: a system call leaves them as they were. */
	if (decoded->mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
		*read = PAPI_VPMU_ARITHMETIC_FLAGS;
		*set = 0;
		return;
	}
	*read = flags ? flags->tested & PAPI_VPMU_ARITHMETIC_FLAGS : 0;
	*set = flags && !may_do_nothing(decoded)
		? (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & PAPI_VPMU_ARITHMETIC_FLAGS
		: 0;
}

bool papi_vpmu_uses_gs(const struct papi_vpmu_instruction *instruction)
{
	const ZydisDecodedInstruction *decoded = &instruction->decoded;

	if (decoded->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS || decoded->mnemonic == ZYDIS_MNEMONIC_RDGSBASE ||
		decoded->mnemonic == ZYDIS_MNEMONIC_WRGSBASE)
		return true;
	for (unsigned i = 0; i < decoded->operand_count; i++) /* a load of the register, which sets the base */
		if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			instruction->operands[i].reg.value == ZYDIS_REGISTER_GS &&
			instruction->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	return false;
}

bool papi_vpmu_is_breakpoint(const struct papi_vpmu_instruction *instruction)
{
	return instruction->decoded.mnemonic == ZYDIS_MNEMONIC_INT3;
}

static bool is_interrupt_return(const ZydisDecodedInstruction *decoded)
{
	return decoded->mnemonic == ZYDIS_MNEMONIC_IRET || decoded->mnemonic == ZYDIS_MNEMONIC_IRETD ||
		decoded->mnemonic == ZYDIS_MNEMONIC_IRETQ;
}

bool papi_vpmu_loads_flags(const struct papi_vpmu_instruction *instruction)
{
	return instruction->decoded.mnemonic == ZYDIS_MNEMONIC_POPF ||
		instruction->decoded.mnemonic == ZYDIS_MNEMONIC_POPFQ || is_interrupt_return(&instruction->decoded);
}

/* Whether it needs what translated code does not leave as it was: the gs base, far transfers, another mode. */
static bool must_step(const struct papi_vpmu_instruction *instruction)
{
	const ZydisDecodedInstruction *decoded = &instruction->decoded;

	if (papi_vpmu_uses_gs(instruction))
		return true;
	if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || is_interrupt_return(decoded))
		return true;
	switch (decoded->mnemonic) {
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_INCSSPD:
	case ZYDIS_MNEMONIC_INCSSPQ:
	case ZYDIS_MNEMONIC_RSTORSSP:
		return true;
	default:
		return false;
	}
}

static enum papi_vpmu_kind find_kind(const struct papi_vpmu_instruction *instruction)
{
	const ZydisDecodedInstruction *decoded = &instruction->decoded;
	bool direct = decoded->raw.imm[0].is_relative && decoded->raw.imm[0].size;

	if (must_step(instruction))
		return PAPI_VPMU_STEP;
	if (decoded->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		return PAPI_VPMU_TRANSACTION;
	switch (decoded->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		if (decoded->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && decoded->opcode >= 0xe0 &&
			decoded->opcode <= 0xe3)
			return PAPI_VPMU_LOOP;
		/* 16 bits of target: nobody means that in a 64-bit program. */
		return decoded->raw.imm[0].size == 16 ? PAPI_VPMU_STEP : PAPI_VPMU_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (decoded->operand_width == 16)
			return PAPI_VPMU_STEP;
		return direct ? PAPI_VPMU_JUMP : PAPI_VPMU_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		if (decoded->operand_width == 16)
			return PAPI_VPMU_STEP;
		return direct ? PAPI_VPMU_CALL : PAPI_VPMU_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return decoded->operand_width == 16 ? PAPI_VPMU_STEP : PAPI_VPMU_RETURN;
	case ZYDIS_CATEGORY_SYSCALL:
		return PAPI_VPMU_SYSCALL;
	default:
		return PAPI_VPMU_PLAIN;
	}
}

bool papi_vpmu_decode_copy(struct papi_vpmu_instruction *instruction, uint64_t pc, const uint8_t *bytes, uint64_t size)
{
	uint64_t length = size < ZYDIS_MAX_INSTRUCTION_LENGTH ? size : ZYDIS_MAX_INSTRUCTION_LENGTH;
	ZydisDecoder decoder;

	instruction->pc = pc;
	instruction->trimmed = false;
	if (!make_decoder(&decoder) ||
		!ZYAN_SUCCESS(papi_vpmu_zydis.decode_full(
			&decoder, bytes, length, &instruction->decoded, instruction->operands)))
		return false;
	instruction->kind = find_kind(instruction);
	find_flags(&instruction->decoded, &instruction->flags_read, &instruction->flags_set);
	papi_vpmu_classify(&instruction->decoded, instruction->operands, &instruction->class);
	return true;
}

/* What leads back is taken more often than not, as loops go round: a block ends there. */
static bool goes_on(const struct papi_vpmu_instruction *instruction, unsigned *asides)
{
	if (instruction->kind == PAPI_VPMU_PLAIN)
		return true;
	if (instruction->kind != PAPI_VPMU_CONDITIONAL || !*asides ||
		papi_vpmu_branch_target(instruction) <= instruction->pc)
		return false;
	--*asides;
	return true;
}

void papi_vpmu_decode_block(
	const struct papi_vpmu_view *view, struct papi_vpmu_decoded *block, uint64_t pc, unsigned asides)
{
	uint64_t limit = view->executable_until(view, pc);

	block->pc = block->end = pc;
	block->count = 0;
	while (block->count < PAPI_VPMU_BLOCK_LENGTH && block->end < limit) {
		struct papi_vpmu_instruction *instruction = &block->instructions[block->count];

		if (!papi_vpmu_decode_copy(
			    instruction, block->end, papi_vpmu_view_bytes(view, block->end), limit - block->end))
			break;
		if (papi_vpmu_is_breakpoint(instruction) && view->owns_breakpoints(view))
			instruction->kind = PAPI_VPMU_STEP;
		/* An instruction that is stepped, always or at times, begins a block of its own. */
		if ((instruction->kind == PAPI_VPMU_STEP || papi_vpmu_loads_flags(instruction)) && block->count)
			break;
		block->count++;
		block->end += instruction->decoded.length;
		if (!goes_on(instruction, &asides))
			break;
	}
}

/* A jump or call whose target is the only way on. */
static bool is_direct(const ZydisDecodedInstruction *decoded)
{
	return (decoded->meta.category == ZYDIS_CATEGORY_UNCOND_BR || decoded->meta.category == ZYDIS_CATEGORY_CALL) &&
		decoded->raw.imm[0].is_relative;
}

static bool ends_lookahead(const ZydisDecodedInstruction *decoded)
{
	switch (decoded->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
		return true;
	default:
		return false;
	}
}

bool papi_vpmu_flags_unused(const struct papi_vpmu_view *view, uint64_t pc)
{
	uint64_t limit = view->executable_until(view, pc);
	unsigned needed = PAPI_VPMU_ARITHMETIC_FLAGS;
	ZydisDecoder decoder;

	if (!make_decoder(&decoder))
		return false;
	for (unsigned i = 0; i < LOOKAHEAD && pc < limit; i++) {
		ZydisDecodedInstruction decoded;
		struct papi_vpmu_glance glance;
		unsigned read, set;

		if (papi_vpmu_glance(papi_vpmu_view_bytes(view, pc), limit - pc, &glance)) {
			if (glance.sets_flags)
				return true;
			pc += glance.length;
			continue;
		}
		if (!ZYAN_SUCCESS(papi_vpmu_zydis.decode_instruction(
			    &decoder, NULL, papi_vpmu_view_bytes(view, pc), limit - pc, &decoded)))
			return false;
		find_flags(&decoded, &read, &set);
		if (read & needed)
			return false;
		needed &= ~set;
		if (!needed)
			return true;
		pc += decoded.length;
		if (is_direct(&decoded)) {
			pc += (uint64_t)decoded.raw.imm[0].value.s;
			limit = view->executable_until(view, pc);
		} else if (ends_lookahead(&decoded)) {
			return false;
		}
	}
	return false;
}

unsigned papi_vpmu_used_registers(const struct papi_vpmu_instruction *instruction)
{
	unsigned used = 0;

	for (unsigned i = 0; i < instruction->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &instruction->operands[i];
		int numbers[] = { -1, -1 };

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			numbers[0] = papi_vpmu_register_number(operand->reg.value);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			numbers[0] = papi_vpmu_register_number(operand->mem.base);
			numbers[1] = papi_vpmu_register_number(operand->mem.index);
		}
		for (unsigned j = 0; j < 2; j++)
			if (numbers[j] >= 0)
				used |= 1u << numbers[j];
	}
	return used;
}
