/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that is profiled exactly while it has another root directory, as in a container: it writes what it counts
 * into a directory of its own, in its /tmp, and that is fetched in the end. One thread; one such process.
 */
#ifndef PAPI_PROFILE_BOX_H
#define PAPI_PROFILE_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The directory by which the process is to call that of ours: another one, where it does not see it. False, told: none
 * can be made there.
 */
bool papi_profile_box_open(pid_t pid, const char *ours, char *theirs, size_t size);
/* What there is in its directory is in ours, and no more in there. */
void papi_profile_box_close(const char *ours);
/* There is such a process, or was. */
bool papi_profile_box_is_open(void);
/* A file of the process by its own path, also when it has ended. -1: there is none. */
int papi_profile_box_file(const char *path);

#endif
