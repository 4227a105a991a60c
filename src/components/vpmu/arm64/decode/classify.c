/* SPDX-License-Identifier: BSD-3-Clause */
/* The meaning of each exact counter on arm64; doc/vpmu.md tells it to users. */
#include "components/vpmu/arm64/decode/decode.h"

static void count_branches(const struct papi_a64_instruction *i, uint8_t counts[])
{
	bool calls = i->kind == PAPI_A64_CALL || i->kind == PAPI_A64_CALL_INDIRECT;
	bool returns = i->kind == PAPI_A64_RETURN;

	counts[PAPI_VPMU_BRANCHES_CONDITIONAL] = i->kind == PAPI_A64_CONDITIONAL;
	counts[PAPI_VPMU_BRANCHES_INDIRECT] = i->kind == PAPI_A64_JUMP_INDIRECT || i->kind == PAPI_A64_CALL_INDIRECT;
	counts[PAPI_VPMU_BRANCHES_UNCONDITIONAL] = calls || returns || i->kind == PAPI_A64_JUMP ||
		i->kind == PAPI_A64_JUMP_INDIRECT;
	counts[PAPI_VPMU_CALLS] = calls;
	counts[PAPI_VPMU_RETURNS] = returns;
	counts[PAPI_VPMU_SYSTEM_CALLS] = i->kind == PAPI_A64_SYSTEM_CALL;
}

/* A vector is counted by its width: among those of 128 bits one of 64, and of 512 whatever is longer. */
enum papi_vpmu_counter papi_a64_operations_counter(const struct papi_a64_instruction *i, unsigned vector)
{
	unsigned bytes = i->is_scalable ? vector : 16;
	bool is_double = i->element == PAPI_A64_DOUBLE;

	if (i->element == PAPI_A64_HALF)
		return PAPI_VPMU_FP_HALF;
	if (!i->is_vector)
		return is_double ? PAPI_VPMU_FP_SCALAR_DOUBLE : PAPI_VPMU_FP_SCALAR_SINGLE;
	if (bytes >= 64)
		return is_double ? PAPI_VPMU_FP_512_DOUBLE : PAPI_VPMU_FP_512_SINGLE;
	if (bytes >= 32)
		return is_double ? PAPI_VPMU_FP_256_DOUBLE : PAPI_VPMU_FP_256_SINGLE;
	return is_double ? PAPI_VPMU_FP_128_DOUBLE : PAPI_VPMU_FP_128_SINGLE;
}

static void count_floating_point(const struct papi_a64_instruction *i, uint8_t counts[])
{
	static const uint8_t by_calculation[] = {
		[PAPI_A64_ADD] = PAPI_VPMU_FP_ADDS,
		[PAPI_A64_MULTIPLY] = PAPI_VPMU_FP_MULTIPLIES,
		[PAPI_A64_DIVIDE] = PAPI_VPMU_FP_DIVIDES,
		[PAPI_A64_SQUARE_ROOT] = PAPI_VPMU_FP_SQUARE_ROOTS,
		[PAPI_A64_INVERSE] = PAPI_VPMU_FP_INVERSES,
		[PAPI_A64_MULTIPLY_ADD] = PAPI_VPMU_FMA,
	};

	if (!i->operations || i->element == PAPI_A64_NO_ELEMENT)
		return;
	counts[papi_a64_operations_counter(i, 0)] = (uint8_t)(i->operations * i->elements);
	counts[PAPI_VPMU_FP_INSTRUCTIONS] = 1;
	if (i->calculation != PAPI_A64_OTHER)
		counts[by_calculation[i->calculation]] = 1;
	counts[PAPI_VPMU_VECTOR_SINGLE] = i->is_vector && i->element == PAPI_A64_SINGLE;
	counts[PAPI_VPMU_VECTOR_DOUBLE] = i->is_vector && i->element == PAPI_A64_DOUBLE;
}

void papi_a64_classify(const struct papi_a64_instruction *i, uint8_t counts[PAPI_VPMU_FIRST_MODELLED])
{
	__builtin_memset(counts, 0, PAPI_VPMU_FIRST_MODELLED);
	counts[PAPI_VPMU_INSTRUCTIONS] = 1;
	counts[PAPI_VPMU_LOADS] = i->loads;
	counts[PAPI_VPMU_STORES] = i->stores;
	counts[PAPI_VPMU_INTEGER] = i->is_integer;
	counts[PAPI_VPMU_VECTOR] = i->is_vector;
	counts[PAPI_VPMU_PREFETCHES] = i->prefetches;
	counts[PAPI_VPMU_FENCES] = i->is_fence;
	counts[PAPI_VPMU_ATOMICS] = i->is_atomic;
	count_branches(i, counts);
	count_floating_point(i, counts);
}
