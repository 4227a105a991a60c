/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a preset is refused where the CPU has no counters: what keeps the virtual PMU from counting it is named, and the
 * preset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void refuse(const char *mode, const char *words)
{
	int set = PAPI_NULL;
	char text[16] = "PAPI_TOT_INS";

	setenv("PAPI_VPMU", mode, 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_ERROR(PAPI_ENOEVNT, words, PAPI_add_named_event(set, text));
	EXPECT(strstr(PAPI_error_detail(), "PAPI_TOT_INS cannot be counted") != NULL);
	EXPECT(strstr(PAPI_error_detail(), "hypervisor") == NULL);
	/* An event of the processor is refused for what it is, a preset of nobody likewise. */
	EXPECT(PAPI_add_named_event(set, "vpmu:::INSTRUCTIONS") != PAPI_OK);
	EXPECT(strstr(PAPI_error_detail(), words) != NULL);
	EXPECT_OK(PAPI_destroy_eventset(&set));
	PAPI_shutdown();
}

static void test_off(void)
{
	refuse("off", "PAPI_VPMU=off");
}

static void test_nonsense(void)
{
	refuse("on", "PAPI_VPMU is \"on\"");
}

/* The processor counts it: nothing is refused. */
static bool counts(void)
{
	bool can;
	int set = PAPI_NULL;

	setenv("PAPI_VPMU", "off", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_create_eventset(&set));
	can = PAPI_add_named_event(set, "PAPI_TOT_INS") == PAPI_OK || !strstr(PAPI_error_detail(), "cannot be counted");
	PAPI_shutdown();
	return can;
}

int main(void)
{
	static const struct test tests[] = {
		{ "switched off", test_off },
		{ "a value that makes no sense", test_nonsense },
	};

	if (counts()) {
		printf("the processor has counters\n");
		return 77;
	}
	return check_run(tests, COUNT_OF(tests));
}
