/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_remove_event and PAPI_remove_events: out of a stopped set only. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set(), Events[] = { PAPI_TOT_INS, PAPI_FP_OPS };

	EXPECT_OK(PAPI_start(EventSet));
	EXPECT_ERROR(PAPI_EISRUN, "counting", PAPI_remove_event(EventSet, PAPI_TOT_INS));
	/* The values are ignored. */
	EXPECT_OK(PAPI_stop(EventSet, NULL));
	EXPECT_OK(PAPI_remove_event(EventSet, PAPI_TOT_INS));
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_remove_event(EventSet, PAPI_TOT_INS));
	EXPECT_OK(PAPI_add_event(EventSet, PAPI_TOT_INS));
	/* It succeeded with the first of two. */
	EXPECT_STATUS(1, PAPI_remove_events(EventSet, Events, 2));
	EXPECT_EQUAL(0, PAPI_num_events(EventSet));
	EXPECT_OK(PAPI_destroy_eventset(&EventSet));
}
