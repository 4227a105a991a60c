/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - the loop of perfometer: a program that it has started, or a process that runs already, sampled at a steady
 * rate, while the server answers and signals are passed on. After the program's own end its exit status wins.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "available.h"
#include "callers.h"
#include "common.h"
#include "escape.h"
#include "events.h"
#include "hello.h"
#include "join.h"
#include "live/meet.h"
#include "marks.h"
#include "openmetrics.h"
#include "perfometer.h"
#include "process.h"
#include "program.h"
#include "request.h"
#include "serve.h"
#include "server.h"
#include "session.h"
#include "text_output.h"
#include "text_screen.h"

/* Nobody has looked for longer than both this and several samples: what happened meanwhile is not known. */
#define LATE_SECONDS 1.0
/* How often it is looked for threads of a process that could not be counted before. */
#define TEND_SECONDS 0.1

/* How often the terminal is drawn again. */
#define DRAW_NANOSECONDS 100000000LL

enum { FILE_SIGNALS, FILE_CLOCK, FILE_PROCESS, FILE_SERVER, FILE_TERMINAL, FILE_CALLERS, FILE_JOIN, N_FILES };

struct meter {
	const struct papi_perfometer_options *options;
	struct papi_journal journal;
	struct papi_session session;
	struct papi_server *server; /* NULL: there is none */
	struct papi_server_answers answers;
	struct papi_callers *callers; /* the same */
	struct papi_join join;        /* its file is -1: there is none */
	struct papi_screen *screen;   /* NULL: there is none */
	long long drawn;              /* when; of the clock */
	struct papi_program program;
	struct pollfd files[N_FILES];
	bool ended;       /* the program, or the watch over it */
	bool stopped;     /* the program, by a signal */
	bool interrupted; /* somebody wants perfometer to end */
	int status;       /* its exit status */
	double tended;    /* when it was last looked for them */
	char *name;       /* of the program */
};

/* ---- beginning ---- */

/* Of those that people want to see first, what this machine counts. */
static const char *const usual[] = { "PAPI_TOT_INS", "perf::TASK-CLOCK", "perf::PAGE-FAULTS" };

#define N_USUAL (sizeof(usual) / sizeof(usual[0]))

static bool is_virtual(const char *name)
{
	int code;

	return PAPI_event_name_to_code(name, &code) == PAPI_OK && papi_event_is_virtual(code);
}

static bool choose_usual(struct meter *meter, char *reason, size_t size)
{
	const char *names[N_USUAL];
	size_t number = 0;

	/* Nobody's process is entered who has not asked for that. */
	for (size_t i = 0; i < N_USUAL; i++)
		if (PAPI_query_named_event(usual[i]) == PAPI_OK && !(meter->options->pid && is_virtual(usual[i])))
			names[number++] = usual[i];
	if (number)
		return papi_session_choose(&meter->session, names, number, reason, size);
	snprintf(reason, size, "this machine counts none of the usual events; choose some with -e");
	return false;
}

/* Names that mean nothing are mistakes of the command line. */
static bool choose(struct meter *meter)
{
	const struct papi_perfometer_options *options = meter->options;
	char reason[4096];

	if (options->n_events ? papi_session_choose(&meter->session, (const char *const *)options->events,
					options->n_events, reason, sizeof(reason))
			      : choose_usual(meter, reason, sizeof(reason)))
		return true;
	papi_perfometer_say("%s", reason);
	meter->status = PAPI_TOOL_USAGE;
	return false;
}

static struct meter *of_hand_over;

static void hand_over(void)
{
	papi_agent_collector_hand_over(&of_hand_over->session.virtually.collector);
	if (of_hand_over->screen)
		papi_text_output_take();
}

static bool complain(struct meter *meter, const char *reason, int status)
{
	papi_perfometer_say("%s", reason);
	/* Also to the page that is not its own. */
	if (meter->join.wire.file >= 0)
		papi_journal_notice(&meter->journal, papi_session_time(&meter->session), "error", reason);
	meter->status = status;
	return false;
}

