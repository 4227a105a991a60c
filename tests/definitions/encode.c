/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_encode_events: presets from a file of columns, as papi_decode prints them.
 * Reference: page PAPI_encode_events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"

static void columns(void)
{
	const PAPI_event_info_t *info;

	files_library("", NULL);
	EXPECT_OK(files_encode("PAPI_L1_ICM,NOT_DERIVED,,\"L1I, misses\",\"Level 1 instruction, cache\",," FAULTS "\r\n"
			       "PAPI_L2_TCM,DERIVED_POSTFIX,N0|N1|3|*|+|,'short',long text,\"a \"\"note\"\"\"," FAULTS
			       ", " MINOR_FAULTS "\n"
			       "\n# a comment\nMY_TLB,DERIVED_ADD,,,,," FAULTS "," MINOR_FAULTS "," MAJOR_FAULTS ",,,\n"
			       "PAPI_L3_TCM,derived_infix,\"N0 - N1\",,,," FAULTS ",PAPI_L1_ICM",
		0));
	info = files_info("PAPI_L1_ICM");
	EXPECT_TEXT("L1I, misses", info->short_descr);
	EXPECT_TEXT("Level 1 instruction, cache", info->long_descr);
	EXPECT_TEXT("", info->note);
	EXPECT_TEXT("NOT_DERIVED", info->derived);
	EXPECT_EQUAL((unsigned)PAPI_L1_ICM, info->event_code);
	info = files_info("PAPI_L2_TCM");
	EXPECT_TEXT("short", info->short_descr);
	EXPECT_TEXT("long text", info->long_descr);
	EXPECT_TEXT("a \"note\"", info->note);
	EXPECT_TEXT("N0|N1|3|*|+|", info->postfix);
	EXPECT_TEXT(MINOR_FAULTS, info->name[1]);
	EXPECT_EQUAL(2, info->count);
	info = files_info("MY_TLB");
	EXPECT_EQUAL((unsigned)PAPI_END, info->event_code);
	EXPECT_EQUAL(3, info->count);
	EXPECT_TEXT("", info->name[3]);
	info = files_info("PAPI_L3_TCM");
	EXPECT_TEXT("DERIVED_INFIX", info->derived);
	EXPECT_TEXT("N0 - N1", info->postfix);
	/* An empty description keeps the standard words. */
	EXPECT(strstr(info->long_descr, "Level 3") != NULL);
	files_library_end();
}

/* A title begins with the word "name"; a file that somebody has cut it off is complete without. */
static void titles(void)
{
	static const char *const titles[] = { "", "name\n", "name,derived\n\n\n",
		"\n# comment\n\"name\",whatever\r\n" };

	for (size_t i = 0; i < COUNT_OF(titles); i++) {
		char text[200];

		snprintf(text, sizeof(text),
			"%sPAPI_L1_ICM,NOT_DERIVED,,,,," FAULTS "\nPAPI_L2_ICM,NOT_DERIVED,,,,," FAULTS "\n",
			titles[i]);
		files_library("", NULL);
		EXPECT_OK(PAPI_encode_events((char *)(size_t)files_write("titled", text), 0));
		EXPECT_OK(PAPI_query_event(PAPI_L1_ICM));
		EXPECT_OK(PAPI_query_event(PAPI_L2_ICM));
		files_library_end();
	}
}

