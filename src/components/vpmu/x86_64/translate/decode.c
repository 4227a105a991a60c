/* SPDX-License-Identifier: BSD-3-Clause */
/* From bytes of the program to decoded blocks. */
#include "components/vpmu/x86_64/translate/decode.h"

#include "components/vpmu/x86_64/translate/remembered.h"
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
	return instruction->pc + instruction->length + (uint64_t)instruction->immediate;
}

uint64_t papi_vpmu_popped(const struct papi_vpmu_instruction *instruction)
{
	return 8 + (uint64_t)instruction->immediate;
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
	if (instruction->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS || instruction->mnemonic == ZYDIS_MNEMONIC_RDGSBASE ||
		instruction->mnemonic == ZYDIS_MNEMONIC_WRGSBASE)
		return true;
	for (unsigned i = 0; i < instruction->operand_count; i++) /* a load of the register, which sets the base */
		if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			instruction->operands[i].reg == ZYDIS_REGISTER_GS &&
			instruction->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	return false;
}

bool papi_vpmu_is_breakpoint(const struct papi_vpmu_instruction *instruction)
{
	return instruction->mnemonic == ZYDIS_MNEMONIC_INT3;
}

static bool is_interrupt_return(const struct papi_vpmu_instruction *instruction)
{
	return instruction->mnemonic == ZYDIS_MNEMONIC_IRET || instruction->mnemonic == ZYDIS_MNEMONIC_IRETD ||
		instruction->mnemonic == ZYDIS_MNEMONIC_IRETQ;
}

bool papi_vpmu_loads_flags(const struct papi_vpmu_instruction *instruction)
{
	return instruction->mnemonic == ZYDIS_MNEMONIC_POPF || instruction->mnemonic == ZYDIS_MNEMONIC_POPFQ ||
		is_interrupt_return(instruction);
}

/* Whether it needs what translated code does not leave as it was: the gs base, far transfers, another mode. */
static bool must_step(const struct papi_vpmu_instruction *instruction, const ZydisDecodedInstruction *decoded)
{
	if (papi_vpmu_uses_gs(instruction))
		return true;
	if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || is_interrupt_return(instruction))
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

