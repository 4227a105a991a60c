/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of a container are resolved by its own root directory, whatever symbolic links are in there: none of them may
 * lead to a file of ours.
 */
#include "papi_profile/box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "papi_profile/papi_profile.h"

#define PLACE "/tmp"

/* As headers of Linux 5.6 and later have it. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define IN_ROOT 0x10

struct how {
	uint64_t flags, mode, resolve;
};

static struct {
	int root, place, files; /* place: /tmp there; files: the directory in that */
	char name[48];
} box = { -1, -1, -1, "" };

static int open_there(const char *path, int flags)
{
	const struct how how = { .flags = (unsigned)flags | O_CLOEXEC, .resolve = IN_ROOT };

	return (int)syscall(SYS_openat2, box.root, path, &how, sizeof(how));
}

bool papi_profile_box_is_open(void)
{
	return box.root >= 0;
}

int papi_profile_box_file(const char *path)
{
	return open_there(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static void close_all(void)
{
	const int files[] = { box.files, box.place, box.root };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] >= 0)
			close(files[i]);
	box.root = box.place = box.files = -1;
}

static bool sees(const char *directory)
{
	int there = open_there(directory, O_PATH);
	struct stat theirs, ours;
	bool same = there >= 0 && fstat(there, &theirs) == 0 && stat(directory, &ours) == 0 &&
		theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;

	if (there >= 0)
		close(there);
	return same;
}

/* The process's user may write there. */
static bool make_directory(pid_t pid)
{
	char process[32];
	struct stat owner;
	unsigned number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return false;
	snprintf(process, sizeof(process), "/proc/%d", (int)pid);
	snprintf(box.name, sizeof(box.name), "papi_profile.raw.%08x", number);
	box.place = open_there(PLACE, O_RDONLY | O_DIRECTORY);
	if (box.place < 0 || mkdirat(box.place, box.name, 0700) != 0)
		return false;
	box.files = openat(box.place, box.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return box.files >= 0 && stat(process, &owner) == 0 && fchown(box.files, owner.st_uid, owner.st_gid) == 0;
}

bool papi_profile_box_open(pid_t pid, const char *ours, char *theirs, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	box.root = open(path, O_PATH | O_CLOEXEC);
	if (box.root < 0 || sees(ours)) {
		close_all();
		snprintf(theirs, size, "%s", ours);
		return true;
	}
	if (!make_directory(pid)) {
		papi_profile_message("cannot make a directory for raw data in " PLACE
				     " of process %d, which does not see "
				     "that of the profile: %s",
			(int)pid, strerror(errno));
		if (box.place >= 0)
			unlinkat(box.place, box.name, AT_REMOVEDIR);
		close_all();
		return false;
	}
	snprintf(theirs, size, PLACE "/%s", box.name);
	return true;
}

static bool fetch(const char *name, int to)
{
	int from = openat(box.files, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), file = -1;
	struct stat status;
	ssize_t got = -1;
	off_t at = 0;

	if (from >= 0 && fstat(from, &status) == 0 && S_ISREG(status.st_mode))
		file = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file >= 0)
		do
			got = at < status.st_size ? sendfile(file, from, &at, (size_t)(status.st_size - at)) : 0;
		while (got > 0);
	if (got < 0)
		papi_profile_message("a file of raw data cannot be fetched: %s", strerror(errno));
	if (file >= 0)
		close(file);
	if (from >= 0)
		close(from);
	return got >= 0;
}

void papi_profile_box_close(const char *ours)
{
	int to, list = box.files >= 0 ? dup(box.files) : -1;
	const struct dirent *entry;
	DIR *files;

	if (list < 0)
		return;
	to = open(ours, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	files = fdopendir(list);
	while (files && (entry = readdir(files)))
		if (entry->d_name[0] != '.') {
			fetch(entry->d_name, to);
			unlinkat(box.files, entry->d_name, 0);
		}
	if (files)
		closedir(files);
	if (to >= 0)
		close(to);
	unlinkat(box.place, box.name, AT_REMOVEDIR);
}
