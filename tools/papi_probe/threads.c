/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.c - all threads of a process, stopped at places where its code can be changed.
 *
 * Nobody may be in the middle of what is changed, or come back there. A thread whose child by vfork() or posix_spawn()
 * still has the memory does not stop: it waits for it in the kernel.
 */
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "papi_probe.h"
#include "symbols/memory.h"

#define MOST     4096
#define ATTEMPTS 100
#define HANDLERS 16 /* of signals, that have interrupted each other */

struct stopped {
	struct papi_remote_thread *threads[MOST];
	pid_t ids[MOST];
	size_t n;
};

static bool is_stopped(const struct stopped *stopped, pid_t id)
{
	for (size_t i = 0; i < stopped->n; i++)
		if (stopped->ids[i] == id)
			return true;
	return false;
}

enum outcome { DONE, NOT_NOW, NEVER };

/* A thread that could not be stopped: it has ended, waits in the kernel, or another traces it. */
static enum outcome judge(struct probe_session *session, pid_t id)
{
	if (papi_remote_has_ended(&session->remote, id))
		return DONE;
	probe_fail(session, "thread %d: %s%s", (int)id, session->remote.reason,
		session->remote.executed ? "" : ": try again");
	return session->remote.executed ? NEVER : NOT_NOW;
}

static enum outcome stop_new(struct probe_session *session, struct stopped *stopped, bool *found)
{
	static pid_t ids[MOST];
	size_t n = papi_remote_threads(&session->remote, ids, MOST);
	enum outcome outcome = DONE;

	*found = false;
	for (size_t i = 0; i < n && outcome == DONE; i++) {
		struct papi_remote_thread *thread;

		if (is_stopped(stopped, ids[i]))
			continue;
		thread = stopped->n < MOST ? papi_remote_stop(&session->remote, ids[i]) : NULL;
		if (thread) {
			stopped->ids[stopped->n] = ids[i];
			stopped->threads[stopped->n++] = thread;
			*found = true;
		} else {
			outcome = judge(session, ids[i]);
		}
	}
	if (n < MOST && (outcome != DONE || stopped->n))
		return outcome;
	probe_fail(session, n == MOST ? "it has too many threads" : "it has ended");
	return NEVER;
}

/* In the middle of what is changed, or interrupted there by a signal whose handler runs. */
static bool is_in_the_way(const struct probe_session *session, const struct papi_remote_thread *thread)
{
	uint64_t pcs[HANDLERS];
	size_t n = papi_remote_interrupted(&session->remote, thread, pcs, HANDLERS);

	for (size_t i = 0; i < n; i++)
		if (probe_patches_are_at(session, pcs[i]))
			return true;
	return probe_patches_are_at(session, papi_remote_pc(thread));
}

/* Whether a child of the thread runs in the same memory, made by clone(). */
static bool has_child_inside(const struct probe_session *session, pid_t thread)
{
	char path[64], *list = NULL, *at, *end;
	bool inside = false;
	size_t room = 0;
	FILE *file;
	long child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)session->pid, (int)thread);
	file = fopen(path, "re");
	if (file && getline(&list, &room, file) > 0)
		for (at = list; !inside && (child = strtol(at, &end, 10)) > 0; at = end)
			inside = syscall(SYS_kcmp, session->pid, child, KCMP_VM, 0, 0) == 0;
	free(list);
	if (file)
		fclose(file);
	return inside;
}

/* Until none is left that another could have made; and they are at places that do not change. */
static enum outcome stop_all(struct probe_session *session, struct stopped *stopped)
{
	enum outcome outcome = DONE;
	bool found = true;

	while (found && outcome == DONE)
		outcome = stop_new(session, stopped, &found);
	for (size_t i = 0; i < stopped->n && outcome == DONE; i++) {
		if (is_in_the_way(session, stopped->threads[i]))
			probe_fail(session, "a thread is always at the entry of one of the functions: try again");
		else if (has_child_inside(session, stopped->ids[i]))
			probe_fail(session, "a child of it runs in the same memory: try again when that has ended");
		else
			continue;
		outcome = NOT_NOW;
	}
	return outcome;
}

static void let_go(struct stopped *stopped)
{
	for (size_t i = 0; i < stopped->n; i++)
		papi_remote_go(stopped->threads[i]);
	stopped->n = 0;
}

bool probe_threads_stopped(struct probe_session *session, void (*function)(struct probe_session *session))
{
	const struct timespec pause = { .tv_nsec = 5 * 1000 * 1000L };
	struct stopped *stopped = papi_memory_zero(1, sizeof(*stopped));
	enum outcome outcome = NOT_NOW;

	for (unsigned i = 0; outcome == NOT_NOW && i < ATTEMPTS; i++) {
		outcome = stop_all(session, stopped);
		if (outcome == DONE)
			function(session);
		let_go(stopped);
		if (outcome == NOT_NOW)
			nanosleep(&pause, NULL);
		papi_remote_tend(&session->remote);
	}
	free(stopped);
	return outcome == DONE;
}
