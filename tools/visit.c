/* SPDX-License-Identifier: BSD-3-Clause */
#include "visit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/visit.h"
#include "escape.h"
#include "papi.h"
#include "process.h"
#include "process/remote.h"

#define BEGIN_LIMIT_S 10
#define TRY_MS        1500  /* for all threads, before it is said that counting has begun; and at the end ... */
#define LEAVE_MS      30000 /* ... but this as long as there is one that is expected to leave: ... */
#define ASLEEP        20    /* ... it has not been found asleep so often ... */
#define RAN_MS        1000  /* ... and has not had a processor for so long */
#define END_MS        10000 /* for the agent to be gone */
#define NOTICE_MS     2000  /* for the agent of a tool that was killed, to notice that ... */
#define RETREAT_MS    20000 /* ... and to end */
#define MAX_THREADS   4096
#define REASON        PAPI_REMOTE_REASON

struct thread {
	pid_t id;
	bool counted;
	char reason[REASON]; /* why it is not */
	struct {
		bool begun;
		long long ran; /* by then, as papi_remote_ran() has it */
		unsigned asleep;
	} leaves;
};

static struct {
	struct papi_remote remote;
	int socket; /* to the agent; -1: it is gone, or has never come */
	pid_t agent;
	struct thread *threads; /* MAX_THREADS */
	size_t n_threads;
	double age; /* of the process, when it was counted first */
} visited = { .socket = -1 };

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
	return sendmsg(visited.socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(*request);
}

/* False: the agent is gone, by the end of the process or by another program in its place. */
static bool ask_with(const struct papi_agent_request *request, struct papi_agent_reply *reply, int descriptor)
{
	if (visited.socket >= 0 && send_request(request, descriptor) &&
		recv(visited.socket, reply, sizeof(*reply), 0) == (ssize_t)sizeof(*reply)) {
		reply->reason[sizeof(reply->reason) - 1] = '\0';
		papi_escape_terminal(reply->reason);
		return true;
	}
	if (visited.socket >= 0)
		close(visited.socket);
	visited.socket = -1;
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
		if (!papi_remote_read(&visited.remote, address, &visit, sizeof(visit)))
			return papi_remote_fail(&visited.remote, "it has ended, or executed another program");
		if (visit.state == PAPI_AGENT_VISIT_BEGINS && !papi_remote_loaded(&visited.remote, address)) {
			papi_escape_terminal(visited.remote.reason);
			return false;
		}
		if (visit.state == PAPI_AGENT_VISIT_BEGINS)
			pause_ms(1);
	} while (visit.state == PAPI_AGENT_VISIT_BEGINS && left-- > 0);
	if (visit.state == PAPI_AGENT_VISIT_READY)
		visited.socket = (int)syscall(SYS_pidfd_getfd, visited.remote.process, visit.descriptor, 0);
	if (visited.socket < 0)
		return papi_remote_fail(&visited.remote, "the agent in it does not answer%s%s",
			visit.state == PAPI_AGENT_VISIT_READY ? ": " : "",
			visit.state == PAPI_AGENT_VISIT_READY ? strerror(errno) : "");
	setsockopt(visited.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return true;
}

/* ---- threads ---- */

enum moved { IS_THERE, MOVED, NOT_NOW, NEVER };

/* reason is that of a thread that is not moved. */
static enum moved move(pid_t id, enum papi_agent_request_kind kind, char *reason)
{
	struct papi_remote_thread *thread = papi_remote_stop(&visited.remote, id);
	struct papi_agent_request request = { .kind = kind };
	const int done = kind == PAPI_AGENT_ENTER ? PAPI_EISRUN : PAPI_ENOTRUN;
	struct papi_agent_reply reply;
	bool asked;

