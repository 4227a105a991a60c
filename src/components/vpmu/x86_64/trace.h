/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces: what translated code appends for the simulators (models/trace.h tells what a record is).
 *
 *	mov  gs:[spilled r8], r8           a register that the block does not use
 *	mov  r8, gs:[trace_next]
 *	cmp  r8, gs:[trace_limit]          in between, with the flags in rax if they are needed
 *	ja   full                          leaves by way of the dispatcher, and begins the block again
 *	mov  qword [r8], description
 *	mov  [r8 + 8], rsp                 before the first instruction that needs it
 *	push rbx
 *	lea  r9, [rax + rcx * 8]           likewise, r9 spilled, too
 *	mov  [r8 + 16], r9
 *	add  rbx, [rax + rcx * 8 + 40]
 *	lea  r8, [r8 + 24]                 before the branch at the end
 *	mov  gs:[trace_next], r8
 *	mov  r8, gs:[spilled r8]
 */
#ifndef PAPI_VPMU_X86_64_TRACE_H
#define PAPI_VPMU_X86_64_TRACE_H

#include "components/vpmu/models/trace.h"
#include "components/vpmu/x86_64/translate.h"

/* Translation, under the lock of the cache. plan comes first: it cuts the block where no register would be free. */
void papi_vpmu_trace_plan(struct papi_vpmu_translation *t, struct papi_vpmu_decoded *decoded);
/* Whether the record of the block may stand for the one that it goes to as well: nothing but where that goes in its
 * turn is known only when it runs, which the next record tells. */
bool papi_vpmu_trace_may_follow(const struct papi_vpmu_translation *t, struct papi_vpmu_decoded *following);
/* When all of that is known. False when memory has ended. */
bool papi_vpmu_trace_describe(struct papi_vpmu_translation *t);
/* At the entry of the block, where nothing has been done. */
void papi_vpmu_trace_enter(struct papi_vpmu_translation *t);
void papi_vpmu_trace_before(struct papi_vpmu_translation *t, unsigned instruction);
void papi_vpmu_trace_after(struct papi_vpmu_translation *t, unsigned instruction);
/* Before the branch that ends the block. */
void papi_vpmu_trace_leave(struct papi_vpmu_translation *t, uint64_t pc);
/* Behind the block: where it goes when the trace is full. */
void papi_vpmu_trace_finish(struct papi_vpmu_translation *t);

/* The description at an offset of the arena. */
const struct papi_vpmu_description *papi_vpmu_trace_description(uint32_t offset);

/* Gives a thread models and a trace, if it has none yet; stack: where its stack is at that moment. False when there is
 * no memory. */
bool papi_vpmu_trace_begin(struct papi_vpmu_thread *thread, uint64_t stack);
/* Runs what is in the trace through the models. */
void papi_vpmu_trace_drain(struct papi_vpmu_thread *thread);
/* The same, and the branch that led to the thread's pc is predicted before anything there has run: without the lock of
 * the cache, of a thread that is between two instructions. */
void papi_vpmu_trace_arrive(struct papi_vpmu_thread *thread);
/* Of a thread that has ended. */
void papi_vpmu_trace_end(struct papi_vpmu_thread *thread);

#endif
