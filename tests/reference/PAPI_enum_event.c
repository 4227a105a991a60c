/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_enum_event: a walk over all native events with their descriptions. */
#include <string.h>

#include "reference.h"

void example(void)
{
	int code = PAPI_NATIVE_MASK, listed = 0, described = 0, status;
	bool found = false;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	status = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
	while (status == PAPI_OK) {
		PAPI_event_info_t info;

		listed++;
		if (PAPI_get_event_info(code, &info) == PAPI_OK) {
			described += info.symbol[0] && info.long_descr[0] && info.event_code == (unsigned)code;
			found |= strcmp(info.symbol, "rusage:::minflt") == 0;
		}
		status = PAPI_enum_event(&code, PAPI_ENUM_ALL);
	}
	EXPECT_STATUS(PAPI_ENOEVNT, status);
	EXPECT(listed > 10);
	EXPECT_EQUAL(listed, described);
	EXPECT(found);
}
