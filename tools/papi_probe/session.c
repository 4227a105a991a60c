/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.c - a program that is started with the runtime in it, which waits before main until its functions are probed;
 * or a process that runs already, into which the runtime is brought (src/process/), and out of which the probes are
 * taken in the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/image.h"
#include "escape.h"
#include "papi_probe.h"
#include "process.h"
#include "symbols/memory.h"

#define START_MS   10000 /* until a program has come to its first constructor */
#define CLOCK_MS   20    /* to compare clocks, at least */
#define WAIT_PAUSE 1
#define TEND_MS    20 /* while threads that have not stopped are to be let go */

static int pipe_of_child = -1;

bool probe_fail(struct probe_session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(session->reason, sizeof(session->reason), format, arguments);
	va_end(arguments);
	return false;
}

long long probe_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1000000000LL * now.tv_sec + now.tv_nsec;
}

static void pause_ms(int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000 * 1000L };

	nanosleep(&time, NULL);
}

/* ---- the runtime ---- */

/* Beside this program, as when built, or where it is installed. NULL: it is in neither. */
static char *find_runtime(void)
{
	const char installed[] = PAPI_AGENT_DIRECTORY;
	char self[PATH_MAX], *path;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	while (length > 0 && self[length - 1] != '/')
		length--;
	self[length > 0 ? length : 0] = '\0';
	path = papi_memory_print("%s" PAPI_PROBE_LIBRARY, self);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	path = papi_memory_print("%s%s%s/" PAPI_PROBE_LIBRARY, installed[0] == '/' ? "" : self,
		installed[0] == '/' ? "" : "../", installed);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* ---- probes in ---- */

/* Finds what is to be probed in the program's memory, and makes all ready but for the jumps. */
static bool prepare(struct probe_session *session, struct probe_options *options)
{
	const char *reason;

	if (!probe_modules_of_process(&session->list, session->pid))
		return probe_fail(session, "its memory cannot be looked at: %s", strerror(errno));
	probe_functions_find(&session->list, 0, &options->patterns);
	if (probe_patterns_have_name(&options->patterns))
		probe_functions_find_inlined(&session->list, &options->patterns);
	probe_list_complain(&options->patterns, &session->list);
	if (!probe_functions_number(&session->list, PROBE_PATCH, &reason))
		return probe_fail(session, "%s", reason);
	return probe_box_open_table(session) && probe_patches_prepare(session);
}

static void begin_to_count(struct probe_session *session, const struct probe_options *options)
{
	for (size_t i = 0; i < options->n_events; i++)
		session->table->events[i] = options->events[i].attr;
	session->table->n_events = (uint32_t)options->n_events;
	session->table->calls_only = options->calls;
	session->begun_ns = probe_now();
	session->ticks = papi_probe_ticks();
	session->table->enabled = 1;
}

void probe_session_measure(struct probe_session *session)
{
	long long took;

	session->seconds = (double)(probe_now() - session->begun_ns) / 1e9;
	while (probe_now() - session->begun_ns < CLOCK_MS * 1000000LL)
		pause_ms(WAIT_PAUSE);
	took = probe_now() - session->begun_ns;
	session->ticks_per_second = (double)(papi_probe_ticks() - session->ticks) / ((double)took / 1e9);
}

/* ---- a program ---- */

static void hand_over(void)
{
	fcntl(pipe_of_child, F_SETFD, 0);
}

/* Where its letter box is, once the runtime is there. */
static bool wait_for_box(struct probe_session *session, int pipe)
{
	struct pollfd file = { .fd = pipe, .events = POLLIN };
	struct papi_probe_visit *orders = &session->orders;

	if (poll(&file, 1, START_MS) <= 0)
		return probe_fail(session, "it does not begin");
	if (read(pipe, &session->box, sizeof(session->box)) != (ssize_t)sizeof(session->box))
		return probe_fail(session, "it has ended, or its dynamic linker has not loaded %s", PAPI_PROBE_LIBRARY);
	session->is_open = papi_remote_open(&session->remote, session->pid);
	if (!session->is_open)
		return probe_fail(session, "%s", session->remote.reason);
	session->remote.say = probe_message;
	return papi_remote_read(&session->remote, session->box, orders, sizeof(*orders)) ||
		probe_fail(session, "its memory cannot be read");
}

static void set_environment(const char *runtime)
{
	const char *before = getenv("LD_PRELOAD");
	char *preload = papi_memory_print("%s%s%s", runtime, before && *before ? ":" : "", before ? before : "");
	char *told = papi_memory_print("%d", pipe_of_child);

	setenv("LD_PRELOAD", preload, 1);
	setenv(PAPI_PROBE_TOOL, told, 1);
	free(preload);
	free(told);
}

/* Why it cannot be started with the runtime; NULL: it can. */
static const char *obstacle(const char *path, const char *runtime)
{
	if (!runtime)
		return PAPI_PROBE_LIBRARY " is not here: it belongs beside papi_probe, or where that is installed";
	if (strpbrk(runtime, " :$"))
		return "the path of " PAPI_PROBE_LIBRARY
		       " has a blank, a colon or a dollar sign in it, which LD_PRELOAD "
		       "cannot have";
	return papi_agent_image_obstacle(path);
}

void probe_session_wait(
	struct probe_session *session, const struct papi_program *program, const struct probe_options *options)
{
	sigset_t waited = *papi_program_signals();
	struct timespec limit = { .tv_sec = (time_t)(options->interval_ms / 1000),
		.tv_nsec = (long)((long long)(options->interval_ms * 1e6) % 1000000000) };
	siginfo_t info;
	int status = 0;

	sigaddset(&waited, SIGCHLD);
	for (;;) {
		pid_t ended = waitpid(program->pid, &status, WNOHANG);
		int number;

		if (ended == program->pid || (ended < 0 && errno != EINTR))
			break;
		number = options->interval_ms > 0 ? sigtimedwait(&waited, &info, &limit) : sigwaitinfo(&waited, &info);
		if (number < 0 && errno == EAGAIN && session->table)
			probe_report_interval(options, session);
		if (number > 0 && number != SIGCHLD)
			papi_program_pass_on(program, number, info.si_code);
	}
	session->exit_status = papi_program_exit_status(status);
}

static int refuse_program(const char *name, bool found, int error)
{
	char reason[PAPI_REMOTE_REASON];
	int status = papi_program_refused(name, found, error, reason, sizeof(reason));

	probe_message("%s", reason);
	return status;
}

/* The program is before its main; then it has gone on. */
static bool probe_program(struct probe_session *session, struct probe_options *options, int pipe)
{
	if (!wait_for_box(session, pipe))
		return false;
	if (!prepare(session, options)) {
		probe_box_dismiss(session);
		return false;
	}
	probe_patches_put(session);
	begin_to_count(session, options);
	return probe_box_dismiss(session);
}

static int run_program(struct probe_session *session, struct probe_options *options, char *path)
{
	char *runtime = find_runtime();
	const char *reason = obstacle(path, runtime), *call;
	struct papi_program program;
	int ends[2], error;
	bool probed;

	if (reason || pipe2(ends, O_CLOEXEC) != 0) {
		probe_message("%s cannot be probed: %s", options->command[0], reason ? reason : strerror(errno));
		free(runtime);
		return PAPI_PROGRAM_FAILURE;
	}
	papi_program_block_signals();
	pipe_of_child = ends[1];
	set_environment(runtime);
	free(runtime);
	error = papi_program_spawn(&program, path, options->command, hand_over, &call);
	close(ends[1]);
	if (error) {
		probe_message("cannot %s: %s", call, strerror(error));
		return PAPI_PROGRAM_FAILURE;
	}
	session->pid = program.pid;
	error = papi_program_release(&program);
	if (error) {
		waitpid(program.pid, NULL, 0);
		return refuse_program(options->command[0], true, error);
	}
	probed = probe_program(session, options, ends[0]);
	close(ends[0]);
	if (!probed)
		probe_message("%s is not probed: %s", options->command[0], session->reason);
	probe_session_wait(session, &program, options);
	session->ended = true;
	return probed ? 0 : PAPI_PROGRAM_FAILURE;
}

/* ---- a process that runs already ---- */

static bool bring_runtime(struct probe_session *session)
{
	const struct papi_probe_visit empty = { .pid = 0 };
	char *runtime = find_runtime();
	bool loaded;

	if (!runtime)
		return probe_fail(session, "%s is not here: it belongs beside papi_probe, or where that is installed",
			PAPI_PROBE_LIBRARY);
	loaded = papi_remote_load(&session->remote, runtime, PAPI_PROBE_FUNCTION, &empty, sizeof(empty), &session->box);
	free(runtime);
	for (unsigned i = 0; loaded && i < START_MS && !session->orders.pid; i++) {
		if (!papi_remote_read(&session->remote, session->box, &session->orders, sizeof(session->orders)))
			return probe_fail(session, "it has ended, or executed another program");
		loaded = papi_remote_loaded(&session->remote, session->box);
		pause_ms(WAIT_PAUSE);
	}
	if (!loaded) {
		papi_escape_terminal(session->remote.reason);
		return probe_fail(session, "%s", session->remote.reason);
	}
	if (!session->orders.pid)
		return probe_fail(session, "what was brought into it does not answer");
	return session->orders.pid > 0 || probe_fail(session, "another papi_probe comes into it at this moment");
}

/* Counters that its threads have open are closed by the runtime, which is brought once more for that. */
static void close_events(struct probe_session *session)
{
	const struct papi_probe_visit before = session->orders;
	int64_t answer;

	session->orders = (struct papi_probe_visit){ .pid = 0 };
	if (!bring_runtime(session) || !probe_box_ask(session, PAPI_PROBE_QUIET, 0, 0, 0, &answer))
		probe_message("counters stay open in process %d: %s", (int)session->pid, session->reason);
	else
		probe_box_dismiss(session);
	session->orders = before;
}

static bool enter_process(struct probe_session *session, struct probe_options *options)
{
	bool left;

	session->is_open = papi_remote_open(&session->remote, options->pid);
	if (!session->is_open)
		return probe_fail(session, "%s", session->remote.reason);
	session->remote.say = probe_message;
	if (!bring_runtime(session))
		return false;
	if (!probe_patches_are_left(session, &left) || (left && !probe_threads_stopped(session, probe_patches_take)) ||
		!prepare(session, options)) {
		char reason[PAPI_REMOTE_REASON];

		memcpy(reason, session->reason, sizeof(reason));
		probe_box_dismiss(session);
		memcpy(session->reason, reason, sizeof(reason));
		return false;
	}
	if (!probe_box_dismiss(session) || !probe_threads_stopped(session, probe_patches_put))
		return false;
	begin_to_count(session, options);
	return true;
}

/* Until the time is over, the process has ended, or a signal comes. */
static void watch(struct probe_session *session, const struct probe_options *options)
{
	int signals = signalfd(-1, papi_program_signals(), SFD_CLOEXEC);
	struct pollfd files[2] = { { .fd = session->remote.process, .events = POLLIN },
		{ .fd = signals, .events = POLLIN } };
	long long next = probe_now() + (long long)(options->interval_ms * 1e6);
	const long long until = options->seconds > 0 ? probe_now() + (long long)(options->seconds * 1e9) : LLONG_MAX;

	while (!session->ended && !files[1].revents && probe_now() < until) {
		double ms = options->interval_ms > 0 ? fmax((double)(next - probe_now()) / 1e6 + 1, 0) : INT_MAX;
		double left = until == LLONG_MAX ? INT_MAX : (double)(until - probe_now()) / 1e6 + 1;
		bool tends = session->remote.n_late > 0;
		int ready;

		if (tends && left > TEND_MS)
			left = TEND_MS;
		ready = poll(files, 2, (int)(ms < left ? ms : left));
		if (tends)
			papi_remote_tend(&session->remote);
		session->ended = files[0].revents != 0;
		if (!ready && options->interval_ms > 0 && probe_now() < until && probe_now() >= next) {
			probe_report_interval(options, session);
			next = probe_now() + (long long)(options->interval_ms * 1e6);
		}
	}
	close(signals);
}

static int watch_process(struct probe_session *session, struct probe_options *options)
{
	char reason[PAPI_REMOTE_REASON];

	if (papi_process_is_unfit(options->pid, reason, sizeof(reason))) {
		probe_message("%s", reason);
		return PAPI_PROGRAM_FAILURE;
	}
	session->pid = options->pid;
	papi_program_block_signals();
	if (!enter_process(session, options)) {
		probe_message("process %d is not probed: %s", (int)options->pid, session->reason);
		return PAPI_PROGRAM_FAILURE;
	}
	watch(session, options);
	session->table->enabled = 0;
	if (!session->ended && !probe_threads_stopped(session, probe_patches_take) && !session->remote.executed &&
		!papi_process_ended(session->pid)) {
		probe_message("the probes are still in process %d, which runs on: %s; papi_probe -p %d takes them out",
			(int)session->pid, session->reason, (int)session->pid);
		return PAPI_PROGRAM_FAILURE;
	}
	if (!session->ended && !session->remote.executed && options->n_events)
		close_events(session);
	return 0;
}

/* ---- both ---- */

static void finish(struct probe_session *session, const struct probe_options *options)
{
	if (options->way != PROBE_TRANSLATE)
		probe_session_measure(session);
	if (options->json)
		probe_report_json(options, session);
	else
		probe_report_print(options, session);
}

int probe_session_run(struct probe_options *options)
{
	struct probe_session *session = papi_memory_zero(1, sizeof(*session));
	char *path = NULL;
	int status, error = options->pid ? 0 : papi_program_find(options->command[0], &path);

	if (error)
		status = refuse_program(options->command[0], false, error);
	else if (options->way == PROBE_TRANSLATE)
		status = probe_translate(session, options);
	else
		status = options->pid ? watch_process(session, options) : run_program(session, options, path);
	if (status == 0)
		finish(session, options);
	if (status == 0 && !options->pid)
		status = session->exit_status;
	if (session->table)
		munmap(session->table, session->table_size);
	if (session->is_open)
		papi_remote_close(&session->remote);
	probe_list_free(&session->list);
	free(session);
	free(path);
	return status;
}
