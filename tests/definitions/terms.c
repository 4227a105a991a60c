/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events are made of: natives in all forms, presets and user events, in circles and in towers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "check.h"
#include "files.h"
#include "work.h"

/* A machine with a PMU that is described by the kernel's files. */
static void machine_with_pmu(void)
{
	static const char *const directories[] = { "", "/sys", "/sys/bus", "/sys/bus/event_source",
		"/sys/bus/event_source/devices", "/sys/bus/event_source/devices/thing",
		"/sys/bus/event_source/devices/thing/events", "/sys/bus/event_source/devices/thing/format" };
	static const char *const contents[][2] = {
		{ "type", "99\n" },
		{ "format/event", "config:0-7\n" },
		{ "format/umask", "config:8-15\n" },
		{ "format/long", "config1:0-63\n" },
		{ "events/named", "event=0x5,umask=0x7\n" },
	};

	for (size_t i = 0; i < COUNT_OF(directories); i++) {
		char name[200];

		snprintf(name, sizeof(name), "machine%s", directories[i]);
		REQUIRE(mkdir(files_path(name), 0777) == 0 || errno == EEXIST);
	}
	for (size_t i = 0; i < COUNT_OF(contents); i++) {
		char name[200];

		snprintf(name, sizeof(name), "machine/sys/bus/event_source/devices/thing/%s", contents[i][0]);
		files_write(name, contents[i][1]);
	}
	REQUIRE(setenv("PAPI_ROOT", files_path("machine"), 1) == 0);
}

/* Commas between the slashes of an event in the kernel's form belong to it, without quotes and within. */
static void kernel_form(void)
{
	static const struct {
		const char *line, *terms[3];
	} cases[] = {
		{ "NOT_DERIVED,thing/named/", { "thing/named/" } },
		{ "NOT_DERIVED,thing/event=0x0,long=0/", { "thing/event=0x0,long=0/" } },
		{ "NOT_DERIVED,thing/event=0x0,long=0/u", { "thing/event=0x0,long=0/u" } },
		{ "NOT_DERIVED, \"thing/event=0x0,long=0/uk\" ", { "thing/event=0x0,long=0/uk" } },
		{ "DERIVED_ADD,thing/event=1,umask=2/,thing/event=1,umask=3,long=4/,NOTE,a/b,SDESC,c/d",
			{ "thing/event=1,umask=2/", "thing/event=1,umask=3,long=4/" } },
		{ "DERIVED_SUB," FAULTS ",thing/named,umask=1/ , rusage:::minflt",
			{ FAULTS, "thing/named,umask=1/", "rusage:::minflt" } },
		{ "DERIVED_INFIX,N0/N1,thing/event=1,umask=2/,thing/named/",
			{ "thing/event=1,umask=2/", "thing/named/" } },
		{ "DERIVED_POSTFIX,N0|N1|/|,thing/event=1,umask=2/," FAULTS, { "thing/event=1,umask=2/", FAULTS } },
	};

	machine_with_pmu();
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const PAPI_event_info_t *info;
		char text[300];

		snprintf(text, sizeof(text), "EVENT,X,%s\n", cases[i].line);
		files_library("", text);
		EXPECT_OK(PAPI_query_named_event("X"));
		info = files_info("X");
		for (unsigned j = 0; j < 3; j++)
			EXPECT_TEXT(cases[i].terms[j] ? cases[i].terms[j] : "", info->name[j]);
		files_library_end();
	}
	files_library("",
		"EVENT,X,NOT_DERIVED,thing/event=0x100,long=0/\nEVENT,Y,NOT_DERIVED,other/event=1,long=2/\n"
		"EVENT,Z,NOT_DERIVED,thing/event=1,strange=2/\n");
	EXPECT_ERROR(PAPI_EINVAL, "X needs thing/event=0x100,long=0/: ", PAPI_query_named_event("X"));
	EXPECT_ERROR(PAPI_ENOEVNT, "Y needs other/event=1,long=2/: ", PAPI_query_named_event("Y"));
	EXPECT_ERROR(PAPI_ENOEVNT, "Z needs thing/event=1,strange=2/: ", PAPI_query_named_event("Z"));
	files_library_end();
	unsetenv("PAPI_ROOT");
}

static void expect_terms(const char *name, unsigned n, const char *const terms[])
{
	const PAPI_event_info_t *info = files_info(name);

	EXPECT_OK(PAPI_query_named_event(name));
	EXPECT_EQUAL(n, info->count);
	for (unsigned i = 0; i < n; i++)
		EXPECT_TEXT(terms[i], info->name[i]);
}