/* The program waits at its gate then. */
static bool spawn(struct meter *meter, char *path)
{
	const struct papi_perfometer_options *options = meter->options;
	char reason[4096];
	const char *call;
	int error;

	if (!papi_virtual_expect(&meter->session.virtually, path, options->models, reason, sizeof(reason)))
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	of_hand_over = meter;
	error = papi_program_spawn(&meter->program, path, options->command, hand_over, &call);
	if (error) {
		snprintf(reason, sizeof(reason), "cannot %s: %s", call, strerror(error));
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	}
	papi_perfometer_write_hello(&meter->journal, options->command, options->rate);
	meter->name = papi_perfometer_format("%s", strrchr(path, '/') + 1);
	if (papi_session_start(&meter->session, meter->program.pid, true, meter->name, reason, sizeof(reason)))
		return true;
	close(meter->program.gate);
	close(meter->program.failure);
	waitpid(meter->program.pid, NULL, 0);
	return complain(meter, reason, PAPI_PROGRAM_FAILURE);
}

static bool start_program(struct meter *meter)
{
	const char *program = meter->options->command[0];
	char reason[4096], *path = NULL;
	int error = papi_program_find(program, &path);
	bool started;

	if (error) {
		free(path);
		meter->status = papi_program_refused(program, false, error, reason, sizeof(reason));
		return complain(meter, reason, meter->status);
	}
	if (papi_program_keeps_secrets(path)) {
		free(path);
		return complain(meter,
			"the program gets rights that you do not have, or is not readable, and the kernel stops "
			"counting when it starts: run perfometer with these rights",
			PAPI_PROGRAM_FAILURE);
	}
	started = spawn(meter, path);
	free(path);
	if (!started)
		return false;
	error = papi_program_release(&meter->program);
	if (!error)
		return true;
	waitpid(meter->program.pid, NULL, 0);
	meter->status = papi_program_refused(program, true, error, reason, sizeof(reason));
	return complain(meter, reason, meter->status);
}

static bool start_watch(struct meter *meter)
{
	pid_t pid = meter->options->pid;
	char reason[4096], **command;
	const char *slash;
	bool started;

	if (papi_process_is_unfit(pid, reason, sizeof(reason)))
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	command = papi_process_command(pid);
	if (!command)
		papi_perfometer_no_memory();
	meter->files[FILE_PROCESS].fd = (int)syscall(SYS_pidfd_open, pid, 0);
	papi_perfometer_write_hello(&meter->journal, command, meter->options->rate);
	slash = strrchr(command[0], '/');
	meter->name = papi_perfometer_format("%s", slash ? slash + 1 : command[0]);
	free(command);
	started = papi_virtual_enter(&meter->session.virtually, pid, meter->options->models, reason, sizeof(reason)) &&
		papi_session_start(&meter->session, pid, false, meter->name, reason, sizeof(reason));
	return started || complain(meter, reason, PAPI_PROGRAM_FAILURE);
}

/* ---- the server ---- */

static char *answer_available(void *argument)
{
	return papi_available_json(argument);
}

static char *answer_metrics(void *argument, bool threads)
{
	return papi_openmetrics(argument, threads);
}

static bool answer_choice(void *argument, const char *const names[], size_t number, char *reason, size_t size)
{
	return papi_session_choose(argument, names, number, reason, size);
}

static bool start_server(struct meter *meter)
{
	char reason[1024];

	meter->answers = (struct papi_server_answers){ &meter->session, answer_available, answer_metrics, answer_choice,
		NULL };
	if (!meter->options->server)
		return true;
	meter->server = papi_perfometer_serve(meter->options, &meter->journal, &meter->answers, reason, sizeof(reason));
	if (!meter->server)
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	meter->files[FILE_SERVER].fd = papi_server_file(meter->server);
	return true;
}

/* ---- what the program marks ---- */

static double now_of(void *argument)
{
	const struct meter *meter = argument;

	return papi_session_time(&meter->session);
}

static int lane_of(void *argument, const struct papi_caller *caller, pid_t thread)
{
	const struct meter *meter = argument;

	return papi_session_lane(&meter->session, caller->pid, thread);
}

