/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/describe.h"

#include <string.h>

#include "components/vpmu/models/geometry.h"
#include "components/vpmu/translator/descriptions.h"

/* The lines of L1I that code within one page is in: the first, and how many. */
static uint8_t place_lines(uint64_t pc, uint64_t end, uint64_t *first)
{
	unsigned shift = papi_vpmu_geometry_current(NULL, 0)->l1i.shift;

	*first = pc < end ? papi_vpmu_describe_reserved_place(pc) >> shift : 0;
	return pc < end ? (uint8_t)(((end - 1) >> shift) - (pc >> shift) + 1) : 0;
}

/* Where the block is in the models: a block has at most 64 instructions, so that two pages hold it. */
static void place_block(struct papi_vpmu_trace_plan *plan)
{
	struct papi_vpmu_description *block = &plan->description;
	uint64_t split = (block->pc | ((1 << PAPI_VPMU_PAGE_SHIFT) - 1)) + 1;

	block->entry = papi_vpmu_describe_reserved_place(block->pc);
	block->branch = papi_vpmu_describe_reserved_place(plan->last);
	block->n_lines = place_lines(block->pc, plan->end < split ? plan->end : split, &block->first_line);
	block->n_other_lines = place_lines(split, plan->end, &block->other_line);
}

/* The block and the one it goes to, described as one. */
static void join(struct papi_vpmu_description *block, const struct papi_vpmu_trace_plan *following)
{
	block->n_other_lines = place_lines(following->description.pc, following->end, &block->other_line);
	block->branch = papi_vpmu_describe_reserved_place(following->last);
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
		if (plan->accesses[i].word == 0)
			plan->accesses[i].displacement -= (int64_t)offset;
}

bool papi_vpmu_describe(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_trace_plan *following,
	bool with_sources, uint32_t *offset)
{
	size_t accesses = plan->description.accesses * sizeof(plan->accesses[0]);
	size_t sources = with_sources ? plan->description.words * sizeof(plan->sources[0]) : 0;
	size_t size = sizeof(plan->description) + accesses + sources;
	unsigned char *place;

	place = papi_vpmu_describe_room(size, offset);
	if (!place)
		return false;
	place_block(plan);
	papi_vpmu_description_finish(&plan->description, plan->accesses);
	if (following)
		join(&plan->description, following);
	relate_constants(plan, *offset);
	memcpy(place, &plan->description, sizeof(plan->description));
	memcpy(place + sizeof(plan->description), plan->accesses, accesses);
	memcpy(place + size - sources, plan->sources, sources);
	return true;
}
