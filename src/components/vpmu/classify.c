/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meaning of each exact counter is here, and told to users in names.c. Everything is looked up in tables by
 * numbers of Zydis: category, mnemonic, operands.
 */
#include "components/vpmu/classify.h"

#include <stdbool.h>

#include "components/vpmu/arithmetic.h"

/* What a category says about its instructions. */
enum {
	COMPUTES_INTEGERS = 1, /* in general registers and memory; with vector registers it is vector work */
	NAMES_ADDRESS = 2,     /* the memory operand is not accessed */
	PREFETCHES = 4,
	IS_STRING = 8,
	ALWAYS_BRANCHES = 16,
};

static const unsigned char categories[ZYDIS_CATEGORY_MAX_VALUE + 1] = {
	[ZYDIS_CATEGORY_ADOX_ADCX] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_BINARY] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_BITBYTE] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_BMI1] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_BMI2] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_CONVERT] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_LOGICAL] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_LZCNT] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_ROTATE] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_SEMAPHORE] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_SHIFT] = COMPUTES_INTEGERS,
	[ZYDIS_CATEGORY_TBM] = COMPUTES_INTEGERS,

	[ZYDIS_CATEGORY_NOP] = NAMES_ADDRESS,
	[ZYDIS_CATEGORY_WIDENOP] = NAMES_ADDRESS,
	[ZYDIS_CATEGORY_CLDEMOTE] = NAMES_ADDRESS,
	[ZYDIS_CATEGORY_CLFLUSHOPT] = NAMES_ADDRESS,
	[ZYDIS_CATEGORY_CLWB] = NAMES_ADDRESS,
	[ZYDIS_CATEGORY_PREFETCH] = NAMES_ADDRESS | PREFETCHES,
	[ZYDIS_CATEGORY_PREFETCHWT1] = NAMES_ADDRESS | PREFETCHES,

	[ZYDIS_CATEGORY_STRINGOP] = IS_STRING,
	[ZYDIS_CATEGORY_IOSTRINGOP] = IS_STRING,

	[ZYDIS_CATEGORY_CALL] = ALWAYS_BRANCHES,
	[ZYDIS_CATEGORY_RET] = ALWAYS_BRANCHES,
	[ZYDIS_CATEGORY_UNCOND_BR] = ALWAYS_BRANCHES,
};

static bool is_vector_register(const ZydisDecodedOperand *operand)
{
	ZydisRegister value;

	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	value = operand->reg.value;
	return (value >= ZYDIS_REGISTER_MM0 && value <= ZYDIS_REGISTER_MM7) ||
		(value >= ZYDIS_REGISTER_XMM0 && value <= ZYDIS_REGISTER_ZMM31);
}

static bool has_vector_register(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands)
{
	for (unsigned i = 0; i < instruction->operand_count; i++)
		if (is_vector_register(&operands[i]))
			return true;
	return false;
}

/* Memory operands read and written, those that push, pop, call and ret have without naming them included. */
static void count_memory(
	const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands, struct papi_vpmu_class *class)
{
	const ZyanU64 repeats = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
	unsigned facts = categories[instruction->meta.category];
	unsigned char loads = 0, stores = 0;

	if (facts & NAMES_ADDRESS || instruction->mnemonic == ZYDIS_MNEMONIC_CLFLUSH)
		return;
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
			(operand->mem.type != ZYDIS_MEMOP_TYPE_MEM && operand->mem.type != ZYDIS_MEMOP_TYPE_VSIB))
			continue;
		if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			loads++;
		if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			stores++;
	}
	if (facts & IS_STRING && instruction->attributes & repeats) {
		class->loads_each = loads;
		class->stores_each = stores;
	} else {
		class->counts[PAPI_VPMU_LOADS] = loads;
		class->counts[PAPI_VPMU_STORES] = stores;
	}
}

static void count_branches(
	const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands, struct papi_vpmu_class *class)
{
	ZydisInstructionCategory category = instruction->meta.category;

	/* Transactions are filed under branches, but go straight on. */
	if (instruction->meta.isa_set == ZYDIS_ISA_SET_RTM)
		return;
	if (category == ZYDIS_CATEGORY_COND_BR) {
		class->counts[PAPI_VPMU_BRANCHES_CONDITIONAL] = 1;
	} else if (categories[category] & ALWAYS_BRANCHES) {
		class->counts[PAPI_VPMU_BRANCHES_UNCONDITIONAL] = 1;
		class->counts[PAPI_VPMU_CALLS] = category == ZYDIS_CATEGORY_CALL;
		class->counts[PAPI_VPMU_RETURNS] = category == ZYDIS_CATEGORY_RET;
		class->counts[PAPI_VPMU_BRANCHES_INDIRECT] = category != ZYDIS_CATEGORY_RET &&
			operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
	} else if (category == ZYDIS_CATEGORY_SYSCALL) {
		class->counts[PAPI_VPMU_SYSTEM_CALLS] = 1;
	} else if (instruction->mnemonic == ZYDIS_MNEMONIC_INT) {
		class->counts[PAPI_VPMU_SYSTEM_CALLS] = operands[0].imm.value.u == 0x80;
	}
}

