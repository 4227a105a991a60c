/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The perf_event component: counting through Linux's perf_event_open(2).
 *
 *	names.c		which of the forms a name has; listing
 *	names_generic.c	the kernel's generic events	names_pfm.c	libpfm4's names
 *	names_sysfs.c	pmu/terms/			names_special.c	raw, mem:, tracepoints
 *	encoding.h	what a name becomes: an attr and what is known about it
 *	control.c	an EventSet's counters: groups, opening and closing
 *	count.c		start, stop, read
 *	user_read.h	reading a counter without the kernel
 *	breakpoints.c	a signal that is none of the program's
 *	reasons.c	from errno to a PAPI code and a sentence
 *	kernel.h	the few kernel calls, behind a table that tests replace
 *
 * Counters of one EventSet form groups: the kernel puts a group on the PMU as a whole and reads it in one call. There
 * is one group for each target (thread or CPU) and each PMU with counters of its own; software events join the first.
 * Group leaders are pinned, so that a group counts always or reports that it cannot, except in multiplexed sets, where
 * every event is a group of its own that the kernel rotates.
 */
#ifndef PAPI_PERF_EVENT_H
#define PAPI_PERF_EVENT_H

#include "base/component.h"

extern const struct papi_component papi_perf_event_component;

#endif
