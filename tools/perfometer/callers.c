/* SPDX-License-Identifier: BSD-3-Clause */
#include "callers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "live/frame.h"
#include "live/meet.h"
#include "perfometer.h"

#define MOST_CALLERS 256
/* Frames of one caller before others have their turn. */
#define TURN 64

struct papi_callers {
	struct papi_journal *journal;
	struct papi_callers_answers answers;
	int socket, epoll;
	bool regions;
	struct papi_caller *list;
	unsigned number;
};

/* ---- one caller ---- */

static void drop(struct papi_callers *callers, struct papi_caller *caller)
{
	struct papi_caller **place = &callers->list;

	while (*place != caller)
		place = &(*place)->next;
	*place = caller->next;
	callers->number--;
	papi_marks_end(&caller->marks, callers->journal, callers->answers.now(callers->answers.argument));
	/* A watcher that is just being started has the socket, too, until it executes its program: it would go on being
	 * told of. */
	epoll_ctl(callers->epoll, EPOLL_CTL_DEL, caller->socket, NULL);
	close(caller->socket);
	free(caller);
}

static void greet(struct papi_callers *callers, struct papi_caller *caller, const struct papi_frame_words *words)
{
	char bytes[PAPI_FRAME_PROGRAM];
	size_t length = papi_frame_write(bytes, PAPI_FRAME_WANT, callers->regions, 0, "");

	if (caller->greeted)
		return;
	caller->greeted = true;
	caller->rank = words->first < 0 ? -1 : words->first;
	snprintf(caller->name, sizeof(caller->name), "%s", words->name);
	if (callers->answers.came)
		callers->answers.came(callers->answers.argument, caller);
	/* A program that does not read this sends regions, and they are left out here. */
	if (send(caller->socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

static void take_frame(struct papi_callers *callers, struct papi_caller *caller, const struct papi_frame *frame,
	const struct papi_frame_words *words)
{
	void *argument = callers->answers.argument;
	double now = callers->answers.now(argument);

	if (frame->kind == PAPI_FRAME_HELLO) {
		greet(callers, caller, words);
		return;
	}
	if (!caller->greeted)
		return;
	if (frame->kind == PAPI_FRAME_MARK)
		papi_marks_colour(&caller->marks, callers->journal, now,
			callers->answers.lane(argument, caller, words->first), words->second);
	else if (frame->kind == PAPI_FRAME_BEGIN && callers->regions)
		papi_marks_begin_region(&caller->marks, callers->journal, now,
			callers->answers.lane(argument, caller, words->first), words->first, words->name);
	else if (frame->kind == PAPI_FRAME_END)
		papi_marks_end_region(&caller->marks, callers->journal, now, words->first, words->name);
}

/* False: nothing more comes by this connection, or what came is malformed. */
static bool hear(struct papi_callers *callers, struct papi_caller *caller)
{
	char bytes[PAPI_FRAME_PROGRAM + 1];

	for (unsigned i = 0; i < TURN; i++) {
		ssize_t got = recv(caller->socket, bytes, sizeof(bytes), MSG_DONTWAIT);
		struct papi_frame_words words;
		struct papi_frame frame;
		const char *why;

		/* Of a program that has ended without reading, what it has sent is still there. */
		if (got < 0 && errno == ECONNRESET)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		/* A packet has one frame. */
		if (got <= 0 || papi_frame_take(bytes, (size_t)got, &frame, &why) != got)
			return false;
		if (frame.kind > PAPI_FRAME_END)
			continue;
		if (!papi_frame_read(&frame, &words))
			return false;
		take_frame(callers, caller, &frame, &words);
	}
	return true;
}

/* ---- all of them ---- */

static bool may_come(int socket, struct ucred *peer)
{
	uid_t own = geteuid();

	return papi_meet_peer(socket, peer) && peer->pid > 0 && (peer->uid == own || peer->uid == 0 || own == 0);
}

static void let_in(struct papi_callers *callers, int accepted)
{
	struct papi_caller *caller;
	struct epoll_event event = { .events = EPOLLIN };
	struct ucred peer;

	if (callers->number == MOST_CALLERS || !may_come(accepted, &peer)) {
		close(accepted);
		return;
	}
	caller = papi_perfometer_allocate(NULL, 1, sizeof(*caller));
	*caller = (struct papi_caller){ .pid = peer.pid, .rank = -1, .socket = accepted, .next = callers->list };
	event.data.ptr = caller;
	if (epoll_ctl(callers->epoll, EPOLL_CTL_ADD, accepted, &event) != 0) {
		close(accepted);
		free(caller);
		return;
	}
	callers->list = caller;
	callers->number++;
}

/* The ranks of a job come together: several at once, but between them others are heard, and dropped. */
static void let_some_in(struct papi_callers *callers)
{
	for (int i = 0; i < 16; i++) {
		int accepted = accept4(callers->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (accepted < 0)
			return;
		let_in(callers, accepted);
	}
}

void papi_callers_serve(struct papi_callers *callers)
{
	struct epoll_event events[16];
	int number = epoll_wait(callers->epoll, events, 16, 0);

	for (int i = 0; i < number; i++) {
		struct papi_caller *caller = events[i].data.ptr;

		if (!caller)
			let_some_in(callers);
		else if (!hear(callers, caller))
			drop(callers, caller);
	}
}

int papi_callers_file(const struct papi_callers *callers)
{
	return callers->epoll;
}

static const char *listen_here(struct papi_callers *callers)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct sockaddr_un address;
	socklen_t length = papi_meet_address(&address, geteuid());

	if (!length)
		return "PAPI_PERFOMETER=off says that programs are to find nobody";
	if (callers->socket < 0 || callers->epoll < 0)
		return strerror(errno);
	if (bind(callers->socket, (const struct sockaddr *)&address, length) != 0)
		return errno == EADDRINUSE
			? "another perfometer of yours does so already: end that, or have this one and the "
			  "programs meet elsewhere, with PAPI_PERFOMETER=NAME for both"
			: strerror(errno);
	/* A program doesn't wait where the queue is full: it goes on unseen. */
	if (listen(callers->socket, SOMAXCONN) != 0 ||
		epoll_ctl(callers->epoll, EPOLL_CTL_ADD, callers->socket, &event) != 0)
		return strerror(errno);
	return NULL;
}

struct papi_callers *papi_callers_begin(struct papi_journal *journal, const struct papi_callers_answers *answers,
	bool regions, char *reason, size_t size)
{
	struct papi_callers *callers = papi_perfometer_allocate(NULL, 1, sizeof(*callers));
	const char *why;

	*callers = (struct papi_callers){ .journal = journal, .answers = *answers, .regions = regions };
	callers->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	callers->epoll = epoll_create1(EPOLL_CLOEXEC);
	why = listen_here(callers);
	if (!why)
		return callers;
	snprintf(reason, size, "cannot listen for programs that call perfometer(): %s", why);
	papi_callers_end(callers);
	return NULL;
}

void papi_callers_end(struct papi_callers *callers)
{
	if (!callers)
		return;
	while (callers->list)
		drop(callers, callers->list);
	if (callers->socket >= 0)
		close(callers->socket);
	if (callers->epoll >= 0)
		close(callers->epoll);
	free(callers);
}
