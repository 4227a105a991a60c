/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture.c - recording a profile: the command line, what is checked before the program runs, and what is told when it
 * has ended.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "common.h"
#include "options.h"
#include "papi.h"
#include "papi_profile/exact.h"
#include "papi_profile/papi_profile.h"
#include "papi_profile/session.h"
#include "process.h"
#include "program.h"
#include "text.h"

#define FREQUENCY     999
#define CONTEXTS      524288
#define MOST_CONTEXTS 524288
#define MOST_SECONDS  100000000

/* Bytes of a stack that are copied. A record of the kernel has less than 64 KiB. */
#define STACK          16384
#define SMALLEST_STACK 512
#define LARGEST_STACK  65528

/* The options are read here and not by options.c: those after PROGRAM belong to the program. */
static const struct papi_tool tool = { .name = "papi_profile" };

static const char usage_text[] = "Usage: papi_profile [OPTION]... [--] PROGRAM [ARG...]\n"
				 "       papi_profile [OPTION]... -p PID\n"
				 "       papi_profile COMMAND [--help]\n"
				 "Samples where a program, its threads and all that it starts spend time, or where\n"
				 "any event happens, and writes the profile to a file. The commands show it:\n"
				 "report functions, lines, modules or threads; annotate source or instructions;\n"
				 "callers and tree who calls what; diff what changed between two; export writes\n"
				 "it for other programs, and page for a browser, which profometer starts. import\n"
				 "makes a profile of what a program has written with PAPI_profil_write.\n"
				 "\n"
				 "Commands: annotate, callers, diff, export, import, page, report, tree\n"
				 "\n"
				 "Options:\n"
				 "  -e, --event EVENT,...   what to sample; papi_native_avail lists names; without\n"
				 "                          it cycles, or CPU time where there are no counters\n"
				 "  -x, --exact             nothing is sampled: the virtual PMU counts what each\n"
				 "                          instruction does; usual where only it counts EVENT\n"
				 "      --contexts[=N]      with -x: by which calls each function was reached; of\n"
				 "                          more than N (524288) ways the others are one\n"
				 "  -F, --frequency HZ      samples of each thread in a second; 999 without it\n"
				 "  -c, --count PERIOD      a sample every PERIOD events instead\n"
				 "  -g, --graph WAY         how callers are found: fp (frame pointers), dwarf\n"
				 "                          (unwind tables; dwarf,SIZE bytes of stack) or none\n"
				 "  -o, --output FILE       the profile; papi_profile.db without it\n"
				 "  -p, --pid PID           process PID, which runs, until it ends or Ctrl-C\n"
				 "  -t, --time SECONDS      with -p: for so long\n"
				 "  -q, --quiet             say only what went wrong\n"
				 "      --ready FD          with -p, for papi_run: before PID executes PROGRAM\n"
				 "      --table FD          with -x and --ready, for papi_run: of the run that is\n"
				 "                          counted in that table\n"
				 "  -h, --help              show this text\n"
				 "      --version           show the version of the library\n"
				 "\n"
				 "The manual page papi_profile(1) says more.\n";

static _Noreturn void print_and_exit(const char *text)
{
	fputs(text, stdout);
	exit(papi_tool_finish(EXIT_SUCCESS));
}

static _Noreturn void print_version(void)
{
	char version[32], text[64];

	papi_tool_version(version, sizeof(version));
	snprintf(text, sizeof(text), "%s (PAPI) %s\n", tool.name, version);
	print_and_exit(text);
}

/* dwarf, or dwarf and how much of the stack. */
static void parse_stack(struct papi_profile_session *session, const char *text)
{
	struct utsname machine;
	long size = STACK;

	if (*text == ',')
		size = papi_tool_number(&tool, "-g dwarf,", text + 1, SMALLEST_STACK, LARGEST_STACK);
	if (size % 8)
		papi_tool_usage_error(&tool, "-g dwarf,SIZE takes a multiple of 8, not '%s'", text + 1);
	uname(&machine);
	session->rate.machine = papi_unwind_machine(machine.machine);
	if (!session->rate.machine)
		papi_tool_usage_error(&tool, "-g dwarf does not know the registers of %s: take -g fp", machine.machine);
	session->rate.graph = PAPI_PROFILE_GRAPH_STACKS;
	session->rate.stack = (uint32_t)size;
	papi_profile_modules_keep_files();
}

