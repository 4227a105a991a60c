/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of a utility: getopt_long driven by the utility's own table. See options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "escape.h"
#include "papi.h"
#include "text.h"

enum {
	OPTIONS_MAX = 32,
	HELP_COLUMN = 24, /* where the explanations of --help start */
	LETTER_HELP = 'h',
	LETTER_VERSION = PAPI_TOOL_LONG_ONLY - 1,
};

static const struct papi_tool_option common_options[] = {
	{ LETTER_HELP, "help", NULL, "show this text" },
	{ LETTER_VERSION, "version", NULL, "show the version of the library" },
	{ 0 },
};

static void print_option(const struct papi_tool_option *option)
{
	char left[80];
	int length = 0;

	if (option->letter < LETTER_VERSION)
		length = snprintf(left, sizeof(left), "  -%c", option->letter);
	else
		length = snprintf(left, sizeof(left), "    ");
	if (option->word != NULL)
		length += snprintf(left + length, sizeof(left) - (size_t)length, "%s--%s",
			option->letter < LETTER_VERSION ? ", " : "  ", option->word);
	if (option->argument != NULL)
		snprintf(left + length, sizeof(left) - (size_t)length, " %s", option->argument);
	papi_text_wrap(stdout, left, HELP_COLUMN, option->help);
}

static void print_help(const struct papi_tool *tool)
{
	printf("Usage: %s [OPTION]...%s%s\n", tool->name, tool->operands != NULL ? " " : "",
		tool->operands != NULL ? tool->operands : "");
	papi_text_wrap(stdout, "", 0, tool->purpose);
	printf("\nOptions:\n");
	for (const struct papi_tool_option *option = tool->options; option->letter != 0; option++)
		print_option(option);
	for (const struct papi_tool_option *option = common_options; option->letter != 0; option++)
		print_option(option);
	/* A tool with commands has one page for all. */
	printf("\nThe manual page %.*s(1) says more.\n", (int)strcspn(tool->name, " "), tool->name);
}

static void print_version(const struct papi_tool *tool)
{
	char version[32];

	papi_tool_version(version, sizeof(version));
	printf("%s (PAPI) %s\n", tool->name, version);
}

/* Appends the options of one table to what getopt_long wants: a text of letters and an array of words. */
static void add_options(const struct papi_tool_option *options, char *letters, struct option *words, int *count)
{
	letters += strlen(letters);
	for (; options->letter != 0; options++) {
		if (options->letter < LETTER_VERSION) {
			*letters++ = (char)options->letter;
			if (options->argument != NULL)
				*letters++ = ':';
			*letters = '\0';
		}
		if (options->word != NULL && *count < OPTIONS_MAX)
			words[(*count)++] = (struct option){
				.name = options->word,
				.has_arg = options->argument != NULL ? required_argument : no_argument,
				.val = options->letter,
			};
	}
}

int papi_tool_next_option(const struct papi_tool *tool, int argc, char **argv)
{
	char letters[2 * OPTIONS_MAX + 1] = "";
	struct option words[OPTIONS_MAX + 1] = { { 0 } };
	int count = 0;

	/* Rebuilt at each call: a command line has a handful of options, and no state needs to be kept. */
	add_options(tool->options, letters, words, &count);
	add_options(common_options, letters, words, &count);

	int letter = getopt_long(argc, argv, letters, words, NULL);
	switch (letter) {
	case LETTER_HELP:
		print_help(tool);
		exit(papi_tool_finish(EXIT_SUCCESS));
	case LETTER_VERSION:
		print_version(tool);
		exit(papi_tool_finish(EXIT_SUCCESS));
	case '?':
		/* getopt_long has said what is wrong. */
		fprintf(stderr, "Try '%s --help'.\n", tool->name);
		exit(PAPI_TOOL_USAGE);
	case -1:
		if (tool->operands == NULL && optind < argc)
			papi_tool_usage_error(tool, "'%s' is not an option, and nothing else is taken", argv[optind]);
		return -1;
	default:
		return letter;
	}
}

void papi_tool_usage_error(const struct papi_tool *tool, const char *format, ...)
{
	char text[2 * PAPI_HUGE_STR_LEN];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	papi_escape_terminal(text);
	fprintf(stderr, "%s: %s\nTry '%s --help'.\n", tool->name, text, tool->name);
	exit(PAPI_TOOL_USAGE);
}

long papi_tool_number(const struct papi_tool *tool, const char *option, const char *text, long minimum, long maximum)
{
	char *end;

	errno = 0;
	long number = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || number < minimum || number > maximum)
		papi_tool_usage_error(
			tool, "%s takes a number from %ld to %ld, not '%s'", option, minimum, maximum, text);
	return number;
}
