/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.c - perfometer --listen: programs that call perfometer(), and perfometers that join, in one page. Nothing is
 * counted here. For each program on this machine a perfometer of its own is started, which is no more to this one than
 * one that has joined: so nothing that happens to one is anything to the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "available.h"
#include "callers.h"
#include "common.h"
#include "hello.h"
#include "perfometer.h"
#include "program.h"
#include "serve.h"
#include "session.h"
#include "sources.h"
#include "text_screen.h"

/* Nobody has looked for so long: what happened meanwhile is not known. */
#define LATE_SECONDS 1.0
/* How often the terminal is drawn again. */
#define DRAW_MILLISECONDS 100

enum { FILE_SIGNALS, FILE_CLOCK, FILE_CALLERS, FILE_SOURCES, FILE_SERVER, FILE_TERMINAL, N_FILES };

struct listener {
	const struct papi_perfometer_options *options;
	struct papi_journal journal;
	struct papi_session session;
	struct papi_sources *sources;
	struct papi_callers *callers;
	struct papi_server *server;
	struct papi_server_answers answers;
	struct papi_screen *screen;
	struct pollfd files[N_FILES];
	double ticked;
	bool ends;
	int status;
};

static bool complain(struct listener *listener, const char *reason, int status)
{
	papi_perfometer_say("%s", reason);
	listener->status = status;
	return false;
}

/* ---- programs that call ---- */

/* What the watcher is to be told; NULL-terminated, texts of its own. */
static char **make_command(const struct papi_perfometer_options *options, pid_t pid, int file)
{
	char **words = papi_perfometer_allocate(NULL, 11 + 2 * options->n_events, sizeof(*words));
	size_t n = 0;

	words[n++] = papi_perfometer_format("perfometer");
	words[n++] = papi_perfometer_format("-p");
	words[n++] = papi_perfometer_format("%d", (int)pid);
	words[n++] = papi_perfometer_format("--join");
	words[n++] = papi_perfometer_format("@%d", file);
	if (options->models)
		words[n++] = papi_perfometer_format("--models");
	for (size_t i = 0; i < options->n_events; i++) {
		words[n++] = papi_perfometer_format("-e");
		words[n++] = papi_perfometer_format("%s", options->events[i]);
	}
	words[n] = NULL;
	return words;
}

/* Nothing goes on here before it has executed its program: until then it has all that is open, and what is closed
 * here would neither end nor leave the epolls. A signal of the terminal is not for it: it ends when its connection
 * does. */
static bool spawn_watcher(char *const command[], int file)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t child;
	bool spawned;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	if (posix_spawnattr_init(&attributes) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return false;
	}
	sigemptyset(&none);
	spawned = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0) == 0 &&
		posix_spawn_file_actions_adddup2(&actions, 0, 1) == 0 &&
		posix_spawn_file_actions_adddup2(&actions, 0, 2) == 0 &&
		posix_spawn_file_actions_adddup2(&actions, file, file) == 0 && /* which it is to have */
		posix_spawnattr_setpgroup(&attributes, 0) == 0 && posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) == 0 &&
		posix_spawn(&child, "/proc/self/exe", &actions, &attributes, command, environ) == 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return spawned;
}

/* The connection to a watcher of that process; -1: there is none. */
static int start_watcher(const struct listener *listener, pid_t pid)
{
	int ends[2];
	char **command;
	bool started;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	command = make_command(listener->options, pid, ends[1]);
	started = spawn_watcher(command, ends[1]);
	for (size_t i = 0; command[i]; i++)
		free(command[i]);
	free(command);
	close(ends[1]);
	if (started)
		return ends[0];
	close(ends[0]);
	return -1;
}

static void take_caller(void *argument, struct papi_caller *caller)
{
	struct listener *listener = argument;
	struct papi_source *known = papi_sources_find(listener->sources, caller->pid);
	int file;

	if (known)
		return;
	file = papi_sources_has_room(listener->sources) ? start_watcher(listener, caller->pid) : -1;
	if (file >= 0)
		papi_sources_add_program(listener->sources, file, caller->pid, caller->rank, caller->name);
	else
		papi_journal_notice(&listener->journal, papi_session_time(&listener->session), "error",
			"a program that has come cannot be watched: there are too many");
}

