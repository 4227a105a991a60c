/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_list_events and PAPI_num_events: two events in, two events listed. */
#include "reference.h"

void example(void)
{
	int EventSet = PAPI_NULL, EventCode = 0, Events[4], number = 4;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_create_eventset(&EventSet));
	EXPECT_OK(PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode));
	EXPECT_OK(PAPI_add_event(EventSet, EventCode));
	EXPECT_OK(PAPI_event_name_to_code("PAPI_FP_OPS", &EventCode));
	EXPECT_OK(PAPI_add_event(EventSet, EventCode));
	EXPECT_OK(PAPI_list_events(EventSet, Events, &number));
	EXPECT_EQUAL(2, number);
	EXPECT_EQUAL(PAPI_TOT_INS, Events[0]);
	EXPECT_EQUAL(PAPI_FP_OPS, Events[1]);
	EXPECT_EQUAL(2, PAPI_num_events(EventSet));
	reference_discard(&EventSet);
}
