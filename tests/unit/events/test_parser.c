/* SPDX-License-Identifier: BSD-3-Clause */
/* events/lines.h and events/parser.h: from the text of a definition file to definitions, and what bad lines lose. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "events/parser.h"
#include "unit.h"

/* What the parser finds, written as one line for each event: "NAME type|formula|term,term|SDESC|LDESC|NOTE". */
static char found[8000];
static char problems[8000];
static const char *machine = "here";

static void write_to(char *text, size_t size, const char *line)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s\n", line);
}

static bool matches(void *data, const char *cpu)
{
	(void)data;
	return !strcmp(cpu, machine);
}

static int take(void *data, const struct papi_definition_source *source)
{
	char line[4000], terms[2000] = "";

	(void)data;
	for (unsigned i = 0; i < source->n_terms; i++) {
		strcat(terms, i ? " " : "");
		strcat(terms, source->terms[i]);
	}
	snprintf(line, sizeof(line), "%s %s|%s|%s|%s|%s|%s", source->symbol, papi_derived_name(source->derived),
		source->formula ? source->formula : "", terms,
		source->short_description ? source->short_description : "",
		source->description ? source->description : "", source->note ? source->note : "");
	write_to(found, sizeof(found), line);
	return strcmp(source->symbol, "REFUSED") ? PAPI_OK : papi_error(PAPI_EINVAL, "not this one");
}

static void note_problem(void *data, const char *symbol)
{
	char line[1000];

	(void)data;
	snprintf(line, sizeof(line), "%s: %s", symbol ? symbol : "-", papi_error_sentence());
	write_to(problems, sizeof(problems), line);
}

static const struct papi_parser parser = { .matches = matches, .define = take, .problem = note_problem };

/* The text is copied to where a byte behind its end is nobody's. */
static void parse_length(const char *text, size_t length)
{
	char *copy = calloc(1, length + !length);

	memcpy(copy, text, length);
	found[0] = problems[0] = '\0';
	papi_parse_events(&parser, "file", copy, length);
	free(copy);
}

static void assert_parsed(const char *text, const char *expected)
{
	parse_length(text, strlen(text));
	assert_string_equal(problems, "");
	assert_string_equal(found, expected);
}

static void assert_problem(const char *text, const char *expected)
{
	parse_length(text, strlen(text));
	assert_string_equal(problems, expected);
}

static void lines_of_all_kinds_are_read(void **state)
{
	(void)state;
	assert_parsed("", "");
	assert_parsed("# nothing\n\n   \n\t\n", "");
	assert_parsed("EVENT,A,NOT_DERIVED,x", "A NOT_DERIVED||x|||\n");
	assert_parsed("PRESET,A,NOT_DERIVED,x\n", "A NOT_DERIVED||x|||\n");
	assert_parsed("EVENT,A,DERIVED_ADD,x,y,z\n", "A DERIVED_ADD||x y z|||\n");
	assert_parsed("EVENT,A,DERIVED_POSTFIX,N0|N1|+|,x,y\n", "A DERIVED_POSTFIX|N0|N1|+||x y|||\n");
	assert_parsed("EVENT,A,DERIVED_INFIX,(N0+N1)*2,x,y\n", "A DERIVED_INFIX|(N0+N1)*2|x y|||\n");
	assert_parsed("EVENT, A , derived_add , x ,\ty , \n", "A DERIVED_ADD||x y|||\n");
	assert_parsed("EVENT,A,NOT_DERIVED,x,,,\n", "A NOT_DERIVED||x|||\n");
	assert_parsed("  EVENT A,NOT_DERIVED,x\n", "A NOT_DERIVED||x|||\n");
	assert_parsed("EVENT\tA,NOT_DERIVED,x\n", "A NOT_DERIVED||x|||\n");
}

