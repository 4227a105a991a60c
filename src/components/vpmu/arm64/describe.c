/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/describe.h"

#include <string.h>

#include "components/vpmu/translator/descriptions.h"

/* What belongs to a call of the library is not fetched. */
static uint64_t end_of_code(const struct papi_a64_block *block, struct papi_a64_part part)
{
	unsigned n = part.n;

	while (n > 0 && block->trimmed[n - 1])
		n--;
	return papi_a64_pc_of(block, n);
}

unsigned papi_a64_describe_branches(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, uint32_t branches[PAPI_VPMU_BRANCHES_OF_RECORD])
{
	unsigned n = 0;

	for (unsigned i = 0; i < part.n; i++) {
		uint64_t place;

		if (block->instructions[i].kind != PAPI_A64_CONDITIONAL)
			continue;
		place = papi_vpmu_describe_reserved_place(papi_a64_pc_of(block, i));
		branches[n++] = (uint16_t)place | (plan->counted ? 0 : PAPI_VPMU_BRANCH_UNCOUNTED) |
			(part.taken && i + 1 == part.n ? PAPI_VPMU_BRANCH_TAKEN : 0);
	}
	return n;
}

/* The first word of a record is the offset of its description: an address that never changes comes out right if the
 * displacement is less by as much. */
static unsigned copy_accesses(const struct papi_a64_trace_plan *plan, struct papi_a64_part part, uint32_t offset,
	struct papi_a64_description *description)
{
	unsigned n = papi_a64_part_accesses(plan, part);

	description->block.plain = true;
	for (unsigned i = 0; i < n; i++) {
		struct papi_vpmu_access *access = &description->accesses[i];

		*access = plan->accesses[i];
		if (access->word == 0)
			access->displacement -= (int64_t)offset;
		if (access->kind == PAPI_VPMU_PREFETCH || access->form == PAPI_VPMU_FORM_ACTIVE)
			description->block.plain = false;
	}
	return n;
}

/* The first instruction in that line, counted from the block's first, as are instructions, from 1 on. */
static uint8_t origin_of_line(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, unsigned line)
{
	uint64_t start = ((block->pc >> plan->line_shift) + line) << plan->line_shift;

	return (uint8_t)(line ? (start - block->pc) / 4 + 1 : 1);
}

/* Whose all that the description has is (models/trace.h). Returns how much room that takes. */
static size_t describe_origins(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, const struct papi_vpmu_description *described)
{
	struct papi_vpmu_origins *origins = (void *)(uintptr_t)papi_vpmu_described_origins(described);
	uint8_t *next = origins->instructions;

	if (!plan->has_origins)
		return 0;
	origins->block = plan->profile;
	origins->following = 0;
	for (unsigned i = 0; i < described->accesses; i++)
		*next++ = (uint8_t)(plan->of_access[i] + 1);
	for (unsigned i = 0; i < (unsigned)described->n_lines + described->n_other_lines; i++)
		*next++ = origin_of_line(plan, block, i);
	for (unsigned i = 0; described->branches && i < part.n; i++)
		if (block->instructions[i].kind == PAPI_A64_CONDITIONAL)
			*next++ = (uint8_t)(i + 1);
	*next = (uint8_t)part.n;
	return papi_vpmu_origins_size(described);
}

/* The most that it takes, before the pages of its code have numbers. */
static size_t room_for_origins(
	const struct papi_a64_trace_plan *plan, struct papi_a64_part part, unsigned accesses, unsigned branches)
{
	const struct papi_vpmu_description most = { .accesses = (uint8_t)accesses,
		.branches = (uint8_t)branches,
		.n_lines = (uint8_t)((4 * part.n >> plan->line_shift) + 2) };

	return plan->has_origins ? papi_vpmu_origins_size(&most) : 0;
}

size_t papi_a64_describe_part(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, uint32_t offset, struct papi_a64_description *description)
{
	bool predicts = plan->parts & PAPI_VPMU_PART_BRANCHES && plan->parts != PAPI_VPMU_PART_BRANCHES;
	uint32_t branches[PAPI_VPMU_BRANCHES_OF_RECORD] = { 0 };
	unsigned n;

	memset(&description->block, 0, sizeof(description->block));
	description->block.pc = block->pc;
	description->block.next = papi_a64_pc_of(block, part.n);
	description->block.counted = plan->counted;
	description->block.end = (uint8_t)papi_a64_part_ending(plan, block, part);
	description->block.words = (uint8_t)papi_a64_part_words(plan, block, part);
	n = copy_accesses(plan, part, offset, description);
	description->block.accesses = (uint8_t)n;
	papi_vpmu_describe_block(
		&description->block, description->block.next - 4, end_of_code(block, part), plan->line_shift);
	if (predicts)
		description->block.branches = (uint8_t)papi_a64_describe_branches(plan, block, part, branches);
	papi_vpmu_description_finish(&description->block, description->accesses);
	/* They lie right behind the accesses, and so may what is copied beside them. */
	memcpy((unsigned char *)description + sizeof(description->block) + n * sizeof(description->accesses[0]),
		branches, sizeof(branches));
	return sizeof(description->block) + n * sizeof(description->accesses[0]) +
		description->block.branches * sizeof(branches[0]) +
		describe_origins(plan, block, part, &description->block);
}

bool papi_a64_describe(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_part part, uint32_t *offset)
{
	static struct papi_a64_description description; /* under the lock */
	unsigned n = papi_a64_part_accesses(plan, part), branches = papi_a64_part_branches(block, part);
	size_t size = sizeof(description.block) + n * sizeof(description.accesses[0]) + branches * sizeof(uint32_t) +
		room_for_origins(plan, part, n, branches);
	unsigned char *place = papi_vpmu_describe_room(size, offset);

	if (!place)
		return false;
	size = papi_a64_describe_part(plan, block, part, *offset, &description);
	memcpy(place, &description, size);
	return true;
}
