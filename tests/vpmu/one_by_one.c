/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Presets asked for one by one, each of which the library then defines alone, are what they are when all tables have
 * been read; and reading them later changes none. Who only counts such presets needs no libpfm4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "virtual.h"

#define PRESETS 128

static PAPI_event_info_t alone[PRESETS], after[PRESETS];

static int preset(int i)
{
	return (int)((unsigned)PAPI_PRESET_MASK | (unsigned)i);
}

/*
 * Those that can be counted; the others' notes say why not, and need all tables for that. The codes of natives are
 * those of the order in which they were asked for.
 */
static void describe(PAPI_event_info_t infos[])
{
	memset(infos, 0, PRESETS * sizeof(infos[0]));
	for (int i = 0; i < PRESETS; i++) {
		if (PAPI_query_event(preset(i)) == PAPI_OK)
			EXPECT_OK(PAPI_get_event_info(preset(i), &infos[i]));
		memset(infos[i].code, 0, sizeof(infos[i].code));
	}
}

static int enumerate(void)
{
	int code = (int)PAPI_PRESET_MASK, n = 0;

	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL))
		n++;
	return n;
}

static bool is_mapped(const char *library)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024];
	bool found = false;

	REQUIRE(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		found = found || strstr(line, library);
	fclose(maps);
	return found;
}

static void counted_without_libpfm(void)
{
	static const char *const names[] = { "PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_INS",
		"vpmu:::CALLS" };
	long long values[COUNT_OF(names)];
	int set = PAPI_NULL, code;

	EXPECT_EQUAL(0, is_mapped("/libpfm.so"));
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		EXPECT_OK(PAPI_add_named_event(set, names[i]));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT(values[0] > 0);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	EXPECT_EQUAL(0, is_mapped("/libpfm.so"));
	/* Its names are there all the same. */
	EXPECT_OK(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code));
}

static void the_same_as_all_together(void)
{
	int n;

	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	describe(alone);
	n = enumerate();
	EXPECT(n > 60);
	describe(after);
	for (int i = 0; i < PRESETS; i++)
		if (alone[i].event_code)
			EXPECT(!memcmp(&alone[i], &after[i], sizeof(alone[i])));
	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_EQUAL(n, enumerate());
	describe(alone);
	for (int i = 0; i < PRESETS; i++)
		EXPECT(!memcmp(&alone[i], &after[i], sizeof(alone[i])));
}

/* What a program defines in the place of one stays when the tables are read. */
static void redefined(void)
{
	PAPI_event_info_t info;
	int code;

	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
	EXPECT_TEXT("vpmu:::INSTRUCTIONS", info.name[0]);
	snprintf(info.name[0], sizeof(info.name[0]), "vpmu:::LOADS");
	EXPECT_OK(PAPI_set_event_info(&info, &code, 1));
	enumerate();
	EXPECT_OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
	EXPECT_TEXT("vpmu:::LOADS", info.name[0]);
}

int main(void)
{
	static const struct test tests[] = {
		{ "counted without libpfm", counted_without_libpfm },
		{ "the same as all together", the_same_as_all_together },
		{ "redefined", redefined },
	};

	setenv("PAPI_VPMU", "always", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	if (PAPI_query_named_event("vpmu:::INSTRUCTIONS") != PAPI_OK) {
		printf("skipped: %s\n", PAPI_error_detail());
		return 77;
	}
	return check_run(tests, COUNT_OF(tests));
}
