/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_child.c - the program: run as often as asked, with counters on it, and waited for. How it is started is in
 * program.h; SIGCHLD and the signals to pass on are taken one by one with sigwaitinfo.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi_run.h"
#include "program.h"

/* A signal, or 0 when there is something else to do. */
static int wait_signal(const sigset_t *waited, siginfo_t *info)
{
	long long wait = papi_run_meanwhile_wait();
	const struct timespec limit = { .tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000 };

	return wait < 0 ? sigwaitinfo(waited, info) : sigtimedwait(waited, info, &limit);
}

/* Waits until the program has ended, and passes signals on to it. True when a signal came. */
static bool wait_for(const struct papi_program *program, struct run_list *list, const struct run_result *result,
	struct run_counters *counters, int *status, struct rusage *usage)
{
	sigset_t waited = *papi_program_signals();
	bool interrupted = false;
	siginfo_t info;
	int number;

	sigaddset(&waited, SIGCHLD);
	for (;;) {
		pid_t ended = wait4(program->pid, status, WNOHANG, usage);

		if (ended == program->pid)
			return interrupted;
		if (ended < 0 && errno != EINTR) {
			papi_run_message("cannot wait for the program: %s", strerror(errno));
			*status = PAPI_PROGRAM_FAILURE << 8;
			memset(usage, 0, sizeof(*usage));
			return true;
		}
		papi_run_meanwhile(list, result, counters, counters ? 1 : 0);
		number = wait_signal(&waited, &info);
		if (number < 0 || number == SIGCHLD)
			continue;
		if (number != SIGUSR1 && number != SIGUSR2)
			interrupted = true;
		papi_program_pass_on(program, number, info.si_code);
	}
}

/* Takes what has come while no program was running. True when it asks for an end. */
static bool interrupted_between(void)
{
	static const struct timespec now;

	return sigtimedwait(papi_program_signals(), NULL, &now) > 0;
}

/* Says why a program cannot be run, found or not, and gives the exit status of a shell. */
int papi_run_child_refused(const char *program, bool found, int error)
{
	char reason[PAPI_HUGE_STR_LEN];
	int status = papi_program_refused(program, found, error, reason, sizeof(reason));

	papi_run_message("%s", reason);
	return status;
}

static long long nanoseconds(struct timeval time)
{
	return 1000000000LL * time.tv_sec + 1000LL * time.tv_usec;
}

static void hand_over(void)
{
	papi_run_virtual_hand_over();
	papi_run_environment_hand_over();
}

/* Of several runs the first that fails decides. */
static void take_status(struct run_result *result, int status)
{
	if (result->exit_status)
		return;
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->exit_status = papi_program_exit_status(status);
}

/*
 * Runs the program once, for the events of one pass. Times are those of the first pass. 0; 1 when a signal asks for no
 * further run; or, after a message, the negated exit status with which papi_run must give up.
 */
