/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_reset: zeros, and counting goes on. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set();
	long long value = -1;

	EXPECT_OK(PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_reset(EventSet));
	EXPECT_OK(PAPI_read(EventSet, &value));
	EXPECT_EQUAL(0, value);
	do_100events();
	EXPECT_OK(PAPI_stop(EventSet, &value));
	EXPECT_EQUAL(100, value);
	EXPECT_OK(PAPI_reset(EventSet));
	EXPECT_OK(PAPI_read(EventSet, &value));
	EXPECT_EQUAL(0, value);
	reference_discard(&EventSet);
}
