/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_get_executable_info: where this very program lies in memory. */
#include <stdint.h>
#include <string.h>

#include "reference.h"

static int initialised = 1, cleared;

void example(void)
{
	const PAPI_exe_info_t *prginfo;
	const PAPI_address_map_t *map;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	prginfo = PAPI_get_executable_info();
	REQUIRE(prginfo != NULL);
	map = &prginfo->address_info;
	EXPECT(prginfo->fullname[0] == '/');
	EXPECT(strstr(prginfo->fullname, map->name) != NULL);
	EXPECT((uintptr_t)map->text_start <= (uintptr_t)example && (uintptr_t)example < (uintptr_t)map->text_end);
	EXPECT((uintptr_t)map->data_start <= (uintptr_t)&initialised &&
		(uintptr_t)&initialised < (uintptr_t)map->data_end);
	EXPECT((uintptr_t)map->bss_start <= (uintptr_t)&cleared && (uintptr_t)&cleared < (uintptr_t)map->bss_end);
	initialised += cleared++;
}
