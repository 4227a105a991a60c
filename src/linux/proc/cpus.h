/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which CPUs there are, and on which one the calling thread runs.
 *
 * The CPUs are those that the kernel has online, in /sys/devices/system/cpu/online; where /sys is hidden, as in some
 * containers, the blocks of /proc/cpuinfo; on the machine itself at last what sysconf(3) says. There is always at
 * least one. They are numbers as sched_setaffinity(2) and perf_event_open(2) take them, and need not be contiguous;
 * that one is online does not mean that the calling process may run there.
 *
 * Nothing is kept: a CPU taken offline is gone at the next call. Any thread may call these.
 */
#ifndef PAPI_LINUX_PROC_CPUS_H
#define PAPI_LINUX_PROC_CPUS_H

#include "base/lists.h"

/* Makes the set of online CPUs. Returns how many there are, at least 1. */
int papi_linux_online_set(papi_id_set_t *set);

/* Writes the numbers of up to max online CPUs, ascending, and returns how many there are, which may be more. */
int papi_linux_online_cpus(int *cpus, int max);

/* The CPU that the calling thread is on, likely to be outdated when the caller looks; -1 if the kernel does not
 * tell. */
int papi_linux_current_cpu(void);

#endif