static int run_once(struct run_list *list, struct run_result *result, char *path)
{
	struct run_counters counters;
	size_t run = result->runs;
	struct rusage usage;
	struct papi_program program;
	const char *call;
	long long started;
	int status, error;
	bool interrupted;

	if (!papi_run_virtual_begin(list, result, path))
		return -PAPI_PROGRAM_FAILURE;
	result->slowed = papi_run_virtual_wanted(list) || (list->pass && result->slowed);
	papi_run_environment_begin(path, result->command);
	error = papi_program_spawn(&program, path, result->command, hand_over, &call);
	if (error) {
		papi_run_profile_cancel();
		papi_run_message("cannot %s: %s", call, strerror(error));
		return -PAPI_PROGRAM_FAILURE;
	}
	if (list->pass == 0)
		papi_run_reserve(list, result);
	papi_run_apart_open(list, &result->tasks, program.pid);
	papi_run_counters_open(&counters, list, program.pid);
	papi_run_counters_start(&counters, list);
	papi_run_apart_start();
	if (result->profiled && !result->profiled_exactly && !papi_run_profile_begin(program.pid, result->command)) {
		close(program.gate);
		close(program.failure);
		waitpid(program.pid, NULL, 0);
		papi_run_apart_stop(list, &result->tasks, run);
		papi_run_counters_close(&counters);
		return -PAPI_PROGRAM_FAILURE;
	}
	started = papi_run_now();
	error = papi_program_release(&program);
	papi_run_intervals_begin(list, started);
	papi_run_progress_begin(result, started);
	interrupted = wait_for(&program, list, result, &counters, &status, &usage);
	papi_run_progress_end();
	if (list->pass == 0) {
		result->elapsed_ns[run] = papi_run_now() - started;
		result->user_ns[run] = nanoseconds(usage.ru_utime);
		result->system_ns[run] = nanoseconds(usage.ru_stime);
	}
	papi_run_counters_stop(&counters, list, run);
	if (error)
		papi_run_profile_cancel();
	papi_run_virtual_end(list, result, run, result->elapsed_ns[run], status);
	papi_run_apart_stop(list, &result->tasks, run);
	papi_run_counters_close(&counters);
	if (result->profiled && !result->profiled_exactly)
		papi_run_profile_end();
	if (error)
		return -papi_run_child_refused(result->command[0], true, error);
	take_status(result, status);
	return interrupted;
}

/* Runs the program with nothing counted, for its times. As run_once(). */
static int run_alone(struct run_list *list, struct run_result *result, char *path)
{
	struct papi_program program;
	struct rusage usage;
	const char *call;
	long long started;
	int status, error;
	bool interrupted;

	papi_run_environment_begin(path, result->command);
	error = papi_program_spawn(&program, path, result->command, papi_run_environment_hand_over, &call);
	if (error) {
		papi_run_message("cannot %s: %s", call, strerror(error));
		return -PAPI_PROGRAM_FAILURE;
	}
	started = papi_run_now();
	error = papi_program_release(&program);
	interrupted = wait_for(&program, list, result, NULL, &status, &usage);
	if (error)
		return -papi_run_child_refused(result->command[0], true, error);
	result->alone_ns += papi_run_now() - started;
	result->alone_cpu_ns += nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
	result->alone_runs++;
	take_status(result, status);
	return interrupted;
}

/* All passes of one run; the result has one more then. As run_once(). */
static int run_passes(struct run_list *list, struct run_result *result, char *path)
{
	size_t passes = list->passes ? list->passes : 1, completed = 0;
	int done = 0;

	list->pass = 0;
	if (result->roofline && papi_run_virtual_wanted(list))
		done = run_alone(list, result, path);
	/* A signal has ended it before anything was counted. */
	if (done > 0 && result->runs == 0) {
		papi_run_reserve(list, result);
		result->elapsed_ns[0] = result->alone_ns;
	}
	for (; done == 0 && list->pass < passes; list->pass++) {
		if (list->pass > 0 && interrupted_between())
			break;
		done = run_once(list, result, path);
		completed += done >= 0;
	}
	list->pass = 0;
	if (done < 0)
		return done;
	/* What a signal has left of a first run is better than nothing; of a later one it would spoil the means. */
	if (completed < passes && result->runs == 0)
		papi_run_passes_conclude(list, completed);
	else if (completed < passes)
		return 1;
	result->runs++;
	return completed < passes || done > 0;
}

/* Runs the program as often as asked, or until a signal comes. 0, or the status with which papi_run must give up. */
int papi_run_child_repeat(struct run_list *list, struct run_result *result, char *path, int repeat)
{
	for (size_t i = 0; i < list->number && papi_program_keeps_secrets(path); i++)
		papi_run_events_refuse(&list->events[i],
			"the program gets rights that you do not have (set-user-ID, set-group-ID or capabilities) or "
			"is not readable, and the kernel stops counting when it starts: run papi_run with these "
			"rights, or a copy of the program without them");
	for (int run = 0; run < repeat; run++) {
		int done;

		if (run > 0 && interrupted_between())
			break;
		done = run_passes(list, result, path);
		if (done < 0)
			return -done;
		if (done > 0)
			break;
	}
	return 0;
}
