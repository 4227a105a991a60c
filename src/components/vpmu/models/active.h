/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of vectors of any length (struct papi_vpmu_active): which elements are active, and where they are. */
#ifndef PAPI_VPMU_MODELS_ACTIVE_H
#define PAPI_VPMU_MODELS_ACTIVE_H

#include "components/vpmu/models/models.h"

/* Elements that are active and in a row, or one. */
struct papi_vpmu_piece {
	uint64_t address;
	unsigned size;
};

static inline const uint64_t *papi_vpmu_active_predicate(const struct papi_vpmu_active *active, const uint64_t *values)
{
	return values + !(active->how & PAPI_VPMU_ACTIVE_NO_BASE);
}

static inline bool papi_vpmu_is_active(const struct papi_vpmu_active *active, const uint64_t *values, unsigned element)
{
	unsigned bit = element << active->stride;

	return papi_vpmu_active_predicate(active, values)[bit / 64] >> bit % 64 & 1;
}

/* What an element of the vector adds; those of 32 bits may lie in as many, or in 64. */
static inline uint64_t papi_vpmu_active_index(
	const struct papi_vpmu_active *active, const uint64_t *values, unsigned element)
{
	unsigned bits = (active->last + 1u) << active->stride, byte = element << active->stride;
	const uint64_t *vector = papi_vpmu_active_predicate(active, values) + (bits + 63) / 64;
	uint64_t index = vector[byte / 8] >> byte % 8 * 8;

	if (active->how & PAPI_VPMU_ACTIVE_WIDE)
		return index;
	return active->how & PAPI_VPMU_ACTIVE_SIGNED ? (uint64_t)(int64_t)(int32_t)(uint32_t)index : (uint32_t)index;
}

static inline uint64_t papi_vpmu_active_address(
	const struct papi_vpmu_active *active, const uint64_t *values, unsigned element)
{
	uint64_t address = (uint64_t)(int64_t)active->displacement;

	if (!(active->how & PAPI_VPMU_ACTIVE_NO_BASE))
		address += values[0];
	if (!(active->how & PAPI_VPMU_ACTIVE_INDEXED))
		return address + (uint64_t)element * active->size;
	return address + (papi_vpmu_active_index(active, values, element) << (active->how & PAPI_VPMU_ACTIVE_SHIFT));
}

/* The first piece that begins with the next element, or behind; then next is behind it. False when there is none. */
static inline bool papi_vpmu_active_piece(
	const struct papi_vpmu_active *active, const uint64_t *values, unsigned *next, struct papi_vpmu_piece *piece)
{
	unsigned first = *next, end;

	while (first <= active->last && !papi_vpmu_is_active(active, values, first))
		first++;
	if (first > active->last)
		return false;
	if (active->how & PAPI_VPMU_ACTIVE_ANY) {
		*next = active->last + 1u;
		*piece = (struct papi_vpmu_piece){ papi_vpmu_active_address(active, values, 0), active->size };
		return true;
	}
	end = first + 1;
	while (!(active->how & PAPI_VPMU_ACTIVE_INDEXED) && end <= active->last &&
		papi_vpmu_is_active(active, values, end))
		end++;
	*next = end;
	*piece = (struct papi_vpmu_piece){ papi_vpmu_active_address(active, values, first),
		(end - first) * active->size };
	return true;
}

/* Of a piece of an access that stops, as many elements as can be read; it goes on if that is all. False: none can. */
static inline bool papi_vpmu_active_stop(const struct papi_vpmu_models *models, const struct papi_vpmu_active *active,
	unsigned *next, struct papi_vpmu_piece *piece)
{
	uint64_t page = (uint64_t)1 << PAPI_VPMU_PAGE_SHIFT, end = piece->address + piece->size;

	for (uint64_t at = piece->address; at < end; at = (at | (page - 1)) + 1) {
		if (models->can_read(at))
			continue;
		*next = active->last + 1u;
		piece->size = (unsigned)(at - piece->address) / active->size * active->size;
		break;
	}
	return piece->size > 0;
}

/* The next piece that is accessed. */
static inline bool papi_vpmu_active_next(const struct papi_vpmu_models *models, const struct papi_vpmu_access *access,
	const uint64_t *record, unsigned *next, struct papi_vpmu_piece *piece)
{
	return papi_vpmu_active_piece(&access->active, record + access->word, next, piece) &&
		(!(access->active.how & PAPI_VPMU_ACTIVE_STOPS) ||
			papi_vpmu_active_stop(models, &access->active, next, piece));
}

#endif
