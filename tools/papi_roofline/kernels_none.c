/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels_none.c - for processors that nobody has written kernels for. */
#include "papi_roofline/papi_roofline.h"

const struct papi_roofline_kernel papi_roofline_kernels[] = {
	{ NULL, PAPI_ROOFLINE_MEMORY, 0, 0, NULL, NULL },
};
