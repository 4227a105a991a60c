/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_accum_counters and PAPI_read_counters: the high level reads and resets in one. */
#include "reference.h"

void example(void)
{
	int Events[] = { PAPI_TOT_INS };
	long long values[1] = { 0 };

	REQUIRE_OK(PAPI_start_counters(Events, 1));
	do_100events();
	EXPECT_OK(PAPI_read_counters(values, 1));
	EXPECT_EQUAL(100, values[0]);
	do_100events();
	EXPECT_OK(PAPI_accum_counters(values, 1));
	EXPECT_EQUAL(200, values[0]);
	values[0] = -100;
	do_100events();
	EXPECT_OK(PAPI_accum_counters(values, 1));
	EXPECT_EQUAL(0, values[0]);
	EXPECT_OK(PAPI_stop_counters(values, 1));
}
