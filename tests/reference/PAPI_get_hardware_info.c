/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_get_hardware_info: how many CPUs, and how fast. */
#include <unistd.h>

#include "reference.h"

void example(void)
{
	const PAPI_hw_info_t *hwinfo;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	hwinfo = PAPI_get_hardware_info();
	REQUIRE(hwinfo != NULL);
	EXPECT_EQUAL(sysconf(_SC_NPROCESSORS_ONLN), hwinfo->totalcpus);
	EXPECT(hwinfo->mhz >= 0);
	EXPECT(hwinfo->ncpu >= 1 && hwinfo->nnodes >= 1);
	EXPECT(hwinfo->vendor_string[0] != 0 && hwinfo->model_string[0] != 0);
}
