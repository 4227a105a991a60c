/* SPDX-License-Identifier: BSD-3-Clause */
/* The word that requests have to know: made at random for one run, or of a file that its user keeps. */
#ifndef PAPI_PERFOMETER_TOKEN_H
#define PAPI_PERFOMETER_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#define PAPI_TOKEN_LEAST 16
#define PAPI_TOKEN_MOST  128

struct papi_token {
	char text[PAPI_TOKEN_MOST + 1];
};

/* False, and why not. */
bool papi_token_make(struct papi_token *token, char *reason, size_t size);
/* Of a file with one line, that only its owner (this user, or root) may write, and not everybody read. False, and what
 * is wrong with it. */
bool papi_token_read(struct papi_token *token, const char *path, char *reason, size_t size);
/* In a time that tells nothing about where they differ. text NULL: there is none. */
bool papi_token_is(const struct papi_token *token, const char *text);

#endif