/* -1, all lanes, would be wrong: a caller without a watcher has lane 0, which nobody has. */
static int lane_of(void *argument, const struct papi_caller *caller, pid_t thread)
{
	const struct listener *listener = argument;
	const struct papi_source *source = papi_sources_find(listener->sources, caller->pid);

	return source ? papi_sources_lane(source, thread) : 0;
}

static double now_of(void *argument)
{
	const struct listener *listener = argument;

	return papi_session_time(&listener->session);
}

/* ---- the server ---- */

static char *answer_available(void *argument)
{
	return papi_available_json(&((struct listener *)argument)->session);
}

static char *answer_metrics(void *argument, bool threads)
{
	return papi_sources_metrics(((struct listener *)argument)->sources, threads);
}

static bool answer_choice(void *argument, const char *const names[], size_t number, char *reason, size_t size)
{
	struct listener *listener = argument;

	if (!papi_session_choose(&listener->session, names, number, reason, size))
		return false;
	papi_sources_choose(listener->sources);
	return true;
}

static bool answer_join(void *argument, int file, void (*end)(void *handle), void *handle)
{
	struct listener *listener = argument;

	if (!papi_sources_has_room(listener->sources))
		return false;
	papi_sources_add(listener->sources, file, end, handle);
	return true;
}

static bool start_server(struct listener *listener)
{
	char reason[1024];

	listener->answers = (struct papi_server_answers){ .argument = listener,
		.available = answer_available,
		.metrics = answer_metrics,
		.choose = answer_choice,
		.join = answer_join };
	if (!listener->options->server)
		return true;
	listener->server = papi_perfometer_serve(
		listener->options, &listener->journal, &listener->answers, reason, sizeof(reason));
	if (!listener->server)
		return complain(listener, reason, PAPI_PROGRAM_FAILURE);
	listener->files[FILE_SERVER].fd = papi_server_file(listener->server);
	return true;
}

/* ---- the loop ---- */

static void tell_gap(struct listener *listener)
{
	double now = papi_session_time(&listener->session);
	FILE *out;

	if (now - listener->ticked >= LATE_SECONDS && now - listener->ticked >= 5.0 / listener->options->rate &&
		listener->session.last > 0) {
		out = papi_journal_write(&listener->journal, PAPI_JOURNAL_PASSING, 0, now);
		fprintf(out,
			"{\"type\":\"gap\",\"t\":%.6f,\"until\":%.6f,\"ids\":null,\"reason\":\"perfometer did not "
			"run\"}",
			listener->ticked, now);
		papi_journal_done(&listener->journal);
	}
	listener->ticked = now;
}

static void take_clock(struct listener *listener)
{
	uint64_t times;

	if (read(listener->files[FILE_CLOCK].fd, &times, sizeof(times)) < 0)
		return;
	tell_gap(listener);
	papi_sources_tick(listener->sources);
}

