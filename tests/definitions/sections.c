/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU lines: which tables of a file are for a machine. The machines are made up: PAPI_ROOT names a directory with their
 * CPUID or /proc/cpuinfo, so that the same holds wherever this runs. X is defined differently by each table; what it is
 * made of tells which one was taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "files.h"

#define ALDER_LAKE "GenuineIntel-6-97"
#define ZEN_5      "AuthenticAMD-26-2"

static void make_directory(const char *name)
{
	REQUIRE(mkdir(files_path(name), 0777) == 0 || errno == EEXIST);
}

/* Leaf, subleaf, then eax, ebx, ecx, edx; the vendor's name is in ebx, edx, ecx. */
static void intel_machine(void)
{
	make_directory("intel");
	files_write("intel/cpuid",
		"00000000 0 00000020 756e6547 6c65746e 49656e69\n00000001 0 00090672 00000000 00000000 00000000\n");
	REQUIRE(setenv("PAPI_ROOT", files_path("intel"), 1) == 0);
}

static void amd_machine(void)
{
	make_directory("amd");
	files_write("amd/cpuid",
		"00000000 0 00000010 68747541 444d4163 69746e65\n00000001 0 00b00f21 00000000 00000000 00000000\n");
	REQUIRE(setenv("PAPI_ROOT", files_path("amd"), 1) == 0);
}

static void arm_machine(void)
{
	make_directory("arm");
	make_directory("arm/proc");
	files_write("arm/proc/cpuinfo",
		"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n"
		"processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n");
	REQUIRE(setenv("PAPI_ROOT", files_path("arm"), 1) == 0);
}

/* Nothing is known of it. */
static void blank_machine(void)
{
	make_directory("blank");
	REQUIRE(setenv("PAPI_ROOT", files_path("blank"), 1) == 0);
}

/* Lines that define X as a native of its own. */
#define AS(event) "PRESET,X,NOT_DERIVED,rusage:::" event "\n"

static void expect_x(const char *expected, const char *text, bool user_events)
{
	PAPI_event_info_t info = { .name = { "nothing" } };
	int code, before = check_failures();

	if (user_events)
		files_library("", text);
	else
		files_library(text, NULL);
	if (PAPI_event_name_to_code("X", &code) == PAPI_OK)
		EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_TEXT(expected, info.name[0]);
	files_library_end();
	if (check_failures() > before)
		fprintf(stderr, "^ with the text <<%.200s>> as %s\n", text, user_events ? "user events" : "presets");
}

/* In both kinds of files. */
static void expect_both(const char *expected, const char *text)
{
	char whole[64];

	snprintf(whole, sizeof(whole), "%s%s", strcmp(expected, "nothing") == 0 ? "" : "rusage:::", expected);
	expect_x(whole, text, false);
	expect_x(whole, text, true);
}

static void matching(void)
{
	static const struct {
		const char *expected, *text;
	} cases[] = {
		{ "utime", "CPU," ALDER_LAKE "\n" AS("utime") },
		{ "nothing", "CPU," ZEN_5 "\n" AS("utime") },
		{ "nothing", "CPU,GenuineIntel-6-9\n" AS("utime") },
		{ "nothing", "CPU,GenuineIntel-6-970\n" AS("utime") },
		{ "utime",
			"CPU," ZEN_5 "\n" AS("stime") "CPU," ALDER_LAKE "\n" AS("utime") "CPU,nobody\n" AS("minflt") },
		{ "utime", "CPU genuineintel-6-97\n" AS("utime") },
		{ "utime", "CPU\tGENUINEINTEL-6-97\n" AS("utime") },
		{ "utime", "CPU , " ALDER_LAKE " ,\n" AS("utime") },
		{ "utime", "CPU,\"" ALDER_LAKE "\"\n" AS("utime") },
		/* Behind the name files of old have a number. */
		{ "utime", "CPU," ALDER_LAKE ",12\n" AS("utime") },
		/* Synonyms, with what may stand between them. */
		{ "utime", "CPU," ALDER_LAKE "\nCPU,nobody\n" AS("utime") },
		{ "utime", "CPU,nobody\nCPU," ALDER_LAKE "\n" AS("utime") },
		{ "utime", "CPU,nobody\n# comment\n\nCPU," ALDER_LAKE "\r\n\r\nCPU,nobody-else\n" AS("utime") },
		{ "nothing", "CPU,nobody\nCPU,nobody-else\n" AS("utime") },
		/* A line that is skipped does not end a list. */
		{ "utime", "CPU," ALDER_LAKE "\nVERSION,2\nCPU,nobody\n" AS("utime") },
		{ "nothing", "CPU,nobody\nVERSION,2\nCPU,nobody-else\n" AS("utime") },
		/* A new list begins behind the first event. */
		{ "nothing", "CPU," ALDER_LAKE "\nPRESET,Y,NOT_DERIVED,rusage:::minflt\nCPU,nobody\n" AS("utime") },
		{ "utime", "CPU," ALDER_LAKE "\nPRESET,Y,BAD\n" AS("utime") },
		/* Without a name it is nobody's. */
		{ "nothing", "CPU," ALDER_LAKE "\nPRESET,Y,NOT_DERIVED,rusage:::minflt\nCPU\n" AS("utime") },
		{ "nothing", "CPU," ALDER_LAKE "\nPRESET,Y,NOT_DERIVED,rusage:::minflt\nCPU,\n" AS("utime") },
		/* For every CPU: what is before the first of them, and "any". */
		{ "utime", AS("utime") "CPU,nobody\n" AS("stime") },
		{ "utime", "CPU,nobody\n" AS("stime") "CPU,any\n" AS("utime") },
		{ "utime", "CPU,ANY\n" AS("utime") },
	};

	intel_machine();
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect_both(cases[i].expected, cases[i].text);
}

