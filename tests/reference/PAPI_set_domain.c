/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_set_domain and PAPI_set_granularity: what sets that are created afterwards begin with. */
#include <string.h>

#include "reference.h"

static int domain_of(int EventSet)
{
	PAPI_option_t options;

	memset(&options, 0, sizeof(options));
	options.domain.eventset = EventSet;
	EXPECT(PAPI_get_opt(PAPI_DOMAIN, &options) >= 0);
	return options.domain.domain;
}

void example(void)
{
	int before = PAPI_NULL, EventSet = PAPI_NULL;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_create_eventset(&before));
	EXPECT_OK(PAPI_set_domain(PAPI_DOM_KERNEL));
	EXPECT_OK(PAPI_create_eventset(&EventSet));
	EXPECT_EQUAL(PAPI_DOM_USER, domain_of(before));
	EXPECT_EQUAL(PAPI_DOM_KERNEL, domain_of(EventSet));
	EXPECT_OK(PAPI_destroy_eventset(&before));
	EXPECT_OK(PAPI_destroy_eventset(&EventSet));
}
