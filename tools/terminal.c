/* SPDX-License-Identifier: BSD-3-Clause */
/* What people in front of a terminal get. See terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

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
	static const char *const codes[] = { [PAPI_COLOUR_TITLE] = "1",
		[PAPI_COLOUR_DOUBT] = "33",
		[PAPI_COLOUR_ERROR] = "31",
		[PAPI_COLOUR_ASIDE] = "2" };

	if (coloured && *text != '\0')
		fprintf(stream, "\033[%sm%s\033[0m", codes[colour], text);
	else
		fputs(text, stream);
}

bool papi_terminal_is_output(void)
{
	return isatty(STDOUT_FILENO);
}

void papi_terminal_line(const char *first, int column, const char *text)
{
	char left[PAPI_TEXT_WIDTH];
	size_t length = strlen(first);

	if (!papi_terminal_is_output()) {
		printf("%-*s%s\n", column, first, text);
		return;
	}
	/* The blank between the two is not of the text that must not reach into the column. */
	while (length > 0 && first[length - 1] == ' ')
		length--;
	snprintf(left, sizeof(left), "%.*s", (int)length, first);
	papi_text_wrap(stdout, length < sizeof(left) ? left : first, column, text);
}

void papi_terminal_number(char *text, size_t size, double number, int decimals)
{
	char plain[64];

	snprintf(plain, sizeof(plain), "%.*f", decimals, number);
	if (papi_terminal_is_output())
		papi_text_group(text, size, plain);
	else
		snprintf(text, size, "%s", plain);
}
