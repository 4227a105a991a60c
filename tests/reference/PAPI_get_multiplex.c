/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_get_multiplex and PAPI_set_multiplex: a set is made ready for multiplexing, once. */
#include "reference.h"

void example(void)
{
	int EventSet = PAPI_NULL;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_multiplex_init());
	REQUIRE_OK(PAPI_create_eventset(&EventSet));
	REQUIRE_OK(PAPI_assign_eventset_component(EventSet, 0));
	EXPECT_EQUAL(0, PAPI_get_multiplex(EventSet));
	EXPECT_OK(PAPI_set_multiplex(EventSet));
	EXPECT(PAPI_get_multiplex(EventSet) > 0);
	EXPECT_OK(PAPI_destroy_eventset(&EventSet));
	EXPECT_STATUS(PAPI_ENOEVST, PAPI_get_multiplex(EventSet));
}
