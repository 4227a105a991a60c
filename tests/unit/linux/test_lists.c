/* SPDX-License-Identifier: BSD-3-Clause */
/* base/lists.h and base/text.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lists.h"
#include "base/text.h"

/* Writes what it is given as "0 1 2 " and stops after `most`. */
struct log {
	char text[256];
	int left;
};

static int log_number(int number, void *data)
{
	struct log *log = data;
	size_t used = strlen(log->text);

	snprintf(log->text + used, sizeof(log->text) - used, "%d ", number);
	return --log->left == 0;
}

/* What papi_id_set_read() makes of a file with that text. */
static int set_of(papi_id_set_t *set, const char *text)
{
	char path[] = "/tmp/papi-list-XXXXXX";
	int file = mkstemp(path), members, error;

	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	close(file);
	errno = 0;
	members = papi_id_set_read(set, path);
	error = errno;
	unlink(path);
	errno = error;
	return members;
}

static void lists_are_visited_in_order(void **state)
{
	static const struct {
		const char *text;
		int count;
		const char *visits;
	} cases[] = {
		{ "0-3,8,10-11\n", 7, "0 1 2 3 8 10 11 " },
		{ "5", 1, "5 " },
		{ "0-0", 1, "0 " },
		{ "7,3,3", 3, "7 3 3 " },
		{ "8191", 1, "8191 " },
		{ "", 0, "" },
		{ "\n", 0, "" },
		{ " 1-2 \n", 2, "1 2 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct log log = { "", 0 };

		assert_int_equal(papi_linux_parse_list(cases[i].text, log_number, &log), cases[i].count);
		assert_string_equal(log.text, cases[i].visits);
	}
}

static void a_visit_can_end_the_walk(void **state)
{
	struct log log = { "", 3 };

	(void)state;
	assert_int_equal(papi_linux_parse_list("0-9,20", log_number, &log), 3);
	assert_string_equal(log.text, "0 1 2 ");
}

static void what_is_no_list_is_refused(void **state)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{ "3-1", EINVAL },
		{ "1-", EINVAL },
		{ "-1", EINVAL },
		{ "1,,2", EINVAL },
		{ "1,", EINVAL },
		{ ",1", EINVAL },
		{ "1 2", EINVAL },
		{ "0-3:1", EINVAL },
		{ "all", EINVAL },
		{ "8192", ERANGE },
		{ "0-8192", ERANGE },
		{ "0-4294967295", ERANGE },
		{ "99999999999999999999", ERANGE },
	};
	papi_id_set_t set;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		papi_id_set_clear(&set);
		papi_id_set_add(&set, 77);
		assert_int_equal(set_of(&set, cases[i].text), -1);
		assert_int_equal(errno, cases[i].error);
		assert_int_equal(papi_id_set_count(&set), 0);
	}
	assert_int_equal(papi_id_set_read(&set, "/proc/no/such/file"), -1);
	assert_int_equal(errno, ENOENT);
}

static void sets_hold_each_member_once(void **state)
{
	papi_id_set_t set;

	(void)state;
	assert_int_equal(set_of(&set, "0,63-65,65,8191"), 5);
	assert_true(papi_id_set_has(&set, 0));
	assert_false(papi_id_set_has(&set, 1));
	assert_true(papi_id_set_has(&set, 64));
	assert_true(papi_id_set_has(&set, 8191));
	assert_false(papi_id_set_has(&set, 8192));
	assert_false(papi_id_set_has(&set, -1));
	papi_id_set_add(&set, -1);
	papi_id_set_add(&set, 8192);
	assert_int_equal(papi_id_set_count(&set), 5);
}

static void sets_are_walked_with_next(void **state)
{
	static const int members[] = { 0, 63, 64, 65, 8191 };
	papi_id_set_t set;
	int at = 0;

	(void)state;
	set_of(&set, "0,63-65,8191");
	for (int number = papi_id_set_next(&set, 0); number >= 0; number = papi_id_set_next(&set, number + 1)) {
		assert_true(at < 5);
		assert_int_equal(number, members[at++]);
	}
	assert_int_equal(at, 5);
	assert_int_equal(papi_id_set_next(&set, -1), -1);
	assert_int_equal(papi_id_set_next(&set, 8192), -1);
	papi_id_set_clear(&set);
	assert_int_equal(papi_id_set_next(&set, 0), -1);
}

static void sets_intersect(void **state)
{
	papi_id_set_t first, second;

	(void)state;
	set_of(&first, "0-10,100,8000");
	set_of(&second, "5-100");
	papi_id_set_intersect(&first, &second);
	assert_int_equal(papi_id_set_count(&first), 7);
	assert_int_equal(papi_id_set_next(&first, 0), 5);
	assert_int_equal(papi_id_set_next(&first, 11), 100);
}

static void squeeze_leaves_single_blanks(void **state)
{
	char target[16];

	(void)state;
	papi_text_squeeze(target, sizeof(target), "  AMD   EPYC\t7  \n");
	assert_string_equal(target, "AMD EPYC 7");
	papi_text_squeeze(target, sizeof(target), "   ");
	assert_string_equal(target, "");
	papi_text_squeeze(target, sizeof(target), "0123456789abcdefgh");
	assert_string_equal(target, "0123456789abcde");
	/* No blank at the end when there is room for nothing behind it. */
	papi_text_squeeze(target, sizeof(target), "0123456789abcd ef");
	assert_string_equal(target, "0123456789abcd");
	papi_text_squeeze(target, 1, "x");
	assert_string_equal(target, "");
}

static void words_and_prefixes(void **state)
{
	(void)state;
	assert_true(papi_text_has_word("fpu hypervisor lahf_lm", "hypervisor"));
	assert_true(papi_text_has_word("hypervisor", "hypervisor"));
	assert_false(papi_text_has_word("fpu nohypervisor hypervisor2", "hypervisor"));
	assert_false(papi_text_has_word("", "hypervisor"));
	assert_true(papi_text_starts_with("policy0", "policy"));
	assert_false(papi_text_starts_with("pol", "policy"));
}

static void lines_split_into_pairs(void **state)
{
	char text[] = "model name\t: AMD EPYC \r\n\n no colon \npower: a:b\nlast :";
	static const char *const pairs[][2] = {
		{ "model name", "AMD EPYC" },
		{ "", "" },
		{ "no colon", "" },
		{ "power", "a:b" },
		{ "last", "" },
	};
	char *rest = text;
	char *key, *value;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_true(papi_text_next_pair(&rest, &key, &value));
		assert_string_equal(key, pairs[i][0]);
		assert_string_equal(value, pairs[i][1]);
	}
	assert_false(papi_text_next_pair(&rest, &key, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_visited_in_order),
		cmocka_unit_test(a_visit_can_end_the_walk),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(sets_hold_each_member_once),
		cmocka_unit_test(sets_are_walked_with_next),
		cmocka_unit_test(sets_intersect),
		cmocka_unit_test(squeeze_leaves_single_blanks),
		cmocka_unit_test(words_and_prefixes),
		cmocka_unit_test(lines_split_into_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
