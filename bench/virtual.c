/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counting by translation costs: each kernel alone, with exact events, and with modelled ones, in turns. The
 * ratios are medians over rounds of processor time, as a turn that lost the processor has not lost that.
 */
#include <papi.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "virtual_kernels.h"

#define MOST_ROUNDS 1001

extern char **environ;

static const char *const exact[] = {
	"vpmu:::INSTRUCTIONS",
	"vpmu:::LOADS",
	"vpmu:::STORES",
	"vpmu:::BRANCHES_TAKEN",
	"vpmu:::BRANCHES_NOT_TAKEN",
	"vpmu:::FP_OPERATIONS_SINGLE",
	"vpmu:::FP_OPERATIONS_DOUBLE",
	NULL,
};
static const char *const modelled[] = {
	"vpmu:::INSTRUCTIONS",
	"vpmu:::LOADS",
	"vpmu:::STORES",
	"vpmu:::L1D_MISSES",
	"vpmu:::L1I_MISSES",
	"vpmu:::L2_MISSES",
	"vpmu:::DTLB_MISSES",
	"vpmu:::BRANCHES_MISPREDICTED",
	"vpmu:::CYCLES",
	NULL,
};
static const char *const four[] = {
	"vpmu:::INSTRUCTIONS",
	"vpmu:::LOADS",
	"vpmu:::STORES",
	"vpmu:::BRANCHES_CONDITIONAL",
	NULL,
};

/* Of one loop in Python, which tells its own processor time. */
static const char python_loop[] = "import time\n"
				  "def loop(n):\n"
				  "    s = 0\n"
				  "    for i in range(n):\n"
				  "        s = (s + i * i) % 1000003\n"
				  "    return s\n"
				  "start = time.process_time()\n"
				  "loop(1000000)\n"
				  "print(time.process_time() - start)\n";

static const char *itself;
static unsigned rounds = 11;
static bool with_valgrind = true;
static unsigned failures;

