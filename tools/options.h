/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of a utility: one table from which the parser and the text of --help are both made,
 * so that the two cannot disagree.
 *
 * Every utility knows -h, --help (text on standard output, exit status 0) and --version; they are not listed in
 * its table. A mistake gives one line on standard error that says what is wrong, one that says where help is,
 * and exit status 2. Operands may stand between options.
 */
#ifndef PAPI_TOOLS_OPTIONS_H
#define PAPI_TOOLS_OPTIONS_H

/* Letters of options that have a long form only start here, above every character. */
#define PAPI_TOOL_LONG_ONLY 256

/* Exit status for a command line that makes no sense. */
#define PAPI_TOOL_USAGE 2

/* The option of tools that list events, which begin with the machine: papi_tool_header(). */
#define PAPI_TOOL_VERBOSE                                                                          \
	{                                                                                          \
		'v', "verbose", NULL, "begin with a description of the machine, on a terminal too" \
	}

struct papi_tool_option {
	int letter;           /* the short option, or PAPI_TOOL_LONG_ONLY + n; 0 ends the table */
	const char *word;     /* the long option without its dashes, NULL when there is none */
	const char *argument; /* what the option takes, as --help shows it; NULL when it takes nothing */
	const char *help;
};

struct papi_tool {
	const char *name;
	const char *operands; /* as --help shows them; NULL when the utility takes none */
	const char *purpose;  /* one or two sentences */
	const struct papi_tool_option *options;
};

/*
 * The next option's letter, its argument in getopt's optarg, or -1 when only operands are left (from optind on).
 * Answers --help and --version and reports mistakes itself, by ending the program.
 */
int papi_tool_next_option(const struct papi_tool *tool, int argc, char **argv);

/* Reports a mistake on the command line and ends the program with PAPI_TOOL_USAGE. */
_Noreturn void papi_tool_usage_error(const struct papi_tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The argument of an option as a number between minimum and maximum; anything else, an empty text or trailing
 * letters included, is a mistake on the command line.
 */
long papi_tool_number(const struct papi_tool *tool, const char *option, const char *text, long minimum, long maximum);

#endif
