/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int failures;
static char skipped[512];

/* What no call but this one says: a sentence that is still there afterwards was left by nobody else. */
#define PLANTED_CODE 4711
#define PLANTED      "4711 "

static const char *const symbols[PAPI_NUM_ERRORS] = { "PAPI_OK", "PAPI_EINVAL", "PAPI_ENOMEM", "PAPI_ESYS", "PAPI_ECMP",
	"PAPI_ECLOST", "PAPI_EBUG", "PAPI_ENOEVNT", "PAPI_ECNFLCT", "PAPI_ENOTRUN", "PAPI_EISRUN", "PAPI_ENOEVST",
	"PAPI_ENOTPRESET", "PAPI_ENOCNTR", "PAPI_EMISC", "PAPI_EPERM", "PAPI_ENOINIT", "PAPI_ENOCMP", "PAPI_ENOSUPP",
	"PAPI_ENOIMPL", "PAPI_EBUF", "PAPI_EINVAL_DOM", "PAPI_EATTR", "PAPI_ECOUNT", "PAPI_ECOMBO",
	"PAPI_ECMP_DISABLED", "PAPI_EDELAY_INIT", "PAPI_EMULPASS" };

const char *check_symbol(int code)
{
	if (code > 0)
		return "a positive number";
	return code > -PAPI_NUM_ERRORS ? symbols[-code] : "no code of the library";
}

/* One write(2) per failure: threads and children share the stream. */
static bool failed(struct check_place place, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

static bool failed(struct check_place place, const char *format, ...)
{
	char message[1024];
	va_list arguments;

	atomic_fetch_add(&failures, 1);
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s:%d: %s: %s (detail: \"%.400s\")\n", place.file, place.line, place.text, message,
		PAPI_error_detail());
	return false;
}

bool check_that(struct check_place place, bool holds)
{
	return holds || failed(place, "does not hold");
}

bool check_equal(struct check_place place, long long expected, long long got)
{
	return expected == got || failed(place, "expected %lld, got %lld", expected, got);
}

bool check_between(struct check_place place, long long least, long long got, long long most)
{
	return (least <= got && got <= most) || failed(place, "expected %lld to %lld, got %lld", least, most, got);
}

bool check_text(struct check_place place, const char *expected, const char *got)
{
	return strcmp(expected, got) == 0 || failed(place, "expected \"%s\", got \"%.300s\"", expected, got);
}

bool check_status(struct check_place place, int expected, int got)
{
	return expected == got ||
		failed(place, "expected %d (%s), got %d (%s)", expected, check_symbol(expected), got,
			check_symbol(got));
}

void check_plant(void)
{
	char byte;

	PAPI_perror_code(PLANTED_CODE, &byte, 1);
}

bool check_planted(void)
{
	return strncmp(PAPI_error_detail(), PLANTED, strlen(PLANTED)) == 0;
}

bool check_detail(struct check_place place, const char *words)
{
	const char *detail = PAPI_error_detail();

	if (check_planted())
		return failed(place, "it leaves no sentence in the detail");
	return strstr(detail, words) || failed(place, "the detail should speak of \"%s\"", words);
}

bool check_error(struct check_place place, int code, const char *words, int got)
{
	bool right = check_status(place, code, got);

	return check_detail(place, words) && right;
}

bool check_null(struct check_place place, const char *words, const void *got)
{
	if (got)
		return failed(place, "expected NULL");
	return check_detail(place, words);
}

void check_require(bool holds)
{
	if (holds)
		return;
	fflush(stdout);
	_Exit(1);
}

int check_failures(void)
{
	return atomic_load(&failures);
}

void check_skip(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(skipped, sizeof(skipped), format, arguments);
	va_end(arguments);
}

int check_run(const struct test tests[], size_t n)
{
	size_t n_skipped = 0;

	for (size_t i = 0; i < n; i++) {
		int before = check_failures();

		skipped[0] = '\0';
		tests[i].run();
		if (check_failures() > before)
			printf("FAILED   %s\n", tests[i].name);
		else if (skipped[0])
			printf("skipped  %s: %s\n", tests[i].name, skipped);
		else
			printf("ok       %s\n", tests[i].name);
		fflush(stdout);
		n_skipped += check_failures() == before && skipped[0];
	}
	if (check_failures())
		return 1;
	return n && n_skipped == n ? 77 : 0;
}
