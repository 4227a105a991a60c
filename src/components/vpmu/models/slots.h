/* SPDX-License-Identifier: BSD-3-Clause */
/* Where lines are that translated code looks for (checks.h), and their slots. Compiled into whoever simulates these. */
#ifndef PAPI_VPMU_MODELS_SLOTS_H
#define PAPI_VPMU_MODELS_SLOTS_H

#include "components/vpmu/models/models.h"

#define PAPI_VPMU_NOWHERE     (~(uint64_t)0)
#define PAPI_VPMU_USUAL_SLOTS 4 /* of a line of 64 bytes */

static inline uint64_t papi_vpmu_slots_places(const struct papi_vpmu_alone *alone)
{
	return (alone->mask + 1) * alone->ways;
}

/* The first place of its set. */
static inline uint64_t papi_vpmu_slots_first(const struct papi_vpmu_alone *alone, uint64_t line)
{
	return (line & alone->mask) * alone->ways;
}

/* The place of the line, or PAPI_VPMU_NOWHERE. */
static inline uint64_t papi_vpmu_slots_find(const struct papi_vpmu_alone *alone, uint64_t line)
{
	uint64_t first = papi_vpmu_slots_first(alone, line);

	for (uint64_t place = first; place < first + alone->ways; place++)
		if (alone->lines[place] == line)
			return place;
	return PAPI_VPMU_NOWHERE;
}

/* The slots of a line are in a row but for those at the end of the table. */
static inline __attribute__((always_inline)) void papi_vpmu_slots_forget_row(
	struct papi_vpmu_slot *slot, const struct papi_vpmu_slot *end, uint64_t use)
{
	for (; slot < end; slot++)
		if (slot->use == use)
			*slot = (struct papi_vpmu_slot){ 0, 0 };
}

static inline __attribute__((always_inline)) void papi_vpmu_slots_fill_row(
	struct papi_vpmu_slot *slot, const struct papi_vpmu_slot *end, uint64_t start, uint64_t use)
{
	for (; slot < end; slot++)
		*slot = (struct papi_vpmu_slot){ start, use };
}

/* How many of them come before the end. */
static inline uint64_t papi_vpmu_slots_in_row(
	const struct papi_vpmu_checked *checked, const struct papi_vpmu_slot *slot)
{
	uint64_t n = (checked->last + 1) / sizeof(*slot),
		 left = (uint64_t)(checked->checks->slots + PAPI_VPMU_SLOTS - slot);

	return n < left ? n : left;
}

static inline void papi_vpmu_slots_forget(const struct papi_vpmu_checked *checked, uint64_t place)
{
	uint64_t start = checked->starts[place], all = (checked->last + 1) / sizeof(struct papi_vpmu_slot), n;
	struct papi_vpmu_slot *slots = checked->checks->slots, *slot = papi_vpmu_slot_of(checked->checks, start);

	if (!start)
		return;
	checked->starts[place] = 0;
	n = papi_vpmu_slots_in_row(checked, slot);
	if (n == PAPI_VPMU_USUAL_SLOTS) {
		papi_vpmu_slots_forget_row(slot, slot + PAPI_VPMU_USUAL_SLOTS, papi_vpmu_use_of(place));
		return;
	}
	papi_vpmu_slots_forget_row(slot, slot + n, papi_vpmu_use_of(place));
	papi_vpmu_slots_forget_row(slots, slots + (all - n), papi_vpmu_use_of(place));
}

/* From now on the program finds the line by itself, if it is in one piece. */
static inline void papi_vpmu_slots_fill(struct papi_vpmu_models *models, uint64_t place, uint64_t start)
{
	const struct papi_vpmu_checked *checked = &models->checked;
	struct papi_vpmu_slot *slots = checked->checks->slots, *slot = papi_vpmu_slot_of(checked->checks, start);
	uint64_t all = (checked->last + 1) / sizeof(*slot), n = papi_vpmu_slots_in_row(checked, slot);

	if (papi_vpmu_is_in_stack(models, start) != papi_vpmu_is_in_stack(models, start + checked->last) ||
		start % sizeof(struct papi_vpmu_slot))
		return;
	if (checked->starts[place] != start)
		papi_vpmu_slots_forget(checked, place);
	checked->starts[place] = start;
	if (n == PAPI_VPMU_USUAL_SLOTS) {
		papi_vpmu_slots_fill_row(slot, slot + PAPI_VPMU_USUAL_SLOTS, start, papi_vpmu_use_of(place));
		return;
	}
	papi_vpmu_slots_fill_row(slot, slot + n, start, papi_vpmu_use_of(place));
	papi_vpmu_slots_fill_row(slots, slots + (all - n), start, papi_vpmu_use_of(place));
}

#endif
