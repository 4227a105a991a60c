/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *kept;

bool papi_text_output_begin(void)
{
	kept = tmpfile();
	if (!kept)
		return false;
	/* All that writes there goes on where others have stopped. */
	fcntl(fileno(kept), F_SETFL, O_APPEND);
	fcntl(fileno(kept), F_SETFD, FD_CLOEXEC);
	return true;
}

void papi_text_output_take(void)
{
	if (isatty(STDIN_FILENO)) {
		int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
			_exit(EXIT_FAILURE);
	}
	for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
		if (isatty(stream) && dup2(fileno(kept), stream) < 0)
			_exit(EXIT_FAILURE);
}

void papi_text_output_end(void)
{
	char bytes[4096];
	ssize_t size;

	if (!kept)
		return;
	if (lseek(fileno(kept), 0, SEEK_SET) == 0)
		while ((size = read(fileno(kept), bytes, sizeof(bytes))) > 0)
			if (write(isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO, bytes, (size_t)size) < size)
				break;
	fclose(kept);
	kept = NULL;
}
