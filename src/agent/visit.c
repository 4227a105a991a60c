/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * visit.c - the agent in a process that runs already (visit.h): a thread of its own, which moves the program's threads
 * over while the tool has stopped them, one at a time.
 *
 * While one is stopped nothing here may wait for what it may hold, the locks of malloc() and stdio among it: so
 * requests are served with what was made ready before. The library stays mapped when the visit is over, for somebody
 * may have an address of it; the table does not.
 */
#include "agent/visit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/process.h"
#include "agent/table.h"
#include "papi.h"

#define FIRST_LIMIT_MS 10000 /* for the tool's first request */
#define RETREAT_MS     1000  /* for threads that run, to go native when the tool is gone */

bool papi_agent_visits;

struct connection {
	int own, other; /* other: the tool's, until it has taken it */
	ino_t inode;    /* of own: a program that closes everything may have the number for something else by now */
	bool over;
};

static bool is_ours(const struct connection *connection)
{
	struct stat status;

	return fstat(connection->own, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == connection->inode;
}

/* ---- begin and end ---- */

static void finish(void)
{
	struct papi_agent_process *entry = papi_agent_own.entry;

	papi_agent_end();
	papi_agent_own.entry = NULL;
	if (entry && !atomic_load(&entry->losses))
		papi_agent_entry_free(entry);
	munmap(papi_agent_table, sizeof(*papi_agent_table));
	papi_agent_table = NULL;
	papi_agent_visits = false;
}

static int refuse(struct papi_agent_reply *reply, int status, const char *reason)
{
	papi_agent_text_copy(reply->reason, sizeof(reply->reason), reason);
	reply->status = status;
	return status;
}

/* Where a visit before has left threads behind, they are to be brought out first. */
static bool is_free(struct papi_agent_reply *reply)
{
	if (!papi_agent_table)
		return true;
	if (!papi_agent_visits)
		return refuse(reply, PAPI_EINVAL, "papi_run or perfometer has started it, and counts it alone"), false;
	if (papi_agent_inside())
		return refuse(reply, PAPI_EISRUN, "threads of it are still in an agent that was left behind"), false;
	finish();
	return true;
}

static int map_table(int descriptor)
{
	struct papi_agent_table *table = mmap(
		NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);

	close(descriptor);
	if (table == MAP_FAILED)
		return -1;
	if (table->magic != PAPI_AGENT_MAGIC) {
		munmap(table, sizeof(*table));
		return -1;
	}
	papi_agent_table = table;
	return 0;
}

static void begin(const struct papi_agent_request *request, struct papi_agent_reply *reply, int descriptor)
{
	int status = PAPI_ESYS;

	reply->number = (uint32_t)syscall(SYS_gettid);
	if (!is_free(reply)) {
		if (descriptor >= 0)
			close(descriptor);
		return;
	}
	if (descriptor < 0 || map_table(descriptor) != 0) {
		refuse(reply, PAPI_ESYS, "the tool's table cannot be mapped there");
		return;
	}
	papi_agent_visits = true;
	if (papi_agent_process_begin(
		    papi_agent_entry_take(PAPI_AGENT_COUNTED, request->process, program_invocation_short_name)))
		status = papi_agent_process_lend(&papi_agent_table->plan);
	atomic_store(&papi_agent_table->arrived, 1);
	if (status != PAPI_OK) {
		refuse(reply, status, PAPI_error_detail());
		finish();
	}
}

/* ---- threads ---- */

static void move(const struct papi_agent_request *request, struct papi_agent_reply *reply)
{
	int status;

	reply->moved = request->moved;
	if (!papi_agent_table) {
		refuse(reply, PAPI_ENOTRUN, "nothing is counted");
		return;
	}
	status = request->kind == PAPI_AGENT_ENTER ? papi_agent_enter(&papi_agent_table->plan, &reply->moved)
						   : papi_agent_leave(&reply->moved);
	if (status != PAPI_OK)
		refuse(reply, status, PAPI_error_detail());
}

static void end(struct connection *connection, struct papi_agent_reply *reply)
{
	reply->number = papi_agent_table ? papi_agent_inside() : 0;
	if (papi_agent_table && !reply->number)
		finish();
	connection->over = true;
}

static void serve(struct connection *connection, const struct papi_agent_request *request,
	struct papi_agent_reply *reply, int descriptor)
{
	switch (request->kind) {
	case PAPI_AGENT_BEGIN:
		begin(request, reply, descriptor);
		break;
	case PAPI_AGENT_ENTER:
	case PAPI_AGENT_LEAVE:
		move(request, reply);
		break;
	case PAPI_AGENT_INSIDE:
		reply->number = papi_agent_table ? papi_agent_inside() : 0;
		break;
	case PAPI_AGENT_RETREAT:
		if (papi_agent_table && papi_agent_visits)
			papi_agent_retreat();
		break;
	case PAPI_AGENT_END:
		end(connection, reply);
		break;
	default:
		refuse(reply, PAPI_EINVAL, "that is no request");
	}
}

/* ---- the connection ---- */

/* A request, with a descriptor or -1. False: the tool is gone. */
static bool receive(const struct connection *connection, struct papi_agent_request *request, int *descriptor)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec data = { request, sizeof(*request) };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	const struct cmsghdr *part;
	ssize_t got;

	*descriptor = -1;
	do
		got = is_ours(connection) ? recvmsg(connection->own, &message, MSG_CMSG_CLOEXEC) : 0;
	while (got < 0 && errno == EINTR);
	part = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS)
		memcpy(descriptor, CMSG_DATA(part), sizeof(*descriptor));
	return got == (ssize_t)sizeof(*request);
}

