/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/profile.h"

#include "components/vpmu/profile_log.h"
#include "components/vpmu/translator/profile.h"

/* Length and number of an instruction, its counters, and what its iterations add. */
#define LONGEST_DESCRIPTION (2 + 2 * PAPI_VPMU_FIRST_MODELLED + 2)

static uint8_t *describe(uint8_t *at, uint64_t profile, const struct papi_vpmu_instruction *instruction, bool counted)
{
	uint8_t *number = at + 1;
	bool iterates = instruction->class.loads_each || instruction->class.stores_each;

	at = papi_vpmu_profile_describe(at, instruction->length, counted ? profile : 0, instruction->class.counts);
	if (counted && iterates) {
		*number |= PAPI_VPMU_LOG_ITERATES;
		*at++ = instruction->class.loads_each;
		*at++ = instruction->class.stores_each;
	}
	return at;
}

uint32_t papi_vpmu_profile_translation(const struct papi_vpmu_translation *t, uint32_t *first_way)
{
	static uint8_t description[PAPI_VPMU_BLOCK_LENGTH * LONGEST_DESCRIPTION];
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	uint8_t *end = description;

	for (unsigned i = 0; i < decoded->count; i++)
		end = describe(
			end, t->request.wants->profile, &decoded->instructions[i], decoded->instructions[i].counted);
	return papi_vpmu_profile_block(&(struct papi_vpmu_profiled){ .pc = t->pc,
					       .bytes = (const uint8_t *)(uintptr_t)t->pc,
					       .size = (uint32_t)(decoded->end - t->pc),
					       .ways = t->ways,
					       .n_ways = t->n_ways,
					       .copies = t->copies,
					       .description = description,
					       .description_size = (unsigned)(end - description),
					       .n_instructions = decoded->count,
					       .region = t->request.wants->region },
		first_way);
}

uint32_t papi_vpmu_profile_alone(const struct papi_vpmu_wants *wants, uint64_t pc, const uint8_t *bytes, uint64_t size)
{
	static const struct papi_vpmu_way way = { PAPI_VPMU_WAY_PREFIX, 1 };
	static struct papi_vpmu_instruction instruction;
	uint8_t description[LONGEST_DESCRIPTION];
	uint32_t first_way;

	if (!papi_vpmu_in_range(wants, pc) || !papi_vpmu_decode_copy(&instruction, pc, bytes, size))
		return 0;
	return papi_vpmu_profile_block(
		&(struct papi_vpmu_profiled){ .pc = pc,
			.bytes = bytes,
			.size = instruction.length,
			.ways = &way,
			.n_ways = 1,
			.copies = 1,
			.description = description,
			.description_size = (unsigned)(describe(description, wants->profile, &instruction, true) -
				description),
			.n_instructions = 1,
			.region = wants->region },
		&first_way);
}
