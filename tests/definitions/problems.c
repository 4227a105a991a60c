/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with a definition file: a bad line loses its own event and nothing else, whoever asks for that event
 * gets file, line, column and what was expected, and PAPI_VERBOSE shows it without being asked. Files that are no
 * definition files at all are in test files_of_all_kinds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"

#define TERM_EXPECTED "expected a term (N0, N1, ...), a number or #"
#define TYPE_EXPECTED "expected a type such as NOT_DERIVED, DERIVED_ADD or DERIVED_POSTFIX, not "

/* A line that should define X, the column where it goes wrong, and what is said about it. */
static const struct bad {
	const char *line;
	int column;
	const char *sentence;
} bads[] = {
	{ "EVENT,X", 7, "expected a type such as NOT_DERIVED or DERIVED_ADD after X" },
	{ "EVENT,X,", 9, TYPE_EXPECTED "\"\"" },
	{ "EVENT,X,DERIVED_MUL," FAULTS, 9, TYPE_EXPECTED "\"DERIVED_MUL\"" },
	{ " EVENT ,\tX , \"DERIVED_MUL\" ," FAULTS, 14, TYPE_EXPECTED "\"DERIVED_MUL\"" },
	{ "EVENT,X,NOT_DERIVED", 9, "expected at least one event that X is made of" },
	{ "EVENT,X,NOT_DERIVED,,,", 9, "expected at least one event that X is made of" },
	{ "EVENT,X,DERIVED_ADD," FAULTS ",," FAULTS, 39, "expected the name of an event between two commas" },
	{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE", 39, "expected a text after NOTE" },
	{ "EVENT,X,DERIVED_INFIX", 9, "expected a formula after DERIVED_INFIX" },
	{ "EVENT,X,DERIVED_POSTFIX,," FAULTS, 25, "expected a formula after DERIVED_POSTFIX" },
	{ "EVENT,X,DERIVED_ADD," FAULTS, 7, "X: DERIVED_ADD takes at least 2 events, not 1" },
	{ "EVENT,X,DERIVED_SUB," FAULTS, 7, "X: DERIVED_SUB takes at least 2 events, not 1" },
	{ "EVENT,X,NOT_DERIVED," FAULTS "," FAULTS, 7, "X: NOT_DERIVED takes 1 event, not 2" },
	{ "EVENT,X,DERIVED_PS," FAULTS, 7, "X: DERIVED_PS takes 2 events, not 1" },
	{ "EVENT,X,DERIVED_ADD_PS," FAULTS "," FAULTS, 7, "X: DERIVED_ADD_PS takes at least 3 events, not 2" },
	{ "EVENT,X,DERIVED_PS," FAULTS ",PAPI_TOT_CYC", 7,
		"X: DERIVED_PS takes cycles first, PAPI_TOT_CYC or an event with CYC or CLK in its name, not " FAULTS },
	{ "EVENT,X,DERIVED_ADD_PS," FAULTS ",PAPI_TOT_CYC," FAULTS, 7,
		"X: DERIVED_ADD_PS takes cycles first, "
		"PAPI_TOT_CYC or an event with CYC or CLK in its name, not " FAULTS },
	{ "EVENT,X,DERIVED_INFIX,N0+," FAULTS, 23, "X: formula \"N0+\", position 4: " TERM_EXPECTED },
	{ "EVENT,X,DERIVED_INFIX,N0+N1," FAULTS, 23,
		"X: formula \"N0+N1\", position 4: term N1, but there are 1 terms (N0 is the first)" },
	{ "EVENT,X,DERIVED_INFIX,(N0," FAULTS, 23, "X: formula \"(N0\", position 4: expected \")\"" },
	{ "EVENT,X,DERIVED_INFIX,N0)," FAULTS, 23, "X: formula \"N0)\", position 3: expected an operator or the end" },
	{ "EVENT,X,DERIVED_INFIX,N0 N0," FAULTS, 23,
		"X: formula \"N0 N0\", position 4: expected an operator or the end" },
	{ "EVENT,X,DERIVED_INFIX, N0+ ," FAULTS, 24, "X: formula \"N0+\", position 4: " TERM_EXPECTED },
	{ "EVENT,X,DERIVED_POSTFIX,N0|N0," FAULTS, 25, "X: formula \"N0|N0\" leaves 2 values, not one" },
	{ "EVENT,X,DERIVED_POSTFIX,||," FAULTS, 25, "X: formula \"||\" leaves 0 values, not one" },
	{ "EVENT,X,DERIVED_POSTFIX,N0|+|," FAULTS, 25,
		"X: formula \"N0|+|\", position 4: expected two operands before an operator" },
	{ "EVENT,X,DERIVED_POSTFIX,N0N0|+|," FAULTS, 25,
		"X: formula \"N0N0|+|\", position 3: expected \"|\" or the end" },
	{ "EVENT,X,DERIVED_POSTFIX,N0|M|+|," FAULTS, 25, "X: formula \"N0|M|+|\", position 4: " TERM_EXPECTED },
};

static void expect_lost(const char *name, const char *sentence)
{
	int code;

	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_event_name_to_code(name, &code));
	EXPECT_TEXT(sentence, PAPI_error_detail());
}