static bool comes(const struct connection *connection, int limit_ms)
{
	struct pollfd file = { .fd = connection->own, .events = POLLIN };

	return poll(&file, 1, limit_ms) > 0;
}

static void talk(struct connection *connection)
{
	static struct papi_agent_request request;
	static struct papi_agent_reply reply;
	int limit_ms = FIRST_LIMIT_MS, descriptor;

	while (!connection->over && comes(connection, limit_ms) && receive(connection, &request, &descriptor)) {
		if (connection->other >= 0)
			close(connection->other);
		connection->other = -1;
		limit_ms = -1;
		memset(&reply, 0, sizeof(reply));
		serve(connection, &request, &reply, descriptor);
		if (!is_ours(connection) ||
			send(connection->own, &reply, sizeof(reply), MSG_NOSIGNAL) != (ssize_t)sizeof(reply))
			break;
	}
}

/* The tool is gone, or has lost patience. Threads that sleep leave when they wake up; until then their table stays. */
static void retreat(void)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000L };

	prctl(PR_SET_NAME, PAPI_AGENT_VISIT_ENDS, 0, 0, 0);
	papi_agent_retreat();
	for (unsigned i = 0; i < RETREAT_MS / 10 && papi_agent_inside(); i++)
		nanosleep(&pause, NULL);
	if (!papi_agent_inside())
		finish();
}

static bool connect_to_tool(struct connection *connection, struct papi_agent_visit *visit)
{
	struct stat status;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	if (fstat(pair[0], &status) != 0) {
		close(pair[0]);
		close(pair[1]);
		return false;
	}
	*connection = (struct connection){ .own = pair[0], .other = pair[1], .inode = status.st_ino };
	visit->descriptor = pair[1];
	return true;
}

/* src/process/ calls this in a thread of its own. */
void papi_agent_visit(struct papi_agent_visit *visit)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	struct connection connection;

	pthread_detach(pthread_self());
	prctl(PR_SET_NAME, PAPI_AGENT_VISIT_THREAD, 0, 0, 0);
	if (pthread_mutex_trylock(&one_at_a_time) != 0) {
		atomic_store(&visit->state, PAPI_AGENT_VISIT_FAILED);
		return;
	}
	if (connect_to_tool(&connection, visit)) {
		atomic_store(&visit->state, PAPI_AGENT_VISIT_READY);
		talk(&connection);
		if (papi_agent_table && papi_agent_visits)
			retreat();
		if (connection.other >= 0)
			close(connection.other);
		if (is_ours(&connection))
			close(connection.own);
		munmap((void *)(uintptr_t)visit->memory, visit->memory_size);
	} else {
		atomic_store(&visit->state, PAPI_AGENT_VISIT_FAILED);
	}
	pthread_mutex_unlock(&one_at_a_time);
}
