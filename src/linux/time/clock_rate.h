/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the time stamp counter ticks: what clock.c asks once in the life of a process.
 *
 * Rates are in Hz, and 0 where a source does not tell. The first three interpret what the processor, the hypervisor
 * and the kernel say and are apart from the asking, so that a test can say what no machine at hand does. They keep
 * nothing; any thread may call them. Only where papi_clock_has_counter() do the last two make sense.
 */
#ifndef PAPI_LINUX_TIME_CLOCK_RATE_H
#define PAPI_LINUX_TIME_CLOCK_RATE_H

#include <linux/perf_event.h>

#include "linux/cpu/cpuid.h"

/* Leaf 0x15: the counter's rate as a fraction, ebx / eax, of that of a crystal, ecx in Hz. */
double papi_clock_crystal_rate(const papi_cpuid_t *leaf);

/* Leaf 0x40000010, which VMware began and others follow: eax in kHz. */
double papi_clock_hypervisor_rate(const papi_cpuid_t *leaf);

/* The page of a perf event, which shows what the kernel itself computes time with, to nine digits. */
double papi_clock_page_rate(const struct perf_event_mmap_page *page);

/* The counter against the clock over a millisecond: good to a few parts in a million. Sleeps that long. */
double papi_clock_measured_rate(void);

/* The first of these that is known. */
double papi_clock_counter_rate(void);

#endif