static unsigned width_of(const ZydisDecodedInstruction *instruction)
{
	return instruction->avx.vector_length ? instruction->avx.vector_length : 128;
}

/* The counter of operations for a precision and width, and how many elements there are. */
static enum papi_vpmu_counter operations_counter(
	const struct papi_vpmu_arithmetic *arithmetic, unsigned width, unsigned *elements)
{
	bool is_double = arithmetic->element == PAPI_VPMU_DOUBLE;

	*elements = 1;
	if (arithmetic->element == PAPI_VPMU_X87)
		return PAPI_VPMU_FP_X87;
	if (arithmetic->element == PAPI_VPMU_HALF) {
		*elements = arithmetic->is_scalar ? 1 : width / 16;
		return PAPI_VPMU_FP_HALF;
	}
	if (arithmetic->is_scalar)
		return is_double ? PAPI_VPMU_FP_SCALAR_DOUBLE : PAPI_VPMU_FP_SCALAR_SINGLE;
	*elements = width / (is_double ? 64 : 32);
	if (width == 512)
		return is_double ? PAPI_VPMU_FP_512_DOUBLE : PAPI_VPMU_FP_512_SINGLE;
	if (width == 256)
		return is_double ? PAPI_VPMU_FP_256_DOUBLE : PAPI_VPMU_FP_256_SINGLE;
	return is_double ? PAPI_VPMU_FP_128_DOUBLE : PAPI_VPMU_FP_128_SINGLE;
}

static void count_floating_point(const ZydisDecodedInstruction *instruction, struct papi_vpmu_class *class)
{
	static const unsigned char by_calculation[] = {
		[PAPI_VPMU_ADD] = PAPI_VPMU_FP_ADDS,
		[PAPI_VPMU_MULTIPLY] = PAPI_VPMU_FP_MULTIPLIES,
		[PAPI_VPMU_DIVIDE] = PAPI_VPMU_FP_DIVIDES,
		[PAPI_VPMU_SQUARE_ROOT] = PAPI_VPMU_FP_SQUARE_ROOTS,
		[PAPI_VPMU_INVERSE] = PAPI_VPMU_FP_INVERSES,
		[PAPI_VPMU_MULTIPLY_ADD] = PAPI_VPMU_FMA,
	};
	const struct papi_vpmu_arithmetic *arithmetic = &papi_vpmu_arithmetic[instruction->mnemonic];
	enum papi_vpmu_counter counter;
	unsigned elements;

	if (arithmetic->element == PAPI_VPMU_NO_ELEMENT)
		return;
	counter = operations_counter(arithmetic, width_of(instruction), &elements);
	class->counts[counter] = (unsigned char)(elements * arithmetic->operations);
	class->counts[PAPI_VPMU_FP_INSTRUCTIONS] = 1;
	if (arithmetic->calculation != PAPI_VPMU_OTHER)
		class->counts[by_calculation[arithmetic->calculation]] = 1;
	if (arithmetic->is_scalar)
		return;
	class->counts[PAPI_VPMU_VECTOR_SINGLE] = arithmetic->element == PAPI_VPMU_SINGLE;
	class->counts[PAPI_VPMU_VECTOR_DOUBLE] = arithmetic->element == PAPI_VPMU_DOUBLE;
}

static bool is_fence(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_MFENCE || mnemonic == ZYDIS_MNEMONIC_LFENCE ||
		mnemonic == ZYDIS_MNEMONIC_SFENCE || mnemonic == ZYDIS_MNEMONIC_SERIALIZE;
}

/* lea, and two that Zydis files under SSE for the extension they came with. */
static bool computes_integers(const ZydisDecodedInstruction *instruction)
{
	ZydisMnemonic mnemonic = instruction->mnemonic;

	return categories[instruction->meta.category] & COMPUTES_INTEGERS || mnemonic == ZYDIS_MNEMONIC_LEA ||
		mnemonic == ZYDIS_MNEMONIC_POPCNT || mnemonic == ZYDIS_MNEMONIC_CRC32;
}

void papi_vpmu_classify(
	const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands, struct papi_vpmu_class *class)
{
	ZydisMnemonic mnemonic = instruction->mnemonic;
	bool is_vector = has_vector_register(instruction, operands);

	*class = (struct papi_vpmu_class){ .counts[PAPI_VPMU_INSTRUCTIONS] = 1 };
	count_memory(instruction, operands, class);
	count_branches(instruction, operands, class);
	count_floating_point(instruction, class);
	class->counts[PAPI_VPMU_VECTOR] = is_vector && !papi_vpmu_arithmetic[mnemonic].is_scalar;
	class->counts[PAPI_VPMU_INTEGER] = !is_vector && computes_integers(instruction);
	class->counts[PAPI_VPMU_PREFETCHES] = (categories[instruction->meta.category] & PREFETCHES) != 0;
	class->counts[PAPI_VPMU_FENCES] = is_fence(mnemonic);
	/* An exchange with memory locks without being told. */
	class->counts[PAPI_VPMU_ATOMICS] = instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK ||
		(mnemonic == ZYDIS_MNEMONIC_XCHG && operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY) ||
		(mnemonic == ZYDIS_MNEMONIC_XCHG && operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY);
}