static void line_ends_may_be_of_any_kind(void **state)
{
	static const char *const ends[] = { "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\n# note\n" };
	char text[200];

	(void)state;
	for (size_t i = 0; i < LENGTH(ends); i++) {
		snprintf(text, sizeof(text), "EVENT,A,NOT_DERIVED,x%sEVENT,B,NOT_DERIVED,y%s", ends[i], ends[i]);
		assert_parsed(text, "A NOT_DERIVED||x|||\nB NOT_DERIVED||y|||\n");
	}
	/* Lines are counted as an editor counts them. */
	assert_problem("\r\nEVENT,A\n\rEVENT,B\r",
		"A: file:2:7: expected a type such as NOT_DERIVED or DERIVED_ADD after A\n"
		"B: file:4:7: expected a type such as NOT_DERIVED or DERIVED_ADD after B\n");
}

/* Editors of other systems begin a file with it. */
static void a_byte_order_mark_is_passed_over(void **state)
{
	(void)state;
	assert_parsed("\xef\xbb\xbf"
		      "EVENT,A,NOT_DERIVED,x\nEVENT,B,NOT_DERIVED,y",
		"A NOT_DERIVED||x|||\nB NOT_DERIVED||y|||\n");
	assert_parsed("\xef\xbb\xbf", "");
}

static void comments_stand_at_the_start_of_a_line(void **state)
{
	(void)state;
	assert_parsed("#EVENT,A,NOT_DERIVED,x\nEVENT,B,DERIVED_POSTFIX,N0|#|*,y\n", "B DERIVED_POSTFIX|N0|#|*|y|||\n");
}

static void names_of_events_may_hold_almost_anything(void **state)
{
	(void)state;
	assert_parsed("EVENT,A,DERIVED_ADD,UOPS_RETIRED:ALL:c=1:i=1,perf::L1-DCACHE-LOADS\n",
		"A DERIVED_ADD||UOPS_RETIRED:ALL:c=1:i=1 perf::L1-DCACHE-LOADS|||\n");
	/* Commas between the slashes of a kernel's event are its own. */
	assert_parsed("EVENT,A,DERIVED_ADD,cpu/event=0xc0,umask=0x1/,cpu/b/u\n",
		"A DERIVED_ADD||cpu/event=0xc0,umask=0x1/ cpu/b/u|||\n");
	assert_parsed("EVENT,A,DERIVED_INFIX,N0/N1,x,y\n", "A DERIVED_INFIX|N0/N1|x y|||\n");
	assert_parsed("EVENT,A,DERIVED_POSTFIX,N0|N1|/|,x,y\n", "A DERIVED_POSTFIX|N0|N1|/||x y|||\n");
}

static void texts_may_follow_anywhere(void **state)
{
	(void)state;
	assert_parsed("EVENT,A,NOT_DERIVED,x,NOTE,\"one, two\"\n", "A NOT_DERIVED||x|||one, two\n");
	assert_parsed("EVENT,A,NOT_DERIVED,x,SDESC,'short',LDESC,\"the \"\"long\"\" one\",NOTE,plain words\n",
		"A NOT_DERIVED||x|short|the \"long\" one|plain words\n");
	assert_parsed("EVENT,A,DERIVED_ADD,NOTE,'it''s',x,y\n", "A DERIVED_ADD||x y|||it's\n");
	assert_parsed("EVENT,A,NOT_DERIVED,x,NOTE,'a \"b\" c'\n", "A NOT_DERIVED||x|||a \"b\" c\n");
	assert_parsed("EVENT,A,NOT_DERIVED,x,NOTE, ' blanks ' ,SDESC,s\n", "A NOT_DERIVED||x|s|| blanks \n");
	assert_parsed(
		"EVENT,A,NOT_DERIVED,x,NOTE,\"never closed, at all\n", "A NOT_DERIVED||x|||never closed, at all\n");
	assert_parsed("EVENT,A,NOT_DERIVED,x,NOTE,\"\"\n", "A NOT_DERIVED||x|||\n");
	/* In quotes the word is a name. */
	assert_parsed("EVENT,A,DERIVED_ADD,'NOTE',x\n", "A DERIVED_ADD||NOTE x|||\n");
}

