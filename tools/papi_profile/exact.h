/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact profiles: the program runs with the agent in it (src/agent/), whose engine counts how often each way through
 * each block is gone, in files of a directory beside the store (components/vpmu/profile_log.h). They are read when the
 * program has ended, and deleted. One thread.
 *
 *	exact.c            the run, what is told	exact_log.[ch]  from the files to counts of addresses
 *	exact_events.[ch]  what is to be counted	exact_left.[ch] files that were left, to a profile
 *
 * papi_run makes such a profile of a run of its own: its agents are asked for it in its table.
 */
#ifndef PAPI_PROFILE_EXACT_H
#define PAPI_PROFILE_EXACT_H

#include "papi_profile/session.h"

/* Whether all events are ones that the virtual PMU alone counts on this machine. The library is initialised. */
bool papi_profile_exact_is_meant(const struct papi_profile_events *events);
/* The event that is taken if none is named. */
const char *papi_profile_exact_usual(void);

/* What a count of such an event is worth: "exact", or "modelled". */
const char *papi_profile_exact_kind(const char *name);

/* Runs the program at path, or waits until papi_run has. The exit status of papi_profile; failures are told. */
int papi_profile_exact_run(struct papi_profile_session *session, char *path);

/* With the counts of all its events, in the store. */
void papi_profile_exact_note(struct papi_profile_session *session, const char *note);

/* Notes, and tells, that there were more ways of calls than that. */
void papi_profile_exact_tell_beyond(struct papi_profile_session *session, uint32_t contexts);

/* Tells what came of it, when it has ended. */
void papi_profile_exact_tell(const struct papi_profile_session *session);

#endif
