/* SPDX-License-Identifier: BSD-3-Clause */
/* base/error.h: codes, sentences, and what is printed when. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "unit.h"

static void every_code_has_a_symbol_and_a_text(void **state)
{
	static const struct {
		int code;
		const char *symbol;
	} some[] = { { 0, "PAPI_OK" }, { -1, "PAPI_EINVAL" }, { -4, "PAPI_ECMP" }, { -11, "PAPI_ENOEVST" },
		{ -27, "PAPI_EMULPASS" } };

	(void)state;
	for (int code = 0; code > -PAPI_NUM_ERRORS; code--) {
		assert_non_null(papi_error_symbol(code));
		assert_non_null(papi_error_text(code));
		assert_int_equal(strncmp(papi_error_symbol(code), "PAPI_", 5), 0);
		assert_true(strlen(papi_error_text(code)) > 5);
		assert_ptr_equal(PAPI_strerror(code), papi_error_text(code));
		for (int other = 0; other > code; other--)
			assert_string_not_equal(papi_error_text(code), papi_error_text(other));
	}
	for (size_t i = 0; i < LENGTH(some); i++)
		assert_string_equal(papi_error_symbol(some[i].code), some[i].symbol);
	for (int code = 1; code < 100; code++) {
		assert_null(papi_error_text(code));
		assert_null(papi_error_symbol(-PAPI_NUM_ERRORS + 1 - code));
	}
	assert_null(papi_error_text(INT32_MIN));
	assert_null(papi_error_text(INT32_MAX));
	assert_null(PAPI_strerror(-PAPI_NUM_ERRORS));
}

static void a_sentence_is_kept_until_the_next(void **state)
{
	(void)state;
	assert_int_equal(papi_error(PAPI_ENOEVNT, "no event %s of %d", "x", 5), PAPI_ENOEVNT);
	assert_string_equal(PAPI_error_detail(), "no event x of 5");
	assert_int_equal(papi_error_code(), PAPI_ENOEVNT);
	/* Success does not clear it. */
	assert_int_equal(papi_result(PAPI_OK), PAPI_OK);
	assert_int_equal(papi_result(17), 17);
	assert_string_equal(papi_error_sentence(), "no event x of 5");
	assert_int_equal(papi_error(PAPI_EINVAL, "%%"), PAPI_EINVAL);
	assert_string_equal(PAPI_error_detail(), "%");
}

static void a_name_can_be_put_before_it(void **state)
{
	(void)state;
	papi_error(PAPI_ENOEVNT, "it is not there");
	assert_int_equal(papi_error_prefix(PAPI_EPERM, "event %d", 7), PAPI_EPERM);
	assert_string_equal(PAPI_error_detail(), "event 7: it is not there");
	assert_int_equal(papi_error_code(), PAPI_EPERM);
	papi_error_prefix(PAPI_EPERM, "set");
	assert_string_equal(PAPI_error_detail(), "set: event 7: it is not there");
}

