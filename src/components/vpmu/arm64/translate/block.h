/* SPDX-License-Identifier: BSD-3-Clause */
/* From the program's words to decoded blocks. */
#ifndef PAPI_VPMU_ARM64_TRANSLATE_BLOCK_H
#define PAPI_VPMU_ARM64_TRANSLATE_BLOCK_H

#include "components/vpmu/arm64/decode/decode.h"
#include "components/vpmu/translator/view.h"
#include "components/vpmu/translator/wanted.h"

#pragma GCC visibility push(hidden)

#define PAPI_A64_BLOCK_LENGTH 64
#define PAPI_A64_MAX_ASIDES   6 /* conditional branches that a block goes on behind */

/* The instructions of a block, one behind the other. Large: nobody has one on a stack of the runtime. */
struct papi_a64_block {
	uint64_t pc;
	unsigned count;
	bool alone; /* its one instruction cannot be translated */
	struct papi_a64_instruction instructions[PAPI_A64_BLOCK_LENGTH];
	bool trimmed[PAPI_A64_BLOCK_LENGTH]; /* belongs to a call of the library, and is not counted */
};

static inline uint64_t papi_a64_block_end(const struct papi_a64_block *block)
{
	return block->pc + 4 * (uint64_t)block->count;
}

static inline uint64_t papi_a64_pc_of(const struct papi_a64_block *block, unsigned i)
{
	return block->pc + 4 * (uint64_t)i;
}

/* Where a direct branch or a literal is. */
static inline uint64_t papi_a64_target(uint64_t pc, const struct papi_a64_instruction *instruction)
{
	return pc + (uint64_t)instruction->offset;
}

/* Whether that instruction is a conditional branch that leaves the block in its middle. */
static inline bool papi_a64_leads_aside(const struct papi_a64_block *block, unsigned i)
{
	return block->instructions[i].kind == PAPI_A64_CONDITIONAL && i + 1 < block->count;
}

/*
 * Decodes the block at pc: as many instructions as can be executed there, at most, and one that cannot be translated
 * if there is no other. It goes on behind so many conditional branches, which leave it when they are taken, of those
 * backward where that is said; and it does not begin exclusive accesses near its end. Of one instruction at most, an
 * exclusive access is the load to the store, and a prefix has its instruction. Code that could not be counted as wanted
 * is not translated; NULL: nothing is wanted.
 */
void papi_a64_block_decode(const struct papi_vpmu_view *view, struct papi_a64_block *block, uint64_t pc, unsigned most,
	unsigned asides, bool backward, const struct papi_vpmu_wants *wants);

/* Why an instruction cannot be translated; NULL. owned: breakpoints are a debugger's. */
const char *papi_a64_obstacle(
	const struct papi_a64_instruction *instruction, bool owned, const struct papi_vpmu_wants *wants);

/* trim.c: where the linker's stub at pc has the address that it leads to; 0: it is none. */
uint64_t papi_a64_stub_slot(const struct papi_vpmu_view *view, uint64_t pc);
/* Takes the call of a function of the library at the end of a block, and its arguments, out of what is
 * counted. */
void papi_a64_trim_call(const struct papi_vpmu_view *view, struct papi_a64_block *block);

#pragma GCC visibility pop

#endif
