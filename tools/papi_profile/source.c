/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - the lines of source files. See source.h. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbols/memory.h"

enum { TAB = 8 }; /* how wide the stops of tabs are */

static char *expand_tabs(const char *text)
{
	char *line = papi_memory_grow(NULL, TAB * strlen(text) + 1, 1);
	size_t n = 0;

	for (; *text; text++) {
		do
			line[n++] = *text == '\t' ? ' ' : *text;
		while (*text == '\t' && n % TAB != 0);
	}
	line[n] = '\0';
	return line;
}

static const char *changed_since(const struct papi_profile *profile, const struct stat *status)
{
	struct tm started = { 0 };

	if (!strptime(profile->run.started, "%Y-%m-%dT%H:%M:%S", &started) || status->st_mtime <= timegm(&started))
		return NULL;
	return "it has been changed since the run: what stands there may be other lines";
}

const char *source_read(const struct papi_profile *profile, const char *path, struct source *source)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
	struct stat status;
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return strerror(errno);
	if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
		fclose(file);
		return "it is no plain file";
	}
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		source->lines = papi_memory_extend(source->lines, source->n, &source->room, sizeof(source->lines[0]));
		source->lines[source->n++] = expand_tabs(line);
	}
	free(line);
	fclose(file);
	return changed_since(profile, &status);
}

void source_free(struct source *source)
{
	for (size_t i = 0; i < source->n; i++)
		free(source->lines[i]);
	free(source->lines);
}
