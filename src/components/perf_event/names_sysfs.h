/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's directories of PMUs tell beyond names (names_sysfs.c). */
#ifndef PAPI_PERF_NAMES_SYSFS_H
#define PAPI_PERF_NAMES_SYSFS_H

#include <stdbool.h>

/*
 * The CPUs on which to open events of the PMU with that type: *cpus (malloc'ed) and their number. 0 when its events are
 * opened on threads as usual, -1 with the reason in the detail.
 */
int papi_perf_sysfs_cpus(unsigned type, int **cpus);

/* Whether the kernel lists an event of this type and config by a name. */
struct perf_event_attr;
bool papi_perf_sysfs_names(const struct perf_event_attr *attr);

/*
 * On a CPU with cores of several kinds: notes the PMUs of all of them for a generic hardware event, which the kernel
 * would otherwise count on one kind only. Leaves it as it is on others.
 */
struct papi_perf_encoding;
void papi_perf_sysfs_spread(struct papi_perf_encoding *encoding);

#endif
