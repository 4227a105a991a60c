/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4, linked. See pfm.h. */
#include "components/perf_event/pfm.h"

const struct papi_pfm *papi_pfm_library(void)
{
	static const struct papi_pfm functions = {
#define X(function) .function = pfm_##function,
		PAPI_PFM_FUNCTIONS
#undef X
	};

	return &functions;
}
