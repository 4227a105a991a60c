/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The grammar of definition files: every way to write a line that must be understood, as a file, and what
 * PAPI_get_event_info() then says. Each line is read as a user event, and what holds for all presets as a preset too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"

/* A file that defines X, and what X must be. NULL is the empty text; the terms are FAULTS where none are given. */
struct good {
	const char *text;
	const char *derived, *formula;
	const char *note, *short_description, *description;
	const char *terms[4];
};

/* Whether the formula has the clock rate in it, and the machine does not tell that. */
static bool wants_clock_rate(const struct good *good)
{
	bool has = strstr(good->derived, "_PS") || (good->formula && strchr(good->formula, '#'));

	return has && PAPI_get_hardware_info()->cpu_max_mhz == 0;
}

static void expect_event(const struct good *good, const PAPI_event_info_t *info)
{
	unsigned n = 0;

	EXPECT_TEXT(good->derived, info->derived);
	EXPECT_TEXT(good->formula ? good->formula : "", info->postfix);
	EXPECT_TEXT(good->short_description ? good->short_description : "", info->short_descr);
	EXPECT_TEXT(good->description ? good->description : "", info->long_descr);
	if (wants_clock_rate(good)) {
		EXPECT(strstr(info->note, "X: a formula uses the clock rate") != NULL);
		EXPECT_EQUAL(0, info->count);
		return;
	}
	EXPECT_TEXT(good->note ? good->note : "", info->note);
	while (n < COUNT_OF(good->terms) && good->terms[n]) {
		EXPECT_TEXT(good->terms[n], info->name[n]);
		/* The code of a native; a term that is defined itself has one of another kind. */
		if (strstr(good->terms[n], "::"))
			EXPECT_EQUAL(files_code(good->terms[n]), info->code[n]);
		n++;
	}
	EXPECT_TEXT("", info->name[n ? n : 1]);
	if (!n)
		EXPECT_TEXT(FAULTS, info->name[0]);
	EXPECT_EQUAL(n ? n : 1, info->count);
}

static void read_all(const struct good goods[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int before = check_failures();

		files_library("", goods[i].text);
		expect_event(&goods[i], files_info("X"));
		files_library_end();
		files_library(goods[i].text, NULL);
		expect_event(&goods[i], files_info("X"));
		files_library_end();
		if (check_failures() > before)
			fprintf(stderr, "^ with the text <<%.200s>>\n", goods[i].text);
	}
}

#define PLAIN .derived = "NOT_DERIVED"

static void separators(void)
{
	static const struct good goods[] = {
		{ "EVENT,X,NOT_DERIVED," FAULTS, PLAIN },
		{ "PRESET,X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT\tX,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT \t  X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT , X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT, X , NOT_DERIVED ,\t" FAULTS " \n", PLAIN },
		{ "  EVENT,X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "\tPRESET X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",\n", PLAIN },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",,,, , ,\t,\n", PLAIN },
		{ "EVENT,X,not_derived," FAULTS "\n", PLAIN },
		{ "EVENT,\"X\",'NOT_DERIVED',\"" FAULTS "\"\n", PLAIN },
		{ "EVENT,X,DERIVED_ADD," FAULTS " , " MINOR_FAULTS ",\n", .derived = "DERIVED_ADD",
			.terms = { FAULTS, MINOR_FAULTS } },
	};

	read_all(goods, COUNT_OF(goods));
}

/* The line before X and the line behind it must not be part of it. */
static void line_ends(void)
{
#define W "EVENT,W,NOT_DERIVED," MINOR_FAULTS
#define X "EVENT,X,NOT_DERIVED," FAULTS
#define Y "EVENT,Y,NOT_DERIVED," FAULTS
	static const struct good goods[] = {
		{ W "\n" X "\n" Y "\n", PLAIN },
		{ W "\r" X "\r" Y "\r", PLAIN },
		{ W "\r\n" X "\r\n" Y "\r\n", PLAIN },
		{ W "\n" Y "\r\n" X "\r", PLAIN },
		{ W "\r\r" Y "\n\r\n" X, PLAIN },
		/* Spreadsheets begin with a mark that is no text. */
		{ "\xef\xbb\xbf" W "\n" X "\n" Y "\n", PLAIN },
	};
#undef W
#undef X
#undef Y

	read_all(goods, COUNT_OF(goods));
	for (size_t i = 0; i < COUNT_OF(goods); i++) {
		files_library("", goods[i].text);
		EXPECT_TEXT(MINOR_FAULTS, files_info("W")->name[0]);
		EXPECT_TEXT(FAULTS, files_info("Y")->name[0]);
		files_library_end();
	}
}