/* Of several tables the later overrides the earlier, event by event; of user events, too. */
static void several_tables(void)
{
	const char *text = "CPU," ALDER_LAKE "\n" AS("utime") "PRESET,Y,NOT_DERIVED,rusage:::minflt\nCPU,nobody\n" AS(
		"stime") "CPU,any\n" AS("majflt") "CPU," ALDER_LAKE "\nCPU,nobody\n" AS("nvcsw");

	intel_machine();
	expect_x("rusage:::nvcsw", text, false);
	expect_x("rusage:::nvcsw", text, true);
	files_library(text, NULL);
	EXPECT_TEXT("rusage:::minflt", files_info("Y")->name[0]);
	files_library_end();
	files_library("", "CPU," ALDER_LAKE "\n" AS("utime"));
	EXPECT_OK(files_add("CPU,nobody\n" AS("minflt") "CPU,any\n" AS("stime")));
	EXPECT_TEXT("rusage:::stime", files_info("X")->name[0]);
	files_library_end();
}

/* A PRESET line in a user's file is that preset from then on; what an EventSet counts stays as it is. */
static void presets_of_the_user(void)
{
	int set = PAPI_NULL;

	blank_machine();
	files_library(
		"PRESET,PAPI_TOT_INS,NOT_DERIVED,rusage:::utime\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,rusage:::utime\n",
		"PRESET,PAPI_TOT_INS,NOT_DERIVED,rusage:::minflt\nEVENT,X,NOT_DERIVED,PAPI_TOT_INS\n");
	EXPECT_TEXT("rusage:::minflt", files_info("PAPI_TOT_INS")->name[0]);
	EXPECT_TEXT("rusage:::utime", files_info("PAPI_TOT_CYC")->name[0]);
	EXPECT_EQUAL(PAPI_TOT_INS, files_code("PAPI_TOT_INS"));
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_event(set, PAPI_TOT_CYC));
	EXPECT_STATUS(PAPI_EISRUN,
		files_add("PRESET,PAPI_TOT_CYC,NOT_DERIVED,rusage:::majflt\n"
			  "PRESET,PAPI_TOT_INS,NOT_DERIVED,rusage:::majflt\n"));
	EXPECT_TEXT("rusage:::utime", files_info("PAPI_TOT_CYC")->name[0]);
	EXPECT_TEXT("rusage:::majflt", files_info("PAPI_TOT_INS")->name[0]);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	files_library_end();
}

/* The kernel's own events are on every machine: their PMU is no reason to do without the generic table. */
static void kernel_events(void)
{
	blank_machine();
	expect_both("utime", "CPU,perf\n" AS("utime"));
	expect_both("utime", "CPU,PERF\nCPU,nobody\n" AS("utime"));
	expect_both("stime", "CPU,perf\n" AS("utime") "CPU,generic\n" AS("stime"));
}

