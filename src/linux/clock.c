/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/clock.h"

#include "linux/clock_rate.h"
#include "linux/hardware.h"

#define NS_PER_SECOND 1000000000

_Atomic uint64_t papi_clock_multiplier;

/* Without a counter the rate is a convention, which frequency.c decides on; it must not ask for the rate in turn. */
static double find_rate(void)
{
	const PAPI_hw_info_t *hardware;

	if (papi_clock_has_counter())
		return papi_clock_counter_rate();
	hardware = papi_hardware_get();
	return hardware ? hardware->clock_mhz * 1e6 : 0;
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
