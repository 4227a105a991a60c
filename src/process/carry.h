/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of a process with another root directory, both ways: where those that it has mapped can be opened from here,
 * and libraries from here that it is to load without seeing their files. For tools that have opened it (remote.h), in
 * the thread that uses that; no signal handlers. The caller owns all.
 */
#ifndef PAPI_PROCESS_CARRY_H
#define PAPI_PROCESS_CARRY_H

#include "process/remote.h"

#define PAPI_REMOTE_CARGO 8
#define PAPI_REMOTE_NAMES 1024

struct papi_remote_cargo {
	const char *paths[PAPI_REMOTE_CARGO]; /* of libraries that are brought, in the order of loading; the linker's */
	unsigned n, n_brought;
	char names
		[PAPI_REMOTE_NAMES]; /* by which they are to be loaded there, one behind the other; the end is empty */
	size_t names_length;
	int32_t files[PAPI_REMOTE_CARGO]; /* there, to be closed when they are loaded; -1: none */
	unsigned n_files;
};

/* Before a thread is stopped: what has to be brought for the library. False: remote->reason says why it cannot. */
bool papi_remote_cargo_list(struct papi_remote_cargo *cargo, struct papi_remote *remote, const char *library);
/* Now all names are known. The thread is stopped; room is memory there for a name. */
bool papi_remote_cargo_bring(
	struct papi_remote_cargo *cargo, struct papi_remote *remote, struct papi_remote_thread *thread, uint64_t room);
/* The files that it has, where nothing is to be loaded after all. */
void papi_remote_cargo_drop(const struct papi_remote_cargo *cargo, struct papi_remote_thread *thread);

#endif
