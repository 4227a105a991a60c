/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_add_events: an array of events, and how many were added before one that cannot be. */
#include "reference.h"

void example(void)
{
	int EventSet = PAPI_NULL, Events[] = { PAPI_TOT_INS, PAPI_TOT_CYC, PAPI_L1_DCM, PAPI_FP_OPS };
	long long values[2];

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_create_eventset(&EventSet));
	/* The presets of these tests have no PAPI_L1_DCM. */
	EXPECT_STATUS(2, PAPI_add_events(EventSet, Events, 4));
	EXPECT_EQUAL(2, PAPI_num_events(EventSet));
	EXPECT_OK(PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_stop(EventSet, values));
	EXPECT_EQUAL(100, values[0]);
	EXPECT_EQUAL(100 * PRESETS_CORE, values[1]);
	reference_discard(&EventSet);
}
