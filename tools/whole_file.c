/* SPDX-License-Identifier: BSD-3-Clause */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

#define ATTEMPTS 100

/* The file itself, behind links; a copy of the path where there is none yet. NULL: no memory. */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real || errno == ENOMEM ? real : strdup(path);
}

static bool check(const char *path, struct stat *status, char *reason, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *directory;
	bool writable;

	status->st_mode = 0;
	if (stat(path, status) == 0 && !S_ISREG(status->st_mode)) {
		snprintf(reason, size, "it is %s", S_ISDIR(status->st_mode) ? "a directory" : "no regular file");
		return false;
	}
	directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	writable = directory && access(directory, W_OK | X_OK) == 0;
	if (!writable)
		snprintf(reason, size, "its directory: %s", strerror(errno));
	free(directory);
	return writable;
}

bool papi_whole_file_check(const char *path, char *reason, size_t size)
{
	char *real = real_path(path);
	struct stat status;
	bool fine = real && check(real, &status, reason, size);

	if (!real)
		snprintf(reason, size, "%s", strerror(ENOMEM));
	free(real);
	return fine;
}

/* As far as there is one behind the file. */
static bool reach_disk(int file)
{
	return fsync(file) == 0 || errno == EINVAL || errno == EROFS;
}

/* A new file beside the real one; its name, for the caller to free, or NULL with errno. */
static char *make_beside(const char *real, int *file)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		char *name;

		if (asprintf(&name, "%s.%d-%d.tmp", real, (int)getpid(), i) < 0)
			return NULL;
		*file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*file >= 0)
			return name;
		free(name);
		if (errno != EEXIST)
			return NULL;
	}
	return NULL;
}

static bool replace(const char *real, const struct stat *before, const char *text, size_t length)
{
	char *name;
	int file, error = 0;

	name = make_beside(real, &file);
	if (!name)
		return false;
	/* Who may read it stays, as far as that is ours to say. */
	if (before->st_mode && fchmod(file, before->st_mode & 07777) != 0)
		error = errno;
	if (!error && !(papi_write_all(file, text, length) && reach_disk(file)))
		error = errno;
	if (close(file) != 0 && !error)
		error = errno;
	if (!error && rename(name, real) != 0)
		error = errno;
	if (error)
		unlink(name);
	free(name);
	errno = error;
	return !error;
}

bool papi_whole_file_write(const char *path, const char *text, size_t length, char *reason, size_t size)
{
	char *real = real_path(path);
	struct stat before;
	bool written = false;

	if (!real)
		snprintf(reason, size, "%s", strerror(ENOMEM));
	else if (check(real, &before, reason, size)) {
		written = replace(real, &before, text, length);
		if (!written)
			snprintf(reason, size, "%s", strerror(errno));
	}
	free(real);
	return written;
}
