/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_set_event_info: a custom definition, with a note, beside the preset it was copied from. */
#include <string.h>

#include "reference.h"

void example(void)
{
	PAPI_event_info_t info;
	int EventCode = 0, EventSet = PAPI_NULL;
	long long value = -1;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode));
	EXPECT_OK(PAPI_get_event_info(EventCode, &info));
	strcpy(info.symbol, "MY_TOT_INS");
	strcpy(info.note, "counted my way");
	EXPECT_OK(PAPI_set_event_info(&info, &EventCode, 0));
	EXPECT(EventCode != PAPI_TOT_INS);
	EXPECT_OK(PAPI_get_event_info(EventCode, &info));
	EXPECT_TEXT("counted my way", info.note);

	EXPECT_OK(PAPI_create_eventset(&EventSet));
	EXPECT_OK(PAPI_add_named_event(EventSet, "MY_TOT_INS"));
	EXPECT_OK(PAPI_start(EventSet));
	do_100events();
	EXPECT_OK(PAPI_stop(EventSet, &value));
	EXPECT_EQUAL(100, value);
	reference_discard(&EventSet);
}
