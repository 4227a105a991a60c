/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers for pages, in the order in which they come up, as an operating system hands out the frames of a machine just
 * started. Where the program and its data have been loaded no longer matters.
 *
 * A hash table that grows with what is in it, up to a size; one that is full leaves the pages that come then with their
 * own numbers. Eight neighbours in the address space are neighbours in the table, so that a small program touches
 * little of it. Rows of eight are anywhere: two long rows that lay over each other would be searched from end to end.
 */
#ifndef PAPI_VPMU_MODELS_FRAMES_H
#define PAPI_VPMU_MODELS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_VPMU_PAGE_SHIFT 12
#define PAPI_VPMU_FRAME_BITS 20
/* That a page has the number of another happens in no program so small that all of its pages are in the table. */
#define PAPI_VPMU_FRAME_LARGEST ((1u << PAPI_VPMU_FRAME_BITS) - 1)
/* Pages of code are numbered apart from those of data, and their numbers begin here: caches for both never mix them
 * up. */
#define PAPI_VPMU_FRAME_OF_CODE (1u << PAPI_VPMU_FRAME_BITS)

/*
 * Memory for models, which comes in pieces as programs need them: the old size bytes become new ones, perhaps
 * elsewhere, and those that are added are zeros. From no bytes: something new. To no bytes: given back. NULL when
 * memory has ended, and what was there is still there.
 */
typedef void *papi_vpmu_memory(void *memory, size_t old, size_t new);

/* To whole lines of the machine's caches. */
static inline size_t papi_vpmu_whole_lines(size_t size)
{
	return (size + 63) & ~(size_t)63;
}

struct papi_vpmu_page {
	uint64_t page; /* 0: free */
	uint64_t number;
};

/* Made of zeros. */
struct papi_vpmu_frames {
	uint64_t used;
	uint64_t mask;                /* size of the table - 1 */
	struct papi_vpmu_page *pages; /* NULL: none yet */
};

/* Makes room for that many more pages. False when memory has ended. */
bool papi_vpmu_frames_reserve(struct papi_vpmu_frames *frames, unsigned n, papi_vpmu_memory *memory);
void papi_vpmu_frames_end(struct papi_vpmu_frames *frames, papi_vpmu_memory *memory);

static inline uint64_t papi_vpmu_frames_place(const struct papi_vpmu_frames *frames, uint64_t page)
{
	uint64_t place = ((page >> 3) * 0x9e3779b97f4a7c15u >> 32 << 3 | (page & 7)) & frames->mask;

	while (frames->pages[place].page && frames->pages[place].page != page)
		place = (place + 1) & frames->mask;
	return place;
}

/* 0: it has none yet. */
static inline uint64_t papi_vpmu_frames_find(const struct papi_vpmu_frames *frames, uint64_t page)
{
	return frames->pages ? frames->pages[papi_vpmu_frames_place(frames, page)].number : 0;
}

/* There is room. */
static inline uint64_t papi_vpmu_frames_number(struct papi_vpmu_frames *frames, uint64_t page)
{
	uint64_t place = papi_vpmu_frames_place(frames, page);

	if (frames->pages[place].page)
		return frames->pages[place].number;
	if (frames->used >= PAPI_VPMU_FRAME_LARGEST / 4 * 3)
		return page & PAPI_VPMU_FRAME_LARGEST;
	frames->pages[place] = (struct papi_vpmu_page){ page, ++frames->used };
	return frames->used;
}

#endif
