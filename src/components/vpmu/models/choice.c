/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/choice.h"

#include "components/vpmu/models/geometry.h"

#define PAGE_SHIFT 12

/* Pairs of neighbours that touch no other pair. */
static const uint8_t of_64[] = { 5, 6, 20, 21, 39, 40, 50, 51 };
static const uint8_t of_32[] = { 5, 6, 18, 19 };
static const uint8_t of_16[] = { 2, 3, 9, 10 };
static const uint8_t of_8[] = { 1, 2, 4, 5 };

static const struct {
	uint8_t classes, chosen;
	const uint8_t *which;
} choices[] = {
	{ 64, 8, of_64 },
	{ 32, 4, of_32 },
	{ 16, 4, of_16 },
	{ 8, 4, of_8 },
};

/* The bits of an address from low on that pick the set of a cache end below high. */
static void narrow(const struct papi_vpmu_shape *shape, uint32_t *low, uint32_t *high)
{
	uint32_t end;

	if (shape->ways == 0)
		return;
	end = shape->shift + (uint32_t)__builtin_ctz(shape->sets);
	*low = shape->shift > *low ? shape->shift : *low;
	*high = end < *high ? end : *high;
}

struct papi_vpmu_choice papi_vpmu_choice_of(const struct papi_vpmu_geometry *geometry)
{
	const struct papi_vpmu_shape *const caches[] = { &geometry->l1d, &geometry->l2, &geometry->l3 };
	struct papi_vpmu_choice choice = { 0 };
	uint32_t high = PAGE_SHIFT;

	for (unsigned i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		narrow(caches[i], &choice.low, &high);
	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (choice.low >= high || choices[i].classes > 1u << (high - choice.low))
			continue;
		choice.classes = choices[i].classes;
		choice.groups = choices[i].chosen;
		choice.scale = choice.classes / choice.groups;
		for (unsigned class = 0; class < choice.classes; class ++)
			choice.group_of[class] = PAPI_VPMU_NO_GROUP;
		for (unsigned group = 0; group < choice.groups; group++)
			choice.group_of[choices[i].which[group]] = (uint8_t)group;
		break;
	}
	return choice;
}
