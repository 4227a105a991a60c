/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/shared.h"

static void lock(struct papi_vpmu_shared *shared)
{
	while (atomic_exchange_explicit(&shared->held, 1, memory_order_acquire))
		shared->wait();
}

static void unlock(struct papi_vpmu_shared *shared)
{
	atomic_store_explicit(&shared->held, 0, memory_order_release);
}

struct papi_vpmu_shared *papi_vpmu_shared_make(
	const struct papi_vpmu_shape *l3, papi_vpmu_memory *memory, void (*wait)(void))
{
	size_t head = papi_vpmu_whole_lines(sizeof(struct papi_vpmu_shared));
	struct papi_vpmu_shared *shared = memory(NULL, 0, head + papi_vpmu_lru_size(l3));

	if (!shared)
		return NULL;
	shared->memory = memory;
	shared->wait = wait;
	papi_vpmu_lru_init(&shared->l3, l3, (char *)shared + head);
	return shared;
}

/* Whether the cache can tell the page of that number from others, by now. */
static bool reach(struct papi_vpmu_shared *shared, bool code, uint64_t number)
{
	uint64_t index = number - (code ? PAPI_VPMU_FRAME_OF_CODE : 0);
	uint32_t pages = shared->pages[code] ? shared->pages[code] : 256;

	while (pages <= index && pages < PAPI_VPMU_FRAME_LARGEST)
		pages *= 2;
	if (pages > shared->pages[code] && papi_vpmu_lru_reach(&shared->l3, code, pages, shared->memory))
		shared->pages[code] = pages;
	return index < shared->pages[code];
}

bool papi_vpmu_shared_meet(struct papi_vpmu_shared *shared, uint64_t page)
{
	bool met;

	lock(shared);
	met = papi_vpmu_frames_reserve(&shared->frames, 1, shared->memory) &&
		reach(shared, false, papi_vpmu_frames_number(&shared->frames, page));
	unlock(shared);
	return met;
}

bool papi_vpmu_shared_access(struct papi_vpmu_shared *shared, uint64_t address, bool code)
{
	uint64_t page = address >> PAPI_VPMU_PAGE_SHIFT, number;
	bool there;

	lock(shared);
	number = code ? page : papi_vpmu_frames_find(&shared->frames, page);
	if (!number)
		number = page & PAPI_VPMU_FRAME_LARGEST;
	address += (number - page) << PAPI_VPMU_PAGE_SHIFT;
	there = reach(shared, code, number) && papi_vpmu_lru_access_rare(&shared->l3, address >> shared->l3.shift);
	unlock(shared);
	return there;
}