	snprintf(reason, REASON, "%s", visited.remote.reason);
	if (!thread)
		return NOT_NOW;
	papi_remote_fail(&visited.remote, "it is at a place where it cannot be moved");
	if (papi_remote_is_in_sequence(thread) || !papi_remote_get(thread, &request.moved)) {
		snprintf(reason, REASON, "%s", visited.remote.reason);
		papi_remote_go(thread);
		return NOT_NOW;
	}
	asked = ask_with(&request, &reply, -1);
	if (asked && reply.status == PAPI_OK)
		return papi_remote_go_with(thread, &reply.moved) ? MOVED : NEVER;
	papi_remote_go(thread);
	if (!asked || reply.status == done)
		return asked ? IS_THERE : NEVER;
	snprintf(reason, REASON, "%s", reply.reason);
	return reply.status == PAPI_ECNFLCT ? NOT_NOW : NEVER;
}

/* NULL: there are so many that this one is left alone. */
static struct thread *find(pid_t id)
{
	for (size_t i = 0; i < visited.n_threads; i++)
		if (visited.threads[i].id == id)
			return &visited.threads[i];
	if (visited.n_threads == MAX_THREADS)
		return NULL;
	visited.threads[visited.n_threads] = (struct thread){ .id = id };
	return &visited.threads[visited.n_threads++];
}

/* Threads that have ended are forgotten: another may come to have their number. */
static void forget_ended(const pid_t *ids, size_t n)
{
	for (size_t i = 0; i < visited.n_threads; i++) {
		size_t k = 0;

		while (k < n && ids[k] != visited.threads[i].id)
			k++;
		if (k == n)
			visited.threads[i--] = visited.threads[--visited.n_threads];
	}
}

/* How many are not counted yet. */
static size_t enter_all(void)
{
	static pid_t ids[MAX_THREADS];
	size_t n = papi_remote_threads(&visited.remote, ids, MAX_THREADS), waiting = 0;

	papi_remote_tend(&visited.remote);
	forget_ended(ids, n);
	for (size_t i = 0; i < n && visited.socket >= 0; i++) {
		struct thread *thread = find(ids[i]);

		if (!thread || thread->id == visited.agent || thread->counted)
			continue;
		thread->counted = move(thread->id, PAPI_AGENT_ENTER, thread->reason) <= MOVED;
		waiting += !thread->counted;
	}
	return waiting;
}

/* Threads that others make meanwhile are found: the list is read again until it has nothing new. */
static void enter_until_steady(void)
{
	long long until = papi_remote_now_ms() + TRY_MS;

	while (enter_all() && visited.socket >= 0 && papi_remote_now_ms() < until)
		pause_ms(1);
	while (enter_all() && visited.socket >= 0 && papi_remote_now_ms() < until)
		continue;
}

/* ---- and back ---- */

/* What a thread that has not left yet waits for, if it is to be waited for in turn. In the kernel for what is not known
 * here, or for a processor: where there is much else to do that takes as long as it takes. */
static const char *awaits(struct thread *thread)
{
	char state = papi_remote_state(&visited.remote, thread->id);
	long long ran = papi_remote_ran(&visited.remote, thread->id);

	if (!thread->leaves.begun)
		thread->leaves.ran = ran;
	thread->leaves.begun = true;
	if (papi_remote_is_ready(state))
		return ran - thread->leaves.ran < RAN_MS ? "which waits for a processor" : NULL;
	if (state == 'D')
		return "which waits in the kernel";
	return thread->leaves.asleep++ < ASLEEP ? "which sleeps" : NULL;
}

/* All threads that can at this moment. Whether some will, and the user is told of one of them. */
static bool leave_now(struct papi_remote_wait *wait)
{
	static pid_t ids[MAX_THREADS];
	size_t n = papi_remote_threads(&visited.remote, ids, MAX_THREADS);
	char reason[REASON];
	bool some = false;

	forget_ended(ids, n);
	for (size_t i = 0; i < n && visited.socket >= 0; i++) {
		struct thread *thread = find(ids[i]);
		const char *what = thread && ids[i] != visited.agent ? awaits(thread) : NULL;

		if (ids[i] == visited.agent || move(ids[i], PAPI_AGENT_LEAVE, reason) == IS_THERE || !what)
			continue;
		some = true;
		papi_remote_tell(&visited.remote, wait, "waiting until thread %d, %s, can go on without being counted",
			(int)ids[i], what);
	}
	return some;
}

