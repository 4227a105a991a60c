/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run.c - counts events over any program, or over a process that already runs: options, and the order of things.
 *
 * What can go wrong without the program (its name, the options, the file of the report) goes wrong before it starts.
 * After that the program's own exit status wins: papi_run reports its own failure with 125 only in place of a 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "escape.h"
#include "papi_run.h"
#include "program.h"

#define MAX_REPEAT      10000
#define MAX_INTERVAL_MS 3600000

struct options {
	enum run_format format;
	const char *output;   /* path of the report, NULL for standard error */
	const char *save;     /* path of the results, NULL for none */
	const char *roofline; /* path of the picture, NULL for none */
	int repeat;
	int interval_ms; /* 0: none */
	pid_t pid;       /* process to watch, 0 when a program is run */
	enum run_tasks_kind tasks;
	bool best_effort;
	bool reproducible;
	bool keeps; /* variables of the environment */
	bool require_complete;
	bool profile;
	bool passes;      /* allowed */
	bool list_groups; /* and nothing else */
};

/* The options are read here and not by options.c: those after PROGRAM belong to the program. */
const struct papi_tool papi_run_tool = { .name = "papi_run" };

/* Standard error as papi_run was given it, or -1 when that was closed. */
static int error_output = STDERR_FILENO;

int papi_run_error_output(void)
{
	return error_output;
}

/* One line on standard error, in one write so that it stays in one piece. */
void papi_run_message(const char *format, ...)
{
	char text[4 * PAPI_HUGE_STR_LEN];
	va_list arguments;
	size_t used;

	if (error_output < 0)
		return;
	used = (size_t)snprintf(text, sizeof(text), "papi_run: ");
	va_start(arguments, format);
	vsnprintf(text + used, sizeof(text) - used - 1, format, arguments);
	va_end(arguments);
	papi_escape_terminal(text);
	used = strlen(text);
	text[used++] = '\n';
	if (write(error_output, text, used) < 0)
		error_output = -1;
}

/* realloc that ends papi_run when there is no memory. A child at its gate then ends, too. */
void *papi_run_allocate(void *old, size_t number, size_t size)
{
	void *memory = reallocarray(old, number, size);

	if (memory)
		return memory;
	papi_run_message("out of memory");
	exit(PAPI_PROGRAM_FAILURE);
}

/* A string of its own for the caller to free. */
char *papi_run_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		return text;
	papi_run_message("out of memory");
	exit(PAPI_PROGRAM_FAILURE);
}

/* Nanoseconds of a clock that nobody sets. */
long long papi_run_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1000000000LL * now.tv_sec + now.tv_nsec;
}

long long papi_run_until(long long then)
{
	long long left = then - papi_run_now();

	return left > 0 ? left : 0;
}

/* Room for one more run, all zero, before it starts: afterwards nothing may fail for want of memory. */
void papi_run_reserve(struct run_list *list, struct run_result *result)
{
	long long **arrays[] = { &result->elapsed_ns, &result->user_ns, &result->system_ns };
	size_t run = result->runs;

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		*arrays[i] = papi_run_allocate(*arrays[i], run + 1, sizeof(**arrays[i]));
		(*arrays[i])[run] = 0;
	}
	for (size_t i = 0; i < list->number; i++) {
		struct run_event *event = &list->events[i];

		event->counts = papi_run_allocate(event->counts, run + 1, sizeof(*event->counts));
		event->counts[run] = 0;
	}
}

