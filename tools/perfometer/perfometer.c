/* SPDX-License-Identifier: BSD-3-Clause */
/* perfometer.c - shows what a program does while it runs: options, and the order of things. */
#include "perfometer.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "escape.h"
#include "event_names.h"
#include "papi.h"
#include "program.h"

/* The options are read here and not by options.c: those after PROGRAM belong to the program. */
const struct papi_tool papi_perfometer_tool = { .name = "perfometer" };

static const char usage_text[] =
	"Usage: perfometer [OPTION]... [--] PROGRAM [ARG...]\n"
	"       perfometer [OPTION]... -p PID\n"
	"       perfometer [OPTION]... --listen\n"
	"       perfometer replay [OPTION]... FILE\n"
	"       perfometer page [FILE] > PAGE.html\n"
	"Shows in a browser what a program does while it runs: counts of events and metrics, as lines that\n"
	"move. Other events can be chosen meanwhile. The address of the page is printed on standard error.\n"
	"\n"
	"Commands: replay page\n"
	"\n"
	"Options:\n"
	"  -e, --event EVENT,...   events and metrics to begin with\n"
	"  -p, --pid PID           watch process PID until it ends or Ctrl-C\n"
	"      --listen            show programs that call perfometer(), and those that join, until Ctrl-C\n"
	"      --join ADDRESS      show the program on the page of a perfometer that listens, at that address\n"
	"      --regions           with what programs call PAPI_hl_region_begin() for\n"
	"      --rate HZ           samples in a second, 1 to 1000; 10 without it\n"
	"      --record FILE       write all that the page is told to FILE, too\n"
	"      --no-page           serve no page\n"
	"      --port PORT         serve the page on this port of 127.0.0.1 instead of any that is free\n"
	"      --token-file FILE   take the token of the page from FILE, which others cannot read\n"
	"      --bind ADDRESS      serve the page there, not on this machine alone: HOST or HOST:PORT\n"
	"      --open              open the page in a browser\n"
	"      --text              show it in this terminal instead of a page\n"
	"      --stay              serve the page after the program's end, until Ctrl-C\n"
	"      --models            have events ready that are modelled (caches, branch prediction), too\n"
	"  -h, --help              show this text\n"
	"      --version           show the version of the library\n"
	"\n"
	"The manual page perfometer(1) says more.\n";

static bool holds_lines;
static char *held; /* lines that were kept back; NULL: none */

/* In one piece; where standard error is closed, nobody wants it. */
static bool write_line(const char *line)
{
	return write(STDERR_FILENO, line, strlen(line)) >= 0;
}

void papi_perfometer_hold(bool holds)
{
	holds_lines = holds;
	if (holds || !held)
		return;
	write_line(held);
	free(held);
	held = NULL;
}

void papi_perfometer_say(const char *format, ...)
{
	va_list arguments;
	char *text, *line;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (!text)
		return;
	papi_escape_terminal(text);
	if (asprintf(&line, "%sperfometer: %s\n", holds_lines && held ? held : "", text) < 0)
		line = NULL;
	free(text);
	if (holds_lines && line) {
		free(held);
		held = line;
	} else if (line) {
		write_line(line);
		free(line);
	}
}

void papi_perfometer_no_memory(void)
{
	static const char text[] = "perfometer: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(PAPI_PROGRAM_FAILURE);
	exit(PAPI_PROGRAM_FAILURE);
}

void *papi_perfometer_allocate(void *old, size_t number, size_t size)
{
	void *memory = reallocarray(old, number, size);

	if (!memory)
		papi_perfometer_no_memory();
	return memory;
}

char *papi_perfometer_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		papi_perfometer_no_memory();
	return text;
}

long long papi_perfometer_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1000000000LL * now.tv_sec + now.tv_nsec;
}

/* ---- options ---- */

static void parse_events(struct papi_perfometer_options *options, const char *text)
{
	while (text) {
		const char *mistake, *name;
		size_t length;

		name = papi_event_list_next(&text, &length, &mistake);
		if (!name)
			papi_tool_usage_error(&papi_perfometer_tool, "-e: %s", mistake);
		options->events = papi_perfometer_allocate(
			options->events, options->n_events + 1, sizeof(*options->events));
		options->events[options->n_events++] = papi_perfometer_format("%.*s", (int)length, name);
	}
}

static void __attribute__((noreturn)) print_and_exit(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) != 0)
		exit(PAPI_PROGRAM_FAILURE);
	exit(EXIT_SUCCESS);
}

static void __attribute__((noreturn)) print_version(void)
{
	char version[32];

	papi_tool_version(version, sizeof(version));
	print_and_exit(papi_perfometer_format("perfometer (PAPI) %s\n", version));
}

/* Who listens runs nothing, and who joins serves nothing. */
static void check_joining(const struct papi_perfometer_options *options, bool has_port)
{
	if (options->listens && (options->pid || options->command || options->join))
		papi_tool_usage_error(&papi_perfometer_tool,
			"--listen waits for programs that others run: leave out %s",
			options->join          ? "--join"
				: options->pid ? "-p"
					       : "PROGRAM");
	if (options->join &&
		(options->text || has_port || options->stay || options->token_file || options->bind || options->open ||
			options->record))
		papi_tool_usage_error(&papi_perfometer_tool,
			"with --join it is the other perfometer that shows and keeps what is counted: leave out "
			"--text, --record, --stay and all about a page");
}

