/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/definition_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"

/* The tables of all processors together are a quarter of a megabyte. */
#define MOST_MEGABYTES 64
#define MOST_BYTES     ((size_t)MOST_MEGABYTES << 20)

static int system_error(const char *path)
{
	return papi_error(PAPI_ESYS, "%s: %s", path, strerror(errno));
}

static int too_large(const char *path)
{
	return papi_error(PAPI_ESYS, "%s: a file that defines events has at most %d MiB", path, MOST_MEGABYTES);
}

static int check(const char *path, const struct stat *status)
{
	const char *kind = S_ISFIFO(status->st_mode)                   ? "a pipe or FIFO"
		: S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode) ? "a device"
								       : "something else";

	if (S_ISDIR(status->st_mode)) {
		errno = EISDIR;
		return system_error(path);
	}
	if (!S_ISREG(status->st_mode))
		return papi_error(PAPI_ESYS, "%s: a regular file is needed, and it is %s; write the text into a file",
			path, kind);
	return (unsigned long long)status->st_size > MOST_BYTES ? too_large(path) : PAPI_OK;
}

/* Opening alone can wait, or do something to a device, so the kind is asked before, and once more of what was
 * opened. */
static int open_regular(const char *path, size_t *size)
{
	struct stat status;
	int fd;

	if (stat(path, &status))
		return system_error(path);
	if (check(path, &status) != PAPI_OK)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return system_error(path);
	if (fstat(fd, &status) ? system_error(path) : check(path, &status)) {
		close(fd);
		return -1;
	}
	*size = (size_t)status.st_size;
	return fd;
}

/* The size is a hint only: files of /proc have none, and others may grow. One byte more than the text is there. */
static char *read_all(int fd, const char *path, size_t size, size_t *length)
{
	char *text = NULL;
	size_t room = 0, got = 0;
	ssize_t n = 1;

	while (n > 0 && got <= MOST_BYTES) {
		if (got + 1 >= room) {
			char *larger = realloc(text, room = room ? room * 2 : size + 4096);

			if (!larger) {
				n = -1;
				break;
			}
			text = larger;
		}
		n = read(fd, text + got, room - 1 - got);
		got += n > 0 ? (size_t)n : 0;
	}
	if (n < 0 || got > MOST_BYTES) {
		if (n < 0)
			system_error(path);
		else
			too_large(path);
		free(text);
		return NULL;
	}
	text[got] = '\0';
	*length = got;
	return text;
}

char *papi_definition_file_read(const char *path, size_t *length)
{
	size_t size = 0;
	int fd = open_regular(path, &size);
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd, path, size, length);
	close(fd);
	if (text)
		papi_utf8_clean(text, *length, "\t\r\n");
	return text;
}