static const char usage_text[] =
	"Usage: papi_run [OPTION]... [--] PROGRAM [ARG...]\n"
	"       papi_run [OPTION]... -p PID\n"
	"Counts events over a program and all that it starts, passes its input, output and exit status\n"
	"through, and prints the counts on standard error.\n"
	"\n"
	"Options:\n"
	"  -e, --event EVENT,...   what to count; papi_avail and papi_native_avail list the names\n"
	"  -g, --group GROUP,...   metrics: flops, cache, ... (--list-groups), or a FILE of groups\n"
	"      --explain           with -g: say in a few sentences what stands out\n"
	"      --passes            with -g: run the program several times where not all fits at once\n"
	"      --roofline FILE     draw the program under the roofs of this machine: FILE.svg or FILE.html\n"
	"      --list-groups       list the groups of metrics, all or those of -g, and do nothing else\n"
	"  -o, --output FILE       write the report to FILE\n"
	"      --format FORMAT     text (for people), json or csv\n"
	"  -r, --repeat REPEAT     run the program REPEAT times, and print means and how far the runs differ\n"
	"  -I, --interval MS       tell what was counted in each interval of MS milliseconds, too\n"
	"      --per-thread        tell what each thread has counted, too\n"
	"      --per-process       likewise, of each process\n"
	"  -p, --pid PID           watch process PID until it ends or Ctrl-C\n"
	"      --best-effort       run the program even if an event is unknown, and count the others\n"
	"      --profile           show the five lines in which most happened, too, and keep the profile\n"
	"      --save FILE         write the results to FILE, too, with all that explains them\n"
	"      --reproducible      the same addresses, environment and seeds in every run, for the same counts\n"
	"      --keep-env VARIABLE,...  with --reproducible: further variables that the program gets\n"
	"      --require-complete  exit with status 123 when an event or a process could not be counted\n"
	"  -h, --help              show this text\n"
	"      --version           show the version of the library\n"
	"\n"
	"The manual page papi_run(1) says more.\n";

static enum run_format parse_format(const char *text)
{
	static const char *const names[] = {
		[RUN_FORMAT_TEXT] = "text", [RUN_FORMAT_JSON] = "json", [RUN_FORMAT_CSV] = "csv"
	};

	for (int i = RUN_FORMAT_TEXT; i <= RUN_FORMAT_CSV; i++)
		if (strcmp(text, names[i]) == 0)
			return (enum run_format)i;
	papi_tool_usage_error(&papi_run_tool, "--format takes text, json or csv, not '%s'", text);
}

/* The text that was asked for, on standard output, where no program is run. Does not return. */
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
	print_and_exit(papi_run_format("%s (PAPI) %s\n", papi_run_tool.name, version));
}

/* last: the last word behind the tool, NULL if there is none. Where it is a program, an option has taken it. */
static void __attribute__((noreturn)) complain_of_no_program(const char *last)
{
	if (last && access(last, X_OK) == 0)
		papi_tool_usage_error(&papi_run_tool,
			"there is no PROGRAM to run: the option in front of %s takes that for its value", last);
	papi_tool_usage_error(&papi_run_tool, "there is no PROGRAM to run and no -p PID to watch");
}

/* What does not go together. program: NULL if there is none; last: as above. */
static void check_options(
	const struct options *options, const struct run_list *list, const char *program, const char *last)
{
	if (options->roofline && (options->pid || options->interval_ms))
		papi_tool_usage_error(&papi_run_tool, "--roofline draws whole runs of a program: leave out %s",
			options->pid ? "-p" : "-I");
	if (options->pid && (program || options->repeat > 1 || options->reproducible || options->save))
		papi_tool_usage_error(&papi_run_tool, "-p watches a process that runs already: leave out %s",
			program                         ? "PROGRAM"
				: options->repeat > 1   ? "-r"
				: options->reproducible ? "--reproducible"
							: "--save");
	if (options->profile &&
		(options->pid || options->repeat > 1 || options->passes || options->format == RUN_FORMAT_CSV))
		papi_tool_usage_error(&papi_run_tool, "--profile is of one run, as text or JSON: %s",
			options->pid                  ? "papi_profile -p profiles a process that runs already"
				: options->repeat > 1 ? "leave out -r"
				: options->passes     ? "leave out --passes"
						      : "leave out --format csv");
	if (options->interval_ms && (options->repeat > 1 || options->passes))
		papi_tool_usage_error(
			&papi_run_tool, "-I tells of one run: leave out %s", options->passes ? "--passes" : "-r");
	if (options->tasks && (options->repeat > 1 || options->passes))
		papi_tool_usage_error(&papi_run_tool, "--per-thread and --per-process tell of one run: leave out %s",
			options->passes ? "--passes" : "-r");
	if (options->tasks && options->interval_ms && options->format == RUN_FORMAT_CSV)
		papi_tool_usage_error(&papi_run_tool,
			"-I and --per-thread have each their own columns in --format csv: one of them at a time, or "
			"--format json");
	if (options->keeps && !options->reproducible)
		papi_tool_usage_error(&papi_run_tool,
			"--keep-env goes with --reproducible: without it the program "
			"gets the whole environment");
	if ((list->explain || options->passes) && !list->n_wanted)
		papi_tool_usage_error(&papi_run_tool, "%s is about metrics: choose some with -g GROUP",
			list->explain ? "--explain" : "--passes");
	if (options->passes && options->pid)
		papi_tool_usage_error(&papi_run_tool,
			"--passes runs the program several times, and -p watches a process that runs already");
	if (!options->pid && !program)
		complain_of_no_program(last);
}

