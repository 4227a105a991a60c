/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gates: calls of translated code that run natively, as those of the library do. In the place of its return address the
 * function finds that of a stub, and the thread's list of gates keeps the right one:
 *
 *	program's stack                              gates of the thread
 *	...                                          ...
 *	place: papi_vpmu_gate_return  (was: pc)  <--  pc, place, flags
 *	the function's frame
 *
 * Where calls leave the return address in a register, that has the stub's, and the place is the one right below the
 * stack pointer at the call, which tells one gate from another.
 *
 * A return through the place comes to the dispatcher, which goes on at the translation of pc. A longjmp() leaves gates
 * behind, whose places are below the stack pointer; a program with several stacks has gates in any order.
 */
#ifndef PAPI_VPMU_TRANSLATOR_GATES_H
#define PAPI_VPMU_TRANSLATOR_GATES_H

#include "components/vpmu/translator/thread.h"

/* What returns through the place runs translated. With signals blocked. */
void papi_vpmu_gate_open(struct papi_vpmu_thread *thread, uint64_t *place);
/* What runs natively now returns without us, or by the stub to native code. */
void papi_vpmu_gates_close(struct papi_vpmu_thread *thread);

#pragma GCC visibility push(hidden)

/* Where calls leave the return address in a register, a function that was called through a gate, and has begun to run
 * translated meanwhile, may have returned to the stub by a translated branch: the thread goes on behind the call. */
void papi_vpmu_gate_pass(struct papi_vpmu_thread *thread);
/* For dispatch.S: drops gates that nothing will return through any more. */
void papi_vpmu_runtime_forget_gates(struct papi_vpmu_thread *thread);
/* Something has returned through a gate. The code to go on at. */
uint64_t papi_vpmu_runtime_gate_return(struct papi_vpmu_thread *thread);

#pragma GCC visibility pop

#endif
