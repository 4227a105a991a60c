/* SPDX-License-Identifier: BSD-3-Clause */
/* import_none.c - papi_profile import where there is nothing that reads JSON: of raw data alone. */
#include <getopt.h>
#include <sys/stat.h>

#include "common.h"
#include "options.h"
#include "papi_profile/exact_left.h"
#include "papi_profile/papi_profile.h"

static const struct papi_tool_option options[] = {
	{ 'o', "output", "FILE", "the profile; " PAPI_PROFILE_FILE " without it" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile import",
	.operands = "DIRECTORY",
	.purpose = "Makes a profile of a directory of raw data that an exact profile has left.",
	.options = options,
};

int papi_profile_import(int argc, char **argv)
{
	const char *file = PAPI_PROFILE_FILE;
	struct stat status;

	while (papi_tool_next_option(&tool, argc, argv) != -1)
		file = optarg;
	if (argc - optind != 1)
		papi_tool_usage_error(&tool, "one directory of raw data is needed");
	if (stat(argv[optind], &status) == 0 && S_ISDIR(status.st_mode))
		return papi_profile_exact_import(argv[optind], file);
	papi_profile_message("this papi_profile was built without jansson, which reads what PAPI_profil_write writes: "
			     "build it again where libjansson-dev is installed");
	return PAPI_TOOL_USAGE;
}
