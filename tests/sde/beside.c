/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: beside LIBSDE
 *
 * A libsde of another making, loaded by whoever registers events: they are found, listed, described and counted.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static void *libsde;
static void (*foreign_work)(long long);

static void counted(void)
{
	long long values[2] = { -77, -77 };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_named_event(set, "sde:::foreign::n"));
	EXPECT_OK(PAPI_add_named_event(set, "sde:::foreign::nothing"));
	foreign_work(1000);
	EXPECT_OK(PAPI_start(set));
	foreign_work(5);
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(5, values[0]);
	EXPECT_EQUAL(-1, values[1]);
	EXPECT_OK(PAPI_reset(set));
	foreign_work(2);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(2, values[0]);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static void listed(void)
{
	int code = PAPI_NATIVE_MASK, cidx = PAPI_get_component_index("sde");
	PAPI_event_info_t info;
	char name[PAPI_HUGE_STR_LEN];

	EXPECT_OK(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx));
	EXPECT_OK(PAPI_event_code_to_name(code, name));
	EXPECT_TEXT("sde:::foreign::n", name);
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_TEXT("what foreign_work has added", info.long_descr);
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx));
}

/* Its counters do not tell libpapi of overflows: the timer does. */
static void handler(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
}

static void overflow(void)
{
	int set = PAPI_NULL, code;

	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_named_event(set, "sde:::foreign::n"));
	EXPECT_OK(PAPI_event_name_to_code("sde:::foreign::n", &code));
	EXPECT_STATUS(PAPI_ENOSUPP, PAPI_overflow(set, code, 10, PAPI_OVERFLOW_HARDWARE, handler));
	EXPECT_OK(PAPI_overflow(set, code, 10, 0, handler));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { { "counted", counted }, { "listed", listed }, { "overflow", overflow } };
	void *symbol;

	if (argc != 2)
		return 2;
	libsde = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	symbol = libsde ? dlsym(libsde, "foreign_work") : NULL;
	if (!symbol) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	memcpy(&foreign_work, &symbol, sizeof(symbol));
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	return check_run(tests, COUNT_OF(tests));
}
