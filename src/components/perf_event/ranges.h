/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_DATA_ADDRESS and PAPI_INSTR_ADDRESS on breakpoints, the only perf events whose addresses the kernel knows.
 *
 * A breakpoint counts accesses to the bytes that it watches. In an EventSet restricted to a range of data it watches
 * those of them that are in the range; since hardware watches 1, 2, 4 or 8 bytes from a multiple of their number only,
 * it may have to watch a few more, and range_offsets tells how many. A range of instructions leaves the executions of
 * one instruction as they are or excludes them. What would be excluded as a whole is refused: it could never count.
 */
#ifndef PAPI_PERF_RANGES_H
#define PAPI_PERF_RANGES_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/component.h"
#include "components/perf_event/encoding.h"

/* Whether an event can be counted under the ranges: PAPI_OK, PAPI_ECMP, PAPI_ECNFLCT. */
int papi_perf_range_check(const struct papi_options *options, const struct perf_event_attr *attr);

/* Narrows what a breakpoint watches; leaves other events alone. */
void papi_perf_range_apply(const struct papi_options *options, struct perf_event_attr *attr);

/* Operation of the component (base/component.h). */
void papi_perf_range_offsets(const void *control, bool data, int *start, int *end);

#endif
