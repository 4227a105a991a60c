/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/descriptions.h"

#include <sys/mman.h>

#include "components/vpmu/models/geometry.h"
#include "components/vpmu/models/trace.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/region.h"

/* They come in pieces, each as large as all before it, within these limits. */
#define PIECE_SMALLEST ((size_t)256 << 10)
#define PIECE_LARGEST  ((size_t)8 << 20)
#define BEHIND         (PAPI_VPMU_BRANCHES_OF_RECORD * sizeof(uint32_t)) /* copied from where branches are, at most */
#define PAGES_OF_BLOCK 4 /* at most, with the one that follows it in its record */

/* From where the offsets of descriptions count. */
static unsigned char *arena;
static size_t all_pieces;
static struct {
	size_t next, end; /* offsets */
} piece;
static struct papi_vpmu_frames code_frames;

uint64_t papi_vpmu_describe_reserved_place(uint64_t pc)
{
	uint64_t number = papi_vpmu_frames_number(&code_frames, pc >> PAPI_VPMU_PAGE_SHIFT) + PAPI_VPMU_FRAME_OF_CODE;

	return number << PAPI_VPMU_PAGE_SHIFT | (pc & ((1 << PAPI_VPMU_PAGE_SHIFT) - 1));
}

/* A place for a description. One is a line of this machine's cache, and looked at with every record. */
static bool reserve(size_t size)
{
	size_t more = all_pieces < PIECE_SMALLEST ? PIECE_SMALLEST
		: all_pieces > PIECE_LARGEST      ? PIECE_LARGEST
						  : all_pieces;
	unsigned char *memory;

	piece.next = (piece.next + 63) & ~(size_t)63;
	if (piece.next + size + BEHIND <= piece.end)
		return true;
	memory = papi_vpmu_region_map(more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	if (!memory)
		return false;
	arena = (unsigned char *)(uintptr_t)papi_vpmu_region_start();
	piece.next = (size_t)(memory - arena);
	piece.end = piece.next + more;
	all_pieces += more;
	return true;
}

bool papi_vpmu_describe_reserve(void)
{
	return papi_vpmu_frames_reserve(&code_frames, PAGES_OF_BLOCK, papi_vpmu_change_memory);
}

void *papi_vpmu_describe_room(size_t size, uint32_t *offset)
{
	unsigned char *place;

	if (!reserve(size) || !papi_vpmu_describe_reserve())
		return NULL;
	place = arena + piece.next;
	*offset = (uint32_t)piece.next;
	piece.next += size;
	return place;
}

const unsigned char *papi_vpmu_descriptions(void)
{
	return arena;
}

uint64_t papi_vpmu_describe_place(uint64_t pc)
{
	return papi_vpmu_frames_reserve(&code_frames, 1, papi_vpmu_change_memory)
		? papi_vpmu_describe_reserved_place(pc)
		: 0;
}

uint8_t papi_vpmu_describe_lines(uint64_t pc, uint64_t end, unsigned shift, uint64_t *first)
{
	*first = pc < end ? papi_vpmu_describe_reserved_place(pc) >> shift : 0;
	return pc < end ? (uint8_t)(((end - 1) >> shift) - (pc >> shift) + 1) : 0;
}

/* A block has at most 64 instructions, so that two pages hold it. */
void papi_vpmu_describe_block(struct papi_vpmu_description *block, uint64_t last, uint64_t end, unsigned shift)
{
	uint64_t split = (block->pc | ((1 << PAPI_VPMU_PAGE_SHIFT) - 1)) + 1;

	block->entry = papi_vpmu_describe_reserved_place(block->pc);
	block->branch = papi_vpmu_describe_reserved_place(last);
	block->n_lines = papi_vpmu_describe_lines(block->pc, end < split ? end : split, shift, &block->first_line);
	block->n_other_lines = papi_vpmu_describe_lines(split, end, shift, &block->other_line);
}
