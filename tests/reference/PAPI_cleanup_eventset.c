/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_cleanup_eventset and PAPI_destroy_eventset: remove all events, then free the set, which must be empty. */
#include "reference.h"

void example(void)
{
	int EventSet = reference_set(), stale = EventSet;

	EXPECT_ERROR(PAPI_EINVAL, "PAPI_cleanup_eventset comes before", PAPI_destroy_eventset(&EventSet));
	EXPECT_OK(PAPI_start(EventSet));
	EXPECT_ERROR(PAPI_EISRUN, "counting", PAPI_cleanup_eventset(EventSet));
	EXPECT_OK(PAPI_stop(EventSet, NULL));
	EXPECT_OK(PAPI_cleanup_eventset(EventSet));
	EXPECT_EQUAL(0, PAPI_num_events(EventSet));
	EXPECT_OK(PAPI_destroy_eventset(&EventSet));
	EXPECT_EQUAL(PAPI_NULL, EventSet);
	EXPECT_ERROR(PAPI_ENOEVST, "destroyed", PAPI_cleanup_eventset(stale));
}
