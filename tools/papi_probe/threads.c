/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - all threads of a process, stopped at places where its code can be changed. */
#include <stdlib.h>
#include <time.h>

#include "papi_probe.h"
#include "symbols/memory.h"

#define MOST     4096
#define ATTEMPTS 100

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

/* A thread that has ended meanwhile is none. */
static enum outcome stop_new(struct probe_session *session, struct stopped *stopped, bool *found)
{
	static pid_t ids[MOST];
	size_t n = papi_remote_threads(&session->remote, ids, MOST);

	*found = false;
	for (size_t i = 0; i < n && stopped->n < MOST; i++) {
		struct papi_remote_thread *thread;

		if (is_stopped(stopped, ids[i]))
			continue;
		thread = papi_remote_stop(&session->remote, ids[i]);
		if (thread) {
			stopped->ids[stopped->n] = ids[i];
			stopped->threads[stopped->n++] = thread;
			*found = true;
		} else if (papi_remote_is_late(&session->remote, ids[i])) {
			probe_fail(session, "thread %d waits in the kernel and does not stop: try again", (int)ids[i]);
			return NOT_NOW;
		}
	}
	if (!stopped->n)
		probe_fail(session, "it has ended, or %s", session->remote.reason);
	return stopped->n ? DONE : NEVER;
}

/* Until none is left that another could have made; and they are at places that do not change. */
static enum outcome stop_all(struct probe_session *session, struct stopped *stopped)
{
	enum outcome outcome = DONE;
	bool found = true;

	while (found && outcome == DONE)
		outcome = stop_new(session, stopped, &found);
	for (size_t i = 0; i < stopped->n && outcome == DONE; i++)
		if (probe_patches_are_at(session, papi_remote_pc(stopped->threads[i]))) {
			probe_fail(session, "a thread is always at the entry of one of the functions: try again");
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
