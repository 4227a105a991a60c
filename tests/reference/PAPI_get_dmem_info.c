/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_get_dmem_info: what the process needs of memory, in kilobytes. */
#include <sys/mman.h>
#include <unistd.h>

#include "reference.h"

void example(void)
{
	PAPI_dmem_info_t before, after;
	size_t size = 64u << 20;
	char *memory;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_get_dmem_info(&before));
	EXPECT_EQUAL(sysconf(_SC_PAGESIZE) / 1024, before.pagesize / (before.pagesize >= 1024 ? 1024 : 1));
	EXPECT(before.resident > 0 && before.size >= before.resident);
	EXPECT(before.high_water_mark >= before.resident);
	EXPECT(before.text > 0 && before.stack > 0);

	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	REQUIRE(memory != MAP_FAILED);
	EXPECT_OK(PAPI_get_dmem_info(&after));
	EXPECT(after.size >= before.size + (long long)size / 1024);
	EXPECT(after.high_water_mark >= before.resident + (long long)size / 1024 / 2);
	munmap(memory, size);
}
