/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters of UTF-8, what looks like them, and what is left of a text that goes to a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void lengths(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{ "", 1 },
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\xc2\x80", 2 },
		{ "\xdf\xbf", 2 },
		{ "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xef\xbf\xbf", 3 },
		{ "\xf0\x90\x80\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		/* Cut short. */
		{ "\xc3", 0 },
		{ "\xe2\x82", 0 },
		{ "\xf0\x9f\x90", 0 },
		{ "\xc3(", 0 },
		/* Not a beginning, longer than need be, a surrogate, too large. */
		{ "\x80", 0 },
		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xff", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(papi_utf8_length(cases[i].text), cases[i].length);
}

static void assert_clean(const char *dirty, const char *kept, const char *expected)
{
	char text[64];

	strcpy(text, dirty);
	papi_utf8_clean(text, strlen(text), kept);
	assert_string_equal(text, expected);
}

static void cleaned(void **state)
{
	(void)state;
	assert_clean("", "", "");
	assert_clean("plain", "", "plain");
	assert_clean("\x1b[31m\a\t\n", "", "?[31m???");
	assert_clean("\x1b[31m\a\t\n", "\t\n", "?[31m?\t\n");
	assert_clean("a\xc2\x9b"
		     "b\xc2\xa0"
		     "c\x7f",
		"",
		"a??b\xc2\xa0"
		"c?");
	assert_clean("Gr\xc3\xb6\xc3\x9f"
		     "e \xf0\x9f\x90\xa7 \xff\xe9t\xe9",
		"",
		"Gr\xc3\xb6\xc3\x9f"
		"e \xf0\x9f\x90\xa7 ??t?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
