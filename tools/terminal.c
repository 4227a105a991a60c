/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours, for people in front of a terminal. See terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool papi_terminal_has_colours(int descriptor)
{
	const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (refused != NULL && *refused != '\0')
		return false;
	return terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(descriptor);
}

void papi_terminal_print(FILE *stream, bool coloured, enum papi_colour colour, const char *text)
{
	/* Bold, yellow, red, faint: told apart on light and on dark ground. */
	static const char *const codes[] = {
		[PAPI_COLOUR_TITLE] = "1", [PAPI_COLOUR_DOUBT] = "33", [PAPI_COLOUR_ERROR] = "31", [PAPI_COLOUR_ASIDE] = "2"
	};

	if (coloured && *text != '\0')
		fprintf(stream, "\033[%sm%s\033[0m", codes[colour], text);
	else
		fputs(text, stream);
}
