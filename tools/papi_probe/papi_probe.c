/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_probe.c - calls of functions, and how long they take: in a program, or in a process that runs already. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "escape.h"
#include "options.h"
#include "papi_probe.h"
#include "program.h"

#define LONGEST_S  1000000000.0
#define SHORTEST_S 0.001

static const char usage_text[] =
	"Usage: papi_probe [OPTION]... [--] PROGRAM [ARG...]\n"
	"       papi_probe [OPTION]... -p PID\n"
	"Counts the calls of functions and measures how long they take, in a program or in a process that\n"
	"runs already and goes on when this ends, and prints that on standard error.\n"
	"\n"
	"Options:\n"
	"  -f, --function PATTERN  which functions: NAME, with wildcards, LIBRARY!NAME, or FILE:LINE[-LINE];\n"
	"                          may be repeated; without, all of the program\n"
	"  -x, --exclude PATTERN   but not these\n"
	"      --calls             count calls alone, which is much cheaper than to time them\n"
	"  -e, --event EVENT,...   count these events in the functions, too: up to four, of the kernel, or,\n"
	"                          where the program is translated, of the virtual PMU\n"
	"      --way WAY           how: patch, by jumps at their entries, at full speed; translate, which\n"
	"                          counts the whole program by the virtual PMU, two to five times slower;\n"
	"                          auto, patches unless an EVENT wants translation; auto without it\n"
	"  -p, --pid PID           probe process PID until it ends, -t or Ctrl-C\n"
	"  -t, --time SECONDS      with -p: for that long\n"
	"      --list              say for each function whether it can be probed, or why not, and do nothing\n"
	"      --regions           with -p: have it count its regions of PAPI_HL_BEGIN from now on\n"
	"      --threads           a line for each thread, too\n"
	"      --interval MS       print what has been counted so far that often\n"
	"      --json              for programs: a line with a JSON object\n"
	"  -o, --output FILE       print to FILE instead of standard error\n"
	"  -h, --help              show this text\n"
	"      --version           show the version of the library\n"
	"\n"
	"The manual page papi_probe(1) says more.\n";

static const struct papi_tool tool = { .name = "papi_probe" };

void probe_message(const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	papi_escape_terminal(text);
	fprintf(stderr, "papi_probe: %s\n", text);
}

static void add_pattern(struct probe_patterns *patterns, const char *text, bool wanted)
{
	const char *wrong = probe_pattern_add(patterns, text, wanted);

	if (wrong)
		papi_tool_usage_error(&tool, "%s '%s': %s", wanted ? "-f" : "-x", text, wrong);
}

static double read_seconds(const char *option, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= SHORTEST_S && number <= LONGEST_S))
		papi_tool_usage_error(&tool, "%s wants a number from 0.001 on, not '%s'", option, text);
	return number;
}

static enum probe_way read_way(const char *text)
{
	static const char *const names[] = { "auto", "patch", "translate" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i]))
			return (enum probe_way)i;
	papi_tool_usage_error(&tool, "--way is auto, patch or translate, not '%s'", text);
}

static _Noreturn void print_version(void)
{
	char version[32];

	papi_tool_version(version, sizeof(version));
	printf("papi_probe (PAPI) %s\n", version);
	exit(papi_tool_finish(EXIT_SUCCESS));
}

enum {
	OPTION_LIST = 256,
	OPTION_CALLS,
	OPTION_WAY,
	OPTION_THREADS,
	OPTION_INTERVAL,
	OPTION_JSON,
	OPTION_REGIONS,
	OPTION_VERSION
};

static void take_option(struct probe_options *options, int option)
{
	switch (option) {
	case 'f':
	case 'x':
		add_pattern(&options->patterns, optarg, option == 'f');
		break;
	case 'e': {
		const char *wrong = probe_events_add(options, optarg);

		if (wrong)
			papi_tool_usage_error(&tool, "-e '%s': %s", optarg, wrong);
		break;
	}
	case 'p':
		options->pid = (pid_t)papi_tool_number(&tool, "-p", optarg, 1, INT32_MAX);
		break;
	case 't':
		options->seconds = read_seconds("-t", optarg);
		break;
	case 'o':
		options->output = optarg;
		break;
	case OPTION_LIST:
		options->list = true;
		break;
	case OPTION_CALLS:
		options->calls = true;
		break;
	case OPTION_WAY:
		options->way = read_way(optarg);
		break;
	case OPTION_THREADS:
		options->threads = true;
		break;
	case OPTION_INTERVAL:
		options->interval_ms = (double)papi_tool_number(&tool, "--interval", optarg, 1, 1000000000);
		break;
	case OPTION_JSON:
		options->json = true;
		break;
	case OPTION_REGIONS:
		options->regions = true;
		break;
	case OPTION_VERSION:
		print_version();
	case 'h':
		fputs(usage_text, stdout);
		exit(papi_tool_finish(EXIT_SUCCESS));
	default:
		fputs("Try 'papi_probe --help'.\n", stderr);
		exit(PAPI_TOOL_USAGE);
	}
}