/* In the middle of good lines, which stay. */
static void places_and_sentences(void)
{
	for (size_t i = 0; i < COUNT_OF(bads); i++) {
		char text[400], expected[1000];

		snprintf(text, sizeof(text), "EVENT,W,NOT_DERIVED," FAULTS "\n%s\nEVENT,Y,NOT_DERIVED," FAULTS "\n",
			bads[i].line);
		files_library("", text);
		snprintf(expected, sizeof(expected), "%s:2:%d: %s", files_path("events.txt"), bads[i].column,
			bads[i].sentence);
		expect_lost("X", expected);
		EXPECT_OK(PAPI_query_named_event("W"));
		EXPECT_OK(PAPI_query_named_event("Y"));
		files_library_end();
	}
}

/* A preset that the interface names has a valid code all the same, and the query says why it is not there. */
static void presets_of_bad_lines(void)
{
	files_library("#\n\nPRESET,PAPI_L1_DCM,DERIVED_MUL," FAULTS "\nPRESET,PAPI_L1_ICM,NOT_DERIVED," FAULTS "\n"
		      "PRESET,PAPI_L2_DCM,DERIVED_INFIX,N0+1+,MINOR\n",
		NULL);
	EXPECT_ERROR(PAPI_ENOEVNT, "presets.csv:3:20: expected a type", PAPI_query_event(PAPI_L1_DCM));
	EXPECT_OK(PAPI_query_event(PAPI_L1_ICM));
	EXPECT_ERROR(PAPI_ENOEVNT, "presets.csv:5:34: PAPI_L2_DCM: formula \"N0+1+\"", PAPI_query_event(PAPI_L2_DCM));
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_L2_ICM is not defined for this CPU", PAPI_query_event(PAPI_L2_ICM));
	files_library_end();
}

/* Lines are counted in the file, with the comments, the blank lines and the tables of other CPUs. */
static void line_numbers(void)
{
	static const char *const ends[] = { "\n", "\r", "\r\n" };

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const char *e = ends[i];
		char text[400], expected[400];

		snprintf(text, sizeof(text),
			"# one%s%s  %sCPU,nobody-has-this%sEVENT,Z,BAD%sFOO,bar%s%sCPU,any%sEVENT,X,BAD%s", e, e, e, e,
			e, e, e, e, e);
		files_library("", text);
		snprintf(expected, sizeof(expected), "%s:9:9: " TYPE_EXPECTED "\"BAD\"", files_path("events.txt"));
		expect_lost("X", expected);
		/* Nobody looks at what Z would have been: its table is for another CPU. */
		snprintf(expected, sizeof(expected), "%s:5:7: Z is defined for the CPU \"nobody-has-this\"; ",
			files_path("events.txt"));
		EXPECT_ERROR(PAPI_ENOEVNT, expected, PAPI_query_named_event("Z"));
		files_library_end();
	}
}

