/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collector's side of the agent: a tool that runs a program with the agent in it makes a table (table.h), says in
 * the environment where that is, runs the program, and reads what the table holds then.
 *
 *	begin ... plan ... expect ... fork, hand_over in the child, execve ... end
 *
 * The collector owns what it makes. One thread, and one collector at a time: the environment is the process's.
 */
#ifndef PAPI_AGENT_COLLECTOR_H
#define PAPI_AGENT_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agent/table.h"

struct papi_agent_collector {
	struct papi_agent_table *table; /* NULL: it has not begun */
	bool adopted;                   /* the table is another's, to be read and no more */
	int descriptor;                 /* of the table; high, and inherited by the program alone */
	char *agent;                    /* its path, as LD_PRELOAD is to name it */
	char *preload_before;           /* what LD_PRELOAD was; NULL: nothing */
	char *shortcut; /* a symbolic link to the agent's directory, where that has a name LD_PRELOAD cannot hold */
};

#pragma GCC visibility push(hidden)

/* Finds the agent, and makes a table whose plan the caller has to fill in. installed: the agent's directory, from that
 * above the tool's, or absolute. program: NULL for one that runs already. NULL, or why the program at that path cannot
 * be counted. */
const char *papi_agent_collector_begin(
	struct papi_agent_collector *collector, const char *installed, const char *program);
/* Or else: the table of a process that another tool has started, with an agent in it that counts. False, and nothing
 * to end: it has none, or *reason says what is in the way. */
bool papi_agent_collector_adopt(struct papi_agent_collector *collector, pid_t pid, const char **reason);
/* The program comes next: the environment says so. NULL, or a reason. */
const char *papi_agent_collector_expect(struct papi_agent_collector *collector, const char *program);
/* In the child that is about to execute it: the table's descriptor stays open. */
void papi_agent_collector_hand_over(const struct papi_agent_collector *collector);
/* Of all that has been counted by now, by lanes. */
void papi_agent_collector_sums(
	const struct papi_agent_collector *collector, uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS]);
/* Every thread is to be told apart, by papi_agent_collector_threads(). Before the program begins. */
void papi_agent_collector_keep_apart(struct papi_agent_collector *collector);
/* What each thread has counted by now, in the order in which they ended, and then those that have not; to be freed.
 * A thread that has executed another program appears more than once. NULL: there is no memory. */
struct papi_agent_record *papi_agent_collector_threads(const struct papi_agent_collector *collector, size_t *number);
/* The threads that count now; room for PAPI_AGENT_PAGES. How many. */
size_t papi_agent_collector_running(const struct papi_agent_collector *collector, int32_t *tids);
/* The environment is as it was, and all is given back. Of one that has not begun: nothing happens. */
void papi_agent_collector_end(struct papi_agent_collector *collector);

#pragma GCC visibility pop

#endif
