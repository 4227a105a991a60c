/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_event_code_to_name: from a name to its code and back. */
#include "reference.h"

void example(void)
{
	char name[PAPI_MAX_STR_LEN];
	int EventCode = 0, EventSet = PAPI_NULL;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode));
	EXPECT_OK(PAPI_create_eventset(&EventSet));
	EXPECT_OK(PAPI_add_event(EventSet, EventCode));
	EXPECT_OK(PAPI_event_code_to_name(EventCode, name));
	EXPECT_TEXT("PAPI_TOT_INS", name);
	reference_discard(&EventSet);
}
