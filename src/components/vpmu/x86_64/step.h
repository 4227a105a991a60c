/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that translated code cannot hold: far transfers, interrupts, what cannot be decoded, what is not
 * executable. The processor runs them where they are, alone, with its trap flag set: what they do, or how they fail, is
 * right.
 */
#ifndef PAPI_VPMU_X86_64_STEP_H
#define PAPI_VPMU_X86_64_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/signals.h"

/* Why a thread that sets the trap flag counts no longer. */
#define PAPI_VPMU_STEPS_ITSELF "the program runs itself step by step, by the trap flag"

/* Whether the instruction at the thread's pc can be run so; if not, why. */
const char *papi_vpmu_step_obstacle(uint64_t pc);

/* Whether it can be translated by now: a debugger has taken a breakpoint away. */
bool papi_vpmu_step_is_over(uint64_t pc);

/* The code to go on at, for the instruction at the thread's pc. In the runtime. */
uint64_t papi_vpmu_step_begin(struct papi_vpmu_thread *thread);

/* A fault. True: the trap that was expected, of an instruction that runs alone. False: it is the program's, and the
 * frame shows it. */
bool papi_vpmu_step_trap(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery);

#endif
