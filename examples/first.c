/* SPDX-License-Identifier: BSD-3-Clause */
#include <papi.h>
#include <stdio.h>

static _Alignas(4096) volatile char pages[256][4096];

int main(void)
{
	int set = PAPI_NULL;
	long long faults;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
		PAPI_add_named_event(set, "perf::PAGE-FAULTS") != PAPI_OK || PAPI_start(set) != PAPI_OK) {
		fprintf(stderr, "cannot count: %s\n", PAPI_error_detail());
		return 1;
	}
	for (int i = 0; i < 256; i++)
		pages[i][0] = 1;
	PAPI_stop(set, &faults);
	printf("%lld page faults\n", faults);
}
