/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors: a negative PAPI code for the caller and a sentence for the person.
 *
 * Whatever finds out that something cannot be done calls papi_error() with the code and a sentence that says what was
 * tried, what the system answered and what to do about it, and returns the code. The sentence is kept per thread until
 * the next error of that thread, like errno; success does not clear it. Nothing is printed here: the API functions pass
 * their result through papi_result(), which consults the debug level of PAPI_set_debug().
 *
 * Any thread may call these at any time, before PAPI_library_init() too. papi_error() formats with vsnprintf(),
 * allocates with the first error of a thread, and must not be called from a signal handler that can interrupt malloc();
 * papi_result() with a success may.
 */
#ifndef PAPI_BASE_ERROR_H
#define PAPI_BASE_ERROR_H

#include <stdbool.h>

#include "papi.h"

/* Remembers the sentence and the code for the calling thread. Returns code. */
int papi_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* For signal handlers: keeps the sentence if the thread has had an error before; allocates and formats nothing. */
int papi_error_in_handler(int code, const char *text) __attribute__((cold));

/* Puts "prefix: " before the sentence already stored; for a caller that knows the name the user gave. Returns code. */
int papi_error_prefix(int code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* Around a clean-up that may fail too: the reason to tell is the first. They nest, as deep as clean-ups do. */
#define PAPI_ERROR_KEPT 3
void papi_error_keep(void);
void papi_error_restore(void);
/* Or the last: what was kept is given up. */
void papi_error_drop(void);

/* The last sentence of the calling thread, "" if there was none. Valid until the thread's next error. */
const char *papi_error_sentence(void);

/* The last code of the calling thread; PAPI_ENOMEM when there was no memory to keep one. */
int papi_error_code(void);

/* Makes what the calling thread keeps, for those who will fail where nothing may be allocated. False: no memory. */
bool papi_error_prepare(void);

/* Frees what the calling thread keeps, as its end does. */
void papi_error_forget(void);

/* Short fixed text and symbol ("PAPI_EINVAL") of a code; NULL for a number that is no code of the library. */
const char *papi_error_text(int code);
const char *papi_error_symbol(int code);

/* The debug level (PAPI_QUIET, PAPI_VERB_ECONT, PAPI_VERB_ESTOP) and handler of the process. */
int papi_debug_set(int level, PAPI_debug_handler_t handler);
int papi_debug_level(void);
PAPI_debug_handler_t papi_debug_handler(void);

int papi_error_report(int code) __attribute__((cold));

/* What every API function returns through: a failure is shown if the program asked for it. */
static inline int papi_result(int status)
{
	return __builtin_expect(status < 0, 0) ? papi_error_report(status) : status;
}

#endif
