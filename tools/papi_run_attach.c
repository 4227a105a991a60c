/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_attach.c - virtual events of a process that runs already (-p): the agent is brought into it (src/process/),
 * and then each of its threads is moved over to where it is counted, and back in the end.
 *
 * A thread is stopped for the moment that a question to the agent takes; of those that threads make while they are
 * counted, the engine knows. A thread that cannot be moved, as it waits in the kernel for good, is tried again now and
 * then. A process that executes another program is counted until then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/visit.h"
#include "escape.h"
#include "papi_run.h"
#include "process.h"
#include "process/remote.h"

#define MAX_THREADS   4096
#define BEGIN_LIMIT_S 10
#define TRY_MS        1500 /* for all threads, before it is said that counting has begun; and at the end */
#define REASON        PAPI_REMOTE_REASON

struct thread {
	pid_t id;
	bool counted;
	char reason[REASON]; /* why it is not */
};

static struct attach {
	struct papi_remote remote;
	int socket; /* to the agent; -1: it is gone, or has never come */
	pid_t agent;
	struct thread *threads;
	size_t n_threads;
	bool active;
	double age; /* of the process, when it was counted first */
} attach = { .socket = -1 };

/* ---- the agent ---- */

static void pause_ms(int ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000 * 1000L };

	nanosleep(&time, NULL);
}

static bool send_request(const struct papi_agent_request *request, int descriptor)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	struct iovec data = { (void *)(uintptr_t)request, sizeof(*request) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (descriptor >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(descriptor));
	}
	return sendmsg(attach.socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(*request);
}

/* False: the agent is gone, by the end of the process or by another program in its place. */
static bool ask_with(const struct papi_agent_request *request, struct papi_agent_reply *reply, int descriptor)
{
	if (attach.socket >= 0 && send_request(request, descriptor) &&
		recv(attach.socket, reply, sizeof(*reply), 0) == (ssize_t)sizeof(*reply)) {
		reply->reason[sizeof(reply->reason) - 1] = '\0';
		papi_escape_terminal(reply->reason);
		return true;
	}
	if (attach.socket >= 0)
		close(attach.socket);
	attach.socket = -1;
	return false;
}

static bool ask(enum papi_agent_request_kind kind, struct papi_agent_reply *reply)
{
	const struct papi_agent_request request = { .kind = kind };

	return ask_with(&request, reply, -1);
}

