/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/stamped.h"

#include "components/vpmu/models/frames.h"

/* With so many ways all are compared for each victim. */
#define FEW_WAYS 16

#define SLOTS_FOR_EACH 64

/* A power of two, for each page that fits many. */
static size_t slots_for(const struct papi_vpmu_shape *shape)
{
	size_t slots = 4096;

	while (slots < SLOTS_FOR_EACH * (size_t)shape->sets * shape->ways)
		slots *= 2;
	return slots;
}

static size_t size_of_entries(const struct papi_vpmu_shape *shape)
{
	return papi_vpmu_whole_lines((size_t)shape->sets * shape->ways * sizeof(struct papi_vpmu_stamped_entry));
}

static size_t size_of_sets(const struct papi_vpmu_shape *shape)
{
	return papi_vpmu_whole_lines((size_t)shape->sets * sizeof(struct papi_vpmu_stamped_set));
}

size_t papi_vpmu_stamped_size(const struct papi_vpmu_shape *shape)
{
	return size_of_entries(shape) + size_of_sets(shape) + slots_for(shape) * sizeof(struct papi_vpmu_stamped_slot);
}

void papi_vpmu_stamped_init(struct papi_vpmu_stamped *tlb, const struct papi_vpmu_shape *shape, void *zeroed)
{
	char *memory = zeroed;

	tlb->sets = shape->sets;
	tlb->ways = shape->ways;
	tlb->mask = slots_for(shape) - 1;
	tlb->entry = zeroed;
	memory += size_of_entries(shape);
	tlb->set = (struct papi_vpmu_stamped_set *)(void *)memory;
	memory += size_of_sets(shape);
	tlb->slots = (struct papi_vpmu_stamped_slot *)(void *)memory;
}

static uint64_t stamp_of(struct papi_vpmu_stamped *tlb, const struct papi_vpmu_stamped_entry *entry)
{
	const struct papi_vpmu_stamped_slot *slot = papi_vpmu_stamped_slot(tlb, entry->page);

	return slot->page == entry->page ? slot->stamp : entry->stamp;
}

/* ---- who has to go ---- */

/* Puts a way among the oldest, in their order, if it is one of them. */
static void sort_in(struct papi_vpmu_stamped_set *set, uint32_t most, uint32_t way, uint64_t stamp)
{
	uint32_t at = set->n;

	if (at == most && stamp > set->stamps[at - 1])
		return;
	if (at == most)
		at--;
	else
		set->n++;
	for (; at > 0 && set->stamps[at - 1] > stamp; at--) {
		set->stamps[at] = set->stamps[at - 1];
		set->oldest[at] = set->oldest[at - 1];
	}
	set->stamps[at] = stamp;
	set->oldest[at] = way;
}

static void find_oldest(
	struct papi_vpmu_stamped *tlb, struct papi_vpmu_stamped_set *set, const struct papi_vpmu_stamped_entry *entries)
{
	uint32_t most = tlb->ways > FEW_WAYS ? PAPI_VPMU_STAMPED_OLDEST : 1;

	set->n = set->next = 0;
	for (uint32_t way = 0; way < tlb->ways; way++)
		sort_in(set, most, way, stamp_of(tlb, &entries[way]));
}

static uint32_t oldest_way(
	struct papi_vpmu_stamped *tlb, struct papi_vpmu_stamped_set *set, const struct papi_vpmu_stamped_entry *entries)
{
	for (; set->next < set->n; set->next++)
		if (stamp_of(tlb, &entries[set->oldest[set->next]]) == set->stamps[set->next])
			return set->oldest[set->next++];
	find_oldest(tlb, set, entries);
	return set->oldest[set->next++];
}

/* ---- coming and going ---- */

static void leave(struct papi_vpmu_stamped *tlb, uint64_t page)
{
	struct papi_vpmu_stamped_slot *slot = papi_vpmu_stamped_slot(tlb, page);

	if (slot->page == page)
		slot->page = 0;
	else
		slot->others--;
}

/* The page of that entry has the slot from now on. */
static void take_slot(struct papi_vpmu_stamped *tlb, uint64_t page, uint64_t frame, uint32_t entry, uint64_t now)
{
	struct papi_vpmu_stamped_slot *slot = papi_vpmu_stamped_slot(tlb, page);

	if (slot->page) {
		tlb->entry[slot->entry].stamp = slot->stamp;
		slot->others++;
	}
	slot->page = page;
	slot->stamp = now;
	slot->frame = (uint32_t)frame;
	slot->entry = entry;
}

/* Without a slot, but there: the entry; else ways. */
static uint32_t find_way(struct papi_vpmu_stamped *tlb, const struct papi_vpmu_stamped_set *set,
	const struct papi_vpmu_stamped_entry *entries, uint64_t page)
{
	if (papi_vpmu_stamped_slot(tlb, page)->others)
		for (uint32_t way = 0; way < set->used; way++)
			if (entries[way].page == page)
				return way;
	return tlb->ways;
}

bool papi_vpmu_stamped_enter(struct papi_vpmu_stamped *tlb, uint64_t page, uint64_t frame, uint64_t now)
{
	uint32_t number = (uint32_t)(frame % tlb->sets), first = number * tlb->ways, way;
	struct papi_vpmu_stamped_entry *entries = &tlb->entry[first];
	struct papi_vpmu_stamped_set *set = &tlb->set[number];

	way = find_way(tlb, set, entries, page);
	if (way < tlb->ways) {
		papi_vpmu_stamped_slot(tlb, page)->others--;
		take_slot(tlb, page, frame, first + way, now);
		return true;
	}
	if (set->used < tlb->ways) {
		way = set->used++;
	} else {
		way = oldest_way(tlb, set, entries);
		leave(tlb, entries[way].page);
	}
	entries[way].page = page;
	take_slot(tlb, page, frame, first + way, now);
	return false;
}
