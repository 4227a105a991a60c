/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events and metrics that are asked for, which may change while the program runs, and samples of all lanes.
 *
 *	begin ... choose ... start, when the program waits at its gate ... sample, choose, ... finish ... end
 *
 * An event that stays when others are chosen is not touched. What the kernel counts without a counter of the CPU goes
 * on being counted when nobody asks for it any more; what takes one is stopped, and goes on from its total.
 */
#ifndef PAPI_PERFOMETER_SESSION_H
#define PAPI_PERFOMETER_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "journal.h"
#include "kernel.h"
#include "papi.h"
#include "virtual.h"

enum papi_session_source { PAPI_SESSION_KERNEL, PAPI_SESSION_VIRTUAL, PAPI_SESSION_METRIC };

struct papi_session_event {
	char *name, *description;
	char unit[PAPI_MIN_STR_LEN], kind[PAPI_MIN_STR_LEN];
	enum papi_session_source source;
	bool wanted; /* asked for, or a metric needs it */
	struct papi_kernel_counter counter;
	size_t position; /* among virtual events */
	int group, metric;
	size_t n_needs, needs[PAPI_METRIC_EVENTS]; /* of a metric: events ... */
	int places[PAPI_METRIC_EVENTS];            /* ... and their numbers in its group */
	long long value;                           /* of the whole program, when it was last read ... */
	bool known;                                /* ... if it was */
};

struct papi_session_lane {
	int id;
	pid_t pid, tid;
	pid_t here; /* the thread, for the kernel: in a container it has another number */
	uint32_t serial;
	bool used, gone;  /* gone: the thread is, though its page is still there */
	char name[64];    /* of the thread, as it was when it was first seen */
	unsigned seen;    /* the last look that it was in */
	unsigned missed;  /* samples after its end that had no total of it yet */
	double *previous; /* of all events, for metrics; NaN: not known */
	size_t n_previous;
};

struct papi_session {
	struct papi_journal *journal;
	struct papi_kernel_program program; /* pid 0: it has not been started */
	struct papi_virtual virtually;
	struct papi_session_event *events; /* all that were ever asked for */
	size_t n_events;
	size_t *asked, n_asked; /* those of the newest schema, in its order */
	bool tells_parts;       /* events that a metric needs are in the schema, too: behind the others ... */
	size_t n_parts;         /* ... so many */
	unsigned serial;
	long long started;                      /* of the clock */
	struct papi_session_lane whole, *lanes; /* lanes: by the number of their page */
	size_t n_lanes;                         /* that are used */
	unsigned looks;
	struct papi_session_lane *leaving; /* that have ended, with totals that are still to be told */
	size_t n_leaving;
	uint32_t recorded; /* records of threads at the last two samples */
	uint32_t recorded_before;
	int next_lane;
	int rank;           /* of the program in its job; -1: none */
	double looked;      /* when it was last asked which threads are gone */
	double last;        /* the last sample */
	const char *name;   /* of the program */
	const char *ending; /* why lanes end, when all do */
};

void papi_session_begin(struct papi_session *session, struct papi_journal *journal);
/* Seconds since the start. */
double papi_session_time(const struct papi_session *session);
/* These events and metrics, and no others, from now on. False, and why not: then nothing has changed. */
bool papi_session_choose(
	struct papi_session *session, const char *const names[], size_t number, char *reason, size_t size);
/* The number of an event or metric that was ever asked for; SIZE_MAX: it was not. */
size_t papi_session_find(const struct papi_session *session, const char *name);
/* Tells what is asked for, with the next serial; for those who count nothing themselves. */
void papi_session_write_schema(struct papi_session *session);
/* The program waits at its gate, or runs already; name: what it is called. False, and why it cannot be counted. */
bool papi_session_start(
	struct papi_session *session, pid_t pid, bool at_gate, const char *name, char *reason, size_t size);
/* All lanes, now. */
void papi_session_sample(struct papi_session *session);
/* The last sample, when the program has ended or is let alone. lane: why its lanes end; all: why the data do. */
void papi_session_finish(struct papi_session *session, const char *lane, const char *all);
void papi_session_end(struct papi_session *session);

/* ---- lanes.c, for session.c ---- */

/* The lane of a thread of a process, or else of all of the program; for marks. */
int papi_session_lane(const struct papi_session *session, pid_t pid, pid_t tid);
/* One message with all lanes: whole is known for each event by now, and looked tells whether threads are. */
void papi_session_write_sample(struct papi_session *session, double now, bool looked);
void papi_session_write_thread(struct papi_session *session, struct papi_session_lane *lane, double now);
void papi_session_end_lanes(struct papi_session *session, double now, const char *reason);

#endif
