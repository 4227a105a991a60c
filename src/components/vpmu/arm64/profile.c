/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/profile.h"

#include "components/vpmu/profile_log.h"
#include "components/vpmu/translator/profile.h"

/* Length and number of an instruction, and its counters. */
#define LONGEST_DESCRIPTION (2 + 2 * PAPI_VPMU_FIRST_MODELLED)

static uint8_t *describe(uint8_t *at, uint64_t profile, const struct papi_a64_instruction *instruction)
{
	uint8_t counts[PAPI_VPMU_FIRST_MODELLED] = { 0 };

	if (profile)
		papi_a64_classify(instruction, counts);
	return papi_vpmu_profile_describe(at, 4, profile, counts);
}

uint32_t papi_a64_profile_translation(const struct papi_a64_translation *t, uint32_t *first_way)
{
	static uint8_t description[PAPI_A64_BLOCK_LENGTH * LONGEST_DESCRIPTION];
	const struct papi_a64_block *decoded = &t->decoded;
	uint8_t *end = description;

	for (unsigned i = 0; i < decoded->count; i++)
		end = describe(
			end, papi_a64_is_counted(t, i) ? t->request.wants->profile : 0, &decoded->instructions[i]);
	return papi_vpmu_profile_block(&(struct papi_vpmu_profiled){ .pc = t->pc,
					       .bytes = (const uint8_t *)(uintptr_t)t->pc,
					       .size = 4 * decoded->count,
					       .ways = t->ways,
					       .n_ways = t->n_ways,
					       .copies = 1,
					       .description = description,
					       .description_size = (unsigned)(end - description),
					       .n_instructions = decoded->count,
					       .region = t->request.wants->region },
		first_way);
}
