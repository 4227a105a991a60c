/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assertions for tests that fork, start threads and count their own page faults.
 *
 * A test is a function without arguments; check_run() runs a table of them, prints a line for each and returns what
 * main returns: 0, 1 after a failure, 77 when nothing could be tested here. An EXPECT that fails prints the place, what
 * was expected, what came and PAPI_error_detail(), and the test goes on; a REQUIRE ends the process, which also serves
 * children. When all is well nothing is printed, allocated or touched for the first time.
 *
 * Any thread may expect and require. cmocka is not used since it has one jump buffer for the process.
 */
#ifndef PAPI_TEST_CHECK_H
#define PAPI_TEST_CHECK_H

#include <papi.h>
#include <stdbool.h>
#include <stddef.h>

struct test {
	const char *name;
	void (*run)(void);
};

struct check_place {
	const char *file;
	int line;
	const char *text; /* the expression */
};

#define CHECK_HERE(expression)                                         \
	(const struct check_place)                                     \
	{                                                              \
		.file = __FILE__, .line = __LINE__, .text = expression \
	}

/* All return whether it held. */
#define EXPECT(condition)                check_that(CHECK_HERE(#condition), condition)
#define EXPECT_EQUAL(expected, got)      check_equal(CHECK_HERE(#got), expected, got)
#define EXPECT_BETWEEN(least, got, most) check_between(CHECK_HERE(#got), least, got, most)
#define EXPECT_TEXT(expected, got)       check_text(CHECK_HERE(#got), expected, got)
#define EXPECT_STATUS(expected, call)    check_status(CHECK_HERE(#call), expected, call)
#define EXPECT_OK(call)                  EXPECT_STATUS(PAPI_OK, call)

/* The call fails with that code, and this very call leaves a sentence in the detail that contains words. */
#define EXPECT_ERROR(code, words, call) (check_plant(), check_error(CHECK_HERE(#call), code, words, call))
/* The same for functions that return a pointer. */
#define EXPECT_NULL(words, call) (check_plant(), check_null(CHECK_HERE(#call), words, call))

#define REQUIRE(condition) check_require(EXPECT(condition))
#define REQUIRE_OK(call)   check_require(EXPECT_OK(call))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

bool check_that(struct check_place place, bool holds);
bool check_equal(struct check_place place, long long expected, long long got);
bool check_between(struct check_place place, long long least, long long got, long long most);
bool check_text(struct check_place place, const char *expected, const char *got);
bool check_status(struct check_place place, int expected, int got);
bool check_error(struct check_place place, int code, const char *words, int got);
bool check_null(struct check_place place, const char *words, const void *got);
/* Leaves a sentence in the detail that no other call leaves; whether it is there still. */
void check_plant(void);
bool check_planted(void);
void check_require(bool holds);

/* Whether the last error of this thread is that of a call after check_plant(), and speaks of words. */
bool check_detail(struct check_place place, const char *words);

/* How many expectations failed so far, in all threads. */
int check_failures(void);

/* The running test cannot say anything here: why, in one line. The test returns after it. */
void check_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

int check_run(const struct test tests[], size_t n);

/* Symbol of a code: "PAPI_EINVAL". */
const char *check_symbol(int code);

#endif
