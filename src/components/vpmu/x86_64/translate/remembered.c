/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate/remembered.h"

#include <stdatomic.h>

/* So many bytes are read, whether the instruction is as long or not. */
#define BYTES 16

typedef uint64_t __attribute__((may_alias)) any_word;

static void copy_words(void *to, const void *from, size_t size)
{
	any_word *written = to;
	const any_word *read = from;

	for (size_t i = 0; i < size / sizeof(*read); i++)
		written[i] = read[i];
}

/* How many of the first bytes tell instructions apart: where no glance tells their length, about as many. */
static unsigned telling(const uint8_t *bytes)
{
	struct papi_vpmu_glance glance;

	if (papi_vpmu_glance(bytes, BYTES, &glance))
		return glance.length;
	switch (bytes[0]) {
	case 0xc3: /* ret */
	case 0xe8: /* call */
	case 0xe9: /* jmp */
		return 1;
	case 0x70 ... 0x7f: /* jcc */
	case 0xeb:          /* jmp */
		return 2;
	case 0x0f: /* jcc */
		return bytes[1] >= 0x80 && bytes[1] <= 0x8f ? 2 : 4;
	default:
		return 4;
	}
}

/* The bits of so many of the first bytes. */
static void make_mask(uint64_t mask[2], unsigned bytes)
{
	mask[0] = bytes >= 8 ? ~0ull : (1ull << 8 * bytes) - 1;
	mask[1] = bytes > 8 ? (1ull << 8 * (bytes - 8)) - 1 : 0;
}

static uint16_t *slot_of(struct papi_vpmu_remembered *remembered, const uint8_t *bytes, const uint64_t word[2])
{
	uint64_t mask[2], hash;

	make_mask(mask, telling(bytes));
	hash = ((word[0] & mask[0]) + (word[1] & mask[1]) * 31) * 0x9e3779b97f4a7c15u;
	return &remembered->slots[hash >> 32 & (PAPI_VPMU_REMEMBERED_SLOTS - 1)];
}

static bool is_in(const struct papi_vpmu_remembered_place *place, const uint64_t word[2])
{
	return place->is_there && !((word[0] ^ place->bytes[0]) & place->mask[0]) &&
		!((word[1] ^ place->bytes[1]) & place->mask[1]);
}

static bool has_displacement(const struct papi_vpmu_instruction *instruction)
{
	return (instruction->kind == PAPI_VPMU_JUMP || instruction->kind == PAPI_VPMU_CALL ||
		       instruction->kind == PAPI_VPMU_CONDITIONAL) &&
		instruction->immediate_size == 32 && instruction->immediate_at + 4 == instruction->length;
}

static size_t size_of(const struct papi_vpmu_instruction *instruction)
{
	return offsetof(struct papi_vpmu_instruction, operands) +
		instruction->operand_count * sizeof(instruction->operands[0]);
}

/* The process may be copied by fork() in the midst of this: what is half there is not. */
static void write_place(struct papi_vpmu_remembered_place *place, const struct papi_vpmu_instruction *instruction,
	const uint64_t word[2])
{
	place->is_there = false;
	atomic_signal_fence(memory_order_seq_cst);
	place->is_relative = has_displacement(instruction);
	make_mask(place->mask, instruction->length - (place->is_relative ? 4u : 0u));
	place->bytes[0] = word[0] & place->mask[0];
	place->bytes[1] = word[1] & place->mask[1];
	copy_words(place->instruction, instruction, size_of(instruction));
	atomic_signal_fence(memory_order_seq_cst);
	place->is_there = true;
}

static void recall(
	const struct papi_vpmu_remembered_place *place, struct papi_vpmu_instruction *instruction, const uint8_t *bytes)
{
	copy_words(instruction, place->instruction, offsetof(struct papi_vpmu_instruction, operands));
	copy_words(instruction->operands, place->instruction + offsetof(struct papi_vpmu_instruction, operands),
		instruction->operand_count * sizeof(instruction->operands[0]));
	for (unsigned i = instruction->operand_count; i < ZYDIS_MAX_OPERAND_COUNT; i++)
		instruction->operands[i].type = ZYDIS_OPERAND_TYPE_UNUSED;
	if (place->is_relative) {
		int32_t displacement;

		__builtin_memcpy(&displacement, bytes + instruction->immediate_at, sizeof(displacement));
		instruction->immediate = instruction->operands[0].value = displacement;
	}
}

bool papi_vpmu_decode_remembered(struct papi_vpmu_remembered *remembered, struct papi_vpmu_instruction *instruction,
	uint64_t pc, const uint8_t *bytes, uint64_t size)
{
	uint64_t word[2];
	uint16_t *slot;

	if (!remembered || size < BYTES)
		return papi_vpmu_decode_copy(instruction, pc, bytes, size);
	__builtin_memcpy(word, bytes, sizeof(word));
	slot = slot_of(remembered, bytes, word);
	if (*slot && is_in(&remembered->places[*slot - 1], word)) {
		recall(&remembered->places[*slot - 1], instruction, bytes);
		instruction->pc = pc;
		return true;
	}
	if (!papi_vpmu_decode_copy(instruction, pc, bytes, size))
		return false;
	if (instruction->operand_count > PAPI_VPMU_REMEMBERED_OPERANDS)
		return true;
	if (!*slot)
		*slot = (uint16_t)(remembered->taken++ % PAPI_VPMU_REMEMBERED_PLACES + 1);
	write_place(&remembered->places[*slot - 1], instruction, word);
	return true;
}