/* Who asks for an event of another machine is told so, and what would have been right. */
static void other_machines(void)
{
	const char *other = "CPU,nobody\nCPU,nobody-else\nEVENT,Z,NOT_DERIVED,rusage:::minflt\n"
			    "PRESET,PAPI_CA_SHR,NOT_DERIVED,rusage:::minflt\n";
	char text[400];
	int code;

	intel_machine();
	snprintf(text, sizeof(text), "%sCPU,any\nEVENT,Y,NOT_DERIVED,Z\n", other);
	files_library("", text);
	EXPECT_ERROR(PAPI_ENOEVNT,
		"events.txt:3:7: Z is defined for the CPU \"nobody-else\"; the names of this machine are perf",
		PAPI_event_name_to_code("Z", &code));
	EXPECT(strstr(PAPI_error_detail(), ALDER_LAKE) != NULL);
	EXPECT_ERROR(PAPI_ENOEVNT, "events.txt:4:8: PAPI_CA_SHR is defined for", PAPI_query_event(PAPI_CA_SHR));
	EXPECT_ERROR(PAPI_ENOEVNT, "no event is named \"NOT_THERE\"", PAPI_event_name_to_code("NOT_THERE", &code));
	/* With nothing for this machine in it, the file itself is spoken of. */
	EXPECT_OK(files_add(other));
	EXPECT(strstr(PAPI_error_detail(), "no section of this file is for this machine") != NULL);
	/* Defined after all, it is there. */
	EXPECT_OK(files_add("CPU," ALDER_LAKE "\nEVENT,Z,NOT_DERIVED,rusage:::minflt\n"));
	EXPECT_OK(PAPI_query_named_event("Z"));
	files_library_end();
}

/* Only a machine that no other table is for gets the generic one; "any" is for it too. */
static void generic(void)
{
	static const char generic_and_mine[] = "CPU,generic\n" AS(
		"stime") "PRESET,Y,NOT_DERIVED,rusage:::minflt\n"
			 "CPU," ALDER_LAKE "\n" AS("utime") "CPU,any\nPRESET,Z,NOT_DERIVED,rusage:::majflt\n";

	intel_machine();
	files_library(generic_and_mine, NULL);
	EXPECT_TEXT("rusage:::utime", files_info("X")->name[0]);
	EXPECT_TEXT("rusage:::majflt", files_info("Z")->name[0]);
	EXPECT_ERROR(PAPI_ENOEVNT, "Y", PAPI_query_named_event("Y"));
	files_library_end();

	amd_machine();
	files_library(generic_and_mine, NULL);
	EXPECT_TEXT("rusage:::stime", files_info("X")->name[0]);
	EXPECT_TEXT("rusage:::minflt", files_info("Y")->name[0]);
	EXPECT_TEXT("rusage:::majflt", files_info("Z")->name[0]);
	files_library_end();

	expect_x("rusage:::stime", "CPU,nobody\nCPU,Generic\n" AS("stime"), false);
	expect_x("rusage:::stime", "CPU,generic\nCPU,nobody\n" AS("stime"), false);
	expect_x("rusage:::stime", "CPU,any\n" AS("utime") "CPU,generic\n" AS("stime"), false);
	/* The generic table of a file of user events is for the same machines. */
	expect_x("rusage:::stime", "CPU,generic\n" AS("stime") "CPU," ALDER_LAKE "\n" AS("utime"), true);
}

static void names_of_machines(void)
{
	const char *text = "CPU,generic\n" AS("realtime") "CPU," ALDER_LAKE "\n" AS(
		"utime") "CPU," ZEN_5
			 "\n" AS("stime") "CPU,arm-0x41-0xd0b\n" AS(
				 "minflt") "CPU,arm-0x41-0xd05\nPRESET,Y,NOT_DERIVED,rusage:::majflt\n"
					   "CPU,arm-0x41-0xd0c\nPRESET,Z,NOT_DERIVED,rusage:::majflt\n";

	intel_machine();
	expect_x("rusage:::utime", text, false);
	amd_machine();
	expect_x("rusage:::stime", text, false);
	arm_machine();
	expect_x("rusage:::minflt", text, false);
	/* Each kind of core has its table. */
	files_library(text, NULL);
	EXPECT_OK(PAPI_query_named_event("Y"));
	EXPECT_ERROR(PAPI_ENOEVNT, "Z", PAPI_query_named_event("Z"));
	files_library_end();
	blank_machine();
	expect_x("rusage:::realtime", text, false);
}

/* The built-in tables, on a machine that nobody knows: what is said of an event that has no definition there. */
static void built_in_tables(void)
{
	PAPI_event_info_t info;

	blank_machine();
	files_library_at(NULL, NULL);
	REQUIRE_OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
	EXPECT_TEXT("perf::INSTRUCTIONS", info.name[0]);
	EXPECT_TEXT("PAPI_TOT_CYC", files_info("PAPI_IPS")->name[0]);
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_CA_CLN is not defined for this CPU", PAPI_query_event(PAPI_CA_CLN));
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "matching", matching },
		{ "several tables", several_tables },
		{ "presets of the user", presets_of_the_user },
		{ "the kernel's events", kernel_events },
		{ "other machines", other_machines },
		{ "generic", generic },
		{ "names of machines", names_of_machines },
		{ "built-in tables", built_in_tables },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
