/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a perfometer that listens shows: the lanes of others. A source is a perfometer that watches one program and has
 * no page of its own: one that was started for a program that has called perfometer(), or one of another machine or
 * rank that has joined. All come together in one journal, with lanes, times and events as they are here:
 *
 *	here                                  there
 *	tick: a sample is wanted -----------> takes one
 *	puts its values aside  <------------- a line of its journal
 *	... until all have answered, or the next tick comes: then one sample with all lanes
 *
 * So all lanes have the same times. Who has not answered by then has a gap, and is not asked again before it has
 * answered. What a source says is read as if it came from anybody: a malformed line ends its connection alone.
 *
 * Sources belong to this part. One thread, and nothing waits.
 */
#ifndef PAPI_PERFOMETER_SOURCES_H
#define PAPI_PERFOMETER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "session.h"

struct papi_sources;
struct papi_source;

/* The session has the events, of which nothing is counted here. adopts: the first source says which. */
struct papi_sources *papi_sources_begin(struct papi_session *session, bool adopts);
/* What to wait for, with poll(). */
int papi_sources_file(const struct papi_sources *sources);
void papi_sources_serve(struct papi_sources *sources);
/* Now is the time of a sample. */
void papi_sources_tick(struct papi_sources *sources);
/* Others are asked for: the session has them. */
void papi_sources_choose(struct papi_sources *sources);

/* A source that says all by this connection, which is its own from now on. handle: of what end is called with, when it
 * is done. */
struct papi_source *papi_sources_add(struct papi_sources *sources, int file, void (*end)(void *handle), void *handle);
/* The same of a program on this machine, which has a lane at once. NULL: there are too many. */
struct papi_source *papi_sources_add_program(
	struct papi_sources *sources, int file, pid_t pid, int rank, const char *name);
bool papi_sources_has_room(const struct papi_sources *sources);
/* That of a process that runs. NULL: there is none. */
struct papi_source *papi_sources_find(const struct papi_sources *sources, pid_t pid);
/* The lane of a thread, or else of all of it. */
int papi_sources_lane(const struct papi_source *source, pid_t thread);
/* Their newest totals for Prometheus, and those of such as have ended in the last minutes; the caller frees it. */
char *papi_sources_metrics(const struct papi_sources *sources, bool threads);
/* All of them end, with what they have said by now. */
void papi_sources_end(struct papi_sources *sources, const char *reason);

#endif
