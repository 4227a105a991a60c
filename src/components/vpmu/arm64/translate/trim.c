/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call of a function of the library consists of, in the program, is not counted: the call, the stub in the
 * procedure linkage table, and the loading of its arguments.
 *
 *	    mov   x19, #5           counted
 *	    add   x1, sp, #8        trimmed
 *	    mov   w0, w19           trimmed
 *	    bl    stub              trimmed       stub:  [bti c]                   trimmed
 *	                                                 adrp  x16, page           trimmed
 *	                                                 ldr   x17, [x16, #x]      trimmed
 *	                                                 add   x16, x16, #x        trimmed
 *	                                                 br    x17                 trimmed: leads to the library
 */
#include <string.h>

#include "components/vpmu/arm64/translate/block.h"

#define BTI_C     0xd503245fu
#define BR_X17    0xd61f0220u
#define STUB_SIZE 5 /* words, at most */

/* Registers that a call destroys: arguments are among them. */
#define DESTROYED 0x3ffffu

/* Whether there are so many words of code. */
static bool reaches(const struct papi_vpmu_view *view, uint64_t pc, unsigned words)
{
	uint64_t end = view->executable_until(view, pc);

	return end && end - pc >= 4ull * words;
}

/* Where the stub at pc, whose words these are, has the address that it leads to; 0: it is none. */
static uint64_t slot_of(uint64_t pc, const uint32_t words[], unsigned *n)
{
	struct papi_a64_instruction page;
	unsigned i = words[0] == BTI_C;

	papi_a64_decode(words[i], &page);
	if (page.kind != PAPI_A64_ADDRESS || page.writes != 1u << 16 || !(page.word >> 31) ||
		(words[i + 1] & 0xffc003ff) != 0xf9400211 || (words[i + 2] & 0xffc003ff) != 0x91000210 ||
		words[i + 3] != BR_X17)
		return 0;
	*n = i + 4;
	return ((pc + 4 * i) & ~(uint64_t)0xfff) + (uint64_t)page.offset + (uint64_t)(words[i + 1] >> 10 & 0xfff) * 8;
}

static uint64_t find_slot(const struct papi_vpmu_view *view, uint64_t pc, unsigned *n)
{
	uint32_t words[STUB_SIZE] = { 0 };

	if (pc % 4 || !reaches(view, pc, STUB_SIZE))
		return 0;
	memcpy(words, papi_vpmu_view_bytes(view, pc), sizeof(words));
	return slot_of(pc, words, n);
}

uint64_t papi_a64_stub_slot(const struct papi_vpmu_view *view, uint64_t pc)
{
	unsigned n;

	return find_slot(view, pc, &n);
}

static bool stub_leads_to_library(const struct papi_vpmu_view *view, uint64_t pc, unsigned *n)
{
	uint64_t slot = find_slot(view, pc, n), target;

	return slot && view->load(view, slot, &target) && view->is_library(view, target);
}

/* Moves, loads and addresses of a register that the call destroys have no other use right before it. */
static bool loads_argument(const struct papi_a64_instruction *i)
{
	bool is_address = i->kind == PAPI_A64_ADDRESS || (i->word & 0x7f800000) == 0x11000000; /* add */

	if (!i->writes || i->writes & ~DESTROYED || i->stores || i->is_atomic ||
		(i->kind != PAPI_A64_PLAIN && i->kind != PAPI_A64_ADDRESS && i->kind != PAPI_A64_LITERAL))
		return false;
	return i->loads || is_address || (i->word & 0x1f800000) == 0x12800000 || (i->word & 0x7fe0ffe0) == 0x2a0003e0 ||
		(i->word & 0x7f8003e0) == 0x320003e0;
}

/* It may be that the block begins within it. */
static void trim_stub(const struct papi_vpmu_view *view, struct papi_a64_block *block)
{
	uint64_t end = papi_a64_block_end(block);
	unsigned n;

	for (unsigned size = STUB_SIZE - 1; size <= STUB_SIZE; size++)
		if (stub_leads_to_library(view, end - 4 * size, &n) && n == size)
			for (unsigned i = 0; i < block->count; i++)
				block->trimmed[i] = papi_a64_pc_of(block, i) >= end - 4 * size;
}

void papi_a64_trim_call(const struct papi_vpmu_view *view, struct papi_a64_block *block)
{
	unsigned last = block->count - 1, n;
	const struct papi_a64_instruction *branch = &block->instructions[last];
	uint64_t target = papi_a64_target(papi_a64_pc_of(block, last), branch);

	if (branch->kind == PAPI_A64_CALL &&
		(view->is_library(view, target) || stub_leads_to_library(view, target, &n))) {
		do
			block->trimmed[last] = true;
		while (last-- > 0 && loads_argument(&block->instructions[last]));
	} else if (branch->word == BR_X17) {
		trim_stub(view, block);
	}
}
