/* SPDX-License-Identifier: BSD-3-Clause */
/* What the decoder makes of words: those of standard input, a line each, for decode.py to compare. */
#include <stdio.h>

#include "components/vpmu/arm64/decode/decode.h"

static void print_counts(const struct papi_a64_instruction *instruction)
{
	uint8_t counts[PAPI_VPMU_FIRST_MODELLED];

	papi_a64_classify(instruction, counts);
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		printf(" %u", counts[i]);
}

static void print_operand(const struct papi_a64_operand *operand)
{
	bool indexed = operand->index != PAPI_A64_NO_REGISTER;

	printf(" %u %u %u %u %u %u %u %u %d %d %u", operand->is_known, operand->size, operand->is_zeroed, operand->base,
		operand->index, indexed ? operand->extension : 0, operand->shift, operand->moves, operand->displacement,
		operand->moves_by_register ? 0 : operand->moved, operand->moves_by_register);
}

static void print_active(const struct papi_a64_operand *operand)
{
	const struct papi_a64_active *active = &operand->active;

	printf(" %u %u %u %u %u %u %u %u %u %u %u %u", operand->is_scalable, active->predicate, active->vector,
		active->element, active->size, active->elements, active->shift, active->is_wide, active->is_signed,
		active->is_any, active->by_length && operand->displacement, active->stops);
}

int main(void)
{
	struct papi_a64_instruction i;
	uint32_t word;

	while (fread(&word, sizeof(word), 1, stdin) == 1) {
		papi_a64_decode(word, &i);
		printf("%u %u %u %u %lld %u %u %u %u", i.kind, i.known, i.reads, i.writes, (long long)i.offset, i.key,
			i.zero_modifier, i.work_is_unknown, i.memory_is_unknown);
		print_counts(&i);
		print_operand(&i.operand);
		print_active(&i.operand);
		printf(" %u %u %u %u", i.is_scalable ? i.element : 0, i.is_scalable ? i.operations : 0, i.by_predicate,
			i.is_prefix);
		putchar('\n');
	}
	return 0;
}
