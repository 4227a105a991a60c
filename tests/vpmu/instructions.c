/* SPDX-License-Identifier: BSD-3-Clause */
#include "instructions.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"

struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static unsigned below(uint64_t *random, unsigned n)
{
	return (unsigned)(generator_random(random) % n);
}

static bool decode(const uint8_t *bytes, struct decoded *decoded)
{
	static ZydisDecoder decoder;

	if (decoder.machine_mode != ZYDIS_MACHINE_MODE_LONG_64 || decoder.stack_width != ZYDIS_STACK_WIDTH_64)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		&decoder, bytes, ZYDIS_MAX_INSTRUCTION_LENGTH, &decoded->instruction, decoded->operands));
}

/* ---- which are of use ---- */

/* They are not the same twice, change what the test itself stands on, or ask the machine below. */
static bool is_unwanted(const ZydisDecodedInstruction *decoded)
{
	static const ZydisMnemonic unwanted[] = { ZYDIS_MNEMONIC_CPUID, ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_RDTSCP,
		ZYDIS_MNEMONIC_RDPMC, ZYDIS_MNEMONIC_RDPRU, ZYDIS_MNEMONIC_RDRAND, ZYDIS_MNEMONIC_RDSEED,
		ZYDIS_MNEMONIC_RDPID, ZYDIS_MNEMONIC_POPF, ZYDIS_MNEMONIC_POPFQ, ZYDIS_MNEMONIC_XBEGIN,
		ZYDIS_MNEMONIC_XEND, ZYDIS_MNEMONIC_XTEST, ZYDIS_MNEMONIC_MONITORX, ZYDIS_MNEMONIC_MWAITX,
		ZYDIS_MNEMONIC_TPAUSE, ZYDIS_MNEMONIC_UMWAIT, ZYDIS_MNEMONIC_UMONITOR, ZYDIS_MNEMONIC_SGDT,
		ZYDIS_MNEMONIC_SIDT, ZYDIS_MNEMONIC_SLDT, ZYDIS_MNEMONIC_STR, ZYDIS_MNEMONIC_SMSW,
		ZYDIS_MNEMONIC_VMCALL, ZYDIS_MNEMONIC_VMMCALL, ZYDIS_MNEMONIC_VMFUNC, ZYDIS_MNEMONIC_WRFSBASE,
		ZYDIS_MNEMONIC_WRGSBASE, ZYDIS_MNEMONIC_RDGSBASE, ZYDIS_MNEMONIC_WRPKRU, ZYDIS_MNEMONIC_SYSENTER,
		ZYDIS_MNEMONIC_SYSEXIT, ZYDIS_MNEMONIC_SYSRET, ZYDIS_MNEMONIC_INT, ZYDIS_MNEMONIC_INT1,
		ZYDIS_MNEMONIC_INT3, ZYDIS_MNEMONIC_IRET, ZYDIS_MNEMONIC_IRETD, ZYDIS_MNEMONIC_IRETQ,
		ZYDIS_MNEMONIC_LFS, ZYDIS_MNEMONIC_LGS, ZYDIS_MNEMONIC_LSS, ZYDIS_MNEMONIC_CLZERO,
		ZYDIS_MNEMONIC_SWAPGS,
		/* These know where the last x87 instruction was, which is an address of code. */
		ZYDIS_MNEMONIC_FNSTENV, ZYDIS_MNEMONIC_FNSAVE, ZYDIS_MNEMONIC_FXSAVE, ZYDIS_MNEMONIC_FXSAVE64,
		ZYDIS_MNEMONIC_FLDENV, ZYDIS_MNEMONIC_FRSTOR, ZYDIS_MNEMONIC_FXRSTOR, ZYDIS_MNEMONIC_FXRSTOR64,
		/* These leave a stack pointer that nobody can know. */
		ZYDIS_MNEMONIC_ENTER, ZYDIS_MNEMONIC_LEAVE };
	ZydisInstructionCategory category = decoded->meta.category;

	for (unsigned i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		if (decoded->mnemonic == unwanted[i])
			return true;
	return category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET ||
		category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR ||
		category == ZYDIS_CATEGORY_SYSCALL || category == ZYDIS_CATEGORY_XSAVE ||
		category == ZYDIS_CATEGORY_XSAVEOPT || category == ZYDIS_CATEGORY_AMX_TILE ||
		category == ZYDIS_CATEGORY_CET || category == ZYDIS_CATEGORY_KEYLOCKER ||
		decoded->attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS) ||
		decoded->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
}

