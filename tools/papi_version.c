/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_version: prints the version of the library. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "options.h"

static const struct papi_tool_option options[] = { { 0 } };

static const struct papi_tool tool = {
	.name = "papi_version",
	.purpose = "Prints the version of the PAPI library that programs find on this machine.",
	.options = options,
};

int main(int argc, char **argv)
{
	char version[32];

	papi_tool_begin();
	papi_tool_next_option(&tool, argc, argv);
	papi_tool_check_environment();
	papi_tool_version(version, sizeof(version));
	printf("PAPI Version: %s\n", version);
	return papi_tool_finish(EXIT_SUCCESS);
}
