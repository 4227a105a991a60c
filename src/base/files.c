/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

#define FIRST_CHUNK 4096

/* Empty for "/": what is put before every path. */
static char root_directory[PATH_MAX];

int papi_linux_set_root(const char *root)
{
	size_t length = root ? strlen(root) : 0;

	while (length > 0 && root[length - 1] == '/')
		length--;
	if (length >= sizeof(root_directory)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (length > 0)
		memcpy(root_directory, root, length);
	root_directory[length] = '\0';
	return 0;
}

const char *papi_linux_root(void)
{
	return root_directory[0] ? root_directory : "/";
}

bool papi_linux_is_live(void)
{
	return root_directory[0] == '\0';
}

int papi_linux_path(const char *path, char *buffer, size_t size)
{
	int length = snprintf(buffer, size, "%s%s", root_directory, path);

	if (length < 0 || (size_t)length >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return length;
}

/*
 * Opening, reading and closing go past the C library, whose functions are cancellation points: these files are read
 * while an EventSet or a lock is held, which a thread cancelled here would keep for ever.
 */
int papi_linux_open(const char *path)
{
	char full[PATH_MAX];
	int descriptor;

	if (papi_linux_path(path, full, sizeof(full)) < 0)
		return -1;
	do
		descriptor = (int)syscall(SYS_openat, AT_FDCWD, full, O_RDONLY | O_CLOEXEC);
	while (descriptor < 0 && errno == EINTR);
	return descriptor;
}

DIR *papi_linux_open_directory(const char *path)
{
	char full[PATH_MAX];

	if (papi_linux_path(path, full, sizeof(full)) < 0)
		return NULL;
	return opendir(full);
}

bool papi_linux_exists(const char *path)
{
	char full[PATH_MAX];

	return papi_linux_path(path, full, sizeof(full)) >= 0 && access(full, F_OK) == 0;
}

/* Fills the buffer up to size or the end of the file: files of /proc come a page at a time. */
static ssize_t read_fully(int descriptor, char *buffer, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = syscall(SYS_read, descriptor, buffer + have, size - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* close(2) without touching errno, which tells the caller what really failed. */
static void close_quietly(int descriptor)
{
	int saved = errno;

	syscall(SYS_close, descriptor);
	errno = saved;
}

ssize_t papi_linux_read_file(const char *path, char *buffer, size_t size)
{
	int descriptor;
	ssize_t length;

	buffer[0] = '\0';
	descriptor = papi_linux_open(path);
	if (descriptor < 0)
		return -1;
	length = read_fully(descriptor, buffer, size - 1);
	buffer[length < 0 ? 0 : length] = '\0';
	close_quietly(descriptor);
	return length;
}

ssize_t papi_linux_read_line(const char *path, char *buffer, size_t size)
{
	if (papi_linux_read_file(path, buffer, size) < 0)
		return -1;
	/* Files of the device tree end in '\0' and those of sysfs in '\n': both end the line. */
	buffer[strcspn(buffer, "\n")] = '\0';
	return (ssize_t)strlen(buffer);
}

/* Reads to the end into a buffer that doubles. NULL on failure, with nothing kept. */
static char *read_growing(int descriptor, size_t *length)
{
	size_t size = FIRST_CHUNK;
	size_t have = 0;
	char *text = malloc(size);

	while (text) {
		ssize_t got = read_fully(descriptor, text + have, size - 1 - have);
		char *larger;

		if (got < 0)
			break;
		have += (size_t)got;
		if (have < size - 1) {
			text[have] = '\0';
			*length = have;
			return text;
		}
		larger = realloc(text, size * 2);
		if (!larger)
			break;
		text = larger;
		size *= 2;
	}
	free(text);
	return NULL;
}

char *papi_linux_read_whole(const char *path, size_t *length)
{
	int descriptor = papi_linux_open(path);
	size_t have;
	char *text;

	if (descriptor < 0)
		return NULL;
	text = read_growing(descriptor, length ? length : &have);
	close_quietly(descriptor);
	return text;
}

int papi_linux_read_int(const char *path, long long *value)
{
	char text[64];

	if (papi_linux_read_file(path, text, sizeof(text)) < 0)
		return -1;
	return papi_text_to_number(text, value) ? 0 : -1;
}

ssize_t papi_linux_read_link(const char *path, char *buffer, size_t size)
{
	char full[PATH_MAX];
	ssize_t length;

	if (papi_linux_path(path, full, sizeof(full)) < 0)
		return -1;
	length = readlink(full, buffer, size);
	if (length < 0)
		return -1;
	if ((size_t)length >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	buffer[length] = '\0';
	return length;
}
