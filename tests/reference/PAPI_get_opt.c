/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_get_opt and PAPI_set_opt: the number of counters, and the domain of a set. */
#include <string.h>

#include "reference.h"

void example(void)
{
	int EventSet = reference_set(), num = PAPI_get_opt(PAPI_MAX_HWCTRS, NULL);
	PAPI_option_t options;

	/* The page takes 0 for an error; here it is a machine without hardware counters. */
	EXPECT(num >= 0);
	EXPECT_EQUAL(PAPI_num_hwctrs(), num);
	memset(&options, 0x0, sizeof(options));
	options.domain.eventset = EventSet;
	options.domain.domain = PAPI_DOM_ALL;
	EXPECT_OK(PAPI_set_opt(PAPI_DOMAIN, &options));
	memset(&options, 0x0, sizeof(options));
	options.domain.eventset = EventSet;
	EXPECT_EQUAL(PAPI_DOM_ALL, PAPI_get_opt(PAPI_DOMAIN, &options) < 0 ? -1 : options.domain.domain);
	reference_discard(&EventSet);
}
