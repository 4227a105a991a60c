/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One L3 for all threads of a process (PAPI_VPMU_CACHE=L3=shared), where each otherwise has its own. What a thread
 * misses then depends on what the others have brought in and driven out by that time: on how they were scheduled, and
 * on when each ran the records of its trace through its models. Of one thread alone the counts are those of a private
 * L3.
 *
 * Pages of data are numbered for all threads in the order in which any of them first touches them; those of code are in
 * any case. A lock guards all of it, and is only taken where a page is new, or L2 has missed.
 */
#ifndef PAPI_VPMU_MODELS_SHARED_H
#define PAPI_VPMU_MODELS_SHARED_H

#include <stdatomic.h>

#include "components/vpmu/models/lru.h"

struct papi_vpmu_shared {
	_Atomic uint32_t held;
	void (*wait)(void);
	struct papi_vpmu_frames frames;
	struct papi_vpmu_lru l3;
	uint32_t pages[2]; /* of data and of code, that it can tell apart so far */
	papi_vpmu_memory *memory;
};

/* NULL when memory ends. wait is called, again and again, while another thread holds the lock. It lives as long as the
 * process. */
struct papi_vpmu_shared *papi_vpmu_shared_make(
	const struct papi_vpmu_shape *l3, papi_vpmu_memory *memory, void (*wait)(void));

/* The library may have been initialised again, with another geometry. */
static inline bool papi_vpmu_shared_is_like(const struct papi_vpmu_shared *shared, const struct papi_vpmu_shape *l3)
{
	return shared->l3.sets == l3->sets && shared->l3.ways == l3->ways && shared->l3.shift == l3->shift;
}

static inline bool papi_vpmu_shared_is_held(const struct papi_vpmu_shared *shared)
{
	return atomic_load_explicit(&shared->held, memory_order_relaxed);
}

/* A page of data is touched: it has a number from now on. False when memory has ended. */
bool papi_vpmu_shared_meet(struct papi_vpmu_shared *shared, uint64_t page);

/* Whether it has the line of an address, which it has afterwards; of code, with the number of its page. */
bool papi_vpmu_shared_access(struct papi_vpmu_shared *shared, uint64_t address, bool code);

#endif
