/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/output.h"

#include <errno.h>
#include <unistd.h>

bool papi_write_all(int file, const char *text, size_t size)
{
	while (size) {
		ssize_t written = write(file, text, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		text += written;
		size -= (size_t)written;
	}
	return true;
}
