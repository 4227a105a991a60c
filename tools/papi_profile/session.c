/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "common.h"
#include "escape.h"
#include "papi.h"
#include "papi_profile/exact.h"
#include "papi_profile/papi_profile.h"
#include "process.h"
#include "program.h"

/* How often the rings are read when nothing wakes papi_profile before, and what it has is written. */
#define ROUND_MILLISECONDS 100
#define WRITE_SECONDS      1.0

/* The share of its time for which an event had a counter, as exactly as the kernel tells. */
#define NEARLY_ALWAYS 0.98

/* A program that starts threads all the time may never hold still; then the last attempt stands. */
#define ATTEMPTS 20

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- The store ----------------------------------------------------------------------------------------- */

/* The program goes on; what was written before stays. */
static void give_up(struct papi_profile_session *session)
{
	papi_profile_message(
		"%s; what was sampled before is kept, and the program goes on without", papi_error_sentence());
	papi_profile_sampler_close(&session->sampler);
	session->failed = true;
}

static void write_out(struct papi_profile_session *session, int status)
{
	if (session->failed)
		return;
	papi_profile_counts_flush(&session->records.counts);
	session->elapsed = now() - session->started;
	if (papi_profile_store_progress(session->store, session->elapsed, (int64_t)session->lost, status) != PAPI_OK ||
		papi_profile_store_commit(session->store) != PAPI_OK)
		give_up(session);
	session->written = now();
}

static char *command_text(char **words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && words[i]; i++) {
		fputs(i ? ", " : "[", out);
		papi_escape_json(out, words[i]);
	}
	if (!out || (fputc(']', out), fclose(out)) != 0)
		exit(PAPI_PROGRAM_FAILURE);
	return text;
}

static int write_event(struct papi_profile_session *session, size_t number)
{
	const struct papi_profile_sampled *event = &session->events->events[number];
	struct papi_profile_event_row row = { .name = event->name,
		.native = event->native,
		.unit = session->exact ? "" : event->encoding->unit,
		.kind = session->exact ? papi_profile_exact_kind(event->name) : "sampled",
		.period = (int64_t)session->rate.period,
		.frequency = session->rate.period || session->exact ? 0 : (int64_t)session->rate.frequency,
		.user = !event->attr.exclude_user,
		.kernel = !event->attr.exclude_kernel && !session->exact };

	if (event->user_only)
		row.note = "in user mode only: sampling the kernel is not permitted";
	return papi_profile_store_event(session->store, (int64_t)number + 1, &row);
}

int papi_profile_session_make_store(struct papi_profile_session *session)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	char *command = command_text(session->command), *directory = getcwd(NULL, 0), started[32], version[32];
	time_t seconds = session->began ? session->began : time(NULL);
	struct utsname kernel;
	struct tm utc;
	int status;

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
	papi_tool_version(version, sizeof(version));
	status = papi_profile_store_create(session->file,
		&(struct papi_profile_run_row){ .command = command,
			.directory = session->directory ? session->directory : directory,
			.started = started,
			.machine = hardware ? hardware->model_string : NULL,
			.kernel = uname(&kernel) == 0 ? kernel.release : NULL,
			.version = version,
			.source = session->exact ? "exact" : "sampled" },
		&session->store);
	for (size_t i = 0; i < session->events->number && status == PAPI_OK; i++)
		status = write_event(session, i);
	if (status == PAPI_OK)
		status = papi_profile_store_commit(session->store);
	session->records = (struct papi_profile_records){ .events = session->events,
		.places.store = session->store,
		.counts.store = session->store,
		.marks = session->records.marks,
		.period = session->rate.period,
		.graph = session->rate.graph,
		.stacks.machine = session->rate.machine };
	free(command);
	free(directory);
	if (status == PAPI_OK)
		return 0;
	papi_profile_message("%s", papi_error_sentence());
	return PAPI_PROGRAM_FAILURE;
}

/* ---- While it runs ------------------------------------------------------------------------------------- */

static void read_rings(struct papi_profile_session *session, bool all)
{
	if (session->failed)
		return;
	papi_profile_marks_look(&session->records.marks);
	papi_profile_sampler_read(&session->sampler, all, papi_profile_records_take, &session->records);
	session->lost = session->sampler.lost;
	if (now() - session->written >= WRITE_SECONDS)
		write_out(session, -1);
}

