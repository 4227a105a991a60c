/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel lets this process count, as far as its files tell: the settings and the process's own standing.
 *
 * Each call reads the files of papi_linux_root() anew, since any of them may change while a program runs. What cannot
 * be read counts as the kernel's default. Nothing is kept and nothing locked: any thread may call these at any time.
 */
#ifndef PAPI_LINUX_PROC_PERMISSIONS_H
#define PAPI_LINUX_PROC_PERMISSIONS_H

#include <stdbool.h>

/* kernel.perf_event_paranoid; 2, the kernel's default, when it cannot be read. */
int papi_permissions_paranoid(void);

/* Whether a seccomp filter, the way of containers to refuse system calls, is on the process. */
bool papi_permissions_filtered(void);

/* Whether the process is in the first user namespace: only there do capabilities mean anything to perf events. */
bool papi_permissions_first_namespace(void);

/* Whether CAP_PERFMON or CAP_SYS_ADMIN is in effect, wherever it may count. */
bool papi_permissions_capable(void);

/* Both: perf_event_paranoid does not bind. Root in a rootless container is nobody to perf events. */
bool papi_permissions_privileged(void);

/* Whether the NMI watchdog holds a counter of each CPU. */
bool papi_permissions_watchdog(void);

#endif
