/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Secure execution: a set-user-ID copy of this program, whose caller has set all the variables that the library and
 * libpfm4 read. None of them has a say. Only root can make such a copy.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "files.h"

#define NOBODY 65534

static const char *const names[] = { "PAPI_USER_EVENTS_FILE", "PAPI_CSV_EVENT_FILE", "PAPI_PERFMON_EVENT_FILE",
	"PAPI_ROOT", "PAPI_VPMU", "PAPI_VPMU_CACHE", "PAPI_VPMU_MODEL", "PAPI_VPMU_BLOCKS", "PAPI_VERBOSE",
	"LIBPFM_FORCE_PMU", "LIBPFM_VERBOSE", "LIBPFM_DISABLED_PMUS" };

/* What a machine of this kind knows without any of the variables. */
struct knowledge {
	PAPI_event_info_t instructions;
	int presets, natives, mine, forced, disabled;
};

static struct knowledge look(void)
{
	struct knowledge knowledge = { .mine = PAPI_query_named_event("MINE"),
		.forced = PAPI_query_named_event("arm_v8_n1::CPU_CYCLES") };

	REQUIRE_OK(PAPI_get_event_info(PAPI_TOT_INS, &knowledge.instructions));
	knowledge.presets = PAPI_get_component_info(0)->num_preset_events;
	knowledge.natives = PAPI_get_component_info(0)->num_native_events;
	knowledge.disabled = PAPI_get_component_info(0)->disabled;
	return knowledge;
}

/* In the copy: first as the caller has it, then without the variables. */
static int as_somebody_else(void)
{
	struct knowledge with, without;

	if (!getauxval(AT_SECURE))
		return 77;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		REQUIRE(getenv(names[i]) != NULL);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	with = look();
	EXPECT(!getenv("LIBPFM_FORCE_PMU") && !getenv("LIBPFM_VERBOSE") && !getenv("LIBPFM_DISABLED_PMUS"));
	EXPECT(getenv("PAPI_ROOT") != NULL);
	PAPI_shutdown();
	for (size_t i = 0; i < COUNT_OF(names); i++)
		unsetenv(names[i]);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	without = look();
	PAPI_shutdown();
	/* What is allowed to root may be refused to anybody else. */
	EXPECT_EQUAL(with.disabled ? PAPI_ECMP_DISABLED : PAPI_ENOEVNT, with.mine);
	EXPECT_EQUAL(without.mine, with.mine);
	EXPECT_EQUAL(without.forced, with.forced);
	EXPECT_EQUAL(without.presets, with.presets);
	EXPECT_EQUAL(without.natives, with.natives);
	EXPECT(memcmp(&without.instructions, &with.instructions, sizeof(with.instructions)) == 0);
	return check_failures() ? 1 : 0;
}

static void copy_of_this_program(const char *path)
{
	static char block[1 << 16];
	FILE *from = fopen("/proc/self/exe", "re"), *to = fopen(path, "we");
	size_t got;

	REQUIRE(from && to);
	while ((got = fread(block, 1, sizeof(block), from)) > 0)
		REQUIRE(fwrite(block, 1, got, to) == got);
	REQUIRE(fclose(to) == 0 && fclose(from) == 0);
	REQUIRE(chown(path, NOBODY, NOBODY) == 0 && chmod(path, 04755) == 0);
}

static void expect_secure(void)
{
	const char *path = files_path("copy"),
		   *mine = files_write("mine.csv", "EVENT,MINE,NOT_DERIVED,rusage:::minflt\n");
	int status = -1;
	pid_t child;

	/* The copy's own user has to get there, and to read what must not be heeded. */
	REQUIRE(chmod(files_path("."), 0755) == 0 && chmod(mine, 0644) == 0);
	copy_of_this_program(path);
	child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		for (size_t i = 0; i < COUNT_OF(names); i++)
			setenv(names[i], mine, 1);
		setenv("LIBPFM_FORCE_PMU", "arm_v8_n1,skl", 1);
		setenv("LIBPFM_DISABLED_PMUS", "perf", 1);
		setenv("PAPI_VPMU", "off", 1);
		execl(path, path, "as somebody else", (char *)NULL);
		_exit(127);
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		check_skip("this file system does not let programs have more rights than their caller");
	else
		EXPECT_EQUAL(0, status);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = { { "secure execution", expect_secure } };
	int status;

	if (count > 1)
		return strcmp(arguments[1], "as somebody else") ? 2 : as_somebody_else();
	if (geteuid() != 0) {
		printf("only root can give a program to another user\n");
		return 77;
	}
	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
