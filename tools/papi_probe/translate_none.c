/* SPDX-License-Identifier: BSD-3-Clause */
/* translate_none.c - where there is no SQLite, and so no papi_profile. */
#include "papi_probe.h"

int probe_translate(struct probe_session *session, struct probe_options *options)
{
	(void)session;
	(void)options;
	probe_message("--way translate needs papi_profile, which was built without SQLite");
	return PAPI_PROGRAM_FAILURE;
}