static enum papi_vpmu_kind find_kind(
	const struct papi_vpmu_instruction *instruction, const ZydisDecodedInstruction *decoded)
{
	bool direct = decoded->raw.imm[0].is_relative && decoded->raw.imm[0].size;

	if (must_step(instruction, decoded))
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

static uint8_t offset_of_prefix(const ZydisDecodedInstruction *decoded)
{
	switch (decoded->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		return decoded->raw.vex.offset;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		return decoded->raw.evex.offset;
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
		return decoded->raw.xop.offset;
	default:
		return decoded->raw.rex.offset;
	}
}

static void describe_operand(struct papi_vpmu_operand *operand, const ZydisDecodedOperand *decoded)
{
	*operand = (struct papi_vpmu_operand){ .type = (uint8_t)decoded->type,
		.actions = (uint8_t)decoded->actions,
		.is_hidden = decoded->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN,
		.size = decoded->size };
	if (decoded->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		operand->reg = (uint16_t)decoded->reg.value;
	} else if (decoded->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		operand->value = decoded->imm.value.s;
	} else if (decoded->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		operand->memory = (uint8_t)decoded->mem.type;
		operand->scale = decoded->mem.scale;
		operand->base = (uint16_t)decoded->mem.base;
		operand->index = (uint16_t)decoded->mem.index;
		operand->segment = (uint16_t)decoded->mem.segment;
		operand->value = decoded->mem.disp.value;
	}
}

static void describe(struct papi_vpmu_instruction *instruction, const ZydisDecodedInstruction *decoded,
	const ZydisDecodedOperand *operands)
{
	instruction->attributes = decoded->attributes;
	instruction->immediate = decoded->raw.imm[0].size ? decoded->raw.imm[0].value.s : 0;
	instruction->mnemonic = (uint16_t)decoded->mnemonic;
	instruction->vector_length = decoded->avx.vector_length;
	instruction->mask = (uint16_t)decoded->avx.mask.reg;
	instruction->length = decoded->length;
	instruction->opcode = decoded->opcode;
	instruction->category = (uint8_t)decoded->meta.category;
	instruction->encoding = (uint8_t)decoded->encoding;
	instruction->operand_width = decoded->operand_width;
	instruction->address_width = decoded->address_width;
	instruction->wide = decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? decoded->raw.evex.W
		: decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX            ? decoded->raw.vex.W
										 : false;
	instruction->immediate_size = decoded->raw.imm[0].size;
	instruction->prefix_at = offset_of_prefix(decoded);
	instruction->prefix_size = decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ? decoded->raw.vex.size : 0;
	instruction->modrm_at = decoded->raw.modrm.offset;
	instruction->displacement_at = decoded->raw.disp.offset;
	instruction->immediate_at = decoded->raw.imm[0].offset;
	instruction->operand_count = decoded->operand_count;
	for (unsigned i = 0; i < ZYDIS_MAX_OPERAND_COUNT; i++)
		describe_operand(&instruction->operands[i], &operands[i]);
}

bool papi_vpmu_decode_copy(struct papi_vpmu_instruction *instruction, uint64_t pc, const uint8_t *bytes, uint64_t size)
{
	uint64_t length = size < ZYDIS_MAX_INSTRUCTION_LENGTH ? size : ZYDIS_MAX_INSTRUCTION_LENGTH;
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	instruction->pc = pc;
	instruction->trimmed = false;
	if (!make_decoder(&decoder) ||
		!ZYAN_SUCCESS(papi_vpmu_zydis.decode_full(&decoder, bytes, length, &decoded, operands)))
		return false;
	describe(instruction, &decoded, operands);
	instruction->kind = find_kind(instruction, &decoded);
	find_flags(&decoded, &instruction->flags_read, &instruction->flags_set);
	papi_vpmu_classify(&decoded, operands, &instruction->class);
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

		if (!papi_vpmu_decode_remembered(view->remembered, instruction, block->end,
			    papi_vpmu_view_bytes(view, block->end), limit - block->end))
			break;
		if (papi_vpmu_is_breakpoint(instruction) && view->owns_breakpoints(view))
			instruction->kind = PAPI_VPMU_STEP;
		/* An instruction that is stepped, always or at times, begins a block of its own. */
		if ((instruction->kind == PAPI_VPMU_STEP || papi_vpmu_loads_flags(instruction)) && block->count)
			break;
		block->count++;
		block->end += instruction->length;
		if (!goes_on(instruction, &asides))
			break;
	}
}

bool papi_vpmu_flags_unused(const struct papi_vpmu_view *view, uint64_t pc)
{
	uint64_t limit = view->executable_until(view, pc);
	unsigned needed = PAPI_VPMU_ARITHMETIC_FLAGS;

	for (unsigned i = 0; i < LOOKAHEAD && pc < limit; i++) {
		const uint8_t *bytes = papi_vpmu_view_bytes(view, pc);
		struct papi_vpmu_instruction instruction;
		struct papi_vpmu_glance glance;

		if (papi_vpmu_glance(bytes, limit - pc, &glance)) {
			if (glance.sets_flags)
				return true;
			pc += glance.length;
			continue;
		}
		if (!papi_vpmu_decode_remembered(view->remembered, &instruction, pc, bytes, limit - pc) ||
			instruction.flags_read & needed)
			return false;
		needed &= ~instruction.flags_set;
		if (!needed)
			return true;
		if (instruction.kind == PAPI_VPMU_JUMP || instruction.kind == PAPI_VPMU_CALL) {
			pc = papi_vpmu_branch_target(&instruction);
			limit = view->executable_until(view, pc);
		} else if (instruction.kind == PAPI_VPMU_PLAIN) {
			pc += instruction.length;
		} else {
			return false;
		}
	}
	return false;
}

unsigned papi_vpmu_used_registers(const struct papi_vpmu_instruction *instruction)
{
	unsigned used = 0;

	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const struct papi_vpmu_operand *operand = &instruction->operands[i];
		int numbers[] = { -1, -1 };

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			numbers[0] = papi_vpmu_register_number(operand->reg);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			numbers[0] = papi_vpmu_register_number(operand->base);
			numbers[1] = papi_vpmu_register_number(operand->index);
		}
		for (unsigned j = 0; j < 2; j++)
			if (numbers[j] >= 0)
				used |= 1u << numbers[j];
	}
	return used;
}
