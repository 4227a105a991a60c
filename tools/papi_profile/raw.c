/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/raw.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "papi_profile/papi_profile.h"

bool papi_profile_raw_make(const char *file, char *directory, size_t size)
{
	char *copy = strdup(file), *slash = copy ? strrchr(copy, '/') : NULL, where[PATH_MAX];
	int length;

	if (slash)
		slash[slash == copy] = '\0';
	if (!copy || !realpath(slash ? copy : ".", where)) {
		papi_profile_message("cannot write to the directory of '%s': %s", file, strerror(errno));
		free(copy);
		return false;
	}
	free(copy);
	length = snprintf(directory, size, "%s/papi_profile.raw.XXXXXX", where);
	if (length < 0 || (size_t)length >= size) {
		papi_profile_message("the name of the directory of '%s' is too long", file);
		return false;
	}
	if (mkdtemp(directory))
		return true;
	papi_profile_message("cannot make a directory for raw data in %s: %s", where, strerror(errno));
	return false;
}

void papi_profile_raw_drop(const char *directory)
{
	DIR *files = opendir(directory);
	const struct dirent *file;

	while (files && (file = readdir(files)))
		unlinkat(dirfd(files), file->d_name, 0);
	if (files)
		closedir(files);
	rmdir(directory);
}
