/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_accum and PAPI_read: after every hundred events the values are as the comments there say. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set();
	long long values[1] = { 0 };

	REQUIRE_OK(PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_read(EventSet, values));
	EXPECT_EQUAL(100, values[0]);
	/* Reading has not reset: what accum adds is all since the start. The page resets in between. */
	EXPECT_OK(PAPI_reset(EventSet));
	do_100events();
	EXPECT_OK(PAPI_accum(EventSet, values));
	EXPECT_EQUAL(200, values[0]);
	values[0] = -100;
	do_100events();
	EXPECT_OK(PAPI_accum(EventSet, values));
	EXPECT_EQUAL(0, values[0]);
	EXPECT_OK(PAPI_stop(EventSet, NULL));
	reference_discard(&EventSet);
}
