/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server of pages: HTTP on this machine's own address, for those who know the token. It answers from memory alone:
 * no request reads a file or runs a program.
 *
 *	GET  /           the page
 *	GET  /data       the journal, and then each message as it comes (server-sent events)
 *	GET  /available  what this machine can count
 *	GET  /metrics    the counts, for Prometheus (OpenMetrics)
 *	POST /events     other events from now on
 *	GET  /join       lanes of another perfometer: the connection is no longer HTTP, but frames (live/frame.h)
 *
 * It runs in the caller's loop: nothing happens but in papi_server_serve().
 */
#ifndef PAPI_PERFOMETER_SERVER_H
#define PAPI_PERFOMETER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "journal.h"
#include "token.h"

/* What a request is answered with by others. Texts are theirs to make and the server's to free; NULL: there is none. */
struct papi_server_answers {
	void *argument;
	char *(*available)(void *argument);
	char *(*metrics)(void *argument, bool threads);
	/* False, and why not. */
	bool (*choose)(void *argument, const char *const names[], size_t number, char *reason, size_t size);
	/* Somebody joins by that connection, which end(handle) ends. False: there is no room. */
	bool (*join)(void *argument, int file, void (*end)(void *handle), void *handle);
};

struct papi_server;

/* An IPv4 or IPv6 address; port 0: any that is free. NULL, and why. */
struct papi_server *papi_server_begin(const struct papi_journal *journal, const struct papi_server_answers *answers,
	const struct papi_token *token, const struct sockaddr *place, char *reason, size_t size);
/* The address of the page, with its token. */
const char *papi_server_address(const struct papi_server *server);
/* To wait for, with poll(), for so many milliseconds at most; -1: without end. */
int papi_server_file(const struct papi_server *server);
int papi_server_patience(const struct papi_server *server);
/* Answers what has come, and sends what is new in the journal. */
void papi_server_serve(struct papi_server *server);
/* There will be no more messages: pages get what is left, and their connections end. */
void papi_server_close(struct papi_server *server);
/* How many pages are connected. */
unsigned papi_server_pages(const struct papi_server *server);
void papi_server_end(struct papi_server *server);

#endif