static void replacing(void)
{
	files_library("PRESET,PAPI_L1_ICM,NOT_DERIVED," FAULTS "\nPRESET,MINE,NOT_DERIVED," FAULTS "\n", NULL);
	EXPECT_ERROR(PAPI_EPERM,
		"decoded.csv:3:1: PAPI_L1_ICM is defined already; it is replaced only if that is asked for",
		files_encode(
			"PAPI_L1_ICM,NOT_DERIVED,,,,," MINOR_FAULTS "\nPAPI_L2_ICM,NOT_DERIVED,,,,," FAULTS "\n", 0));
	EXPECT_TEXT(FAULTS, files_info("PAPI_L1_ICM")->name[0]);
	EXPECT_OK(PAPI_query_event(PAPI_L2_ICM));
	EXPECT_OK(files_encode(
		"PAPI_L1_ICM,DERIVED_ADD,,,,," MINOR_FAULTS "," FAULTS "\nMINE,NOT_DERIVED,,,,," MAJOR_FAULTS "\n", 1));
	EXPECT_TEXT(MINOR_FAULTS, files_info("PAPI_L1_ICM")->name[0]);
	EXPECT_EQUAL(2, files_info("PAPI_L1_ICM")->count);
	EXPECT_TEXT(MAJOR_FAULTS, files_info("MINE")->name[0]);
	EXPECT_EQUAL(PAPI_END, files_code("MINE"));
	files_library_end();
}

/* What an EventSet counts stays as it is until it is out of it. */
static void in_an_eventset(void)
{
	int set = PAPI_NULL;

	files_library("PRESET,PAPI_L1_ICM,NOT_DERIVED,rusage:::minflt\n", "EVENT,ALIAS,NOT_DERIVED,PAPI_L1_ICM\n");
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_event(set, PAPI_L1_ICM));
	EXPECT_ERROR(PAPI_EISRUN, "decoded.csv:3:1: PAPI_L1_ICM is in an EventSet",
		files_encode(
			"PAPI_L1_ICM,NOT_DERIVED,,,,,rusage:::majflt\nPAPI_L2_ICM,NOT_DERIVED,,,,,rusage:::majflt\n",
			1));
	EXPECT_OK(PAPI_query_event(PAPI_L2_ICM));
	EXPECT_TEXT("rusage:::minflt", files_info("PAPI_L1_ICM")->name[0]);
	REQUIRE_OK(PAPI_remove_event(set, PAPI_L1_ICM));
	EXPECT_OK(files_encode("PAPI_L1_ICM,NOT_DERIVED,,,,,rusage:::majflt\n", 1));
	EXPECT_TEXT("rusage:::majflt", files_info("PAPI_L1_ICM")->name[0]);
	REQUIRE_OK(PAPI_add_named_event(set, "ALIAS"));
	/* The alias is in use, and what it stands for may change: for those who use it from now on. */
	EXPECT_OK(files_encode("PAPI_L1_ICM,NOT_DERIVED,,,,,rusage:::nvcsw\n", 1));
	REQUIRE_OK(PAPI_cleanup_eventset(set));
	REQUIRE_OK(PAPI_destroy_eventset(&set));
	files_library_end();
}

static void errors(void)
{
	static const struct {
		const char *line, *sentence;
	} bads[] = {
		{ ",NOT_DERIVED,,,,," FAULTS, "3:1: expected the name of an event" },
		{ "X", "3:1: expected a type such as NOT_DERIVED or DERIVED_ADD after X" },
		{ "X,", "3:3: expected a type such as NOT_DERIVED or DERIVED_ADD after X" },
		{ "X,DERIVED_MUL,,,,," FAULTS, "3:3: expected a type such as" },
		{ "X,NOT_DERIVED", "expected at least one event that X is made of" },
		{ "X,NOT_DERIVED,,,,,", "expected at least one event that X is made of" },
		{ "X,NOT_DERIVED,,,,," FAULTS "," FAULTS, "3:1: X: NOT_DERIVED takes 1 event, not 2" },
		{ "X,DERIVED_POSTFIX,,,,," FAULTS, "leaves 0 values" },
		{ "X,DERIVED_INFIX,N0+,,,," FAULTS, "3:17: X: formula \"N0+\", position 4: expected a term" },
	};

	for (size_t i = 0; i < COUNT_OF(bads); i++) {
		char text[400], words[400];
		int code;

		snprintf(text, sizeof(text), "%s\nPAPI_L1_ICM,NOT_DERIVED,,,,," FAULTS "\n", bads[i].line);
		snprintf(words, sizeof(words), "%s", bads[i].sentence);
		files_library("", NULL);
		EXPECT_ERROR(PAPI_EINVAL, words, files_encode(text, 1));
		EXPECT(strstr(PAPI_error_detail(), "decoded.csv:3") != NULL);
		EXPECT_OK(PAPI_query_event(PAPI_L1_ICM));
		EXPECT_STATUS(PAPI_ENOEVNT, PAPI_event_name_to_code("X", &code));
		files_library_end();
	}
	EXPECT_ERROR(PAPI_ENOINIT, "PAPI_library_init", files_encode("", 0));
}

