/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_watch.c - counting over a process that already runs (-p), until it ends or a signal ends the watch.
 *
 * Every thread gets its own counters, and threads and processes started later inherit them. What makes the sum exact is
 * that it never counts a thread twice or not at all: a thread first seen after the counters were opened may have
 * inherited them or not, and nothing tells which. So the list of threads is read again when all of them are attached;
 * when it has changed, everything is closed and done again. Nothing is counted before the list has stayed the same.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "papi_run.h"

/* A program that starts threads all the time may never hold still; then the last attempt stands, with a note. */
#define ATTEMPTS 20

/* How often to look whether the process is still there, where the kernel cannot tell (before Linux 5.3). */
#define POLL_MILLISECONDS 50

struct threads {
	pid_t *ids;
	size_t number;
};

/* Does this errno of /proc say that the process or thread has gone? Too many open files, for one, say nothing. */
static bool is_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

/* Lists the threads of a process, in the order of /proc. 0, or an errno. */
static int threads_list(struct threads *threads, pid_t pid)
{
	char *path = papi_run_format("/proc/%d/task", (int)pid);
	DIR *directory = opendir(path);
	struct dirent *entry;

	threads->ids = NULL;
	threads->number = 0;
	free(path);
	if (!directory)
		return errno;
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		threads->ids = papi_run_allocate(threads->ids, threads->number + 1, sizeof(*threads->ids));
		threads->ids[threads->number++] = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	closedir(directory);
	return threads->number ? 0 : ESRCH;
}

static bool threads_contain(const struct threads *threads, pid_t id)
{
	for (size_t i = 0; i < threads->number; i++)
		if (threads->ids[i] == id)
			return true;
	return false;
}

/* A thread that has gone needs no counter; only one that came is a reason to begin again. */
static bool threads_came(const struct threads *before, const struct threads *now)
{
	for (size_t i = 0; i < now->number; i++)
		if (!threads_contain(before, now->ids[i]))
			return true;
	return false;
}

/*
 * The letter of the state of a process or thread in /proc (R, S, Z, ...), and the process that it is a thread of.
 * X when there is none, a question mark when that cannot be found out.
 */
char papi_run_process_state(pid_t pid, pid_t *group)
{
	char *path = papi_run_format("/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	int opening = errno;
	char line[256], state = '?';

	free(path);
	if (!file)
		return is_gone(opening) ? 'X' : '?';
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "State:\t", 7) == 0)
			state = line[7];
		else if (strncmp(line, "Tgid:\t", 6) == 0)
			*group = (pid_t)strtol(line + 6, NULL, 10);
	}
	fclose(file);
	return state;
}

/* A process ends with its last thread; its first one may be a zombie long before. */
static bool process_ended(pid_t pid)
{
	struct threads threads;
	pid_t group = pid;
	char state = papi_run_process_state(pid, &group);
	bool ended = state == 'X';

	if (state == 'Z') {
		ended = threads_list(&threads, pid) != 0 || threads.number <= 1;
		free(threads.ids);
	}
	return ended;
}

/* Says what kind of thing is behind the number; 0 when it is a process that runs. */
static int check_process(pid_t pid)
{
	pid_t group = pid;

	if (papi_run_process_state(pid, &group) == 'X') {
		papi_run_message("cannot watch process %d: there is no such process", (int)pid);
		return -1;
	}
	if (group != pid) {
		papi_run_message("cannot watch %d: it is a thread of process %d; give the process, -p %d", (int)pid,
			(int)group, (int)group);
		return -1;
	}
	if (process_ended(pid)) {
		papi_run_message("cannot watch process %d: it has ended already (a zombie)", (int)pid);
		return -1;
	}
	return 0;
}

struct watched {
	struct threads threads;
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

/* PF_EXITING among the flags of /proc/PID/stat: a thread on its way out, which may be long on a machine with much to
 * do. */
#define EXITING 4

/* What /proc/PID/stat says: the flags of a thread, and when it began, by which one is told from the next of that
 * number. */
struct life {
	unsigned flags;
	unsigned long long begun; /* 0: that cannot be found out */
};

static struct life life_of(pid_t id)
{
	char *path = papi_run_format("/proc/%d/stat", (int)id), *line = NULL, *rest;
	struct life life = { 0, 0 };
	FILE *file = fopen(path, "re");
	size_t room = 0;

	free(path);
	if (!file)
		return life;
	/* The name of a thread may hold anything, parentheses and newlines, too. */
	if (getdelim(&line, &room, '\0', file) > 0 && (rest = strrchr(line, ')')))
		/* Field 3, then 9, then 22. NOLINTNEXTLINE(cert-err34-c): 0 where it is not */
		(void)sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			&life.flags, &life.begun);
	free(line);
	fclose(file);
	return life;
}