static void parse_options(struct options *options, struct run_list *list, int argc, char **argv)
{
	enum {
		OPTION_FORMAT = 256,
		OPTION_BEST_EFFORT,
		OPTION_REPRODUCIBLE,
		OPTION_KEEP_ENV,
		OPTION_PROFILE,
		OPTION_SAVE,
		OPTION_REQUIRE_COMPLETE,
		OPTION_EXPLAIN,
		OPTION_PASSES,
		OPTION_LIST_GROUPS,
		OPTION_ROOFLINE,
		OPTION_PER_THREAD,
		OPTION_PER_PROCESS,
		OPTION_VERSION
	};
	static const struct option names[] = { { "event", required_argument, NULL, 'e' },
		{ "group", required_argument, NULL, 'g' }, { "explain", no_argument, NULL, OPTION_EXPLAIN },
		{ "passes", no_argument, NULL, OPTION_PASSES },
		{ "list-groups", no_argument, NULL, OPTION_LIST_GROUPS },
		{ "roofline", required_argument, NULL, OPTION_ROOFLINE }, { "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, OPTION_FORMAT }, { "repeat", required_argument, NULL, 'r' },
		{ "interval", required_argument, NULL, 'I' }, { "pid", required_argument, NULL, 'p' },
		{ "best-effort", no_argument, NULL, OPTION_BEST_EFFORT },
		{ "reproducible", no_argument, NULL, OPTION_REPRODUCIBLE },
		{ "keep-env", required_argument, NULL, OPTION_KEEP_ENV },
		{ "profile", no_argument, NULL, OPTION_PROFILE }, { "save", required_argument, NULL, OPTION_SAVE },
		{ "require-complete", no_argument, NULL, OPTION_REQUIRE_COMPLETE }, { "help", no_argument, NULL, 'h' },
		{ "per-thread", no_argument, NULL, OPTION_PER_THREAD },
		{ "per-process", no_argument, NULL, OPTION_PER_PROCESS },
		{ "version", no_argument, NULL, OPTION_VERSION }, { NULL, 0, NULL, 0 } };
	int option;

	options->repeat = 1;
	/* The plus sign: what follows the name of the program belongs to the program. */
	while ((option = getopt_long(argc, argv, "+e:g:o:r:I:p:h", names, NULL)) != -1) {
		switch (option) {
		case 'e':
			papi_run_events_parse(list, optarg);
			break;
		case 'g':
			papi_run_metrics_parse(list, optarg);
			break;
		case OPTION_EXPLAIN:
			list->explain = true;
			break;
		case OPTION_PASSES:
			options->passes = true;
			break;
		case OPTION_ROOFLINE:
			options->roofline = optarg;
			break;
		case OPTION_LIST_GROUPS:
			options->list_groups = true;
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'r':
			options->repeat = (int)papi_tool_number(&papi_run_tool, "-r", optarg, 1, MAX_REPEAT);
			break;
		case 'I':
			options->interval_ms = (int)papi_tool_number(&papi_run_tool, "-I", optarg, 1, MAX_INTERVAL_MS);
			break;
		case 'p':
			options->pid = (pid_t)papi_tool_number(&papi_run_tool, "-p", optarg, 1, INT32_MAX);
			break;
		case 'h':
			print_and_exit(usage_text);
		case OPTION_VERSION:
			print_version();
		case OPTION_PER_THREAD:
			options->tasks = RUN_TASKS_THREADS;
			break;
		case OPTION_PER_PROCESS:
			options->tasks = RUN_TASKS_PROCESSES;
			break;
		case OPTION_BEST_EFFORT:
			options->best_effort = true;
			break;
		case OPTION_REPRODUCIBLE:
			options->reproducible = true;
			break;
		case OPTION_KEEP_ENV:
			papi_run_environment_keep(optarg);
			options->keeps = true;
			break;
		case OPTION_PROFILE:
			options->profile = true;
			break;
		case OPTION_SAVE:
			options->save = optarg;
			break;
		case OPTION_REQUIRE_COMPLETE:
			options->require_complete = true;
			break;
		case OPTION_FORMAT:
			options->format = parse_format(optarg);
			break;
		default:
			/* getopt_long has said what is wrong. */
			fprintf(stderr, "Try '%s --help'.\n", papi_run_tool.name);
			exit(RUN_EXIT_USAGE);
		}
	}
	if (!options->list_groups)
		check_options(options, list, argv[optind], argc > 1 ? argv[argc - 1] : NULL);
}

static int open_output(const char *path)
{
	int output;

	if (!path)
		return error_output;
	output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (output < 0) {
		papi_run_message("cannot write the report to '%s': %s; the program was not run", path, strerror(errno));
		exit(PAPI_PROGRAM_FAILURE);
	}
	return output;
}

/* Starts the library and completes the list. Without the library all events are given up; the program still runs. */
static void prepare_events(struct run_list *list, const struct options *options)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	if (version == PAPI_VER_CURRENT) {
		papi_run_metrics_prepare(list, options->best_effort);
		if (list->number == 0)
			papi_run_events_default(list, !options->pid && !options->profile);
		if (!options->best_effort)
			papi_run_events_check(list);
		papi_run_events_describe(list);
		papi_run_passes_plan(list, options->passes);
		return;
	}
	papi_run_message("the PAPI library cannot be used: %s", papi_run_events_reason(NULL, version));
	for (size_t i = 0; i < list->number; i++)
		papi_run_events_refuse(&list->events[i], "the PAPI library cannot be used");
}