/* Threads that have been moved need a moment of their own. */
static unsigned left_inside(void)
{
	struct papi_agent_reply reply;

	for (unsigned i = 0; i < 20; i++) {
		if (!ask(PAPI_AGENT_INSIDE, &reply) || !reply.number)
			return 0;
		pause_ms(1);
	}
	return reply.number;
}

/* How many are left inside. Threads that run are in the engine most of the time, where they cannot be moved: what is
 * not out soon is asked to leave by itself. */
static unsigned leave_all(void)
{
	const long long begun = papi_remote_now_ms();
	struct papi_remote_wait wait = { 0 };
	struct papi_agent_reply reply;
	unsigned inside, rounds = 0;
	bool some;

	for (size_t i = 0; i < visited.n_threads; i++)
		memset(&visited.threads[i].leaves, 0, sizeof(visited.threads[i].leaves));
	do {
		some = leave_now(&wait);
		inside = left_inside();
		if (inside && rounds++ == 1)
			ask(PAPI_AGENT_RETREAT, &reply);
		papi_remote_tend(&visited.remote);
	} while (inside && papi_remote_now_ms() < begun + (some ? LEAVE_MS : TRY_MS));
	return inside;
}

/* ---- coming ---- */

static bool bring_agent(const char *path)
{
	const struct papi_agent_visit visit = { .descriptor = -1 };
	uint64_t address = 0;

	return papi_remote_load(&visited.remote, path, PAPI_AGENT_VISIT_FUNCTION, &visit, sizeof(visit), &address) &&
		take_socket(address);
}

static bool begin(int table)
{
	const struct papi_agent_request request = { .kind = PAPI_AGENT_BEGIN, .process = visited.remote.pid };
	struct papi_agent_reply reply;

	for (unsigned tries = 0; tries < 2; tries++) {
		if (!ask_with(&request, &reply, table))
			return papi_remote_fail(&visited.remote, "the agent in it does not answer");
		visited.agent = papi_process_thread_here(visited.remote.pid, (pid_t)reply.number);
		if (reply.status == PAPI_OK)
			return true;
		/* A papi_run that was killed has left threads in there, which sleep. */
		if (reply.status != PAPI_EISRUN || leave_all())
			break;
	}
	return papi_remote_fail(&visited.remote, "%s", reply.reason);
}

/* For how long the process has run, in seconds; 0: nobody knows. */
static double age_of(pid_t pid)
{
	char path[64], text[1024] = "", *rest;
	unsigned long long begun = 0;
	struct timespec uptime;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
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
	clock_gettime(CLOCK_BOOTTIME, &uptime);
	return begun
		? (double)uptime.tv_sec + (double)uptime.tv_nsec / 1e9 - (double)begun / (double)sysconf(_SC_CLK_TCK)
		: 0;
}

/* The agent's thread has a name by which another tool is told: whether it has that one. */
static bool has_agent(const char *wanted)
{
	static pid_t ids[MAX_THREADS];
	size_t n = papi_remote_threads(&visited.remote, ids, MAX_THREADS);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		char path[64], name[32];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)visited.remote.pid, (int)ids[i]);
		file = fopen(path, "re");
		found = file && fgets(name, sizeof(name), file) && !strncmp(name, wanted, strlen(wanted)) &&
			!strcmp(name + strlen(wanted), "\n");
		if (file)
			fclose(file);
	}
	return found;
}