/* Where marks are wanted, programs that this one runs meet it and no other, unless they are to meet nobody. Elsewhere
 * their environment is not touched. */
static bool start_callers(struct meter *meter)
{
	const struct papi_callers_answers answers = { meter, now_of, NULL, lane_of };
	const char *before = getenv("PAPI_PERFOMETER");
	char reason[1024], *name;
	bool wanted = !meter->options->pid && (meter->options->regions || meter->options->join);

	if (!wanted || (before && !strcmp(before, "off")))
		return true;
	name = papi_perfometer_format("of-%d", (int)getpid());
	setenv("PAPI_PERFOMETER", name, 1);
	free(name);
	meter->callers = papi_callers_begin(&meter->journal, &answers, meter->options->regions, reason, sizeof(reason));
	if (!meter->callers)
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	meter->files[FILE_CALLERS].fd = papi_callers_file(meter->callers);
	return true;
}

/* ---- the other's page ---- */

/* As a notice, and as a band that lasts as long as that. */
static void tell_stopped(struct meter *meter, bool stopped)
{
	double now = papi_session_time(&meter->session);

	if (stopped == meter->stopped)
		return;
	meter->stopped = stopped;
	papi_journal_notice(
		&meter->journal, now, "info", stopped ? "the program was stopped by a signal" : "the program goes on");
	papi_marks_stopped(&meter->journal, now, stopped);
}

/* Of its own child perfometer is told by the kernel; a process that it watches is asked. */
static void look_at_process(struct meter *meter)
{
	pid_t group;

	if (meter->options->pid)
		tell_stopped(meter, papi_process_state(meter->options->pid, &group) == 'T');
}

static void sample_and_tend(struct meter *meter)
{
	if (meter->session.last >= meter->tended + TEND_SECONDS) {
		look_at_process(meter);
		papi_virtual_tend(&meter->session.virtually);
		meter->tended = meter->session.last;
	}
	papi_session_sample(&meter->session);
}

static void sample_for_other(void *argument)
{
	struct meter *meter = argument;

	if (!meter->ended)
		sample_and_tend(meter);
}

/* What of these can be counted here. */
static void choose_some(struct meter *meter, const char *const names[], size_t number)
{
	const char *known[PAPI_REQUEST_MOST];
	size_t n = 0;
	char reason[2048];

	for (size_t i = 0; i < number; i++) {
		known[n] = names[i];
		if (papi_session_choose(&meter->session, known, n + 1, reason, sizeof(reason)))
			n++;
		else
			papi_journal_notice(&meter->journal, papi_session_time(&meter->session), "warning", reason);
	}
}

static void choose_for_other(void *argument, const char *const names[], size_t number)
{
	struct meter *meter = argument;
	char reason[2048];

	if (!meter->ended && !papi_session_choose(&meter->session, names, number, reason, sizeof(reason)))
		choose_some(meter, names, number);
}

static bool start_join(struct meter *meter)
{
	char reason[1024];

	if (!meter->options->join)
		return true;
	if (!papi_join_begin(&meter->join, meter->options->join, reason, sizeof(reason)))
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	meter->files[FILE_JOIN].fd = meter->join.wire.file;
	return true;
}

/* ---- the loop ---- */

static void finish(struct meter *meter, const char *lane, const char *all)
{
	/* A program that was killed while it was stopped never goes on. */
	if (meter->stopped)
		papi_marks_stopped(&meter->journal, papi_session_time(&meter->session), false);
	papi_session_finish(&meter->session, lane, all);
	meter->ended = true;
	if (meter->server)
		papi_server_close(meter->server);
}

static void end_program(struct meter *meter, int status)
{
	char how[64], all[128];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "killed by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "exited %d", WEXITSTATUS(status));
	snprintf(all, sizeof(all), "the program has ended: %s", how);
	finish(meter, how, all);
	meter->status = papi_program_exit_status(status);
}

