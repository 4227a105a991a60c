/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_num_counters and PAPI_num_hwctrs: asked before anything else, the first initialises the library. */
#include "reference.h"

void example(void)
{
	int num_hwcntrs = PAPI_num_counters();

	EXPECT(num_hwcntrs >= 0);
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_EQUAL(num_hwcntrs, PAPI_num_hwctrs());
}
