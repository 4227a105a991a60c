/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/translate/block.h"

#include <string.h>

/* Exclusive accesses that begin further on are left to the next block: between the load and the store nothing is to be
 * added to memory, and they are in one block then. */
#define LAST_EXCLUSIVE 32
/* Instructions that run alone would come between the two, for ever on some processors: such accesses run whole. */
#define LONGEST_ACCESS 16

static bool is_breakpoint(const struct papi_a64_instruction *instruction)
{
	return (instruction->word & 0xffe0001f) == 0xd4200000; /* brk */
}

/* Whether nobody knows what it accesses. */
static bool is_out_of_sight(const struct papi_a64_instruction *instruction)
{
	return (instruction->loads || instruction->stores || instruction->prefetches) && !instruction->operand.is_known;
}

const char *papi_a64_obstacle(
	const struct papi_a64_instruction *instruction, bool owned, const struct papi_vpmu_wants *wants)
{
	if (instruction->kind == PAPI_A64_IN_PLACE)
		return "the program has come to an instruction that depends on its address in a way that the virtual "
		       "PMU does not know";
	if (instruction->work_is_unknown && instruction->memory_is_unknown)
		return "the program uses matrices or streaming vectors (SME), which the virtual PMU cannot count";
	if (instruction->work_is_unknown || instruction->memory_is_unknown)
		return "the program uses instructions that the virtual PMU cannot count: they are newer than "
		       "it";
	if (wants && wants->parts & PAPI_VPMU_PART_DATA && is_out_of_sight(instruction))
		return "the program uses instructions whose accesses the simulators of the virtual PMU do not know: "
		       "tags of memory, addresses that are signed, or copies of any length";
	if (is_breakpoint(instruction) && owned)
		return "the program has come to a breakpoint, of a debugger or without a handler";
	return NULL;
}

static bool ends_block(const struct papi_a64_instruction *instruction)
{
	switch (instruction->kind) {
	case PAPI_A64_JUMP:
	case PAPI_A64_CALL:
	case PAPI_A64_CONDITIONAL:
	case PAPI_A64_JUMP_INDIRECT:
	case PAPI_A64_CALL_INDIRECT:
	case PAPI_A64_RETURN:
	case PAPI_A64_SYSTEM_CALL:
	case PAPI_A64_TRAP:
		return true;
	default:
		return false;
	}
}

/* Whether it may be left in the middle by that branch. */
static bool goes_on_behind(const struct papi_a64_instruction *instruction, unsigned *asides, bool backward)
{
	if (instruction->kind != PAPI_A64_CONDITIONAL || (instruction->offset <= 0 && !backward) || !*asides)
		return false;
	--*asides;
	return true;
}

/* From the load that an exclusive access begins with to its store, so many instructions. 1: they are not near each
 * other, or what is between leads elsewhere. */
static unsigned length_of_access(const uint8_t *words, unsigned most)
{
	for (unsigned i = 1; i < most; i++) {
		struct papi_a64_instruction instruction;
		uint32_t word;

		__builtin_memcpy(&word, words + (size_t)4 * i, sizeof(word));
		papi_a64_decode(word, &instruction);
		if (instruction.kind == PAPI_A64_STORE_EXCLUSIVE)
			return i + 1;
		if (instruction.kind == PAPI_A64_CONDITIONAL ? instruction.offset <= 0 : ends_block(&instruction))
			break;
	}
	return 1;
}

static bool is_owned(const struct papi_vpmu_view *view, const struct papi_a64_instruction *instruction)
{
	return is_breakpoint(instruction) && view->owns_breakpoints(view);
}

/* To the next block, which has what it belongs to: unless that cannot be translated. */
static void leave_prefix(struct papi_a64_block *block)
{
	if (block->count > 1 && block->instructions[block->count - 1].is_prefix)
		block->count--;
}

void papi_a64_block_decode(const struct papi_vpmu_view *view, struct papi_a64_block *block, uint64_t pc, unsigned most,
	unsigned asides, bool backward, const struct papi_vpmu_wants *wants)
{
	uint64_t end = pc % 4 ? 0 : view->executable_until(view, pc);
	const uint8_t *words = papi_vpmu_view_bytes(view, pc);

	memset(block->trimmed, 0, sizeof(block->trimmed));
	block->pc = pc;
	block->count = 0;
	block->alone = false;
	while (block->count < most && papi_a64_block_end(block) + 4 <= end) {
		struct papi_a64_instruction *instruction = &block->instructions[block->count];
		uint32_t word;

		__builtin_memcpy(&word, words + (size_t)4 * block->count, sizeof(word));
		papi_a64_decode(word, instruction);
		if (papi_a64_obstacle(instruction, is_owned(view, instruction), wants))
			break;
		if (instruction->kind == PAPI_A64_LOAD_EXCLUSIVE && block->count > LAST_EXCLUSIVE)
			return;
		if (instruction->kind == PAPI_A64_LOAD_EXCLUSIVE && most == 1) {
			most = length_of_access(
				words, end - pc < 4 * LONGEST_ACCESS ? (unsigned)(end - pc) / 4 : LONGEST_ACCESS);
			asides = PAPI_A64_MAX_ASIDES;
		}
		if (instruction->is_prefix && most == 1)
			most = 2;
		block->count++;
		if (ends_block(instruction) && !goes_on_behind(instruction, &asides, backward))
			return;
	}
	if (block->count) {
		leave_prefix(block);
		return;
	}
	/* Nothing can be executed there, or it is to be run where it is. */
	block->alone = true;
	block->count = 1;
	memset(&block->instructions[0], 0, sizeof(block->instructions[0]));
	block->instructions[0].kind = PAPI_A64_IN_PLACE;
}