static void events_are_for_the_cpus_above_them(void **state)
{
	(void)state;
	assert_parsed("EVENT,ALL,NOT_DERIVED,x\n"
		      "CPU,there\n"
		      "EVENT,A,NOT_DERIVED,x\n"
		      "CPU,there\n"
		      "CPU,here\n"
		      "EVENT,B,NOT_DERIVED,x\n"
		      "EVENT,C,NOT_DERIVED,x\n"
		      "CPU,here,7\n"
		      "# between\n"
		      "CPU,there\n"
		      "EVENT,D,NOT_DERIVED,x\n"
		      "CPU,elsewhere\n"
		      "EVENT,E,NOT_DERIVED,x\n"
		      "CPU , here\n"
		      "EVENT,F,NOT_DERIVED,x\n",
		"ALL NOT_DERIVED||x|||\nB NOT_DERIVED||x|||\nC NOT_DERIVED||x|||\n"
		"D NOT_DERIVED||x|||\nF NOT_DERIVED||x|||\n");
	/* What is for others is not looked at. */
	assert_parsed("CPU,there\nEVENT,A\nEVENT,,\nNONSENSE\nEVENT\n\n#\nCPU,here\nEVENT,B,NOT_DERIVED,x\n",
		"B NOT_DERIVED||x|||\n");
	assert_problem("CPU,there\nEVENT,A,NOT_DERIVED,x\nCPUS,here\nEVENT,B,NOT_DERIVED,x\n",
		"-: file:3:1: expected CPU, PRESET or EVENT, not \"CPUS\"; this and other such lines are skipped\n");
	assert_string_equal(found, "");
}

static void a_bad_line_loses_its_own_event_only(void **state)
{
	(void)state;
	assert_problem("EVENT,A\nEVENT,B,NOT_DERIVED,x\n",
		"A: file:1:7: expected a type such as NOT_DERIVED or DERIVED_ADD after A\n");
	assert_string_equal(found, "B NOT_DERIVED||x|||\n");
	assert_problem("EVENT\n", "-: file:1:1: expected the name of an event\n");
	assert_problem("EVENT,\n", "-: file:1:7: expected the name of an event\n");
	assert_problem("\n EVENT,A,DERIVED_X,x\n",
		"A: file:2:10: expected a type such as NOT_DERIVED, DERIVED_ADD or "
		"DERIVED_POSTFIX, not \"DERIVED_X\"\n");
	assert_problem("EVENT,A,NOT_DERIVED\n", "A: file:1:9: expected at least one event that A is made of\n");
	assert_problem("EVENT,A,NOT_DERIVED,,\n", "A: file:1:9: expected at least one event that A is made of\n");
	assert_problem(
		"EVENT,A,DERIVED_ADD,x,,y\n", "A: file:1:23: expected the name of an event between two commas\n");
	assert_problem("EVENT,A,DERIVED_POSTFIX\n", "A: file:1:9: expected a formula after DERIVED_POSTFIX\n");
	assert_problem("EVENT,A,DERIVED_INFIX,,x\n", "A: file:1:23: expected a formula after DERIVED_INFIX\n");
	assert_problem("EVENT,A,NOT_DERIVED,x,NOTE\n", "A: file:1:23: expected a text after NOTE\n");
	assert_problem("CPU\n", "-: file:1:1: expected the name of a PMU after CPU\n");
	assert_problem("EVENT,REFUSED,NOT_DERIVED,x\n", "REFUSED: file:1:7: not this one\n");
	/* One word for all unknown commands. */
	assert_problem("HELLO,x\nPRESETS,y\nEVENT,B,NOT_DERIVED,x\nevent,C,NOT_DERIVED,x\n",
		"-: file:1:1: expected CPU, PRESET or EVENT, not \"HELLO\"; this and other such lines are skipped\n");
	assert_string_equal(found, "B NOT_DERIVED||x|||\n");
}