/* They fault, or lead to faults, with most values there are; units of their own have them with good ones. */
static bool needs_a_pattern(const ZydisDecodedInstruction *decoded)
{
	static const ZydisMnemonic patterns[] = { ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV, ZYDIS_MNEMONIC_LDMXCSR,
		ZYDIS_MNEMONIC_VLDMXCSR, ZYDIS_MNEMONIC_FLDCW, ZYDIS_MNEMONIC_MOVDIR64B, ZYDIS_MNEMONIC_ENQCMD,
		ZYDIS_MNEMONIC_ENQCMDS };

	for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (decoded->mnemonic == patterns[i])
			return true;
	return false;
}

static unsigned number_of(ZydisRegister name)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (unsigned)(whole - ZYDIS_REGISTER_RAX)
									  : ~0u;
}

/* Whether it writes to a segment register, the stack pointer other than by pushing and popping, or one that is kept. */
static bool writes_kept(const struct decoded *decoded, const struct instruction_wants *wants)
{
	for (unsigned i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		unsigned number;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
			!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_SEGMENT)
			return true;
		number = number_of(operand->reg.value);
		if (number == RSP && (!wants->wild || operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN))
			return true;
		if (!wants->wild && (number == wants->base || number == wants->count))
			return true;
	}
	return false;
}

/* A bit of memory that a register numbers may be anywhere. */
static bool is_far_bit(const struct decoded *decoded)
{
	ZydisMnemonic mnemonic = decoded->instruction.mnemonic;

	return (mnemonic == ZYDIS_MNEMONIC_BT || mnemonic == ZYDIS_MNEMONIC_BTS || mnemonic == ZYDIS_MNEMONIC_BTR ||
		       mnemonic == ZYDIS_MNEMONIC_BTC) &&
		decoded->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		decoded->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

/* Whether all memory that it accesses is what its ModRM byte names. */
static bool accesses_modrm_only(const struct decoded *decoded)
{
	if (is_far_bit(decoded))
		return false;
	for (unsigned i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
			operand->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT ||
			decoded->instruction.address_width != 64 ||
			!(decoded->instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) ||
			decoded->instruction.raw.modrm.mod == 3)
			return false;
	}
	return true;
}

/* What is there is what the decoder knows; the processor may have less. Each kind is tried once. */
static bool exists(const struct decoded *decoded, const uint8_t *bytes, const struct instruction_wants *wants)
{
	enum { UNKNOWN, EXISTS, MISSING };
	static unsigned char known[ZYDIS_MNEMONIC_MAX_VALUE + 1][ZYDIS_INSTRUCTION_ENCODING_MAX_VALUE + 1][4];
	unsigned length = decoded->instruction.avx.vector_length / 128u % 4;
	unsigned char *kind = &known[decoded->instruction.mnemonic][decoded->instruction.encoding][length];

	if (*kind == UNKNOWN)
		*kind = !wants->exists || wants->exists(bytes, decoded->instruction.length) ? EXISTS : MISSING;
	return *kind == EXISTS;
}

/* With REX.B this is no pause but an exchange of rax and r8 for the processor; the decoder does not know it. */
static bool is_decoded_wrong(const ZydisDecodedInstruction *decoded)
{
	return decoded->mnemonic == ZYDIS_MNEMONIC_PAUSE && decoded->attributes & ZYDIS_ATTRIB_HAS_REX;
}

static bool is_wanted(const struct decoded *decoded, const uint8_t *bytes, const struct instruction_wants *wants)
{
	if (is_unwanted(&decoded->instruction) || is_decoded_wrong(&decoded->instruction) ||
		writes_kept(decoded, wants) || is_far_bit(decoded))
		return false;
	return wants->wild ||
		(!needs_a_pattern(&decoded->instruction) && accesses_modrm_only(decoded) &&
			exists(decoded, bytes, wants));
}

