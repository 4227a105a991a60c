/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into a utility, calls PAPI_encode_events with the file named in PAPI_TEST_DEFINITIONS before the utility
 * begins, so that a test sees through it what has become of the presets.
 */
#include <stdio.h>
#include <stdlib.h>

#include "papi.h"

__attribute__((constructor)) static void encode_first(void)
{
	char *file = getenv("PAPI_TEST_DEFINITIONS");
	int result = PAPI_library_init(PAPI_VER_CURRENT);

	if (result == PAPI_VER_CURRENT)
		result = file != NULL ? PAPI_encode_events(file, 1) : PAPI_EINVAL;
	if (result == PAPI_OK)
		return;
	fprintf(stderr, "encode_first: %s: %d %s\n", file != NULL ? file : "no file", result, PAPI_error_detail());
	exit(EXIT_FAILURE);
}
