/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/profile_models.h"

#include <stddef.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/thread.h"

/* Ways that are found without the lock: a miss mostly is where one was before. */
#define KNOWN 16384u

struct papi_vpmu_profile_models {
	struct papi_vpmu_attribution attribution; /* first: it is how this is found */
	struct papi_vpmu_thread *thread;
	struct known {
		uint64_t key; /* 0: free */
		uint32_t number;
	} known[KNOWN];
};

static uint32_t find_way(struct papi_vpmu_origin origin, unsigned counter)
{
	unsigned kind = PAPI_VPMU_WAY_COUNTED + counter;
	uint32_t number;

	papi_vpmu_cache_lock();
	number = papi_vpmu_profile_way(origin.block, (enum papi_vpmu_way_kind)kind, origin.instruction);
	papi_vpmu_cache_unlock();
	return number;
}

static void add(
	struct papi_vpmu_attribution *attribution, struct papi_vpmu_origin origin, unsigned counter, uint64_t more)
{
	struct papi_vpmu_profile_models *models = (void *)attribution;
	uint64_t key = (uint64_t)origin.block << 16 | origin.instruction << 8 | counter;
	struct known *known = &models->known[key * 0x9e3779b97f4a7c15u >> 50];

	if (!origin.block || !models->thread->profiled || !(models->thread->wants.modelled >> counter & 1))
		return;
	if (known->key != key)
		*known = (struct known){ key, find_way(origin, counter) };
	papi_vpmu_profile_count(models->thread, known->number, more);
}
_Static_assert(KNOWN == 1u << (64 - 50), "as many as the hash has");

bool papi_vpmu_profile_models_begin(struct papi_vpmu_thread *thread)
{
	if (thread->attribution)
		return true;
	thread->attribution = papi_vpmu_change_memory(NULL, 0, sizeof(*thread->attribution));
	if (!thread->attribution)
		return false;
	thread->attribution->attribution.add = add;
	thread->attribution->thread = thread;
	return true;
}

void papi_vpmu_profile_models_end(struct papi_vpmu_thread *thread)
{
	if (thread->attribution)
		papi_vpmu_change_memory(thread->attribution, sizeof(*thread->attribution), 0);
	thread->attribution = NULL;
}

struct papi_vpmu_attribution *papi_vpmu_profile_models(struct papi_vpmu_thread *thread)
{
	return thread->attribution ? &thread->attribution->attribution : NULL;
}