/* What groups of metrics there are, on standard output. */
static int list_groups(struct run_list *list)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	papi_tool_begin();
	if (version != PAPI_VER_CURRENT) {
		papi_run_message("the PAPI library cannot be used: %s", papi_run_events_reason(NULL, version));
		return PAPI_PROGRAM_FAILURE;
	}
	papi_run_metrics_prepare_all(list);
	papi_run_metrics_list(list);
	papi_run_events_free(list);
	PAPI_shutdown();
	return papi_tool_finish(0);
}

/* The exit status when nothing else has gone wrong: a script that asked for all must not take a part for it. */
static int completeness(const struct run_list *list, const struct run_result *result, const struct options *options)
{
	bool complete = !result->processes.missing && papi_run_events_counted(list) == list->number;

	if (complete || !options->require_complete)
		return result->exit_status;
	papi_run_message("the counts are not complete; the report tells what is missing");
	return result->exit_status ? result->exit_status : RUN_EXIT_INCOMPLETE;
}

static void tell_passes(const struct run_list *list, struct run_result *result)
{
	if (list->passes > 1)
		result->passes_note = papi_run_format(
			"not all events were counted at once: the program ran %zu times for each set of counts, with a "
			"part of the events each time; times are those of the first",
			list->passes);
}

static void tell_left_out(struct run_result *result)
{
	size_t number = papi_run_environment_left_out();

	if (number)
		result->environment_note = papi_run_format(
			"--reproducible left %zu variables out of the environment of the program; --keep-env "
			"VARIABLE,... gives it some of them",
			number);
}

/* Events that are counted by translation are in the profile alone, when that is made. */
static void check_profile(const struct options *options, const struct run_list *list)
{
	if (options->interval_ms || options->tasks)
		papi_tool_usage_error(&papi_run_tool,
			"with --profile, events that are counted by translation are known at the end and in all: leave "
			"out %s",
			options->interval_ms ? "-I"
					     : "--per-thread and --per-process; papi_profile report --by thread "
					       "tells");
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual && !list->events[i].error &&
			strcmp(list->events[i].kind, "estimated") == 0)
			papi_tool_usage_error(&papi_run_tool,
				"--profile tells where each %s happens, and the sampled models "
				"(PAPI_VPMU_MODEL=sampled) look at a part of all accesses only: PAPI_VPMU_MODEL=full "
				"looks at all",
				list->events[i].name);
}

