/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/time/clock.h"

#include "linux/time/clock_rate.h"
#include "linux/time/frequency.h"

#define NS_PER_SECOND 1000000000

_Atomic uint64_t papi_clock_multiplier;

/* Without a counter the rate is a convention, in which a cycle is one of the fastest CPU, or else a nanosecond. */
static double find_rate(void)
{
	struct papi_frequencies range;

	if (papi_clock_has_counter())
		return papi_clock_counter_rate();
	papi_frequency_find(&range);
	return (int)(range.max + 0.5) * 1e6;
}

uint64_t papi_clock_find_multiplier(void)
{
	double rate = find_rate();
	uint64_t none = 0;
	uint64_t mine;

	if (rate < 1)
		rate = NS_PER_SECOND;
	mine = (uint64_t)(rate / NS_PER_SECOND * 4294967296.0 + 0.5);
	/* The first answer stays: two threads that came at once must not convert by different rates. */
	if (atomic_compare_exchange_strong(&papi_clock_multiplier, &none, mine))
		return mine;
	return none;
}

long long papi_clock_rate(void)
{
	uint64_t multiplier = atomic_load_explicit(&papi_clock_multiplier, memory_order_relaxed);

	if (multiplier == 0)
		multiplier = papi_clock_find_multiplier();
	return (long long)(((unsigned __int128)NS_PER_SECOND * multiplier + (1u << 31)) >> 32);
}
