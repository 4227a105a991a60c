/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_get_real_cyc, PAPI_get_real_usec, PAPI_get_virt_cyc, PAPI_get_virt_usec. */
#include "linux/time/clock.h"
#include "papi.h"

long long PAPI_get_real_cyc(void)
{
	return papi_clock_real_cycles();
}

long long PAPI_get_real_nsec(void)
{
	return papi_clock_real_ns();
}

long long PAPI_get_real_usec(void)
{
	return papi_clock_real_ns() / 1000;
}

long long PAPI_get_virt_cyc(void)
{
	return papi_clock_virtual_cycles();
}

long long PAPI_get_virt_nsec(void)
{
	return papi_clock_virtual_ns();
}

long long PAPI_get_virt_usec(void)
{
	return papi_clock_virtual_ns() / 1000;
}