static void take_signals(struct listener *listener)
{
	struct signalfd_siginfo info;

	while (read(listener->files[FILE_SIGNALS].fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			listener->ends = true;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
}

static void draw(struct listener *listener)
{
	short what = listener->files[FILE_TERMINAL].revents;

	if (listener->screen &&
		((what & (POLLHUP | POLLERR)) || !papi_screen_step(listener->screen, &listener->journal)))
		listener->ends = true;
}

static int patience(const struct listener *listener)
{
	int server = listener->server ? papi_server_patience(listener->server) : -1;

	return listener->screen && (server < 0 || server > DRAW_MILLISECONDS) ? DRAW_MILLISECONDS : server;
}

static void wait_and_serve(struct listener *listener)
{
	int ready = poll(listener->files, N_FILES, patience(listener));

	if (ready > 0 && listener->files[FILE_SIGNALS].revents)
		take_signals(listener);
	if (ready > 0 && listener->files[FILE_CALLERS].revents)
		papi_callers_serve(listener->callers);
	if (ready > 0 && listener->files[FILE_SOURCES].revents)
		papi_sources_serve(listener->sources);
	if (ready > 0 && listener->files[FILE_CLOCK].revents)
		take_clock(listener);
	if (listener->server)
		papi_server_serve(listener->server);
	draw(listener);
}

/* ---- beginning and end ---- */

static bool open_files(struct listener *listener)
{
	const struct papi_callers_answers answers = { listener, now_of, take_caller, lane_of };
	const long step = 1000000000L / listener->options->rate;
	const struct itimerspec beat = { .it_interval = { step / 1000000000L, step % 1000000000L },
		.it_value = { step / 1000000000L, step % 1000000000L } };
	sigset_t signals = *papi_program_signals();
	char reason[1024];

	sigaddset(&signals, SIGCHLD);
	listener->files[FILE_SIGNALS].fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	listener->files[FILE_CLOCK].fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	listener->files[FILE_SOURCES].fd = papi_sources_file(listener->sources);
	if (listener->files[FILE_SIGNALS].fd < 0 || listener->files[FILE_SOURCES].fd < 0 ||
		timerfd_settime(listener->files[FILE_CLOCK].fd, 0, &beat, NULL) != 0) {
		snprintf(reason, sizeof(reason), "cannot wait for signals and the clock: %s", strerror(errno));
		return complain(listener, reason, PAPI_PROGRAM_FAILURE);
	}
	listener->callers = papi_callers_begin(
		&listener->journal, &answers, listener->options->regions, reason, sizeof(reason));
	if (!listener->callers)
		return complain(listener, reason, PAPI_PROGRAM_FAILURE);
	listener->files[FILE_CALLERS].fd = papi_callers_file(listener->callers);
	return true;
}

static bool start_screen(struct listener *listener)
{
	char reason[1024];

	if (!listener->options->text)
		return true;
	listener->screen = papi_screen_begin(&listener->answers, reason, sizeof(reason));
	if (!listener->screen)
		return complain(listener, reason, PAPI_PROGRAM_FAILURE);
	listener->files[FILE_TERMINAL].fd = papi_screen_file(listener->screen);
	papi_perfometer_hold(true);
	return true;
}

static bool start(struct listener *listener)
{
	const struct papi_perfometer_options *options = listener->options;
	char *const words[] = { (char[]){ "programs that call perfometer(), or join" }, NULL };
	char reason[4096];

	if (options->record && !papi_journal_record(&listener->journal, options->record)) {
		snprintf(reason, sizeof(reason), "cannot write the recording '%s': %s", options->record,
			strerror(errno));
		return complain(listener, reason, PAPI_PROGRAM_FAILURE);
	}
	if (options->n_events &&
		!papi_session_choose(&listener->session, (const char *const *)options->events, options->n_events,
			reason, sizeof(reason)))
		return complain(listener, reason, PAPI_TOOL_USAGE);
	listener->session.started = papi_perfometer_clock();
	papi_perfometer_write_hello(&listener->journal, words, options->rate);
	if (options->n_events)
		papi_session_write_schema(&listener->session);
	papi_program_block_signals();
	listener->sources = papi_sources_begin(&listener->session, !options->n_events);
	return open_files(listener) && start_server(listener) && start_screen(listener);
}

static void end(struct listener *listener)
{
	papi_callers_end(listener->callers);
	if (listener->sources)
		papi_sources_end(listener->sources, "no longer watched");
	if (listener->screen)
		papi_screen_end(listener->screen);
	papi_perfometer_hold(false);
	if (listener->server)
		papi_server_end(listener->server);
	papi_session_end(&listener->session);
	if (!papi_journal_end(&listener->journal) && listener->status == 0)
		listener->status = PAPI_PROGRAM_FAILURE;
	for (size_t i = 0; i <= FILE_CLOCK; i++)
		if (listener->files[i].fd >= 0)
			close(listener->files[i].fd);
}

static void say_bye(struct listener *listener)
{
	double now = papi_session_time(&listener->session);
	FILE *out;

	papi_callers_end(listener->callers);
	listener->callers = NULL;
	papi_sources_end(listener->sources, "no longer watched");
	listener->sources = NULL;
	out = papi_journal_write(&listener->journal, PAPI_JOURNAL_LASTING, 0, now);
	fprintf(out, "{\"type\":\"bye\",\"t\":%.6f,\"reason\":\"the watch was ended\"}", now);
	papi_journal_done(&listener->journal);
	if (listener->server)
		papi_server_close(listener->server);
}

int papi_perfometer_listen(const struct papi_perfometer_options *options)
{
	struct listener listener = { .options = options };

	papi_journal_begin(&listener.journal);
	papi_session_begin(&listener.session, &listener.journal);
	for (size_t i = 0; i < N_FILES; i++)
		listener.files[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (start(&listener)) {
		while (!listener.ends)
			wait_and_serve(&listener);
		say_bye(&listener);
	}
	end(&listener);
	return listener.status;
}
