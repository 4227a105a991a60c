/* SPDX-License-Identifier: BSD-3-Clause */
#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 16

bool papi_token_make(struct papi_token *token, char *reason, size_t size)
{
	unsigned char bytes[BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		snprintf(reason, size, "there are no random numbers for a token: %s", strerror(errno));
		return false;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token->text + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

/* A user who can write it could let himself in. */
static const char *why_not(const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return "it is no regular file";
	if (status->st_uid != geteuid() && status->st_uid != 0)
		return "it belongs to another user";
	if (status->st_mode & (S_IRWXO | S_IWGRP))
		return "others may read or change it: chmod 600 lets nobody else";
	return NULL;
}

/* What goes through addresses and headers as it is. */
static bool is_fit(const char *text, size_t length)
{
	static const char fit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

	return length >= PAPI_TOKEN_LEAST && length <= PAPI_TOKEN_MOST && strspn(text, fit) == length;
}

static bool read_from(int file, struct papi_token *token, const char *path, char *reason, size_t size)
{
	char text[PAPI_TOKEN_MOST + 3] = ""; /* with the end of the line, and what may not follow */
	struct stat status;
	const char *why;
	ssize_t length = -1;

	if (fstat(file, &status) != 0)
		why = strerror(errno);
	else
		why = why_not(&status);
	if (!why) {
		length = read(file, text, sizeof(text) - 1);
		why = length < 0 ? strerror(errno) : NULL;
	}
	if (why) {
		snprintf(reason, size, "cannot take the token of '%s': %s", path, why);
		return false;
	}
	if (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	if (!is_fit(text, (size_t)length)) {
		snprintf(reason, size,
			"cannot take the token of '%s': it is one line of %d to %d letters, digits and -._~; "
			"'openssl rand -hex 16' makes one",
			path, PAPI_TOKEN_LEAST, PAPI_TOKEN_MOST);
		return false;
	}
	memcpy(token->text, text, sizeof(token->text));
	return true;
}

bool papi_token_read(struct papi_token *token, const char *path, char *reason, size_t size)
{
	/* Without waiting for whoever opens the other end of a pipe. */
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool read;

	if (file < 0) {
		snprintf(reason, size, "cannot take the token of '%s': %s", path, strerror(errno));
		return false;
	}
	read = read_from(file, token, path, reason, size);
	close(file);
	return read;
}

bool papi_token_is(const struct papi_token *token, const char *text)
{
	size_t length = strlen(token->text);
	unsigned char difference = 0;

	if (!text || strlen(text) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		difference |= (unsigned char)(text[i] ^ token->text[i]);
	return !difference;
}
