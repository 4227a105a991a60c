/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_watch.c - counting over a process that already runs (-p), until it ends or a signal ends the watch.
 *
 * Every thread gets its own counters, and threads and processes started later inherit them. What makes the sum exact is
 * that it never counts a thread twice or not at all: a thread first seen after the counters were opened may have
 * inherited them or not, and nothing tells which. So the list of threads is read again when all of them are attached;
 * when it has changed, everything is closed and done again. Nothing is counted before the list has stayed the same.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "papi_run.h"
#include "process.h"
#include "program.h"

/* A program that starts threads all the time may never hold still; then the last attempt stands, with a note. */
#define ATTEMPTS 20

/* How often to look whether the process is still there, where the kernel cannot tell (before Linux 5.3). */
#define POLL_MILLISECONDS 50
/* And for threads that could not be counted virtually before. */
#define LOOK_MILLISECONDS 100

struct watched {
	struct papi_process_threads threads;
	struct run_counters *counters; /* one for each thread */
};

static void watch_close(struct watched *watched)
{
	for (size_t i = 0; i < watched->threads.number; i++)
		papi_run_counters_close(&watched->counters[i]);
	free(watched->counters);
	free(watched->threads.ids);
	memset(watched, 0, sizeof(*watched));
}

/*
 * Attaches to one thread, or starts what is attached. Whatever fails because the thread has ended meanwhile is no
 * failure of the events: they go on without that thread.
 */
static void watch_thread(struct run_counters *counters, struct run_list *list, pid_t id,
	void (*step)(struct run_counters *counters, struct run_list *list, pid_t id))
{
	size_t before = papi_run_events_counted(list);
	struct papi_process_life life = papi_process_life(id);
	bool *failed = papi_run_allocate(NULL, list->number + 1, sizeof(*failed));

	for (size_t i = 0; i < list->number; i++)
		failed[i] = list->events[i].error != NULL;
	step(counters, list, id);
	if (papi_run_events_counted(list) != before && papi_process_thread_ended(id, life)) {
		for (size_t i = 0; i < list->number; i++) {
			if (failed[i])
				continue;
			free(list->events[i].error);
			list->events[i].error = NULL;
		}
		papi_run_counters_close(counters);
	}
	free(failed);
}

static void start(struct run_counters *counters, struct run_list *list, pid_t id)
{
	(void)id;
	papi_run_counters_start(counters, list);
}

/* One attempt: attaches to every thread, then looks again. True when none has come meanwhile. */
static bool watch_open(struct watched *watched, struct run_list *list, pid_t pid)
{
	struct papi_process_threads now = { NULL, 0 };
	bool steady;
	int error;

	error = papi_process_threads(&watched->threads, pid);
	watched->counters = papi_run_allocate(NULL, watched->threads.number + 1, sizeof(*watched->counters));
	memset(watched->counters, 0, (watched->threads.number + 1) * sizeof(*watched->counters));
	for (size_t i = 0; i < watched->threads.number; i++)
		watch_thread(&watched->counters[i], list, watched->threads.ids[i], papi_run_counters_open);
	if (!error)
		error = papi_process_threads(&now, pid);
	/* Of a process that has gone there is no more to come; what cannot be looked at is not steady. */
	steady = error ? papi_process_is_gone(error) : !papi_process_threads_came(&watched->threads, &now);
	free(now.ids);
	return steady;
}

/* For how many milliseconds nothing is to be done; -1: for ever. */
static int idle_ms(bool polls, bool virtually)
{
	long long wait = papi_run_meanwhile_wait();
	int idle = polls ? POLL_MILLISECONDS : virtually ? LOOK_MILLISECONDS : -1;

	wait = wait < 0 ? wait : (wait + 999999) / 1000000;
	return wait >= 0 && (idle < 0 || wait < idle) ? (int)wait : idle;
}

/* Until the process ends or a signal comes. */
static void watch_wait(struct watched *watched, const struct run_list *list, const struct run_result *result,
	int process, int signals, bool virtually)
{
	/* Where process is -1, poll leaves it out and wakes up by the clock. */
	struct pollfd files[] = { { .fd = signals, .events = POLLIN }, { .fd = process, .events = POLLIN } };

	for (;;) {
		int ready = poll(files, 2, idle_ms(process < 0, virtually));

		if (ready > 0 || (ready < 0 && errno != EINTR))
			return;
		if (process < 0 && papi_process_ended(result->watched))
			return;
		if (virtually)
			papi_run_attach_look();
		papi_run_meanwhile(list, result, watched->counters, watched->threads.number);
	}
}