static void parse_way(struct papi_profile_session *session, const char *text)
{
	if (!strcmp(text, "fp"))
		session->rate.graph = PAPI_PROFILE_GRAPH_FRAMES;
	else if (!strcmp(text, "none"))
		session->rate.graph = PAPI_PROFILE_GRAPH_NONE;
	else if (!strcmp(text, "dwarf") || !strncmp(text, "dwarf,", 6))
		parse_stack(session, text + 5);
	else
		papi_tool_usage_error(&tool, "-g takes fp, dwarf, dwarf,SIZE or none, not '%s'", text);
}

static double parse_seconds(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > MOST_SECONDS)
		papi_tool_usage_error(&tool, "-t takes a number of seconds above 0, not '%s'", text);
	return seconds;
}

static uint32_t parse_contexts(const char *text)
{
	return text ? (uint32_t)papi_tool_number(&tool, "--contexts", text, 1, MOST_CONTEXTS) : CONTEXTS;
}

static void check_combination(const struct papi_profile_session *session, const char *program, bool both)
{
	if (session->table >= 0 && (!session->exact || session->ready < 0 || session->pid || !program))
		papi_tool_usage_error(&tool, "--table goes with -x, --ready and the PROGRAM that papi_run runs");
	if (session->table < 0 && session->ready >= 0 && (!session->pid || !program))
		papi_tool_usage_error(&tool, "--ready goes with -p PID and the PROGRAM that PID is about to execute");
	if (both)
		papi_tool_usage_error(&tool, "-F and -c say the same in two ways: leave out one");
	if (session->pid && program && session->ready < 0)
		papi_tool_usage_error(&tool, "-p samples a process that runs already: leave out %s", program);
	if (!session->pid && !program)
		papi_tool_usage_error(&tool, "there is no PROGRAM to run and no -p PID to sample");
	if (!session->pid && session->seconds > 0)
		papi_tool_usage_error(&tool, "-t is for -p PID: a program is sampled until it ends");
}

static void parse_options(struct papi_profile_session *session, int argc, char **argv)
{
	enum { OPTION_VERSION = PAPI_TOOL_LONG_ONLY, OPTION_READY, OPTION_TABLE, OPTION_CONTEXTS };
	static const struct option names[] = { { "event", required_argument, NULL, 'e' },
		{ "exact", no_argument, NULL, 'x' }, { "contexts", optional_argument, NULL, OPTION_CONTEXTS },
		{ "frequency", required_argument, NULL, 'F' }, { "count", required_argument, NULL, 'c' },
		{ "graph", required_argument, NULL, 'g' }, { "output", required_argument, NULL, 'o' },
		{ "pid", required_argument, NULL, 'p' }, { "time", required_argument, NULL, 't' },
		{ "quiet", no_argument, NULL, 'q' }, { "ready", required_argument, NULL, OPTION_READY },
		{ "table", required_argument, NULL, OPTION_TABLE }, { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, OPTION_VERSION }, { NULL, 0, NULL, 0 } };
	bool by_frequency = false;
	int option;

	/* The plus sign: what follows the name of the program belongs to the program. */
	while ((option = getopt_long(argc, argv, "+e:xF:c:g:o:p:t:qh", names, NULL)) != -1) {
		switch (option) {
		case 'e':
			papi_profile_events_parse(session->events, optarg);
			break;
		case 'x':
			session->exact = true;
			break;
		case OPTION_CONTEXTS:
			session->contexts = parse_contexts(optarg);
			break;
		case 'F':
			session->rate.frequency = (uint64_t)papi_tool_number(&tool, "-F", optarg, 1, INT32_MAX);
			by_frequency = true;
			break;
		case 'c':
			session->rate.period = (uint64_t)papi_tool_number(&tool, "-c", optarg, 1, INT64_MAX);
			break;
		case 'g':
			parse_way(session, optarg);
			break;
		case 'o':
			session->file = optarg;
			break;
		case 'p':
			session->pid = (pid_t)papi_tool_number(&tool, "-p", optarg, 1, INT32_MAX);
			break;
		case 't':
			session->seconds = parse_seconds(optarg);
			break;
		case 'q':
			session->quiet = true;
			break;
		case OPTION_READY:
			session->ready = (int)papi_tool_number(&tool, "--ready", optarg, 0, INT32_MAX);
			break;
		case OPTION_TABLE:
			session->table = (int)papi_tool_number(&tool, "--table", optarg, 0, INT32_MAX);
			break;
		case 'h':
			print_and_exit(usage_text);
		case OPTION_VERSION:
			print_version();
		default:
			/* getopt_long has said what is wrong. */
			fprintf(stderr, "Try '%s --help'.\n", tool.name);
			exit(PAPI_TOOL_USAGE);
		}
	}
	check_combination(session, argv[optind], by_frequency && session->rate.period);
	session->rate_given = by_frequency || session->rate.period;
}

