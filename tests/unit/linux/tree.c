/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what, const char *name)
{
	fprintf(stderr, "tree: cannot %s %s: %s\n", what, name, strerror(errno));
	exit(EXIT_FAILURE);
}

static int hex_digit(char digit)
{
	return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

void tree_write_content(FILE *out, const char *content, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)content[i];

		if (byte == '\n')
			fputs("\\n", out);
		else if (byte == '\t')
			fputs("\\t", out);
		else if (byte == '\\')
			fputs("\\\\", out);
		else if (byte < 0x20 || byte > 0x7e)
			fprintf(out, "\\x%02x", byte);
		else
			fputc(byte, out);
	}
}

size_t tree_read_content(char *content)
{
	char *to = content;

	for (const char *from = content; *from; from++) {
		if (*from != '\\' || from[1] == '\0') {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'x' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2])) {
			*to++ = (char)(hex_digit(from[1]) << 4 | hex_digit(from[2]));
			from += 2;
		} else {
			*to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
		}
	}
	return (size_t)(to - content);
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

static void write_file(char *path, const char *content, size_t length)
{
	FILE *file = fopen(path, "we");

	/* Most files of a tree are in the directory of the one before. */
	if (!file && errno == ENOENT) {
		make_parents(path);
		file = fopen(path, "we");
	}
	if (!file || fwrite(content, 1, length, file) != length || fclose(file) != 0)
		give_up("write", path);
}

static void unpack_line(const char *directory, char *line, tree_change_t change, void *data)
{
	char path[PATH_MAX];
	char *content = strchr(line, '\t');
	size_t size, length;

	if (!content) {
		errno = EINVAL;
		give_up("find the tab in the line", line);
		return;
	}
	*content++ = '\0';
	snprintf(path, sizeof(path), "%s%s", directory, line);
	if (path[strlen(path) - 1] == '/') {
		make_parents(path);
		return;
	}
	size = strlen(content);
	length = tree_read_content(content);
	if (change)
		change(content, &length, size, data);
	write_file(path, content, length);
}

/* Thousands of small files are written: in memory if possible. */
static const char *temporary_directory(void)
{
	const char *chosen = getenv("TMPDIR");

	if (chosen)
		return chosen;
	return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

char *tree_unpack(const char *file, tree_change_t change, void *data)
{
	char directory[PATH_MAX];
	FILE *tree = fopen(file, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!tree)
		give_up("read", file);
	snprintf(directory, sizeof(directory), "%s/papi-tree-XXXXXX", temporary_directory());
	if (!mkdtemp(directory))
		give_up("make the directory", directory);
	while ((length = getline(&line, &size, tree)) >= 0) {
		if (length > 0 && line[length - 1] == '\n')
			line[--length] = '\0';
		if (length > 0 && line[0] != '#')
			unpack_line(directory, line, change, data);
	}
	free(line);
	fclose(tree);
	return strdup(directory);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
	(void)status;
	(void)kind;
	(void)position;
	return remove(path);
}

void tree_remove(char *directory)
{
	if (nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0)
		give_up("remove", directory);
	free(directory);
}

char *tree_path(const char *name)
{
	const char *directory = getenv("PAPI_TEST_TREES");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory ? directory : "trees", name);
	return strdup(path);
}
