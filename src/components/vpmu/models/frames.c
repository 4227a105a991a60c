/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/frames.h"

#define SMALLEST 1024u

static size_t bytes_of(const struct papi_vpmu_frames *frames)
{
	return (frames->mask + 1) * sizeof(*frames->pages);
}

bool papi_vpmu_frames_reserve(struct papi_vpmu_frames *frames, unsigned n, papi_vpmu_memory *memory)
{
	uint64_t size = frames->pages ? frames->mask + 1 : 0;
	struct papi_vpmu_frames larger = { .used = frames->used, .mask = (size ? 2 * size : SMALLEST) - 1 };

	if (size > PAPI_VPMU_FRAME_LARGEST || frames->used + n <= size / 4 * 3)
		return true;
	larger.pages = memory(NULL, 0, bytes_of(&larger));
	if (!larger.pages)
		return false;
	for (uint64_t i = 0; i < size; i++)
		if (frames->pages[i].page)
			larger.pages[papi_vpmu_frames_place(&larger, frames->pages[i].page)] = frames->pages[i];
	papi_vpmu_frames_end(frames, memory);
	*frames = larger;
	return true;
}

void papi_vpmu_frames_end(struct papi_vpmu_frames *frames, papi_vpmu_memory *memory)
{
	if (frames->pages)
		memory(frames->pages, bytes_of(frames), 0);
	*frames = (struct papi_vpmu_frames){ 0 };
}
