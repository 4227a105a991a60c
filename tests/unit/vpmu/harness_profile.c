/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness_profile.h"

/* What recovery makes of the ways, besides what their counters say. */
static uint64_t more_ways[PAPI_VPMU_WAY_ITERATIONS + 1][PAPI_VPMU_BLOCK_LENGTH + 1];

static uint64_t profile[PAPI_VPMU_FIRST_MODELLED];

void harness_profile_begin(void)
{
	memset(more_ways, 0, sizeof(more_ways));
}

void harness_profile_add(const struct papi_vpmu_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more)
{
	(void)r;
	more_ways[kind][n] += more;
}

static void add_prefix(const struct subject *s, unsigned n, uint64_t times)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; s->t.decoded.instructions[i].counted && j < PAPI_VPMU_FIRST_MODELLED; j++)
			profile[j] += times * s->t.decoded.instructions[i].class.counts[j];
}

static void add_to_profile(const struct subject *s, unsigned kind, unsigned n, uint64_t times)
{
	const struct papi_vpmu_class *last = &s->t.decoded.instructions[n - 1].class;

	if (kind == PAPI_VPMU_WAY_PREFIX || kind == PAPI_VPMU_WAY_ASIDE)
		add_prefix(s, n, times);
	if (kind == PAPI_VPMU_WAY_TAKEN || (kind == PAPI_VPMU_WAY_ASIDE && s->t.decoded.instructions[n - 1].counted))
		profile[PAPI_VPMU_BRANCHES_TAKEN] += times;
	if (kind != PAPI_VPMU_WAY_ITERATIONS)
		return;
	profile[PAPI_VPMU_LOADS] += times * last->loads_each;
	profile[PAPI_VPMU_STORES] += times * last->stores_each;
}

void harness_profile_make(const struct subject *s)
{
	memset(profile, 0, sizeof(profile));
	for (unsigned i = 0; i < s->t.copies * s->t.n_ways; i++) {
		const struct papi_vpmu_way *way = &s->t.ways[i % s->t.n_ways];

		add_to_profile(s, way->kind, way->n, harness_area()->ways[s->t.place.first_way + i]);
	}
	for (unsigned kind = 0; kind <= PAPI_VPMU_WAY_ITERATIONS; kind++)
		for (unsigned n = 1; n <= PAPI_VPMU_BLOCK_LENGTH; n++)
			add_to_profile(s, kind, n, more_ways[kind][n]);
}

unsigned harness_profile_wrong(const struct subject *s, const uint64_t *expected)
{
	unsigned i = 0;

	while (i < PAPI_VPMU_FIRST_MODELLED &&
		(!(s->wants.profile >> i & 1) || profile[i] == (s->request.library ? 0 : expected[i])))
		i++;
	return i;
}

uint64_t harness_profile_of(unsigned counter)
{
	return profile[counter];
}
