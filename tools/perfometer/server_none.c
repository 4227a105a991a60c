/* SPDX-License-Identifier: BSD-3-Clause */
/* server_none.c - a build without libmicrohttpd: there are recordings, and no pages. */
#include <stdio.h>

#include "server.h"

struct papi_server *papi_server_begin(const struct papi_journal *journal, const struct papi_server_answers *answers,
	const struct papi_token *token, const struct sockaddr *place, char *reason, size_t size)
{
	(void)journal;
	(void)answers;
	(void)token;
	(void)place;
	snprintf(reason, size,
		"this build of perfometer serves no pages, for it was made without libmicrohttpd: use --record FILE "
		"with --no-page");
	return NULL;
}

const char *papi_server_address(const struct papi_server *server)
{
	(void)server;
	return "";
}

int papi_server_file(const struct papi_server *server)
{
	(void)server;
	return -1;
}

int papi_server_patience(const struct papi_server *server)
{
	(void)server;
	return -1;
}

void papi_server_serve(struct papi_server *server)
{
	(void)server;
}

void papi_server_close(struct papi_server *server)
{
	(void)server;
}

unsigned papi_server_pages(const struct papi_server *server)
{
	(void)server;
	return 0;
}

void papi_server_end(struct papi_server *server)
{
	(void)server;
}
