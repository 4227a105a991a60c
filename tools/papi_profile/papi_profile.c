/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_profile.c - main: a command, or a recording. */
#include "papi_profile/papi_profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "papi.h"
#include "program.h"

/* Standard error as papi_profile was given it, or -1 when that was closed. */
static int error_output = STDERR_FILENO;

/* In one write, so that it stays in one piece. */
void papi_profile_message(const char *format, ...)
{
	char text[4 * PAPI_HUGE_STR_LEN];
	va_list arguments;
	size_t used;

	if (error_output < 0)
		return;
	used = (size_t)snprintf(text, sizeof(text), "papi_profile: ");
	va_start(arguments, format);
	vsnprintf(text + used, sizeof(text) - used - 1, format, arguments);
	va_end(arguments);
	papi_escape_terminal(text);
	used = strlen(text);
	text[used++] = '\n';
	if (write(error_output, text, used) < 0)
		error_output = -1;
}

void *papi_profile_allocate(void *old, size_t number, size_t size)
{
	void *memory = reallocarray(old, number, size);

	if (memory)
		return memory;
	papi_profile_message("out of memory");
	exit(PAPI_PROGRAM_FAILURE);
}

int main(int argc, char **argv)
{
	if (!papi_program_fill_descriptors())
		error_output = -1;
	return papi_profile_capture(argc, argv);
}