/* False: there is no more to tell of it. */
static bool look_at_program(struct meter *meter)
{
	int status;

	if (meter->options->pid || meter->ended ||
		waitpid(meter->program.pid, &status, WNOHANG | WUNTRACED | WCONTINUED) <= 0)
		return false;
	if (WIFSTOPPED(status))
		tell_stopped(meter, true);
	else if (WIFCONTINUED(status))
		tell_stopped(meter, false);
	else
		end_program(meter, status);
	return true;
}

static void take_signal(struct meter *meter)
{
	struct signalfd_siginfo info;

	while (read(meter->files[FILE_SIGNALS].fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		int number = (int)info.ssi_signo;

		if (number == SIGCHLD) {
			while (look_at_program(meter))
				continue;
		} else if (meter->options->pid || meter->ended) {
			meter->interrupted = true;
			if (!meter->ended)
				finish(meter, "no longer watched", "the watch was ended");
		} else {
			/* After what asks for an end, nobody stays for pages. */
			meter->interrupted = meter->interrupted || (number != SIGUSR1 && number != SIGUSR2);
			papi_program_pass_on(&meter->program, number, info.ssi_code);
		}
	}
}

/* A perfometer that was stopped, or a machine that slept. */
static void tell_gap(struct meter *meter)
{
	double now = papi_session_time(&meter->session), last = meter->session.last;
	FILE *out;

	if (now - last < LATE_SECONDS || now - last < 5.0 / meter->options->rate)
		return;
	out = papi_journal_write(&meter->journal, PAPI_JOURNAL_PASSING, 0, now);
	fprintf(out, "{\"type\":\"gap\",\"t\":%.6f,\"until\":%.6f,\"ids\":null,\"reason\":\"perfometer did not run\"}",
		last, now);
	papi_journal_done(&meter->journal);
}

static void take_sample(struct meter *meter)
{
	uint64_t times;

	if (read(meter->files[FILE_CLOCK].fd, &times, sizeof(times)) < 0 || meter->ended)
		return;
	tell_gap(meter);
	sample_and_tend(meter);
}

static bool goes_on(const struct meter *meter)
{
	if (!meter->ended || (meter->screen && !meter->interrupted))
		return true;
	return meter->server && !meter->interrupted && (meter->options->stay || papi_server_pages(meter->server) > 0);
}

static void end_screen(struct meter *meter)
{
	meter->files[FILE_TERMINAL].fd = -1;
	papi_screen_end(meter->screen);
	meter->screen = NULL;
	papi_perfometer_hold(false);
}

/* Who leaves the view of a process has seen enough of it; a program goes on to its end. */
static void draw(struct meter *meter)
{
	long long now = papi_perfometer_clock();
	short what = meter->files[FILE_TERMINAL].revents;

	if (!meter->screen || (!what && now < meter->drawn + DRAW_NANOSECONDS))
		return;
	meter->drawn = now;
	if (!(what & (POLLHUP | POLLERR)) && papi_screen_step(meter->screen, &meter->journal))
		return;
	end_screen(meter);
	meter->interrupted = meter->interrupted || meter->options->pid;
	if (meter->options->pid && !meter->ended)
		finish(meter, "no longer watched", "the watch was ended");
}

/* With the perfometer that shows this one's lanes. A program that was started here goes on without. */
static void talk(struct meter *meter)
{
	static const char gone[] = "the perfometer that shows this has gone";
	const struct papi_join_answers answers = { meter, sample_for_other, choose_for_other };

	if (meter->files[FILE_JOIN].fd < 0)
		return;
	if (papi_join_serve(&meter->join, &meter->journal, &answers)) {
		meter->files[FILE_JOIN].events = papi_wire_is_full(&meter->join.wire) ? POLLIN | POLLOUT : POLLIN;
		return;
	}
	meter->files[FILE_JOIN].fd = -1;
	if (meter->options->pid && !meter->ended)
		finish(meter, "no longer watched", gone);
	if (!papi_join_is_inherited(meter->options->join))
		papi_perfometer_say("%s%s", gone, meter->options->pid ? "" : ": the program goes on without");
}

static void wait_and_serve(struct meter *meter)
{
	int ready = poll(meter->files, N_FILES, meter->server ? papi_server_patience(meter->server) : -1);

	if (ready > 0 && meter->files[FILE_SIGNALS].revents)
		take_signal(meter);
	if (ready > 0 && meter->files[FILE_CLOCK].revents)
		take_sample(meter);
	if (ready > 0 && meter->files[FILE_PROCESS].revents && !meter->ended)
		finish(meter, "ended", "the process has ended");
	if (meter->ended)
		meter->files[FILE_PROCESS].fd = -1;
	if (ready > 0 && meter->files[FILE_CALLERS].revents)
		papi_callers_serve(meter->callers);
	if (meter->server)
		papi_server_serve(meter->server);
	talk(meter);
	draw(meter);
}

static bool open_files(struct meter *meter)
{
	sigset_t signals = *papi_program_signals();
	const long step = 1000000000L / meter->options->rate;
	const struct itimerspec beat = { .it_interval = { step / 1000000000L, step % 1000000000L },
		.it_value = { step / 1000000000L, step % 1000000000L } };

	sigaddset(&signals, SIGCHLD);
	meter->files[FILE_SIGNALS].fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	meter->files[FILE_CLOCK].fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	/* Who has joined another takes its samples when that one wants them. */
	return meter->files[FILE_SIGNALS].fd >= 0 && meter->files[FILE_CLOCK].fd >= 0 &&
		(meter->options->join || timerfd_settime(meter->files[FILE_CLOCK].fd, 0, &beat, NULL) == 0);
}

static bool start_screen(struct meter *meter)
{
	char reason[1024];

	if (!meter->options->text)
		return true;
	if (!papi_text_output_begin()) {
		snprintf(reason, sizeof(reason), "cannot keep what the program writes: %s", strerror(errno));
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	}
	meter->screen = papi_screen_begin(&meter->answers, reason, sizeof(reason));
	if (!meter->screen)
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	meter->files[FILE_TERMINAL].fd = papi_screen_file(meter->screen);
	papi_perfometer_hold(true);
	return true;
}

static bool start(struct meter *meter)
{
	const struct papi_perfometer_options *options = meter->options;
	char reason[1024];

	if (options->record && !papi_journal_record(&meter->journal, options->record)) {
		snprintf(reason, sizeof(reason), "cannot write the recording '%s': %s; the program was not run",
			options->record, strerror(errno));
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	}
	if (!start_join(meter) || !choose(meter))
		return false;
	papi_program_block_signals();
	papi_process_raise_descriptor_limit();
	if (!open_files(meter)) {
		snprintf(reason, sizeof(reason), "cannot wait for signals and the clock: %s", strerror(errno));
		return complain(meter, reason, PAPI_PROGRAM_FAILURE);
	}
	return start_server(meter) && start_callers(meter) && start_screen(meter) &&
		(options->pid ? start_watch(meter) : start_program(meter));
}

int papi_perfometer_run(const struct papi_perfometer_options *options)
{
	struct meter meter = { .options = options, .join.wire.file = -1 };

	for (size_t i = 0; i < N_FILES; i++)
		meter.files[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	papi_journal_begin(&meter.journal);
	papi_session_begin(&meter.session, &meter.journal);
	meter.session.rank = papi_meet_rank();
	meter.session.tells_parts = options->join;
	if (start(&meter)) {
		talk(&meter);
		while (goes_on(&meter))
			wait_and_serve(&meter);
	}
	if (meter.screen)
		end_screen(&meter);
	papi_text_output_end();
	papi_callers_end(meter.callers);
	papi_join_end(&meter.join, &meter.journal);
	if (meter.server)
		papi_server_end(meter.server);
	papi_session_end(&meter.session);
	if (!papi_journal_end(&meter.journal) && meter.status == 0)
		meter.status = PAPI_PROGRAM_FAILURE;
	free(meter.name);
	for (size_t i = 0; i < FILE_SERVER; i++)
		if (meter.files[i].fd > 0)
			close(meter.files[i].fd);
	return meter.status;
}
