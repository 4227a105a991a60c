/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_environment.c - the environment that the program gets, and which of its variables may matter for counts.
 *
 * Without --reproducible it is that of papi_run. With it, it is made anew: counts would depend on who runs the program,
 * and from where, for programs copy their environment, look through it, and have their stack below it. So it holds the
 * variables that decide what programs do, in the order of their names, and a last one that makes it as large as ever:
 * the stack then begins at one address, whatever the paths and arguments are.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "papi_run.h"

#define PADDING "PAPI_RUN_PADDING"
/* Strings of the environment and of the command, and the pointers to them, fill a multiple of this. */
#define UNIT 16384
/* The kernel and the C library keep the stack at multiples of this. */
#define ALIGNMENT 16
#define HOME      "HOME=/nonexistent"

/* By which languages, libraries, the dynamic linker and runtimes are told what to do. */
static const char *const matters[] = { "ASAN_OPTIONS", "GLIBC_TUNABLES", "GOMP_*", "KMP_*", "LANG", "LANGUAGE", "LC_*",
	"LD_*", "MALLOC_*", "MKL_*", "OMP_*", "OPENBLAS_*", "PAPI_*", "PATH", "PERL*", "PYTHON*", "QT_HASH_SEED",
	"TZ" };

static char **kept; /* names of --keep-env */
static size_t n_kept;
static char **made; /* what the program gets, NULL: the environment of papi_run */
static char *padding;
static size_t left_out;

void papi_run_environment_keep(const char *names)
{
	while (*names) {
		size_t length = strcspn(names, ",");

		if (length == 0 || memchr(names, '=', length))
			papi_tool_usage_error(&papi_run_tool,
				"--keep-env takes names of variables with commas between them, not '%s'", names);
		kept = papi_run_allocate(kept, n_kept + 1, sizeof(*kept));
		kept[n_kept++] = papi_run_format("%.*s", (int)length, names);
		names += length + (names[length] == ',');
	}
}

static bool is_named(const char *variable, const char *name)
{
	size_t length = strlen(name);

	return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool is_one_of(const char *variable, const char *const names[], size_t number)
{
	size_t length = strcspn(variable, "=");
	char *name = papi_run_format("%.*s", (int)length, variable);
	bool found = false;

	for (size_t i = 0; !found && i < number; i++)
		found = fnmatch(names[i], name, 0) == 0;
	free(name);
	return found;
}

static bool is_kept(const char *variable)
{
	/* A papi_run further up has made its own. */
	if (is_named(variable, PADDING))
		return false;
	for (size_t i = 0; i < n_kept; i++)
		if (is_named(variable, kept[i]))
			return true;
	return is_one_of(variable, matters, sizeof(matters) / sizeof(matters[0]));
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static size_t round_up(size_t number, size_t unit)
{
	return (number + unit - 1) / unit * unit;
}

static bool is_script(const char *path)
{
	char head[2] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool script = file >= 0 && read(file, head, sizeof(head)) == sizeof(head) && memcmp(head, "#!", 2) == 0;

	if (file >= 0)
		close(file);
	return script;
}

/* The variable that makes what the kernel will put above the stack as large as ever: the path, the strings of the
 * command and the environment, and the pointers to them. */
static char *make_padding(const char *path, char *const command[], size_t variables)
{
	size_t bytes = strlen(path) + 1 + sizeof(PADDING "="), pointers = variables + 1, total;
	char *variable;

	for (size_t i = 0; command[i]; i++, pointers++)
		bytes += strlen(command[i]) + 1;
	for (size_t i = 0; i < variables; i++)
		bytes += strlen(made[i]) + 1;
	/* The interpreter of a script gets the path in the place of the first word. */
	if (command[0] && is_script(path))
		bytes += strlen(path) - strlen(command[0]);
	pointers = round_up(pointers * sizeof(char *), ALIGNMENT);
	total = round_up(round_up(bytes, ALIGNMENT) + pointers, UNIT) - pointers;
	variable = papi_run_format("%s=%*s", PADDING, (int)(total - bytes), "");
	memset(variable + sizeof(PADDING), '.', total - bytes);
	return variable;
}

void papi_run_environment_begin(const char *path, char *const command[])
{
	static char home[] = HOME;
	size_t number = 0;
	bool has_home = false;

	if (!papi_run_is_reproducible())
		return;
	left_out = 0;
	for (char **variable = environ; *variable; variable++) {
		if (!is_kept(*variable)) {
			left_out++;
			continue;
		}
		has_home = has_home || is_named(*variable, "HOME");
		made = papi_run_allocate(made, number + 1, sizeof(*made));
		made[number++] = *variable;
	}
	made = papi_run_allocate(made, number + 3, sizeof(*made));
	if (!has_home)
		made[number++] = home;
	qsort(made, number, sizeof(*made), by_name);
	free(padding);
	padding = make_padding(path, command, number);
	made[number++] = padding;
	made[number] = NULL;
}

void papi_run_environment_hand_over(void)
{
	if (made)
		environ = made;
}

size_t papi_run_environment_left_out(void)
{
	return left_out;
}

void papi_run_environment_json(FILE *out)
{
	const char *separator = "";

	fputc('{', out);
	for (char **variable = environ; *variable; variable++) {
		size_t length = strcspn(*variable, "=");
		char *name;

		if (!(*variable)[length] || !is_kept(*variable))
			continue;
		name = papi_run_format("%.*s", (int)length, *variable);
		fprintf(out, "%s\n    ", separator);
		papi_escape_json(out, name);
		fputs(": ", out);
		papi_escape_json(out, *variable + length + 1);
		separator = ",";
		free(name);
	}
	fputs(*separator ? "\n  }" : "}", out);
}

void papi_run_environment_free(void)
{
	for (size_t i = 0; i < n_kept; i++)
		free(kept[i]);
	free(kept);
	free(made);
	free(padding);
}
