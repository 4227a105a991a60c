/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_profile.c - main: a command, or a recording. */
#include "papi_profile/papi_profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "escape.h"
#include "papi.h"
#include "papi_profile/views.h"
#include "program.h"

/* Standard error as papi_profile was given it, or -1 when that was closed. */
static int error_output = STDERR_FILENO;

/* In one write, so that it stays in one piece. It begins with the name of the tool that was called: papi_probe counts
 * by translation with this one. */
void papi_profile_message(const char *format, ...)
{
	char text[4 * PAPI_HUGE_STR_LEN];
	va_list arguments;
	size_t used;

	if (error_output < 0)
		return;
	used = (size_t)snprintf(text, sizeof(text), "%.100s: ", program_invocation_short_name);
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

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "report", papi_profile_report },
	{ "annotate", papi_profile_annotate },
	{ "callers", papi_profile_callers },
	{ "tree", papi_profile_tree },
	{ "diff", papi_profile_diff },
	{ "export", papi_profile_export },
	{ "page", papi_profile_page },
	{ "import", papi_profile_import },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, argv[1]) != 0)
			continue;
		papi_tool_begin();
		return commands[i].run(argc - 1, argv + 1);
	}
	if (!papi_program_fill_descriptors())
		error_output = -1;
	return papi_profile_capture(argc, argv);
}