/* The agent's answer may take as long as its process takes to run. */
static bool take_socket(uint64_t address)
{
	const struct timeval limit = { .tv_sec = BEGIN_LIMIT_S };
	struct papi_agent_visit visit;
	int left = BEGIN_LIMIT_S * 1000;

	do {
		if (!papi_remote_read(&attach.remote, address, &visit, sizeof(visit)))
			return papi_remote_fail(&attach.remote, "it has ended, or executed another program");
		if (visit.state == PAPI_AGENT_VISIT_BEGINS && !papi_remote_loaded(&attach.remote, address)) {
			papi_escape_terminal(attach.remote.reason);
			return false;
		}
		if (visit.state == PAPI_AGENT_VISIT_BEGINS)
			pause_ms(1);
	} while (visit.state == PAPI_AGENT_VISIT_BEGINS && left-- > 0);
	if (visit.state == PAPI_AGENT_VISIT_READY)
		attach.socket = (int)syscall(SYS_pidfd_getfd, attach.remote.process, visit.descriptor, 0);
	if (attach.socket < 0)
		return papi_remote_fail(&attach.remote, "the agent in it does not answer%s%s",
			visit.state == PAPI_AGENT_VISIT_READY ? ": " : "",
			visit.state == PAPI_AGENT_VISIT_READY ? strerror(errno) : "");
	setsockopt(attach.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return true;
}

/* ---- threads ---- */

enum moved { MOVED, NOT_NOW, NEVER };

/* reason is that of a thread that is not moved. */
static enum moved move(pid_t id, enum papi_agent_request_kind kind, char *reason)
{
	struct papi_remote_thread *thread = papi_remote_stop(&attach.remote, id);
	struct papi_agent_request request = { .kind = kind };
	const int done = kind == PAPI_AGENT_ENTER ? PAPI_EISRUN : PAPI_ENOTRUN;
	struct papi_agent_reply reply;
	bool asked;

	snprintf(reason, REASON, "%s", attach.remote.reason);
	if (!thread)
		return NOT_NOW;
	if (papi_remote_is_in_sequence(thread) || !papi_remote_get(thread, &request.moved)) {
		snprintf(reason, REASON, "it is at a place where it cannot be moved");
		papi_remote_go(thread);
		return NOT_NOW;
	}
	asked = ask_with(&request, &reply, -1);
	if (asked && reply.status == PAPI_OK)
		return papi_remote_go_with(thread, &reply.moved) ? MOVED : NEVER;
	papi_remote_go(thread);
	if (!asked || reply.status == done)
		return asked ? MOVED : NEVER;
	snprintf(reason, REASON, "%s", reply.reason);
	return reply.status == PAPI_ECNFLCT ? NOT_NOW : NEVER;
}

static struct thread *find(pid_t id)
{
	for (size_t i = 0; i < attach.n_threads; i++)
		if (attach.threads[i].id == id)
			return &attach.threads[i];
	attach.threads = papi_run_allocate(attach.threads, attach.n_threads + 1, sizeof(*attach.threads));
	attach.threads[attach.n_threads] = (struct thread){ .id = id };
	return &attach.threads[attach.n_threads++];
}

/* Threads that have ended are forgotten: another may come to have their number. */
static void forget_ended(const pid_t *ids, size_t n)
{
	for (size_t i = 0; i < attach.n_threads; i++) {
		size_t k = 0;

		while (k < n && ids[k] != attach.threads[i].id)
			k++;
		if (k == n)
			attach.threads[i--] = attach.threads[--attach.n_threads];
	}
}

/* How many are not counted yet. */
static size_t enter_all(void)
{
	static pid_t ids[MAX_THREADS];
	size_t n = papi_remote_threads(&attach.remote, ids, MAX_THREADS), waiting = 0;

	papi_remote_tend(&attach.remote);
	forget_ended(ids, n);
	for (size_t i = 0; i < n && attach.socket >= 0; i++) {
		struct thread *thread = find(ids[i]);

		if (thread->id == attach.agent || thread->counted)
			continue;
		thread->counted = move(thread->id, PAPI_AGENT_ENTER, thread->reason) == MOVED;
		waiting += !thread->counted;
	}
	return waiting;
}

/* Threads that others make meanwhile are found: the list is read again until it has nothing new. */
static void enter_until_steady(void)
{
	long long until = papi_run_now() + TRY_MS * 1000000LL;

	while (enter_all() && attach.socket >= 0 && papi_run_now() < until)
		pause_ms(1);
	while (enter_all() && attach.socket >= 0 && papi_run_now() < until)
		continue;
}

/* How many are left inside. */
static unsigned leave_all(void)
{
	long long until = papi_run_now() + TRY_MS * 1000000LL;
	static pid_t ids[MAX_THREADS];
	struct papi_agent_reply reply;
	char reason[REASON];

	for (;;) {
		size_t n = papi_remote_threads(&attach.remote, ids, MAX_THREADS);

		for (size_t i = 0; i < n && attach.socket >= 0; i++)
			if (ids[i] != attach.agent)
				move(ids[i], PAPI_AGENT_LEAVE, reason);
		/* Threads that have been moved need a moment of their own. */
		for (unsigned i = 0; i < 20; i++) {
			if (!ask(PAPI_AGENT_INSIDE, &reply) || !reply.number)
				return 0;
			pause_ms(1);
		}
		papi_remote_tend(&attach.remote);
		if (papi_run_now() > until)
			return reply.number;
	}
}

/* ---- coming ---- */

static bool bring_agent(const char *path)
{
	const struct papi_agent_visit visit = { .descriptor = -1 };
	uint64_t address = 0;

	return papi_remote_load(&attach.remote, path, PAPI_AGENT_VISIT_FUNCTION, &visit, sizeof(visit), &address) &&
		take_socket(address);
}

static bool begin(int table)
{
	const struct papi_agent_request request = { .kind = PAPI_AGENT_BEGIN };
	struct papi_agent_reply reply;

	for (unsigned tries = 0; tries < 2; tries++) {
		if (!ask_with(&request, &reply, table))
			return papi_remote_fail(&attach.remote, "the agent in it does not answer");
		attach.agent = (pid_t)reply.number;
		if (reply.status == PAPI_OK)
			return true;
		/* A papi_run that was killed has left threads in there, which sleep. */
		if (reply.status != PAPI_EISRUN || leave_all())
			break;
	}
	return papi_remote_fail(&attach.remote, "%s", reply.reason);
}

/* For how long the process has run, in seconds; 0: nobody knows. */
static double age_of(pid_t pid)
{
	char *path = papi_run_format("/proc/%d/stat", (int)pid), text[1024] = "", *rest;
	unsigned long long begun = 0;
	FILE *file = fopen(path, "re");
	struct timespec now;

	free(path);
	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	rest = strrchr(text, ')');
	/* Field 22. */
	for (unsigned i = 0; rest && i < 20; i++)
		rest = strchr(rest + 1, ' ');
	if (rest)
		begun = strtoull(rest, NULL, 10);
	clock_gettime(CLOCK_BOOTTIME, &now);
	return begun ? (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)begun / (double)sysconf(_SC_CLK_TCK)
		     : 0;
}

/* The agent's thread has a name by which another papi_run is told. */
static bool is_visited(void)
{
	static pid_t ids[MAX_THREADS];
	size_t n = papi_remote_threads(&attach.remote, ids, MAX_THREADS);
	bool visited = false;

	for (size_t i = 0; i < n && !visited; i++) {
		char *path = papi_run_format("/proc/%d/task/%d/comm", (int)attach.remote.pid, (int)ids[i]), name[32];
		FILE *file = fopen(path, "re");

		free(path);
		visited = file && fgets(name, sizeof(name), file) && !strcmp(name, PAPI_AGENT_VISIT_THREAD "\n");
		if (file)
			fclose(file);
	}
	return visited &&
		!papi_remote_fail(&attach.remote, "another papi_run counts it by an agent already: one at a time can");
}

bool papi_run_attach_begin(struct run_list *list, struct run_result *result, pid_t pid)
{
	const char *agent = NULL;
	int table;

	if (!papi_run_virtual_wanted(list))
		return false;
	if (!papi_remote_open(&attach.remote, pid)) {
		papi_run_virtual_refuse(list, attach.remote.reason);
		return false;
	}
	table = papi_run_virtual_open(list, result, &agent);
	attach.active = table >= 0 && !is_visited() && bring_agent(agent) && begin(table);
	if (attach.active) {
		attach.age = age_of(pid);
		result->slowed = true;
		enter_until_steady();
	} else if (table >= 0) {
		papi_run_virtual_refuse(list, attach.remote.reason);
		papi_run_attach_end(list, result, 0);
	} else {
		papi_remote_close(&attach.remote);
	}
	return attach.active;
}

/* ---- meanwhile, and going ---- */

void papi_run_attach_look(void)
{
	if (attach.active && attach.socket >= 0)
		enter_all();
}

/* "; not counted: thread 12: it waits in the kernel, ..." */
static char *add_waiting(char *note)
{
	for (size_t i = 0; i < attach.n_threads; i++) {
		const struct thread *thread = &attach.threads[i];
		char *longer;

		if (thread->counted || thread->id == attach.agent)
			continue;
		longer = papi_run_format("%s; thread %d was not counted: %s", note, (int)thread->id, thread->reason);
		free(note);
		note = longer;
	}
	return note;
}

/* An agent that is gone while its process is there: another program has taken its place. */
static void write_note(struct run_result *result, unsigned inside)
{
	bool executed = attach.socket < 0 && !papi_process_ended(attach.remote.pid);
	char *note = papi_run_format("virtual events are counted from %.1f s after the process began%s%s%s%s",
		attach.age, result->watch_note ? "; " : "", result->watch_note ? result->watch_note : "",
		executed ? "; it has executed another program: counted until then" : "",
		inside ? "; some threads could not be brought back yet, and run slower until they wake up" : "");

	free(result->watch_note);
	result->watch_note = add_waiting(note);
}

void papi_run_attach_end(struct run_list *list, struct run_result *result, long long elapsed_ns)
{
	struct papi_agent_reply reply;
	unsigned inside = 0;

	if (attach.socket >= 0 && attach.active)
		inside = leave_all();
	if (attach.socket >= 0)
		ask(PAPI_AGENT_END, &reply);
	if (attach.active)
		write_note(result, inside);
	papi_run_virtual_close(list, attach.active ? result : NULL, elapsed_ns);
	if (attach.socket >= 0)
		close(attach.socket);
	attach.socket = -1;
	papi_remote_close(&attach.remote);
	free(attach.threads);
	attach.threads = NULL;
	attach.n_threads = 0;
	attach.active = false;
}
