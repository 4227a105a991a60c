/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static char directory[PATH_MAX / 2];

void files_begin(void)
{
	static const char *const variables[] = { "PAPI_CSV_EVENT_FILE", "PAPI_PERFMON_EVENT_FILE",
		"PAPI_USER_EVENTS_FILE", "PAPI_VERBOSE", "PAPI_ROOT", "LIBPFM_FORCE_PMU" };
	const char *above = getenv("TMPDIR");

	for (size_t i = 0; i < COUNT_OF(variables); i++)
		unsetenv(variables[i]);
	snprintf(directory, sizeof(directory), "%.1000s/papi-definitions-XXXXXX", above ? above : "/tmp");
	REQUIRE(mkdtemp(directory) != NULL);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
	(void)status;
	(void)kind;
	(void)position;
	return remove(path);
}

void files_end(void)
{
	EXPECT(nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

const char *files_path(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % COUNT_OF(paths)];

	snprintf(path, PATH_MAX, "%s/%s", directory, name);
	return path;
}

const char *files_write_bytes(const char *name, const void *bytes, size_t size)
{
	const char *path = files_path(name);
	FILE *file = fopen(path, "we");

	REQUIRE(file != NULL);
	REQUIRE(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
	return path;
}

const char *files_write(const char *name, const char *text)
{
	return files_write_bytes(name, text, strlen(text));
}

static void set_variable(const char *name, const char *path)
{
	REQUIRE((path ? setenv(name, path, 1) : unsetenv(name)) == 0);
}

void files_library_at(const char *preset_path, const char *user_event_path)
{
	set_variable("PAPI_CSV_EVENT_FILE", preset_path);
	set_variable("PAPI_USER_EVENTS_FILE", user_event_path);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

void files_library(const char *presets, const char *user_events)
{
	files_library_at(presets ? files_write("presets.csv", presets) : NULL,
		user_events ? files_write("events.txt", user_events) : NULL);
}

void files_library_end(void)
{
	PAPI_shutdown();
}

int files_code(const char *name)
{
	int code = 0;

	REQUIRE_OK(PAPI_event_name_to_code(name, &code));
	return code;
}

const PAPI_event_info_t *files_info(const char *name)
{
	static PAPI_event_info_t info;

	REQUIRE_OK(PAPI_get_event_info(files_code(name), &info));
	return &info;
}

int files_add(const char *text)
{
	PAPI_option_t option = { .events_file = (char *)(size_t)files_write("more.txt", text) };

	return PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
}

int files_encode(const char *lines, int replace)
{
	char *text = NULL;
	int status;

	REQUIRE(asprintf(&text, "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n%s", lines) > 0);
	status = PAPI_encode_events((char *)(size_t)files_write("decoded.csv", text), replace);
	free(text);
	return status;
}

char *files_printed(void (*run)(void))
{
	const char *path = files_write("printed", "");
	int before = dup(STDERR_FILENO), file = open(path, O_RDWR | O_APPEND | O_CLOEXEC), failures = check_failures();
	char *text;
	off_t size;

	fflush(stderr);
	REQUIRE(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
	run();
	fflush(stderr);
	REQUIRE(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	size = lseek(file, 0, SEEK_END);
	text = calloc(1, (size_t)size + 1);
	REQUIRE(text && pread(file, text, (size_t)size, 0) == size);
	close(file);
	if (check_failures() > failures)
		fputs(text, stderr);
	return text;
}

unsigned files_count(const char *text, const char *words)
{
	unsigned n = 0;

	while ((text = strstr(text, words))) {
		text += strlen(words);
		n++;
	}
	return n;
}
