/* SPDX-License-Identifier: BSD-3-Clause */
/* What all unit tests need: cmocka with the headers it wants, and assertions on what the library says. */
#ifndef PAPI_TESTS_UNIT_H
#define PAPI_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "papi.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* That the sentence of the last error holds the words. */
#define assert_says(words) says(words, __FILE__, __LINE__)

static inline void says(const char *words, const char *file, int line)
{
	if (strstr(PAPI_error_detail(), words))
		return;
	print_error("the detail is \"%s\", without \"%s\"\n", PAPI_error_detail(), words);
	_fail(file, line);
}

/* That a call fails with the code, and why. */
#define assert_refused(call, code, words)                                                                           \
	do {                                                                                                        \
		int refused_ = (call);                                                                              \
                                                                                                                    \
		if (refused_ != (code)) {                                                                           \
			print_error(                                                                                \
				"%s gives %d (\"%s\") and not %d\n", #call, refused_, PAPI_error_detail(), (code)); \
			_fail(__FILE__, __LINE__);                                                                  \
		}                                                                                                   \
		assert_says(words);                                                                                 \
	} while (0)

/* That a call succeeds; if not, the reason is printed. */
#define assert_ok(call)                                                                        \
	do {                                                                                   \
		int status_ = (call);                                                          \
                                                                                               \
		if (status_ != PAPI_OK) {                                                      \
			print_error("%s gives %d: %s\n", #call, status_, PAPI_error_detail()); \
			_fail(__FILE__, __LINE__);                                             \
		}                                                                              \
	} while (0)

#endif