static void parse_options(struct probe_options *options, int argc, char **argv)
{
	static const struct option names[] = { { "function", required_argument, NULL, 'f' },
		{ "exclude", required_argument, NULL, 'x' }, { "event", required_argument, NULL, 'e' },
		{ "pid", required_argument, NULL, 'p' }, { "time", required_argument, NULL, 't' },
		{ "list", no_argument, NULL, OPTION_LIST }, { "calls", no_argument, NULL, OPTION_CALLS },
		{ "way", required_argument, NULL, OPTION_WAY }, { "threads", no_argument, NULL, OPTION_THREADS },
		{ "interval", required_argument, NULL, OPTION_INTERVAL }, { "json", no_argument, NULL, OPTION_JSON },
		{ "output", required_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' },
		{ "regions", no_argument, NULL, OPTION_REGIONS }, { "version", no_argument, NULL, OPTION_VERSION },
		{ NULL, 0, NULL, 0 } };
	int option;

	/* The plus sign: what follows the name of the program belongs to the program. */
	while ((option = getopt_long(argc, argv, "+f:x:e:p:t:o:h", names, NULL)) != -1)
		take_option(options, option);
	options->command = optind < argc ? argv + optind : NULL;
	if (options->pid && options->command)
		papi_tool_usage_error(&tool, "-p and a PROGRAM are two things: choose one");
	if (!options->pid && !options->command)
		papi_tool_usage_error(&tool, "there is no PROGRAM to run and no -p PID to probe");
	if (options->seconds > 0 && !options->pid)
		papi_tool_usage_error(&tool, "-t goes with -p: a program is probed until it ends");
	if (options->calls && options->n_events)
		papi_tool_usage_error(&tool, "--calls counts nothing else: leave it or -e out");
	if (options->regions &&
		(!options->pid || options->list || options->calls || options->threads || options->json ||
			options->n_events || options->patterns.n_wanted || options->patterns.n_unwanted ||
			options->way != PROBE_AUTO || options->seconds > 0 || options->interval_ms > 0))
		papi_tool_usage_error(&tool, "--regions goes with -p, and with no other option but -o");
	if (!options->patterns.n_wanted)
		probe_pattern_add(&options->patterns, "*", true);
}

static int list(struct probe_options *options)
{
	struct probe_list found = { .modules = NULL };
	char *path = NULL;
	int error = options->pid ? 0 : papi_program_find(options->command[0], &path);
	bool good;

	if (error) {
		char reason[1024];
		int status = papi_program_refused(options->command[0], false, error, reason, sizeof(reason));

		probe_message("%s", reason);
		return status;
	}
	good = options->pid ? probe_modules_of_process(&found, options->pid) : probe_modules_of_program(&found, path);
	free(path);
	if (!good) {
		probe_message("the program cannot be looked at: %s", strerror(errno));
		return PAPI_PROGRAM_FAILURE;
	}
	probe_functions_find(&found, 0, &options->patterns);
	probe_functions_find_inlined(&found, &options->patterns);
	good = probe_list_complain(&options->patterns, &found);
	probe_list_print(options->output ? options->file : stdout, &found, options);
	probe_list_free(&found);
	return papi_tool_finish(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	struct probe_options options = { .file = stderr };
	int status;

	if (!papi_program_fill_descriptors())
		options.file = fopen("/dev/null", "we");
	parse_options(&options, argc, argv);
	if (!options.list && !options.regions)
		probe_events_resolve(&options);
	if (options.way == PROBE_TRANSLATE && options.interval_ms > 0)
		papi_tool_usage_error(&tool, "--interval is for --way patch: what is translated is read in the end");
	if (options.output)
		options.file = fopen(options.output, "we");
	if (!options.file) {
		probe_message("%s cannot be written: %s", options.output, strerror(errno));
		probe_patterns_free(&options.patterns);
		probe_events_free(&options);
		return PAPI_PROGRAM_FAILURE;
	}
	status = options.list     ? list(&options)
		: options.regions ? probe_regions_look(&options)
				  : probe_session_run(&options);
	if (options.output && fclose(options.file) != 0) {
		probe_message("%s could not be written: %s", options.output, strerror(errno));
		status = PAPI_PROGRAM_FAILURE;
	}
	probe_patterns_free(&options.patterns);
	probe_events_free(&options);
	return status;
}
