/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "guests.h"
#include "page.h"
#include "perfometer.h"
#include "request.h"

#define MOST_CONNECTIONS 64
#define MOST_PAGES       16
#define MOST_JOINED      256
#define MOST_MEMORY      ((size_t)32 << 10) /* of a connection: its headers have to fit, too */
#define MOST_BODY        ((size_t)16 << 10)
#define PATIENCE_S       30u /* with a connection that says nothing */
#define PIECE            ((size_t)16 << 10)
#define LAST_ROUNDS      100 /* of the server, when it ends */

/* A page that is connected to /data. */
struct listener {
	struct papi_server *server;
	struct MHD_Connection *connection;
	uint64_t next; /* message */
	double time;   /* of the last one */
	char *text;    /* that is being sent */
	size_t length, sent;
	bool sleeps; /* until there is another */
	struct listener *following;
};

/* The body of a request. */
struct body {
	char *text;
	size_t length;
	bool too_long;
};

struct papi_server {
	struct MHD_Daemon *daemon;
	const struct papi_journal *journal;
	const struct papi_server_answers *answers;
	struct papi_token token;
	char *address;
	struct listener *listeners;
	unsigned n_listeners;
	struct papi_guests guests;
	bool closed;
};

/* ---- answers ---- */

static enum MHD_Result answer(
	struct MHD_Connection *connection, unsigned status, struct MHD_Response *response, const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	/* What the page is made of is in it; it talks to nobody but this server. */
	MHD_add_response_header(response, "Content-Security-Policy",
		"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
		"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, POST");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* The text is given away. */
static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, char *text, const char *type)
{
	return answer(
		connection, status, MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE), type);
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *sentence)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		papi_perfometer_no_memory();
	fputs("{\"error\":", out);
	papi_escape_json(out, sentence);
	fputs("}\n", out);
	if (fclose(out) != 0)
		papi_perfometer_no_memory();
	return answer_text(connection, status, text, "application/json");
}

static enum MHD_Result answer_page(struct MHD_Connection *connection)
{
	if (!*papi_perfometer_page_begin)
		return refuse(connection, MHD_HTTP_NOT_FOUND,
			"this build of perfometer has no page: /data, /available, /metrics and /events are there");
	return answer_text(connection, MHD_HTTP_OK,
		papi_perfometer_format("%s%s", papi_perfometer_page_begin, papi_perfometer_page_end),
		"text/html; charset=utf-8");
}

/* ---- messages to pages ---- */

static void take(struct listener *listener, char *text, size_t length)
{
	listener->text = text;
	listener->length = length;
	listener->sent = 0;
}

/* What has been forgotten before a slow page could have it is a gap in its lines. */
static void take_gap(struct listener *listener, double until)
{
	char *text = papi_perfometer_format(
		"data: {\"type\":\"gap\",\"t\":%.6f,\"until\":%.6f,\"ids\":null,\"reason\":\"the "
		"page was too slow for all that was sent\"}\n\n",
		listener->time, until);

	take(listener, text, strlen(text));
	listener->next = listener->server->journal->missing;
}

/* False: there is nothing new. */
static bool take_next(struct listener *listener)
{
	const struct papi_journal *journal = listener->server->journal;
	const struct papi_journal_entry *entry = papi_journal_from(journal, listener->next);
	char *text;

	free(listener->text);
	listener->text = NULL;
	if (!entry)
		return false;
	if (listener->next && listener->next < journal->missing) {
		const struct papi_journal_entry *first = papi_journal_from(journal, journal->missing);

		take_gap(listener, first ? first->time : entry->time);
		return true;
	}
	text = papi_perfometer_format("data: %s\n\n", entry->text);
	take(listener, text, strlen(text));
	listener->next = entry->number + 1;
	listener->time = entry->time;
	return true;
}

