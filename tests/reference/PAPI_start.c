/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_start and PAPI_stop: what a function does that is poorly tuned. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set();
	long long values[1] = { -1 };

	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(EventSet, values));
	EXPECT_OK(PAPI_start(EventSet));
	EXPECT_ERROR(PAPI_EISRUN, "already", PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_stop(EventSet, values));
	EXPECT_EQUAL(100, values[0]);
	reference_discard(&EventSet);
}
