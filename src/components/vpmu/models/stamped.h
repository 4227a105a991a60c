/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TLB of the first level, or L1I, with true LRU replacement, made for programs that go from page to page with every
 * access: a hit is one comparison and one store, whichever of its pages it is. (Of L1I lines stand for pages.)
 *
 *	page -- slot: is it this page's? ---- yes -- stamp of the slot = now
 *	              | no
 *	        papi_vpmu_stamped_enter(): perhaps it is there all the same, and has lost its slot to another; or it
 *	        comes in, and the page with the oldest stamp of its set goes
 *
 * No order is kept but that of the stamps, and these are compared only when a page has to go. Who is the oldest of many
 * ways is found for several victims at once: what has not been used since it was found to be among the oldest still is.
 */
#ifndef PAPI_VPMU_MODELS_STAMPED_H
#define PAPI_VPMU_MODELS_STAMPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/models/geometry.h"

#define PAPI_VPMU_STAMPED_OLDEST 12u

/* One page that is there. */
struct papi_vpmu_stamped_entry {
	uint64_t page;
	uint64_t stamp; /* when it has no slot: its last use */
};

/* Those of a set that were the oldest when somebody looked, the oldest first; from next on they are still to go. */
struct papi_vpmu_stamped_set {
	uint32_t used, next, n;
	uint32_t oldest[PAPI_VPMU_STAMPED_OLDEST];
	uint64_t stamps[PAPI_VPMU_STAMPED_OLDEST]; /* they had then */
};

struct papi_vpmu_stamped_slot {
	uint64_t page; /* by its address; 0: none */
	uint64_t stamp;
	uint32_t frame;  /* the number that the models know it by */
	uint32_t entry;  /* where it is */
	uint32_t others; /* how many more that are there would have this slot */
	uint32_t unused;
};

struct papi_vpmu_stamped {
	struct papi_vpmu_stamped_slot *slots; /* so many that pages in use at the same time seldom share one */
	uint64_t mask;                        /* how many, less one */
	uint32_t sets, ways;
	struct papi_vpmu_stamped_entry *entry; /* of each set, ways */
	struct papi_vpmu_stamped_set *set;
};

/* Bytes that one of that shape needs besides the struct, and one made of zeroed ones. */
size_t papi_vpmu_stamped_size(const struct papi_vpmu_shape *shape);
void papi_vpmu_stamped_init(struct papi_vpmu_stamped *tlb, const struct papi_vpmu_shape *shape, void *zeroed);

/* A page that has no slot. Whether it was there; it is afterwards, as the newest, and has its slot. */
bool papi_vpmu_stamped_enter(struct papi_vpmu_stamped *tlb, uint64_t page, uint64_t frame, uint64_t now);

static inline struct papi_vpmu_stamped_slot *papi_vpmu_stamped_slot(struct papi_vpmu_stamped *tlb, uint64_t page)
{
	return &tlb->slots[page & tlb->mask];
}

/* True when it is there and has its slot. now: later than ever before. */
static inline __attribute__((always_inline)) bool papi_vpmu_stamped_touch(
	struct papi_vpmu_stamped *tlb, uint64_t page, uint64_t now)
{
	struct papi_vpmu_stamped_slot *slot = papi_vpmu_stamped_slot(tlb, page);

	if (__builtin_expect(slot->page != page, 0))
		return false;
	slot->stamp = now;
	return true;
}

#endif
