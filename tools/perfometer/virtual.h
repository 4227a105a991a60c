/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that agents count in the program (src/agent/), read from the memory that they share with perfometer: no thread
 * is stopped, and none makes a system call for it.
 *
 * All exact counters are counted from the beginning, whatever is asked for: so a switch loses nothing, changes nothing
 * in the program, and totals are those of its whole life. Simulators run where they were asked for at the start.
 */
#ifndef PAPI_PERFOMETER_VIRTUAL_H
#define PAPI_PERFOMETER_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agent/collector.h"
#include "agent/view.h"

struct papi_virtual {
	struct papi_agent_collector collector; /* its table is NULL: there is no agent in the program */
	struct papi_agent_view view;
	bool visits;  /* the agent has come into a process that ran already */
	int eventset; /* of all events that were ever asked for */
	size_t n_events;
	long long *whole; /* of the whole program, when it was last looked at ... */
	bool whole_is_known;
	long long *values; /* ... and of the lane that was asked for last */
};

void papi_virtual_begin(struct papi_virtual *virtually);
/* Adds an event; *position is its place among values. When the program runs, it is one that papi_virtual_can(). False,
 * and why it cannot be counted. */
bool papi_virtual_add(struct papi_virtual *virtually, const char *name, size_t *position, char *reason, size_t size);
/* Whether it could be added now, which changes nothing. */
bool papi_virtual_can(const struct papi_virtual *virtually, const char *name, char *reason, size_t size);
/* Before the program at path is started: the agent will come with it. models: all simulators run. False, and why not.
 * Nothing happens where no event was added. */
bool papi_virtual_expect(struct papi_virtual *virtually, const char *path, bool models, char *reason, size_t size);
/* The same of a process that runs already: the agent comes into it, and counts from now on; where another tool has
 * started it with an agent, that one's counts are read, of all its life. */
bool papi_virtual_enter(struct papi_virtual *virtually, pid_t pid, bool models, char *reason, size_t size);
/* Now and then: threads of that process that could not be counted before. */
void papi_virtual_tend(const struct papi_virtual *virtually);
/* The number here of a thread that is counted, by that which it has where it runs. */
pid_t papi_virtual_thread(const struct papi_virtual *virtually, pid_t there);
/* The agent leaves the process that it has entered; what is to be told of that, to be freed. NULL: nothing. */
char *papi_virtual_leave(struct papi_virtual *virtually);
/* Reads all counters; false: they cannot be read just now. */
bool papi_virtual_look(struct papi_virtual *virtually);
/* The values of all events, from the counters of a thread of the view. NULL: there are none. */
const long long *papi_virtual_values(struct papi_virtual *virtually, const uint64_t counters[PAPI_AGENT_COUNTERS]);
/* For each process that is missing from the counts, what it is called and why, to be freed; NULL: there is no other.
 * *next begins with 0. */
char *papi_virtual_missing(const struct papi_virtual *virtually, size_t *next);
void papi_virtual_end(struct papi_virtual *virtually);

#endif
