/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traces of threads: the buffers to which translated code appends records (translate/trace_plan.h) for the
 * simulators, which read them when one is full, or somebody wants to know.
 */
#ifndef PAPI_VPMU_TRANSLATOR_TRACE_H
#define PAPI_VPMU_TRANSLATOR_TRACE_H

#include "components/vpmu/models/trace.h"
#include "components/vpmu/translator/thread.h"

/* Gives a thread models and a trace, if it has none yet; stack: where its stack is at that moment. False when there is
 * no memory. */
bool papi_vpmu_trace_begin(struct papi_vpmu_thread *thread, uint64_t stack);
/* Runs what is in the trace through the models; without the lock of the cache. */
void papi_vpmu_trace_drain(struct papi_vpmu_thread *thread);
/* The same, of a thread whose calls somebody is about to look at (calls.h), while no signal can come: where the
 * simulators count for calls. */
void papi_vpmu_trace_catch_up(struct papi_vpmu_thread *thread);
/* The same, and then a record that is not in the trace, with its own arena: of a thread that a signal has interrupted,
 * while all others are blocked. */
void papi_vpmu_trace_run(
	struct papi_vpmu_thread *thread, const uint64_t *record, const uint64_t *end, const unsigned char *arena);
/* Whether code of these wants looks by itself whether its accesses hit, and has no trace. */
bool papi_vpmu_trace_checks(const struct papi_vpmu_wants *wants);
/* Whether such code makes a trace at first: what a program runs once takes less memory so. */
bool papi_vpmu_trace_comes_first(const struct papi_vpmu_wants *wants);
/* The simulators of the thread, too, are from now on those that its wants say. */
void papi_vpmu_trace_choose(struct papi_vpmu_thread *thread);
/* Of a block of such code that has left in its middle (exits.h): simulates the access that may miss, or the thread's
 * record. Whether so much does that code had better make a trace (papi_vpmu_thread_trace()). */
bool papi_vpmu_trace_check(struct papi_vpmu_thread *thread);
/* Drains a trace that is full. Whether code had better look by itself. */
bool papi_vpmu_trace_full(struct papi_vpmu_thread *thread);
/* Drains it, and the branch that led to the thread's pc is predicted before anything there has run: of a thread that is
 * between two instructions. */
void papi_vpmu_trace_arrive(struct papi_vpmu_thread *thread);
/* In the child of a fork, which has that thread, or NULL, alone. */
void papi_vpmu_trace_forked(struct papi_vpmu_thread *thread);
/* Of a thread that has ended. */
void papi_vpmu_trace_end(struct papi_vpmu_thread *thread);

#endif
