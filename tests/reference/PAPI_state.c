/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_state: stopped, then running. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set(), status = 0;

	EXPECT_OK(PAPI_state(EventSet, &status));
	EXPECT_EQUAL(PAPI_STOPPED, status);
	EXPECT_OK(PAPI_start(EventSet));
	EXPECT_OK(PAPI_state(EventSet, &status));
	EXPECT_EQUAL(PAPI_RUNNING, status);
	EXPECT_OK(PAPI_stop(EventSet, NULL));
	reference_discard(&EventSet);
}