static ssize_t read_messages(void *argument, uint64_t position, char *to, size_t most)
{
	struct listener *listener = argument;
	size_t used = 0;

	(void)position;
	while (used < most) {
		size_t left = listener->text ? listener->length - listener->sent : 0;
		size_t piece = left < most - used ? left : most - used;

		if (!left && !take_next(listener))
			break;
		if (!left)
			continue;
		memcpy(to + used, listener->text + listener->sent, piece);
		listener->sent += piece;
		used += piece;
	}
	if (used)
		return (ssize_t)used;
	if (listener->server->closed)
		return MHD_CONTENT_READER_END_OF_STREAM;
	listener->sleeps = true;
	MHD_suspend_connection(listener->connection);
	return 0;
}

static void forget_listener(void *argument)
{
	struct listener *listener = argument, **place = &listener->server->listeners;

	while (*place != listener)
		place = &(*place)->following;
	*place = listener->following;
	listener->server->n_listeners--;
	free(listener->text);
	free(listener);
}

static enum MHD_Result answer_data(struct papi_server *server, struct MHD_Connection *connection)
{
	struct listener *listener;
	struct MHD_Response *response;

	if (server->n_listeners >= MOST_PAGES)
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "so many pages are connected: close one");
	listener = papi_perfometer_allocate(NULL, 1, sizeof(*listener));
	*listener = (struct listener){ .server = server, .connection = connection, .following = server->listeners };
	server->listeners = listener;
	server->n_listeners++;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_messages, listener, forget_listener);
	if (!response)
		forget_listener(listener);
	return answer(connection, MHD_HTTP_OK, response, "text/event-stream");
}

static void wake(struct papi_server *server)
{
	for (struct listener *listener = server->listeners; listener; listener = listener->following) {
		if (!listener->sleeps || (!server->closed && !papi_journal_from(server->journal, listener->next)))
			continue;
		listener->sleeps = false;
		MHD_resume_connection(listener->connection);
	}
}

/* ---- requests ---- */

static bool may(const struct papi_server *server, struct MHD_Connection *connection)
{
	static const char bearer[] = "Bearer ";
	const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

	if (header && !strncmp(header, bearer, sizeof(bearer) - 1))
		return papi_token_is(&server->token, header + sizeof(bearer) - 1);
	return papi_token_is(&server->token, MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token"));
}

/* What others have made of what is counted; NULL: there is nothing. */
static enum MHD_Result answer_made(struct MHD_Connection *connection, char *text, const char *type)
{
	if (!text)
		return refuse(connection, MHD_HTTP_CONFLICT, "this is a recording: nothing is counted here");
	return answer_text(connection, MHD_HTTP_OK, text, type);
}

static enum MHD_Result choose(
	const struct papi_server *server, struct MHD_Connection *connection, const struct body *body)
{
	struct papi_request request;
	char reason[2048];
	bool chosen;

	if (body->too_long)
		return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the request is too long");
	if (!server->answers->choose)
		return refuse(connection, MHD_HTTP_CONFLICT, "this is a recording: its events are what they are");
	if (server->closed)
		return refuse(connection, MHD_HTTP_CONFLICT, "nothing is counted any more");
	if (!papi_request_read(&request, body->text ? body->text : "", body->length, reason, sizeof(reason)))
		return refuse(connection, MHD_HTTP_BAD_REQUEST, reason);
	chosen = server->answers->choose(
		server->answers->argument, request.names, request.number, reason, sizeof(reason));
	papi_request_free(&request);
	if (!chosen)
		return refuse(connection, MHD_HTTP_BAD_REQUEST, reason);
	return answer(connection, MHD_HTTP_ACCEPTED, MHD_create_response_from_buffer(3, "{}\n", MHD_RESPMEM_PERSISTENT),
		"application/json");
}

static bool wants_threads(struct MHD_Connection *connection)
{
	const char *threads = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "threads");

	return threads && !strcmp(threads, "1");
}

/* ---- somebody joins ---- */