/* Terms that are presets or user events stay what the file says; order in the file does not matter. */
static void presets_and_user_events(void)
{
	files_library("PRESET,PAPI_L1_TCM,DERIVED_ADD,PAPI_L1_DCM,PAPI_L1_ICM\n"
		      "PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS "\n"
		      "PRESET,PAPI_L1_ICM,NOT_DERIVED,rusage:::minflt\nPRESET,NEW,NOT_DERIVED,PAPI_L1_TCM\n",
		"EVENT,ALIAS,NOT_DERIVED,SUM\nEVENT,SUM,DERIVED_INFIX,N0*2-N1,NEW," MINOR_FAULTS "\n");
	expect_terms("PAPI_L1_TCM", 2, (const char *[]){ "PAPI_L1_DCM", "PAPI_L1_ICM" });
	expect_terms("NEW", 1, (const char *[]){ "PAPI_L1_TCM" });
	expect_terms("SUM", 2, (const char *[]){ "NEW", MINOR_FAULTS });
	expect_terms("ALIAS", 1, (const char *[]){ "SUM" });
	files_library_end();
	/* Names that look like keywords are in quotes. */
	files_library("", "EVENT,NOTE,NOT_DERIVED," FAULTS "\nEVENT,X,DERIVED_ADD,\"NOTE\",'NOTE',NOTE,text\n");
	expect_terms("X", 2, (const char *[]){ "NOTE", "NOTE" });
	EXPECT_TEXT("text", files_info("X")->note);
	files_library_end();
	/* A user's file may define presets too, add to the tables, and replace what they have. */
	files_library("PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS "\n",
		"PRESET,PAPI_L2_DCM,NOT_DERIVED,PAPI_L1_DCM\nEVENT,PAPI_L1_DCM,NOT_DERIVED," MINOR_FAULTS "\n");
	EXPECT_EQUAL(PAPI_L2_DCM, files_code("PAPI_L2_DCM"));
	expect_terms("PAPI_L2_DCM", 1, (const char *[]){ "PAPI_L1_DCM" });
	expect_terms("PAPI_L1_DCM", 1, (const char *[]){ MINOR_FAULTS });
	files_library_end();
}

static void circles(void)
{
	const char *presets = "PRESET,PAPI_L1_DCM,NOT_DERIVED,PAPI_L1_ICM\n"
			      "PRESET,PAPI_L1_ICM,DERIVED_ADD," FAULTS ",PAPI_L1_DCM\n";
	const char *user_events = "EVENT,SELF,NOT_DERIVED,SELF\n"
				  "EVENT,A,DERIVED_ADD," FAULTS ",B\n"
				  "EVENT,B,NOT_DERIVED,C\n"
				  "EVENT,C,NOT_DERIVED,A\n"
				  "EVENT,BESIDE,NOT_DERIVED,B\n"
				  "EVENT,GOOD,NOT_DERIVED," FAULTS "\n";

	files_library(presets, user_events);
	EXPECT_STATUS(PAPI_EINVAL, PAPI_query_named_event("SELF"));
	EXPECT_TEXT("SELF needs SELF: SELF again: the definition goes round in a circle", PAPI_error_detail());
	EXPECT_STATUS(PAPI_EINVAL, PAPI_query_named_event("A"));
	EXPECT_TEXT(
		"A needs B: B needs C: C needs A: A again: the definition goes round in a circle", PAPI_error_detail());
	EXPECT_STATUS(PAPI_EINVAL, PAPI_query_named_event("BESIDE"));
	EXPECT_TEXT("BESIDE needs B: B needs C: C needs A: A needs B: B again: the definition goes round in a circle",
		PAPI_error_detail());
	EXPECT_STATUS(PAPI_EINVAL, PAPI_query_event(PAPI_L1_DCM));
	EXPECT_TEXT("PAPI_L1_DCM needs PAPI_L1_ICM: PAPI_L1_ICM needs PAPI_L1_DCM: PAPI_L1_DCM again: "
		    "the definition goes round in a circle",
		PAPI_error_detail());
	EXPECT_OK(PAPI_query_named_event("GOOD"));
	/* Asked again, the answer is the same. */
	EXPECT_ERROR(PAPI_EINVAL, "C needs A: A needs B: B needs C: C again", PAPI_query_named_event("C"));
	files_library_end();
}

/* Each event is the alias of the one before. */
static char *tower(unsigned height)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	REQUIRE(stream != NULL);
	fputs("EVENT,T0,NOT_DERIVED," FAULTS "\n", stream);
	for (unsigned i = 1; i <= height; i++)
		fprintf(stream, "EVENT,T%u,NOT_DERIVED,T%u\n", i, i - 1);
	REQUIRE(fclose(stream) == 0);
	return text;
}

/* A tower of any height is refused or counted, and never falls on the program. */
static void towers(void)
{
	char *text = tower(30);

	files_library("", text);
	EXPECT_OK(PAPI_query_named_event("T30"));
	files_library_end();
	free(text);
	text = tower(100000);
	files_library("", text);
	EXPECT_ERROR(PAPI_EINVAL, "T100000 needs T99999: ", PAPI_query_named_event("T100000"));
	EXPECT_OK(PAPI_query_named_event("T30"));
	files_library_end();
	free(text);
}

