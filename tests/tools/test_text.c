/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit tests of tools/text.c and escape.c: nothing longer than 80 columns, nothing lost, nothing that a terminal
 * obeys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "text.h"

#define WORDS_40 "one two three four five six seven eight "
#define WORD_70  "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"

/* What a function writes; the caller frees it. */
static char *written_by_wrap(const char *first, int column, const char *text)
{
	char *output = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&output, &size);

	assert_non_null(stream);
	papi_text_wrap(stream, first, column, text);
	assert_int_equal(fclose(stream), 0);
	return output;
}

static char *written_by_box(int column, const char *text)
{
	char *output = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&output, &size);

	assert_non_null(stream);
	papi_text_box(stream, column, text);
	assert_int_equal(fclose(stream), 0);
	return output;
}

static void check(char *output, const char *expected)
{
	assert_string_equal(output, expected);
	free(output);
}

static void test_short_text_is_one_line(void **state)
{
	(void)state;
	check(written_by_wrap("", 0, "a few words"), "a few words\n");
	check(written_by_wrap("", 4, "a few words"), "    a few words\n");
	check(written_by_wrap("", 0, ""), "\n");
}

static void test_long_text_breaks_between_words(void **state)
{
	(void)state;
	check(written_by_wrap("", 0, WORDS_40 WORDS_40 "end"),
		WORDS_40 "one two three four five six seven eight\nend\n");
	check(written_by_wrap("", 40, WORDS_40 "end"),
		"                                        one two three four five six seven eight\n"
		"                                        end\n");
}

static void test_line_breaks_are_kept(void **state)
{
	(void)state;
	check(written_by_wrap("", 2, "above\nbelow"), "  above\n  below\n");
	check(written_by_wrap("", 0, "above\n\nbelow"), "above\n\nbelow\n");
}

static void test_text_follows_a_first_column(void **state)
{
	(void)state;
	check(written_by_wrap("-a", 6, "explained"), "-a    explained\n");
	check(written_by_wrap("-a", 40, WORDS_40 "end"),
		"-a                                      one two three four "
		"five six seven eight\n"
		"                                        end\n");
	check(written_by_wrap("--long-option", 6, "explained"), "--long-option\n      explained\n");
}

static void test_a_word_too_long_is_not_cut(void **state)
{
	(void)state;
	check(written_by_wrap("", 60, "x " WORD_70 " y"),
		"                                                            x\n"
		"                                                            " WORD_70 "\n"
		"                                                            y\n");
}

static void test_box(void **state)
{
	char *output = written_by_box(6, WORDS_40 WORDS_40);

	(void)state;
	assert_int_equal(strlen(output), 2 * (PAPI_TEXT_WIDTH + 1));
	assert_int_equal(output[0], '|');
	assert_int_equal(output[PAPI_TEXT_WIDTH - 1], '|');
	assert_int_equal(output[PAPI_TEXT_WIDTH], '\n');
	assert_int_equal(output[PAPI_TEXT_WIDTH + 1], '|');
	assert_memory_equal(output, "|     one two", 13);
	free(output);
}

static void test_groups_of_digits(void **state)
{
	static const struct {
		const char *number, *grouped;
	} cases[] = { { "0", "0" }, { "999", "999" }, { "1000", "1,000" }, { "-1234567", "-1,234,567" },
		{ "-123", "-123" }, { "123456.789012", "123,456.789012" },
		{ "9223372036854775807", "9,223,372,036,854,775,807" }, { "1234.5 k", "1,234.5 k" }, { "", "" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		papi_text_group(text, sizeof(text), cases[i].number);
		assert_string_equal(text, cases[i].grouped);
	}
}

static void test_text_that_terminals_do_not_obey(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = { { "plain text", "plain text" }, { "a\033[31mb\n\t\177", "a?[31mb???" },
		{ "gr\303\274n", "gr\303\274n" }, { "\302\233m", "?m" }, { "\377\376x", "??x" },
		{ "cut \342\202", "cut ??" }, { "", "" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		papi_escape_terminal(text);
		assert_string_equal(text, cases[i].clean);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_text_is_one_line),
		cmocka_unit_test(test_long_text_breaks_between_words),
		cmocka_unit_test(test_line_breaks_are_kept),
		cmocka_unit_test(test_text_follows_a_first_column),
		cmocka_unit_test(test_a_word_too_long_is_not_cut),
		cmocka_unit_test(test_box),
		cmocka_unit_test(test_groups_of_digits),
		cmocka_unit_test(test_text_that_terminals_do_not_obey),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
