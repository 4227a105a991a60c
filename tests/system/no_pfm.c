/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4 cannot be loaded: the kernel's events are there, what is missing is said, and nothing fails for it. */
#include "check.h"

static void kernel_events(void)
{
	int set = PAPI_NULL, code = PAPI_NATIVE_MASK, n = 0;
	char name[PAPI_HUGE_STR_LEN];
	long long faults;

	REQUIRE_OK(PAPI_create_eventset(&set));
	if (EXPECT_OK(PAPI_add_named_event(set, "perf::PAGE-FAULTS"))) {
		EXPECT_OK(PAPI_start(set));
		EXPECT_OK(PAPI_stop(set, &faults));
	}
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	for (int status = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0); status == PAPI_OK;
		status = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 0), n++)
		EXPECT_OK(PAPI_event_code_to_name(code, name));
	EXPECT(n > 5);
}

static void what_is_missing(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(0);
	int code;

	EXPECT_ERROR(PAPI_ENOEVNT, "libpfm.so.4", PAPI_event_name_to_code("skl::INST_RETIRED:ANY_P", &code));
	EXPECT(info && info->num_native_events > 5);
	EXPECT_TEXT("", info->support_version);
}

int main(void)
{
	static const struct test tests[] = { { "kernel events", kernel_events },
		{ "what is missing", what_is_missing } };

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	return check_run(tests, COUNT_OF(tests));
}
