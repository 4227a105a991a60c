/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One recording: the sampler on a program or a process, the store, and the time between.
 *
 * The caller fills in what is asked for; the session owns what it opens, and gives it back at its end. One thread.
 */
#ifndef PAPI_PROFILE_SESSION_H
#define PAPI_PROFILE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "papi_profile/records.h"
#include "papi_profile/sampler.h"
#include "profile/store.h"

struct papi_profile_session {
	/* Asked for. */
	const char *file;
	char **command; /* of the program, or of the process */
	pid_t pid;      /* the process to watch, 0: a program is run */
	int ready;      /* the process is about to execute the command, and waits for a byte here; -1: it is not */
	int table; /* with exact, papi_run's, which runs the program and speaks to us by ready; -1: there is none */
	double seconds; /* how long to watch, 0: to the end */
	struct papi_profile_rate rate;
	struct papi_profile_events *events;
	bool rate_given;
	bool quiet;        /* nothing is said of what came of it, but of what went wrong */
	uint32_t contexts; /* of an exact profile: as many as there may be; 0: it does not have them */
	bool exact;        /* the virtual PMU counts each instruction, and nothing is sampled (exact.h) */
	/* When it began, and where: of a run that is over, or that has said so elsewhere. 0 and NULL: now, and here. */
	time_t began;
	const char *directory;

	/* What came of it. */
	double elapsed;
	uint64_t lost, throttled, without_path, truncated, gone;
	bool failed; /* nothing more could be written to the store; told */

	struct papi_profile_sampler sampler;
	struct papi_profile_records records;
	struct papi_profile_store *store;
	double started, written; /* seconds of a clock that nobody sets */
};

/* Runs the program at path, or watches the process. The exit status of papi_profile; failures are told. */
int papi_profile_session_run(struct papi_profile_session *session, char *path);
int papi_profile_session_watch(struct papi_profile_session *session);

/* Makes the store, once it is sure that the events can be measured. 0, or the exit status, told. */
int papi_profile_session_make_store(struct papi_profile_session *session);

#endif