/* Waits for a round, or until a ring is half full, something is to be read from `file`, or a signal comes. */
static void wait_round(struct papi_profile_session *session, struct pollfd *files, int signals, int file)
{
	size_t n = papi_profile_sampler_poll(&session->sampler, files + 2);
	int ready;

	/* The kernel says no more than this of an event whose thread has ended, again and again. */
	for (size_t i = 2; i < n + 2; i++)
		if (session->failed || (files[i].revents & (POLLHUP | POLLERR)))
			files[i].fd = -1;
	files[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
	files[1] = (struct pollfd){ .fd = file, .events = POLLIN };
	ready = poll(files, n + 2, ROUND_MILLISECONDS);
	if (ready <= 0)
		for (size_t i = 0; i < n + 2; i++)
			files[i].revents = 0;
}

static struct pollfd *make_files(const struct papi_profile_session *session)
{
	size_t n = session->sampler.n_cpus + 2;
	struct pollfd *files = papi_profile_allocate(NULL, n, sizeof(*files));

	memset(files, 0, n * sizeof(*files));
	return files;
}

static void begin(struct papi_profile_session *session)
{
	session->started = session->written = now();
}

static void note_share(struct papi_profile_session *session, size_t event)
{
	double share = papi_profile_sampler_share(&session->sampler, event);
	char note[160];

	if (share > NEARLY_ALWAYS)
		return;
	snprintf(note, sizeof(note), "had a counter for %.1f %% of the time only, so that its values are too small%s",
		100 * share, session->events->events[event].user_only ? "; in user mode only" : "");
	papi_profile_store_event_note(session->store, (int64_t)event + 1, note);
	papi_profile_message("%s %s: sample fewer events at once", session->events->events[event].name, note);
}

/* The last of it. status: the wait status, negative for none. */
static void end(struct papi_profile_session *session, int status)
{
	double elapsed = now() - session->started;

	if (!session->failed) {
		papi_profile_sampler_disable(&session->sampler);
		read_rings(session, true);
		session->lost = papi_profile_sampler_lost(&session->sampler);
		for (size_t i = 0; i < session->events->number; i++)
			note_share(session, i);
		write_out(session, status);
	}
	session->elapsed = elapsed;
	session->throttled = session->sampler.throttled;
	session->without_path = session->records.counts.without_path;
	session->truncated = session->records.stacks.truncated;
	session->gone = session->records.gone;
}

static void release(struct papi_profile_session *session)
{
	if (papi_profile_store_close(session->store) != PAPI_OK && !session->failed) {
		papi_profile_message("%s", papi_error_sentence());
		session->failed = true;
	}
	papi_profile_places_free(&session->records.places);
	papi_profile_counts_free(&session->records.counts);
	papi_profile_marks_end(&session->records.marks);
	papi_profile_sampler_free(&session->sampler);
}

/* ---- A program ----------------------------------------------------------------------------------------- */

/* Takes the signals that have come, and passes on what is meant for the program. */
static void pass_signals_on(int signals, const struct papi_program *program)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			papi_program_pass_on(program, (int)info.ssi_signo, info.ssi_code);
}

/* Until the program ends; its wait status. */
static int follow(struct papi_profile_session *session, const struct papi_program *program, int signals)
{
	struct pollfd *files = make_files(session);
	int status = 0;
	pid_t ended = 0;

	while (ended == 0 || (ended < 0 && errno == EINTR)) {
		wait_round(session, files, signals, -1);
		pass_signals_on(signals, program);
		ended = waitpid(program->pid, &status, WNOHANG);
		if (ended == 0)
			read_rings(session, false);
	}
	free(files);
	return status;
}

/* The child is at its gate: everything that can fail does so before it runs. */
static int run_spawned(struct papi_profile_session *session, struct papi_program *program, int signals, bool *released)
{
	char reason[PAPI_HUGE_STR_LEN];
	int status, error;

	papi_process_raise_descriptor_limit();
	if (papi_profile_sampler_open(&session->sampler, program->pid, true) != PAPI_OK) {
		papi_profile_message("cannot sample: %s", papi_error_sentence());
		return PAPI_PROGRAM_FAILURE;
	}
	status = papi_profile_session_make_store(session);
	if (status)
		return status;
	begin(session);
	*released = true;
	error = papi_program_release(program);
	status = follow(session, program, signals);
	if (error) {
		status = papi_program_refused(session->command[0], true, error, reason, sizeof(reason));
		papi_profile_message("%s", reason);
		unlink(session->file);
		return status;
	}
	end(session, status);
	return papi_program_exit_status(status);
}

