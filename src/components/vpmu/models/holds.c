/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks without touching: nothing becomes the newest of anything. Of models that are sampled nobody knows. */
#include "components/vpmu/models/models.h"

static bool holds_line(const struct papi_vpmu_models *models, uint64_t line)
{
	uint64_t page = line >> (PAPI_VPMU_PAGE_SHIFT - models->l1i.shift);

	return papi_vpmu_models_know_code(models, page) && papi_vpmu_lru_holds(&models->l1i, line) &&
		papi_vpmu_lru_holds(&models->itlb, page);
}

bool papi_vpmu_models_hold_code(const struct papi_vpmu_models *models, const struct papi_vpmu_description *block)
{
	if (models->sampled)
		return false;
	if (!(models->parts & PAPI_VPMU_PART_CODE))
		return true;
	for (unsigned i = 0; i < block->n_lines; i++)
		if (!holds_line(models, block->first_line + i))
			return false;
	for (unsigned i = 0; i < block->n_other_lines; i++)
		if (!holds_line(models, block->other_line + i))
			return false;
	return true;
}

static bool holds_placed(const struct papi_vpmu_models *models, uint64_t address)
{
	uint64_t frame = papi_vpmu_frames_find(&models->frames, address >> PAPI_VPMU_PAGE_SHIFT);
	uint64_t placed = frame << PAPI_VPMU_PAGE_SHIFT | (address & ((1 << PAPI_VPMU_PAGE_SHIFT) - 1));

	return frame && frame < models->pages[false] && papi_vpmu_lru_holds(&models->dtlb, frame) &&
		papi_vpmu_lru_holds(&models->l1d, placed >> models->l1d.shift);
}

bool papi_vpmu_models_hold_data(const struct papi_vpmu_models *models, uint64_t address, uint64_t extent)
{
	uint64_t settled = papi_vpmu_settle(models, address), size = 1ull << models->l1d.shift;

	if (!(models->parts & PAPI_VPMU_PART_DATA))
		return true;
	for (uint64_t at = settled & -size; at <= settled + extent; at += size)
		if (!(models->is_alone ? papi_vpmu_alone_holds(&models->alone, at >> models->l1d.shift)
				       : holds_placed(models, at)))
			return false;
	return true;
}
