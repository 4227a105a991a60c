/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_library_init and PAPI_is_initialized: a version that fits, and the level that is reached. */
#include "reference.h"

void example(void)
{
	EXPECT_EQUAL(PAPI_NOT_INITED, PAPI_is_initialized());
	EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED, PAPI_is_initialized());
	/* The page's first case, a version that does not fit, is an error here, with the reason. */
	EXPECT_ERROR(PAPI_EINVAL, "compile it again", PAPI_library_init(PAPI_VERSION_NUMBER(2, 3, 4, 0)));
	PAPI_shutdown();
	EXPECT_EQUAL(PAPI_NOT_INITED, PAPI_is_initialized());
}
