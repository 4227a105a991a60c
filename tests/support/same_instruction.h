/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two decoded instructions of the same address say the same, padding aside. */
#ifndef TESTS_SAME_INSTRUCTION_H
#define TESTS_SAME_INSTRUCTION_H

#include <string.h>

#include "components/vpmu/x86_64/translate/decode.h"

static bool is_same_operand(const struct papi_vpmu_operand *a, const struct papi_vpmu_operand *b)
{
	return a->actions == b->actions && a->is_hidden == b->is_hidden && a->memory == b->memory &&
		a->scale == b->scale && a->reg == b->reg && a->base == b->base && a->index == b->index &&
		a->segment == b->segment && a->size == b->size && a->value == b->value;
}

static bool is_same_instruction(const struct papi_vpmu_instruction *a, const struct papi_vpmu_instruction *b)
{
	for (unsigned i = 0; i < ZYDIS_MAX_OPERAND_COUNT; i++)
		if (a->operands[i].type != b->operands[i].type ||
			(i < a->operand_count && !is_same_operand(&a->operands[i], &b->operands[i])))
			return false;
	return a->pc == b->pc && a->kind == b->kind && a->trimmed == b->trimmed && a->flags_read == b->flags_read &&
		a->flags_set == b->flags_set && !memcmp(&a->class, &b->class, sizeof(a->class)) &&
		a->attributes == b->attributes && a->immediate == b->immediate && a->mnemonic == b->mnemonic &&
		a->vector_length == b->vector_length && a->mask == b->mask && a->length == b->length &&
		a->opcode == b->opcode && a->category == b->category && a->encoding == b->encoding &&
		a->operand_width == b->operand_width && a->address_width == b->address_width && a->wide == b->wide &&
		a->immediate_size == b->immediate_size && a->prefix_at == b->prefix_at && a->modrm_at == b->modrm_at &&
		a->displacement_at == b->displacement_at && a->immediate_at == b->immediate_at &&
		a->prefix_size == b->prefix_size && a->operand_count == b->operand_count;
}

#endif
