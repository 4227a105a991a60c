/* SPDX-License-Identifier: BSD-3-Clause */
#include "serve.h"

#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- where ---- */

/* HOST, HOST:PORT, [HOST]:PORT; an IPv6 address without a port may be bare. */
static bool split(const char *given, int port, char *host, size_t size, char service[8])
{
	const char *colon = strrchr(given, ':'), *close = strchr(given, ']');
	bool bare = colon && !close && strchr(given, ':') != colon;
	const char *end = given + strlen(given);
	int written;

	snprintf(service, 8, "%d", port);
	if (colon && !bare && (!close || colon > close)) {
		if (strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1] || strlen(colon + 1) > 5 ||
			strtol(colon + 1, NULL, 10) > 65535)
			return false;
		snprintf(service, 8, "%s", colon + 1);
		end = colon;
	}
	if (*given == '[' && (!close || close + 1 != end))
		return false;
	written = snprintf(host, size, "%.*s", (int)(end - given) - 2 * (*given == '['), given + (*given == '['));
	return written > 0 && (size_t)written < size;
}

static bool is_loopback(const struct sockaddr_storage *place)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)place;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)place;

	return place->ss_family == AF_INET ? ntohl(four->sin_addr.s_addr) >> 24 == 127
					   : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static bool find_place(
	const struct papi_perfometer_options *options, struct sockaddr_storage *place, char *reason, size_t size)
{
	const struct addrinfo wish = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	const char *given = options->bind ? options->bind : "127.0.0.1";
	char host[256], service[8];
	struct addrinfo *found;
	int error;

	if (!split(given, options->port, host, sizeof(host), service)) {
		snprintf(reason, size, "--bind: '%s' is no address: ADDRESS or ADDRESS:PORT", given);
		return false;
	}
	error = getaddrinfo(host, service, &wish, &found);
	if (error) {
		snprintf(reason, size, "--bind: cannot listen at '%s': %s", given, gai_strerror(error));
		return false;
	}
	memcpy(place, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

/* ---- who is told ---- */

/* A token that is used again is not for whatever keeps standard error. */
static void tell_address(const struct papi_perfometer_options *options, const char *address)
{
	if (options->token_file)
		papi_perfometer_say(
			"%.*s?token=TOKEN with that of '%s'", (int)strcspn(address, "?"), address, options->token_file);
	else
		papi_perfometer_say("%s", address);
}

/* In a child of a child, which nobody has to wait for; what a browser says is not for this terminal. */
static void __attribute__((noreturn)) become_opener(const char *address)
{
	int nowhere = open("/dev/null", O_RDWR);
	sigset_t none;

	if (fork() != 0)
		_exit(0);
	setsid();
	for (int i = 0; nowhere >= 0 && i < 3; i++)
		dup2(nowhere, i);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execlp("xdg-open", "xdg-open", address, (char *)NULL);
	_exit(127);
}

/* Whether a shell would find it. */
static bool is_there(const char *program)
{
	const char *paths = getenv("PATH");

	while (paths && *paths) {
		size_t length = strcspn(paths, ":");
		char *path = papi_perfometer_format("%.*s/%s", (int)length, paths, program);
		bool found = access(path, X_OK) == 0;

		free(path);
		if (found)
			return true;
		paths += length + (paths[length] == ':');
	}
	return false;
}

static void open_page(const char *address)
{
	pid_t child;

	if (!is_there("xdg-open")) {
		papi_perfometer_say("--open: there is no xdg-open here (Debian package xdg-utils): open the address "
				    "above in a browser");
		return;
	}
	child = fork();
	if (!child)
		become_opener(address);
	if (child > 0)
		waitpid(child, NULL, 0);
}

struct papi_server *papi_perfometer_serve(const struct papi_perfometer_options *options,
	const struct papi_journal *journal, const struct papi_server_answers *answers, char *reason, size_t size)
{
	struct sockaddr_storage place = { .ss_family = AF_UNSPEC };
	struct papi_server *server;
	struct papi_token token;

	if (!find_place(options, &place, reason, size) ||
		!(options->token_file ? papi_token_read(&token, options->token_file, reason, size)
				      : papi_token_make(&token, reason, size)))
		return NULL;
	server = papi_server_begin(journal, answers, &token, (const struct sockaddr *)&place, reason, size);
	if (!server)
		return NULL;
	tell_address(options, papi_server_address(server));
	if (!is_loopback(&place))
		papi_perfometer_say("everybody on the network can listen to what is sent there, the token too: ssh -L "
				    "is safer (perfometer(1))");
	if (options->open)
		open_page(papi_server_address(server));
	return server;
}
