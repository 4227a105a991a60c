/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perfometer.h - what the parts of perfometer share.
 *
 * perfometer is one process with one thread, whose loop (run.c) waits for signals, for its clock and for the server:
 *
 *	kernel.c  virtual.c     what is counted: by the kernel, and by agents in the program
 *	     session.c          which events are asked for; a sample of all lanes
 *	     journal.c          messages: kept for pages, and written to a recording
 *	     server.c           pages, and what they ask for (available.c, openmetrics.c)
 *	     replay.c           a recording in place of a program
 *
 * A lane is what a page draws one line for. Lane 0 is the whole program, with its children and all that has ended; its
 * totals are complete. Others are threads, and parts of it. doc/perfometer.md has the messages.
 *
 * Nothing of this is for signal handlers.
 */
#ifndef PAPI_PERFOMETER_H
#define PAPI_PERFOMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "options.h"

extern const struct papi_tool papi_perfometer_tool; /* for messages about the command line */

/* A line on standard error. */
void papi_perfometer_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Until it is called with false, lines for standard error are kept back: somebody draws on the terminal. */
void papi_perfometer_hold(bool holds);
/* realloc and asprintf that end perfometer where there is no memory; a child at its gate then ends, too. */
void papi_perfometer_no_memory(void) __attribute__((noreturn));
void *papi_perfometer_allocate(void *old, size_t number, size_t size);
char *papi_perfometer_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Nanoseconds of a clock that nobody sets. */
long long papi_perfometer_clock(void);

struct papi_perfometer_options {
	char **events; /* as asked for; owned */
	size_t n_events;
	pid_t pid;        /* 0: a program is run */
	int rate;         /* samples in a second */
	int port;         /* 0: any that is free */
	bool server;      /* pages are served */
	bool stay;        /* after the end, until a signal comes */
	bool text;        /* a view in the terminal */
	bool models;      /* all simulators run from the beginning */
	bool listens;     /* for programs that call perfometer(), and perfometers that join */
	bool regions;     /* of those programs are shown, too */
	bool open;        /* the page, in a browser */
	const char *bind; /* where pages are served: HOST or HOST:PORT; NULL: here alone */
	const char *join; /* whose page it is; NULL: its own */
	const char *record;
	const char *token_file; /* NULL: a token of this run alone */
	char **command;         /* NULL-terminated; NULL: there is none */
};

/* run.c, listen.c and replay.c: the exit status. */
int papi_perfometer_run(const struct papi_perfometer_options *options);
int papi_perfometer_listen(const struct papi_perfometer_options *options);
int papi_perfometer_replay(int argc, char **argv);
/* page.c: the same. */
int papi_perfometer_page(int argc, char **argv);

#endif
