/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_get_substrate_info: how many preset and native events there are. */
#include "reference.h"

void example(void)
{
	const PAPI_substrate_info_t *sbinfo;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	sbinfo = PAPI_get_substrate_info();
	REQUIRE(sbinfo != NULL);
	EXPECT(sbinfo->name[0] != 0);
	EXPECT(sbinfo->num_preset_events > 0);
	EXPECT(sbinfo->num_native_events > 0);
}