static void an_event_has_at_most_64_terms(void **state)
{
	char text[1000] = "EVENT,A,DERIVED_ADD", expected[1000] = "A DERIVED_ADD||";

	(void)state;
	for (int i = 0; i < 64; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",e%d", i);
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), i ? " e%d" : "e%d", i);
	}
	strcat(expected, "|||\n");
	assert_parsed(text, expected);
	strcat(text, ",e64");
	assert_problem(text, "A: file:1:267: an event has at most 64 terms\n");
}

static void long_lines_are_read(void **state)
{
	size_t length = 100000;
	char *text = malloc(length);

	(void)state;
	memset(text, 'x', length);
	memcpy(text, "EVENT,A,NOT_DERIVED,y,NOTE,", 27);
	text[length - 1] = '\n';
	parse_length(text, length);
	assert_string_equal(problems, "");
	assert_int_equal(strncmp(found, "A NOT_DERIVED||y|||xxxxx", 24), 0);
	free(text);
}

static void decoded_tables_are_read_too(void **state)
{
	static const char text[] = "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"
				   "PAPI_A,DERIVED_ADD,,\"L1, both\",\"Level 1\",,x,y\n"
				   "PAPI_B,DERIVED_POSTFIX,N0|2|*|,,,\"it's\",x,\n"
				   "PAPI_C,,,,,,x\n"
				   ",DERIVED_ADD,,,,,x\n"
				   "PAPI_D,NOT_DERIVED,,,,\n";

	(void)state;
	found[0] = problems[0] = '\0';
	papi_parse_decoded(&parser, "file", text, sizeof(text) - 1);
	assert_string_equal(
		found, "PAPI_A DERIVED_ADD||x y|L1, both|Level 1|\nPAPI_B DERIVED_POSTFIX|N0|2|*||x|||it's\n");
	assert_non_null(strstr(problems, "PAPI_C: file:5:8: expected a type"));
	assert_non_null(strstr(problems, "-: file:6:"));
	assert_non_null(strstr(problems, "PAPI_D: file:7:"));
}

/* Bytes that mean nothing: problems or events, but no crash and no byte beyond the end. */
static void noise_is_survived(void **state)
{
	static const char *const words[] = { "CPU", "EVENT", "PRESET", ",", ",", ",", "\n", "\r", "\"", "'", "/",
		"here", "N0|", "|", "DERIVED_ADD", "NOT_DERIVED", "DERIVED_POSTFIX", "DERIVED_INFIX", "NOTE", " ", "x",
		"#" };
	unsigned random = 1;
	size_t n_found = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[200] = "";

		while (strlen(text) < 100) {
			random = random * 1664525 + 1013904223;
			strcat(text, words[(random >> 16) % LENGTH(words)]);
			if (!((random >> 8) % 50))
				break;
		}
		/* Now and then a zero byte in the middle. */
		parse_length(text, strlen(text) + (random >> 20) % 3);
		n_found += strlen(found) > 0;
	}
	assert_in_range(n_found, 1, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_all_kinds_are_read),
		cmocka_unit_test(line_ends_may_be_of_any_kind),
		cmocka_unit_test(a_byte_order_mark_is_passed_over),
		cmocka_unit_test(comments_stand_at_the_start_of_a_line),
		cmocka_unit_test(names_of_events_may_hold_almost_anything),
		cmocka_unit_test(texts_may_follow_anywhere),
		cmocka_unit_test(events_are_for_the_cpus_above_them),
		cmocka_unit_test(a_bad_line_loses_its_own_event_only),
		cmocka_unit_test(an_event_has_at_most_64_terms),
		cmocka_unit_test(long_lines_are_read),
		cmocka_unit_test(decoded_tables_are_read_too),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