/* ---- random bytes ---- */

static void put_prefixes(uint8_t *bytes, unsigned *n, unsigned seldom, uint64_t *random)
{
	static const uint8_t prefixes[] = { 0x66, 0xf2, 0xf3, 0xf0, 0x67, 0x3e };

	if (!below(random, seldom))
		bytes[(*n)++] = prefixes[below(random, sizeof(prefixes))];
	if (below(random, 2))
		bytes[(*n)++] = (uint8_t)(0x40 | below(random, 16));
}

static void put_random_bytes(uint8_t *bytes, uint64_t *random)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t some = generator_random(random);

		memcpy(bytes + 8 * i, &some, sizeof(some));
	}
	switch (below(random, 6)) {
	case 0: /* VEX */
		bytes[0] = 0xc4;
		bytes[1] = (uint8_t)((bytes[1] & 0xe0) | (1 + below(random, 3)));
		break;
	case 1: /* EVEX */
		bytes[0] = 0x62;
		bytes[1] = (uint8_t)((bytes[1] & 0xf0) | (1 + below(random, 3)));
		bytes[2] |= 4;
		break;
	case 2: /* two bytes of opcode */
		put_prefixes(bytes, &n, 2, random);
		bytes[n] = 0x0f;
		break;
	default:
		put_prefixes(bytes, &n, 4, random);
	}
}

/* ---- operands in memory ---- */

/* The bit that makes the base, or index, of an operand in memory one of the upper eight registers. */
static void use_low_registers(uint8_t *bytes, const ZydisDecodedInstruction *decoded)
{
	if (decoded->attributes & ZYDIS_ATTRIB_HAS_REX)
		bytes[decoded->raw.rex.offset] &= (uint8_t)~3;
	if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && decoded->raw.vex.size == 3)
		bytes[decoded->raw.vex.offset + 1] |= 0x60;
	if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
		bytes[decoded->raw.evex.offset + 1] |= 0x60;
		bytes[decoded->raw.evex.offset + 2] |= 4;
		bytes[decoded->raw.evex.offset + 3] |= 8;
	}
}

/* [base + displacement], with 32 bits, 8, or none; [base + index + displacement]; [rip + displacement]. */
static unsigned put_operand(uint8_t *operand, struct instruction *made, const struct instruction_wants *wants,
	const ZydisDecodedInstruction *decoded, int32_t at, unsigned behind, uint64_t *random)
{
	static const uint8_t indexes[] = { RAX, RCX, RDX, RSI, RDI };
	uint8_t modrm = operand[0] & 0x38;
	int32_t displacement = at - ARENA_BASE;

	switch (below(random, 8)) {
	case 0: /* EVEX scales it, which stays in the data */
		operand[0] = (uint8_t)(modrm | 0x40 | wants->base);
		operand[1] = (uint8_t)(decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? displacement & 31
											    : displacement & 0x7f);
		return 2;
	case 1:
		if (wants->base == RBP)
			break;
		operand[0] = (uint8_t)(modrm | wants->base);
		return 1;
	case 2:
		made->index = indexes[below(random, sizeof(indexes))];
		operand[0] = (uint8_t)(modrm | 0x84);
		operand[1] = (uint8_t)(below(random, 4) << 6 | (unsigned)made->index << 3 | wants->base);
		displacement = displacement / 2 - 1024;
		memcpy(operand + 2, &displacement, 4);
		return 6;
	case 3:
	case 4:
	case 5:
		displacement = (int32_t)(wants->arena + (uint64_t)at - (wants->place + made->length + behind + 5));
		operand[0] = modrm | 5;
		memcpy(operand + 1, &displacement, 4);
		return 5;
	default:
		break;
	}
	operand[0] = (uint8_t)(modrm | 0x80 | wants->base);
	memcpy(operand + 1, &displacement, 4);
	return 5;
}