/* ---- Before and after ---------------------------------------------------------------------------------- */

static void number_text(char *text, size_t size, int64_t number)
{
	char plain[32];

	snprintf(plain, sizeof(plain), "%" PRId64, number);
	papi_text_group(text, size, plain);
}

/* Everything that was not as it should be, each with what to do. */
static void tell_shortcomings(const struct papi_profile_session *session)
{
	const struct papi_profile_events *list = session->events;
	int64_t samples = 0;

	for (size_t i = 0; i < list->number; i++) {
		samples += list->events[i].samples;
		if (list->events[i].user_only)
			papi_profile_message("%s was sampled in user mode only: perf_event_paranoid forbids more "
					     "(1 allows it, or CAP_PERFMON)",
				list->events[i].name);
	}
	if (session->throttled)
		papi_profile_message("the kernel held sampling back %" PRIu64
				     " times, as it took too long: a lower -F or higher -c",
			session->throttled);
	if (session->lost)
		papi_profile_message("lost ones are missing from all values: a lower -F, a higher -c, or -g none");
	if (session->without_path)
		papi_profile_message("%" PRIu64 " samples are without callers: there were more than %d different "
				     "paths of calls",
			session->without_path, PAPI_PROFILE_MOST_CONTEXTS);
	if (session->truncated)
		papi_profile_message("%" PRIu64 " samples lack their outermost callers, shown as [truncated]: their "
				     "stacks were larger than %" PRIu32 " bytes; -g dwarf,%d copies more",
			session->truncated, session->rate.stack, LARGEST_STACK);
	if (session->gone)
		papi_profile_message(
			"%" PRIu64 " samples are of threads that had ended, and are not counted", session->gone);
	if (!samples)
		papi_profile_message("there are no samples: it ran too short, or the event did not happen");
}

static void tell_samples(const struct papi_profile_session *session)
{
	const struct papi_profile_events *list = session->events;
	char text[PAPI_HUGE_STR_LEN], number[64];
	size_t used = 0;

	tell_shortcomings(session);
	for (size_t i = 0; i < list->number && used < sizeof(text); i++) {
		number_text(number, sizeof(number), list->events[i].samples);
		used += (size_t)snprintf(text + used, sizeof(text) - used, i ? ", %s of %s" : "%s samples of %s",
			number, list->events[i].name);
	}
	number_text(number, sizeof(number), (int64_t)session->lost);
	if (session->ready < 0 && !session->quiet)
		papi_profile_message(
			"%s (%s lost) in %.3f s of %s", text, number, session->elapsed, session->command[0]);
}

