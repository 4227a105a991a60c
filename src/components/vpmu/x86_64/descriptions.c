/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/descriptions.h"

#include <string.h>
#include <sys/mman.h>

#include "components/vpmu/models/geometry.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/region.h"

/* They come in pieces, each as large as all before it, within these limits. */
#define PIECE_SMALLEST ((size_t)256 << 10)
#define PIECE_LARGEST  ((size_t)8 << 20)
#define PAGES_OF_BLOCK 4 /* at most, with the one that follows it in its record */

/* From where the offsets of descriptions count. */
static unsigned char *arena;
static size_t all_pieces;
static struct {
	size_t next, end; /* offsets */
} piece;
static struct papi_vpmu_frames code_frames;
static bool failed(long address)
{
	return address < 0 && address > -4096;
}

static void *map_memory(size_t size)
{
	long address = papi_vpmu_raw(
		SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return failed(address) ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Raw: it may be between two instructions of the program. */
void *papi_vpmu_change_memory(void *memory, size_t old, size_t new)
{
	long address = (long)memory;

	if (!old)
		return new ? map_memory(new) : NULL;
	if (new)
		address = papi_vpmu_raw(SYS_mremap, address, (long)old, (long)new, MREMAP_MAYMOVE, 0, 0);
	else
		papi_vpmu_raw(SYS_munmap, address, (long)old, 0, 0, 0, 0);
	return !new || failed(address) ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* An address of code with the number of its page, which it gets if it has none: there is room. */
static uint64_t place_of(uint64_t pc)
{
	uint64_t number = papi_vpmu_frames_number(&code_frames, pc >> PAPI_VPMU_PAGE_SHIFT) + PAPI_VPMU_FRAME_OF_CODE;

	return number << PAPI_VPMU_PAGE_SHIFT | (pc & ((1 << PAPI_VPMU_PAGE_SHIFT) - 1));
}

/* The lines of L1I that code within one page is in: the first, and how many. */
static uint8_t place_lines(uint64_t pc, uint64_t end, uint64_t *first)
{
	unsigned shift = papi_vpmu_geometry_current(NULL, 0)->l1i.shift;

	*first = pc < end ? place_of(pc) >> shift : 0;
	return pc < end ? (uint8_t)(((end - 1) >> shift) - (pc >> shift) + 1) : 0;
}

/* Where the block is in the models: a block has at most 64 instructions, so that two pages hold it. */
static void place_block(struct papi_vpmu_trace_plan *plan)
{
	struct papi_vpmu_description *block = &plan->description;
	uint64_t split = (block->pc | ((1 << PAPI_VPMU_PAGE_SHIFT) - 1)) + 1;

	block->entry = place_of(block->pc);
	block->branch = place_of(plan->last);
	block->n_lines = place_lines(block->pc, plan->end < split ? plan->end : split, &block->first_line);
	block->n_other_lines = place_lines(split, plan->end, &block->other_line);
}

/* The block and the one it goes to, described as one. */
static void join(struct papi_vpmu_description *block, const struct papi_vpmu_trace_plan *following)
{
	block->n_other_lines = place_lines(following->description.pc, following->end, &block->other_line);
	block->branch = place_of(following->last);
	if (block->end == PAPI_VPMU_ENDS_CALL) {
		block->returns_to = block->next;
		block->end = PAPI_VPMU_ENDS_CALLED_CONDITIONAL;
	} else {
		block->end = PAPI_VPMU_ENDS_CONDITIONAL;
	}
	block->next = following->description.next;
}

/* The first word of a record is the offset of its description: an address that never changes comes out right if the
 * displacement is less by as much. */
static void relate_constants(struct papi_vpmu_trace_plan *plan, size_t offset)
{
	for (unsigned i = 0; i < plan->description.accesses; i++)
		if (plan->accesses[i].slot == 0)
			plan->accesses[i].displacement -= (int64_t)offset;
}

/* A place for a description. One is a line of this machine's cache, and looked at with every record. */
static bool reserve(size_t size)
{
	size_t more = all_pieces < PIECE_SMALLEST ? PIECE_SMALLEST
		: all_pieces > PIECE_LARGEST      ? PIECE_LARGEST
						  : all_pieces;
	unsigned char *memory;

	piece.next = (piece.next + 63) & ~(size_t)63;
	if (piece.next + size <= piece.end)
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

bool papi_vpmu_describe(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_trace_plan *following,
	bool with_sources, uint32_t *offset)
{
	size_t accesses = plan->description.accesses * sizeof(plan->accesses[0]);
	size_t sources = with_sources ? plan->description.words * sizeof(plan->sources[0]) : 0;
	size_t size = sizeof(plan->description) + accesses + sources;
	unsigned char *place;

	if (!reserve(size) || !papi_vpmu_frames_reserve(&code_frames, PAGES_OF_BLOCK, papi_vpmu_change_memory))
		return false;
	place_block(plan);
	papi_vpmu_description_finish(&plan->description, plan->accesses);
	if (following)
		join(&plan->description, following);
	relate_constants(plan, piece.next);
	place = arena + piece.next;
	memcpy(place, &plan->description, sizeof(plan->description));
	memcpy(place + sizeof(plan->description), plan->accesses, accesses);
	memcpy(place + size - sources, plan->sources, sources);
	*offset = (uint32_t)piece.next;
	piece.next += size;
	return true;
}

const unsigned char *papi_vpmu_descriptions(void)
{
	return arena;
}

uint64_t papi_vpmu_describe_place(uint64_t pc)
{
	return papi_vpmu_frames_reserve(&code_frames, 1, papi_vpmu_change_memory) ? place_of(pc) : 0;
}
