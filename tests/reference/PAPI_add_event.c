/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_add_event, PAPI_create_eventset and PAPI_event_name_to_code: a preset and a native event by its name. */
#include "reference.h"

void example(void)
{
	int EventSet = PAPI_NULL, native = 0, total = 0;
	long long values[3];

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_create_eventset(&EventSet));
	EXPECT_OK(PAPI_add_event(EventSet, PAPI_TOT_INS));
	EXPECT_OK(PAPI_event_name_to_code("rusage:::realtime", &native));
	EXPECT((native & PAPI_NATIVE_MASK) != 0);
	EXPECT_OK(PAPI_add_event(EventSet, native));
	EXPECT_ERROR(PAPI_ENOEVNT, "no event is named", PAPI_event_name_to_code("PM_CYC_OF_NOBODY", &native));

	/* PAPI_event_name_to_code: a preset has its own code. */
	EXPECT_OK(PAPI_event_name_to_code("PAPI_TOT_INS", &total));
	EXPECT_EQUAL(PAPI_TOT_INS, total);
	EXPECT_ERROR(PAPI_ECNFLCT, "already", PAPI_add_event(EventSet, total));

	EXPECT_OK(PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_stop(EventSet, values));
	EXPECT_EQUAL(100, values[0]);
	EXPECT(values[1] > 0);
	reference_discard(&EventSet);
}