static void die(const char *what)
{
	fprintf(stderr, "virtual: %s: %s\n", what, PAPI_error_detail());
	exit(1);
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
	double x = *(const double *)left, y = *(const double *)right;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int set_of(const char *const *names)
{
	int set = PAPI_NULL;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		die("an EventSet");
	for (; *names; names++)
		if (PAPI_add_named_event(set, *names) != PAPI_OK)
			die(*names);
	return set;
}

/* Of one run; PAPI_NULL: not counted. */
static double time_of(const struct kernel *kernel, int set)
{
	long long values[16];
	double start = seconds(CLOCK_THREAD_CPUTIME_ID);

	if (set != PAPI_NULL && PAPI_start(set) != PAPI_OK)
		die("PAPI_start");
	kernel->run();
	if (set != PAPI_NULL && PAPI_stop(set, values) != PAPI_OK)
		die("PAPI_stop");
	return seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* ---- other programs that count ---- */

/* The last line of what the command prints. False when it fails. */
static bool ask(const char *const *command, char *answer, size_t size)
{
	posix_spawn_file_actions_t actions;
	char text[4096] = "", *line;
	size_t used = 0;
	ssize_t n;
	int ends[2], status = -1;
	pid_t pid;

	if (pipe(ends) || posix_spawn_file_actions_init(&actions))
		return false;
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	if (posix_spawnp(&pid, command[0], &actions, NULL, (char *const *)(uintptr_t)command, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (used < sizeof(text) - 1 && (n = read(ends[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	close(ends[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 || used == 0)
		return false;
	text[used - 1] = '\0'; /* its last newline */
	line = strrchr(text, '\n');
	snprintf(answer, size, "%s", line ? line + 1 : text);
	return true;
}

/* The same as a number, negative when there is none. */
static double run(const char *const *command)
{
	char answer[64];

	return ask(command, answer, sizeof(answer)) ? strtod(answer, NULL) : -1;
}

static void show(double ratio, double limit)
{
	char text[32] = "-";

	if (ratio > 0)
		snprintf(text, sizeof(text), "%.2f%s", ratio, limit > 0 && ratio > limit ? " !" : "");
	printf(" %9s", text);
	if (limit > 0) {
		printf(" (%.3g)", limit);
		failures += ratio > limit;
	}
}

static void show_valgrind(const char *const *arguments, double alone)
{
	static const char *const tools[][3] = {
		{ "--tool=callgrind", "--callgrind-out-file=/dev/null", NULL },
		{ "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null" },
	};

	for (unsigned i = 0; with_valgrind && i < 2; i++) {
		const char *command[16] = { "valgrind" };
		unsigned n = 1;

		for (unsigned j = 0; j < 3 && tools[i][j]; j++)
			command[n++] = tools[i][j];
		for (unsigned j = 0; arguments[j]; j++)
			command[n++] = arguments[j];
		show(run(command) / alone, 0);
	}
}

static void measure_kernel(const struct kernel *kernel, int exact_set, int modelled_set)
{
	static double alone[MOST_ROUNDS], with_exact[MOST_ROUNDS], with_models[MOST_ROUNDS];
	const char *by_itself[] = { itself, "--run", kernel->name, NULL };

	if (kernel->can && !kernel->can()) {
		printf("%-26s this processor cannot\n", kernel->name);
		return;
	}
	/* Once each: pages, and translations. */
	time_of(kernel, PAPI_NULL);
	time_of(kernel, exact_set);
	time_of(kernel, modelled_set);
	for (unsigned i = 0; i < rounds; i++) {
		alone[i] = time_of(kernel, PAPI_NULL);
		with_exact[i] = time_of(kernel, exact_set) / alone[i];
		with_models[i] = time_of(kernel, modelled_set) / alone[i];
	}
	printf("%-26s", kernel->name);
	show(median(with_exact, rounds), kernel->exact_limit);
	show(median(with_models, rounds), kernel->modelled_limit);
	show_valgrind(by_itself, median(alone, rounds));
	printf("\n");
	fflush(stdout);
}

/* By papi_run, which stands where the build has put it. What is called python3 may be a script that looks for it. */
static void measure_python(const char *papi_run)
{
	const char *where[] = { "python3", "-S", "-c", "import sys; print(sys.executable)", NULL };
	char python[4096] = "";
	const char *alone[] = { python, "-S", "-c", python_loop, NULL };
	const char *with_exact[] = { papi_run, "-e",
		"vpmu:::INSTRUCTIONS,vpmu:::LOADS,vpmu:::STORES,vpmu:::BRANCHES,vpmu:::FP_OPERATIONS", python, "-S",
		"-c", python_loop, NULL };
	double ratios[MOST_ROUNDS], times[MOST_ROUNDS];
	unsigned n = rounds < 5 ? rounds : 5;

	ask(where, python, sizeof(python));
	for (unsigned i = 0; i < n; i++) {
		times[i] = run(alone);
		ratios[i] = run(with_exact) / times[i];
		if (times[i] < 0 || ratios[i] < 0) {
			printf("%-26s python3 or %s does not run here\n", "CPython loop", papi_run);
			return;
		}
	}
	printf("%-26s", "CPython loop");
	show(median(ratios, n), 5);
	printf(" %9s     ", "-");
	show_valgrind(alone, median(times, n));
	printf("\n");
}

/* ---- the library's own functions ---- */

static int tell_startup(void)
{
	int set;
	double start;
	long long values[8];

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	set = set_of(exact);
	start = seconds(CLOCK_THREAD_CPUTIME_ID);
	if (PAPI_start(set) != PAPI_OK)
		return 1;
	printf("%.9f\n", seconds(CLOCK_THREAD_CPUTIME_ID) - start);
	PAPI_stop(set, values);
	return 0;
}

#define PROCESSES 101

static double time_of_children(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The processor time of `true`, start and end included, in the middle of many. */
static int tell_process(void)
{
	const char *command[] = { "true", NULL };
	double times[PROCESSES];

	for (unsigned i = 0; i < PROCESSES; i++) {
		double start = time_of_children();

		run(command);
		times[i] = time_of_children() - start;
	}
	printf("%.9f\n", median(times, PROCESSES));
	return 0;
}

static void measure_process(const char *papi_run)
{
	const char *alone[] = { itself, "--process", NULL };
	const char *counted[] = { papi_run, "-e", "PAPI_TOT_INS", itself, "--process", NULL };
	double times[MOST_ROUNDS], ratios[MOST_ROUNDS];
	unsigned n = rounds < 5 ? rounds : 5;

	for (unsigned i = 0; i < n; i++) {
		double by_itself = run(alone), with_exact = run(counted);

		if (by_itself < 0 || with_exact < 0) {
			printf("a process that papi_run counts: %s does not run here\n", papi_run);
			return;
		}
		times[i] = with_exact - by_itself;
		ratios[i] = with_exact / by_itself;
	}
	printf("a process that papi_run counts: %.2f of the processor time of `true`; %.3f ms more\n",
		median(ratios, n), 1e3 * median(times, n));
}

static void measure_startup(void)
{
	const char *command[] = { itself, "--startup", NULL }, *nothing[] = { itself, "--nothing", NULL };
	double times[MOST_ROUNDS], ratios[MOST_ROUNDS];

	for (unsigned i = 0; i < rounds; i++) {
		double start = seconds(CLOCK_MONOTONIC), process;

		run(nothing);
		process = seconds(CLOCK_MONOTONIC) - start;
		times[i] = run(command);
		ratios[i] = times[i] / process;
	}
	printf("first PAPI_start: %.2f of the start and end of a process; %.3f ms (limit 1 ms)\n",
		median(ratios, rounds), 1e3 * median(times, rounds));
	failures += median(times, rounds) > 1e-3;
}

static void measure_read(void)
{
	int set = set_of(four), times = 20000;
	double reads[MOST_ROUNDS], ratios[MOST_ROUNDS];
	long long values[4];

	for (unsigned i = 0; i < rounds; i++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID), clocks;

		for (int n = 0; n < times; n++)
			seconds(CLOCK_MONOTONIC);
		clocks = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
		if (PAPI_start(set) != PAPI_OK)
			die("PAPI_start");
		start = seconds(CLOCK_THREAD_CPUTIME_ID);
		for (int n = 0; n < times; n++)
			PAPI_read(set, values);
		reads[i] = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
		PAPI_stop(set, values);
		ratios[i] = reads[i] / clocks;
	}
	printf("PAPI_read of 4 in the region: %.2f of clock_gettime; %.3f us (limit 0.15 us)\n", median(ratios, rounds),
		1e6 * median(reads, rounds) / times);
	failures += median(reads, rounds) / times > 0.15e-6;
}

/* So many times; tells how long the last took. */
static int run_kernel(const char *name, unsigned long times)
{
	double last = 0;

	kernels_prepare();
	for (size_t i = 0; i < n_kernels; i++) {
		if (strcmp(kernels[i].name, name) != 0)
			continue;
		if (kernels[i].can && !kernels[i].can())
			return 1;
		for (; times > 0; times--)
			last = time_of(&kernels[i], PAPI_NULL);
		printf("%.9f\n", last);
		return 0;
	}
	return 1;
}

static int measure_all(const char *papi_run)
{
	int exact_set, modelled_set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		die("PAPI_library_init");
	if (PAPI_event_name_to_code(exact[0], &(int){ 0 }) != PAPI_OK) {
		printf("the virtual PMU counts nothing here: %s\n", PAPI_error_detail());
		return 77;
	}
	kernels_prepare();
	exact_set = set_of(exact);
	modelled_set = set_of(modelled);
	printf("Times as slow as alone (and what is promised); - where it is not possible\n\n");
	printf("%-26s %9s %5s %9s %4s %9s %9s\n", "", "exact", "", "modelled", "", "callgrind", "cachegrind");
	for (size_t i = 0; i < n_kernels; i++)
		measure_kernel(&kernels[i], exact_set, modelled_set);
	measure_python(papi_run);
	printf("\n");
	measure_startup();
	measure_process(papi_run);
	measure_read();
	return 0;
}

static int usage(void)
{
	printf("Usage: virtual [--check] [--no-valgrind] [--rounds N] [PAPI_RUN]\n"
	       "Measures what counting by translation costs, beside two of Valgrind's tools.\n"
	       "  --check         exit with 1 when something takes longer than promised\n"
	       "  --no-valgrind   leave Valgrind out\n"
	       "  --rounds N      medians of N rounds, 11 unless told, 1001 at most\n");
	return 2;
}

int main(int count, char **arguments)
{
	const char *papi_run = "papi_run";
	bool check = false;
	int status;

	itself = arguments[0];
	if (count >= 3 && !strcmp(arguments[1], "--run"))
		return run_kernel(arguments[2], count > 3 ? strtoul(arguments[3], NULL, 10) : 1);
	if (count == 2 && !strcmp(arguments[1], "--startup"))
		return tell_startup();
	if (count == 2 && !strcmp(arguments[1], "--process"))
		return tell_process();
	if (count == 2 && !strcmp(arguments[1], "--nothing"))
		return 0;
	for (int i = 1; i < count; i++) {
		if (!strcmp(arguments[i], "--check"))
			check = true;
		else if (!strcmp(arguments[i], "--no-valgrind"))
			with_valgrind = false;
		else if (!strcmp(arguments[i], "--rounds") && i + 1 < count)
			rounds = (unsigned)strtoul(arguments[++i], NULL, 10);
		else if (arguments[i][0] != '-')
			papi_run = arguments[i];
		else
			return usage();
	}
	if (rounds == 0 || rounds > MOST_ROUNDS)
		return usage();
	status = measure_all(papi_run);
	return status ? status : check && failures;
}
