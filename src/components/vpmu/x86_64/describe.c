/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/describe.h"

#include <string.h>

#include "components/vpmu/models/geometry.h"
#include "components/vpmu/translator/descriptions.h"

/* Of the lines of L1I, whose places descriptions have. */
static unsigned line_shift(void)
{
	return papi_vpmu_geometry_current(NULL, 0)->l1i.shift;
}

/* The first word of a record is the offset of its description: an address that never changes comes out right if the
 * displacement is less by as much. */
static void relate_constants(struct papi_vpmu_access *accesses, unsigned n, size_t offset)
{
	for (unsigned i = 0; i < n; i++)
		if (accesses[i].word == 0)
			accesses[i].displacement -= (int64_t)offset;
}

/* Each branch of a plan as it is told if it is not taken. */
static void place_branches(struct papi_vpmu_trace_plan *plan)
{
	unsigned flags = plan->description.counted ? 0 : PAPI_VPMU_BRANCH_UNCOUNTED;

	for (unsigned i = 0; i < plan->n_branches; i++)
		plan->branches[i] = (uint16_t)papi_vpmu_describe_reserved_place(
					    i < plan->n_ways_out ? plan->ways_out[i].branch : plan->last) |
			flags;
}

/* A description with its accesses and branches, up to what comes next. */
static unsigned char *write(const struct papi_vpmu_description *block, const struct papi_vpmu_access *accesses,
	const uint32_t *branches, uint32_t offset, unsigned char *place)
{
	size_t size = block->accesses * sizeof(*accesses), size_of_branches = block->branches * sizeof(*branches);

	memcpy(place, block, sizeof(*block));
	place += sizeof(*block);
	memcpy(place, accesses, size);
	relate_constants((struct papi_vpmu_access *)(void *)place, block->accesses, offset);
	memcpy(place + size, branches, size_of_branches);
	return place + size + size_of_branches;
}

/* What lies behind that of a plan, up to one of its ways out, or all; following: of the block that its record stands
 * for as well, or NULL. Returns where the next comes. */
static unsigned char *write_origins(const struct papi_vpmu_description *block, const struct papi_vpmu_access *accesses,
	const struct papi_vpmu_trace_plan *plan, unsigned end, const struct papi_vpmu_trace_plan *following,
	unsigned char *place)
{
	struct papi_vpmu_origins *origins = (void *)place;
	uint8_t *next = origins->instructions;

	if (!plan->has_origins)
		return place;
	origins->block = plan->profile;
	origins->following = following ? following->profile : 0;
	papi_vpmu_trace_plan_origins(plan, accesses, block->accesses, next);
	next += block->accesses;
	for (unsigned i = 0; i < block->n_lines + (following ? 0u : block->n_other_lines); i++)
		*next++ = plan->of_line[i];
	for (unsigned i = 0; following && i < block->n_other_lines; i++)
		*next++ = following->of_line[i] | PAPI_VPMU_ORIGIN_FOLLOWS;
	for (unsigned i = 0; i < block->branches - (following ? 1u : 0u); i++)
		*next++ = i < plan->n_ways_out ? plan->ways_out[i].instruction : plan->of_end;
	if (following)
		*next++ = following->of_end | PAPI_VPMU_ORIGIN_FOLLOWS;
	*next = (uint8_t)end;
	return place + papi_vpmu_origins_size(block);
}

/* The most that it takes; in how many lines the code is, is known when there is room for its pages. */
static size_t room_for_origins(const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_trace_plan *following)
{
	const struct papi_vpmu_description most = { .accesses = plan->description.accesses,
		.branches = (uint8_t)(plan->n_branches + 1),
		.n_lines = (uint8_t)(((plan->end - plan->description.pc) >> plan->line_shift) + 2) };
	size_t lines = following ? ((following->end - following->description.pc) >> following->line_shift) + 2 : 0;

	return plan->has_origins ? papi_vpmu_origins_size(&most) + lines : 0;
}

/* Room for it, and for so much more behind. NULL when there is none. */
static unsigned char *room_for(const struct papi_vpmu_description *block, size_t behind, uint32_t *offset)
{
	return papi_vpmu_describe_room(sizeof(*block) + block->accesses * sizeof(struct papi_vpmu_access) +
			block->branches * sizeof(uint32_t) + behind,
		offset);
}

/* The block and the one it goes to, described as one; with the predictor alone there is none such. */
static void join(struct papi_vpmu_trace_plan *plan, struct papi_vpmu_trace_plan *following)
{
	struct papi_vpmu_description *block = &plan->description;

	place_branches(following);
	block->n_other_lines = papi_vpmu_describe_lines(
		following->description.pc, following->end, line_shift(), &block->other_line);
	plan->branches[block->branches++] = following->branches[0];
	block->behind = following->description.next;
}

bool papi_vpmu_describe(
	struct papi_vpmu_trace_plan *plan, struct papi_vpmu_trace_plan *following, bool with_sources, uint32_t *offset)
{
	struct papi_vpmu_description *block = &plan->description;
	size_t sources = with_sources ? block->words * sizeof(plan->sources[0]) : 0;
	unsigned char *place = room_for(block, sources + sizeof(uint32_t) + room_for_origins(plan, following), offset);

	if (!place)
		return false;
	papi_vpmu_describe_block(block, plan->last, plan->end, line_shift());
	place_branches(plan);
	papi_vpmu_description_finish(block, plan->accesses);
	if (following)
		join(plan, following);
	place = write(block, plan->accesses, plan->branches, *offset, place);
	place = write_origins(block, plan->accesses, plan, plan->of_end, following, place);
	memcpy(place, plan->sources, sources);
	return true;
}

bool papi_vpmu_describe_places(struct papi_vpmu_trace_plan *plan)
{
	if (!papi_vpmu_describe_reserve())
		return false;
	papi_vpmu_describe_block(&plan->description, plan->last, plan->end, line_shift());
	place_branches(plan);
	return true;
}

bool papi_vpmu_describe_way_out(const struct papi_vpmu_trace_plan *plan, unsigned way_out, uint32_t *offset)
{
	static struct papi_vpmu_access accesses[256]; /* under the lock of the cache */
	struct papi_vpmu_description block = papi_vpmu_trace_plan_way_out(plan, way_out, accesses);
	const struct papi_vpmu_trace_way_out *way = &plan->ways_out[way_out];
	unsigned char *place = room_for(&block, room_for_origins(plan, NULL), offset);
	uint32_t branches[PAPI_VPMU_BRANCHES_OF_RECORD];

	if (!place)
		return false;
	papi_vpmu_describe_block(&block, way->branch, way->end, line_shift());
	papi_vpmu_description_finish(&block, accesses);
	memcpy(branches, plan->branches, sizeof(branches));
	branches[way_out] |= PAPI_VPMU_BRANCH_TAKEN;
	place = write(&block, accesses, branches, *offset, place);
	write_origins(&block, accesses, plan, way->instruction, NULL, place);
	return true;
}