/* Each event is twice the one before: after 40 of them a formula would have 2^40 steps. */
static void doubling(void)
{
	const struct rlimit limit = { 3ul << 30, RLIM_INFINITY };
	struct rlimit before;
	char text[4000] = "EVENT,D0,NOT_DERIVED," FAULTS "\n", *end = text + strlen(text), name[16];

	for (int i = 1; i <= 40; i++)
		end += sprintf(end, "EVENT,D%d,DERIVED_ADD,D%d,D%d\n", i, i - 1, i - 1);
	files_library("", text);
	EXPECT_OK(PAPI_query_named_event("D8"));
	REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
	/* What would take all memory of the machine ends here; a sanitizer has mapped more than that already. */
	if (work_exact_faults() && before.rlim_cur == RLIM_INFINITY)
		REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
	for (int i = 40; i > 20; i -= 4) {
		snprintf(name, sizeof(name), "D%d", i);
		EXPECT_ERROR(PAPI_EINVAL, "steps", PAPI_query_named_event(name));
	}
	REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
	EXPECT_OK(PAPI_query_named_event("D8"));
	files_library_end();
}

/* The component of a user event is that of its first native, and it is there whatever becomes of the others. */
static void components(void)
{
	files_library("",
		"EVENT,MIXED,DERIVED_ADD,rusage:::minflt," FAULTS "\n"
		"EVENT,OTHER,DERIVED_ADD," FAULTS ",rusage:::minflt\n"
		"EVENT,USAGE,DERIVED_SUB,rusage:::minflt,rusage:::majflt\n");
	EXPECT_EQUAL(PAPI_get_component_index("rusage"), PAPI_get_event_component(files_code("MIXED")));
	EXPECT_EQUAL(PAPI_get_component_index("perf_event"), PAPI_get_event_component(files_code("OTHER")));
	EXPECT_EQUAL(PAPI_get_component_index("rusage"), files_info("USAGE")->component_index);
	files_library_end();

	REQUIRE_OK(PAPI_disable_component_by_name("perf_event"));
	files_library("PRESET,PAPI_L1_DCM,NOT_DERIVED,rusage:::minflt\n",
		"EVENT,MIXED,DERIVED_ADD,rusage:::minflt," FAULTS "\nEVENT,USAGE,NOT_DERIVED,rusage:::minflt\n");
	EXPECT_OK(PAPI_query_named_event("USAGE"));
	EXPECT_OK(PAPI_query_event(PAPI_L1_DCM));
	EXPECT_ERROR(PAPI_ECMP_DISABLED, "MIXED needs " FAULTS ": component perf_event is disabled",
		PAPI_query_named_event("MIXED"));
	EXPECT_ERROR(PAPI_ECMP_DISABLED, "component perf_event is disabled", PAPI_query_named_event("NEITHER"));
	files_library_end();
}

/* User events are found and listed in the order of the file, whatever their names look like. */
static void names_and_codes(void)
{
	static const char *const names[] = { "ONE", "with space", "a:b", "read", "PAPI_MINE", "x/y", "UP::down",
		"mem:0x601040:w", "\303\251t\303\251" };
	char text[1000], *end = text, name[PAPI_MAX_STR_LEN];
	int code = PAPI_UE_MASK;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		end += sprintf(end, "EVENT,%s,NOT_DERIVED," FAULTS "\n", names[i]);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		files_library("", text);
		EXPECT_EQUAL(PAPI_UE_MASK | (int)i, files_code(names[i]));
		EXPECT_OK(PAPI_event_code_to_name(PAPI_UE_MASK | (int)i, name));
		EXPECT_TEXT(names[i], name);
		files_library_end();
	}
	files_library("", text);
	EXPECT_OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		EXPECT_EQUAL(PAPI_UE_MASK | (int)i, code);
		EXPECT_STATUS(
			i + 1 < COUNT_OF(names) ? PAPI_OK : PAPI_ENOEVNT, PAPI_enum_event(&code, PAPI_ENUM_EVENTS));
	}
	EXPECT_ERROR(PAPI_ENOEVNT, "0xc0000009 is not the code of a user event; there are 9",
		PAPI_query_event(PAPI_UE_MASK | (int)COUNT_OF(names)));
	/* More come behind those there are, at any time. */
	EXPECT_OK(files_add("EVENT,LATER,NOT_DERIVED," FAULTS "\n"));
	EXPECT_EQUAL(PAPI_UE_MASK | (int)COUNT_OF(names), files_code("LATER"));
	files_library_end();
	/* And are forgotten by the next initialisation. */
	files_library("", "");
	EXPECT_ERROR(PAPI_ENOEVNT, "LATER", PAPI_event_name_to_code("LATER", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "there are 0", PAPI_query_event(PAPI_UE_MASK));
	code = PAPI_UE_MASK;
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_enum_event(&code, PAPI_ENUM_FIRST));
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "kernel form", kernel_form },
		{ "presets and user events", presets_and_user_events },
		{ "circles", circles },
		{ "towers", towers },
		{ "doubling", doubling },
		{ "components", components },
		{ "names and codes", names_and_codes },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