static void blank_and_comment_lines(void)
{
	static const struct good goods[] = {
		{ "\n\n \t \n#EVENT,X,NOT_DERIVED," MINOR_FAULTS "\n# \"\n#\nEVENT,X,NOT_DERIVED," FAULTS "\n\n   ",
			PLAIN },
		/* What is a comment in column 1 is a name anywhere else. */
		{ "EVENT,#Y,NOT_DERIVED," MINOR_FAULTS "\nEVENT,X,NOT_DERIVED,#Y,NOTE,# no comment\n", PLAIN,
			.note = "# no comment", .terms = { "#Y" } },
	};

	read_all(goods, COUNT_OF(goods));
}

static void quotes(void)
{
	static const struct good goods[] = {
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"one, two\"\n", PLAIN, .note = "one, two" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,'one, two'\n", PLAIN, .note = "one, two" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"it's\"\n", PLAIN, .note = "it's" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,'say \"no\"'\n", PLAIN, .note = "say \"no\"" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"say \"\"no\"\", please\",SDESC,s\n", PLAIN,
			.note = "say \"no\", please", .short_description = "s" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,'it''s, well',SDESC,s\n", PLAIN, .note = "it's, well",
			.short_description = "s" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"\"\"\",SDESC,''''\n", PLAIN, .note = "\"",
			.short_description = "'" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"\",SDESC,'s'\n", PLAIN, .short_description = "s" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE, \" kept \" , SDESC,\t's'\t\n", PLAIN, .note = " kept ",
			.short_description = "s" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,no quotes (at all),SDESC,a \"quote\" inside\n", PLAIN,
			.note = "no quotes (at all)", .short_description = "a \"quote\" inside" },
		/* A quote that nobody closes takes the rest of the line, and no more. */
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"open, to the end\nEVENT,Y,NOT_DERIVED," FAULTS "\n", PLAIN,
			.note = "open, to the end" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,'open, it''s\r\n", PLAIN, .note = "open, it's" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"", PLAIN },
		/* A word in quotes is a text or a name, never a keyword. */
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,SDESC,SDESC,\"NOTE\"\n", PLAIN, .note = "SDESC",
			.short_description = "NOTE" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,back\\slash \\n %s %d\n", PLAIN,
			.note = "back\\slash \\n %s %d" },
		{ "EVENT,X,NOT_DERIVED," FAULTS ",NOTE,\"\303\204\303\226 \xff\x01\"\n", PLAIN,
			.note = "\303\204\303\226 ??" },
	};

	read_all(goods, COUNT_OF(goods));
}

static void texts_in_any_order(void)
{
	static const char *const words[] = { "NOTE,the note", "SDESC,\"short\"", "LDESC,'long, in words'" };
	static const unsigned orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
		{ 2, 1, 0 } };

	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct good good = { .derived = "DERIVED_ADD",
			.note = "the note",
			.short_description = "short",
			.description = "long, in words",
			.terms = { FAULTS, MINOR_FAULTS } };
		char text[300];

		/* Texts may also stand between the terms. */
		snprintf(text, sizeof(text), "EVENT,X,DERIVED_ADD,%s," FAULTS ",%s," MINOR_FAULTS ",%s\n",
			words[orders[i][0]], words[orders[i][1]], words[orders[i][2]]);
		good.text = text;
		read_all(&good, 1);
	}
}

static void formulas(void)
{
#define TWO                 FAULTS "," MINOR_FAULTS "\n"
#define FORMULA(type, text) .derived = type, .formula = text, .terms = { FAULTS, MINOR_FAULTS }
#define POSTFIX(text)       "EVENT,X,DERIVED_POSTFIX," text "," TWO, FORMULA("DERIVED_POSTFIX", text)
#define INFIX(text)         "EVENT,X,DERIVED_INFIX," text "," TWO, FORMULA("DERIVED_INFIX", text)
	static const struct good goods[] = {
		{ POSTFIX("N0|N1|3|*|+|") },
		{ POSTFIX("N0|N1|3|*|+") },
		{ POSTFIX("|N0|N1|3|*|+") },
		{ POSTFIX("|N0|N1|3|*|+|") },
		{ POSTFIX("||N0||N1|+||") },
		{ POSTFIX("N0 | N1 | +") },
		{ POSTFIX("n0|n1|-") },
		{ POSTFIX("N0|#|*|N1|/") },
		{ POSTFIX("N0|0.5|*|N1|+") },
		{ INFIX("N0+(N1*3)") },
		{ INFIX("N0 + N1 * 3") },
		{ INFIX("-(N0-N1)/2") },
		{ INFIX("N0*#/N1") },
		{ INFIX("N1/1e3+N0") },
		{ "EVENT,X,DERIVED_INFIX,\"N0 + N1\"," TWO, FORMULA("DERIVED_INFIX", "N0 + N1") },
		{ "EVENT,X,derived_infix, N0/N1 ," TWO, FORMULA("DERIVED_INFIX", "N0/N1") },
	};
#undef POSTFIX
#undef INFIX
#undef FORMULA
#undef TWO

	read_all(goods, COUNT_OF(goods));
}