/* The table has 128 places; those of the interface are taken. */
static void full_table(void)
{
	char *text = NULL, name[32];
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	const int room = 128 - (PAPI_END & PAPI_PRESET_AND_MASK);
	int code = PAPI_PRESET_MASK, n = 1, before;

	REQUIRE(stream != NULL);
	for (int i = 0; i < 200; i++)
		fprintf(stream, "FULL_%d,NOT_DERIVED,,,,,rusage:::minflt\n", i);
	REQUIRE(fclose(stream) == 0);
	files_library("", NULL);
	before = PAPI_get_component_info(PAPI_get_component_index("rusage"))->num_preset_events;
	EXPECT_EQUAL(0, before);
	EXPECT_ERROR(PAPI_ENOTPRESET, "the table of presets is full with 128 events", files_encode(text, 0));
	snprintf(name, sizeof(name), "decoded.csv:%d:1: FULL_%d: ", room + 3, room);
	EXPECT(strstr(PAPI_error_detail(), name) != NULL);
	for (int i = 0; i < room; i++) {
		snprintf(name, sizeof(name), "FULL_%d", i);
		EXPECT_EQUAL(PAPI_END + i, files_code(name));
		EXPECT_OK(PAPI_query_event(PAPI_END + i));
	}
	/* They are enumerated like the others, among those available too, and counted. */
	while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK)
		n++;
	EXPECT_EQUAL(128, n);
	code = PAPI_PRESET_MASK;
	for (n = 0; PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK; n++)
		EXPECT_EQUAL(PAPI_END + n, code);
	EXPECT_EQUAL(room, n);
	EXPECT_EQUAL(room, PAPI_get_component_info(PAPI_get_component_index("rusage"))->num_preset_events);
	EXPECT_ERROR(PAPI_ENOTPRESET, "0x80000080 is not the code of a preset; the last is 0x8000007f",
		PAPI_query_event(PAPI_PRESET_MASK | 128));
	/* Those there are can still be replaced. */
	EXPECT_OK(files_encode(
		"FULL_0,NOT_DERIVED,,,,,rusage:::majflt\nPAPI_L1_DCM,NOT_DERIVED,,,,,rusage:::majflt\n", 1));
	EXPECT_TEXT("rusage:::majflt", files_info("FULL_0")->name[0]);
	files_library_end();
	free(text);
}

/* Name for name, what one library writes the next one reads. */
static void there_and_back(void)
{
	static const char *const presets = "PRESET,PAPI_L1_ICM,DERIVED_INFIX,\"N0-(N1+N1)\"," FAULTS "," MINOR_FAULTS
					   ",NOTE,\"one, \"\"two\"\"\",LDESC,'it''s'\n";
	PAPI_event_info_t first;
	char line[4 * PAPI_HUGE_STR_LEN];

	files_library(presets, NULL);
	first = *files_info("PAPI_L1_ICM");
	files_library_end();
	snprintf(line, sizeof(line), "%s,%s,\"%s\",\"%s\",\"%s\",\"one, \"\"two\"\"\",%s,%s\n", first.symbol,
		first.derived, first.postfix, first.short_descr, first.long_descr, first.name[0], first.name[1]);
	files_library("", NULL);
	EXPECT_OK(files_encode(line, 0));
	EXPECT(memcmp(&first, files_info("PAPI_L1_ICM"), sizeof(first)) == 0);
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "columns", columns },
		{ "titles", titles },
		{ "replacing", replacing },
		{ "in an EventSet", in_an_eventset },
		{ "errors", errors },
		{ "full table", full_table },
		{ "there and back", there_and_back },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