static void check(const struct papi_perfometer_options *options, bool has_port)
{
	check_joining(options, has_port);
	if (options->pid && options->command)
		papi_tool_usage_error(
			&papi_perfometer_tool, "-p watches a process that runs already: leave out PROGRAM");
	if (!options->pid && !options->command && !options->listens)
		papi_tool_usage_error(&papi_perfometer_tool, "there is no PROGRAM to run and no -p PID to watch");
	if (options->join)
		return;
	if (!options->server && (options->open || options->bind))
		papi_tool_usage_error(
			&papi_perfometer_tool, "there is no page for %s", options->open ? "--open" : "--bind");
	if (!options->server && (options->stay || has_port || options->token_file))
		papi_tool_usage_error(&papi_perfometer_tool, "%s serves nothing: leave out %s",
			options->text ? "--text without --port" : "--no-page",
			options->stay      ? "--stay"
				: has_port ? "--port"
					   : "--token-file");
	if (!options->server && !options->record && !options->text)
		papi_tool_usage_error(&papi_perfometer_tool, "with --no-page, --record FILE says where the counts go");
}

static long number(const char *option, long minimum, long maximum)
{
	return papi_tool_number(&papi_perfometer_tool, option, optarg, minimum, maximum);
}

static void parse(struct papi_perfometer_options *options, int argc, char **argv)
{
	enum {
		RATE = 256,
		RECORD,
		NO_PAGE,
		PORT,
		TEXT,
		STAY,
		MODELS,
		TOKEN_FILE,
		LISTEN,
		JOIN,
		REGIONS,
		BIND,
		OPEN,
		VERSION
	};
	static const struct option names[] = { { "event", required_argument, NULL, 'e' },
		{ "pid", required_argument, NULL, 'p' }, { "rate", required_argument, NULL, RATE },
		{ "record", required_argument, NULL, RECORD }, { "no-page", no_argument, NULL, NO_PAGE },
		{ "port", required_argument, NULL, PORT }, { "stay", no_argument, NULL, STAY },
		{ "text", no_argument, NULL, TEXT }, { "models", no_argument, NULL, MODELS },
		{ "token-file", required_argument, NULL, TOKEN_FILE }, { "listen", no_argument, NULL, LISTEN },
		{ "join", required_argument, NULL, JOIN }, { "regions", no_argument, NULL, REGIONS },
		{ "bind", required_argument, NULL, BIND }, { "open", no_argument, NULL, OPEN },
		{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, VERSION }, { NULL, 0, NULL, 0 } };
	bool has_port = false;
	int option;

	while ((option = getopt_long(argc, argv, "+e:p:h", names, NULL)) != -1) {
		switch (option) {
		case 'e':
			parse_events(options, optarg);
			break;
		case 'p':
			options->pid = (pid_t)number("-p", 1, INT32_MAX);
			break;
		case RATE:
			options->rate = (int)number("--rate", 1, 1000);
			break;
		case RECORD:
			options->record = optarg;
			break;
		case NO_PAGE:
			options->server = false;
			break;
		case PORT:
			options->port = (int)number("--port", 0, 65535);
			has_port = true;
			break;
		case LISTEN:
			options->listens = true;
			break;
		case JOIN:
			options->join = optarg;
			break;
		case REGIONS:
			options->regions = true;
			break;
		case BIND:
			options->bind = optarg;
			break;
		case OPEN:
			options->open = true;
			break;
		case TOKEN_FILE:
			options->token_file = optarg;
			break;
		case TEXT:
			options->text = true;
			break;
		case STAY:
			options->stay = true;
			break;
		case MODELS:
			options->models = true;
			break;
		case 'h':
			print_and_exit(usage_text);
		case VERSION:
			print_version();
		default:
			fputs("Try 'perfometer --help'.\n", stderr);
			exit(PAPI_TOOL_USAGE);
		}
	}
	options->server = options->server && !options->join && (!options->text || has_port);
	options->command = argv[optind] ? argv + optind : NULL;
	check(options, has_port);
}

int main(int argc, char **argv)
{
	struct papi_perfometer_options options = { .rate = 10, .server = true };
	int version, status;

	papi_program_fill_descriptors();
	papi_tool_check_environment();
	if (argc > 1 && !strcmp(argv[1], "replay"))
		return papi_perfometer_replay(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "page"))
		return papi_perfometer_page(argc - 1, argv + 1);
	parse(&options, argc, argv);
	version = PAPI_library_init(PAPI_VER_CURRENT);
	if (version != PAPI_VER_CURRENT) {
		papi_perfometer_say("the PAPI library cannot be used: %s", PAPI_error_detail());
		return PAPI_PROGRAM_FAILURE;
	}
	status = options.listens ? papi_perfometer_listen(&options) : papi_perfometer_run(&options);
	PAPI_shutdown();
	for (size_t i = 0; i < options.n_events; i++)
		free(options.events[i]);
	free(options.events);
	return status;
}
