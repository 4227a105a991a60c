/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in an exact profile. Translated code opens a frame for each call and closes it at the return of its place
 * (components/vpmu/call_frame.h); the counters of pairs, a call's place and what it called, are with those of ways.
 * What that code does not know is done here: pairs of indirect calls that are new, and frames that are left behind, by
 * longjmp, by an exception.
 *
 * Each stack has a shadow stack of its own, whose time stands still while it is left: those of coroutines, and of
 * signals. Which one an address is in is known by the frames that are open there.
 *
 * What simulators count belongs to calls like all else, once they have seen all of the trace: who calls one of these
 * functions sees to that, by papi_vpmu_trace_catch_up().
 *
 * Frames that are open when a process is killed are lost. All functions but _begin() and _end() are for the thread
 * itself, in the runtime; all of them under the lock of the cache, but those on notes.
 */
#ifndef PAPI_VPMU_TRANSLATOR_CALLS_H
#define PAPI_VPMU_TRANSLATOR_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct papi_vpmu_call_note;
struct papi_vpmu_thread;

/* Memory for the frames of a thread that is about to count. False: there is none. */
bool papi_vpmu_calls_begin(struct papi_vpmu_thread *thread);
/* The thread ends: its frames are closed, and the memory is given back. */
void papi_vpmu_calls_end(struct papi_vpmu_thread *thread);
/* What open frames have done by now is counted: the process may be about to end. */
void papi_vpmu_calls_settle(struct papi_vpmu_thread *thread);
/* Another region of the program begins: what open calls do from now on is counted apart. */
void papi_vpmu_calls_change_region(struct papi_vpmu_thread *thread, uint8_t region);
/* Does what translated code has left for (PAPI_VPMU_EXIT_CALLS). */
void papi_vpmu_calls_exit(struct papi_vpmu_thread *thread);
/* Does the rest of a call or return, from that step on (enum papi_vpmu_call_step): the call at the end of that block,
 * of callee; the stack pointer behind it. */
void papi_vpmu_calls_finish(
	struct papi_vpmu_thread *thread, unsigned step, uint32_t block, uint64_t callee, uint64_t stack);
/* The last call has not been made. */
void papi_vpmu_calls_take_back(struct papi_vpmu_thread *thread);
/* A signal's handler is about to begin; the thread goes on where a signal has come, or behind native code. */
void papi_vpmu_calls_interrupt(struct papi_vpmu_thread *thread);
void papi_vpmu_calls_go_on(struct papi_vpmu_thread *thread);
/* The notes that translated code has made for the simulators, in their order; NULL: it makes none. They have come to
 * one; and they have come to the end of all. */
const struct papi_vpmu_call_note *papi_vpmu_calls_notes(
	const struct papi_vpmu_thread *thread, const struct papi_vpmu_call_note **end);
void papi_vpmu_calls_catch_up(struct papi_vpmu_thread *thread, const struct papi_vpmu_call_note *note);
void papi_vpmu_calls_forget_notes(struct papi_vpmu_thread *thread);
/* Something else is in [start, end): tables of pairs are emptied. */
void papi_vpmu_calls_forget(struct papi_vpmu_thread *thread);
/* The child of a fork begins without frames; in others than that of the forking thread nobody runs. */
void papi_vpmu_calls_forked(struct papi_vpmu_thread *self);

#pragma GCC visibility pop

#endif