/* A path that leaves little room in a message leaves all of the place. */
static void long_paths(void)
{
	char name[251], text[] = "\nEVENT,X,DERIVED_INFIX,N0+,perf::PAGE-FAULTS\n", expected[1000];
	const char *path;

	memset(name, 'p', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	path = files_write(name, text);
	files_library_at(files_write("empty", ""), path);
	snprintf(expected, sizeof(expected), "%s:2:23: X: formula \"N0+\", position 4: " TERM_EXPECTED, path);
	expect_lost("X", expected);
	files_library_end();
}

/* A comment begins in column 1: anywhere else its sign is part of a word, which nobody knows. */
static void indented_comment(void)
{
	files_library("", NULL);
	EXPECT_STATUS(PAPI_EINVAL, files_add("# a comment\n  # none\nEVENT,X,NOT_DERIVED," FAULTS "\n"));
	EXPECT(strstr(PAPI_error_detail(), "more.txt:2:3: expected CPU, PRESET or EVENT, not \"#\"") != NULL);
	EXPECT_OK(PAPI_query_named_event("X"));
	files_library_end();
}

static void load(void)
{
	files_library_at(getenv("PAPI_CSV_EVENT_FILE"), getenv("PAPI_USER_EVENTS_FILE"));
	PAPI_query_event(PAPI_TOT_INS);
	files_library_end();
}

/* Each problem is shown once, unknown first words are one problem, and without PAPI_VERBOSE nothing is printed. */
static void shown_when_asked(void)
{
	const char *text = "FOO,bar\nPRESET,X,BAD,a\nBAZ\nPRESET,PAPI_TOT_INS,NOT_DERIVED," FAULTS
			   "\nPRESET,Y,BAD,b\nPRESETS,c\n";
	char *printed, expected[300];

	for (int user_events = 0; user_events < 2; user_events++) {
		const char *path = files_write("shown", text), *empty = files_write("empty", "");

		setenv("PAPI_CSV_EVENT_FILE", user_events ? empty : path, 1);
		setenv("PAPI_USER_EVENTS_FILE", user_events ? path : empty, 1);
		printed = files_printed(load);
		EXPECT_TEXT("", printed);
		free(printed);
		setenv("PAPI_VERBOSE", "1", 1);
		printed = files_printed(load);
		unsetenv("PAPI_VERBOSE");
		PAPI_set_debug(PAPI_QUIET);
		snprintf(expected, sizeof(expected),
			"%s:1:1: expected CPU, PRESET or EVENT, not \"FOO\"; this and other such lines "
			"are skipped\n",
			path);
		EXPECT_EQUAL(1, files_count(printed, expected));
		snprintf(expected, sizeof(expected), "%s:2:10: " TYPE_EXPECTED "\"BAD\"\n", path);
		EXPECT_EQUAL(1, files_count(printed, expected));
		snprintf(expected, sizeof(expected), "%s:5:10: " TYPE_EXPECTED "\"BAD\"\n", path);
		EXPECT_EQUAL(1, files_count(printed, expected));
		EXPECT_EQUAL(3, files_count(printed, path));
		EXPECT_EQUAL(3, files_count(printed, "PAPI Error: "));
		free(printed);
	}
}

/* What PAPI_set_opt returns and what the detail says are of the same line: the first bad one. */
static void first_problem_is_returned(void)
{
	char expected[300];
	int set = PAPI_NULL;

	files_library("", "EVENT,TAKEN,NOT_DERIVED," FAULTS "\n");
	EXPECT_STATUS(PAPI_EINVAL,
		files_add("EVENT,A,NOT_DERIVED," FAULTS "\nEVENT,B,BAD," FAULTS "\n"
			  "EVENT,TAKEN,NOT_DERIVED," FAULTS "\nEVENT,C,NOT_DERIVED," FAULTS "\n"));
	snprintf(expected, sizeof(expected), "%s:2:9: " TYPE_EXPECTED "\"BAD\"", files_path("more.txt"));
	EXPECT_TEXT(expected, PAPI_error_detail());
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_named_event(set, "TAKEN"));
	EXPECT_STATUS(PAPI_EISRUN,
		files_add("EVENT,D,NOT_DERIVED," FAULTS "\nEVENT,TAKEN,NOT_DERIVED," FAULTS "\n"
			  "EVENT,E,BAD," FAULTS "\nEVENT,F,NOT_DERIVED," FAULTS "\n"));
	EXPECT(strstr(PAPI_error_detail(), "more.txt:2:7: TAKEN is in an EventSet") != NULL);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	for (const char *name = "ACDF"; *name; name++)
		EXPECT_OK(PAPI_query_named_event((char[]){ *name, '\0' }));
	files_library_end();
}

/* Events that are defined, and whose terms are not there. */
static void terms_that_are_not_here(void)
{
	const char *presets = "PRESET,PAPI_L1_DCM,DERIVED_ADD," FAULTS ",NO_SUCH:THING:c=1\n"
			      "PRESET,PAPI_L1_ICM,NOT_DERIVED," FAULTS "\n";
	const char *user_events = "EVENT,X,NOT_DERIVED,nobody::HAS-THIS\n"
				  "EVENT,Y,DERIVED_SUB,PAPI_L1_DCM," FAULTS "\n"
				  "EVENT,Z,NOT_DERIVED,nocomponent:::event\n"
				  "EVENT,W,NOT_DERIVED,PAPI_L2_DCM\n"
				  "EVENT,G,NOT_DERIVED," FAULTS "\n";

	files_library(presets, user_events);
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_L1_DCM needs NO_SUCH:THING:c=1: ", PAPI_query_event(PAPI_L1_DCM));
	EXPECT_ERROR(PAPI_ENOEVNT, "X needs nobody::HAS-THIS: ", PAPI_query_named_event("X"));
	EXPECT_ERROR(PAPI_ENOEVNT,
		"Y needs PAPI_L1_DCM: PAPI_L1_DCM needs NO_SUCH:THING:c=1: ", PAPI_query_named_event("Y"));
	EXPECT_ERROR(PAPI_ENOEVNT,
		"Z needs nocomponent:::event: \"nocomponent:::event\": no component is named \"nocomponent\"",
		PAPI_query_named_event("Z"));
	EXPECT_ERROR(PAPI_ENOEVNT, "W needs PAPI_L2_DCM: PAPI_L2_DCM is not defined for this CPU",
		PAPI_query_named_event("W"));
	EXPECT_OK(PAPI_query_event(PAPI_L1_ICM));
	EXPECT_OK(PAPI_query_named_event("G"));
	/* They are listed and described nevertheless, as not available. */
	EXPECT_EQUAL(0, files_info("X")->count);
	EXPECT_TEXT("nobody::HAS-THIS", files_info("X")->name[0]);
	EXPECT_EQUAL(0, files_info("PAPI_L1_DCM")->count);
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "places and sentences", places_and_sentences },
		{ "presets of bad lines", presets_of_bad_lines },
		{ "line numbers", line_numbers },
		{ "long paths", long_paths },
		{ "indented comment", indented_comment },
		{ "shown when asked", shown_when_asked },
		{ "first problem is returned", first_problem_is_returned },
		{ "terms that are not here", terms_that_are_not_here },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
