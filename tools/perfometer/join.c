/* SPDX-License-Identifier: BSD-3-Clause */
#include "join.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "perfometer.h"
#include "request.h"

#define PATIENCE_S 10 /* with a perfometer that is to answer */
#define LAST_MS    5000

struct place {
	char host[256], port[8], token[160];
};

/* ---- the connection ---- */

bool papi_join_is_inherited(const char *address)
{
	return *address == '@';
}

/* http://HOST:PORT/?token=TOKEN, with or without the first part; HOST may be an IPv6 address in brackets. */
static bool read_address(struct place *place, const char *address)
{
	static const char scheme[] = "http://", token[] = "/?token=";
	const char *host = strncmp(address, scheme, sizeof(scheme) - 1) ? address : address + sizeof(scheme) - 1;
	const char *end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":/");
	const char *port = end ? end + (*end == ']') + 1 : NULL, *rest;
	bool brackets = *host == '[';

	if (!end || end[brackets] != ':')
		return false;
	host += brackets;
	rest = port + strspn(port, "0123456789");
	if (end == host || (size_t)(end - host) >= sizeof(place->host) || rest == port || rest - port > 5 ||
		strncmp(rest, token, sizeof(token) - 1) != 0)
		return false;
	rest += sizeof(token) - 1;
	if (!*rest || strlen(rest) >= sizeof(place->token) || strpbrk(rest, " \r\n"))
		return false;
	snprintf(place->host, sizeof(place->host), "%.*s", (int)(end - host), host);
	snprintf(place->port, sizeof(place->port), "%.*s", (int)strspn(port, "0123456789"), port);
	snprintf(place->token, sizeof(place->token), "%s", rest);
	return true;
}

static int connect_one(const struct addrinfo *to)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int opened = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC, to->ai_protocol);

	if (opened < 0)
		return -1;
	setsockopt(opened, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(opened, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(opened, to->ai_addr, to->ai_addrlen) == 0)
		return opened;
	close(opened);
	return -1;
}

static int connect_to(const struct place *place, const char **why)
{
	const struct addrinfo wish = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int error = getaddrinfo(place->host, place->port, &wish, &found), opened = -1;

	if (error) {
		*why = gai_strerror(error);
		return -1;
	}
	for (const struct addrinfo *to = found; to && opened < 0; to = to->ai_next)
		opened = connect_one(to);
	*why = errno == EINPROGRESS ? "it does not answer" : strerror(errno);
	freeaddrinfo(found);
	return opened;
}

/* HTTP becomes frames: a request, an answer, and what follows is a wire. */
static bool change_protocol(struct papi_join *join, const struct place *place, const char **why)
{
	char *request = papi_perfometer_format("GET /join HTTP/1.1\r\nHost: %s:%s\r\nConnection: Upgrade\r\nUpgrade: "
					       "papi-perfometer\r\nAuthorization: Bearer %s\r\n\r\n",
		place->host, place->port, place->token);
	size_t length = strlen(request), used = 0;
	bool sent = send(join->wire.file, request, length, MSG_NOSIGNAL) == (ssize_t)length;
	char answer[4096], *end = NULL;

	free(request);
	while (sent && !end && used < sizeof(answer) - 1) {
		ssize_t got = recv(join->wire.file, answer + used, sizeof(answer) - 1 - used, 0);

		if (got <= 0)
			break;
		used += (size_t)got;
		answer[used] = '\0';
		end = strstr(answer, "\r\n\r\n");
	}
	*why = "it does not answer as a perfometer that listens";
	if (!end)
		return false;
	if (!strncmp(answer, "HTTP/1.1 403", 12))
		*why = "the token is wrong: give the whole address that it has printed";
	if (!strncmp(answer, "HTTP/1.1 503", 12))
		*why = "so many have joined it already";
	if (strncmp(answer, "HTTP/1.1 101", 12) != 0)
		return false;
	papi_wire_put(&join->wire, end + 4, used - (size_t)(end + 4 - answer));
	return true;
}

bool papi_join_begin(struct papi_join *join, const char *address, char *reason, size_t size)
{
	const char *why = "an address is what 'perfometer --listen' prints: http://HOST:PORT/?token=TOKEN";
	struct place place;

	*join = (struct papi_join){ .next = 0 };
	papi_wire_begin(&join->wire, -1);
	if (papi_join_is_inherited(address)) {
		join->wire.file = (int)strtol(address + 1, NULL, 10);
		if (fcntl(join->wire.file, F_SETFD, FD_CLOEXEC) == 0)
			return true;
		join->wire.file = -1;
	} else if (read_address(&place, address)) {
		join->wire.file = connect_to(&place, &why);
		if (join->wire.file >= 0 && change_protocol(join, &place, &why))
			return true;
	}
	/* Without what follows the host and port: that has the token. */
	snprintf(reason, size, "cannot join %.*s: %s", (int)strcspn(address, "?"), address, why);
	papi_wire_end(&join->wire);
	return false;
}

/* ---- frames ---- */

static void send_news(struct papi_join *join, const struct papi_journal *journal)
{
	const struct papi_journal_entry *entry;

	while ((entry = papi_journal_from(journal, join->next))) {
		papi_wire_send(&join->wire, PAPI_FRAME_LINE_OF_JOURNAL, entry->text, entry->length);
		join->next = entry->number + 1;
	}
}

static void take_frame(const struct papi_frame *frame, const struct papi_join_answers *answers)
{
	struct papi_request request;
	char reason[256];

	if (frame->kind == PAPI_FRAME_TICK)
		answers->sample(answers->argument);
	if (frame->kind != PAPI_FRAME_CHOOSE ||
		!papi_request_read(&request, frame->payload, frame->length, reason, sizeof(reason)))
		return;
	answers->choose(answers->argument, request.names, request.number);
	papi_request_free(&request);
}

bool papi_join_serve(
	struct papi_join *join, const struct papi_journal *journal, const struct papi_join_answers *answers)
{
	struct papi_frame frame;

	if (join->wire.file < 0)
		return false;
	papi_wire_move(&join->wire);
	while (papi_wire_next(&join->wire, &frame))
		take_frame(&frame, answers);
	send_news(join, journal);
	if (!join->wire.broken)
		return true;
	papi_wire_end(&join->wire);
	return false;
}

/* The other has all once it closes, too; a connection with something unread would be reset, and what was sent lost. */
void papi_join_end(struct papi_join *join, const struct papi_journal *journal)
{
	long long end = papi_perfometer_clock() + 1000000LL * LAST_MS;
	struct papi_frame frame;
	bool told = false;

	if (join->wire.file < 0)
		return;
	send_news(join, journal);
	while (!join->wire.broken && papi_perfometer_clock() < end) {
		struct pollfd file = { .fd = join->wire.file, .events = POLLIN };

		if (papi_wire_is_full(&join->wire))
			file.events |= POLLOUT;
		else if (!told)
			told = shutdown(join->wire.file, SHUT_WR) == 0;
		poll(&file, 1, 100);
		papi_wire_move(&join->wire);
		while (papi_wire_next(&join->wire, &frame))
			continue;
	}
	papi_wire_end(&join->wire);
}
