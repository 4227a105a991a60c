/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/models.h"

struct part {
	struct papi_vpmu_lru *cache;
	const struct papi_vpmu_shape *shape;
};

static size_t size_of_models(void)
{
	return (sizeof(struct papi_vpmu_models) + 63) & ~(size_t)63;
}

size_t papi_vpmu_models_size(const struct papi_vpmu_geometry *geometry)
{
	return size_of_models() + papi_vpmu_lru_size(&geometry->l1i) + papi_vpmu_lru_size(&geometry->l1d) +
		papi_vpmu_lru_size(&geometry->l2) + papi_vpmu_lru_size(&geometry->l3) +
		papi_vpmu_lru_size(&geometry->itlb) + papi_vpmu_lru_size(&geometry->dtlb) +
		papi_vpmu_lru_size(&geometry->itlb2) + papi_vpmu_lru_size(&geometry->dtlb2) +
		sizeof(struct papi_vpmu_frames);
}

struct papi_vpmu_models *papi_vpmu_models_init(void *zeroed, const struct papi_vpmu_geometry *geometry)
{
	struct papi_vpmu_models *models = zeroed;
	char *memory = (char *)zeroed + size_of_models();
	const struct part parts[] = {
		{ &models->l1i, &geometry->l1i },
		{ &models->l1d, &geometry->l1d },
		{ &models->l2, &geometry->l2 },
		{ &models->l3, &geometry->l3 },
		{ &models->itlb, &geometry->itlb },
		{ &models->dtlb, &geometry->dtlb },
		{ &models->itlb2, &geometry->itlb2 },
		{ &models->dtlb2, &geometry->dtlb2 },
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		papi_vpmu_lru_init(parts[i].cache, parts[i].shape, memory);
		memory += papi_vpmu_lru_size(parts[i].shape);
	}
	/* A copy: the sets are where they are. */
	if (geometry->shared_tlb2)
		models->itlb2 = models->dtlb2;
	papi_vpmu_predictor_init(&models->predictor);
	models->frames = (struct papi_vpmu_frames *)(void *)memory;
	/* No page is the last one yet. Without a second way two pages that take turns would evict each other. */
	models->data_page = models->other_page = ~0ull;
	models->code_state = PAPI_VPMU_STATE_STEP; /* so that zeros are no block's */
	return models;
}

void papi_vpmu_models_set_stack(struct papi_vpmu_models *models, uint64_t start, uint64_t end, uint64_t at)
{
	models->stack_start = start;
	models->stack_size = end - start;
	models->stack_shift = -at & ((1 << PAPI_VPMU_PAGE_SHIFT) - 1);
}