/* After a tool that was killed its agent brings the threads out by itself, and then ends. */
static bool is_visited(void)
{
	struct papi_remote_wait wait = { 0 };
	long long begun = papi_remote_now_ms();
	bool visited_now, ends;

	do {
		visited_now = has_agent(PAPI_AGENT_VISIT_THREAD);
		ends = has_agent(PAPI_AGENT_VISIT_ENDS);
		if (ends)
			papi_remote_tell(
				&visited.remote, &wait, "waiting until the agent of a tool before has left it");
		if (visited_now || ends)
			pause_ms(10);
	} while ((visited_now || ends) && papi_remote_now_ms() - begun < (ends ? RETREAT_MS : NOTICE_MS));
	return (visited_now || ends) &&
		!papi_remote_fail(&visited.remote,
			"another tool, papi_run or perfometer, counts it by an agent already: one at a time can");
}

/* The agent's thread has a few things to give back, and a processor to wait for. */
static void see_agent_off(void)
{
	const long long until = papi_remote_now_ms() + END_MS;
	struct papi_remote_wait wait = { 0 };

	while (visited.agent && !papi_remote_has_ended(&visited.remote, visited.agent) &&
		papi_remote_now_ms() < until) {
		papi_remote_tell(&visited.remote, &wait, "waiting until the agent has left it");
		pause_ms(1);
	}
}

/* All is given back but what the process is known by. */
static void go(void)
{
	struct papi_agent_reply reply;
	bool ends = visited.socket >= 0 && ask(PAPI_AGENT_END, &reply);

	if (visited.socket >= 0)
		close(visited.socket);
	if (ends)
		see_agent_off();
	visited.socket = -1;
	free(visited.threads);
	visited.threads = NULL;
	visited.n_threads = 0;
}

bool papi_visit_open(pid_t pid, void (*say)(const char *format, ...), const char **reason)
{
	*reason = visited.remote.reason;
	if (!papi_remote_open(&visited.remote, pid))
		return false;
	visited.remote.say = say;
	return true;
}

void papi_visit_close(void)
{
	papi_remote_close(&visited.remote);
}

bool papi_visit_begin(int table, const char *agent, const char **reason)
{
	*reason = visited.remote.reason;
	visited.threads = calloc(MAX_THREADS, sizeof(*visited.threads));
	if (!visited.threads)
		papi_remote_fail(&visited.remote, "there is no memory for what is known of its threads");
	if (visited.threads && !is_visited() && bring_agent(agent) && begin(table)) {
		visited.age = age_of(visited.remote.pid);
		enter_until_steady();
		return true;
	}
	go();
	return false;
}

/* ---- meanwhile, and going ---- */

void papi_visit_look(void)
{
	if (visited.socket >= 0)
		enter_all();
	else
		papi_remote_tend(&visited.remote);
}

pid_t papi_visit_thread(pid_t there)
{
	return papi_process_thread_here(visited.remote.pid, there);
}

/* "; thread 12 was not counted: it waits in the kernel, ..." */
static void add_waiting(FILE *out)
{
	for (size_t i = 0; i < visited.n_threads; i++) {
		const struct thread *thread = &visited.threads[i];

		if (!thread->counted && thread->id != visited.agent)
			fprintf(out, "; thread %d was not counted: %s", (int)thread->id, thread->reason);
	}
}

/* An agent that is gone while its process is there: another program has taken its place. */
static char *make_note(unsigned inside, const char *more)
{
	bool executed = visited.socket < 0 && !papi_process_ended(visited.remote.pid);
	char *note = NULL;
	size_t length;
	FILE *out = open_memstream(&note, &length);

	if (!out)
		return NULL;
	fprintf(out, "virtual events are counted from %.1f s after the process began%s%s%s%s", visited.age,
		more ? "; " : "", more ? more : "",
		executed ? "; it has executed another program: counted until then" : "",
		inside ? "; some threads could not be brought back yet, and run slower until they wake up" : "");
	add_waiting(out);
	return fclose(out) == 0 ? note : NULL;
}

char *papi_visit_end(const char *more)
{
	unsigned inside = visited.socket >= 0 ? leave_all() : 0;
	char *note = make_note(inside, more);

	go();
	return note;
}
