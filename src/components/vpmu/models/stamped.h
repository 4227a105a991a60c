/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TLB of the first level with true LRU replacement, made for programs that go from page to page with every access: a
 * hit is one comparison and one store, whichever of its pages it is.
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

#define PAPI_VPMU_STAMPED_SLOTS   512u
#define PAPI_VPMU_STAMPED_OLDEST  12u
#define PAPI_VPMU_STAMPED_NO_PAGE ~0ull

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

struct papi_vpmu_stamped {
	uint64_t pages[PAPI_VPMU_STAMPED_SLOTS]; /* by their address; NO_PAGE: none */
	uint64_t stamps[PAPI_VPMU_STAMPED_SLOTS];
	uint64_t frames[PAPI_VPMU_STAMPED_SLOTS];  /* the numbers that the models know them by */
	uint32_t entries[PAPI_VPMU_STAMPED_SLOTS]; /* where they are */
	uint32_t others[PAPI_VPMU_STAMPED_SLOTS];  /* how many more that are there would have this slot */
	uint64_t now;
	uint32_t sets, ways;
	struct papi_vpmu_stamped_entry *entry; /* of each set, ways */
	struct papi_vpmu_stamped_set *set;
};

/* Bytes that one of that shape needs behind the struct, and one made of zeroed ones. */
size_t papi_vpmu_stamped_size(const struct papi_vpmu_shape *shape);
void papi_vpmu_stamped_init(struct papi_vpmu_stamped *tlb, const struct papi_vpmu_shape *shape, void *zeroed);

/* A page that has no slot. Whether it was there; it is afterwards, as the newest, and has its slot. */
bool papi_vpmu_stamped_enter(struct papi_vpmu_stamped *tlb, uint64_t page, uint64_t frame);

static inline uint64_t papi_vpmu_stamped_slot(uint64_t page)
{
	return page % PAPI_VPMU_STAMPED_SLOTS;
}

/* True when it is there and has its slot. */
static inline __attribute__((always_inline)) bool papi_vpmu_stamped_touch(struct papi_vpmu_stamped *tlb, uint64_t page)
{
	uint64_t slot = papi_vpmu_stamped_slot(page);

	if (__builtin_expect(tlb->pages[slot] != page, 0))
		return false;
	tlb->stamps[slot] = ++tlb->now;
	return true;
}

#endif