/* papi_run itself tells people what came of it, but not what went wrong. */
static void tell(const struct papi_profile_session *session)
{
	bool usual = !strcmp(session->file, PAPI_PROFILE_FILE);
	const char *space = usual ? "" : " ", *file = usual ? "" : session->file;

	if (session->exact && session->ready < 0 && !session->quiet)
		papi_profile_exact_tell(session);
	else if (!session->exact)
		tell_samples(session);
	if (session->ready < 0 && !session->quiet && !(session->exact && session->failed))
		papi_profile_message("in %s; to look at them: papi_profile report%s%s, or profometer%s%s",
			session->file, space, file, space, file);
}

/* Finds the program, or says why it cannot be sampled. 0, or the exit status. */
static int find_program(struct papi_profile_session *session, char **command, char **path)
{
	char reason[PAPI_HUGE_STR_LEN];
	int error = papi_program_find(command[0], path), status;

	session->command = command;
	if (error) {
		status = papi_program_refused(command[0], false, error, reason, sizeof(reason));
		papi_profile_message("%s", reason);
		return status;
	}
	if (!papi_program_keeps_secrets(*path))
		return 0;
	papi_profile_message("cannot sample '%s': it gets rights that you do not have (set-user-ID, set-group-ID or "
			     "capabilities) or is not readable: run papi_profile with these rights, or a copy of the "
			     "program without them",
		command[0]);
	return PAPI_PROGRAM_FAILURE;
}

/* The same for the process. */
static int find_process(struct papi_profile_session *session)
{
	char reason[PAPI_HUGE_STR_LEN];

	if (papi_process_is_unfit(session->pid, reason, sizeof(reason))) {
		papi_profile_message("%s", reason);
		return PAPI_PROGRAM_FAILURE;
	}
	if (session->ready < 0)
		session->command = papi_process_command(session->pid);
	return session->command ? 0 : PAPI_PROGRAM_FAILURE;
}

/* Where only the virtual PMU counts what is asked for, there is nothing to be sampled. */
static void choose_exact(struct papi_profile_session *session)
{
	if (!session->exact && !session->pid)
		session->exact = papi_profile_exact_is_meant(session->events);
	if (!session->exact && session->contexts)
		papi_tool_usage_error(&tool, "--contexts is for exact profiles: it goes with -x");
	if (!session->exact)
		return;
	if (session->rate_given)
		papi_tool_usage_error(&tool, "%s: -F and -c are for samples, and here every instruction is counted",
			session->events->number ? session->events->events[0].name : "-x");
	if (!session->events->number)
		papi_profile_events_parse(session->events, papi_profile_exact_usual());
}

/* All that is asked for is there; what it is that can be sampled is the machine's to say. */
static int record(struct papi_profile_session *session, char *path)
{
	int status;

	if (papi_profile_store_check(session->file) != PAPI_OK) {
		papi_profile_message("%s", papi_error_sentence());
		return PAPI_PROGRAM_FAILURE;
	}
	papi_tool_init();
	choose_exact(session);
	if (!session->exact)
		papi_profile_events_resolve(session->events, &session->rate);
	if (session->exact)
		status = papi_profile_exact_run(session, path);
	else
		status = session->pid ? papi_profile_session_watch(session) : papi_profile_session_run(session, path);
	if (session->elapsed > 0)
		tell(session);
	PAPI_shutdown();
	return !status && session->failed ? PAPI_PROGRAM_FAILURE : status;
}

int papi_profile_capture(int argc, char **argv)
{
	struct papi_profile_events events = { 0 };
	struct papi_profile_session session = { .file = PAPI_PROFILE_FILE,
		.ready = -1,
		.table = -1,
		.rate = { .frequency = FREQUENCY, .graph = PAPI_PROFILE_GRAPH_FRAMES },
		.events = &events };
	char *path = NULL;
	int status;

	papi_tool_check_environment();
	parse_options(&session, argc, argv);
	session.command = argv + optind;
	status = session.pid ? find_process(&session) : find_program(&session, argv + optind, &path);
	if (!status)
		status = record(&session, path);
	papi_profile_events_free(&events);
	if (session.command != argv + optind)
		free(session.command);
	free(path);
	return status;
}