/* Attaches to all threads, again until they hold still. */
static void watch_settle(struct watched *watched, struct run_list *list, struct run_result *result, pid_t pid)
{
	for (int attempt = 1; !watch_open(watched, list, pid); attempt++) {
		if (attempt == ATTEMPTS) {
			result->watch_note = papi_run_format(
				"threads came and went while papi_run attached to them: some may not be counted");
			return;
		}
		watch_close(watched);
		papi_run_events_forgive(list);
	}
}

/* Counts from now to the end of the watch. */
static void watch_count(struct watched *watched, struct run_list *list, struct run_result *result, int process,
	int signals, long long virtually)
{
	long long started;

	for (size_t i = 0; i < watched->threads.number; i++)
		watch_thread(&watched->counters[i], list, watched->threads.ids[i], start);
	started = papi_run_now();
	papi_run_intervals_begin(list, virtually ? virtually : started);
	if (papi_run_events_counted(list) > 0)
		watch_wait(watched, list, result, process, signals, virtually);
	result->elapsed_ns[0] = papi_run_now() - (virtually ? virtually : started);
	if (virtually)
		papi_run_attach_end(list, result, result->elapsed_ns[0]);
	for (size_t i = 0; i < watched->threads.number; i++)
		papi_run_counters_stop(&watched->counters[i], list, 0);
}

/* How many EventSets of all threads there are. */
static size_t watch_attached(const struct watched *watched)
{
	size_t attached = 0;

	for (size_t i = 0; i < watched->threads.number; i++)
		attached += watched->counters[i].number;
	return attached;
}

/* Says why nothing was counted. Where no event was refused, there was no thread to count. */
static int nothing_counted(const struct run_list *list, pid_t pid)
{
	const char *reason = "its threads cannot be listed";

	if (list->number == 0)
		reason = "there is no event to count";
	else if (papi_process_ended(pid))
		reason = "it ended while papi_run attached to it";
	else if (list->events[0].error)
		reason = list->events[0].error;
	papi_run_message("cannot watch process %d: %s", (int)pid, reason);
	return PAPI_PROGRAM_FAILURE;
}

static int watch(struct run_list *list, struct run_result *result, pid_t pid, int process, int signals)
{
	char reason[PAPI_HUGE_STR_LEN];
	struct watched watched;
	long long virtually; /* since when; 0: not */
	bool attached;

	memset(&watched, 0, sizeof(watched));
	if (papi_process_is_unfit(pid, reason, sizeof(reason))) {
		papi_run_message("%s", reason);
		return PAPI_PROGRAM_FAILURE;
	}
	result->watched = pid;
	result->command = papi_process_command(pid);
	if (!result->command)
		exit(PAPI_PROGRAM_FAILURE);
	papi_run_reserve(list, result);
	virtually = papi_run_now();
	if (!papi_run_attach_begin(list, result, pid))
		virtually = 0;
	watch_settle(&watched, list, result, pid);
	attached = virtually || watch_attached(&watched) > 0;
	if (attached)
		watch_count(&watched, list, result, process, signals, virtually);
	watch_close(&watched);
	if (papi_run_events_counted(list) == 0 || !attached)
		return nothing_counted(list, pid);
	result->runs = 1;
	return 0;
}

/* Watches a process to its end or until a signal comes. 0, or after a message the status with which to give up. */
int papi_run_watch(struct run_list *list, struct run_result *result, pid_t pid)
{
	/* Opened first: the number cannot pass to another process unnoticed, and descriptors may become scarce. */
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int signals = signalfd(-1, papi_program_signals(), SFD_CLOEXEC);
	int status = PAPI_PROGRAM_FAILURE;

	papi_process_raise_descriptor_limit();
	if (signals >= 0)
		status = watch(list, result, pid, process, signals);
	else
		papi_run_message("cannot wait for signals: %s", strerror(errno));
	if (signals >= 0)
		close(signals);
	if (process >= 0)
		close(process);
	return status;
}