/* Writes the report; the exit status that is left after that. */
static int finish(struct run_list *list, struct run_result *result, const struct options *options, int output)
{
	int error, error_before;

	papi_run_events_conclude(list);
	error_before = papi_run_intervals_end(list, result);
	papi_run_metrics_compute(list, result);
	if (options->roofline && result->runs && !papi_run_roofline_draw(options->roofline, list, result))
		error_before = error_before ? error_before : EIO;
	tell_left_out(result);
	tell_passes(list, result);
	if (papi_run_events_counted(list) == 0)
		papi_run_message("no event could be counted; the program ran all the same");
	/* Standard error was closed by whoever started papi_run: nobody wants the report. */
	if (output < 0)
		return completeness(list, result, options);
	error = error_before ? error_before : papi_run_report_write(list, result, options->format, output);
	if (result->profiled && !error && options->format == RUN_FORMAT_TEXT)
		papi_run_profile_report(output);
	if (options->output && close(output) != 0 && !error)
		error = errno;
	if (!error)
		return completeness(list, result, options);
	papi_run_message("cannot write the report to %s: %s; the program itself was not affected",
		options->output ? options->output : "standard error", strerror(error));
	return result->exit_status ? result->exit_status : PAPI_PROGRAM_FAILURE;
}

static void result_free(struct run_result *result)
{
	/* The words of a program are those of argv; those of a watched process were read for this. */
	if (result->watched)
		free(result->command);
	free(result->elapsed_ns);
	free(result->user_ns);
	free(result->system_ns);
	free(result->watch_note);
	free(result->environment_note);
	free(result->passes_note);
	free(result->roofline_note);
	papi_run_processes_free(&result->processes);
	papi_run_tasks_free(&result->tasks);
}

int main(int argc, char **argv)
{
	struct run_result result;
	struct run_list list;
	struct options options;
	struct run_modules *modules = NULL;
	char *path = NULL;
	int status = 0;

	memset(&list, 0, sizeof(list));
	memset(&result, 0, sizeof(result));
	memset(&options, 0, sizeof(options));
	if (!papi_program_fill_descriptors())
		error_output = -1;
	papi_tool_check_environment();
	parse_options(&options, &list, argc, argv);
	if (options.list_groups)
		return list_groups(&list);
	if (!options.pid) {
		int error = papi_program_find(argv[optind], &path);

		if (error)
			status = papi_run_child_refused(argv[optind], false, error);
	}
	if (status == 0) {
		int output;

		if (options.roofline)
			papi_run_roofline_parse(&list, options.roofline);
		prepare_events(&list, &options);
		if (options.roofline)
			papi_run_roofline_prepare(&list, options.roofline);
		result.roofline = options.roofline;
		result.profiled = options.profile;
		result.profiled_exactly = options.profile && papi_run_virtual_wanted(&list);
		if (result.profiled_exactly)
			check_profile(&options, &list);
		result.tasks.kind = options.tasks;
		papi_run_tasks_prepare(&list, &result.tasks, options.pid);
		if (options.save) {
			papi_run_save_check(options.save);
			modules = papi_run_modules_find(path, argv + optind);
		}
		output = open_output(options.output);
		if (options.interval_ms)
			papi_run_intervals_prepare(&list, options.interval_ms, options.format, output);
		if (options.reproducible)
			papi_run_reproduce();
		papi_program_block_signals();
		if (options.pid) {
			status = papi_run_watch(&list, &result, options.pid);
		} else {
			result.command = argv + optind;
			status = papi_run_child_repeat(&list, &result, path, options.repeat);
		}
		papi_run_tasks_conclude(&result.tasks, &list);
		if (status == 0)
			status = finish(&list, &result, &options, output);
		if (modules && result.runs && !papi_run_save(options.save, &list, &result, modules) && status == 0)
			status = PAPI_PROGRAM_FAILURE;
		PAPI_shutdown();
	}
	papi_run_events_free(&list);
	result_free(&result);
	papi_run_modules_free(modules);
	papi_run_environment_free();
	free(path);
	return status;
}