static void end_joined(void *handle)
{
	MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

/* What came with the request is dropped: who joins says nothing before the answer. */
static void take_joined(void *argument, struct MHD_Connection *connection, void *state, const char *extra,
	size_t length, MHD_socket file, struct MHD_UpgradeResponseHandle *handle)
{
	const struct papi_server *server = argument;

	(void)connection;
	(void)state;
	(void)extra;
	if (length || !server->answers->join(server->answers->argument, file, end_joined, handle))
		end_joined(handle);
}

static enum MHD_Result join(struct papi_server *server, struct MHD_Connection *connection)
{
	const char *upgrade = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_UPGRADE);
	struct MHD_Response *response;
	enum MHD_Result result;

	if (!server->answers->join)
		return refuse(connection, MHD_HTTP_CONFLICT, "this perfometer does not listen: start it with --listen");
	if (!upgrade || strcmp(upgrade, "papi-perfometer") != 0)
		return refuse(connection, MHD_HTTP_BAD_REQUEST, "only perfometer --join asks for this");
	response = MHD_create_response_for_upgrade(take_joined, server);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_UPGRADE, "papi-perfometer");
	result = MHD_queue_response(connection, MHD_HTTP_SWITCHING_PROTOCOLS, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result respond(struct papi_server *server, struct MHD_Connection *connection, const char *path,
	const char *method, const struct body *body)
{
	const struct papi_server_answers *answers = server->answers;
	bool get = !strcmp(method, "GET"), is_events = !strcmp(path, "/events");

	if (!may(server, connection))
		return refuse(connection, MHD_HTTP_FORBIDDEN,
			"the token is missing or wrong: open the address that perfometer has printed");
	if (!get && !(is_events && !strcmp(method, "POST")))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET what there is, or POST to /events");
	if (is_events && get)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "POST to /events: {\"events\": [NAME, ...]}");
	if (is_events)
		return choose(server, connection, body);
	if (!strcmp(path, "/"))
		return answer_page(connection);
	if (!strcmp(path, "/join"))
		return join(server, connection);
	if (!strcmp(path, "/data"))
		return answer_data(server, connection);
	if (!strcmp(path, "/available"))
		return answer_made(connection, answers->available ? answers->available(answers->argument) : NULL,
			"application/json");
	if (!strcmp(path, "/metrics"))
		return answer_made(connection,
			answers->metrics ? answers->metrics(answers->argument, wants_threads(connection)) : NULL,
			"application/openmetrics-text; version=1.0.0; charset=utf-8");
	return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such page");
}

static void gather(struct body *body, const char *data, size_t length)
{
	if (body->too_long || length > MOST_BODY - body->length) {
		body->too_long = true;
		return;
	}
	body->text = papi_perfometer_allocate(body->text, body->length + length + 1, 1);
	memcpy(body->text + body->length, data, length);
	body->length += length;
	body->text[body->length] = '\0';
}

/* First for the head of a request, then for each piece of its body, and in the end without one. */
static enum MHD_Result handle(void *argument, struct MHD_Connection *connection, const char *path, const char *method,
	const char *version, const char *data, size_t *length, void **state)
{
	struct body *body = *state;

	(void)version;
	if (!body) {
		body = papi_perfometer_allocate(NULL, 1, sizeof(*body));
		*body = (struct body){ .text = NULL };
		*state = body;
		if (may(argument, connection))
			papi_guests_welcome(connection);
		return MHD_YES;
	}
	if (!*length)
		return respond(argument, connection, path, method, body);
	gather(body, data, *length);
	*length = 0;
	return MHD_YES;
}

static void forget_request(
	void *argument, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode why)
{
	struct body *body = *state;

	(void)argument;
	(void)connection;
	(void)why;
	if (body)
		free(body->text);
	free(body);
	*state = NULL;
}

/* ---- the server ---- */

/* It is not for standard error, which is perfometer's own. */
static void say_nothing(void *argument, const char *format, va_list arguments)
{
	(void)argument;
	(void)format;
	(void)arguments;
}

