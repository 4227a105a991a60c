/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c - papi_profile export: the profile for other programs. */
#include "export.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "papi_profile/papi_profile.h"
#include "symbols/memory.h"

static const struct form {
	const char *option;
	void (*write)(const struct view *view, FILE *out);
	bool binary, has_pairs; /* who calls whom is enough for it */
} forms[] = {
	{ "--callgrind", export_callgrind, false, true },
	{ "--folded", export_folded, false, false },
	{ "--pprof", export_pprof, true, false },
	{ "--speedscope", export_speedscope, false, false },
};

enum { FIRST_FORM = PAPI_TOOL_LONG_ONLY, FORMS = sizeof(forms) / sizeof(forms[0]) };

static const struct papi_tool_option options[] = {
	{ FIRST_FORM, "callgrind", NULL, "as callgrind writes profiles: for KCachegrind and callgrind_annotate" },
	{ FIRST_FORM + 1, "folded", NULL,
		"a line for each path of calls, \"program;main;solve 1234\", for flame graphs: the first event" },
	{ FIRST_FORM + 2, "pprof", NULL, "compressed profile.proto, for pprof" },
	{ FIRST_FORM + 3, "speedscope", NULL, "JSON for speedscope" },
	{ 'o', "output", "OUT", "write to this file instead of standard output" },
	VIEW_OPTIONS,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile export",
	.operands = "--FORM [FILE]",
	.purpose = "Writes the events of a profile, or those that -e names, in a form that other programs read.",
	.options = options,
};

uint32_t *export_columns(const struct view *view)
{
	uint32_t *columns = papi_memory_grow(NULL, view->profile->events.n, sizeof(columns[0]));

	for (size_t i = 0; i < view->profile->events.n; i++)
		columns[i] = PAPI_PROFILE_NONE;
	for (size_t i = view->n_events; i > 0; i--)
		columns[view->events[i - 1]] = (uint32_t)(i - 1);
	return columns;
}

/* An exact profile has no paths, but who called whom. */
static void tell_what_is_missing(const struct view *view, const struct form *form)
{
	if (view->profile->n_calls && !view->profile->n_paths && !form->has_pairs)
		fprintf(stderr,
			"%s: %s has functions without their callers: of an exact profile it is known who calls whom, "
			"but not by which ways, unless it is recorded with --contexts; --callgrind has the calls\n",
			tool.name, form->option);
}

/* ---- The file ---- */

static _Noreturn void give_up(const char *path, const char *why)
{
	char *clean = view_clean(path);

	fprintf(stderr, "%s: %s: %s\n", tool.name, clean, why);
	exit(EXIT_FAILURE);
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static void finish(FILE *out, const char *path)
{
	bool failed = ferror(out) != 0;
	int error = errno;
	struct stat status;
	char *why;

	if (fclose(out) != 0) {
		error = failed ? error : errno;
		failed = true;
	}
	if (!failed)
		return;
	/* Half a profile would be taken for a whole one. */
	if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
		unlink(path);
	why = papi_memory_print("cannot be written: %s", strerror(error));
	give_up(path, why);
}

static void write_file(const struct view *view, const struct form *form, const char *path)
{
	FILE *out;

	if (is_same_file(path, view->profile->path))
		give_up(path, "this is the profile itself: choose another file");
	out = fopen(path, "we");
	if (!out)
		give_up(path, strerror(errno));
	form->write(view, out);
	finish(out, path);
}

int papi_profile_export(int argc, char **argv)
{
	struct view view = { .tool = &tool };
	const struct form *form = NULL;
	const char *path = NULL;
	int letter;

	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter >= FIRST_FORM && letter < FIRST_FORM + FORMS) {
			if (form && form != &forms[letter - FIRST_FORM])
				papi_tool_usage_error(&tool, "one form at a time: %s or %s", form->option,
					forms[letter - FIRST_FORM].option);
			form = &forms[letter - FIRST_FORM];
		} else if (letter == 'o') {
			path = optarg;
		} else {
			view_take_option(&view, letter);
		}
	}
	if (!form)
		papi_tool_usage_error(&tool, "in which form? --callgrind, --folded, --pprof or --speedscope");
	if (argc - optind > 1)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much", argv[optind + 1]);
	if (form->binary && !path && isatty(STDOUT_FILENO))
		papi_tool_usage_error(&tool, "%s is nothing for a terminal: name a file with -o", form->option);
	view_open(&view, optind < argc ? argv[optind] : NULL);
	tell_what_is_missing(&view, form);
	if (path)
		write_file(&view, form, path);
	else
		form->write(&view, stdout);
	view_close(&view);
	return papi_tool_finish(EXIT_SUCCESS);
}
