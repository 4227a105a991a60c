/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what the kernel answered to what a person should know: a PAPI code and a sentence with the remedy.
 */
#ifndef PAPI_PERF_REASONS_H
#define PAPI_PERF_REASONS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* How an event was to be opened. */
struct papi_perf_attempt {
	const struct perf_event_attr *attr;
	pid_t pid;
	int cpu;
	bool core;     /* on the PMU of the cores */
	bool any_mode; /* cannot be counted in user mode alone */
};

/* Why perf_event_open(2) failed with error. Returns the code, with the sentence in the detail. */
int papi_perf_open_failed(const struct papi_perf_attempt *attempt, int error);

/* Why another call on an open event failed. */
int papi_perf_call_failed(const char *call, int error);

/* A group that the kernel never put on the PMU. */
int papi_perf_never_ran(bool multiplexed);

/* True when the cores have a PMU that perf events reach; else the reason is in the detail as PAPI_ENOEVNT. */
bool papi_perf_core_pmu(void);
/* True when there may be one, and this process is not allowed to use it. */
bool papi_perf_core_pmu_refused(void);
void papi_perf_core_pmu_forget(void);

#endif
