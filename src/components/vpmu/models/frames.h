/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers for pages, in the order in which they come up, as an operating system hands out the frames of a machine just
 * started. Where the program and its data have been loaded no longer matters.
 *
 * A hash table that never grows; one that is full leaves the pages that come then with their own numbers. Neighbours
 * in the address space are neighbours in the table, so that a small program touches little of it.
 */
#ifndef PAPI_VPMU_MODELS_FRAMES_H
#define PAPI_VPMU_MODELS_FRAMES_H

#include <stdint.h>

#define PAPI_VPMU_PAGE_SHIFT 12
#define PAPI_VPMU_FRAME_BITS 20
/* That a page has the number of another happens in no program so small that all of its pages are in the table. */
#define PAPI_VPMU_FRAME_LARGEST ((1u << PAPI_VPMU_FRAME_BITS) - 1)
/* Pages of code are numbered apart from those of data, and their numbers begin here: caches for both never mix them up. */
#define PAPI_VPMU_FRAME_OF_CODE (1u << PAPI_VPMU_FRAME_BITS)
/* All there are. */
#define PAPI_VPMU_FRAME_NUMBERS (2u << PAPI_VPMU_FRAME_BITS)

struct papi_vpmu_page {
	uint64_t page; /* 0: free */
	uint64_t number;
};

/* Made of zeros. */
struct papi_vpmu_frames {
	uint64_t used;
	struct papi_vpmu_page frames[1 << PAPI_VPMU_FRAME_BITS];
};

/* 0: it has none yet. */
static inline uint64_t papi_vpmu_frames_find(const struct papi_vpmu_frames *frames, uint64_t page)
{
	const uint64_t mask = (1 << PAPI_VPMU_FRAME_BITS) - 1;
	uint64_t place = (page ^ (page >> PAPI_VPMU_FRAME_BITS) * 0x9e3779b1u) & mask;

	while (frames->frames[place].page && frames->frames[place].page != page)
		place = (place + 1) & mask;
	return frames->frames[place].number;
}

static inline uint64_t papi_vpmu_frames_number(struct papi_vpmu_frames *frames, uint64_t page)
{
	const uint64_t mask = (1 << PAPI_VPMU_FRAME_BITS) - 1;
	uint64_t place = (page ^ (page >> PAPI_VPMU_FRAME_BITS) * 0x9e3779b1u) & mask;

	for (; frames->frames[place].page; place = (place + 1) & mask)
		if (frames->frames[place].page == page)
			return frames->frames[place].number;
	if (frames->used >= mask / 4 * 3)
		return page & PAPI_VPMU_FRAME_LARGEST;
	frames->frames[place] = (struct papi_vpmu_page){ page, ++frames->used };
	return frames->used;
}

#endif
