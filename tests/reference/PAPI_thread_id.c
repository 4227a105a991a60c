/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_thread_init and PAPI_thread_id: without the first the second is an error. */
#include <pthread.h>

#include "reference.h"

void example(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_EQUAL(PAPI_EMISC, (long long)PAPI_thread_id());
	EXPECT_OK(PAPI_thread_init(pthread_self));
	EXPECT_EQUAL((long long)pthread_self(), (long long)PAPI_thread_id());
}