/* Turns its operand in memory, if it has one, to the arena. made->length: of what is before the operand, then of all.
 * False when it has become too long. */
static bool aim(struct instruction *made, const struct decoded *decoded, const struct instruction_wants *wants,
	uint64_t *random)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;
	unsigned modrm = instruction->raw.modrm.offset, end;
	uint8_t bytes[48], behind[16];
	int32_t at = (int32_t)(below(random, ARENA_DATA - 1024) & ~(below(random, 4) ? 63u : 0u));

	made->length = instruction->length;
	made->index = -1;
	if (!(instruction->attributes & ZYDIS_ATTRIB_HAS_MODRM) || instruction->raw.modrm.mod == 3 ||
		(wants->wild && !below(random, 12)))
		return true;
	end = instruction->raw.disp.size ? instruction->raw.disp.offset + instruction->raw.disp.size / 8u
					 : modrm + 1u + (instruction->raw.modrm.rm == 4);
	memcpy(bytes, made->bytes, sizeof(made->bytes));
	memcpy(behind, bytes + end, instruction->length - end);
	use_low_registers(bytes, instruction);
	made->length = modrm;
	modrm += put_operand(bytes + modrm, made, wants, instruction, at, (unsigned)instruction->length - end, random);
	memcpy(bytes + modrm, behind, instruction->length - end);
	made->length = modrm + instruction->length - end;
	memcpy(made->bytes, bytes, sizeof(made->bytes));
	return made->length <= ZYDIS_MAX_INSTRUCTION_LENGTH;
}

/* ---- flags ---- */

/* A shift may turn out to be by nothing, and a string to be empty: what they would define stays as it was. */
static bool may_do_nothing(const ZydisDecodedInstruction *decoded)
{
	return decoded->meta.category == ZYDIS_CATEGORY_SHIFT || decoded->meta.category == ZYDIS_CATEGORY_ROTATE ||
		decoded->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static void follow_flags(const ZydisDecodedInstruction *decoded, unsigned *undefined)
{
	const ZydisAccessedFlags *flags = decoded->cpu_flags;

	if (!flags)
		return;
	if (!may_do_nothing(decoded))
		*undefined &= ~(flags->set_0 | flags->set_1 | flags->modified);
	*undefined |= flags->undefined;
	*undefined &= ARITHMETIC_FLAGS;
}

void instruction_make(
	struct instruction *made, const struct instruction_wants *wants, uint64_t *random, unsigned *undefined)
{
	struct decoded decoded;

	for (;;) {
		put_random_bytes(made->bytes, random);
		if (!decode(made->bytes, &decoded) || is_unwanted(&decoded.instruction) ||
			!aim(made, &decoded, wants, random))
			continue;
		if (!decode(made->bytes, &decoded) || !is_wanted(&decoded, made->bytes, wants) ||
			decoded.instruction.length != made->length)
			continue;
		if (decoded.instruction.cpu_flags && decoded.instruction.cpu_flags->tested & *undefined)
			continue;
		follow_flags(&decoded.instruction, undefined);
		return;
	}
}

void instruction_print(const uint8_t *bytes, unsigned size, uint64_t start)
{
	ZydisFormatter formatter;
	struct decoded decoded;
	char text[200];

	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	for (unsigned at = 0; at < size; at += decoded.instruction.length) {
		uint8_t whole[ZYDIS_MAX_INSTRUCTION_LENGTH] = { 0 };

		memcpy(whole, bytes + at, size - at < sizeof(whole) ? size - at : sizeof(whole));
		printf("  %012llx ", (unsigned long long)start + at);
		if (!decode(whole, &decoded)) {
			printf("%02x\n", bytes[at]);
			decoded.instruction.length = 1;
			continue;
		}
		for (unsigned i = 0; i < 12; i++)
			printf(i < decoded.instruction.length ? "%02x" : "  ", whole[i]);
		ZydisFormatterFormatInstruction(&formatter, &decoded.instruction, decoded.operands,
			decoded.instruction.operand_count_visible, text, sizeof(text), start + at, NULL);
		printf(" %s\n", text);
	}
}