static struct MHD_Daemon *listen_on(struct papi_server *server, const struct sockaddr *place)
{
	bool joins = server->answers->join != NULL;
	unsigned most = MOST_CONNECTIONS + (joins ? MOST_JOINED : 0u);
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

	server->guests.most = most;
	flags |= (joins ? MHD_ALLOW_UPGRADE : 0) | (place->sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);
	return MHD_start_daemon(flags, 0, NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_SOCK_ADDR, place, MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_NOTIFY_CONNECTION,
		papi_guests_come_or_leave, &server->guests, MHD_OPTION_CONNECTION_MEMORY_LIMIT, MOST_MEMORY,
		MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE_S, MHD_OPTION_NOTIFY_COMPLETED, forget_request, NULL,
		MHD_OPTION_END);
}

/* As others can write it; an address that is all of this machine's is its name. */
static char *name_place(const struct sockaddr *place, unsigned port)
{
	bool six = place->sa_family == AF_INET6;
	const void *number = six ? (const void *)&((const struct sockaddr_in6 *)place)->sin6_addr
				 : (const void *)&((const struct sockaddr_in *)place)->sin_addr;
	static const char zeros[16];
	char text[INET6_ADDRSTRLEN], name[256] = "";

	if (!memcmp(number, zeros, six ? 16 : 4) && gethostname(name, sizeof(name) - 1) == 0 && *name)
		return papi_perfometer_format("%s:%u", name, port);
	inet_ntop(place->sa_family, number, text, sizeof(text));
	return papi_perfometer_format(six ? "[%s]:%u" : "%s:%u", text, port);
}

struct papi_server *papi_server_begin(const struct papi_journal *journal, const struct papi_server_answers *answers,
	const struct papi_token *token, const struct sockaddr *place, char *reason, size_t size)
{
	struct papi_server *server = papi_perfometer_allocate(NULL, 1, sizeof(*server));
	unsigned port = ntohs(((const struct sockaddr_in *)place)->sin_port); /* which is at the same place in both */
	const union MHD_DaemonInfo *info;
	char *name;

	*server = (struct papi_server){ .journal = journal, .answers = answers, .token = *token };
	errno = 0;
	server->daemon = listen_on(server, place);
	info = server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	name = name_place(place, info ? info->port : port);
	if (server->daemon) {
		server->address = papi_perfometer_format("http://%s/?token=%s", name, server->token.text);
	} else {
		snprintf(reason, size, "cannot listen on port %u of %.*s: %s", port, (int)(strrchr(name, ':') - name),
			name, errno ? strerror(errno) : "libmicrohttpd does not say why");
		free(server);
		server = NULL;
	}
	free(name);
	return server;
}

const char *papi_server_address(const struct papi_server *server)
{
	return server->address;
}

int papi_server_file(const struct papi_server *server)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	return info ? info->epoll_fd : -1;
}

int papi_server_patience(const struct papi_server *server)
{
	MHD_UNSIGNED_LONG_LONG timeout;

	if (MHD_get_timeout(server->daemon, &timeout) != MHD_YES)
		return -1;
	return timeout > 1000 ? 1000 : (int)timeout;
}

void papi_server_serve(struct papi_server *server)
{
	wake(server);
	MHD_run(server->daemon);
}

void papi_server_close(struct papi_server *server)
{
	server->closed = true;
	papi_server_serve(server);
}

unsigned papi_server_pages(const struct papi_server *server)
{
	return server->n_listeners;
}

void papi_server_end(struct papi_server *server)
{
	/* A connection that is suspended cannot be ended. */
	server->closed = true;
	wake(server);
	/* Each that reads gets to the end of what it reads, unless it does not read. */
	for (unsigned i = 0; i < LAST_ROUNDS && (!i || server->n_listeners); i++)
		MHD_run(server->daemon);
	MHD_stop_daemon(server->daemon);
	free(server->address);
	free(server);
}
