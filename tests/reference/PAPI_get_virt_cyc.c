/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_get_virt_cyc and PAPI_get_virt_usec: the thread's own time, which stands still while it sleeps. */
#include <time.h>

#include "reference.h"

void example(void)
{
	const struct timespec some_ms = { .tv_nsec = 50000000 };
	long long s, e, us;
	volatile unsigned long spins = 0;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	s = PAPI_get_virt_cyc();
	us = PAPI_get_virt_usec();
	while (PAPI_get_virt_usec() - us < 1000)
		spins++;
	e = PAPI_get_virt_cyc();
	EXPECT(e > s);
	us = PAPI_get_virt_usec();
	nanosleep(&some_ms, NULL);
	EXPECT(PAPI_get_virt_usec() - us < 50000);
}
