/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembly of dispatch.S, and what of runtime.c it calls. */
#ifndef PAPI_VPMU_X86_64_DISPATCH_H
#define PAPI_VPMU_X86_64_DISPATCH_H

#include <stdint.h>

#include "components/vpmu/x86_64/thread.h"

#pragma GCC visibility push(hidden)

/* Labels: none is called from C. */
void papi_vpmu_dispatch(void);
void papi_vpmu_jump_miss(void);
void papi_vpmu_resume(void);
void papi_vpmu_resume_end(void);
void papi_vpmu_step_code(void);
void papi_vpmu_step_code_end(void);
void papi_vpmu_gate_enter(void);
void papi_vpmu_gate_entered(void);
void papi_vpmu_gate_return(void);

/* Where to go on: an address of code, or of the program when it is to go on natively. */
uint64_t papi_vpmu_runtime_dispatch(struct papi_vpmu_thread *thread);
uint64_t papi_vpmu_runtime_gate_return(struct papi_vpmu_thread *thread);
/* What runs natively now returns without us. */
void papi_vpmu_runtime_close_gates(struct papi_vpmu_thread *thread);
/* Drops gates that nothing will return through any more. */
void papi_vpmu_runtime_forget_gates(struct papi_vpmu_thread *thread);

/* The body of papi_vpmu_engine_start(); slot is where its return address is. */
int papi_vpmu_start(const struct papi_vpmu_wants *wants, uint64_t *frame, uint64_t *slot);

#pragma GCC visibility pop

#endif
