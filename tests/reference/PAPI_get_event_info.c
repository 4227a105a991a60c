/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_get_event_info: what PAPI_TOT_INS is. */
#include "reference.h"

void example(void)
{
	PAPI_event_info_t info;
	int EventCode = 0;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode));
	EXPECT_OK(PAPI_get_event_info(EventCode, &info));
	EXPECT_EQUAL((unsigned)PAPI_TOT_INS, info.event_code);
	EXPECT_TEXT("PAPI_TOT_INS", info.symbol);
	EXPECT_EQUAL(1, info.count);
	EXPECT(info.long_descr[0] && info.short_descr[0]);
}