static void every_type(void)
{
	static const struct good goods[] = {
		{ "EVENT,X,NOT_DERIVED," FAULTS "\n", PLAIN },
		{ "EVENT,X,DERIVED_ADD," FAULTS "," FAULTS "\n", .derived = "DERIVED_ADD",
			.terms = { FAULTS, FAULTS } },
		{ "EVENT,X,DERIVED_SUB," FAULTS "," MINOR_FAULTS "," MAJOR_FAULTS "\n", .derived = "DERIVED_SUB",
			.terms = { FAULTS, MINOR_FAULTS, MAJOR_FAULTS } },
		{ "EVENT,X,DERIVED_CMPD," FAULTS "," MINOR_FAULTS "\n", .derived = "DERIVED_CMPD",
			.terms = { FAULTS, MINOR_FAULTS } },
		{ "EVENT,MY_CYC,NOT_DERIVED," FAULTS "\nEVENT,X,DERIVED_PS,MY_CYC," MINOR_FAULTS "\n",
			.derived = "DERIVED_PS", .terms = { "MY_CYC", MINOR_FAULTS } },
		{ "EVENT,MY_CLK,NOT_DERIVED," FAULTS "\nEVENT,X,DERIVED_ADD_PS,MY_CLK," MINOR_FAULTS "," MAJOR_FAULTS
		  "\n",
			.derived = "DERIVED_ADD_PS", .terms = { "MY_CLK", MINOR_FAULTS, MAJOR_FAULTS } },
	};

	read_all(goods, COUNT_OF(goods));
}

/* PAPI_event_info_t has room for so many terms; the event has all of them. */
static void eighteen_terms(void)
{
	char text[2000] = "EVENT,X,DERIVED_POSTFIX,N0", *end = text + strlen(text);
	const PAPI_event_info_t *info;

	for (int i = 1; i < 18; i++)
		end += sprintf(end, "|N%d|+", i);
	for (int i = 0; i < 18; i++)
		end += sprintf(end, ",%s", i % 2 ? FAULTS : MINOR_FAULTS);
	files_library("", text);
	EXPECT_OK(PAPI_query_event(files_code("X")));
	info = files_info("X");
	EXPECT_EQUAL(PAPI_MAX_INFO_TERMS, info->count);
	for (int i = 0; i < PAPI_MAX_INFO_TERMS; i++)
		EXPECT_TEXT(i % 2 ? FAULTS : MINOR_FAULTS, info->name[i]);
	files_library_end();
}

static void texts_of_a_known_preset(void)
{
	PAPI_event_info_t standard;

	files_library("", NULL);
	REQUIRE_OK(PAPI_get_event_info(PAPI_L2_TCM, &standard));
	EXPECT(*standard.short_descr && *standard.long_descr);
	files_library_end();
	files_library("PRESET,PAPI_L2_TCM,NOT_DERIVED," FAULTS ",NOTE,n\nPRESET,PAPI_L1_TCM,NOT_DERIVED," FAULTS
		      ",SDESC,s,LDESC,l\n",
		NULL);
	EXPECT_EQUAL(PAPI_L2_TCM, files_code("PAPI_L2_TCM"));
	EXPECT_TEXT(standard.short_descr, files_info("PAPI_L2_TCM")->short_descr);
	EXPECT_TEXT(standard.long_descr, files_info("PAPI_L2_TCM")->long_descr);
	EXPECT_TEXT("n", files_info("PAPI_L2_TCM")->note);
	EXPECT_TEXT("s", files_info("PAPI_L1_TCM")->short_descr);
	EXPECT_TEXT("l", files_info("PAPI_L1_TCM")->long_descr);
	files_library_end();
}

/* PAPI_PERFMON_EVENT_FILE is the older name, and is asked after the newer one. */
static void older_variable(void)
{
	REQUIRE(setenv("PAPI_PERFMON_EVENT_FILE", files_write("older.csv", "PRESET,X,NOT_DERIVED," FAULTS "\n"), 1) ==
		0);
	files_library(NULL, NULL);
	EXPECT_TEXT(FAULTS, files_info("X")->name[0]);
	files_library_end();
	files_library("PRESET,X,NOT_DERIVED," MINOR_FAULTS "\n", NULL);
	EXPECT_TEXT(MINOR_FAULTS, files_info("X")->name[0]);
	files_library_end();
	unsetenv("PAPI_PERFMON_EVENT_FILE");
}

int main(void)
{
	static const struct test tests[] = {
		{ "separators", separators },
		{ "line ends", line_ends },
		{ "blank and comment lines", blank_and_comment_lines },
		{ "quotes", quotes },
		{ "texts in any order", texts_in_any_order },
		{ "formulas", formulas },
		{ "every type", every_type },
		{ "eighteen terms", eighteen_terms },
		{ "texts of a known preset", texts_of_a_known_preset },
		{ "older variable", older_variable },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
