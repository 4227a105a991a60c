/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_get_real_cyc and PAPI_get_real_usec: slow code takes some of both. */
#include <time.h>

#include "reference.h"

static void your_slow_code(void)
{
	const struct timespec ten_ms = { .tv_nsec = 10000000 };

	nanosleep(&ten_ms, NULL);
}

void example(void)
{
	long long s = PAPI_get_real_cyc(), us = PAPI_get_real_usec();

	your_slow_code();
	EXPECT(PAPI_get_real_usec() - us >= 10000);
	EXPECT(PAPI_get_real_cyc() - s > 10000);
}
