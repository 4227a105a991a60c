/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as linkers know them, a line each, to names for people; a line that is no such name stays as it is. */
#include <stdio.h>
#include <stdlib.h>

#include "symbols/demangle.h"

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&line, &room, stdin)) > 0) {
		char *name;

		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		name = papi_symbols_demangle(line);
		puts(name ? name : line);
		free(name);
	}
	free(line);
	return fflush(stdout) == 0 ? 0 : 1;
}