/* However long things get, the end is cut off and the beginning is right. */
static void long_sentences_are_cut(void **state)
{
	char text[4000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	papi_error(PAPI_EINVAL, "start %s", text);
	assert_in_range(strlen(PAPI_error_detail()), 300, 1000);
	assert_int_equal(strncmp(PAPI_error_detail(), "start aaa", 9), 0);
	for (int i = 0; i < 20; i++)
		papi_error_prefix(PAPI_EINVAL, "%d%s", i, text);
	assert_int_equal(strncmp(PAPI_error_detail(), "19aaa", 5), 0);
	assert_in_range(strlen(PAPI_error_detail()), 100, 1000);
	assert_non_null(strstr(PAPI_error_detail(), "a: 18aa"));
}

static void the_first_reason_survives_a_clean_up(void **state)
{
	(void)state;
	papi_error(PAPI_EPERM, "the first");
	papi_error_keep();
	papi_error(PAPI_ESYS, "the second");
	papi_error_restore();
	assert_string_equal(PAPI_error_detail(), "the first");
	assert_int_equal(papi_error_code(), PAPI_EPERM);
}

/* A clean-up has functions of its own that clean up. */
static void clean_ups_may_be_nested(void **state)
{
	(void)state;
	papi_error(PAPI_EPERM, "the first");
	papi_error_keep();
	papi_error(PAPI_ESYS, "the second");
	papi_error_keep();
	papi_error(PAPI_EBUG, "the third");
	papi_error_restore();
	assert_string_equal(PAPI_error_detail(), "the second");
	papi_error_restore();
	assert_string_equal(PAPI_error_detail(), "the first");
	assert_int_equal(papi_error_code(), PAPI_EPERM);
}

/* Deeper than there is room for, the outer reasons are those that stay. */
static void nests_may_be_deep(void **state)
{
	(void)state;
	for (int i = 0; i < PAPI_ERROR_KEPT + 2; i++) {
		papi_error(PAPI_EINVAL - i, "reason %d", i);
		papi_error_keep();
	}
	papi_error(PAPI_EBUG, "the last");
	papi_error_restore();
	papi_error_restore();
	assert_string_equal(PAPI_error_detail(), "the last");
	for (int i = PAPI_ERROR_KEPT - 1; i >= 0; i--) {
		char expected[20];

		papi_error_restore();
		snprintf(expected, sizeof(expected), "reason %d", i);
		assert_string_equal(PAPI_error_detail(), expected);
		assert_int_equal(papi_error_code(), PAPI_EINVAL - i);
	}
	/* One too many changes nothing. */
	papi_error(PAPI_EBUG, "something new");
	papi_error_restore();
	assert_string_equal(PAPI_error_detail(), "something new");
}

static void what_was_kept_may_be_dropped(void **state)
{
	(void)state;
	papi_error(PAPI_EPERM, "the first");
	papi_error_keep();
	papi_error(PAPI_ESYS, "the second");
	papi_error_keep();
	papi_error(PAPI_EBUG, "the third");
	papi_error_drop();
	assert_string_equal(PAPI_error_detail(), "the third");
	papi_error_restore();
	assert_string_equal(PAPI_error_detail(), "the first");
	papi_error_drop();
	assert_string_equal(PAPI_error_detail(), "the first");
}

static void sentences_can_be_shown_on_a_terminal(void **state)
{
	(void)state;
	papi_error(PAPI_ENOEVNT, "no event \"%s\"", "a\033[2Jb\nc\td\177");
	assert_string_equal(PAPI_error_detail(), "no event \"a?[2Jb?c?d?\"");
	papi_error_prefix(PAPI_ENOEVNT, "%s", "x\ry");
	assert_string_equal(PAPI_error_detail(), "x?y: no event \"a?[2Jb?c?d?\"");
	papi_error(PAPI_ENOEVNT, "%s", "\xc3\xbc and \xe2\x82\xac");
	assert_string_equal(PAPI_error_detail(), "\xc3\xbc and \xe2\x82\xac");
}

/* Nothing is allocated there: a thread that has made nothing ready gets the code alone. */
static void handlers_leave_sentences_too(void **state)
{
	(void)state;
	papi_error_forget();
	assert_string_equal(PAPI_error_detail(), "");
	assert_int_equal(papi_error_in_handler(PAPI_ECNFLCT, "in a handler"), PAPI_ECNFLCT);
	assert_string_equal(PAPI_error_detail(), "");
	assert_true(papi_error_prepare());
	assert_string_equal(PAPI_error_detail(), "");
	assert_int_equal(papi_error_in_handler(PAPI_ECNFLCT, "in a handler"), PAPI_ECNFLCT);
	assert_string_equal(PAPI_error_detail(), "in a handler");
	assert_int_equal(papi_error_code(), PAPI_ECNFLCT);
	/* What the function returns is the last code, even if the sentence is an older one's. */
	assert_int_equal(papi_result(PAPI_ENOCMP), PAPI_ENOCMP);
	assert_int_equal(papi_error_code(), PAPI_ENOCMP);
	papi_error_forget();
	papi_error_forget();
	assert_string_equal(PAPI_error_detail(), "");
}

static void *look(void *argument)
{
	char *seen = argument;

	strcpy(seen, PAPI_error_detail());
	papi_error(PAPI_EBUG, "of another thread");
	strcat(seen, PAPI_error_detail());
	return NULL;
}

static void threads_have_their_own(void **state)
{
	char seen[2000];
	pthread_t thread;

	(void)state;
	papi_error(PAPI_EINVAL, "of this thread");
	assert_int_equal(pthread_create(&thread, NULL, look, seen), 0);
	pthread_join(thread, NULL);
	assert_string_equal(seen, "of another thread");
	assert_string_equal(PAPI_error_detail(), "of this thread");
	assert_int_equal(papi_error_code(), PAPI_EINVAL);
}

static int handled;

static int handler(int code)
{
	handled = code;
	return code;
}

static void a_handler_gets_the_code(void **state)
{
	(void)state;
	assert_int_equal(papi_debug_level(), PAPI_QUIET);
	assert_ok(papi_debug_set(PAPI_VERB_ECONT, handler));
	assert_ptr_equal(papi_debug_handler(), handler);
	assert_int_equal(papi_result(PAPI_ENOCMP), PAPI_ENOCMP);
	assert_int_equal(handled, PAPI_ENOCMP);
	handled = 0;
	assert_int_equal(papi_result(3), 3);
	assert_int_equal(handled, 0);
	assert_ok(papi_debug_set(PAPI_QUIET, handler));
	assert_int_equal(papi_result(PAPI_ENOCMP), PAPI_ENOCMP);
	assert_int_equal(handled, 0);
	assert_ok(papi_debug_set(PAPI_QUIET, NULL));
	assert_refused(papi_debug_set(-1, NULL), PAPI_EINVAL, "debug level -1");
	assert_refused(papi_debug_set(PAPI_VERB_ESTOP + 1, NULL), PAPI_EINVAL, "debug level");
	assert_int_equal(papi_debug_level(), PAPI_QUIET);
}

/* What a child prints to stderr after a failure, at a debug level; *status is how it ended. */
static void printed_at(int level, char *text, size_t size, int *status)
{
	size_t used = 0;
	ssize_t got;
	int pipes[2];
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		papi_debug_set(level, NULL);
		papi_error(PAPI_ENOEVNT, "there is no such thing");
		papi_result(PAPI_ENOEVNT);
		_exit(55);
	}
	close(pipes[1]);
	while ((got = read(pipes[0], text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(child, status, 0), child);
}

static void the_debug_level_decides_what_is_printed(void **state)
{
	char text[2000];
	int status;

	(void)state;
	printed_at(PAPI_QUIET, text, sizeof(text), &status);
	assert_string_equal(text, "");
	assert_int_equal(WEXITSTATUS(status), 55);
	printed_at(PAPI_VERB_ECONT, text, sizeof(text), &status);
	assert_string_equal(
		text, "PAPI Error: Error Code -7, PAPI_ENOEVNT, Event does not exist: there is no such thing\n");
	assert_int_equal(WEXITSTATUS(status), 55);
	/* The reference: print and exit. */
	printed_at(PAPI_VERB_ESTOP, text, sizeof(text), &status);
	assert_non_null(strstr(text, "PAPI_ENOEVNT"));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_a_symbol_and_a_text),
		cmocka_unit_test(a_sentence_is_kept_until_the_next),
		cmocka_unit_test(a_name_can_be_put_before_it),
		cmocka_unit_test(long_sentences_are_cut),
		cmocka_unit_test(the_first_reason_survives_a_clean_up),
		cmocka_unit_test(clean_ups_may_be_nested),
		cmocka_unit_test(nests_may_be_deep),
		cmocka_unit_test(what_was_kept_may_be_dropped),
		cmocka_unit_test(sentences_can_be_shown_on_a_terminal),
		cmocka_unit_test(handlers_leave_sentences_too),
		cmocka_unit_test(threads_have_their_own),
		cmocka_unit_test(a_handler_gets_the_code),
		cmocka_unit_test(the_debug_level_decides_what_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
