/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers and scatters in the models: each element that the mask does not leave out is looked up, one after the other.
 * They are fetched at the same time, and the instruction is one access: at most one miss of each level of caches. */
#ifndef PAPI_VPMU_MODELS_GATHER_H
#define PAPI_VPMU_MODELS_GATHER_H

#include "components/vpmu/models/active.h"
#include "components/vpmu/models/data.h"

static inline uint64_t papi_vpmu_gather_address(const struct papi_vpmu_models *models,
	const struct papi_vpmu_access *access, const uint64_t *values, unsigned lane)
{
	unsigned extent = access->extent, scale = extent >> PAPI_VPMU_GATHER_SCALE_SHIFT & 3;
	const uint64_t *indexes = values + 1;
	int64_t index = extent & PAPI_VPMU_GATHER_WIDE_INDEX ? (int64_t)indexes[lane]
							     : (int32_t)(indexes[lane / 2] >> (lane % 2 * 32));
	uint64_t address = ((uint64_t)index << scale) + (uint64_t)access->displacement;

	if (!(extent & PAPI_VPMU_GATHER_NO_BASE))
		address += values[0];
	if (extent & PAPI_VPMU_GATHER_NARROW)
		address &= UINT32_MAX;
	return address + (extent & PAPI_VPMU_GATHER_THREAD_LOCAL ? models->thread_base : 0);
}

static inline bool papi_vpmu_gather_touches(unsigned extent, const uint64_t *values, unsigned lane)
{
	const uint64_t *mask = values + 1 + papi_vpmu_gather_index_words(extent);

	if (extent & PAPI_VPMU_GATHER_MASK_BITS)
		return *mask >> lane & 1;
	return extent & PAPI_VPMU_GATHER_WIDE ? mask[lane] >> 63 : mask[lane / 2] >> (lane % 2 * 32 + 31) & 1;
}

static inline void papi_vpmu_gather_settle(uint64_t counters[], const uint64_t before[], unsigned kind)
{
	static const unsigned char levels[] = { PAPI_VPMU_L1D_READ_MISSES, PAPI_VPMU_L2D_READ_MISSES,
		PAPI_VPMU_L3D_READ_MISSES };

	for (unsigned i = 0; i < 3; i++)
		if (counters[levels[i] + kind] > before[i])
			counters[levels[i] + kind] = before[i] + 1;
}

/* An access whose address is settled, as papi_vpmu_touching has it. */
typedef void papi_vpmu_touch_element(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind);

/* The first lane from the next on that the mask does not leave out; then next is behind it. False: there is none. */
static inline bool papi_vpmu_gather_next(const struct papi_vpmu_models *models, const struct papi_vpmu_access *access,
	const uint64_t *record, unsigned *next, struct papi_vpmu_piece *piece)
{
	const uint64_t *values = record + access->word;
	unsigned extent = access->extent, lanes = papi_vpmu_gather_lanes(extent), lane = *next;

	while (lane < lanes && !papi_vpmu_gather_touches(extent, values, lane))
		lane++;
	if (lane == lanes)
		return false;
	*next = lane + 1;
	*piece = (struct papi_vpmu_piece){ papi_vpmu_gather_address(models, access, values, lane),
		extent & PAPI_VPMU_GATHER_WIDE ? 8 : 4 };
	return true;
}

/* The same of any access of elements; of vectors of any length, those in a row are one piece. */
static inline bool papi_vpmu_elements_next(const struct papi_vpmu_models *models, const struct papi_vpmu_access *access,
	const uint64_t *record, unsigned *next, struct papi_vpmu_piece *piece)
{
	return access->form == PAPI_VPMU_FORM_ACTIVE ? papi_vpmu_active_next(models, access, record, next, piece)
						     : papi_vpmu_gather_next(models, access, record, next, piece);
}

/* Of the range of data are those elements that are in it, and the instruction if one is. */
static inline __attribute__((always_inline)) void papi_vpmu_touch_elements(papi_vpmu_touch_element *touch,
	struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record)
{
	unsigned kind = access->is_write, next = 0;
	const uint64_t before[] = { counters[PAPI_VPMU_L1D_READ_MISSES + kind],
		counters[PAPI_VPMU_L2D_READ_MISSES + kind], counters[PAPI_VPMU_L3D_READ_MISSES + kind] };
	struct papi_vpmu_piece piece = { .size = 0 };
	bool any = false;

	while (papi_vpmu_elements_next(models, access, record, &next, &piece)) {
		bool in_range = papi_vpmu_models_ask_for(models, piece.address, piece.size);

		any |= in_range;
		touch(models, in_range ? counters : models->uncounted, papi_vpmu_settle(models, piece.address),
			piece.size - 1, kind);
	}
	papi_vpmu_gather_settle(counters, before, kind);
	if (any && models->counts_accesses)
		counters[kind ? PAPI_VPMU_STORES : PAPI_VPMU_LOADS]++;
}

/* Those of the full models. */
static inline void papi_vpmu_touch_gather(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	papi_vpmu_touch_elements(papi_vpmu_touch_settled, models, counters, access, record);
}

#endif
