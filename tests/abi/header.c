/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header alone, in the strictest form of each language that it promises to be valid in, and the choice between the
 * two functions that are called PAPI_perror. The library is not linked: the functions here stand for it and record
 * which of them was reached.
 */
#include <papi.h>

#include <stdio.h>
#include <string.h>

static const char *called;
static const char *message_got;
static int code_got, length_got;

void(PAPI_perror)(const char *message)
{
	called = "7.0";
	message_got = message;
}

int PAPI_perror_code(int code, char *destination, int length)
{
	called = "3.5";
	code_got = code;
	length_got = length;
	if (length > 0)
		destination[0] = '\0';
	return PAPI_OK;
}

static int check(int right, const char *what)
{
	if (!right)
		fprintf(stderr, "%s\n", what);
	return !right;
}

int main(void)
{
	void (*function)(const char *) = PAPI_perror;
	char text[PAPI_MAX_STR_LEN] = "x";
	int failures = 0;
	int status;

	PAPI_perror("here");
	failures += check(
		strcmp(called, "7.0") == 0 && strcmp(message_got, "here") == 0, "one argument: not the 7.0 form");

	status = PAPI_perror(PAPI_ENOEVNT, text, (int)sizeof text);
	failures += check(strcmp(called, "3.5") == 0 && status == PAPI_OK, "three arguments: not the 3.5 form");
	failures += check(code_got == PAPI_ENOEVNT && text[0] == '\0' && length_got == PAPI_MAX_STR_LEN,
		"three arguments: not passed on");

	status = PAPI_perror(PAPI_EINVAL, NULL, 0);
	failures += check(status == PAPI_OK && code_got == PAPI_EINVAL && length_got == 0, "the 3.5 form that prints");

	function("pointer");
	failures += check(strcmp(called, "7.0") == 0, "its address: not the function of 7.0");
	(PAPI_perror)("parentheses");
	failures += check(strcmp(message_got, "parentheses") == 0, "in parentheses: not the function of 7.0");
	return failures;
}