int papi_profile_session_run(struct papi_profile_session *session, char *path)
{
	struct papi_program program;
	sigset_t taken;
	const char *call;
	bool released = false;
	int signals, status, error;

	papi_program_block_signals();
	taken = *papi_program_signals();
	sigaddset(&taken, SIGCHLD);
	signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0) {
		papi_profile_message("cannot wait for signals: %s", strerror(errno));
		return PAPI_PROGRAM_FAILURE;
	}
	papi_profile_marks_begin(&session->records.marks, session->file);
	error = papi_program_spawn(&program, path, session->command, NULL, &call);
	if (error) {
		papi_profile_marks_end(&session->records.marks);
		papi_profile_message("cannot %s: %s", call, strerror(error));
		close(signals);
		return PAPI_PROGRAM_FAILURE;
	}
	papi_profile_sampler_prepare(&session->sampler, session->events);
	status = run_spawned(session, &program, signals, &released);
	if (!released) {
		close(program.gate);
		close(program.failure);
		waitpid(program.pid, NULL, 0);
	}
	release(session);
	close(signals);
	return status;
}

/* ---- A process ----------------------------------------------------------------------------------------- */

/* Events on all threads; what came in between would be sampled twice or not at all, so again until none has come. */
static int attach(struct papi_profile_session *session)
{
	struct papi_process_threads threads, later;
	bool steady = false;
	int error = 0;

	for (int attempt = 1; !steady && attempt <= ATTEMPTS; attempt++) {
		papi_profile_sampler_close(&session->sampler);
		error = papi_process_threads(&threads, session->pid);
		for (size_t i = 0; !error && i < threads.number; i++)
			if (papi_profile_sampler_open(&session->sampler, threads.ids[i], false) != PAPI_OK &&
				!papi_process_thread_ended(threads.ids[i], (struct papi_process_life){ 0, 0 })) {
				free(threads.ids);
				papi_profile_message(
					"cannot sample process %d: %s", (int)session->pid, papi_error_sentence());
				return PAPI_PROGRAM_FAILURE;
			}
		if (!error)
			error = papi_process_threads(&later, session->pid);
		steady = error || !papi_process_threads_came(&threads, &later);
		if (!error)
			free(later.ids);
		free(threads.ids);
	}
	if (!error && session->sampler.n_opened)
		return 0;
	papi_profile_message("cannot sample process %d: %s", (int)session->pid,
		error ? strerror(error) : "it ended while papi_profile attached to it");
	return PAPI_PROGRAM_FAILURE;
}

/* Until the process ends, the time is over or a signal comes. */
static void watch(struct papi_profile_session *session, int process, int signals)
{
	struct pollfd *files = make_files(session);
	bool over = false;

	while (!over) {
		wait_round(session, files, signals, process);
		read_rings(session, false);
		over = (files[0].revents & POLLIN) || (files[1].revents & POLLIN) ||
			(session->seconds > 0 && now() - session->started >= session->seconds) ||
			(process < 0 && papi_process_ended(session->pid));
	}
	free(files);
}

/* To a process that has yet to execute its program: what it was before is of no interest. */
static int attach_before(struct papi_profile_session *session)
{
	if (papi_profile_sampler_open(&session->sampler, session->pid, true) == PAPI_OK)
		return 0;
	papi_profile_message("cannot sample: %s", papi_error_sentence());
	return PAPI_PROGRAM_FAILURE;
}

static int watch_attached(struct papi_profile_session *session, int process, int signals)
{
	int status = session->ready >= 0 ? attach_before(session) : attach(session);

	if (!status)
		status = papi_profile_session_make_store(session);
	if (status)
		return status;
	begin(session);
	if (session->ready < 0) {
		papi_profile_sampler_enable(&session->sampler);
		papi_profile_places_present(&session->records.places, session->pid);
	} else if (write(session->ready, "", 1) != 1 || close(session->ready) != 0) {
		papi_profile_message("nobody waits at descriptor %d", session->ready);
		return PAPI_PROGRAM_FAILURE;
	}
	watch(session, process, signals);
	end(session, -1);
	return 0;
}

int papi_profile_session_watch(struct papi_profile_session *session)
{
	/* Opened first: the number cannot pass to another process unnoticed, and descriptors may become scarce. */
	int process = (int)syscall(SYS_pidfd_open, session->pid, 0), signals, status;

	papi_program_block_signals();
	/* Signals are for the one who runs the program, and passes them on: this ends when the program does. */
	signals = session->ready >= 0 ? -1 : signalfd(-1, papi_program_signals(), SFD_CLOEXEC | SFD_NONBLOCK);
	papi_process_raise_descriptor_limit();
	papi_profile_sampler_prepare(&session->sampler, session->events);
	status = watch_attached(session, process, signals);
	release(session);
	if (process >= 0)
		close(process);
	if (signals >= 0)
		close(signals);
	return status;
}
