/* SPDX-License-Identifier: BSD-3-Clause */
/* import_none.c - papi_profile import where there is nothing that reads JSON. */
#include "papi_profile/papi_profile.h"

#include "options.h"

int papi_profile_import(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	papi_profile_message("this papi_profile was built without jansson, which reads what PAPI_profil_write writes: "
			     "build it again where libjansson-dev is installed");
	return PAPI_TOOL_USAGE;
}
