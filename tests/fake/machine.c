/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

static char directory[PATH_MAX];

static void give_up(const char *what, const char *name)
{
	fprintf(stderr, "machine: cannot %s %s: %s\n", what, name, strerror(errno));
	exit(EXIT_FAILURE);
}

/* Many small files are written: in memory if possible. */
static const char *temporary_directory(void)
{
	const char *chosen = getenv("TMPDIR");

	if (chosen)
		return chosen;
	return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

const char *fake_machine_begin(void)
{
	snprintf(directory, sizeof(directory), "%.4000s/papi-machine-XXXXXX", temporary_directory());
	if (!mkdtemp(directory))
		give_up("make the directory", directory);
	if (papi_linux_set_root(directory) || setenv("PAPI_ROOT", directory, 1))
		give_up("use the directory", directory);
	return directory;
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			give_up("make the directory", path);
		*slash = '/';
	}
}

void fake_machine_write(const char *path, const char *content)
{
	char whole[2 * PATH_MAX];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", directory, path);
	make_parents(whole);
	file = fopen(whole, "we");
	if (!file || fputs(content, file) < 0 || fclose(file))
		give_up("write", whole);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
	(void)status;
	(void)kind;
	(void)position;
	return remove(path);
}

void fake_machine_end(void)
{
	if (nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS))
		give_up("remove", directory);
	papi_linux_set_root(NULL);
	unsetenv("PAPI_ROOT");
}
