/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_start_counters and PAPI_stop_counters: cycles and instructions of slow code. */
#include "reference.h"

void example(void)
{
	int Events[2] = { PAPI_TOT_CYC, PAPI_TOT_INS };
	long_long values[2];

	EXPECT_OK(PAPI_start_counters(Events, 2));
	do_100events();
	EXPECT_ERROR(PAPI_EISRUN, "running", PAPI_start_counters(Events, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100 * PRESETS_CORE, values[0]);
	EXPECT_EQUAL(100, values[1]);
	EXPECT_ERROR(PAPI_ENOTRUN, "no counters are running", PAPI_stop_counters(values, 2));
}
