/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways through a block (components/vpmu/ways.h). */
#include "components/vpmu/x86_64/translate/translate.h"

bool papi_vpmu_profiles_iterations(const struct papi_vpmu_wants *wants, const struct papi_vpmu_instruction *instruction)
{
	return (instruction->class.loads_each && wants->profile >> PAPI_VPMU_LOADS & 1) ||
		(instruction->class.stores_each && wants->profile >> PAPI_VPMU_STORES & 1);
}

static void add(struct papi_vpmu_translation *t, enum papi_vpmu_way_kind kind, unsigned n)
{
	t->ways[t->n_ways++] = (struct papi_vpmu_way){ (uint8_t)kind, (uint8_t)n };
}

void papi_vpmu_plan_ways(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_wants *wants = t->request.wants;
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	bool counted = false;

	t->n_ways = 0;
	if (!wants->profile || t->request.library)
		return;
	for (unsigned i = 0; i < decoded->count; i++) {
		const struct papi_vpmu_instruction *instruction = &decoded->instructions[i];
		bool last = i + 1 == decoded->count;

		counted |= instruction->counted;
		if (instruction->counted && papi_vpmu_profiles_iterations(wants, instruction))
			add(t, PAPI_VPMU_WAY_ITERATIONS, i + 1);
		if (counted && last)
			add(t, PAPI_VPMU_WAY_PREFIX, i + 1);
		if (counted && papi_vpmu_leads_aside(decoded, i))
			add(t, PAPI_VPMU_WAY_ASIDE, i + 1);
		if (instruction->counted && last && papi_vpmu_profiles_taken(wants) &&
			(instruction->kind == PAPI_VPMU_CONDITIONAL || instruction->kind == PAPI_VPMU_LOOP))
			add(t, PAPI_VPMU_WAY_TAKEN, i + 1);
	}
}

unsigned papi_vpmu_way_offset(const struct papi_vpmu_translation *t, enum papi_vpmu_way_kind kind, unsigned n)
{
	for (unsigned i = 0; i < t->n_ways; i++)
		if (t->ways[i].kind == kind && t->ways[i].n == n)
			return VPMU_WAYS + 8 * (t->place.first_way + t->copy * t->n_ways + i);
	return 0;
}
