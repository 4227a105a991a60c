/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that call perfometer(): the socket where they come (live/meet.h), and what they mark. They are of the same
 * user, or root's, or perfometer is; others are not let in. A malformed frame ends its connection, and nothing
 * else.
 *
 * A caller is valid between came and gone. It runs in the loop of whoever waits for its file.
 */
#ifndef PAPI_PERFOMETER_CALLERS_H
#define PAPI_PERFOMETER_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "journal.h"
#include "marks.h"

struct papi_caller {
	pid_t pid;
	int rank; /* -1: none */
	char name[201];
	struct papi_marks marks;
	void *owner; /* whatever the other side wants */
	/* callers.c's */
	int socket;
	bool greeted;
	struct papi_caller *next;
};

struct papi_callers_answers {
	void *argument;
	double (*now)(void *argument);
	/* May be NULL. */
	void (*came)(void *argument, struct papi_caller *caller);
	/* Which lane is that of its thread, or else of all of it. */
	int (*lane)(void *argument, const struct papi_caller *caller, pid_t thread);
};

struct papi_callers;

/* The journal gets their marks; regions: those, too. NULL, and why. */
struct papi_callers *papi_callers_begin(struct papi_journal *journal, const struct papi_callers_answers *answers,
	bool regions, char *reason, size_t size);
int papi_callers_file(const struct papi_callers *callers);
void papi_callers_serve(struct papi_callers *callers);
void papi_callers_end(struct papi_callers *callers);

#endif
