/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_write: the counters go on from other values. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set();
	long long value = 1000;

	EXPECT_OK(PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_write(EventSet, &value));
	do_100events();
	EXPECT_OK(PAPI_stop(EventSet, &value));
	EXPECT_EQUAL(1100, value);
	reference_discard(&EventSet);
}
