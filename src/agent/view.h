/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters of a program that runs, as they are at one moment: those of the whole program, and of each thread. What
 * ends meanwhile is moved from its page into the sums of the table (table.h), so all is read again where that happened.
 *
 * The view is the caller's, begins as zeros, and has its memory until papi_agent_view_free(). Any thread, one at a
 * time.
 */
#ifndef PAPI_AGENT_VIEW_H
#define PAPI_AGENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/table.h"

struct papi_agent_view_thread {
	uint32_t page, entry, serial; /* serial: of the process, whose entry others get, too */
	int32_t pid, tid;
	uint64_t counters[PAPI_AGENT_COUNTERS];
};

struct papi_agent_view {
	uint64_t whole[PAPI_AGENT_COUNTERS]; /* with what has ended */
	struct papi_agent_view_thread *threads;
	size_t number, room;
};

#pragma GCC visibility push(hidden)

/* False: there is no memory, or threads end so fast that no two looks agree; whole is then what it was. */
bool papi_agent_view_take(struct papi_agent_view *view, const struct papi_agent_table *table);
/* What a thread that has ended has counted in all, where records of threads are kept; NULL: there is none, or not yet.
 * from: how many there were when it was still there. */
const struct papi_agent_record *papi_agent_view_record(
	const struct papi_agent_table *table, uint32_t from, int32_t pid, int32_t tid);
void papi_agent_view_free(struct papi_agent_view *view);

#pragma GCC visibility pop

#endif
