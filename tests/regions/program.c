/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with regions and nothing else, for tests of events and of where results go: begins and ends `arguments`
 * times.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, status = 0;

	for (int i = 0; i < times; i++) {
		status |= PAPI_hl_region_begin("main");
		status |= PAPI_hl_region_begin("inner");
		status |= PAPI_hl_region_end("inner");
		status |= PAPI_hl_region_end("main");
	}
	if (status)
		printf("%s\n", PAPI_error_detail());
	return status ? 1 : 0;
}
