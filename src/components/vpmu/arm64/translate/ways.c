/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways through a block (components/vpmu/ways.h), and how their counters are added to, which lie further from the
 * thread than an instruction can say:
 *
 *	str  x17, [x18, branching + 8]
 *	ldr  x15, offset of the counter
 *	ldr  x17, [x18, x15]
 *	add  x17, x17, #1
 *	str  x17, [x18, x15]
 *	ldr  x17, [x18, branching + 8]
 */
#include "components/vpmu/arm64/translate/translate.h"

static void add(struct papi_a64_translation *t, enum papi_vpmu_way_kind kind, unsigned n)
{
	t->ways[t->n_ways++] = (struct papi_vpmu_way){ (uint8_t)kind, (uint8_t)n };
}

/* What nobody knows before it runs. */
static void add_active(struct papi_a64_translation *t, unsigned i)
{
	unsigned counter;

	if (papi_a64_counts_active(t, i, &counter) && t->request.wants->profile >> counter & 1)
		add(t, PAPI_VPMU_WAY_COUNTED + counter, i + 1);
}

void papi_a64_plan_ways(struct papi_a64_translation *t)
{
	const struct papi_a64_block *decoded = &t->decoded;
	bool counted = false;

	t->n_ways = 0;
	if (!t->request.wants->profile || t->request.library)
		return;
	for (unsigned i = 0; i < decoded->count; i++) {
		bool last = i + 1 == decoded->count;

		counted |= papi_a64_is_counted(t, i);
		add_active(t, i);
		if (counted && last)
			add(t, PAPI_VPMU_WAY_PREFIX, i + 1);
		if (counted && papi_a64_leads_aside(decoded, i))
			add(t, PAPI_VPMU_WAY_ASIDE, i + 1);
		if (last && papi_a64_is_counted(t, i) && papi_a64_profiles_taken(t->request.wants) &&
			decoded->instructions[i].kind == PAPI_A64_CONDITIONAL)
			add(t, PAPI_VPMU_WAY_TAKEN, i + 1);
	}
}

unsigned papi_a64_way_offset(const struct papi_a64_translation *t, enum papi_vpmu_way_kind kind, unsigned n)
{
	for (unsigned i = 0; i < t->n_ways; i++)
		if (t->ways[i].kind == kind && t->ways[i].n == n)
			return A64_WAYS + 8 * (t->place.first_way + i);
	return 0;
}

void papi_a64_add_one(struct papi_a64_translation *t, unsigned offset)
{
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, offset);
	papi_a64_emit_load_indexed(&t->e, 17, A64_BORROWED);
	papi_a64_emit_add(&t->e, 17, 17, 1);
	papi_a64_emit_store_indexed(&t->e, 17, A64_BORROWED);
}