/*
 * Has the thread ended that was there before? One on its way out is refused like one that is gone, but stays listed for
 * a moment; and of one that is gone another may have the number.
 */
static bool thread_ended(pid_t id, struct life before)
{
	struct life now = life_of(id);
	pid_t group;

	return (now.flags & EXITING) || (now.begun && now.begun != before.begun) ||
		strchr("XZ", papi_run_process_state(id, &group));
}

/*
 * Attaches to one thread, or starts what is attached. Whatever fails because the thread has ended meanwhile is no
 * failure of the events: they go on without that thread.
 */
static void watch_thread(struct run_counters *counters, struct run_list *list, pid_t id,
	void (*step)(struct run_counters *counters, struct run_list *list, pid_t id))
{
	size_t before = papi_run_events_counted(list);
	struct life life = life_of(id);
	bool *failed = papi_run_allocate(NULL, list->number + 1, sizeof(*failed));

	for (size_t i = 0; i < list->number; i++)
		failed[i] = list->events[i].error != NULL;
	step(counters, list, id);
	if (papi_run_events_counted(list) != before && thread_ended(id, life)) {
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
	struct threads now = { NULL, 0 };
	bool steady;
	int error;

	error = threads_list(&watched->threads, pid);
	watched->counters = papi_run_allocate(NULL, watched->threads.number + 1, sizeof(*watched->counters));
	memset(watched->counters, 0, (watched->threads.number + 1) * sizeof(*watched->counters));
	for (size_t i = 0; i < watched->threads.number; i++)
		watch_thread(&watched->counters[i], list, watched->threads.ids[i], papi_run_counters_open);
	if (!error)
		error = threads_list(&now, pid);
	/* Of a process that has gone there is no more to come; what cannot be looked at is not steady. */
	steady = error ? is_gone(error) : !threads_came(&watched->threads, &now);
	free(now.ids);
	return steady;
}

/* Until the process ends or a signal comes. */
static void watch_wait(pid_t pid, int process, int signals)
{
	/* Where process is -1, poll leaves it out and wakes up by the clock. */
	struct pollfd files[] = { { .fd = signals, .events = POLLIN }, { .fd = process, .events = POLLIN } };

	for (;;) {
		int ready = poll(files, 2, process < 0 ? POLL_MILLISECONDS : -1);

		if (ready > 0 || (ready < 0 && errno != EINTR))
			return;
		if (process < 0 && process_ended(pid))
			return;
	}
}

/* The command line of a process, as far as it can be read; otherwise its number stands for it. */
static char **process_command(pid_t pid)
{
	char *path = papi_run_format("/proc/%d/cmdline", (int)pid);
	FILE *file = fopen(path, "re");
	char **command = papi_run_allocate(NULL, 2, sizeof(*command));
	char *word = NULL;
	size_t room = 0, number = 0;

	free(path);
	while (file && getdelim(&word, &room, '\0', file) > 0) {
		command = papi_run_allocate(command, number + 2, sizeof(*command));
		command[number++] = papi_run_format("%s", word);
	}
	free(word);
	if (file)
		fclose(file);
	if (number == 0)
		command[number++] = papi_run_format("process %d", (int)pid);
	command[number] = NULL;
	return command;
}

/* A descriptor for every event of every thread is easily more than the soft limit; no program inherits the new one. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
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
static void watch_count(
	struct watched *watched, struct run_list *list, struct run_result *result, int process, int signals)
{
	long long started;

	for (size_t i = 0; i < watched->threads.number; i++)
		watch_thread(&watched->counters[i], list, watched->threads.ids[i], start);
	started = papi_run_now();
	if (papi_run_events_counted(list) > 0)
		watch_wait(result->watched, process, signals);
	result->elapsed_ns[0] = papi_run_now() - started;
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
	else if (process_ended(pid))
		reason = "it ended while papi_run attached to it";
	else if (list->events[0].error)
		reason = list->events[0].error;
	papi_run_message("cannot watch process %d: %s", (int)pid, reason);
	return RUN_EXIT_FAILURE;
}

static int watch(struct run_list *list, struct run_result *result, pid_t pid, int process, int signals)
{
	struct watched watched;
	bool attached;

	memset(&watched, 0, sizeof(watched));
	if (check_process(pid) != 0)
		return RUN_EXIT_FAILURE;
	result->watched = pid;
	result->command = process_command(pid);
	papi_run_reserve(list, result);
	watch_settle(&watched, list, result, pid);
	attached = watch_attached(&watched) > 0;
	if (attached)
		watch_count(&watched, list, result, process, signals);
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
	int signals = signalfd(-1, papi_run_signals_waited(), SFD_CLOEXEC);
	int status = RUN_EXIT_FAILURE;

	raise_descriptor_limit();
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
