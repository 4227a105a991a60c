/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_query_event: is there an instruction counter, and one for what these tests have not defined? */
#include "reference.h"

void example(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_query_event(PAPI_TOT_INS));
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_query_event(PAPI_L1_DCM));
}
